/* SipHash-2-4 (Aumasson, Bernstein 2012). Any thread; no state. */
#include <cairn/crypto/siphash.h>

#include <cairn/base/endian.h>

static inline uint64_t rol(uint64_t x, unsigned n)
{
	return x << n | x >> (64 - n);
}

static inline void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = rol(v[1], 13) ^ v[0];
	v[3] = rol(v[3], 16) ^ v[2];
	v[0] = rol(v[0], 32) + v[3];
	v[2] += v[1];
	v[3] = rol(v[3], 21) ^ v[0];
	v[1] = rol(v[1], 17) ^ v[2];
	v[2] = rol(v[2], 32);
}

static inline void absorb(uint64_t v[4], uint64_t m)
{
	v[3] ^= m;
	sip_round(v);
	sip_round(v);
	v[0] ^= m;
}

/* The last word: up to 7 bytes and, in the top byte, the length. */
static uint64_t last_word(const uint8_t *p, size_t n)
{
	uint64_t m = (uint64_t)n << 56;
	size_t left = n % 8;

	/* The last 8 bytes of the message, without those that are done. */
	if (n >= 8)
		return left ? m | le64_get(p + n - 8) >> (64 - 8 * left) : m;
	for (size_t i = 0; i < left; i++)
		m |= (uint64_t)p[i] << (8 * i);
	return m;
}

uint64_t siphash(const uint64_t key[2], const void *data, size_t n)
{
	const uint8_t *p = data;
	uint64_t v[4] = {
	    key[0] ^ 0x736f6d6570736575,
	    key[1] ^ 0x646f72616e646f6d,
	    key[0] ^ 0x6c7967656e657261,
	    key[1] ^ 0x7465646279746573,
	};

	for (size_t i = 0; i < n / 8; i++)
		absorb(v, le64_get(p + 8 * i));
	absorb(v, last_word(p, n));
	v[2] ^= 0xff;
	for (unsigned i = 0; i < 4; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
