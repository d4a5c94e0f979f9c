/*
 * The checksum of descriptors (BIP 380): a cyclic code over GF(32) in which
 * every three characters make four symbols. Any thread; no state.
 */
#include <cairn/address/descriptor.h>

/* One more symbol: times x, reduced by the generator. */
static uint64_t step(uint64_t c, unsigned symbol)
{
	static const uint64_t generator[5] = {
	    0xf5dee51989, 0xa9fdca3312, 0x1bab10e32d,
	    0x3706b1677a, 0x644d626ffd,
	};
	uint64_t top = c >> 35;

	c = (c & 0x7ffffffff) << 5 ^ symbol;
	for (unsigned i = 0; i < 5; i++)
		c ^= top >> i & 1 ? generator[i] : 0;
	return c;
}

/* The place of a character in BIP 380's set of three rows of 32, or -1. Its low
 * 5 bits and its row are symbols of their own. */
static int place(char c)
{
	static const int8_t places[128] = {
	    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	    94, 59, 92, 91, 28, 29, 50, 15, 10, 11, 17, 51, 14, 52, 53, 16,
	    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  27, 54, 55, 56, 57, 58,
	    26, 82, 83, 84, 85, 86, 87, 88, 89, 32, 33, 34, 35, 36, 37, 38,
	    39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 12, 93, 13, 60, 61,
	    90, 18, 19, 20, 21, 22, 23, 24, 25, 64, 65, 66, 67, 68, 69, 70,
	    71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 30, 62, 31, 63, -1,
	};

	return (uint8_t)c < 128 ? places[(uint8_t)c] : -1;
}

bool descriptor_checksum(char dst[9], const char *desc, size_t n)
{
	static const char charset[] = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
	unsigned groups = 0, pending = 0;
	uint64_t c = 1;

	for (size_t i = 0; i < n; i++) {
		int at = place(desc[i]);

		if (at < 0)
			return false;
		c = step(c, (unsigned)at & 31);
		groups = groups * 3 + ((unsigned)at >> 5);
		if (++pending < 3)
			continue;
		c = step(c, groups);
		groups = pending = 0;
	}
	if (pending > 0)
		c = step(c, groups);
	for (int i = 0; i < 8; i++)
		c = step(c, 0);
	c ^= 1;
	for (unsigned i = 0; i < 8; i++)
		dst[i] = charset[c >> (5 * (7 - i)) & 31];
	dst[8] = '\0';
	return true;
}
