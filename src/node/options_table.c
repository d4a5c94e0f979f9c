/*
 * The option table: bitcoind's names, each in the class that holds here today,
 * and a few of our own. Data only, any thread. A name moves from LATER to BUILT
 * in the commit that builds it; what the rules of a value mean beyond its type
 * stands where the value is used.
 */
#include <cairn/node/options.h>

#define GROUP(title)                                                           \
	{                                                                      \
		.name = "", .group = title                                     \
	}
#define TEXT(key, fl, a, help)                                                 \
	{                                                                      \
		.name = key, .type = OPT_TEXT, .flags = fl, .arg = a,          \
		.text = help                                                   \
	}
#define ADDR(key, fl, help)                                                    \
	{                                                                      \
		.name = key, .type = OPT_ADDR, .flags = fl,                    \
		.arg = "<addr>[:<port>]", .text = help                         \
	}
#define BOOL(key, fl, help)                                                    \
	{                                                                      \
		.name = key, .type = OPT_BOOL, .flags = fl, .text = help       \
	}
#define INT(key, lo, hi, fl, help)                                             \
	{                                                                      \
		.name = key, .type = OPT_INT, .flags = fl, .min = lo,          \
		.max = hi, .arg = "<n>", .text = help                          \
	}
#define PORT(key, fl, help)                                                    \
	{                                                                      \
		.name = key, .type = OPT_PORT, .flags = fl, .arg = "<port>",   \
		.text = help                                                   \
	}
#define IDLE(key, why)                                                         \
	{                                                                      \
		.name = key, .class = OPT_IDLE, .text = why                    \
	}
#define IDLE_NET(key, why)                                                     \
	{                                                                      \
		.name = key, .class = OPT_IDLE, .flags = OPT_NET_ONLY,         \
		.text = why                                                    \
	}
#define CLIENT(key)                                                            \
	{                                                                      \
		.name = key, .class = OPT_IDLE, .flags = OPT_CLIENT,           \
		.text = "read by cairn-cli"                                    \
	}
/* A switch that is off by default, or on ("1"). */
#define LATER(key, unset)                                                      \
	{                                                                      \
		.name = key, .class = OPT_LATER, .type = OPT_BOOL,             \
		.off = unset                                                   \
	}
/* A value. */
#define LATER_TEXT(key, unset)                                                 \
	{                                                                      \
		.name = key, .class = OPT_LATER, .type = OPT_TEXT,             \
		.off = unset                                                   \
	}

static const char no_wallet[] = "there is no wallet";
static const char no_estimates[] = "fees are not estimated";
static const char no_share[] = "any peer may hear of transactions";
static const char clusters[] = "clusters are limited instead";
static const char log_look[] = "the log has one form";
static const char no_window[] = "there is no window";
static const char own_checks[] = "consistency is always checked";

