/*
 * Reads basic block filters (BIP 158): whether one is well-formed, and whether
 * it matches. Any thread; no state. Filters come from peers, so nothing is read
 * behind their end and no count is trusted.
 */
#include <cairn/filter/gcs.h>

#include "sort.h"

#include <cairn/base/mem.h>
#include <cairn/base/rd.h>
#include <cairn/crypto/siphash.h>

#include <stdlib.h>

/* Bits from the most significant end on. */
struct bits {
	const uint8_t *p, *end;
	uint64_t acc; /* the next n bits, left-aligned; ones may follow */
	unsigned n;
	bool bad;
};

/* At least 57 bits, or all that are left. */
static inline void refill(struct bits *r)
{
	if (__builtin_expect(r->end - r->p >= 8, 1)) {
		r->acc |= be64_get(r->p) >> r->n;
		r->p += (63 - r->n) / 8;
		r->n |= 56;
		return;
	}
	while (r->n <= 56 && r->p < r->end) {
		r->acc |= (uint64_t)*r->p++ << (56 - r->n);
		r->n += 8;
	}
}

/* Move on by 1 to 64 bits. */
static inline void skip(struct bits *r, unsigned n)
{
	r->acc = r->acc << (n - 1) << 1;
	r->n -= n;
}

/* A difference whose quotient does not fit what one refill gives. */
static uint64_t long_delta(struct bits *r)
{
	uint64_t q = 0;
	unsigned ones;

	for (;;) {
		refill(r);
		ones = r->acc == UINT64_MAX
			   ? 64
			   : (unsigned)__builtin_clzll(~r->acc);
		if (ones < r->n)
			break;
		if (r->n == 0) {
			r->bad = true;
			return 0;
		}
		q += r->n;
		r->acc = 0;
		r->n = 0;
	}
	q += ones;
	skip(r, ones + 1);
	refill(r);
	if (r->n < GCS_P) {
		r->bad = true;
		return 0;
	}
	q = q << GCS_P | r->acc >> (64 - GCS_P);
	skip(r, GCS_P);
	return q;
}

/* The next difference; bad at the end of the bytes. */
static inline uint64_t next_delta(struct bits *r)
{
	unsigned ones;
	uint64_t delta;

	if (r->n < 32)
		refill(r);
	ones = (unsigned)__builtin_clzll(~r->acc | 1);
	if (__builtin_expect(ones + 1 + GCS_P > r->n, 0))
		return long_delta(r);
	delta = r->acc << ones << 1 >> (64 - GCS_P);
	skip(r, ones + 1 + GCS_P);
	return (uint64_t)ones << GCS_P | delta;
}

/* The count, and the set behind it as bits. False when the count is malformed
 * or more than the bytes can hold. */
static bool open_filter(struct bits *r, uint64_t *n, struct slice filter)
{
	struct rd rd;

	rd_init(&rd, filter);
	*n = rd_compact(&rd);
	if (!rd_ok(&rd) || *n > rd_left(&rd) * 8 / (GCS_P + 1))
		return false;
	*r = (struct bits){.p = rd.p, .end = rd.end};
	return true;
}

bool gcs_valid(struct slice filter)
{
	struct bits r;
	uint64_t n;

	if (!open_filter(&r, &n, filter))
		return false;
	for (; n > 0 && !r.bad; n--)
		next_delta(&r);
	/* What pads the last byte is not judged. */
	return !r.bad && r.p == r.end && r.n < 8;
}

/* Walk the filter beside sorted queries; whether they meet. */
static bool meet(bool *bad, struct bits *r, uint64_t n, const uint64_t *query,
		 size_t queries)
{
	uint64_t value = 0;
	size_t i = 0;

	for (; n > 0; n--) {
		value += next_delta(r);
		if (__builtin_expect(r->bad, 0)) {
			*bad = true;
			return false;
		}
		while (query[i] < value)
			if (++i == queries)
				return false;
		if (query[i] == value)
			return true;
	}
	return false;
}

static void map_to_range(uint64_t *v, const uint64_t key[2], uint64_t range,
			 const struct slice *elements, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t h = siphash(key, elements[i].p, elements[i].n);
		__extension__ unsigned __int128 wide =
		    (unsigned __int128)h * range;

		v[i] = (uint64_t)(wide >> 64);
	}
}

bool gcs_match_any(bool *bad, struct slice filter,
		   const struct hash256 *block_hash,
		   const struct slice *elements, size_t n)
{
	const uint64_t key[2] = {le64_get(block_hash->b),
				 le64_get(block_hash->b + 8)};
	uint64_t few[2 * 32], *query = few, count;
	struct bits r;
	bool yes;

	*bad = !open_filter(&r, &count, filter);
	if (*bad || count == 0 || n == 0)
		return false;
	if (n > 32)
		query = xmalloc(2 * n * sizeof *query);
	map_to_range(query, key, count * GCS_M, elements, n);
	sort_u64(query, query + n, n);
	yes = meet(bad, &r, count, query, n);
	if (query != few)
		free(query);
	return yes;
}
