/*
 * The send queue of one connection: a ring of references to encoded messages,
 * written several at a time. Knows no socket. One thread.
 */
#ifndef CAIRN_NET_SENDQ_H
#define CAIRN_NET_SENDQ_H

#include <cairn/base/attr.h>
#include <cairn/wire/command.h>
#include <uv.h>

struct buf;

struct sendq_item {
	enum msg_type type;
	struct buf
	    *head; /* 24 bytes in its headroom; NULL: in body's headroom */
	struct buf *body;
};

struct sendq {
	struct sendq_item *ring;
	size_t cap, first, n; /* cap is a power of two */
	size_t bytes;         /* queued and not done, headers included */
	size_t high, low;
	bool full; /* went above high and not yet below low */
};

/* At high bytes the queue counts as full, until it is below half of that. */
void sendq_init(struct sendq *q, size_t high);
void sendq_fini(struct sendq *q);

/* Queue a message; takes both references. head may be NULL: then the frame
 * header stands in body's headroom. */
void sendq_push(struct sendq *q, enum msg_type t, struct buf *take_head,
		struct buf *take_body);

/* Fill up to max pieces of the messages at the front, at most about max_bytes
 * of them (always one message). Returns the number of pieces; *items receives
 * how many messages they are. The pieces stay valid until sendq_done. */
size_t sendq_pieces(const struct sendq *q, uv_buf_t *v, size_t max,
		    size_t max_bytes, size_t *items);

/* The message at the front was written: forget it. Its type and its size with
 * header are reported. */
size_t sendq_done(struct sendq *q, enum msg_type *t);

/* True once after the queue was full and fell below its low mark. */
bool sendq_drained(struct sendq *q) must_check;

#endif
