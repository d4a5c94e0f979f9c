/* RPC: peers and connections. All of it runs on the loop, whose they are. */
#include "rpc_util.h"

#include <cairn/base/text.h>
#include <cairn/wire/version.h>

#include <stdio.h>
#include <stdlib.h>

#define CLIENT_VERSION 310000 /* what clients compare; bitcoind's numbering */

static struct net *net_or_fail(struct rpc_call *c)
{
	struct net *n = rpc_node(c)->net;

	if (!n)
		rpc_end(
		    c, RPC_P2P_DISABLED,
		    "Error: Peer-to-peer functionality missing or disabled");
	return n;
}

static void per_msg_json(struct jw *w, const char *key, const uint64_t *bytes)
{
	uint64_t other = bytes[MSG_UNKNOWN];

	jw_key(w, key);
	jw_obj(w);
	for (int t = 1; t < MSG_COUNT; t++) {
		const struct msg_row *r = msg_row((enum msg_type)t);
		if (r->dir == MSG_DIR_NONE)
			other += bytes[t]; /* bitcoind knows it no more */
		else if (bytes[t])
			jw_ku64(w, r->name, bytes[t]);
	}
	if (other)
		jw_ku64(w, "*other*", other);
	jw_obj_end(w);
}

static void ping_json(struct jw *w, const struct peer_info *i)
{
	if (i->ping_us >= 0)
		jw_kf64(w, "pingtime", (double)i->ping_us / 1e6);
	if (i->min_ping_us >= 0)
		jw_kf64(w, "minping", (double)i->min_ping_us / 1e6);
	if (i->ping_wait_us > 0)
		jw_kf64(w, "pingwait", (double)i->ping_wait_us / 1e6);
}

static void peer_sync_json(struct jw *w, const struct sync_peer_info *s)
{
	jw_ki64(w, "presynced_headers", s->presynced_headers);
	jw_ki64(w, "synced_headers", s->synced_headers);
	jw_ki64(w, "synced_blocks", s->synced_blocks);
	jw_key(w, "inflight");
	jw_arr(w);
	for (size_t k = 0; k < s->n_inflight; k++)
		jw_i64(w, s->inflight[k]);
	jw_arr_end(w);
}

/* The part that the handshake and the socket know. */
static void peer_conn_json(struct jw *w, const struct peer_info *i,
			   const struct sync_peer_info *s)
{
	char services[17];

	jw_ki64(w, "id", (int64_t)i->id);
	jw_kstr(w, "addr", i->addr);
	if (i->addr_bind[0])
		jw_kstr(w, "addrbind", i->addr_bind);
	if (i->addr_local[0])
		jw_kstr(w, "addrlocal", i->addr_local);
	jw_kstr(w, "network", i->network);
	snprintf(services, sizeof services, "%016llx",
		 (unsigned long long)i->services);
	jw_kstr(w, "services", services);
	services_json(w, "servicesnames", i->services);
	jw_kbool(w, "relaytxes", i->relay_txs);
	jw_ku64(w, "last_inv_sequence", s->last_inv_sequence);
	jw_ku64(w, "inv_to_send", s->inv_to_send);
	jw_ki64(w, "lastsend", i->last_send_s);
	jw_ki64(w, "lastrecv", i->last_recv_s);
	jw_ki64(w, "last_transaction", s->last_tx_s);
	jw_ki64(w, "last_block", i->last_block_s);
	jw_ku64(w, "bytessent", i->bytes_sent);
	jw_ku64(w, "bytesrecv", i->bytes_recv);
	jw_ki64(w, "conntime", i->conn_time_s);
	jw_ki64(w, "timeoffset", i->time_offset_s);
	ping_json(w, i);
	jw_ki64(w, "version", i->version);
	jw_kstr(w, "subver", i->subver ? i->subver : "");
	jw_kbool(w, "inbound", i->inbound);
	jw_kbool(w, "bip152_hb_to", s->high_bandwidth);
	jw_kbool(w, "bip152_hb_from", i->cmpct_hb_from);
	jw_ki64(w, "startingheight", i->start_height);
}

