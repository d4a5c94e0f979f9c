/*
 * Builds the basic block filter (BIP 158): collects hashes of scripts, sorts
 * them, and codes the differences. One thread at a time per builder; reads no
 * blocks and no coins.
 */
#include <cairn/filter/gcs.h>

#include "sort.h"

#include <cairn/base/buf.h>
#include <cairn/base/err.h>
#include <cairn/base/mem.h>
#include <cairn/base/rd.h>
#include <cairn/crypto/siphash.h>

#include <stdlib.h>

#define OP_RETURN_BYTE 0x6a

void gcs_builder_init(struct gcs_builder *b, const struct hash256 *block_hash)
{
	memset(b, 0, sizeof *b);
	b->key[0] = le64_get(block_hash->b);
	b->key[1] = le64_get(block_hash->b + 8);
}

void gcs_builder_fini(struct gcs_builder *b)
{
	free(b->hashes);
	b->hashes = NULL;
	b->n = b->cap = 0;
}

void gcs_add(struct gcs_builder *b, struct slice element)
{
	if (b->n == b->cap)
		arr_grow(&b->hashes, &b->cap, b->n + 1, sizeof *b->hashes);
	b->hashes[b->n++] = siphash(b->key, element.p, element.n);
}

void gcs_add_script(struct gcs_builder *b, struct slice script)
{
	if (script.n > 0 && script.p[0] != OP_RETURN_BYTE)
		gcs_add(b, script);
}

/* Drop repeated values of a sorted array; how many are left. The set is one of
 * scripts; two that share all 64 bits of a hash keyed by the block's own hash
 * do not come up. */
static size_t unique(uint64_t *v, size_t n)
{
	size_t m = n > 0;

	for (size_t i = 1; i < n; i++)
		if (v[i] != v[m - 1])
			v[m++] = v[i];
	return m;
}

/* Bits from the most significant end on. Every put stores 8 bytes, so the
 * buffer needs that much room behind its last bit. */
struct bits {
	uint8_t *p;
	uint64_t acc; /* bits not stored yet, left-aligned */
	unsigned n;   /* of them fewer than 8 between calls */
};

/* Append the low n <= 56 bits of v; the others are zero. */
static inline void bits_put(struct bits *w, uint64_t v, unsigned n)
{
	w->acc |= v << (64 - w->n - n);
	w->n += n;
	be64_put(w->p, w->acc);
	w->p += w->n / 8;
	w->acc <<= w->n & ~7u;
	w->n &= 7;
}

/* Golomb-Rice: the quotient in unary ones and a zero, the remainder in P bits.
 */
static inline void put_delta(struct bits *w, uint64_t delta)
{
	uint64_t q = delta >> GCS_P, r = delta & ((1u << GCS_P) - 1);

	for (; q > 32; q -= 32)
		bits_put(w, 0xffffffff, 32);
	bits_put(w, (((uint64_t)2 << q) - 2) << GCS_P | r,
		 (unsigned)q + 1 + GCS_P);
}

static uint8_t *put_set(uint8_t *p, const uint64_t *hashes, size_t n)
{
	struct bits w = {.p = p};
	uint64_t range = (uint64_t)n * GCS_M, last = 0;

	for (size_t i = 0; i < n; i++) {
		/* Multiplying instead of dividing keeps the order. */
		__extension__ unsigned __int128 wide =
		    (unsigned __int128)hashes[i] * range;
		uint64_t value = (uint64_t)(wide >> 64);

		put_delta(&w, value - last);
		last = value;
	}
	return w.p + (w.n > 0);
}

/* The quotients add up to no more than that of the range. */
static size_t set_bytes_max(size_t n)
{
	size_t bits = n * (GCS_P + 1) + n * GCS_M / (1u << GCS_P) + 1;

	return bits / 8 + 1 + sizeof(uint64_t);
}

int gcs_build(struct buf **out, struct gcs_builder *b)
{
	struct buf *filter, *tmp;
	uint8_t *p;

	if (b->n > GCS_ELEMENTS_MAX)
		return E_LIMIT;
	filter = buf_new(5 + set_bytes_max(b->n));
	tmp = buf_new(b->n * sizeof *b->hashes);
	if (!filter || !tmp) {
		buf_unref(filter);
		buf_unref(tmp);
		return E_NOMEM;
	}
	sort_u64(b->hashes, (void *)buf_data(tmp), b->n);
	buf_unref(tmp);
	b->n = unique(b->hashes, b->n);
	p = compact_put(buf_data(filter), b->n);
	p = put_set(p, b->hashes, b->n);
	filter->n = (size_t)(p - buf_data(filter));
	*out = filter;
	return 0;
}
