/*
 * Borrowed bytes and 256-bit hashes: the two shapes that cross every folder.
 * Both have alignment 1, so a pointer into a message buffer is a valid one.
 */
#ifndef CAIRN_BASE_BYTES_H
#define CAIRN_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Borrowed bytes. Never owns, never outlives what it points into. */
struct slice {
	const uint8_t *p;
	size_t n;
};

/* A hash in wire order (the reverse of what people read). */
struct hash256 {
	uint8_t b[32];
};

static inline struct slice slice_of(const void *p, size_t n)
{
	return (struct slice){.p = p, .n = n};
}

static inline bool slice_eq(struct slice a, struct slice b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* View 32 bytes at p as a hash; borrows p. */
static inline const struct hash256 *hash256_at(const uint8_t *p)
{
	return (const struct hash256 *)(const void *)p;
}

static inline bool hash256_eq(const struct hash256 *a, const struct hash256 *b)
{
	return memcmp(a->b, b->b, 32) == 0;
}

static inline bool hash256_is_zero(const struct hash256 *h)
{
	static const struct hash256 zero;
	return hash256_eq(h, &zero);
}

#endif
