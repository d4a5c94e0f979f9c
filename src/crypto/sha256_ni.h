/*
 * SHA-256 compression by the SHA extensions of x86 for any number of streams,
 * woven into each other to hide the latency of the round instruction: what the
 * files sha256_ni*.c have in common. Each includes it once, with NI defined as
 * the attribute of its target, and not all of it from one: gcc allocates
 * registers badly where functions of different targets are merged.
 */
#ifndef CAIRN_CRYPTO_SHA256_NI_H
#define CAIRN_CRYPTO_SHA256_NI_H

#include "lanes.h"

#include <immintrin.h>

/* The order below is meant: gcc's own costs two cycles of a hundred. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-schedule-insns2")
#endif

#define STREAMS_MAX 4

/* For i of n streams; n is constant, and both compilers unroll this whole. */
#define each_stream(i, n)                                                      \
	_Pragma("GCC unroll 4") for (unsigned i = 0; i < STREAMS_MAX;          \
				     i++) if (i < (n))

#define NI_INLINE static inline __attribute__((always_inline)) NI

/* One stream in flight: the state in the order the instructions want (abef,
 * cdgh) and the last 16 words of the schedule. */
struct ni {
	__m128i abef, cdgh, w[4];
};

/* Schedule plus constants of rounds 8 to 15 of the block that holds a digest:
 * there is nothing in it but padding. */
static const uint32_t digest_wk[8] = {
    0x5807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf274,
};

NI_INLINE __m128i get(const void *p)
{
	return _mm_loadu_si128(p);
}

NI_INLINE void put(void *p, __m128i v)
{
	_mm_storeu_si128(p, v);
}

NI_INLINE __m128i swap_bytes(__m128i x)
{
	const __m128i order =
	    _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);

	return _mm_shuffle_epi8(x, order);
}

NI_INLINE void load_state(struct ni *x, const uint32_t *s)
{
	__m128i cdab = _mm_shuffle_epi32(get(s), 0xb1);
	__m128i efgh = _mm_shuffle_epi32(get(s + 4), 0x1b);

	x->abef = _mm_alignr_epi8(cdab, efgh, 8);
	x->cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
}

/* The eight words in order. */
NI_INLINE void words(const struct ni *x, __m128i *abcd, __m128i *efgh)
{
	__m128i feba = _mm_shuffle_epi32(x->abef, 0x1b);
	__m128i dchg = _mm_shuffle_epi32(x->cdgh, 0xb1);

	*abcd = _mm_blend_epi16(feba, dchg, 0xf0);
	*efgh = _mm_alignr_epi8(dchg, feba, 8);
}

NI_INLINE void store_state(uint32_t *s, const struct ni *x)
{
	__m128i abcd, efgh;

	words(x, &abcd, &efgh);
	put(s, abcd);
	put(s + 4, efgh);
}

/* The halves come as b a d c and f e h g, so reversing eight bytes at a time
 * puts words and bytes in their place. */
NI_INLINE void put_digest(uint8_t *out, const struct ni *x)
{
	const __m128i order =
	    _mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607);
	__m128i badc = _mm_unpackhi_epi64(x->abef, x->cdgh);
	__m128i fehg = _mm_unpacklo_epi64(x->abef, x->cdgh);

	put(out, _mm_shuffle_epi8(badc, order));
	put(out + 16, _mm_shuffle_epi8(fehg, order));
}

NI_INLINE void load_block(struct ni *x, const uint8_t *p)
{
	x->w[0] = swap_bytes(get(p));
	x->w[1] = swap_bytes(get(p + 16));
	x->w[2] = swap_bytes(get(p + 32));
	x->w[3] = swap_bytes(get(p + 48));
}

/* The message of one digest, whose words are w[0] and w[1]. */
NI_INLINE void pad_digest(struct ni *x)
{
	x->w[2] = _mm_set_epi32(0, 0, 0, (int)0x80000000);
	x->w[3] = _mm_set_epi32(256, 0, 0, 0);
	load_state(x, sha256_iv);
}

