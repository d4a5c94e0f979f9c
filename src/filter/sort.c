/*
 * Radix sort of 64-bit hashes, least significant digit first. Any thread; no
 * state.
 */
#include "sort.h"

#include <string.h>

enum { BITS = 11, DIGITS = 6, VALUES = 1 << BITS };

/* Below this many an insertion sort costs less than clearing the counters. */
#define FEW 48

static void sort_few(uint64_t *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint64_t x = v[i];
		size_t j = i;

		for (; j > 0 && v[j - 1] > x; j--)
			v[j] = v[j - 1];
		v[j] = x;
	}
}

static inline size_t digit(uint64_t x, unsigned d)
{
	return x >> (d * BITS) & (VALUES - 1);
}

static void scatter(uint64_t *to, const uint64_t *from, size_t n,
		    uint32_t count[VALUES], unsigned d)
{
	uint32_t at = 0;

	for (size_t i = 0; i < VALUES; i++) {
		uint32_t c = count[i];

		count[i] = at;
		at += c;
	}
	for (size_t i = 0; i < n; i++)
		to[count[digit(from[i], d)]++] = from[i];
}

void sort_u64(uint64_t *v, uint64_t *tmp, size_t n)
{
	uint32_t count[DIGITS][VALUES];

	if (n < FEW) {
		sort_few(v, n);
		return;
	}
	memset(count, 0, sizeof count);
	for (size_t i = 0; i < n; i++)
		for (unsigned d = 0; d < DIGITS; d++)
			count[d][digit(v[i], d)]++;
	/* An even number of passes ends where it began. */
	for (unsigned d = 0; d < DIGITS; d += 2) {
		scatter(tmp, v, n, count[d], d);
		scatter(v, tmp, n, count[d + 1], d + 1);
	}
}
