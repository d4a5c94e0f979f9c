/*
 * Numbers as scripts hold them, and what is true. Any thread; no state.
 */
#include "internal.h"

static bool is_minimal(struct slice s)
{
	/* Without the sign the last byte must count, unless it is there to hold
	 * the sign because the byte before has its top bit set. */
	if (s.n == 0 || s.p[s.n - 1] & 0x7f)
		return true;
	return s.n > 1 && s.p[s.n - 2] & 0x80;
}

bool num_parse(int64_t *v, struct slice s, size_t max, bool minimal)
{
	uint64_t n = 0;

	if (s.n > max || (minimal && !is_minimal(s)))
		return false;
	for (size_t i = 0; i < s.n; i++)
		n |= (uint64_t)s.p[i] << (8 * i);
	if (s.n > 0 && s.p[s.n - 1] & 0x80)
		*v = -(int64_t)(n & ~((uint64_t)0x80 << (8 * (s.n - 1))));
	else
		*v = (int64_t)n;
	return true;
}

size_t num_put(uint8_t b[9], int64_t v)
{
	uint64_t left = v < 0 ? -(uint64_t)v : (uint64_t)v;
	size_t n = 0;

	if (v == 0)
		return 0;
	for (; left > 0; left >>= 8)
		b[n++] = (uint8_t)left;
	/* The top bit is the sign; it needs a byte of its own when taken. */
	if (b[n - 1] & 0x80)
		b[n++] = 0;
	if (v < 0)
		b[n - 1] |= 0x80;
	return n;
}

bool item_true(struct slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != 0)
			return i != s.n - 1 || s.p[i] != 0x80;
	return false;
}
