/*
 * The pool in the order in which it is mined: all of it, for who walks it, or
 * what fits into a block. A block takes the best chunk of all again and again;
 * of a cluster whose chunk does not fit nothing more is taken. Chunks come from
 * the pool's heap without changing it, so that a block costs what it takes, not
 * what the pool holds. Chain thread.
 */
#include "inner.h"

#include <cairn/base/mem.h>

#include <stdlib.h>
#include <string.h>

/* As Bitcoin Core's miner does. */
#define FAILURES_MAX 1000u
#define NEARLY_FULL  4000u

/* A heap of the next chunks of clusters, the best first. */
struct front {
	struct chunk_at *v;
	size_t n, cap;
};

static void front_put(struct front *f, struct chunk_at x)
{
	size_t i = f->n++;

	arr_grow(&f->v, &f->cap, f->n, sizeof(*f->v));
	for (; i > 0 && chunk_before(&x, &f->v[(i - 1) / 2]); i = (i - 1) / 2)
		f->v[i] = f->v[(i - 1) / 2];
	f->v[i] = x;
}

static struct chunk_at front_take(struct front *f)
{
	struct chunk_at first = f->v[0], x = f->v[--f->n];
	size_t i = 0, k;

	for (; (k = 2 * i + 1) < f->n; i = k) {
		if (k + 1 < f->n && chunk_before(&f->v[k + 1], &f->v[k]))
			k++;
		if (!chunk_before(&f->v[k], &x))
			break;
		f->v[i] = f->v[k];
	}
	f->v[i] = x;
	return first;
}

static void front_put_cluster(struct front *f, const struct heap *h, size_t i)
{
	if (i < h->n)
		front_put(f, (struct chunk_at){h->v[i], 0, 0});
}

static void front_begin(struct front *f, const struct mempool *m)
{
	*f = (struct front){.n = 0};
	front_put_cluster(f, &m->ix->best, 0);
}

/* The best chunk that is left. A cluster's first chunk makes way for those of
 * the two clusters below it in the pool's heap, which are no better. */
static bool front_next(struct front *f, struct chunk_at *x,
		       const struct mempool *m)
{
	if (f->n == 0)
		return false;
	*x = front_take(f);
	if (x->chunk == 0) {
		front_put_cluster(f, &m->ix->best, 2 * x->c->by_best + 1);
		front_put_cluster(f, &m->ix->best, 2 * x->c->by_best + 2);
	}
	return true;
}

/* x is taken: what follows it in its cluster comes into question. */
static void front_follow(struct front *f, const struct chunk_at *x)
{
	if (x->chunk + 1 < x->c->n_chunks)
		front_put(
		    f, (struct chunk_at){x->c, x->chunk + 1,
					 x->slot + x->c->chunks[x->chunk].n});
}

const struct mempool_tx **walk_new(const struct mempool *m)
{
	const struct mempool_tx **all;
	struct front f;
	struct chunk_at x;
	size_t n = 0;

	all = xmalloc(m->ix->by_age.n * sizeof(*all));
	front_begin(&f, m);
	while (front_next(&f, &x, m)) {
		for (uint32_t i = 0; i < x.c->chunks[x.chunk].n; i++)
			all[n++] = &x.c->tx[x.slot + i]->tx;
		front_follow(&f, &x);
	}
	free(f.v);
	return all;
}

struct block_room {
	const struct mempool_tx **tx;
	size_t n, cap;
	uint64_t weight, sigops; /* used */
};

static bool chunk_fits(const struct block_room *b, const struct mempool *m,
		       const struct chunk_at *x,
		       const struct mempool_want *want)
{
	const struct lin_chunk *chunk = &x->c->chunks[x->chunk];
	uint64_t sigops = b->sigops;

	if (b->weight + (uint64_t)chunk->size >= want->weight)
		return false;
	for (uint32_t i = 0; i < chunk->n; i++) {
		const struct mempool_tx *tx = &x->c->tx[x->slot + i]->tx;

		sigops += tx->sigops;
		if (!tx_is_final(&tx->view, m->tip.height + 1, m->tip.mtp))
			return false;
	}
	return sigops < want->sigops;
}

static void chunk_take(struct block_room *b, const struct chunk_at *x)
{
	uint32_t n = x->c->chunks[x->chunk].n;

	arr_grow(&b->tx, &b->cap, b->n + n, sizeof(*b->tx));
	for (uint32_t i = 0; i < n; i++) {
		const struct mempool_tx *tx = &x->c->tx[x->slot + i]->tx;

		b->tx[b->n++] = tx;
		b->weight += tx_weight(&tx->view);
		b->sigops += tx->sigops;
	}
}

/* Whether a chunk pays less than is asked. */
static bool too_cheap(const struct chunk_at *x, int64_t rate)
{
	const struct lin_chunk *chunk = &x->c->chunks[x->chunk];

	return lin_rate_cmp(chunk->fee, weight_vsize(chunk->size), rate, 1000) <
	       0;
}

size_t mempool_select(const struct mempool *m, const struct mempool_tx ***give,
		      const struct mempool_want *want)
{
	struct block_room b = {.n = 0};
	uint32_t failures = 0;
	struct chunk_at x;
	struct front f;

	front_begin(&f, m);
	while (front_next(&f, &x, m) && !too_cheap(&x, want->min_rate)) {
		if (chunk_fits(&b, m, &x, want)) {
			chunk_take(&b, &x);
			front_follow(&f, &x);
			failures = 0;
		} else if (++failures > FAILURES_MAX &&
			   b.weight + NEARLY_FULL > want->weight) {
			break;
		}
	}
	free(f.v);
	*give = b.tx;
	return b.n;
}
