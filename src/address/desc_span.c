/*
 * Pieces of a descriptor's text: cut at characters, read as numbers and as hex.
 * Any thread; no state.
 */
#include "desc.h"

bool span_cut(struct span *head, struct span *s, char c)
{
	const char *at = s->n ? memchr(s->p, c, s->n) : NULL;

	*head = *s;
	if (!at) {
		*s = (struct span){s->p + s->n, 0};
		return false;
	}
	head->n = (size_t)(at - s->p);
	*s = (struct span){at + 1, s->n - head->n - 1};
	return true;
}

bool span_u32(uint32_t *v, struct span s)
{
	uint64_t x = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		x = x * 10 + (uint64_t)(s.p[i] - '0');
		if (x > UINT32_MAX)
			return false;
	}
	*v = (uint32_t)x;
	return s.n > 0;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool span_is_hex(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if (hex_digit(s.p[i]) < 0)
			return false;
	return s.n > 0 && s.n % 2 == 0;
}

void span_hex(uint8_t *dst, struct span s)
{
	for (size_t i = 0; i + 1 < s.n; i += 2)
		*dst++ =
		    (uint8_t)(hex_digit(s.p[i]) << 4 | hex_digit(s.p[i + 1]));
}
