/*
 * Clusters: made from a draft, split by what is still connected when
 * transactions leave, and their places in the heaps. Nothing is changed in
 * place: with at most 64 transactions a new cluster costs little more than the
 * order that is due anyway. Knows no ids. Chain thread.
 */
#include "inner.h"

#include <cairn/base/endian.h>
#include <cairn/base/mem.h>
#include <cairn/base/must.h>

#include <stdlib.h>
#include <string.h>

static size_t body_size(uint32_t n)
{
	const struct cluster *c = NULL;

	return n * (sizeof *c->tx + 4 * sizeof *c->parents);
}

static size_t cluster_cost(const struct cluster *c)
{
	return mem_cost(sizeof *c + body_size(c->n)) +
	       mem_cost(c->n_chunks * sizeof *c->chunks);
}

/* One allocation: the struct, then its arrays. */
static struct cluster *cluster_alloc(uint32_t n)
{
	struct cluster *c = xcalloc(1, sizeof *c + body_size(n));

	c->parents = (uint64_t *)(void *)(c + 1);
	c->children = c->parents + n;
	c->ancestors = c->children + n;
	c->descendants = c->ancestors + n;
	c->tx = (struct entry **)(void *)(c->descendants + n);
	c->n = n;
	c->used = slots_below(n);
	return c;
}

void draft_add(struct draft *d, const struct cluster *c, uint64_t set)
{
	uint32_t base = d->n;

	for (uint64_t s = set; s; s &= s - 1) {
		uint32_t slot = slot_of(s);
		struct entry *e = c->tx[slot];
		struct lin_tx *t = &d->tx[d->n];

		d->e[d->n++] = e;
		t->fee = entry_fee(e);
		t->size = e->tx.weight;
		t->tie = be64_get(e->tx.txid.b);
		t->parents = 0;
		for (uint64_t p = c->parents[slot] & set; p; p &= p - 1)
			t->parents |=
			    slot_bit(base + slot_rank(set, slot_of(p)));
	}
}

/* Slots are in an order in which parents come first, so that one pass over them
 * knows all ancestors. */
static void relate(struct cluster *c, uint32_t i, uint64_t parents)
{
	c->parents[i] = parents;
	for (uint64_t s = parents; s; s &= s - 1) {
		c->children[slot_of(s)] |= slot_bit(i);
		c->ancestors[i] |= s & -s;
		c->ancestors[i] |= c->ancestors[slot_of(s)];
	}
	for (uint64_t s = c->ancestors[i]; s; s &= s - 1)
		c->descendants[slot_of(s)] |= slot_bit(i);
}

static void fill(struct cluster *c, const struct draft *d, const uint8_t *order)
{
	uint8_t slot[MEMPOOL_CLUSTER_MAX];

	for (uint32_t i = 0; i < d->n; i++)
		slot[order[i]] = (uint8_t)i;
	for (uint32_t i = 0; i < d->n; i++) {
		struct entry *e = d->e[order[i]];
		uint64_t parents = 0;

		for (uint64_t s = d->tx[order[i]].parents; s; s &= s - 1)
			parents |= slot_bit(slot[slot_of(s)]);
		relate(c, i, parents);
		c->tx[i] = e;
		c->weight += e->tx.weight;
		e->cluster = c;
		e->slot = (uint8_t)i;
	}
}

/* What linearize gives. */
struct outcome {
	uint8_t order[MEMPOOL_CLUSTER_MAX];
	struct lin_chunk chunks[MEMPOOL_CLUSTER_MAX];
	uint32_t n_chunks;
	bool optimal;
};

static void make(struct mempool *m, const struct draft *d,
		 const struct outcome *o)
{
	struct cluster *c = cluster_alloc(d->n);
	size_t size = o->n_chunks * sizeof *c->chunks;

	c->n_chunks = o->n_chunks;
	c->optimal = o->optimal;
	c->chunks = xmalloc(size);
	memcpy(c->chunks, o->chunks, size);
	fill(c, d, o->order);
	heap_put(&m->ix->worst, c);
	heap_put(&m->ix->best, c);
	m->ix->held += cluster_cost(c);
	m->ix->not_optimal += !c->optimal;
}

void cluster_make(struct mempool *m, const struct draft *d)
{
	struct outcome o;
	struct lin_info info = linearize(o.order, o.chunks, d->tx, d->n);

	o.n_chunks = info.n_chunks;
	o.optimal = info.optimal;
	make(m, d, &o);
}

void cluster_unlist(struct mempool *m, struct cluster *c)
{
	heap_del(&m->ix->worst, c);
	heap_del(&m->ix->best, c);
	m->ix->held -= cluster_cost(c);
	m->ix->not_optimal -= !c->optimal;
}

