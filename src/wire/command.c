/*
 * The table of P2P messages and the search in it. Any thread. The table says
 * what a message may look like; what it does is decided in net and sync.
 */
#include <cairn/wire/command.h>

#include "validate.h"

#include <cairn/base/must.h>
#include <cairn/wire/frame.h>

#define ANY FRAME_MAX_PAYLOAD

/* Sorted by name, as the enum is: msg_type_find halves its way through. Core
 * reads what it needs of a payload and ignores the rest, so trailing bytes are
 * refused only in feature and in the three answers that Core never reads
 * itself. */
#define ROW(t, name, id, early, trailing, dir, max, form)                      \
	[t] = {t, name, id, early, trailing, MSG_DIR_##dir, max, form##_valid}

static const struct msg_row rows[MSG_COUNT] = {
    ROW(MSG_UNKNOWN, "", 0, false, true, BOTH, ANY, any),
    ROW(MSG_ADDR, "addr", 1, false, true, BOTH, 3 + 1000 * 30, addr),
    ROW(MSG_ADDRV2, "addrv2", 28, false, true, BOTH, 3 + 1000 * 531, addrv2),
    ROW(MSG_ALERT, "alert", 0, false, true, NONE, ANY, alert),
    ROW(MSG_BLOCK, "block", 2, false, true, BOTH, ANY, block),
    ROW(MSG_BLOCKTXN, "blocktxn", 3, false, true, BOTH, ANY, blocktxn),
    ROW(MSG_CFCHECKPT, "cfcheckpt", 27, false, false, TO_CLIENT, ANY,
	cfcheckpt),
    ROW(MSG_CFHEADERS, "cfheaders", 25, false, false, TO_CLIENT,
	65 + 3 + 2000 * 32, cfheaders),
    ROW(MSG_CFILTER, "cfilter", 23, false, false, TO_CLIENT, ANY, cfilter),
    ROW(MSG_CMPCTBLOCK, "cmpctblock", 4, false, true, BOTH, ANY, cmpctblock),
    ROW(MSG_FEATURE, "feature", 37, true, false, BOTH, 1 + 80 + 3 + 512,
	feature),
    ROW(MSG_FEEFILTER, "feefilter", 5, false, true, BOTH, 8, feefilter),
    ROW(MSG_FILTERADD, "filteradd", 6, false, true, TO_SERVER, 3 + 520,
	filteradd),
    ROW(MSG_FILTERCLEAR, "filterclear", 7, false, true, TO_SERVER, 0, any),
    ROW(MSG_FILTERLOAD, "filterload", 8, false, true, TO_SERVER, 3 + 36000 + 9,
	filterload),
    ROW(MSG_GETADDR, "getaddr", 0, false, true, BOTH, 0, any),
    ROW(MSG_GETBLOCKS, "getblocks", 9, false, true, BOTH, 4 + 1 + 101 * 32 + 32,
	locator),
    ROW(MSG_GETBLOCKTXN, "getblocktxn", 10, false, true, BOTH, 32 + 5 + 65536,
	getblocktxn),
    ROW(MSG_GETCFCHECKPT, "getcfcheckpt", 26, false, true, TO_SERVER, 33,
	getcfcheckpt),
    ROW(MSG_GETCFHEADERS, "getcfheaders", 24, false, true, TO_SERVER, 37,
	getcf),
    ROW(MSG_GETCFILTERS, "getcfilters", 22, false, true, TO_SERVER, 37, getcf),
    ROW(MSG_GETDATA, "getdata", 11, false, true, BOTH, 3 + 50000 * 36, inv),
    ROW(MSG_GETHEADERS, "getheaders", 12, false, true, BOTH,
	4 + 1 + 101 * 32 + 32, locator),
    ROW(MSG_HEADERS, "headers", 13, false, true, BOTH, 3 + 2000 * 81, headers),
    ROW(MSG_INV, "inv", 14, false, true, BOTH, 3 + 50000 * 36, inv),
    ROW(MSG_MEMPOOL, "mempool", 15, false, true, TO_SERVER, 0, any),
    ROW(MSG_MERKLEBLOCK, "merkleblock", 16, false, true, TO_CLIENT,
	80 + 4 + 3 + 16666 * 32 + 3 + 4168, merkleblock),
    ROW(MSG_NOTFOUND, "notfound", 17, false, true, BOTH, 3 + 50000 * 36, inv),
    ROW(MSG_PING, "ping", 18, false, true, BOTH, 8, nonce),
    ROW(MSG_PONG, "pong", 19, false, true, BOTH, 8, nonce),
    ROW(MSG_REJECT, "reject", 0, false, true, NONE, 1 + 12 + 1 + 1 + 111 + 32,
	reject),
    ROW(MSG_SENDADDRV2, "sendaddrv2", 0, true, true, BOTH, 0, any),
    ROW(MSG_SENDCMPCT, "sendcmpct", 20, true, true, BOTH, 9, sendcmpct),
    ROW(MSG_SENDHEADERS, "sendheaders", 0, true, true, BOTH, 0, any),
    ROW(MSG_SENDTXRCNCL, "sendtxrcncl", 0, true, true, BOTH, 12, sendtxrcncl),
    ROW(MSG_TX, "tx", 21, false, true, BOTH, ANY, tx),
    ROW(MSG_VERACK, "verack", 0, true, true, BOTH, 0, any),
    ROW(MSG_VERSION, "version", 0, true, true, BOTH, 85 + 3 + 256, version),
    ROW(MSG_WTXIDRELAY, "wtxidrelay", 0, true, true, BOTH, 0, any),
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
