/*
 * Bech32 and bech32m (BIP 173, 350): strings to values and back. What the
 * values mean is address.c's business. Any thread; no state.
 */
#include "bech32.h"

#include <cairn/address/address.h>

#include <stdio.h>

static const char charset[] = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

uint32_t bech32_constant(enum bech32_kind kind)
{
	return kind == BECH32 ? 1 : 0x2bc830a3;
}

/* Append a value to a polynomial over GF(32) and reduce it by the generator. */
static uint32_t step(uint32_t c, uint32_t value)
{
	/* The generator of BIP 173 times each element of GF(32). */
	static const uint32_t multiple[32] = {
	    0x00000000, 0x3b6a57b2, 0x26508e6d, 0x1d3ad9df, 0x1ea119fa,
	    0x25cb4e48, 0x38f19797, 0x039bc025, 0x3d4233dd, 0x0628646f,
	    0x1b12bdb0, 0x2078ea02, 0x23e32a27, 0x18897d95, 0x05b3a44a,
	    0x3ed9f3f8, 0x2a1462b3, 0x117e3501, 0x0c44ecde, 0x372ebb6c,
	    0x34b57b49, 0x0fdf2cfb, 0x12e5f524, 0x298fa296, 0x1756516e,
	    0x2c3c06dc, 0x3106df03, 0x0a6c88b1, 0x09f74894, 0x329d1f26,
	    0x2fa7c6f9, 0x14cd914b,
	};

	return ((c & 0x1ffffff) << 5 ^ value) ^ multiple[c >> 25];
}

uint32_t bech32_residue(const char *hrp, const uint8_t *v, size_t n)
{
	uint32_t c = 1;

	for (const char *p = hrp; *p; p++)
		c = step(c, (uint8_t)*p >> 5);
	c = step(c, 0);
	for (const char *p = hrp; *p; p++)
		c = step(c, *p & 31);
	for (size_t i = 0; i < n; i++)
		c = step(c, v[i]);
	return c;
}

void bech32_put(char *dst, enum bech32_kind kind, const char *hrp,
		const uint8_t *v, size_t n)
{
	uint32_t sum = bech32_residue(hrp, v, n);
	size_t len = strlen(hrp);

	for (unsigned i = 0; i < BECH32_CHECKSUM; i++)
		sum = step(sum, 0);
	sum ^= bech32_constant(kind);
	memcpy(dst, hrp, len);
	dst += len;
	*dst++ = '1';
	for (size_t i = 0; i < n; i++)
		*dst++ = charset[v[i]];
	for (unsigned i = BECH32_CHECKSUM; i-- > 0;)
		*dst++ = charset[sum >> (5 * i) & 31];
	*dst = '\0';
}

static void error_at(struct address_error *e, size_t at)
{
	if (e->n < ADDRESS_ERRORS_MAX)
		e->at[e->n] = (uint32_t)at;
	e->n++;
}

static bool fail(struct address_error *e, const char *why)
{
	snprintf(e->why, sizeof e->why, "%s", why);
	return false;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Printable characters, letters of one case: the first letter decides. */
static bool characters_ok(struct address_error *e, const char *s)
{
	bool has_lower = false, has_upper = false;

	for (size_t i = 0; s[i]; i++) {
		if (s[i] >= 'a' && s[i] <= 'z') {
			has_lower |= !has_upper;
			if (has_upper)
				error_at(e, i);
		} else if (s[i] >= 'A' && s[i] <= 'Z') {
			has_upper |= !has_lower;
			if (has_lower)
				error_at(e, i);
		} else if (s[i] < 33 || s[i] > 126) {
			error_at(e, i);
		}
	}
	return e->n == 0 || fail(e, "Invalid character or mixed case");
}

static bool length_ok(struct address_error *e, size_t n)
{
	for (size_t i = BECH32_MAX; i < n; i++)
		error_at(e, i);
	return n <= BECH32_MAX || fail(e, "Bech32 string too long");
}

/* The position of the last '1', with something before and a checksum after. */
static bool separator(struct address_error *e, size_t *at, const char *s,
		      size_t n)
{
	const char *one = strrchr(s, '1');

	if (!one)
		return fail(e, "Missing separator");
	*at = (size_t)(one - s);
	if (*at > 0 && *at + BECH32_CHECKSUM < n)
		return true;
	error_at(e, *at);
	return fail(e, "Invalid separator position");
}

static bool values(struct bech32 *b, struct address_error *e, const char *s,
		   size_t off)
{
	for (size_t i = off; s[i]; i++) {
		const char *c = strchr(charset, lower(s[i]));

		if (!c) {
			error_at(e, i);
			return fail(e, "Invalid Base 32 character");
		}
		b->v[i - off] = (uint8_t)(c - charset);
	}
	return true;
}

static bool parse(struct bech32 *b, struct address_error *e, const char *s)
{
	size_t n = strlen(s), at = 0;
	uint32_t residue;

	if (!length_ok(e, n) || !characters_ok(e, s) ||
	    !separator(e, &at, s, n) || !values(b, e, s, at + 1))
		return false;
	for (size_t i = 0; i < at; i++)
		b->hrp[i] = lower(s[i]);
	b->hrp[at] = '\0';
	b->n = n - at - 1 - BECH32_CHECKSUM;
	residue = bech32_residue(b->hrp, b->v, b->n + BECH32_CHECKSUM);
	b->kind = residue == bech32_constant(BECH32) ? BECH32 : BECH32M;
	if (residue == bech32_constant(b->kind))
		return true;
	bech32_locate(e, b, n);
	return false;
}

bool bech32_parse(struct bech32 *b, struct address_error *e, const char *s)
{
	struct address_error unwanted;

	if (!e)
		e = &unwanted;
	e->n = 0;
	return parse(b, e, s);
}
