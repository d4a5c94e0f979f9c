/*
 * What "every field touched" means in the decode rows: integers and hashes are
 * read whole; of scripts, witness items and filters the length, the first and
 * the last byte.
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

static inline uint64_t touch_slice(struct slice s)
{
	return s.n ? s.n + s.p[0] + s.p[s.n - 1] : 0;
}

#endif
