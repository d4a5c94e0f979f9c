/*
 * SHA-256 compression in plain C (FIPS 180-4): the fallback for every
 * processor, and what runs before crypto_init has looked around. Any thread; no
 * state.
 */
#include "lanes.h"

#include <cairn/base/endian.h>

const uint32_t sha256_iv[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

const uint32_t sha256_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

const uint32_t sha256_pad64_wk[64] = {
    0xc28a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf374, 0x649b69c1, 0xf0fe4786,
    0x0fe1edc6, 0x240cf254, 0x4fe9346f, 0x6cc984be, 0x61b9411e, 0x16f988fa,
    0xf2c65152, 0xa88e5a6d, 0xb019fc65, 0xb9d99ec7, 0x9a1231c3, 0xe70eeaa0,
    0xfdb1232b, 0xc7353eb0, 0x3069bad5, 0xcb976d5f, 0x5a0f118f, 0xdc1eeefd,
    0x0a35b689, 0xde0b7a04, 0x58f4ca9d, 0xe15d5b16, 0x007f3e86, 0x37088980,
    0xa507ea32, 0x6fab9537, 0x17406110, 0x0d8cd6f1, 0xcdaa3b6d, 0xc0bbbe37,
    0x83613bda, 0xdb48a363, 0x0b02e931, 0x6fd15ca7, 0x521afaca, 0x31338431,
    0x6ed41a95, 0x6d437890, 0xc39c91f2, 0x9eccabbd, 0xb5c9a0e6, 0x532fb63c,
    0xd2c741c6, 0x07237ea3, 0xa4954b68, 0x4c191d76,
};

static inline uint32_t ror(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

static inline uint32_t small0(uint32_t x)
{
	return ror(x, 7) ^ ror(x, 18) ^ x >> 3;
}

static inline uint32_t small1(uint32_t x)
{
	return ror(x, 17) ^ ror(x, 19) ^ x >> 10;
}

#define ROUND(a, b, c, d, e, f, g, h, x)                                       \
	do {                                                                   \
		uint32_t t = (h) + (ror(e, 6) ^ ror(e, 11) ^ ror(e, 25)) +     \
			     ((g) ^ ((e) & ((f) ^ (g)))) + (x);                \
		(d) += t;                                                      \
		(h) = t + (ror(a, 2) ^ ror(a, 13) ^ ror(a, 22)) +              \
		      (((a) & (b)) | ((c) & ((a) | (b))));                     \
	} while (0)

/* Eight rounds from round base + i on; x gives schedule plus constant. */
#define ROUNDS8(x, base, i)                                                    \
	do {                                                                   \
		ROUND(a, b, c, d, e, f, g, h, x(base, i));                     \
		ROUND(h, a, b, c, d, e, f, g, x(base, (i) + 1));               \
		ROUND(g, h, a, b, c, d, e, f, x(base, (i) + 2));               \
		ROUND(f, g, h, a, b, c, d, e, x(base, (i) + 3));               \
		ROUND(e, f, g, h, a, b, c, d, x(base, (i) + 4));               \
		ROUND(d, e, f, g, h, a, b, c, x(base, (i) + 5));               \
		ROUND(c, d, e, f, g, h, a, b, x(base, (i) + 6));               \
		ROUND(b, c, d, e, f, g, h, a, x(base, (i) + 7));               \
	} while (0)

#define FIRST(base, i) ((w[i] = be32_get(p + 4 * (i))) + sha256_k[i])
#define LATER(base, i)                                                         \
	((w[(i)&15] += small1(w[((i) + 14) & 15]) + w[((i) + 9) & 15] +        \
		       small0(w[((i) + 1) & 15])) +                            \
	 sha256_k[(base) + (i)])

static void compress(uint32_t s[8], const uint8_t *p)
{
	uint32_t a = s[0], b = s[1], c = s[2], d = s[3];
	uint32_t e = s[4], f = s[5], g = s[6], h = s[7];
	uint32_t w[16];

	ROUNDS8(FIRST, 0, 0);
	ROUNDS8(FIRST, 0, 8);
	for (unsigned base = 16; base < 64; base += 16) {
		ROUNDS8(LATER, base, 0);
		ROUNDS8(LATER, base, 8);
	}
	s[0] += a;
	s[1] += b;
	s[2] += c;
	s[3] += d;
	s[4] += e;
	s[5] += f;
	s[6] += g;
	s[7] += h;
}

static void run(uint32_t *state, const uint8_t *const *p, size_t blocks)
{
	for (size_t i = 0; i < blocks; i++)
		compress(state, p[0] + 64 * i);
}

void sha256_turn1(uint32_t *state, uint32_t lanes, uint8_t *block)
{
	for (unsigned i = 0; i < 8; i++)
		block = be32_put(block, state[i]);
	if (lanes & 1)
		memcpy(state, sha256_iv, sizeof sha256_iv);
}

static bool always(void)
{
	return true;
}

const struct sha256_lanes sha256_portable = {
    .name = "portable",
    .width = 1,
    .word_step = 1,
    .usable = always,
    .run = run,
    .turn = sha256_turn1,
};