/* Two rounds by the lower half of the sum of schedule and constants, two more
 * by what was its upper half. */
NI_INLINE void rounds_low(struct ni *x, __m128i sum)
{
	x->cdgh = _mm_sha256rnds2_epu32(x->cdgh, x->abef, sum);
}

NI_INLINE void rounds_high(struct ni *x, __m128i high)
{
	x->abef = _mm_sha256rnds2_epu32(x->abef, x->cdgh, high);
}

/* The four words of the schedule 16 rounds after group g. */
NI_INLINE void schedule(struct ni *x, unsigned g)
{
	__m128i *w = x->w;
	__m128i mid, t;

	if (g >= 12)
		return;
	mid = _mm_alignr_epi8(w[(g + 3) & 3], w[(g + 2) & 3], 4);
	t = _mm_sha256msg1_epu32(w[g & 3], w[(g + 1) & 3]);
	t = _mm_add_epi32(t, mid);
	w[g & 3] = _mm_sha256msg2_epu32(t, w[(g + 3) & 3]);
}

/* Rounds 4g to 4g + 3 of n streams, and the schedule of the rounds 16 later. */
NI_INLINE void group(struct ni *x, unsigned n, unsigned g)
{
	each_stream (i, n) {
		__m128i sum =
		    _mm_add_epi32(x[i].w[g & 3], get(sha256_k + 4 * g));

		schedule(&x[i], g);
		rounds_low(&x[i], sum);
		rounds_high(&x[i], _mm_shuffle_epi32(sum, 0x0e));
	}
}

/* The same where schedule and constants are known beforehand. */
NI_INLINE void known_group(struct ni *x, unsigned n, const uint32_t *wk)
{
	__m128i sum = get(wk), high = _mm_loadl_epi64((const void *)(wk + 2));

	each_stream (i, n)
		rounds_low(&x[i], sum);
	each_stream (i, n)
		rounds_high(&x[i], high);
}

NI_INLINE void digest_group(struct ni *x, unsigned n, unsigned g)
{
	known_group(x, n, digest_wk + 4 * (g - 2));
	each_stream (i, n)
		schedule(&x[i], g);
}

/* Not a loop: gcc 12 would let one keep values in memory. */
#define FIRST_GROUPS(X) X(0) X(1)
#define MORE_GROUPS(X)  X(2) X(3)
#define LATER_GROUPS(X)                                                        \
	X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)

#define GROUP(g)        group(x, n, g);
#define PAD64_GROUP(g)  known_group(x, n, sha256_pad64_wk + 4 * (g));
#define DIGEST_GROUP(g) digest_group(x, n, g);

NI_INLINE void add_state(struct ni *x, unsigned n, const struct ni *before)
{
	each_stream (i, n) {
		x[i].abef = _mm_add_epi32(x[i].abef, before[i].abef);
		x[i].cdgh = _mm_add_epi32(x[i].cdgh, before[i].cdgh);
	}
}

NI_INLINE void save_state(struct ni *before, const struct ni *x, unsigned n)
{
	each_stream (i, n) {
		before[i].abef = x[i].abef;
		before[i].cdgh = x[i].cdgh;
	}
}

NI_INLINE void compress(struct ni *x, unsigned n)
{
	struct ni before[STREAMS_MAX];

	save_state(before, x, n);
	FIRST_GROUPS(GROUP)
	MORE_GROUPS(GROUP)
	LATER_GROUPS(GROUP)
	add_state(x, n, before);
}

/* The block that pads a message of 64 bytes. */
NI_INLINE void compress_pad64(struct ni *x, unsigned n)
{
	struct ni before[STREAMS_MAX];

	save_state(before, x, n);
	FIRST_GROUPS(PAD64_GROUP)
	MORE_GROUPS(PAD64_GROUP)
	LATER_GROUPS(PAD64_GROUP)
	add_state(x, n, before);
}