static void perms_json(struct jw *w, uint32_t perms)
{
	static const struct {
		uint32_t perm;
		const char *name;
	} names[] = {
	    {PERM_BLOOM, "bloomfilter"},
	    {PERM_NOBAN, "noban"},
	    {PERM_FORCE_RELAY, "forcerelay"},
	    {PERM_RELAY, "relay"},
	    {PERM_MEMPOOL, "mempool"},
	    {PERM_DOWNLOAD, "download"},
	    {PERM_ADDR, "addr"},
	};

	jw_key(w, "permissions");
	jw_arr(w);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (perms & names[i].perm)
			jw_str(w, names[i].name);
	jw_arr_end(w);
}

static void peer_json(struct jw *w, struct node *n, struct peer *p)
{
	struct sync_peer_info s;
	struct peer_info i;

	peer_get_info(p, &i);
	sync_peer_info(n->sync, p, &s);
	jw_obj(w);
	peer_conn_json(w, &i, &s);
	peer_sync_json(w, &s);
	jw_kbool(w, "addr_relay_enabled", i.addr_relay);
	jw_ku64(w, "addr_processed", i.addr_processed);
	jw_ku64(w, "addr_rate_limited", i.addr_rate_limited);
	perms_json(w, peer_perms(p));
	jw_kamount(w, "minfeefilter", i.fee_filter_sat);
	per_msg_json(w, "bytessent_per_msg", i.sent_per_msg);
	per_msg_json(w, "bytesrecv_per_msg", i.recv_per_msg);
	jw_kstr(w, "connection_type", peer_conn_name(i.conn));
	jw_kstr(w, "transport_protocol_type", i.transport);
	jw_kstr(w, "session_id", "");
	jw_obj_end(w);
}

static void cmd_getpeerinfo(struct rpc_call *c)
{
	struct net *net = net_or_fail(c);
	struct jw *w;

	if (!net)
		return;
	w = rpc_out(c);
	jw_arr(w);
	for (struct peer *p = net_next(net, NULL); p; p = net_next(net, p))
		if (peer_get_state(p) != PEER_CLOSING)
			peer_json(w, rpc_node(c), p);
	jw_arr_end(w);
	rpc_done(c);
}

static void networks_json(struct jw *w)
{
	static const struct {
		const char *name;
		bool built;
	} nets[] = {{"ipv4", true},
		    {"ipv6", true},
		    {"onion", false},
		    {"i2p", false},
		    {"cjdns", false}};

	jw_key(w, "networks");
	jw_arr(w);
	for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
		jw_obj(w);
		jw_kstr(w, "name", nets[i].name);
		jw_kbool(w, "limited", !nets[i].built);
		jw_kbool(w, "reachable", nets[i].built);
		jw_kstr(w, "proxy", "");
		jw_kbool(w, "proxy_randomize_credentials", false);
		jw_obj_end(w);
	}
	jw_arr_end(w);
}

static void bucket_json(struct jw *w, const char *key,
			const struct sync_pace *p)
{
	jw_key(w, key);
	jw_obj(w);
	jw_ku64(w, "backlog", p->backlog);
	jw_kf64(w, "count_tok", p->count);
	jw_kf64(w, "size_tok", p->bytes);
	jw_obj_end(w);
}

static void pace_json(struct jw *w, const struct node *n)
{
	struct sync_pace in, out;

	sync_pace(n->sync, &in, &out);
	jw_ku64(w, "tx_send_rate", node_send_rate(&n->conf));
	jw_key(w, "inv_buckets");
	jw_obj(w);
	bucket_json(w, "inbound", &in);
	bucket_json(w, "outbound", &out);
	jw_obj_end(w);
}

