/*
 * The table of P2P messages and the search in it. Any thread. The table says
 * what a message may look like; what it does is decided in net and sync.
 */
#include <cairn/wire/command.h>

#include <cairn/base/must.h>

#define MAX_ANY 4000000u

/* Sorted by name, as the enum is: msg_type_find halves its way through. Core
 * reads what it needs of a payload and ignores the rest, so trailing bytes are
 * refused only in the three answers that Core never reads itself. */
#define ROW(t, name, id, early, trailing)                                      \
	[t] = {t, name, id, early, trailing, MAX_ANY}

static const struct msg_row rows[MSG_COUNT] = {
    ROW(MSG_UNKNOWN, "", 0, false, true),
    ROW(MSG_ADDR, "addr", 1, false, true),
    ROW(MSG_ADDRV2, "addrv2", 28, false, true),
    ROW(MSG_BLOCK, "block", 2, false, true),
    ROW(MSG_BLOCKTXN, "blocktxn", 3, false, true),
    ROW(MSG_CFCHECKPT, "cfcheckpt", 27, false, false),
    ROW(MSG_CFHEADERS, "cfheaders", 25, false, false),
    ROW(MSG_CFILTER, "cfilter", 23, false, false),
    ROW(MSG_CMPCTBLOCK, "cmpctblock", 4, false, true),
    ROW(MSG_FEEFILTER, "feefilter", 5, false, true),
    ROW(MSG_FILTERADD, "filteradd", 6, false, true),
    ROW(MSG_FILTERCLEAR, "filterclear", 7, false, true),
    ROW(MSG_FILTERLOAD, "filterload", 8, false, true),
    ROW(MSG_GETADDR, "getaddr", 0, false, true),
    ROW(MSG_GETBLOCKS, "getblocks", 9, false, true),
    ROW(MSG_GETBLOCKTXN, "getblocktxn", 10, false, true),
    ROW(MSG_GETCFCHECKPT, "getcfcheckpt", 26, false, true),
    ROW(MSG_GETCFHEADERS, "getcfheaders", 24, false, true),
    ROW(MSG_GETCFILTERS, "getcfilters", 22, false, true),
    ROW(MSG_GETDATA, "getdata", 11, false, true),
    ROW(MSG_GETHEADERS, "getheaders", 12, false, true),
    ROW(MSG_HEADERS, "headers", 13, false, true),
    ROW(MSG_INV, "inv", 14, false, true),
    ROW(MSG_MEMPOOL, "mempool", 15, false, true),
    ROW(MSG_MERKLEBLOCK, "merkleblock", 16, false, true),
    ROW(MSG_NOTFOUND, "notfound", 17, false, true),
    ROW(MSG_PING, "ping", 18, false, true),
    ROW(MSG_PONG, "pong", 19, false, true),
    ROW(MSG_SENDADDRV2, "sendaddrv2", 0, true, true),
    ROW(MSG_SENDCMPCT, "sendcmpct", 20, true, true),
    ROW(MSG_SENDHEADERS, "sendheaders", 0, true, true),
    ROW(MSG_SENDTXRCNCL, "sendtxrcncl", 0, true, true),
    ROW(MSG_TX, "tx", 21, false, true),
    ROW(MSG_VERACK, "verack", 0, true, true),
    ROW(MSG_VERSION, "version", 0, true, true),
    ROW(MSG_WTXIDRELAY, "wtxidrelay", 0, true, true),
};

const struct msg_row *msg_row(enum msg_type t)
{
	must(t < MSG_COUNT);
	return &rows[t];
}

/* Order of a padded name on the wire against a C string. */
static int name_cmp(const uint8_t *name, const char *s)
{
	uint8_t padded[MSG_NAME_LEN] = {0};

	memcpy(padded, s, strlen(s));
	return memcmp(name, padded, MSG_NAME_LEN);
}

enum msg_type msg_type_find(const uint8_t name[MSG_NAME_LEN])
{
	int lo = MSG_UNKNOWN + 1, hi = MSG_COUNT - 1;

	while (lo <= hi) {
		int mid = (lo + hi) / 2;
		int c = name_cmp(name, rows[mid].name);
		if (c == 0)
			return rows[mid].type;
		if (c < 0)
			hi = mid - 1;
		else
			lo = mid + 1;
	}
	return MSG_UNKNOWN;
}
