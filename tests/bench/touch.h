/*
 * What "every field touched" means in the decode rows: integers and hashes are
 * read whole; of scripts, witness items and filters the length, the first and
 * the last byte. Rows of hashes are added up 16 bytes at a time, which is what
 * every processor has: the touching must not be what is measured.
 */
#ifndef CAIRN_TESTS_BENCH_TOUCH_H
#define CAIRN_TESTS_BENCH_TOUCH_H

#include <cairn/base/bytes.h>
#include <cairn/base/endian.h>

static inline uint64_t touch_32(const uint8_t *p)
{
	return le64_get(p) ^ le64_get(p + 8) ^ le64_get(p + 16) ^
	       le64_get(p + 24);
}

typedef uint64_t touch_vec __attribute__((vector_size(16)));

static inline touch_vec touch_vec_get(const uint8_t *p)
{
	touch_vec v;

	memcpy(&v, p, sizeof v);
	return v;
}

/* n hashes, stride bytes apart; le32 fields that stand before each, at -4, are
 * read too where the stride is 36. */
static inline uint64_t touch_hashes(const uint8_t *p, size_t stride, uint32_t n)
{
	touch_vec a = {0}, b = {0};
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++, p += stride) {
		a += touch_vec_get(p);
		b += touch_vec_get(p + 16);
		if (stride == 36)
			sum += le32_get(p - 4);
	}
	a ^= b;
	return sum + (a[0] ^ a[1]);
}

static inline uint64_t touch_slice(struct slice s)
{
	return s.n ? s.n + s.p[0] + s.p[s.n - 1] : 0;
}

#endif
