/*
 * The fields of every message as tables. Any thread. Nothing here is used to
 * read messages in the node; it must agree with the parse functions, and the
 * tests compare them.
 */
#include "layout.h"

#include <cairn/wire/addr.h>
#include <cairn/wire/cmpctblock.h>
#include <cairn/wire/feature.h>
#include <cairn/wire/obsolete.h>
#include <cairn/wire/version.h>

/* clang-format off */
#define FIXED(name, n)		   {name, F_FIXED, 0, n, NULL}
#define BYTES(name, least, most)   {name, F_BYTES, least, most, NULL}
#define VEC(name, each, most, sub) {name, F_VEC, each, most, sub}
#define OPT			   {"", F_OPT, 0, 0, NULL}
#define END			   {"", F_END, 0, 0, NULL}
#define STOP			   {"", F_STOP, 0, 0, NULL}

static const struct field empty[] = {STOP};

static const struct field hash[] = {FIXED("", 32), STOP};

static const struct field tx[] = {{"", F_TX, 0, 0, NULL}, STOP};

static const struct field addr_entry[] = {
	FIXED("time", 4), FIXED("services", 8), FIXED("address", 16),
	FIXED("port", 2), STOP,
};
static const struct field addr_old_entry[] = {
	FIXED("services", 8), FIXED("address", 16), FIXED("port", 2), STOP,
};
static const struct field addrv2_entry[] = {
	FIXED("time", 4), {"services", F_COMPACT, 0, 0, NULL},
	{"address", F_V2ADDR, 0, 512, NULL}, FIXED("port", 2), STOP,
};
static const struct field inv_entry[] = {
	FIXED("type", 4), FIXED("hash", 32), STOP,
};
static const struct field headers_entry[] = {
	FIXED("header", 80), {"txcount", F_SIZE, 0, NO_MAX, NULL}, STOP,
};
static const struct field prefilled_entry[] = {
	{"index", F_SIZE, 0, 0xffff, NULL}, {"tx", F_TX, 0, 0, NULL}, STOP,
};
static const struct field short_id[] = {FIXED("", 6), STOP};
static const struct field rising[] = {
	{"", F_RISING, 0, 0xffff, NULL}, STOP,
};

static const struct field addr[] = {
	VEC("addresses", 30, NO_MAX, addr_entry), STOP,
};
static const struct field addr_old[] = {
	VEC("addresses", 26, NO_MAX, addr_old_entry), STOP,
};
static const struct field addrv2[] = {
	VEC("addresses", 9, NO_MAX, addrv2_entry), STOP,
};
static const struct field alert[] = {
	BYTES("payload", 0, NO_MAX), BYTES("signature", 0, NO_MAX), STOP,
};
static const struct field block[] = {
	FIXED("header", 80), VEC("txs", 10, NO_MAX, tx), STOP,
};
static const struct field blocktxn[] = {
	FIXED("blockhash", 32), VEC("txs", 10, NO_MAX, tx), STOP,
};
static const struct field cfcheckpt[] = {
	FIXED("filtertype", 1), FIXED("stophash", 32),
	VEC("headers", 32, NO_MAX, hash), END, STOP,
};
static const struct field cfheaders[] = {
	FIXED("filtertype", 1), FIXED("stophash", 32), FIXED("prevheader", 32),
	VEC("hashes", 32, NO_MAX, hash), END, STOP,
};
static const struct field cfilter[] = {
	FIXED("filtertype", 1), FIXED("blockhash", 32),
	BYTES("filter", 0, NO_MAX), END, STOP,
};
static const struct field cmpctblock[] = {
	FIXED("header", 80), FIXED("nonce", 8),
	VEC("shortids", 6, NO_MAX, short_id),
	{"prefilled", F_VEC_SUM, 11, CMPCT_TX_MAX, prefilled_entry}, STOP,
};
static const struct field feature[] = {
	BYTES("id", FEATURE_ID_MIN, FEATURE_ID_MAX),
	BYTES("data", 0, FEATURE_DATA_MAX), END, STOP,
};
static const struct field feefilter[] = {FIXED("feerate", 8), STOP};
static const struct field filteradd[] = {BYTES("element", 0, NO_MAX), STOP};
static const struct field filterload[] = {
	BYTES("filter", 0, NO_MAX), FIXED("hashfuncs", 4), FIXED("tweak", 4),
	FIXED("flags", 1), STOP,
};
static const struct field getblocktxn[] = {
	FIXED("blockhash", 32), VEC("indexes", 1, NO_MAX, rising), STOP,
};
static const struct field getcf[] = {
	FIXED("filtertype", 1), FIXED("startheight", 4),
	FIXED("stophash", 32), STOP,
};
static const struct field getcfcheckpt[] = {
	FIXED("filtertype", 1), FIXED("stophash", 32), STOP,
};
static const struct field header[] = {FIXED("header", 80), END, STOP};
static const struct field headers[] = {
	VEC("headers", 81, HEADERS_MAX, headers_entry), STOP,
};
static const struct field inv[] = {
	VEC("items", 36, NO_MAX, inv_entry), STOP,
};
static const struct field locator[] = {
	FIXED("version", 4), VEC("locator", 32, NO_MAX, hash),
	FIXED("stophash", 32), STOP,
};
static const struct field merkleblock[] = {
	FIXED("header", 80), FIXED("total", 4), VEC("hashes", 32, NO_MAX, hash),
	BYTES("flags", 0, NO_MAX), STOP,
};
static const struct field nonce[] = {FIXED("nonce", 8), STOP};
static const struct field reject[] = {
	BYTES("message", 0, REJECT_MESSAGE_MAX), FIXED("code", 1),
	BYTES("reason", 0, REJECT_REASON_MAX),
	{"data", F_REST, 0, 0, NULL}, STOP,
};
static const struct field sendcmpct[] = {
	FIXED("announce", 1), FIXED("version", 8), STOP,
};
static const struct field sendtxrcncl[] = {
	FIXED("version", 4), FIXED("salt", 8), STOP,
};
static const struct field version[] = {
	FIXED("version", 4), FIXED("services", 8), FIXED("time", 8),
	FIXED("addr_recv", 26), OPT, FIXED("addr_from", 26),
	FIXED("nonce", 8), OPT, BYTES("subver", 0, USER_AGENT_MAX), OPT,
	FIXED("startheight", 4), OPT, FIXED("relay", 1), STOP,
};
/* clang-format on */