const struct option option_table[] = {
    GROUP("General"),
    BOOL("help", 0, "Print this text and exit"),
    BOOL("h", OPT_HIDDEN, "Same as -help"),
    BOOL("?", OPT_HIDDEN, "Same as -help"),
    BOOL("help-debug", 0, "Print this text with the options for testing"),
    BOOL("version", 0, "Print the version and exit"),
    TEXT("conf", 0, "<file>",
	 "Read settings from this file, relative to the data folder (default: "
	 "cairn.conf, else bitcoin.conf)"),
    TEXT("includeconf", 0, "<file>",
	 "In a configuration file: read this one too, relative to the data "
	 "folder"),
    TEXT("datadir", OPT_NO_NEGATE | OPT_NEEDS, "<dir>",
	 "Keep all data in this folder, which must exist (default: ~/.cairn)"),
    TEXT("blocksdir", OPT_NEEDS, "<dir>",
	 "Keep the block files in this folder, which must exist (default: the "
	 "data folder)"),
    TEXT("chain", OPT_NEEDS, "<chain>",
	 "Network: main, test, testnet4, signet or regtest (default: main)"),
    BOOL("testnet", 0, "Same as -chain=test"),
    BOOL("testnet4", 0, "Same as -chain=testnet4"),
    BOOL("signet", 0, "Same as -chain=signet"),
    BOOL("regtest", OPT_DEBUG, "Same as -chain=regtest"),
    TEXT("signetchallenge", OPT_NO_NEGATE, "<hex>",
	 "Signet: script that signs blocks; makes a network of its own"),
    TEXT("signetseednode", OPT_NO_NEGATE, "<host>",
	 "Signet: ask this name for peers instead of the built-in ones; may be "
	 "repeated"),
    BOOL("daemon", 0, "Run in the background; returns once the node is ready"),
    BOOL("daemonwait", 0, "Same as -daemon"),
    TEXT("pid", 0, "<file>",
	 "Write the process id here, relative to the network's folder "
	 "(default: cairnd.pid)"),
    INT("dbcache", INT64_MIN, 1 << 20, 0,
	"Memory for coins and databases in MiB (at least 4, default: 450)"),
    INT("maxsigcachesize", INT64_MIN, 1 << 20, OPT_DEBUG,
	"Memory in MiB for what is remembered of verified signatures, "
	"transactions and keys (default: 32)"),
    INT("par", -1024, 1024, 0,
	"Threads that check blocks: 0 one per processor, below 0 leaves that "
	"many free (default: 0, at most 16)"),
    TEXT("loadblock", OPT_NEEDS, "<file>",
	 "Import blocks from this file at start; may be repeated"),
    BOOL("reindex", 0,
	 "Make everything again from the block files: index, coins, filters "
	 "(default: 0)"),
    BOOL("reindex-chainstate", 0,
	 "Make the coins again from the stored blocks (default: 0)"),
    TEXT("blockfilterindex", 0, "<type>",
	 "Keep compact filters of blocks: basic, 1 or 0 (default: 0)"),
    TEXT("assumevalid", 0, "<hash>",
	 "Ancestors of this block need no script checks, 0: check all "
	 "(default: by network)"),
    TEXT("minimumchainwork", OPT_DEBUG, "<hex>",
	 "Chains with less work than this are not followed (default: by "
	 "network)"),

    GROUP("Connections"),
    TEXT("addnode", OPT_NET_ONLY, "<host>",
	 "Stay connected to this node; may be repeated"),
    ADDR("bind", OPT_NET_ONLY,
	 "Listen on this address; may be repeated (default: all)"),
    BOOL("blocksonly", 0, "Take no transactions from peers (default: 0)"),
    TEXT("connect", OPT_NET_ONLY, "<host>",
	 "Connect to these nodes only; 0: to none; may be repeated"),
    BOOL("dnsseed", 0,
	 "Look names up for peers when few are known (default: 1, but 0 with "
	 "-connect or -maxconnections=0)"),
    BOOL("forcednsseed", 0, "Always look names up for peers (default: 0)"),
    BOOL("listen", 0,
	 "Accept connections (default: 1, but 0 with -connect or "
	 "-maxconnections=0)"),
    INT("maxconnections", 0, 100000, 0,
	"Keep at most this many connections, those by -addnode and -connect "
	"not counted (default: 125)"),
    INT("maxreceivebuffer", 1, 1000000, 0,
	"Bytes kept per peer before they are handled, times 1000 (default: "
	"5000)"),
    INT("maxsendbuffer", 1, 1000000, 0,
	"Bytes kept per peer before they are sent, times 1000 (default: "
	"1000)"),
    BOOL("networkactive", 0, "Connect to anyone at all (default: 1)"),
    BOOL("peerblockfilters", 0,
	 "Serve compact filters to peers (BIP157); needs -blockfilterindex "
	 "(default: 0)"),
    PORT("port", OPT_NET_ONLY,
	 "Listen on this port (default: 8333, test 18333, testnet4 48333, "
	 "signet 38333, regtest 18444)"),
    TEXT("seednode", 0, "<host>",
	 "Ask this node for peers, then leave it; may be repeated"),
    INT("timeout", INT64_MIN, INT32_MAX, 0,
	"Give up connecting after this many milliseconds (default: 5000)"),
    INT("peertimeout", INT64_MIN, INT64_MAX, OPT_DEBUG,
	"A peer may be silent for this many seconds after connecting "
	"(default: 60)"),
    TEXT("uacomment", 0, "<text>",
	 "Add this to the name told to peers; may be repeated"),
    TEXT("whitelist", OPT_NEEDS, "<perms>@<net>",
	 "What peers of a network may do: noban, relay, forcerelay, mempool, "
	 "addr, all; with in or out; may be repeated"),
    BOOL("whitelistforcerelay", 0,
	 "Also forcerelay for those of -whitelist without permissions "
	 "(default: 0)"),
    BOOL("whitelistrelay", 0,
	 "Also relay for those of -whitelist without permissions (default: "
	 "1, but 0 with -blocksonly)"),

    GROUP("Transactions"),
    BOOL("acceptnonstdtxn", OPT_DEBUG,
	 "Not on main: keep transactions that are valid but not of standard "
	 "form (default: 0)"),
    INT("bytespersigop", 0, UINT32_MAX, 0,
	"Bytes that a transaction counts for each signature check (default: "
	"20)"),
    BOOL("datacarrier", 0, "Keep transactions that carry data (default: 1)"),
    INT("datacarriersize", 0, UINT32_MAX, 0,
	"Bytes of scripts that carry data, all outputs of a transaction "
	"together (default: 100000)"),
    TEXT("dustrelayfee", OPT_DEBUG, "<amount>",
	 "An output is dust when spending it costs more than it holds, at this "
	 "fee in BTC per 1000 virtual bytes (default: 0.00003)"),
    TEXT("incrementalrelayfee", OPT_DEBUG, "<amount>",
	 "Fee in BTC per 1000 virtual bytes that a replacement pays on top, "
	 "and by which a full pool asks more (default: 0.000001)"),
    INT("limitclustercount", INT64_MIN, INT64_MAX, OPT_DEBUG,
	"Transactions of the pool that may be related (1 to 64, default: 64)"),
    INT("limitclustersize", 1, 1000000, OPT_DEBUG,
	"Virtual bytes of related transactions, times 1000 (default: 101)"),
    INT("maxmempool", INT64_MIN, 1000000, 0,
	"Memory for transactions that are in no block, in MB; 0: keep none "
	"(default: 300, but 5 with -blocksonly)"),
    INT("mempoolexpiry", 0, INT32_MAX, 0,
	"Drop transactions that are in no block after this many hours "
	"(default: 336)"),
    TEXT("minrelaytxfee", 0, "<amount>",
	 "Least fee in BTC per 1000 virtual bytes of what is kept and passed "
	 "on (default: 0.000001)"),
    BOOL("permitbaremultisig", 0,
	 "Keep transactions that pay to several keys without a hash (default: "
	 "1)"),
    BOOL("persistmempool", 0,
	 "Write the pool to mempool.dat at the end and read it at the start "
	 "(default: 1)"),
    BOOL("persistmempoolv1", OPT_DEBUG,
	 "Write mempool.dat as older versions of bitcoind read it (default: "
	 "0)"),
    INT("txsendrate", INT64_MIN, INT64_MAX, OPT_DEBUG,
	"Transactions that are announced each second to a peer that dialled "
	"us, 1 to 1000; to others 2.5 times as many (default: 14)"),

    GROUP("Blocks made here"),
    INT("blockmaxweight", INT64_MIN, INT64_MAX, OPT_DEBUG,
	"Weight of a block (default: 4000000)"),
    TEXT("blockmintxfee", 0, "<amount>",
	 "Least fee in BTC per 1000 virtual bytes of what goes into a block "
	 "(default: 0.00000001)"),
    INT("blockreservedweight", INT64_MIN, INT64_MAX, 0,
	"Weight that is left to header and coinbase (at least 2000, default: "
	"8000)"),

    GROUP("Commands (RPC)"),
    BOOL("server", 0, "Answer commands (default: 1)"),
    TEXT("rpcallowip", OPT_NEEDS, "<net>",
	 "Answer commands from this address or network too; may be repeated"),
    TEXT("rpcauth", OPT_SECRET, "<user>:<salt>$<hash>",
	 "Another user, the password hashed with HMAC-SHA-256; may be "
	 "repeated"),
    ADDR("rpcbind", OPT_NET_ONLY | OPT_NEEDS,
	 "Answer on this address, only with -rpcallowip; may be repeated "
	 "(default: 127.0.0.1 and ::1)"),
    TEXT("rpccookiefile", 0, "<file>",
	 "Where the password of the day is written, relative to the network's "
	 "folder (default: .cookie)"),
    TEXT("rpccookieperms", OPT_NEEDS, "<who>",
	 "Who may read it: owner, group or all (default: owner)"),
    TEXT("rpcpassword", OPT_SECRET, "<password>", "Password for -rpcuser"),
    PORT("rpcport", OPT_NET_ONLY,
	 "Answer on this port (default: 8332, test 18332, testnet4 48332, "
	 "signet 38332, regtest 18443)"),
    INT("rpcservertimeout", 0, INT32_MAX, OPT_DEBUG,
	"Seconds after which an idle connection is closed (default: 30)"),
    INT("rpcthreads", INT64_MIN, 256, 0,
	"Threads for commands that wait or compute (default: 4)"),
    TEXT("rpcuser", OPT_SECRET, "<user>", "User for -rpcpassword"),
    TEXT("rpcwhitelist", OPT_NEEDS, "<user>:<command>,...",
	 "Commands that this user may give; may be repeated"),
    BOOL("rpcwhitelistdefault", 0,
	 "Users without -rpcwhitelist may give none (default: 1 if any has "
	 "one)"),
    INT("rpcworkqueue", INT64_MIN, 100000, OPT_DEBUG,
	"Commands that may wait for a thread (default: 64)"),
    BOOL("rpcdoccheck", OPT_DEBUG,
	 "Compare answers with what help says of them (default: 0)"),

    GROUP("Log"),
    TEXT("debug", 0, "<category>",
	 "Log details of this category, or of all; may be repeated"),
    TEXT("debugexclude", 0, "<category>", "But not of this one"),
    TEXT("debuglogfile", 0, "<file>",
	 "The log, relative to the network's folder; -nodebuglogfile: none "
	 "(default: debug.log)"),
    TEXT("loglevel", OPT_NO_NEGATE | OPT_NEEDS | OPT_DEBUG, "<level>",
	 "How much the categories of -debug log: info, debug or trace "
	 "(default: debug)"),
    BOOL("logtimemicros", OPT_DEBUG, "Log microseconds (default: 0)"),
    BOOL("printtoconsole", 0,
	 "Also print the log (default: 1, but 0 with -daemon)"),

    GROUP("Testing"),
    INT("maxtipage", 0, INT64_MAX, OPT_DEBUG,
	"Seconds behind which a tip counts as old (default: 86400)"),
    INT("mocktime", 0, UINT32_MAX, OPT_DEBUG,
	"Start with this time instead of the system's (default: 0, off)"),
    BOOL("stopafterblockimport", OPT_DEBUG,
	 "Stop when -loadblock is done (default: 0)"),
    INT("stopatheight", 0, INT32_MAX, OPT_DEBUG,
	"Stop when the chain has this height (default: 0, off)"),
    TEXT("test", OPT_DEBUG | OPT_REGTEST | OPT_NEEDS, "<option>",
	 "Regtest: bip94: the rules of BIP 94 hold; may be repeated"),
    TEXT("testactivationheight", OPT_DEBUG | OPT_NOT_MAIN, "<name>@<height>",
	 "Not on main: bip34, cltv, dersig, csv or segwit holds from this "
	 "height on; may be repeated"),
    TEXT("testfailblock", OPT_HIDDEN | OPT_REGTEST | OPT_NEEDS, "<hash>",
	 "Regtest: scripts of this block fail"),
    TEXT("vbparams", OPT_DEBUG | OPT_NOT_MAIN,
	 "<deployment>:<start>:<end>[:<height>]",
	 "Not on main: testdummy may be signalled between these times and is "
	 "not active below this height"),

    GROUP("Accepted, without effect"),
    IDLE("addresstype", no_wallet),
    IDLE("avoidpartialspends", no_wallet),
    IDLE("changetype", no_wallet),
    IDLE("consolidatefeerate", no_wallet),
    IDLE("disablewallet", no_wallet),
    IDLE("discardfee", no_wallet),
    IDLE("fallbackfee", no_wallet),
    IDLE("keypool", no_wallet),
    IDLE("maxapsfee", no_wallet),
    IDLE("maxtxfee", no_wallet),
    IDLE("mintxfee", no_wallet),
    IDLE("paytxfee", no_wallet),
    IDLE("signer", no_wallet),
    IDLE("spendzeroconfchange", no_wallet),
    IDLE("txconfirmtarget", no_wallet),
    IDLE("unsafesqlitesync", no_wallet),
    IDLE_NET("wallet", no_wallet),
    IDLE("walletbroadcast", no_wallet),
    IDLE("walletcrosschain", no_wallet),
    IDLE_NET("walletdir", no_wallet),
    IDLE("walletnotify", no_wallet),
    IDLE("walletrbf", no_wallet),
    IDLE("walletrejectlongchains", no_wallet),
    IDLE("acceptstalefeeestimates", no_estimates),
    IDLE("blockreconstructionextratxn",
	 "blocks are put together from what is announced"),
    IDLE("checkmempool", own_checks),
    IDLE("inboundrelaypercent", no_share),
    IDLE("limitancestorcount", clusters),
    IDLE("limitancestorsize", clusters),
    IDLE("limitdescendantcount", clusters),
    IDLE("limitdescendantsize", clusters),
    IDLE("maxorphantx", "their number is bounded by their peers"),
    IDLE("mempoolfullrbf", "what pays more always replaces"),
    IDLE("printpriority", "priorities are not logged"),
    IDLE("logips", log_look),
    IDLE("loglevelalways", log_look),
    IDLE("logratelimit", log_look),
    IDLE("logsourcelocations", log_look),
    IDLE("logthreadnames", log_look),
    IDLE("logtimestamps", log_look),
    IDLE("shrinkdebugfile", "the log is rotated by the system"),
    IDLE("allowignoredconf", "only one configuration file is read"),
    IDLE("settings", "no settings are written at run time"),
    IDLE("bantime", "there are no manual bans yet"),
    IDLE("checkaddrman", own_checks),
    IDLE("checkblockindex", own_checks),
    IDLE("checkblocks", own_checks),
    IDLE("checklevel", own_checks),
    IDLE("checkpoints", "there are no checkpoints"),
    IDLE("blocksxor", "block files are written as they are"),
    IDLE("dbbatchsize", "batches are sized by the coins cache"),
    IDLE("forcecompactdb", "databases compact themselves"),
    IDLE("prevoutfetchthreads", "the threads of -par fetch coins"),
    IDLE("deprecatedrpc", "no command is deprecated"),
    IDLE("discover", "own addresses are not announced"),
    IDLE("fixedseeds", "there are no fixed seeds"),
    IDLE("i2pacceptincoming", "I2P is not reached"),
    IDLE("listenonion", "Tor is not controlled"),
    IDLE("natpmp", "ports are not mapped"),
    IDLE("upnp", "ports are not mapped"),
    IDLE("proxyrandomize", "there is no proxy"),
    IDLE("v2transport", "peers are spoken to by version 1 of the transport"),
    IDLE("choosedatadir", no_window),
    IDLE("lang", no_window),
    IDLE("min", no_window),
    IDLE("resetguisettings", no_window),
    IDLE("splash", no_window),
    IDLE("uiplatform", no_window),
    CLIENT("color"),
    CLIENT("named"),
    CLIENT("rpcclienttimeout"),
    CLIENT("rpcconnect"),
    CLIENT("rpcid"),
    CLIENT("rpcwait"),
    CLIENT("rpcwaittimeout"),
    CLIENT("rpcwallet"),

    GROUP("Not supported yet"),
    LATER_TEXT("alertnotify", ""),
    LATER_TEXT("asmap", "0"),
    LATER_TEXT("blocknotify", ""),
    LATER_TEXT("blockversion", NULL),
    LATER("capturemessages", "0"),
    LATER("cjdnsreachable", "0"),
    LATER("coinstatsindex", "0"),
    LATER_TEXT("dbcrashratio", "0"),
    LATER("dns", "1"),
    LATER_TEXT("externalip", NULL),
    LATER("fastprune", "0"),
    LATER_TEXT("i2psam", ""),
    LATER_TEXT("ipcbind", ""),
    LATER_TEXT("maxuploadtarget", "0"),
    LATER_TEXT("onion", "0"),
    LATER_TEXT("onlynet", NULL),
    LATER("peerbloomfilters", "0"),
    LATER("privatebroadcast", "0"),
    LATER_TEXT("proxy", "0"),
    LATER_TEXT("prune", "0"),
    LATER("rest", "0"),
    LATER_TEXT("shutdownnotify", ""),
    LATER_TEXT("startupnotify", ""),
    LATER_TEXT("torcontrol", NULL),
    LATER_TEXT("torpassword", NULL),
    LATER("txindex", "0"),
    LATER("txospenderindex", "0"),
    LATER("txreconciliation", "0"),
    LATER_TEXT("whitebind", NULL),
    LATER_TEXT("zmqpubhashblock", NULL),
    LATER_TEXT("zmqpubhashblockhwm", NULL),
    LATER_TEXT("zmqpubhashtx", NULL),
    LATER_TEXT("zmqpubhashtxhwm", NULL),
    LATER_TEXT("zmqpubrawblock", NULL),
    LATER_TEXT("zmqpubrawblockhwm", NULL),
    LATER_TEXT("zmqpubrawtx", NULL),
    LATER_TEXT("zmqpubrawtxhwm", NULL),
    LATER_TEXT("zmqpubsequence", NULL),
    LATER_TEXT("zmqpubsequencehwm", NULL),
    {.name = NULL},
};
