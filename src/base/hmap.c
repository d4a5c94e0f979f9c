/*
 * The hash table: linear probing over a power of two, at most two thirds full,
 * deletion by moving later entries back (no tombstones). One thread or the
 * caller's lock. Does not shrink and does not own keys or values.
 */
#include <cairn/base/hmap.h>

#include <cairn/base/endian.h>
#include <cairn/base/mem.h>
#include <cairn/base/must.h>
#include <cairn/base/rand.h>

#include <stdlib.h>

#define CAP_FIRST 16

/* Both halves of the product, folded: every input bit reaches every output. */
static uint64_t mul_fold(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128 v = a;

	v *= b;
	return (uint64_t)v ^ (uint64_t)(v >> 64);
}

/* All 32 bytes count: a peer may announce hashes of nothing that agree in any
 * part it likes. */
static size_t home(const struct hmap *m, const struct hash256 *key)
{
	uint64_t h = mul_fold(le64_get(key->b) ^ m->salt[0],
			      le64_get(key->b + 8) ^ m->salt[1]);

	h = mul_fold(le64_get(key->b + 16) ^ m->salt[1] ^ h,
		     le64_get(key->b + 24) ^ m->salt[0] ^ (h << 32 | h >> 32));
	return (size_t)h & (m->cap - 1);
}

/* The slot of key, or the empty one where it would go; cap > 0. */
static size_t find(const struct hmap *m, const struct hash256 *key)
{
	size_t i = home(m, key);

	/* Ends: a third of the slots are empty. */
	while (m->slots[i].val && !hash256_eq(m->slots[i].key, key))
		i = (i + 1) & (m->cap - 1);
	return i;
}

void hmap_init(struct hmap *m)
{
	m->slots = NULL;
	m->cap = 0;
	m->n = 0;
	rand_os(m->salt, sizeof m->salt);
}

void hmap_fini(struct hmap *m)
{
	free(m->slots);
	m->slots = NULL;
	m->cap = 0;
	m->n = 0;
}

void *hmap_get(const struct hmap *m, const struct hash256 *key)
{
	return m->n ? m->slots[find(m, key)].val : NULL;
}

static void grow(struct hmap *m)
{
	struct hmap_slot *old = m->slots;
	size_t n = m->cap, i;

	m->cap = n ? n * 2 : CAP_FIRST;
	m->slots = xcalloc(m->cap, sizeof *m->slots);
	for (i = 0; i < n; i++) {
		if (old[i].val)
			m->slots[find(m, old[i].key)] = old[i];
	}
	free(old);
}

void hmap_put(struct hmap *m, const struct hash256 *key, void *val)
{
	size_t i;

	must(val != NULL);
	if (m->n >= m->cap / 3 * 2)
		grow(m);
	i = find(m, key);
	if (!m->slots[i].val)
		m->n++;
	m->slots[i].key = key;
	m->slots[i].val = val;
}

/* Close the hole at i: an entry behind it moves into it unless its home lies
 * after the hole (counted around the end). */
static void close_hole(struct hmap *m, size_t i)
{
	size_t mask = m->cap - 1, k;

	for (k = (i + 1) & mask; m->slots[k].val; k = (k + 1) & mask) {
		size_t h = home(m, m->slots[k].key);

		if (((k - h) & mask) < ((k - i) & mask))
			continue;
		m->slots[i] = m->slots[k];
		i = k;
	}
	m->slots[i].key = NULL;
	m->slots[i].val = NULL;
}

void *hmap_del(struct hmap *m, const struct hash256 *key)
{
	void *val;
	size_t i;

	if (m->n == 0)
		return NULL;
	i = find(m, key);
	val = m->slots[i].val;
	if (!val)
		return NULL;
	close_hole(m, i);
	m->n--;
	return val;
}

void *hmap_next(const struct hmap *m, size_t *i)
{
	while (*i < m->cap) {
		void *val = m->slots[(*i)++].val;

		if (val)
			return val;
	}
	return NULL;
}
