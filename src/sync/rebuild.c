/*
 * A block put together from a cmpctblock (BIP 152): what it holds whole, and
 * the loop's copy of the pool for the rest. Loop only. Where anything lacks or
 * two answer to one short id there is no block, and it is asked for whole: no
 * state is kept. What comes out is judged as every other block.
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

struct rebuild {
	struct slice *tx; /* n of them, empty where none is known */
	uint32_t n, missing;
	struct places p;
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

static void rebuild_fini(struct rebuild *r)
{
	free(r->tx);
	free(r->p.ids);
	free(r->p.at);
}

/* What came whole; the view is sane, so each index is below n. */
static void take_prefilled(struct rebuild *r, const struct cmpctblock_view *v)
{
	struct prefilled_iter it;
	struct prefilled t;

	prefilleds(&it, v);
	while (prefilled_next(&it, &t)) {
		must(t.index < r->n);
		r->tx[t.index] = slice_of(t.tx.p, t.tx.size);
		r->missing--;
	}
}

/* The other places, in order, have the short ids. False when one is twice. */
static bool take_ids(struct rebuild *r, const struct cmpctblock_view *v)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < r->n; i++) {
		uint64_t id;
		size_t at;
		if (r->tx[i].n)
			continue;
		id = cmpct_short_id(v, k++);
		at = place_find(&r->p, id);
		if (r->p.ids[at])
			return false;
		r->p.ids[at] = id + 1;
		r->p.at[at] = i;
	}
	return true;
}

/* False when two of the pool have the same short id. */
static bool take_pool(struct rebuild *r, const struct txpool *pool,
		      const struct cmpctblock_view *v)
{
	uint64_t key[2];
	struct ptx *t;
	size_t i = 0;

	cmpct_key(key, v->header, v->nonce);
	while (r->missing && (t = hmap_next(&pool->by_wtxid, &i))) {
		uint64_t id = cmpct_short_id_of(key, &t->wtxid);
		size_t at = place_find(&r->p, id);
		struct slice *tx = &r->tx[r->p.at[at]];
		if (!r->p.ids[at])
			continue;
		if (tx->n)
			return false;
		*tx = buf_payload(t->buf);
		r->missing--;
	}
	return true;
}

static struct buf *put_together(const struct rebuild *r, const uint8_t *header)
{
	size_t size = HEADER_SIZE + 5;
	struct buf *b;
	uint8_t *p;

	for (uint32_t i = 0; i < r->n; i++)
		size += r->tx[i].n;
	b = size <= FRAME_MAX_PAYLOAD ? buf_new(size) : NULL;
	if (!b)
		return NULL;
	p = bytes_put(buf_data(b), header, HEADER_SIZE);
	p = compact_put(p, r->n);
	for (uint32_t i = 0; i < r->n; i++)
		p = bytes_put(p, r->tx[i].p, r->tx[i].n);
	b->n = (size_t)(p - buf_data(b));
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

struct buf *block_rebuild(struct sync *s, const struct cmpctblock_view *v,
			  const struct hnode *n)
{
	struct rebuild r = {.n = v->n_short + v->n_prefilled};
	struct buf *b = NULL;

	r.missing = r.n;
	r.tx = xcalloc(r.n, sizeof *r.tx);
	places_init(&r.p, &s->tx.rand, v->n_short);
	take_prefilled(&r, v);
	if (take_ids(&r, v) && take_pool(&r, &s->tx.pool, v) && !r.missing)
		b = put_together(&r, v->header);
	log_debug(LOG_NET, "cmpctblock txs=%u prefilled=%u missing=%u", r.n,
		  v->n_prefilled, r.missing);
	rebuild_fini(&r);
	if (!b || is_it(s, b, n))
		return b;
	buf_unref(b);
	return NULL;
}
