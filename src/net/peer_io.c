/*
 * A peer's bytes: reading into the shared scratch, driving the receive machine,
 * keeping what may not be handed up yet, and writing the send queue. Runs on
 * the loop. Knows no message.
 *
 * What can stop a peer's messages: a pause or a full send queue (reading goes
 * on up to the receive limit, so that two nodes that serve each other cannot
 * block each other), a hold with something other than a block in front (reading
 * stops), or the global budget (reading stops).
 */
#include "inner.h"

#include <cairn/base/buf.h>
#include <cairn/base/err.h>
#include <cairn/base/log.h>

#include <inttypes.h>

#define WRITE_PIECES 32u
#define WRITE_BYTES  (1024u * 1024)

/* Messages may be handed up now. */
static bool may_take(const struct peer *p)
{
	return peer_is_open(p) && p->pauses == 0 && !p->sendq.full &&
	       !p->yielded;
}

static size_t stash_size(const struct peer *p)
{
	return p->stash ? p->stash->n - p->stash_off : 0;
}

/* Charge the budget for what the stash holds. It may be overdrawn here by one
 * read a peer: those bytes have come already. */
static void stash_charge(struct peer *p, size_t was)
{
	p->net->budget.used += p->stash->cap - was;
}

static void stash_drop(struct peer *p)
{
	p->net->budget.used -= p->stash->cap;
	buf_unref(p->stash);
	p->stash = NULL;
	p->stash_off = 0;
}

/* Move what is left to the front, so that the buffer grows with what waits and
 * not with what has passed. */
static void stash_compact(struct peer *p)
{
	size_t n = stash_size(p);

	if (!p->stash || p->stash_off == 0)
		return;
	memmove(buf_data(p->stash), buf_data(p->stash) + p->stash_off, n);
	p->stash->n = n;
	p->stash_off = 0;
}

static bool stash_room(struct peer *p, size_t n)
{
	size_t was = p->stash ? p->stash->cap : 0, cap = n;

	if (!p->stash) {
		p->stash = buf_new(cap);
		if (!p->stash)
			return false;
		stash_charge(p, 0);
		return true;
	}
	if (p->stash->n + n > was)
		stash_compact(p);
	cap = p->stash->n + n;
	if (cap <= was)
		return true;
	if (buf_reserve(&p->stash, cap > 2 * was ? cap : 2 * was) != 0)
		return false;
	stash_charge(p, was);
	return true;
}

/* Keep bytes for later. */
static void stash_put(struct peer *p, struct slice s)
{
	if (s.n == 0 || !peer_is_open(p))
		return;
	if (!stash_room(p, s.n)) {
		peer_disconnect(p, "out of memory");
		return;
	}
	memcpy(buf_data(p->stash) + p->stash->n, s.p, s.n);
	p->stash->n += s.n;
}

static void dropped(struct peer *p, const struct rx_msg *m)
{
	p->recv_per_msg[MSG_UNKNOWN] += m->size;
	p->dropped++;
	log_debug(LOG_NET, "peer=%" PRIu64 " dropped n=%u why=%s", p->id,
		  m->size, m->drop);
}

static void set_starved(struct peer *p, bool starved)
{
	if (p->starved == starved)
		return;
	p->starved = starved;
	p->net->n_starved += starved ? 1 : (size_t)-1;
}

/* Of all incomplete messages p's is the largest. */
static bool is_richest(const struct peer *p)
{
	const struct peer_list *l = &p->net->peers;

	for (size_t i = 0; i < l->n; i++) {
		if (l->p[i]->rx.charged > p->rx.charged)
			return false;
	}
	return true;
}

/* The budget is spent. Somebody must go on, or all would wait for each other:
 * the one whose message is largest already overdraws it, the others wait. */
static bool starve(struct peer *p)
{
	if (!p->rx.overdraw && is_richest(p)) {
		p->rx.overdraw = true;
		return true;
	}
	set_starved(p, true);
	return false;
}

/* Since when has the incomplete message been coming? */
static void note_collecting(struct peer *p)
{
	if (!rx_is_collecting(&p->rx))
		p->collect_ms = 0;
	else if (p->collect_ms == 0)
		p->collect_ms = uv_now(p->net->loop);
}

/* Hand up one message; false when no other can follow now. */
static bool take_one(struct peer *p, struct slice *in)
{
	struct rx_msg m;

	switch (rx_next(&p->rx, &m, in, p->holds > 0)) {
	case RX_MORE:
		return false;
	case RX_MSG:
		p->collect_ms = 0;
		peer_deliver(p, &m);
		rx_done(&p->rx);
		return true;
	case RX_DROP:
		dropped(p, &m);
		return true;
	case RX_HELD:
		p->waiting = true;
		return false;
	case RX_STARVED:
		return starve(p);
	case RX_BAD_MAGIC:
		peer_disconnect(p, "bad magic");
		return false;
	case RX_TOO_LARGE:
		peer_disconnect(p, "message over 4000000 bytes");
		return false;
	case RX_NOMEM:
		peer_disconnect(p, "out of memory");
		return false;
	}
	return false;
}

/* Hand up messages from the front of *in for as long as that is allowed. */
static void take(struct peer *p, struct slice *in)
{
	p->waiting = false;
	set_starved(p, false);
	while (may_take(p) && take_one(p, in))
		;
	note_collecting(p);
}