static void cmd_getnetworkinfo(struct rpc_call *c)
{
	struct node *n = rpc_node(c);
	struct jw *w = rpc_out(c);
	uint64_t sv = sync_services(n->sync);
	char services[17];

	snprintf(services, sizeof services, "%016llx", (unsigned long long)sv);
	jw_obj(w);
	jw_ki64(w, "version", CLIENT_VERSION);
	jw_kstr(w, "subversion", n->user_agent);
	jw_ki64(w, "protocolversion", PROTOCOL_VERSION);
	jw_kstr(w, "localservices", services);
	services_json(w, "localservicesnames", sv);
	jw_kbool(w, "localrelay", !conf_bool(&n->conf, "blocksonly", false));
	jw_ki64(w, "timeoffset", 0);
	pace_json(w, n);
	jw_kbool(w, "networkactive", n->net && net_is_active(n->net));
	jw_ku64(w, "connections", n->net ? net_count(n->net, true, true) : 0);
	jw_ku64(w, "connections_in",
		n->net ? net_count(n->net, true, false) : 0);
	jw_ku64(w, "connections_out",
		n->net ? net_count(n->net, false, true) : 0);
	networks_json(w);
	jw_kamount(w, "relayfee", n->pool.policy.min_relay_rate);
	jw_kamount(w, "incrementalfee", n->pool.policy.incremental_rate);
	jw_key(w, "localaddresses");
	jw_arr(w);
	jw_arr_end(w);
	warnings_json(w, n);
	jw_obj_end(w);
	rpc_done(c);
}

static void cmd_getconnectioncount(struct rpc_call *c)
{
	struct net *net = net_or_fail(c);

	if (!net)
		return;
	jw_u64(rpc_out(c), net_count(net, true, true));
	rpc_done(c);
}

static void cmd_getnettotals(struct rpc_call *c)
{
	struct net *net = net_or_fail(c);
	struct jw *w;

	if (!net)
		return;
	w = rpc_out(c);
	jw_obj(w);
	jw_ku64(w, "totalbytesrecv", net_bytes_recv(net));
	jw_ku64(w, "totalbytessent", net_bytes_sent(net));
	jw_ki64(w, "timemillis", clock_now_us(&rpc_node(c)->clock) / 1000);
	jw_key(w, "uploadtarget");
	jw_obj(w);
	jw_ki64(w, "timeframe", 86400);
	jw_ki64(w, "target", 0);
	jw_kbool(w, "target_reached", false);
	jw_kbool(w, "serve_historical_blocks", true);
	jw_ki64(w, "bytes_left_in_cycle", 0);
	jw_ki64(w, "time_left_in_cycle", 0);
	jw_obj_end(w);
	jw_obj_end(w);
	rpc_done(c);
}

static void cmd_addnode(struct rpc_call *c)
{
	struct net *net = net_or_fail(c);
	const char *node = param_str(c, 0), *what = param_str(c, 1);

	if (!net)
		return;
	if (strcmp(what, "onetry") == 0) {
		net_dial(net, node, CONN_MANUAL);
	} else if (strcmp(what, "add") == 0) {
		if (net_addnode(net, node) != 0) {
			rpc_end(c, RPC_NODE_ADDED, "Error: Node already added");
			return;
		}
	} else if (strcmp(what, "remove") == 0) {
		if (net_removenode(net, node) != 0) {
			rpc_end(c, RPC_NODE_NOT_ADDED,
				"Error: Node could not be removed. It has not "
				"been added previously.");
			return;
		}
	} else {
		rpc_end(c, RPC_MISC,
			"addnode \"node\" \"command\": command must be add, "
			"remove or onetry");
		return;
	}
	jw_null(rpc_out(c));
	rpc_done(c);
}

