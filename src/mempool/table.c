/*
 * The table of pool entries by their ids and by what they spend: linear probing
 * over a power of two, between an eighth and two thirds full. Deletion moves
 * later entries back, there are no tombstones. Owns neither keys nor values.
 * Chain thread.
 */
#include "table.h"

#include <cairn/base/endian.h>
#include <cairn/base/mem.h>
#include <cairn/base/must.h>
#include <cairn/base/rand.h>

#include <stdlib.h>
#include <string.h>

#define CAP_FIRST 16u

/* Both halves of the product, folded: every input bit reaches every output. */
static uint64_t fold(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128 v = a;

	v *= b;
	return (uint64_t)v ^ (uint64_t)(v >> 64);
}

/* All bytes count: whoever makes transactions chooses their ids in part. The
 * last eight may overlap those before. */
static size_t home(const struct table *t, const uint8_t *key)
{
	uint64_t last = le64_get(key + t->key_size - 8);
	uint64_t h =
	    fold(le64_get(key) ^ t->salt[0], le64_get(key + 8) ^ t->salt[1]);

	h = fold(le64_get(key + 16) ^ t->salt[1] ^ h,
		 le64_get(key + 24) ^ t->salt[0] ^ (h << 32 | h >> 32));
	if (t->key_size > 32)
		h = fold(h ^ t->salt[0], last ^ t->salt[1]);
	return (size_t)h & (t->cap - 1);
}

/* The slot of key, or the empty one where it would go; cap > 0. */
static size_t find(const struct table *t, const uint8_t *key)
{
	size_t i = home(t, key);

	/* Ends: a third of the slots are empty. */
	while (t->slots[i].val && memcmp(t->slots[i].key, key, t->key_size))
		i = (i + 1) & (t->cap - 1);
	return i;
}

void table_init(struct table *t, uint32_t key_size)
{
	*t = (struct table){.key_size = key_size};
	rand_os(t->salt, sizeof t->salt);
}

void table_fini(struct table *t)
{
	free(t->slots);
	t->slots = NULL;
	t->cap = t->n = 0;
}

static void resize(struct table *t, size_t cap)
{
	struct table_slot *old = t->slots;
	size_t n = t->cap;

	t->cap = cap;
	t->slots = cap ? xcalloc(cap, sizeof *t->slots) : NULL;
	for (size_t i = 0; i < n; i++) {
		if (old[i].val)
			t->slots[find(t, old[i].key)] = old[i];
	}
	free(old);
}

void *table_get(const struct table *t, const void *key)
{
	return t->n ? t->slots[find(t, key)].val : NULL;
}

void table_put(struct table *t, const void *key, void *val)
{
	size_t i;

	must(val != NULL);
	if (t->n >= t->cap / 3 * 2)
		resize(t, t->cap ? t->cap * 2 : CAP_FIRST);
	i = find(t, key);
	must(!t->slots[i].val);
	t->slots[i].key = key;
	t->slots[i].val = val;
	t->n++;
}

/* Close the hole at i: an entry behind it moves into it unless its home lies
 * after the hole (counted around the end). */
static void close_hole(struct table *t, size_t i)
{
	size_t mask = t->cap - 1, k;

	for (k = (i + 1) & mask; t->slots[k].val; k = (k + 1) & mask) {
		size_t h = home(t, t->slots[k].key);

		if (((k - h) & mask) < ((k - i) & mask))
			continue;
		t->slots[i] = t->slots[k];
		i = k;
	}
	t->slots[i] = (struct table_slot){NULL, NULL};
}

void *table_del(struct table *t, const void *key)
{
	void *val;
	size_t i;

	if (t->n == 0)
		return NULL;
	i = find(t, key);
	val = t->slots[i].val;
	if (!val)
		return NULL;
	close_hole(t, i);
	t->n--;
	if (t->n == 0)
		resize(t, 0);
	else if (t->cap > CAP_FIRST && t->n < t->cap / 8)
		resize(t, t->cap / 2);
	return val;
}

void *table_next(const struct table *t, size_t *i)
{
	while (*i < t->cap) {
		void *val = t->slots[(*i)++].val;

		if (val)
			return val;
	}
	return NULL;
}

size_t table_memory(const struct table *t)
{
	return t->cap * sizeof *t->slots;
}
