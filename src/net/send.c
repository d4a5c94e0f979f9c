/*
 * Queueing messages: framing, references, the safety limit. Runs on the loop.
 * Nothing is written here; the end of the turn writes what was queued in it
 * with as few calls as possible.
 */
#include "inner.h"

#include <cairn/base/buf.h>
#include <cairn/base/log.h>
#include <cairn/params/params.h>

#include <inttypes.h>

/* Far above what a peer that reads can have outstanding; one that does not read
 * would otherwise collect announcements for as long as it stays. */
#define QUEUE_MAX (32u * 1024 * 1024)

static bool may_queue(struct peer *p, size_t n)
{
	if (!peer_is_open(p) || p->id == PEER_NONE)
		return false;
	if (p->sendq.bytes + n <= p->sendq.high + QUEUE_MAX)
		return true;
	peer_disconnect(p, "send queue over its limit");
	return false;
}

static void queued(struct peer *p, enum msg_type t, size_t n)
{
	log_trace(LOG_NET, "peer=%" PRIu64 " sending %s n=%zu", p->id,
		  msg_row(t)->name, n);
	peer_todo(p, TODO_FLUSH);
}

static void put_head(const struct peer *p, struct buf *b, enum msg_type t,
		     size_t n, uint32_t checksum)
{
	frame_put(b->mem, p->net->cfg.params->magic, t, (uint32_t)n, checksum);
}

bool peer_send(struct peer *p, enum msg_type t, struct slice body)
{
	struct buf *b;

	must(body.n <= FRAME_MAX_PAYLOAD);
	if (!may_queue(p, body.n))
		return false;
	b = buf_new(body.n);
	if (!b) {
		peer_disconnect(p, "out of memory");
		return false;
	}
	put_head(p, b, t, body.n, frame_checksum(body));
	bytes_put(buf_data(b), body.p, body.n);
	b->n = body.n;
	sendq_push(&p->sendq, t, NULL, b);
	queued(p, t, body.n);
	return true;
}

bool peer_send_buf(struct peer *p, enum msg_type t, struct buf *keep,
		   uint32_t checksum)
{
	struct buf *head;

	must(keep->n <= FRAME_MAX_PAYLOAD);
	if (!may_queue(p, keep->n))
		return false;
	/* The headroom of a shared buffer belongs to all its users. */
	head = buf_new(0);
	if (!head) {
		peer_disconnect(p, "out of memory");
		return false;
	}
	put_head(p, head, t, keep->n, checksum);
	sendq_push(&p->sendq, t, head, buf_ref(keep));
	queued(p, t, keep->n);
	return true;
}

size_t peer_send_queued(const struct peer *p)
{
	return p->sendq.bytes;
}

bool peer_send_full(const struct peer *p)
{
	return p->sendq.full;
}
