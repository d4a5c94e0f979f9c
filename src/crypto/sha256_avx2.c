/*
 * SHA-256 compression of eight messages at a time by AVX2: one 32-bit lane of
 * every register belongs to one message. For processors that have neither the
 * SHA extensions nor AVX-512. Any thread; no state. Only run where usable()
 * says yes.
 */
#include "lanes.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define WIDE        __attribute__((target("avx2")))
#define WIDE_INLINE static inline __attribute__((always_inline)) WIDE

typedef __m256i v; /* eight words */

WIDE_INLINE v get(const void *p)
{
	return _mm256_loadu_si256(p);
}

WIDE_INLINE void put(void *p, v x)
{
	_mm256_storeu_si256(p, x);
}

WIDE_INLINE v all(uint32_t x)
{
	return _mm256_set1_epi32((int)x);
}

WIDE_INLINE v add(v x, v y)
{
	return _mm256_add_epi32(x, y);
}

WIDE_INLINE v xor3(v x, v y, v z)
{
	return _mm256_xor_si256(_mm256_xor_si256(x, y), z);
}

WIDE_INLINE v ror(v x, int n)
{
	return _mm256_or_si256(_mm256_srli_epi32(x, n),
			       _mm256_slli_epi32(x, 32 - n));
}

WIDE_INLINE v small0(v x)
{
	return xor3(ror(x, 7), ror(x, 18), _mm256_srli_epi32(x, 3));
}

WIDE_INLINE v small1(v x)
{
	return xor3(ror(x, 17), ror(x, 19), _mm256_srli_epi32(x, 10));
}

WIDE_INLINE v choose(v e, v f, v g)
{
	return _mm256_xor_si256(g, _mm256_and_si256(e, _mm256_xor_si256(f, g)));
}

WIDE_INLINE v majority(v a, v b, v c)
{
	return _mm256_or_si256(_mm256_and_si256(a, b),
			       _mm256_and_si256(c, _mm256_or_si256(a, b)));
}

/* One round; the caller rotates the names instead of the registers. */
WIDE_INLINE void round1(const v *a, const v *b, const v *c, v *d, const v *e,
			const v *f, const v *g, v *h, v wk)
{
	v big1 = xor3(ror(*e, 6), ror(*e, 11), ror(*e, 25));
	v big0 = xor3(ror(*a, 2), ror(*a, 13), ror(*a, 22));
	v t = add(add(add(*h, wk), big1), choose(*e, *f, *g));

	*d = add(*d, t);
	*h = add(t, add(big0, majority(*a, *b, *c)));
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
	    _mm256_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203,
			      0x0c0d0e0f08090a0b, 0x0405060700010203);

	return _mm256_shuffle_epi8(x, order);
}

/* Rows of 8 words to columns, in three steps of pairwise interleaving. */
WIDE_INLINE void transpose(v r[8])
{
	v t[8];

#pragma GCC unroll 16
	for (int i = 0; i < 8; i += 2) {
		t[i] = _mm256_unpacklo_epi32(r[i], r[i + 1]);
		t[i + 1] = _mm256_unpackhi_epi32(r[i], r[i + 1]);
	}
#pragma GCC unroll 16
	for (int i = 0; i < 8; i += 4) {
		r[i] = _mm256_unpacklo_epi64(t[i], t[i + 2]);
		r[i + 1] = _mm256_unpackhi_epi64(t[i], t[i + 2]);
		r[i + 2] = _mm256_unpacklo_epi64(t[i + 1], t[i + 3]);
		r[i + 3] = _mm256_unpackhi_epi64(t[i + 1], t[i + 3]);
	}
#pragma GCC unroll 16
	for (int i = 0; i < 4; i++) {
		t[i] = _mm256_permute2x128_si256(r[i], r[i + 4], 0x20);
		t[i + 4] = _mm256_permute2x128_si256(r[i], r[i + 4], 0x31);
	}
#pragma GCC unroll 16
	for (int i = 0; i < 8; i++)
		r[i] = t[i];
}

/* Half a block of each lane at a time fits the square transposition. */
WIDE_INLINE void load_half(v w[8], const uint8_t *const *p, size_t off)
{
#pragma GCC unroll 16
	for (int i = 0; i < 8; i++)
		w[i] = swap_bytes(get(p[i] + off));
	transpose(w);
}

WIDE static void run(uint32_t *state, const uint8_t *const *p, size_t blocks)
{
	v s[8], w[16];

#pragma GCC unroll 16
	for (int i = 0; i < 8; i++)
		s[i] = get(state + 8 * i);
	for (size_t n = 0; n < blocks; n++) {
		load_half(w, p, 64 * n);
		load_half(w + 8, p, 64 * n + 32);
		compress(s, w);
	}
#pragma GCC unroll 16
	for (int i = 0; i < 8; i++)
		put(state + 8 * i, s[i]);
}

/* All ones in the lanes whose bit is set. */
WIDE_INLINE v mask_of(uint32_t lanes)
{
	const v bit = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);

	return _mm256_cmpeq_epi32(_mm256_and_si256(all(lanes), bit), bit);
}

WIDE_INLINE void put_digests(uint8_t *out, v s[8])
{
	transpose(s);
#pragma GCC unroll 16
	for (int i = 0; i < 8; i++)
		put(out + 32 * i, swap_bytes(s[i]));
}

WIDE static void turn(uint32_t *state, uint32_t lanes, uint8_t *digests)
{
	const v mask = mask_of(lanes);
	v w[8];

#pragma GCC unroll 16
	for (int i = 0; i < 8; i++) {
		w[i] = get(state + 8 * i);
		put(state + 8 * i,
		    _mm256_blendv_epi8(w[i], all(sha256_iv[i]), mask));
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
	put_digests(out, s);
}

WIDE_INLINE void each_at(const uint8_t *p[8], const uint8_t *in, size_t stride)
{
	for (size_t i = 0; i < 8; i++)
		p[i] = in + stride * i;
}

WIDE static void d32(uint8_t *io)
{
	const uint8_t *p[8];
	v w[16];

	each_at(p, io, 32);
	load_half(w, p, 0);
	again(io, w);
}

WIDE static void d64(uint8_t *out, const uint8_t *in)
{
	const uint8_t *p[8];
	v s[8], w[16];

	each_at(p, in, 64);
	load_half(w, p, 0);
	load_half(w + 8, p, 32);
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
	return __builtin_cpu_supports("avx2");
}

const struct sha256_lanes sha256_avx2 = {
    .name = "avx2",
    .width = 8,
    .word_step = 8,
    .lane_step = 1,
    .usable = usable,
    .run = run,
    .turn = turn,
    .d32 = d32,
    .d64 = d64,
};

#endif
