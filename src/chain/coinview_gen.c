/*
 * One generation of the coins cache. Linear probing; the home slot follows from
 * a 32-bit hash that the slot itself carries, so that growing and deleting
 * never touch an entry. Slabs and tables come from mmap, so that pages cost
 * nothing before they are used and all go back to the system when a generation
 * ends. Does not know what lies above or below it.
 */
#include "coinview_gen.h"

#include <cairn/base/mem.h>
#include <cairn/base/must.h>

#include <stdlib.h>

#define BITS_FIRST 9 /* 512 slots: one page */
#define BITS_MAX   31
#define SLAB_UNITS (1u << GEN_SLAB_BITS)
#define SLAB_BYTES ((size_t)SLAB_UNITS * GEN_UNIT)
#define SLABS_MAX  (1u << (32 - GEN_SLAB_BITS))

static size_t table_bytes(const struct gen *g)
{
	return g->bits ? sizeof *g->slots << g->bits : 0;
}

struct gen *gen_new(uint32_t mix)
{
	struct gen *g = xcalloc(1, sizeof *g);

	/* Unit 0 is never given out: a slot of 0 is an empty one. */
	g->next = 1;
	g->mix = mix | 1;
	return g;
}

void gen_free(struct gen *g)
{
	size_t i;

	if (!g)
		return;
	for (i = 0; i < g->n_slabs; i++)
		pages_free(g->slabs[i], SLAB_BYTES);
	free(g->slabs);
	pages_free(g->slots, table_bytes(g));
	free(g);
}

size_t gen_bytes(const struct gen *g)
{
	return sizeof *g + g->cap_slabs * sizeof *g->slabs + table_bytes(g) +
	       (size_t)g->next * GEN_UNIT + g->n * GEN_SORT_BYTES;
}

uint8_t *gen_at(const struct gen *g, uint32_t unit)
{
	return g->slabs[unit >> GEN_SLAB_BITS] +
	       (size_t)(unit & (SLAB_UNITS - 1)) * GEN_UNIT;
}

static size_t home(const struct gen *g, uint32_t hash)
{
	return (uint32_t)(hash * g->mix) >> (32 - g->bits);
}

static size_t mask(const struct gen *g)
{
	return ((size_t)1 << g->bits) - 1;
}

static uint32_t slot_hash(uint64_t slot)
{
	return (uint32_t)(slot >> 32);
}

static uint32_t slot_unit(uint64_t slot)
{
	return (uint32_t)slot;
}

/* The slot of an outpoint, or the empty one where its probe ends; there is a
 * table. Ends: a quarter of the slots is empty. */
static size_t find(const struct gen *g, uint32_t hash, const uint8_t *outpoint)
{
	size_t i = home(g, hash), m = mask(g);
	uint64_t s;

	for (; (s = g->slots[i]) != 0; i = (i + 1) & m) {
		if (slot_hash(s) == hash &&
		    memcmp(gen_at(g, slot_unit(s)), outpoint, 36) == 0)
			break;
	}
	return i;
}

uint8_t *gen_find(const struct gen *g, uint32_t hash, const uint8_t *outpoint)
{
	uint64_t s;

	if (g->n == 0)
		return NULL;
	s = g->slots[find(g, hash, outpoint)];
	return s ? gen_at(g, slot_unit(s)) : NULL;
}

static void slot_insert(struct gen *g, uint64_t slot)
{
	size_t i = home(g, slot_hash(slot)), m = mask(g);

	while (g->slots[i])
		i = (i + 1) & m;
	g->slots[i] = slot;
}

/* Make the table twice as large. Slots keep their order, so both tables are
 * read and written from front to back. */
static bool grow_table(struct gen *g)
{
	unsigned bits = g->bits ? g->bits + 1 : BITS_FIRST;
	uint64_t *old = g->slots;
	size_t n = g->bits ? mask(g) + 1 : 0, old_bytes = table_bytes(g), i;
	void *fresh;

	if (bits > BITS_MAX)
		return false;
	fresh = pages_new(sizeof *old << bits);
	if (!fresh)
		return false;
	g->slots = fresh;
	g->bits = bits;
	for (i = 0; i < n; i++) {
		if (old[i])
			slot_insert(g, old[i]);
	}
	pages_free(old, old_bytes);
	return true;
}

static bool grow_slabs(struct gen *g)
{
	void *slab;

	if (g->n_slabs == SLABS_MAX)
		return false;
	slab = pages_new(SLAB_BYTES);
	if (!slab)
		return false;
	arr_grow(&g->slabs, &g->cap_slabs, g->n_slabs + 1, sizeof *g->slabs);
	g->slabs[g->n_slabs++] = slab;
	return true;
}

