/*
 * Randomness. struct rand is fast and seedable, for choices that need no
 * secrecy beyond its seed; rand_os is the system's generator, for secrets.
 */
#ifndef CAIRN_BASE_RAND_H
#define CAIRN_BASE_RAND_H

#include <stddef.h>
#include <stdint.h>

struct rand {
	uint64_t s[4];
};

/* Deterministic start from seed (tests). */
void rand_seed(struct rand *r, uint64_t seed);
/* Start from the system's generator. */
void rand_init(struct rand *r);
uint64_t rand_u64(struct rand *r);
/* Uniform in 0..n-1; n > 0. */
uint64_t rand_below(struct rand *r, uint64_t n);
/* Exponentially distributed with this mean (below 2^52): the time to the next
 * of events that come at random. At most 45 means. */
uint64_t rand_exp(struct rand *r, uint64_t mean);

/* n secret bytes; aborts when the system has none. Any thread. */
void rand_os(void *p, size_t n);

#endif
