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
static uint64_t hash(const struct table *t, const uint8_t *key)
{
	uint64_t last = le64_get(key + t->key_size - 8);
	uint64_t h =
	    fold(le64_get(key) ^ t->salt[0], le64_get(key + 8) ^ t->salt[1]);

	h = fold(le64_get(key + 16) ^ t->salt[1] ^ h,
		 le64_get(key + 24) ^ t->salt[0] ^ (h << 32 | h >> 32));
	if (t->key_size > 32)
		h = fold(h ^ t->salt[0], last ^ t->salt[1]);
	return h;
}

/* What is looked at before the key itself is: most slots that are passed do not
 * have it, and keys lie elsewhere. */
static uint8_t tag_of(uint64_t h)
{
	return (uint8_t)(h >> 56) | 1;
}

/* The slot of key, or the empty one where it would go; cap > 0. */
static size_t find(const struct table *t, const uint8_t *key, uint64_t h)
{
	size_t i = (size_t)h & (t->cap - 1);

	/* Ends: a third of the slots are empty. */
	while (t->tags[i] && (t->tags[i] != tag_of(h) ||
			      memcmp(t->slots[i].key, key, t->key_size) != 0))
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
	t->tags = NULL;
	t->cap = t->n = 0;
}

static void put_at(struct table *t, size_t i, struct table_slot slot,
		   uint8_t tag)
{
	t->slots[i] = slot;
	t->tags[i] = tag;
}

/* One allocation: the slots, then their tags. */
static void resize(struct table *t, size_t cap)
{
	struct table_slot *old = t->slots;
	const uint8_t *tags = t->tags;
	size_t n = t->cap;

	t->cap = cap;
	t->slots = cap ? xcalloc(cap, sizeof *t->slots + 1) : NULL;
	t->tags = cap ? (uint8_t *)(t->slots + cap) : NULL;
	for (size_t i = 0; i < n; i++) {
		if (tags[i])
			put_at(t, find(t, old[i].key, hash(t, old[i].key)),
			       old[i], tags[i]);
	}
	free(old);
}

void *table_get(const struct table *t, const void *key)
{
	size_t i;

	if (t->n == 0)
		return NULL;
	i = find(t, key, hash(t, key));
	return t->tags[i] ? t->slots[i].val : NULL;
}

void table_put(struct table *t, const void *key, void *val)
{
	uint64_t h = hash(t, key);
	size_t i;

	must(val != NULL);
	if (t->n >= t->cap / 3 * 2)
		resize(t, t->cap ? t->cap * 2 : CAP_FIRST);
	i = find(t, key, h);
	must(!t->tags[i]);
	put_at(t, i, (struct table_slot){key, val}, tag_of(h));
	t->n++;
}

/* Close the hole at i: an entry behind it moves into it unless its home lies
 * after the hole (counted around the end). */
static void close_hole(struct table *t, size_t i)
{
	size_t mask = t->cap - 1, k;

	for (k = (i + 1) & mask; t->tags[k]; k = (k + 1) & mask) {
		size_t h = (size_t)hash(t, t->slots[k].key);

		if (((k - h) & mask) < ((k - i) & mask))
			continue;
		put_at(t, i, t->slots[k], t->tags[k]);
		i = k;
	}
	t->tags[i] = 0;
}

void *table_del(struct table *t, const void *key)
{
	void *val;
	size_t i;

	if (t->n == 0)
		return NULL;
	i = find(t, key, hash(t, key));
	if (!t->tags[i])
		return NULL;
	val = t->slots[i].val;
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
	for (; *i < t->cap; ++*i) {
		if (t->tags[*i])
			return t->slots[(*i)++].val;
	}
	return NULL;
}

size_t table_memory(const struct table *t)
{
	return t->cap * (sizeof *t->slots + 1);
}
