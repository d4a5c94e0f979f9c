/*
 * Bytes that outlive the message they came from, scripts above all: up to 36
 * lie in the struct, more in one allocation, which is kept for the next value.
 * 40 bytes, alignment 4, so an array of them is dense. One thread at a time;
 * must not be copied by assignment (small_bytes_move does it).
 */
#ifndef CAIRN_BASE_SMALL_BYTES_H
#define CAIRN_BASE_SMALL_BYTES_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>

/* The longest value that needs no allocation: P2TR and P2WSH scripts have 34
 * bytes, the shortest script with a whole key 35. */
#define SMALL_BYTES_INLINE 36u
#define SMALL_BYTES_MAX    0x7fffffffu

struct small_bytes {
	uint32_t n_heap; /* the length twice, plus 1 where b holds a pointer */
	uint8_t b[SMALL_BYTES_INLINE]; /* the value, or pointer and capacity */
};

/* All zero is an empty value too. */
static inline void small_bytes_init(struct small_bytes *s)
{
	s->n_heap = 0;
}

void small_bytes_fini(struct small_bytes *s);

static inline bool small_bytes_is_inline(const struct small_bytes *s)
{
	return (s->n_heap & 1) == 0;
}

static inline uint32_t small_bytes_n(const struct small_bytes *s)
{
	return s->n_heap >> 1;
}

/* Where the value lies; invalid after the next change or move of s. */
static inline uint8_t *small_bytes_p(struct small_bytes *s)
{
	uint8_t *p = s->b;

	if (!small_bytes_is_inline(s))
		memcpy(&p, s->b, sizeof p);
	return p;
}

/* The value, borrowed until s is changed or moved. */
static inline struct slice small_bytes_slice(const struct small_bytes *s)
{
	const uint8_t *p = s->b;

	if (!small_bytes_is_inline(s))
		memcpy(&p, s->b, sizeof p);
	return slice_of(p, small_bytes_n(s));
}

/* Bytes there is room for without an allocation: 36 or more. */
static inline uint32_t small_bytes_cap(const struct small_bytes *s)
{
	uint32_t cap = SMALL_BYTES_INLINE;

	if (!small_bytes_is_inline(s))
		memcpy(&cap, s->b + sizeof(uint8_t *), sizeof cap);
	return cap;
}

/* What small_bytes_set and small_bytes_resize do where the room does not
 * suffice: an allocation of exactly n bytes, with the first keep copied over.
 */
int small_bytes_grow(struct small_bytes *s, size_t n, uint32_t keep) must_check;

/* Make it n bytes long; the first of them stay, new ones are whatever lay
 * there: they are about to be overwritten. 0, E_NOMEM or, above
 * SMALL_BYTES_MAX, E_LIMIT; s is then as it was. */
static inline int must_check small_bytes_resize(struct small_bytes *s, size_t n)
{
	if (__builtin_expect(n > small_bytes_cap(s), 0))
		return small_bytes_grow(s, n, small_bytes_n(s));
	s->n_heap = (uint32_t)n << 1 | (s->n_heap & 1);
	return 0;
}

/* Copy n bytes (16 to 48 of them) in overlapping pieces: no call, no loop. */
static inline void small_bytes_copy48(uint8_t *dst, const uint8_t *src,
				      size_t n)
{
	uint8_t a[16], mid[16], z[16];

	memcpy(a, src, 16);
	memcpy(mid, src + (n - 16) / 2, 16);
	memcpy(z, src + n - 16, 16);
	memcpy(dst, a, 16);
	memcpy(dst + (n - 16) / 2, mid, 16);
	memcpy(dst + n - 16, z, 16);
}

/* Replace the value by a copy of v, which must not lie in s. Same results as
 * small_bytes_resize. */
static inline int must_check small_bytes_set(struct small_bytes *s,
					     struct slice v)
{
	int rc = 0;

	if (__builtin_expect(v.n > small_bytes_cap(s), 0))
		rc = small_bytes_grow(s, v.n, 0);
	else
		s->n_heap = (uint32_t)v.n << 1 | (s->n_heap & 1);
	if (rc)
		return rc;
	if (__builtin_expect(v.n >= 16 && v.n <= 48, 1))
		small_bytes_copy48(small_bytes_p(s), v.p, v.n);
	else if (v.n)
		memcpy(small_bytes_p(s), v.p, v.n);
	return 0;
}

/* Hand the value of from over to to, whose own is given up; from is then
 * empty. */
static inline void small_bytes_move(struct small_bytes *to,
				    struct small_bytes *from)
{
	small_bytes_fini(to);
	*to = *from;
	from->n_heap = 0;
}

/* Give back room that is not needed. Where there is no memory for the smaller
 * allocation the larger one stays. */
void small_bytes_trim(struct small_bytes *s);

#endif