void cluster_free(struct cluster *c)
{
	must(!c->mark && !c->leaving);
	free(c->chunks);
	free(c);
}

uint64_t cluster_part(const struct cluster *c, uint64_t set, uint32_t slot)
{
	uint64_t part = slot_bit(slot), seen = 0;

	while (part != seen) {
		uint32_t i = slot_of(part & ~seen);

		seen |= slot_bit(i);
		part |= (c->parents[i] | c->children[i]) & set;
	}
	return part;
}

/* Of a part whose chunks are whole the order and the chunks stay what they are:
 * what makes them the best, that no part of a chunk pays more and that rates do
 * not rise, is not changed by what lies outside. False when one is broken, or
 * when two pay alike: those may change places. */
static bool keep_order(struct outcome *o, const struct cluster *c,
		       uint64_t part)
{
	uint32_t end = 0, n = 0;

	o->optimal = c->optimal;
	for (uint32_t i = 0; i < c->n_chunks; i++) {
		uint64_t chunk = ~slots_below(end);

		end += c->chunks[i].n;
		chunk &= slots_below(end);
		if (!(chunk & part))
			continue;
		if ((chunk & part) != chunk ||
		    (n > 0 && chunk_cmp(&o->chunks[n - 1], &c->chunks[i]) == 0))
			return false;
		o->chunks[n++] = c->chunks[i];
	}
	o->n_chunks = n;
	for (n = 0; n < slots_in(part); n++)
		o->order[n] = (uint8_t)n;
	return true;
}

void cluster_split(struct mempool *m, struct cluster *c, uint64_t set)
{
	while (set) {
		uint64_t part = cluster_part(c, set, slot_of(set));
		struct outcome o;
		struct draft d;

		d.n = 0;
		draft_add(&d, c, part);
		if (keep_order(&o, c, part))
			make(m, &d, &o);
		else
			cluster_make(m, &d);
		set &= ~part;
	}
	cluster_free(c);
}

void cluster_renew(struct mempool *m, struct cluster *c)
{
	struct draft d;

	d.n = 0;
	draft_add(&d, c, c->used);
	cluster_unlist(m, c);
	cluster_make(m, &d);
	cluster_free(c);
}

/* Size of a chunk and those before it that pay alike. */
static int64_t size_alike(const struct cluster *c, uint32_t chunk)
{
	const struct lin_chunk *k = &c->chunks[chunk];
	int64_t size = k->size;

	for (; k > c->chunks && chunk_cmp(k - 1, k) == 0; k--)
		size += k[-1].size;
	return size;
}

static const uint8_t *highest_txid(const struct cluster *c,
				   const struct chunk_at *at)
{
	const uint8_t *high = c->tx[at->slot]->tx.txid.b;

	for (uint32_t i = 1; i < c->chunks[at->chunk].n; i++) {
		const uint8_t *b = c->tx[at->slot + i]->tx.txid.b;

		if (memcmp(b, high, 32) > 0)
			high = b;
	}
	return high;
}

bool chunk_before(const struct chunk_at *a, const struct chunk_at *b)
{
	int cmp = chunk_cmp(&a->c->chunks[a->chunk], &b->c->chunks[b->chunk]);
	int64_t diff;

	if (cmp)
		return cmp > 0;
	if (a->c == b->c)
		return a->chunk < b->chunk;
	diff = size_alike(a->c, a->chunk) - size_alike(b->c, b->chunk);
	if (diff)
		return diff < 0;
	return memcmp(highest_txid(a->c, a), highest_txid(b->c, b), 32) < 0;
}

static struct chunk_at last_of(const struct cluster *c)
{
	return (struct chunk_at){c, c->n_chunks - 1,
				 c->n - cluster_worst(c)->n};
}

/* The last to be mined is the first to leave. */
static bool worst_before(const void *a, const void *b)
{
	struct chunk_at x = last_of(a), y = last_of(b);

	return chunk_before(&y, &x);
}

static bool best_before(const void *a, const void *b)
{
	struct chunk_at x = {a, 0, 0}, y = {b, 0, 0};

	return chunk_before(&x, &y);
}

static void worst_moved(void *item, size_t at)
{
	((struct cluster *)item)->by_worst = at;
}

static size_t worst_place(const void *item)
{
	return ((const struct cluster *)item)->by_worst;
}

static void best_moved(void *item, size_t at)
{
	((struct cluster *)item)->by_best = at;
}

static size_t best_place(const void *item)
{
	return ((const struct cluster *)item)->by_best;
}

const struct heap_kind heap_of_worst = {worst_before, worst_moved, worst_place};
const struct heap_kind heap_of_best = {best_before, best_moved, best_place};