/* Take from the stash, one turn's worth at most. */
static void take_stash(struct peer *p)
{
	size_t n = stash_size(p), turn = p->net->turn_max;
	size_t max = n < turn ? n : turn;
	struct slice in = slice_of(buf_data(p->stash) + p->stash_off, max);

	take(p, &in);
	p->stash_off += max - in.n;
	if (stash_size(p) == 0)
		stash_drop(p);
	else if (may_take(p) && !p->waiting && !p->starved)
		peer_todo(p, TODO_RUN);
}

void peer_run(struct peer *p)
{
	struct slice none = slice_of(NULL, 0);

	if (!may_take(p))
		return;
	if (p->stash)
		take_stash(p);
	else
		take(p, &none); /* a collected message may be waiting */
	peer_read_update(p);
}

static void on_alloc(uv_handle_t *h, size_t size, uv_buf_t *b)
{
	struct net *n = peer_of(h->data)->net;

	(void)size;
	*b = uv_buf_init((char *)n->scratch, sizeof n->scratch);
}

/* A peer that had its bytes of this turn lets the others go first. */
static void count_turn(struct peer *p, size_t n)
{
	if (p->turn != p->net->turn) {
		p->turn = p->net->turn;
		p->turn_bytes = 0;
	}
	p->turn_bytes += n;
	if (p->turn_bytes < p->net->turn_max)
		return;
	p->yielded = true;
	peer_todo(p, TODO_READ);
}

static void on_bytes(struct peer *p, struct slice in)
{
	struct net *n = p->net;
	size_t size = in.n; /* taking moves in on */

	n->bytes_recv += in.n;
	p->bytes_recv += in.n;
	p->recv_us = clock_now_us(n->cfg.clock);
	p->last_recv_s = p->recv_us / 1000000;
	if (p->stash) {
		stash_put(p, in); /* behind what waits already */
	} else {
		take(p, &in);
		stash_put(p, in);
	}
	count_turn(p, size);
	peer_read_update(p);
}

static void on_read(uv_stream_t *s, ssize_t nread, const uv_buf_t *b)
{
	struct peer *p = peer_of(s->data);

	if (!peer_is_open(p) || nread == 0)
		return;
	if (nread > 0) {
		on_bytes(p, slice_of(b->base, (size_t)nread));
		return;
	}
	p->reading = false; /* libuv has stopped */
	peer_disconnect(p, nread == UV_EOF ? "closed by peer"
					   : uv_strerror((int)nread));
}

/* What waits and may be taken is taken first. */
static bool should_read(const struct peer *p)
{
	if (p->stash && may_take(p))
		return false;
	return peer_is_open(p) && p->state != PEER_DIALING && !p->waiting &&
	       !p->starved && !p->yielded &&
	       stash_size(p) < p->net->cfg.max_recv_buffer;
}

void peer_read_update(struct peer *p)
{
	uv_stream_t *s = (uv_stream_t *)&p->tcp;
	bool want = should_read(p);
	int rc;

	if (want == p->reading || p->closed)
		return;
	p->reading = want;
	if (!want) {
		uv_read_stop(s);
		return;
	}
	rc = uv_read_start(s, on_alloc, on_read);
	if (rc == 0)
		return;
	p->reading = false;
	peer_disconnect(p, uv_strerror(rc));
}

void peer_hold(struct peer *p)
{
	p->holds++;
}

void peer_release(struct peer *p)
{
	must(p->holds > 0);
	if (--p->holds == 0 && p->waiting)
		peer_todo(p, TODO_RUN);
}

void peer_pause(struct peer *p)
{
	p->pauses++;
}

void peer_resume(struct peer *p)
{
	must(p->pauses > 0);
	if (--p->pauses == 0)
		peer_todo(p, TODO_RUN);
}

/* Account for the messages at the front of the queue: they were written. */
static void sent(struct peer *p, size_t items)
{
	enum msg_type t;
	size_t n;

	for (; items > 0; items--) {
		n = sendq_done(&p->sendq, &t);
		p->bytes_sent += n;
		p->sent_per_msg[t] += n;
		p->net->bytes_sent += n;
	}
	p->last_send_s = net_now(p->net);
}

static void on_written(uv_write_t *w, int status)
{
	struct peer *p = peer_of(w->data);

	p->writing = false;
	if (status < 0) {
		peer_disconnect(p, uv_strerror(status));
		return;
	}
	sent(p, p->in_flight);
	if (!peer_is_open(p))
		return;
	peer_flush(p);
	if (sendq_drained(&p->sendq)) {
		p->net->ops.on_drained(p->net->arg, p);
		peer_todo(p, TODO_RUN);
	}
}

void peer_flush(struct peer *p)
{
	uv_buf_t v[WRITE_PIECES];
	size_t n;
	int rc;

	if (p->writing || p->closed || p->sendq.n == 0)
		return;
	n = sendq_pieces(&p->sendq, v, WRITE_PIECES, WRITE_BYTES,
			 &p->in_flight);
	p->write.data = p;
	rc = uv_write(&p->write, (uv_stream_t *)&p->tcp, v, (unsigned)n,
		      on_written);
	if (rc == 0)
		p->writing = true;
	else
		peer_disconnect(p, uv_strerror(rc));
}
