/*
 * The set of hashes met lately: two generations of open addressing. When the
 * younger is full it becomes the older one, which is forgotten. Loop only.
 */
#include "txset.h"

#include <cairn/base/mem.h>
#include <cairn/base/must.h>
#include <cairn/base/rand.h>
#include <cairn/crypto/siphash.h>

#include <stdlib.h>

#define CAP_FIRST 64u

static uint64_t print_of(const struct txset *t, const struct hash256 *h)
{
	uint64_t v = siphash(t->key, h->b, sizeof h->b);

	return v ? v : 1;
}

/* The slot of v, or the free one where it would go. Ends: a quarter of the
 * slots are free. */
static uint64_t *slot_of(const struct txset_gen *g, uint64_t v)
{
	size_t i = (size_t)v & (g->cap - 1);

	while (g->slots[i] && g->slots[i] != v)
		i = (i + 1) & (g->cap - 1);
	return &g->slots[i];
}

static bool gen_has(const struct txset_gen *g, uint64_t v)
{
	return g->n && *slot_of(g, v) == v;
}

static void gen_grow(struct txset_gen *g)
{
	struct txset_gen old = *g;

	g->cap = old.cap ? old.cap * 2 : CAP_FIRST;
	g->slots = xcalloc(g->cap, sizeof *g->slots);
	for (size_t i = 0; i < old.cap; i++)
		if (old.slots[i])
			*slot_of(g, old.slots[i]) = old.slots[i];
	free(old.slots);
}

static void gen_add(struct txset_gen *g, uint64_t v)
{
	uint64_t *slot;

	if ((g->n + 1) * 4 > g->cap * 3)
		gen_grow(g);
	slot = slot_of(g, v);
	g->n += *slot == 0;
	*slot = v;
}

static void gen_clear(struct txset_gen *g)
{
	free(g->slots);
	*g = (struct txset_gen){NULL, 0, 0};
}

void txset_init(struct txset *t, size_t max)
{
	must(max > 0);
	*t = (struct txset){.max = max};
	rand_os(t->key, sizeof t->key);
}

void txset_fini(struct txset *t)
{
	txset_clear(t);
}

void txset_clear(struct txset *t)
{
	gen_clear(&t->now);
	gen_clear(&t->before);
}

void txset_add(struct txset *t, const struct hash256 *h)
{
	if (t->now.n >= t->max) {
		gen_clear(&t->before);
		t->before = t->now;
		t->now = (struct txset_gen){NULL, 0, 0};
	}
	gen_add(&t->now, print_of(t, h));
}

bool txset_has(const struct txset *t, const struct hash256 *h)
{
	uint64_t v;

	if (t->now.n == 0 && t->before.n == 0)
		return false;
	v = print_of(t, h);
	return gen_has(&t->now, v) || gen_has(&t->before, v);
}