static void cmd_getaddednodeinfo(struct rpc_call *c)
{
	struct net *net = net_or_fail(c);
	const char *only = param_str(c, 0), *text;
	struct peer *p;
	struct peer_info i;
	struct jw *w;
	size_t found = 0;

	if (!net)
		return;
	w = rpc_out(c);
	jw_arr(w);
	for (size_t k = 0; (text = net_added_at(net, k, &p)); k++) {
		if (only && strcmp(only, text) != 0)
			continue;
		found++;
		jw_obj(w);
		jw_kstr(w, "addednode", text);
		jw_kbool(w, "connected", p != NULL);
		jw_key(w, "addresses");
		jw_arr(w);
		if (p) {
			peer_get_info(p, &i);
			jw_obj(w);
			jw_kstr(w, "address", i.addr);
			jw_kstr(w, "connected",
				i.inbound ? "inbound" : "outbound");
			jw_obj_end(w);
		}
		jw_arr_end(w);
		jw_obj_end(w);
	}
	jw_arr_end(w);
	if (only && !found)
		rpc_fail(c, RPC_NODE_NOT_ADDED,
			 "Error: Node has not been added.");
	rpc_done(c);
}

static struct peer *peer_by_addr(struct net *net, const char *addr)
{
	struct peer_info i;

	for (struct peer *p = net_next(net, NULL); p; p = net_next(net, p)) {
		peer_get_info(p, &i);
		if (strcmp(i.addr, addr) == 0 && i.state != PEER_CLOSING)
			return p;
	}
	return NULL;
}

static void cmd_disconnectnode(struct rpc_call *c)
{
	struct net *net = net_or_fail(c);
	const char *addr = param_str(c, 0);
	const struct json *id = rpc_param(c, 1);
	struct peer *p = NULL;
	int64_t v;

	if (!net)
		return;
	if (addr && addr[0] == '\0')
		addr = NULL;
	if ((addr != NULL) == (id != NULL)) {
		rpc_end(c, RPC_BAD_PARAMS,
			"Only one of address and nodeid should be provided.");
		return;
	}
	if (addr)
		p = peer_by_addr(net, addr);
	else if (json_i64(&v, id) && v >= 0)
		p = net_peer(net, (uint64_t)v);
	if (!p || peer_get_state(p) == PEER_CLOSING) {
		rpc_end(c, RPC_NODE_NOT_CONNECTED,
			"Node not found in connected nodes");
		return;
	}
	peer_disconnect(p, "disconnectnode");
	jw_null(rpc_out(c));
	rpc_done(c);
}

static void cmd_ping(struct rpc_call *c)
{
	struct net *net = net_or_fail(c);

	if (!net)
		return;
	net_ping_all(net);
	jw_null(rpc_out(c));
	rpc_done(c);
}

static void cmd_setnetworkactive(struct rpc_call *c)
{
	struct net *net = net_or_fail(c);

	if (!net)
		return;
	net_set_active(net, param_bool(c, 0, true));
	jw_bool(rpc_out(c), net_is_active(net));
	rpc_done(c);
}

static void cmd_getblockfrompeer(struct rpc_call *c)
{
	struct node *n = rpc_node(c);
	struct hnode *h = param_block(c, 0);
	int64_t id;

	if (!h || !param_i64(c, 1, &id, 0, 0, INT64_MAX))
		return;
	if (hnode_status(h) & HN_DATA) {
		rpc_end(c, RPC_MISC, "Block already downloaded");
		return;
	}
	if (!n->net || !net_peer(n->net, (uint64_t)id)) {
		rpc_end(c, RPC_MISC, "Peer does not exist");
		return;
	}
	if (!sync_fetch_block(n->sync, (uint64_t)id, h)) {
		rpc_end(c, RPC_MISC, "Already requested from this peer");
		return;
	}
	jw_obj(rpc_out(c));
	jw_obj_end(rpc_out(c));
	rpc_done(c);
}

/* Test-only on regtest: an outbound connection of a chosen kind. */
static void cmd_addconnection(struct rpc_call *c)
{
	struct node *n = rpc_node(c);
	struct net *net = net_or_fail(c);
	static const enum peer_conn kinds[] = {CONN_OUTBOUND, CONN_BLOCK_ONLY,
					       CONN_ADDR_FETCH, CONN_FEELER};
	const char *kind = param_str(c, 1);
	struct jw *w;

	if (!net)
		return;
	if (n->params.id != CHAIN_REGTEST) {
		rpc_end(
		    c, RPC_MISC,
		    "addconnection is for regression testing (-regtest mode) "
		    "only.");
		return;
	}
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (strcmp(kind, peer_conn_name(kinds[i])) != 0)
			continue;
		net_dial(net, param_str(c, 0), kinds[i]);
		w = rpc_out(c);
		jw_obj(w);
		jw_kstr(w, "address", param_str(c, 0));
		jw_kstr(w, "connection_type", kind);
		jw_obj_end(w);
		rpc_done(c);
		return;
	}
	rpc_end(c, RPC_BAD_PARAM, "unknown connection type %s", kind);
}

