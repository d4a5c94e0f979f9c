/*
 * The send queue. Runs on the loop. Bounds nothing itself: it says when it is
 * full, and whoever serves a peer stops then.
 */
#include "sendq.h"

#include <cairn/base/buf.h>
#include <cairn/base/mem.h>
#include <cairn/base/must.h>

#include <stdlib.h>

void sendq_init(struct sendq *q, size_t high)
{
	*q = (struct sendq){.high = high, .low = high / 2};
}

static struct sendq_item *item_at(const struct sendq *q, size_t i)
{
	return &q->ring[(q->first + i) & (q->cap - 1)];
}

static size_t item_size(const struct sendq_item *it)
{
	return BUF_HEADROOM + it->body->n;
}

static void item_free(struct sendq_item *it)
{
	buf_unref(it->head);
	buf_unref(it->body);
}

void sendq_fini(struct sendq *q)
{
	size_t i;

	for (i = 0; i < q->n; i++)
		item_free(item_at(q, i));
	free(q->ring);
	*q = (struct sendq){.n = 0};
}

/* Double the ring; its items move to the front of the new one. */
static void grow(struct sendq *q)
{
	size_t cap = q->cap ? 2 * q->cap : 8, i;
	struct sendq_item *ring = xcalloc(cap, sizeof *ring);

	for (i = 0; i < q->n; i++)
		ring[i] = *item_at(q, i);
	free(q->ring);
	q->ring = ring;
	q->cap = cap;
	q->first = 0;
}

void sendq_push(struct sendq *q, enum msg_type t, struct buf *take_head,
		struct buf *take_body)
{
	struct sendq_item *it;

	if (q->n == q->cap)
		grow(q);
	it = item_at(q, q->n++);
	*it = (struct sendq_item){t, take_head, take_body};
	q->bytes += item_size(it);
	if (q->bytes > q->high)
		q->full = true;
}

/* libuv's pieces are not const, though writing does not change them. */
static uv_buf_t piece(uint8_t *p, size_t n)
{
	return uv_buf_init((char *)p, (unsigned)n);
}

/* The one or two pieces of a message. */
static size_t item_pieces(const struct sendq_item *it, uv_buf_t *v)
{
	if (!it->head) {
		v[0] = piece(it->body->mem, item_size(it));
		return 1;
	}
	v[0] = piece(it->head->mem, BUF_HEADROOM);
	if (it->body->n == 0)
		return 1;
	v[1] = piece(buf_data(it->body), it->body->n);
	return 2;
}

size_t sendq_pieces(const struct sendq *q, uv_buf_t *v, size_t max,
		    size_t max_bytes, size_t *items)
{
	size_t n = 0, bytes = 0, i;

	must(max >= 2);
	for (i = 0; i < q->n && n + 2 <= max && bytes < max_bytes; i++) {
		n += item_pieces(item_at(q, i), v + n);
		bytes += item_size(item_at(q, i));
	}
	*items = i;
	return n;
}

size_t sendq_done(struct sendq *q, enum msg_type *t)
{
	struct sendq_item *it = item_at(q, 0);
	size_t size = item_size(it);

	must(q->n > 0);
	*t = it->type;
	q->bytes -= size;
	item_free(it);
	q->first = (q->first + 1) & (q->cap - 1);
	q->n--;
	return size;
}

bool sendq_drained(struct sendq *q)
{
	if (!q->full || q->bytes > q->low)
		return false;
	q->full = false;
	return true;
}