static const struct field *const layouts[MSG_COUNT] = {
    [MSG_UNKNOWN] = empty,
    [MSG_ADDR] = addr,
    [MSG_ADDRV2] = addrv2,
    [MSG_ALERT] = alert,
    [MSG_BLOCK] = block,
    [MSG_BLOCKTXN] = blocktxn,
    [MSG_CFCHECKPT] = cfcheckpt,
    [MSG_CFHEADERS] = cfheaders,
    [MSG_CFILTER] = cfilter,
    [MSG_CMPCTBLOCK] = cmpctblock,
    [MSG_FEATURE] = feature,
    [MSG_FEEFILTER] = feefilter,
    [MSG_FILTERADD] = filteradd,
    [MSG_FILTERCLEAR] = empty,
    [MSG_FILTERLOAD] = filterload,
    [MSG_GETADDR] = empty,
    [MSG_GETBLOCKS] = locator,
    [MSG_GETBLOCKTXN] = getblocktxn,
    [MSG_GETCFCHECKPT] = getcfcheckpt,
    [MSG_GETCFHEADERS] = getcf,
    [MSG_GETCFILTERS] = getcf,
    [MSG_GETDATA] = inv,
    [MSG_GETHEADERS] = locator,
    [MSG_HEADERS] = headers,
    [MSG_INV] = inv,
    [MSG_MEMPOOL] = empty,
    [MSG_MERKLEBLOCK] = merkleblock,
    [MSG_NOTFOUND] = inv,
    [MSG_PING] = nonce,
    [MSG_PONG] = nonce,
    [MSG_REJECT] = reject,
    [MSG_SENDADDRV2] = empty,
    [MSG_SENDCMPCT] = sendcmpct,
    [MSG_SENDHEADERS] = empty,
    [MSG_SENDTXRCNCL] = sendtxrcncl,
    [MSG_TX] = tx,
    [MSG_VERACK] = empty,
    [MSG_VERSION] = version,
    [MSG_WTXIDRELAY] = empty,
};

const struct field *layout_of(enum msg_type t, uint32_t proto)
{
	if (t == MSG_ADDR && proto < ADDR_TIME_VERSION)
		return addr_old;
	if ((t == MSG_PING || t == MSG_PONG) && proto <= BIP31_VERSION)
		return empty;
	return layouts[t];
}

const struct field *layout_header(void)
{
	return header;
}