static void unit_free(struct gen *g, uint32_t unit, uint32_t units)
{
	uint8_t *e = gen_at(g, unit);

	le32_put(e, g->free[units]);
	g->free[units] = unit;
}

/* Units for an entry, from those given back or from the last slab; 0 when out
 * of memory. What is left at a slab's end is given out to smaller entries. */
static uint32_t unit_alloc(struct gen *g, uint32_t units)
{
	uint32_t unit = g->free[units], left;

	if (unit) {
		g->free[units] = le32_get(gen_at(g, unit));
		return unit;
	}
	left =
	    g->n_slabs ? (uint32_t)(g->n_slabs << GEN_SLAB_BITS) - g->next : 0;
	if (left < units) {
		if (!grow_slabs(g))
			return 0;
		if (left)
			unit_free(g, g->next, left);
		if (g->n_slabs > 1)
			g->next = (uint32_t)(g->n_slabs - 1) << GEN_SLAB_BITS;
	}
	unit = g->next;
	g->next += units;
	return unit;
}

static uint32_t units_for(size_t value)
{
	return (uint32_t)((ENTRY_HEAD + value + GEN_UNIT - 1) / GEN_UNIT);
}

static void entry_drop(struct gen *g, uint32_t unit)
{
	const uint8_t *e = gen_at(g, unit);

	g->tombs -= entry_is_tomb(e);
	g->n--;
	unit_free(g, unit, units_for(entry_value(e).n));
}

uint8_t *gen_put(struct gen *g, uint32_t hash, const uint8_t *outpoint,
		 uint8_t flags, size_t n)
{
	uint32_t unit;
	uint8_t *e;
	size_t i;

	must(n <= COIN_MAX);
	if ((g->bits == 0 || g->n >= (mask(g) + 1) / 4 * 3) && !grow_table(g))
		return NULL;
	unit = unit_alloc(g, units_for(n));
	if (!unit)
		return NULL;
	e = gen_at(g, unit);
	i = find(g, hash, outpoint);
	memcpy(e, outpoint, 36);
	e[ENTRY_FLAGS] = flags;
	le16_put(e + ENTRY_LEN, (uint16_t)n);
	/* After the new one is there: outpoint may lie in the old one, and
	 * whoever borrows from the old one keeps its value. */
	if (g->slots[i])
		entry_drop(g, slot_unit(g->slots[i]));
	g->slots[i] = (uint64_t)hash << 32 | unit;
	g->n++;
	g->tombs += flags & ENTRY_TOMB;
	return e;
}

/* Close the hole at i: a slot behind it moves into it unless its home lies
 * after the hole (counted around the end). */
static void close_hole(struct gen *g, size_t i)
{
	size_t m = mask(g), k;

	for (k = (i + 1) & m; g->slots[k]; k = (k + 1) & m) {
		size_t h = home(g, slot_hash(g->slots[k]));

		if (((k - h) & m) < ((k - i) & m))
			continue;
		g->slots[i] = g->slots[k];
		i = k;
	}
	g->slots[i] = 0;
}

void gen_del(struct gen *g, uint32_t hash, const uint8_t *outpoint)
{
	uint32_t unit;
	size_t i;

	if (g->n == 0)
		return;
	i = find(g, hash, outpoint);
	unit = slot_unit(g->slots[i]);
	if (!unit)
		return;
	close_hole(g, i);
	entry_drop(g, unit);
}

uint8_t *gen_next(const struct gen *g, size_t *i, uint32_t *hash)
{
	size_t end = g->bits ? mask(g) + 1 : 0;

	while (*i < end) {
		uint64_t s = g->slots[(*i)++];

		if (!s)
			continue;
		if (hash)
			*hash = slot_hash(s);
		return gen_at(g, slot_unit(s));
	}
	return NULL;
}

bool gen_item(const struct gen *g, size_t *i, uint64_t *item)
{
	const uint8_t *e = gen_next(g, i, NULL);

	if (!e)
		return false;
	*item = (uint64_t)be32_get(e) << 32 | slot_unit(g->slots[*i - 1]);
	return true;
}

void gen_touch_slot(const struct gen *g, uint32_t hash)
{
	if (g->n)
		__builtin_prefetch(&g->slots[home(g, hash)]);
}

void gen_touch_entry(const struct gen *g, uint32_t hash)
{
	size_t i;
	uint64_t s;

	if (g->n == 0)
		return;
	/* Bounded: the table is never full. */
	for (i = home(g, hash); (s = g->slots[i]) != 0; i = (i + 1) & mask(g)) {
		if (slot_hash(s) != hash)
			continue;
		__builtin_prefetch(gen_at(g, slot_unit(s)));
		__builtin_prefetch(gen_at(g, slot_unit(s)) + 64);
		return;
	}
}
