/*
 * The set of discouraged hosts. Runs on the loop. Two tables of hashes: a full
 * young one becomes the old one, so that the memory is bounded whatever comes.
 * Does not decide who is discouraged.
 */
#include "discouraged.h"

#include <cairn/base/mem.h>
#include <cairn/base/rand.h>
#include <cairn/crypto/siphash.h>

#include <stdlib.h>

#define GENERATION 8192u
#define SLOTS      (2 * GENERATION)

void discouraged_init(struct discouraged *d)
{
	*d = (struct discouraged){.n = 0};
	rand_os(d->key, sizeof d->key);
}

void discouraged_fini(struct discouraged *d)
{
	free(d->young);
	free(d->old);
}

static uint64_t hash_of(const struct discouraged *d, const struct netaddr *a)
{
	uint8_t b[33];
	uint64_t h;

	b[0] = a->net;
	memcpy(b + 1, a->b, sizeof a->b);
	h = siphash(d->key, b, 1u + a->n);
	return h ? h : 1; /* zero marks a free slot */
}

/* The slot that holds h, or the free one where it belongs. At most half of the
 * slots are taken, so there is one. */
static size_t slot_of(const uint64_t *table, uint64_t h)
{
	size_t i = h % SLOTS;

	while (table[i] && table[i] != h)
		i = (i + 1) % SLOTS;
	return i;
}

static bool table_has(const uint64_t *table, uint64_t h)
{
	return table && table[slot_of(table, h)] == h;
}

bool discouraged_has(const struct discouraged *d, const struct netaddr *a)
{
	uint64_t h = hash_of(d, a);

	return table_has(d->young, h) || table_has(d->old, h);
}

void discouraged_add(struct discouraged *d, const struct netaddr *a)
{
	uint64_t h = hash_of(d, a);

	if (table_has(d->young, h))
		return;
	if (d->n == GENERATION) {
		free(d->old);
		d->old = d->young;
		d->young = NULL;
		d->n = 0;
	}
	if (!d->young)
		d->young = xcalloc(SLOTS, sizeof *d->young);
	d->young[slot_of(d->young, h)] = h;
	d->n++;
}
