/*
 * SHA-256 compression of sixteen messages at a time by AVX-512: one 32-bit lane
 * of every register belongs to one message. Any thread; no state. Only run
 * where usable() says yes.
 */
#include "lanes.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define WIDE        __attribute__((target("avx512f,avx512bw")))
#define WIDE_INLINE static inline __attribute__((always_inline)) WIDE

typedef __m512i v; /* sixteen words */

WIDE_INLINE v get(const void *p)
{
	return _mm512_loadu_si512(p);
}

WIDE_INLINE void put(void *p, v x)
{
	_mm512_storeu_si512(p, x);
}

WIDE_INLINE v all(uint32_t x)
{
	return _mm512_set1_epi32((int)x);
}

WIDE_INLINE v add(v x, v y)
{
	return _mm512_add_epi32(x, y);
}

WIDE_INLINE v xor3(v x, v y, v z)
{
	return _mm512_ternarylogic_epi32(x, y, z, 0x96);
}

WIDE_INLINE v big0(v x)
{
	return xor3(_mm512_ror_epi32(x, 2), _mm512_ror_epi32(x, 13),
		    _mm512_ror_epi32(x, 22));
}

WIDE_INLINE v big1(v x)
{
	return xor3(_mm512_ror_epi32(x, 6), _mm512_ror_epi32(x, 11),
		    _mm512_ror_epi32(x, 25));
}

WIDE_INLINE v small0(v x)
{
	return xor3(_mm512_ror_epi32(x, 7), _mm512_ror_epi32(x, 18),
		    _mm512_srli_epi32(x, 3));
}

WIDE_INLINE v small1(v x)
{
	return xor3(_mm512_ror_epi32(x, 17), _mm512_ror_epi32(x, 19),
		    _mm512_srli_epi32(x, 10));
}

/* One round; the caller rotates the names instead of the registers. */
WIDE_INLINE void round1(const v *a, const v *b, const v *c, v *d, const v *e,
			const v *f, const v *g, v *h, v wk)
{
	v ch = _mm512_ternarylogic_epi32(*e, *f, *g, 0xca);
	v maj = _mm512_ternarylogic_epi32(*a, *b, *c, 0xe8);
	v t = add(add(add(*h, wk), big1(*e)), ch);

	*d = add(*d, t);
	*h = add(t, add(big0(*a), maj));
}

/* Eight rounds from round base + i on; X gives schedule plus constant. */
#define ROUNDS8(s, base, i, X)                                                 \
	do {                                                                   \
		v *a = (s), *b = a + 1, *c = a + 2, *d = a + 3, *e = a + 4,    \
		  *f = a + 5, *g = a + 6, *h = a + 7;                          \
		round1(a, b, c, d, e, f, g, h, X(base, (i) + 0));              \
		round1(h, a, b, c, d, e, f, g, X(base, (i) + 1));              \
		round1(g, h, a, b, c, d, e, f, X(base, (i) + 2));              \
		round1(f, g, h, a, b, c, d, e, X(base, (i) + 3));              \
		round1(e, f, g, h, a, b, c, d, X(base, (i) + 4));              \
		round1(d, e, f, g, h, a, b, c, X(base, (i) + 5));              \
		round1(c, d, e, f, g, h, a, b, X(base, (i) + 6));              \
		round1(b, c, d, e, f, g, h, a, X(base, (i) + 7));              \
	} while (0)

WIDE_INLINE v schedule(v w[16], unsigned i)
{
	v t = add(w[i & 15], small0(w[(i + 1) & 15]));

	t = add(t, add(w[(i + 9) & 15], small1(w[(i + 14) & 15])));
	w[i & 15] = t;
	return t;
}

#define FIRST(base, i) add(w[i], all(sha256_k[i]))
#define LATER(base, i) add(schedule(w, i), all(sha256_k[(base) + (i)]))
#define PAD(base, i)   all(sha256_pad64_wk[(base) + (i)])

/* All rounds on s with the block w; adds the state that s had before. */
WIDE_INLINE void compress(v s[8], v w[16])
{
	v old[8];

#pragma GCC unroll 16
	for (int i = 0; i < 8; i++)
		old[i] = s[i];
	ROUNDS8(s, 0, 0, FIRST);
	ROUNDS8(s, 0, 8, FIRST);
	for (unsigned base = 16; base < 64; base += 16) {
		ROUNDS8(s, base, 0, LATER);
		ROUNDS8(s, base, 8, LATER);
	}
#pragma GCC unroll 16
	for (int i = 0; i < 8; i++)
		s[i] = add(s[i], old[i]);
}

WIDE_INLINE void compress_pad64(v s[8])
{
	v old[8];

#pragma GCC unroll 16
	for (int i = 0; i < 8; i++)
		old[i] = s[i];
	for (unsigned base = 0; base < 64; base += 8)
		ROUNDS8(s, base, 0, PAD);
#pragma GCC unroll 16
	for (int i = 0; i < 8; i++)
		s[i] = add(s[i], old[i]);
}

