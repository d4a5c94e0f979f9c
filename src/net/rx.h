/*
 * The receive machine of one v1 connection: bytes in, complete messages out. It
 * knows no socket, so tests and benchmarks drive it with memory. One thread.
 *
 *   HEAD  the 24 bytes of a frame header are gathered
 *   BODY  a payload that did not come whole is collected in one buffer, which
 *         grows only with bytes that have arrived
 *   READY a collected message waits to be handed up
 *   SKIP  the payload behind a bad command passes by
 */
#ifndef CAIRN_NET_RX_H
#define CAIRN_NET_RX_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>
#include <cairn/wire/frame.h>

struct buf;

enum rx_state { RX_HEAD, RX_BODY, RX_READY, RX_SKIP };

/* Bytes that all connections together may set aside for what is incomplete. */
struct rx_budget {
	size_t used, max;
};

struct rx {
	enum rx_state state;
	uint8_t magic[4];
	uint8_t head[FRAME_HEADER];
	uint32_t have; /* bytes of head gathered */
	enum msg_type type;
	uint32_t len, sum; /* of the frame being received */
	uint32_t left;     /* SKIP: bytes still to pass */
	struct buf *body;  /* BODY, READY: what has been collected */
	struct buf *given; /* what the last message's body lies in */
	size_t charged;    /* bytes of body counted in the budget */
	bool overdraw;     /* this message may go beyond the budget */
	struct rx_budget *budget;
};

enum rx_rc {
	RX_MORE,    /* everything was taken, no message is complete */
	RX_MSG,     /* m is a message */
	RX_DROP,    /* m->size bytes were a message to be ignored */
	RX_HELD,    /* the next message is complete, but no block */
	RX_STARVED, /* the budget is spent: try again with the same bytes, later
		     * or with overdraw set */
	RX_BAD_MAGIC, /* the stream is lost */
	RX_TOO_LARGE, /* the stream is lost */
	RX_NOMEM,     /* the stream is lost */
};

struct rx_msg {
	enum msg_type type;
	struct slice body; /* in the bytes fed, or in buf */
	struct buf *buf;   /* borrowed until rx_done; always set for a block */
	uint32_t sum;
	bool sum_checked;
	uint32_t size;    /* of the frame, header included */
	const char *drop; /* RX_DROP: why; static */
};

/* budget is borrowed and may be shared. */
void rx_init(struct rx *r, const uint8_t magic[4], struct rx_budget *budget);
void rx_fini(struct rx *r);

/* Take bytes from the front of *in (which is advanced past them) up to the end
 * of the next message. A message that lies whole in *in is not copied, blocks
 * excepted: those always come in a buffer, with magic and length stamped into
 * the 8 bytes before the payload, and with their checksum not verified. With
 * blocks_only another message stays where it is (RX_HELD). The caller calls
 * rx_done after each RX_MSG. O(bytes taken). */
enum rx_rc rx_next(struct rx *r, struct rx_msg *m, struct slice *in,
		   bool blocks_only) must_check;
/* The last message was handled: its buffer is given up. */
void rx_done(struct rx *r);

/* Bytes are set aside for an incomplete message. */
static inline bool rx_is_collecting(const struct rx *r)
{
	return r->body != NULL;
}

#endif
