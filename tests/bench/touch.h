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
 * read too where the stride is 36. Four sums, so that no addition waits for the
 * one before. */
static inline uint64_t touch_hashes(const uint8_t *p, size_t stride, uint32_t n)
{
	touch_vec sum[4] = {{0}, {0}, {0}, {0}};
	uint64_t types = 0;

	for (; n >= 2; n -= 2, p += 2 * stride) {
		sum[0] += touch_vec_get(p);
		sum[1] += touch_vec_get(p + 16);
		sum[2] += touch_vec_get(p + stride);
		sum[3] += touch_vec_get(p + stride + 16);
		if (stride == 36)
			types += le32_get(p - 4) + (uint64_t)le32_get(p + 32);
	}
	if (n) {
		sum[0] += touch_vec_get(p);
		sum[1] += touch_vec_get(p + 16);
		if (stride == 36)
			types += le32_get(p - 4);
	}
	sum[0] ^= sum[1] ^ sum[2] ^ sum[3];
	return types + (sum[0][0] ^ sum[0][1]);
}

static inline uint64_t touch_slice(struct slice s)
{
	return s.n ? s.n + s.p[0] + s.p[s.n - 1] : 0;
}

#endif
