/*
 * The table of P2P messages: one row per command. Outcomes for bad input are
 * Bitcoin Core's.
 */
#ifndef CAIRN_WIRE_COMMAND_H
#define CAIRN_WIRE_COMMAND_H

#include <cairn/base/bytes.h>

/* Kept sorted as the table; MSG_UNKNOWN passes as a raw frame. */
enum msg_type {
	MSG_UNKNOWN,
	MSG_ADDR,
	MSG_ADDRV2,
	MSG_ALERT,
	MSG_BLOCK,
	MSG_BLOCKTXN,
	MSG_CFCHECKPT,
	MSG_CFHEADERS,
	MSG_CFILTER,
	MSG_CMPCTBLOCK,
	MSG_FEATURE,
	MSG_FEEFILTER,
	MSG_FILTERADD,
	MSG_FILTERCLEAR,
	MSG_FILTERLOAD,
	MSG_GETADDR,
	MSG_GETBLOCKS,
	MSG_GETBLOCKTXN,
	MSG_GETCFCHECKPT,
	MSG_GETCFHEADERS,
	MSG_GETCFILTERS,
	MSG_GETDATA,
	MSG_GETHEADERS,
	MSG_HEADERS,
	MSG_INV,
	MSG_MEMPOOL,
	MSG_MERKLEBLOCK,
	MSG_NOTFOUND,
	MSG_PING,
	MSG_PONG,
	MSG_REJECT,
	MSG_SENDADDRV2,
	MSG_SENDCMPCT,
	MSG_SENDHEADERS,
	MSG_SENDTXRCNCL,
	MSG_TX,
	MSG_VERACK,
	MSG_VERSION,
	MSG_WTXIDRELAY,
	MSG_COUNT
};

#define MSG_NAME_LEN 12

/* Who sends it to whom. A server is a node that offers what a service bit
 * stands for (NODE_BLOOM, NODE_COMPACT_FILTERS), a client who asks for it. */
enum msg_dir {
	MSG_DIR_NONE, /* nobody sends it any more */
	MSG_DIR_BOTH,
	MSG_DIR_TO_SERVER,
	MSG_DIR_TO_CLIENT,
};

/* Whether body is well formed as sent by a peer whose protocol version is
 * version: what the message's own parse function says, with every element
 * visited. Limits that Core judges after parsing are not looked at. */
typedef bool (*msg_parse_fn)(struct slice body, uint32_t version);

struct msg_row {
	enum msg_type type;
	const char *name;
	uint8_t short_id;   /* BIP 324; 0 none */
	bool before_verack; /* handled before the handshake is complete */
	bool trailing_ok;   /* Core ignores bytes behind the payload */
	enum msg_dir dir;
	uint32_t max_payload; /* no honest sender needs more; whatever Core
			       * reads, up to 4,000,000, is still read */
	msg_parse_fn parse;
};

/* The row of a type (MSG_UNKNOWN too). Static storage. */
const struct msg_row *msg_row(enum msg_type t);
/* The type whose 12-byte, NUL-padded name stands at name. */
enum msg_type msg_type_find(const uint8_t name[MSG_NAME_LEN]);

#endif
