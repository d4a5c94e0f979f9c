/*
 * A block put together from a cmpctblock (BIP 152): what it holds whole, the
 * loop's copy of the pool, and what its sender gives for the rest. Loop only.
 * Whom to ask for the rest, and what follows from a failure, is compact.c's.
 * What comes out is judged as every other block.
 */
#include "internal.h"

#include <cairn/base/buf.h>
#include <cairn/consensus/check.h>
#include <cairn/consensus/deploy.h>
#include <cairn/wire/block.h>
#include <cairn/wire/cmpctblock.h>
#include <cairn/wire/frame.h>
#include <cairn/wire/header.h>

#include <stdlib.h>

/* Places by short id: open addressing under a multiplier of our own, as who
 * sends the ids could choose them to meet. */
struct places {
	uint64_t *ids; /* plus one; 0: free */
	uint32_t *at;
	size_t cap;
	uint64_t salt;
};

/* In at: two of the pool have this id. */
#define NOT_OF_POOL UINT32_MAX

struct partial {
	uint8_t header[HEADER_SIZE];
	struct buf **tx; /* n of them, NULL where none is known */
	uint32_t n, missing;
	size_t bytes; /* of those that are known */
	bool used;
};

static size_t place_find(const struct places *p, uint64_t id)
{
	uint64_t h = (id + 1) * p->salt;
	size_t i = (size_t)(h >> 32) & (p->cap - 1);

	while (p->ids[i] && p->ids[i] != id + 1)
		i = (i + 1) & (p->cap - 1);
	return i;
}

static void places_init(struct places *p, struct rand *rand, uint32_t n)
{
	for (p->cap = 16; p->cap < (size_t)n * 2;)
		p->cap *= 2;
	p->ids = xcalloc(p->cap, sizeof *p->ids);
	p->at = xcalloc(p->cap, sizeof *p->at);
	p->salt = rand_u64(rand) | 1;
}

static void places_fini(struct places *p)
{
	free(p->ids);
	free(p->at);
}

/* What is held no longer; the partial itself stays, as one that was used. */
static void partial_empty(struct partial *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		buf_unref(p->tx[i]);
	free(p->tx);
	p->tx = NULL;
	p->n = p->missing = 0;
	p->bytes = 0;
	p->used = true;
}

void partial_free(struct partial *p)
{
	if (!p)
		return;
	partial_empty(p);
	free(p);
}

static void put_tx(struct partial *p, uint32_t i, struct buf *tx)
{
	p->tx[i] = tx;
	p->bytes += tx->n;
	p->missing--;
}

static void drop_tx(struct partial *p, uint32_t i)
{
	p->bytes -= p->tx[i]->n;
	p->missing++;
	buf_unref(p->tx[i]);
	p->tx[i] = NULL;
}

/* What came whole; the view is sane, so each index is below n. False when out
 * of memory. */
static bool take_prefilled(struct partial *p, const struct cmpctblock_view *v)
{
	struct prefilled_iter it;
	struct prefilled t;

	prefilleds(&it, v);
	while (prefilled_next(&it, &t)) {
		struct buf *b = buf_new(t.tx.size);
		must(t.index < p->n);
		if (!b)
			return false;
		memcpy(buf_data(b), t.tx.p, t.tx.size);
		b->n = t.tx.size;
		put_tx(p, t.index, b);
	}
	return true;
}

/* The other places, in order, have the short ids. False when one is twice. */
static bool take_ids(struct places *pl, const struct partial *p,
		     const struct cmpctblock_view *v)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < p->n; i++) {
		uint64_t id;
		size_t at;
		if (p->tx[i])
			continue;
		id = cmpct_short_id(v, k++);
		at = place_find(pl, id);
		if (pl->ids[at])
			return false;
		pl->ids[at] = id + 1;
		pl->at[at] = i;
	}
	return true;
}

/* Where two of the pool have the same short id neither is taken, so that the
 * sender is asked. */
