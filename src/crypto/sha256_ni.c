/*
 * SHA-256 compression by the SHA extensions of x86: one stream, and two woven
 * into each other to hide the latency of the round instruction. Any thread; no
 * state. Only run where usable() says yes.
 */
#include "lanes.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

#define NI        __attribute__((target("sha,sse4.1,ssse3")))
#define NI_INLINE static inline __attribute__((always_inline)) NI

/* One stream in flight: the state in the order the instructions want (abef,
 * cdgh) and the last 16 words of the schedule. */
struct ni {
	__m128i abef, cdgh, w[4];
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

NI_INLINE void load_block(struct ni *x, const uint8_t *p)
{

	for (int i = 0; i < 4; i++)
		x->w[i] = swap_bytes(get(p + 16 * i));
}

/* Four rounds with the prepared sum of schedule and constants. */
NI_INLINE void rounds(struct ni *x, __m128i wk)
{
	x->cdgh = _mm_sha256rnds2_epu32(x->cdgh, x->abef, wk);
	x->abef = _mm_sha256rnds2_epu32(x->abef, x->cdgh,
					_mm_shuffle_epi32(wk, 0x0e));
}

/* Rounds 4g to 4g + 3, and the schedule of the rounds 16 later. */
NI_INLINE void group(struct ni *x, unsigned g)
{
	__m128i *w = x->w;
	__m128i sum = _mm_add_epi32(w[g & 3], get(sha256_k + 4 * g));

	rounds(x, sum);
	if (g < 12) {
		__m128i mid =
		    _mm_alignr_epi8(w[(g + 3) & 3], w[(g + 2) & 3], 4);
		__m128i t = _mm_sha256msg1_epu32(w[g & 3], w[(g + 1) & 3]);

		t = _mm_add_epi32(t, mid);
		w[g & 3] = _mm_sha256msg2_epu32(t, w[(g + 3) & 3]);
	}
}

#define EVERY_GROUP(X)                                                         \
	do {                                                                   \
		X(0)                                                           \
		X(1)                                                           \
		X(2)                                                           \
		X(3)                                                           \
		X(4)                                                           \
		X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)   \
	} while (0)

#define ONE(g) group(&a, g);
#define TWO(g)                                                                 \
	group(&a, g);                                                          \
	group(&b, g);

NI_INLINE void add_state(struct ni *x, __m128i abef, __m128i cdgh)
{
	x->abef = _mm_add_epi32(x->abef, abef);
	x->cdgh = _mm_add_epi32(x->cdgh, cdgh);
}

NI static void run1(uint32_t *state, const uint8_t *const *p, size_t blocks)
{
	struct ni a;

	load_state(&a, state);
	for (size_t i = 0; i < blocks; i++) {
		__m128i abef = a.abef, cdgh = a.cdgh;

		load_block(&a, p[0] + 64 * i);
		EVERY_GROUP(ONE);
		add_state(&a, abef, cdgh);
	}
	store_state(state, &a);
}

NI static void run2(uint32_t *state, const uint8_t *const *p, size_t blocks)
{
	struct ni a, b;

	load_state(&a, state);
	load_state(&b, state + 8);
	for (size_t i = 0; i < blocks; i++) {
		__m128i a0 = a.abef, a1 = a.cdgh, b0 = b.abef, b1 = b.cdgh;

		load_block(&a, p[0] + 64 * i);
		load_block(&b, p[1] + 64 * i);
		EVERY_GROUP(TWO);
		add_state(&a, a0, a1);
		add_state(&b, b0, b1);
	}
	store_state(state, &a);
	store_state(state + 8, &b);
}

NI_INLINE void turn(uint32_t *state, bool restart, uint8_t *block)
{
	put(block, swap_bytes(get(state)));
	put(block + 16, swap_bytes(get(state + 4)));
	if (restart) {
		put(state, get(sha256_iv));
		put(state + 4, get(sha256_iv + 4));
	}
}

NI static void turn1(uint32_t *state, uint32_t lanes, uint8_t *block)
{
	turn(state, lanes & 1, block);
}

NI static void turn2(uint32_t *state, uint32_t lanes, uint8_t *blocks)
{
	turn(state, lanes & 1, blocks);
	turn(state + 8, lanes & 2, blocks + 64);
}

/* The block that pads a message of 64 bytes has a schedule known beforehand. */
#define PAD(g)                                                                 \
	rounds(&a, get(sha256_pad64_wk + 4 * (g)));                            \
	rounds(&b, get(sha256_pad64_wk + 4 * (g)));

/* The state is the first half of the second message. */
NI_INLINE void second_message(struct ni *x)
{
	words(x, &x->w[0], &x->w[1]);
	x->w[2] = _mm_set_epi32(0, 0, 0, (int)0x80000000);
	x->w[3] = _mm_set_epi32(256, 0, 0, 0);
	load_state(x, sha256_iv);
}

NI_INLINE void put_digest(uint8_t *out, const struct ni *x)
{
	__m128i abcd, efgh;

	words(x, &abcd, &efgh);
	put(out, swap_bytes(abcd));
	put(out + 16, swap_bytes(efgh));
}

NI static void end1(const uint32_t *state, const uint8_t *p, size_t blocks,
		    uint8_t out[32])
{
	struct ni a;
	__m128i abef, cdgh;

	load_state(&a, state);
	for (size_t i = 0; i < blocks; i++) {
		abef = a.abef, cdgh = a.cdgh;
		load_block(&a, p + 64 * i);
		EVERY_GROUP(ONE);
		add_state(&a, abef, cdgh);
	}
	second_message(&a);
	abef = a.abef, cdgh = a.cdgh;
	EVERY_GROUP(ONE);
	add_state(&a, abef, cdgh);
	put_digest(out, &a);
}

NI static void d64(uint8_t *out, const uint8_t *in)
{
	struct ni a, b, iv;
	__m128i a0, a1, b0, b1;

	load_state(&iv, sha256_iv);
	a.abef = b.abef = iv.abef;
	a.cdgh = b.cdgh = iv.cdgh;
	load_block(&a, in);
	load_block(&b, in + 64);
	EVERY_GROUP(TWO);
	add_state(&a, iv.abef, iv.cdgh);
	add_state(&b, iv.abef, iv.cdgh);
	a0 = a.abef, a1 = a.cdgh, b0 = b.abef, b1 = b.cdgh;
	EVERY_GROUP(PAD);
	add_state(&a, a0, a1);
	add_state(&b, b0, b1);
	second_message(&a);
	second_message(&b);
	EVERY_GROUP(TWO);
	add_state(&a, iv.abef, iv.cdgh);
	add_state(&b, iv.abef, iv.cdgh);
	put_digest(out, &a);
	put_digest(out + 32, &b);
}

/* __builtin_cpu_supports does not know "sha" on every compiler. */
static bool usable(void)
{
	unsigned a, b, c, d;

	if (!__builtin_cpu_supports("sse4.1") ||
	    !__builtin_cpu_supports("ssse3"))
		return false;
	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 29 & 1);
}

const struct sha256_lanes sha256_ni1 = {
    .name = "sha-ni",
    .width = 1,
    .word_step = 1,
    .usable = usable,
    .run = run1,
    .turn = turn1,
    .end = end1,
};

const struct sha256_lanes sha256_ni2 = {
    .name = "sha-ni",
    .width = 2,
    .word_step = 1,
    .lane_step = 8,
    .usable = usable,
    .run = run2,
    .turn = turn2,
    .d64 = d64,
};

#endif