/* The block that pad_digest made. */
NI_INLINE void compress_digest(struct ni *x, unsigned n)
{
	struct ni before[STREAMS_MAX];

	save_state(before, x, n);
	FIRST_GROUPS(GROUP)
	MORE_GROUPS(DIGEST_GROUP)
	LATER_GROUPS(GROUP)
	add_state(x, n, before);
}

NI_INLINE void run(uint32_t *state, const uint8_t *const *p, size_t blocks,
		   unsigned n)
{
	struct ni x[STREAMS_MAX];

	each_stream (i, n)
		load_state(&x[i], state + 8 * i);
	for (size_t b = 0; b < blocks; b++) {
		each_stream (i, n)
			load_block(&x[i], p[i] + 64 * b);
		compress(x, n);
	}
	each_stream (i, n)
		store_state(state + 8 * i, &x[i]);
}

NI_INLINE void turn(uint32_t *state, uint32_t lanes, uint8_t *digests,
		    unsigned n)
{
	each_stream (i, n) {
		uint32_t *s = state + 8 * i;

		put(digests + 32 * i, swap_bytes(get(s)));
		put(digests + 32 * i + 16, swap_bytes(get(s + 4)));
		if (lanes >> i & 1) {
			put(s, get(sha256_iv));
			put(s + 4, get(sha256_iv + 4));
		}
	}
}

/* The states are digests: hash them again. */
NI_INLINE void again(uint8_t *out, struct ni *x, unsigned n)
{
	each_stream (i, n) {
		words(&x[i], &x[i].w[0], &x[i].w[1]);
		pad_digest(&x[i]);
	}
	compress_digest(x, n);
	each_stream (i, n)
		put_digest(out + 32 * i, &x[i]);
}

NI_INLINE void d32(uint8_t *io, unsigned n)
{
	struct ni x[STREAMS_MAX];

	each_stream (i, n) {
		x[i].w[0] = swap_bytes(get(io + 32 * i));
		x[i].w[1] = swap_bytes(get(io + 32 * i + 16));
		pad_digest(&x[i]);
	}
	compress_digest(x, n);
	each_stream (i, n)
		put_digest(io + 32 * i, &x[i]);
}

NI_INLINE void d64(uint8_t *out, const uint8_t *in, unsigned n)
{
	struct ni x[STREAMS_MAX];

	each_stream (i, n) {
		load_state(&x[i], sha256_iv);
		load_block(&x[i], in + 64 * i);
	}
	compress(x, n);
	compress_pad64(x, n);
	again(out, x, n);
}

/* The functions of a kernel of n streams, and the kernel. */
#define KERNEL(id, n, can)                                                     \
	NI static void run_##id(uint32_t *state, const uint8_t *const *p,      \
				size_t blocks)                                 \
	{                                                                      \
		run(state, p, blocks, n);                                      \
	}                                                                      \
	NI static void turn_##id(uint32_t *state, uint32_t lanes,              \
				 uint8_t *digests)                             \
	{                                                                      \
		turn(state, lanes, digests, n);                                \
	}                                                                      \
	NI static void d32_##id(uint8_t *io)                                   \
	{                                                                      \
		d32(io, n);                                                    \
	}                                                                      \
	NI static void d64_##id(uint8_t *out, const uint8_t *in)               \
	{                                                                      \
		d64(out, in, n);                                               \
	}                                                                      \
	const struct sha256_lanes sha256_##id = {                              \
	    .name = "sha-ni",                                                  \
	    .width = n,                                                        \
	    .word_step = 1,                                                    \
	    .lane_step = 8,                                                    \
	    .usable = can,                                                     \
	    .run = run_##id,                                                   \
	    .turn = turn_##id,                                                 \
	    .d32 = d32_##id,                                                   \
	    .d64 = d64_##id,                                                   \
	}

#endif
