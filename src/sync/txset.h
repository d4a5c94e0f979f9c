/*
 * Hashes met lately: a set that forgets the oldest. Remembers at least the last
 * `max` added and at most twice as many, by salted fingerprints of 64 bits, in
 * memory that grows with what is added: at most 43 bytes for each of max. One
 * thread.
 */
#ifndef CAIRN_SYNC_TXSET_H
#define CAIRN_SYNC_TXSET_H

#include <cairn/base/bytes.h>

struct txset_gen {
	uint64_t *slots; /* 0: free */
	size_t cap, n;
};

struct txset {
	uint64_t key[2];
	size_t max;
	struct txset_gen now, before;
};

void txset_init(struct txset *t, size_t max);
void txset_fini(struct txset *t);
void txset_add(struct txset *t, const struct hash256 *h);
/* True for what was added lately; for others but once in about 2^64 / max. */
bool txset_has(const struct txset *t, const struct hash256 *h);
void txset_clear(struct txset *t);

#endif