static const struct rpc_arg args_addnode[] = {
    {"node", "s", true, "Address or name, with an optional :port."},
    {"command", "s", true, "add, remove or onetry."},
    {"v2transport", "b", false, "Not used: connections are v1."},
    {0}};
static const struct rpc_arg args_added[] = {
    {"node", "s", false, "Only this one."}, {0}};
static const struct rpc_arg args_disconnect[] = {
    {"address", "s", false, "Address and port as getpeerinfo shows them."},
    {"nodeid", "n", false, "The peer's id."},
    {0}};
static const struct rpc_arg args_active[] = {
    {"state", "b", true, "true to connect, false to leave all peers."}, {0}};
static const struct rpc_arg args_fetch[] = {
    {"blockhash", "s", true, "Hash of a block whose header is known."},
    {"peer_id", "n", true, "The peer to ask."},
    {0}};
static const struct rpc_arg args_connection[] = {
    {"address", "s", true, "Address and port."},
    {"connection_type", "s", true, "As getpeerinfo names it."},
    {"v2transport", "b", false, "Not used: connections are v1."},
    {0}};

#define CAT "network"

const struct rpc_cmd rpc_network_cmds[] = {
    {"addconnection", CAT, RPC_LOOP, cmd_addconnection, args_connection,
     "Dial one connection of a kind; for tests on regtest.",
     "{ address, connection_type }", false, true},
    {"addnode", CAT, RPC_LOOP, cmd_addnode, args_addnode,
     "Keep a connection to a node, stop doing so, or try it once.", "null",
     false, false},
    {"disconnectnode", CAT, RPC_LOOP, cmd_disconnectnode, args_disconnect,
     "Close the connection to a peer, by address or by id.", "null", false,
     false},
    {"getaddednodeinfo", CAT, RPC_LOOP, cmd_getaddednodeinfo, args_added,
     "The nodes that addnode keeps connected.",
     "[ { addednode, connected, addresses } ]", false, false},
    {"getblockfrompeer", "blockchain", RPC_LOOP, cmd_getblockfrompeer,
     args_fetch, "Ask a peer for one block.", "{}", false, false},
    {"getconnectioncount", CAT, RPC_LOOP, cmd_getconnectioncount, NULL,
     "Number of connections, both ways.", "n", false, false},
    {"getnettotals", CAT, RPC_LOOP, cmd_getnettotals, NULL,
     "Bytes received and sent since start.",
     "{ totalbytesrecv, totalbytessent, timemillis, uploadtarget }", false,
     false},
    {"getnetworkinfo", CAT, RPC_LOOP, cmd_getnetworkinfo, NULL,
     "State of the peer-to-peer side.",
     "{ version, subversion, protocolversion, localservices, "
     "localservicesnames, localrelay, timeoffset, tx_send_rate, inv_buckets, "
     "networkactive, "
     "connections, "
     "connections_in, connections_out, networks, relayfee, incrementalfee, "
     "localaddresses, warnings }",
     false, false},
    {"getpeerinfo", CAT, RPC_LOOP, cmd_getpeerinfo, NULL,
     "What is known of each connected peer.", "[ { id, addr, ... } ]", false,
     false},
    {"ping", CAT, RPC_LOOP, cmd_ping, NULL,
     "Send a ping to every peer; the times appear in getpeerinfo.", "null",
     false, false},
    {"setnetworkactive", CAT, RPC_LOOP, cmd_setnetworkactive, args_active,
     "Switch all peer-to-peer traffic on or off.", "true or false", false,
     false},
    {0}};
