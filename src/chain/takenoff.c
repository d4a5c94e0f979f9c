/*
 * Transactions that were in blocks and are not any more. Chain thread. Holds
 * them in order and within a bound; what becomes of them is unconfirmed.c's.
 */
#include "takenoff.h"

#include <cairn/base/buf.h>
#include <cairn/base/mem.h>

#include <stdlib.h>
#include <string.h>

void takenoff_init(struct takenoff *t)
{
	memset(t, 0, sizeof *t);
	hmap_init(&t->by_txid);
}

void takenoff_tx_free(struct takenoff_tx *x)
{
	if (!x)
		return;
	buf_unref(x->buf);
	free(x);
}

void takenoff_fini(struct takenoff *t)
{
	struct takenoff_tx *x;

	while ((x = takenoff_pop(t)))
		takenoff_tx_free(x);
	hmap_fini(&t->by_txid);
}

static size_t bytes_of(const struct takenoff_tx *x)
{
	return sizeof *x + x->buf->cap + 2 * sizeof(struct hmap_slot);
}

static void unlink_tx(struct takenoff *t, struct takenoff_tx *x)
{
	if (x->prev)
		x->prev->next = x->next;
	else
		t->first = x->next;
	if (x->next)
		x->next->prev = x->prev;
	else
		t->last = x->prev;
	t->bytes -= bytes_of(x);
	hmap_del(&t->by_txid, &x->txid);
}

static void push_first(struct takenoff *t, struct takenoff_tx *x)
{
	x->prev = NULL;
	x->next = t->first;
	if (t->first)
		t->first->prev = x;
	else
		t->last = x;
	t->first = x;
	t->bytes += bytes_of(x);
	hmap_put(&t->by_txid, &x->txid, x);
}

/* Without memory it is lost, as it would be when the pool is full. */
static void add_tx(struct takenoff *t, const struct tx_view *tx,
		   const struct hash256 *txid)
{
	struct buf *b = buf_new(tx->size);
	struct takenoff_tx *x;

	if (!b)
		return;
	memcpy(buf_data(b), tx->p, tx->size);
	b->n = tx->size;
	x = xmalloc(sizeof *x);
	x->txid = *txid;
	x->buf = b;
	push_first(t, x);
}

void takenoff_add(struct takenoff *t, const struct block_view *b)
{
	for (uint32_t i = b->n_tx; i-- > 0;)
		if (!hmap_get(&t->by_txid, &b->txid[i]))
			add_tx(t, &b->tx[i], &b->txid[i]);
}

void takenoff_drop_block(struct takenoff *t, const struct block_view *b)
{
	for (uint32_t i = 0; t->first && i < b->n_tx; i++) {
		struct takenoff_tx *x = hmap_get(&t->by_txid, &b->txid[i]);

		if (!x)
			continue;
		unlink_tx(t, x);
		takenoff_tx_free(x);
	}
}

struct takenoff_tx *takenoff_pop(struct takenoff *t)
{
	struct takenoff_tx *x = t->first;

	if (x)
		unlink_tx(t, x);
	return x;
}

struct takenoff_tx *takenoff_pop_surplus(struct takenoff *t)
{
	struct takenoff_tx *x = t->last;

	if (t->bytes <= TAKENOFF_BYTES || !x)
		return NULL;
	unlink_tx(t, x);
	return x;
}
