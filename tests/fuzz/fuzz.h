/*
 * What the fuzz targets share. A target fuzz_<x>.c parses the input as one
 * view, reads everything that the view gives, writes it again and compares.
 * libFuzzer places the input so that a byte read behind it is a report.
 */
#ifndef CAIRN_TESTS_FUZZ_FUZZ_H
#define CAIRN_TESTS_FUZZ_FUZZ_H

#include <cairn/base/bytes.h>

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold whatever the input: a breach is a finding. */
#define fuzz_check(x)                                                          \
	do {                                                                   \
		if (!(x)) {                                                    \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,     \
				#x);                                           \
			abort();                                               \
		}                                                              \
	} while (0)

/* Read every byte. */
static inline void fuzz_touch(struct slice s)
{
	uint8_t sum = 0;

	for (size_t i = 0; i < s.n; i++)
		sum = (uint8_t)(sum + s.p[i]);
	__asm__ volatile("" : : "r"(sum));
}

static inline void fuzz_touch_hash(const struct hash256 *h)
{
	fuzz_touch(slice_of(h->b, sizeof h->b));
}

/* Fresh memory of exactly n bytes, so that writing more is a report. */
static inline uint8_t *fuzz_new(size_t n)
{
	uint8_t *p = malloc(n ? n : 1);

	fuzz_check(p);
	return p;
}

/* end is where a put stopped: it wrote the n bytes that were announced, and
 * they are those at want. Frees out. */
static inline void fuzz_same(uint8_t *out, const uint8_t *end, size_t n,
			     const uint8_t *want)
{
	fuzz_check(end == out + n);
	fuzz_check(n == 0 || memcmp(out, want, n) == 0);
	free(out);
}

#endif