WIDE_INLINE v swap_bytes(v x)
{
	const v order =
	    _mm512_set4_epi32(0x0c0d0e0f, 0x08090a0b, 0x04050607, 0x00010203);

	return _mm512_shuffle_epi8(x, order);
}

/* Rows of 16 words to columns, in four steps of pairwise interleaving. */
WIDE_INLINE void transpose(v r[16])
{
	v t[16];

#pragma GCC unroll 16
	for (int i = 0; i < 16; i += 2) {
		t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
		t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
	}
#pragma GCC unroll 16
	for (int i = 0; i < 16; i += 4) {
		r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
		r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
		r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
		r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
	}
#pragma GCC unroll 16
	for (int i = 0; i < 4; i++) {
		t[i] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0x88);
		t[i + 4] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0xdd);
		t[i + 8] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0x88);
		t[i + 12] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0xdd);
	}
#pragma GCC unroll 16
	for (int i = 0; i < 4; i++) {
		r[i] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0x88);
		r[i + 8] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0xdd);
		r[i + 4] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], 0x88);
		r[i + 12] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], 0xdd);
	}
}

WIDE static void run(uint32_t *state, const uint8_t *const *p, size_t blocks)
{
	v s[8], w[16];

#pragma GCC unroll 16
	for (int i = 0; i < 8; i++)
		s[i] = get(state + 16 * i);
	for (size_t n = 0; n < blocks; n++) {
#pragma GCC unroll 16
		for (int i = 0; i < 16; i++)
			w[i] = swap_bytes(get(p[i] + 64 * n));
		transpose(w);
		compress(s, w);
	}
#pragma GCC unroll 16
	for (int i = 0; i < 8; i++)
		put(state + 16 * i, s[i]);
}

WIDE_INLINE v get_half(const uint8_t *p)
{
	return _mm512_zextsi256_si512(_mm256_loadu_si256((const void *)p));
}

WIDE_INLINE void put_half(uint8_t *p, v x)
{
	_mm256_storeu_si256((void *)p, _mm512_castsi512_si256(x));
}

/* The first eight of sixteen registers are states: their digests. */
WIDE_INLINE void put_digests(uint8_t *out, v w[16])
{
#pragma GCC unroll 16
	for (int i = 8; i < 16; i++)
		w[i] = all(0);
	transpose(w);
#pragma GCC unroll 16
	for (int i = 0; i < 16; i++)
		put_half(out + 32 * i, swap_bytes(w[i]));
}

WIDE static void turn(uint32_t *state, uint32_t lanes, uint8_t *digests)
{
	v w[16];

#pragma GCC unroll 16
	for (int i = 0; i < 8; i++) {
		w[i] = get(state + 16 * i);
		put(state + 16 * i,
		    _mm512_mask_mov_epi32(w[i], (__mmask16)lanes,
					  all(sha256_iv[i])));
	}
	put_digests(digests, w);
}

WIDE_INLINE void set_iv(v s[8])
{
#pragma GCC unroll 16
	for (int i = 0; i < 8; i++)
		s[i] = all(sha256_iv[i]);
}

/* The first eight words are digests: hash them as messages of their own. */
WIDE_INLINE void again(uint8_t *out, v w[16])
{
	v s[8];

#pragma GCC unroll 16
	for (int i = 9; i < 15; i++)
		w[i] = all(0);
	w[8] = all(0x80000000);
	w[15] = all(256);
	set_iv(s);
	compress(s, w);
#pragma GCC unroll 16
	for (int i = 0; i < 8; i++)
		w[i] = s[i];
	put_digests(out, w);
}

WIDE static void d32(uint8_t *io)
{
	v w[16];

#pragma GCC unroll 16
	for (int i = 0; i < 16; i++)
		w[i] = swap_bytes(get_half(io + 32 * i));
	transpose(w);
	again(io, w);
}

WIDE static void d64(uint8_t *out, const uint8_t *in)
{
	v s[8], w[16];

#pragma GCC unroll 16
	for (int i = 0; i < 16; i++)
		w[i] = swap_bytes(get(in + 64 * i));
	transpose(w);
	set_iv(s);
	compress(s, w);
	compress_pad64(s);
#pragma GCC unroll 16
	for (int i = 0; i < 8; i++)
		w[i] = s[i];
	again(out, w);
}

static bool usable(void)
{
	return __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512bw");
}

const struct sha256_lanes sha256_avx512 = {
    .name = "avx512",
    .width = 16,
    .word_step = 16,
    .lane_step = 1,
    .usable = usable,
    .run = run,
    .turn = turn,
    .d32 = d32,
    .d64 = d64,
};

#endif
