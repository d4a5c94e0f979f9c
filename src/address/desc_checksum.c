/*
 * The checksum of descriptors (BIP 380): a cyclic code over GF(32) in which
 * every three characters make four symbols. Any thread; no state.
 */
#include <cairn/address/descriptor.h>

/* One more symbol: times x, reduced by the generator. */
static uint64_t step(uint64_t c, unsigned symbol)
{
	/* The generator of BIP 380 times each element of GF(32). */
	static const uint64_t multiple[32] = {
	    0x0000000000, 0xf5dee51989, 0xa9fdca3312, 0x5c232f2a9b,
	    0x1bab10e32d, 0xee75f5faa4, 0xb256dad03f, 0x47883fc9b6,
	    0x3706b1677a, 0xc2d8547ef3, 0x9efb7b5468, 0x6b259e4de1,
	    0x2cada18457, 0xd973449dde, 0x85506bb745, 0x708e8eaecc,
	    0x644d626ffd, 0x9193877674, 0xcdb0a85cef, 0x386e4d4566,
	    0x7fe6728cd0, 0x8a38979559, 0xd61bb8bfc2, 0x23c55da64b,
	    0x534bd30887, 0xa69536110e, 0xfab6193b95, 0x0f68fc221c,
	    0x48e0c3ebaa, 0xbd3e26f223, 0xe11d09d8b8, 0x14c3ecc131,
	};

	return ((c & 0x7ffffffff) << 5 ^ symbol) ^ multiple[c >> 35];
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