static void take_pool(struct places *pl, struct partial *p,
		      const struct txpool *pool,
		      const struct cmpctblock_view *v)
{
	uint64_t key[2];
	struct ptx *t;
	size_t i = 0;

	cmpct_key(key, v->header, v->nonce);
	while (p->missing && (t = hmap_next(&pool->by_wtxid, &i))) {
		uint64_t id = cmpct_short_id_of(key, &t->wtxid);
		size_t at = place_find(pl, id);
		if (!pl->ids[at] || pl->at[at] == NOT_OF_POOL)
			continue;
		if (!p->tx[pl->at[at]]) {
			put_tx(p, pl->at[at], buf_ref(t->buf));
			continue;
		}
		drop_tx(p, pl->at[at]);
		pl->at[at] = NOT_OF_POOL;
	}
}

struct partial *partial_new(struct sync *s, const struct cmpctblock_view *v,
			    bool walk, bool *failed)
{
	struct partial *p = xcalloc(1, sizeof *p);
	struct places pl;

	memcpy(p->header, v->header, HEADER_SIZE);
	p->n = p->missing = v->n_short + v->n_prefilled;
	p->tx = xcalloc(p->n, sizeof(struct buf *));
	places_init(&pl, &s->tx.rand, v->n_short);
	*failed = !take_prefilled(p, v) || !take_ids(&pl, p, v) ||
		  (p->missing && !walk);
	if (!*failed)
		take_pool(&pl, p, &s->tx.pool, v);
	places_fini(&pl);
	if (p->bytes > FRAME_MAX_PAYLOAD) { /* no block is that large */
		partial_empty(p);
		*failed = true;
	}
	log_debug(LOG_NET, "cmpctblock txs=%u prefilled=%u missing=%u", p->n,
		  v->n_prefilled, p->missing);
	return p;
}

uint32_t partial_missing(const struct partial *p)
{
	return p->missing;
}

bool partial_used(const struct partial *p)
{
	return p->used;
}

uint32_t partial_indexes(const struct partial *p, uint16_t *out)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n; i++)
		if (!p->tx[i])
			out[n++] = (uint16_t)i;
	return n;
}

/* The block's bytes, with what v gives at the free places, as many as there
 * are. NULL when it is larger than any message. */
static struct buf *put_together(const struct partial *p,
				const struct blocktxn_view *v)
{
	size_t size = HEADER_SIZE + 5 + p->bytes + (size_t)(v->end - v->p);
	struct buf *b = size <= FRAME_MAX_PAYLOAD ? buf_new(size) : NULL;
	struct blocktxn_iter it;
	struct tx_view tx;
	uint8_t *q;

	if (!b)
		return NULL;
	q = bytes_put(buf_data(b), p->header, HEADER_SIZE);
	q = compact_put(q, p->n);
	blocktxns(&it, v);
	for (uint32_t i = 0; i < p->n; i++) {
		if (p->tx[i]) {
			q = bytes_put(q, buf_data(p->tx[i]), p->tx[i]->n);
		} else {
			bool more = blocktxn_next(&it, &tx);
			must(more);
			q = bytes_put(q, tx.p, tx.size);
		}
	}
	b->n = (size_t)(q - buf_data(b));
	return b;
}

/* Whether these are the transactions that the header commits to: a short id may
 * have met another one. */
static bool is_it(struct sync *s, const struct buf *b, const struct hnode *n)
{
	struct block_view v;
	size_t trailing;
	bool ok;

	if (block_view_parse(&v, &trailing, buf_payload(b)) != 0)
		return false;
	block_hash_txs(&v);
	ok = !block_is_mutated(
	    &v, deploy_active(s->cfg.params, DEPLOY_SEGWIT, n->height));
	block_view_fini(&v);
	return ok;
}

enum fill partial_fill(struct partial *p, struct buf **out, struct sync *s,
		       const struct hnode *n, const struct blocktxn_view *v)
{
	static const struct blocktxn_view none;
	bool counts = (v ? v->n : 0) == p->missing;
	struct buf *b = counts ? put_together(p, v ? v : &none) : NULL;

	partial_empty(p);
	if (!counts)
		return FILL_COUNT;
	if (!b)
		return FILL_MUTATED;
	if (!is_it(s, b, n)) {
		buf_unref(b);
		return FILL_MUTATED;
	}
	*out = b;
	return FILL_OK;
}
