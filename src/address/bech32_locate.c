/*
 * Finds which characters of a bech32 string are wrong when its checksum fails:
 * up to two errors can be located, because the generator is that of a BCH code
 * over GF(1024) with roots e^997, e^998 and e^999 (BIP 173). Corrections are
 * not given: a person should look at the address again. Any thread; no state.
 */
#include "bech32.h"

#include <cairn/address/address.h>

#include <stdio.h>

#define ORDER 1023 /* of the multiplicative group of GF(1024) */
#define ROOT  997  /* the first of three consecutive roots, as a power of e */

/* Powers of e and their logarithms. An element a * e + b of GF(1024) is the
 * number a << 5 | b; elements of GF(32) are those with a = 0. */
struct field {
	int exp[ORDER], log[ORDER + 1];
};

/* Multiply in GF(32), defined by x^5 + x^3 + 1. */
static int mul32(int a, int b)
{
	int r = 0;

	for (; b; b >>= 1) {
		r ^= b & 1 ? a : 0;
		a <<= 1;
		a ^= a & 32 ? 41 : 0;
	}
	return r;
}

/* e is a root of x^2 + 9 x + 23. */
static void field_init(struct field *f)
{
	int v = 1;

	f->log[0] = -1;
	for (int i = 0; i < ORDER; i++) {
		f->exp[i] = v;
		f->log[v] = i;
		v = (mul32(v >> 5, 9) ^ (v & 31)) << 5 | mul32(v >> 5, 23);
	}
}

/* x * e^k */
static int times_power(const struct field *f, int x, int k)
{
	return x ? f->exp[(f->log[x] + k) % ORDER] : 0;
}

/* The value of the residue at e^power: that of the error polynomial. */
static int syndrome(const struct field *f, uint32_t residue, int power)
{
	int s = 0;

	for (int k = 0; k < 6; k++)
		s ^= times_power(f, residue >> (5 * k) & 31, power * k);
	return s;
}

/* Positions from the end, at most two. */
struct errors {
	size_t n;
	int at[2];
};

/* Whether log is that of an element of GF(32), as an error's value must be. */
static bool in_gf32(int log)
{
	return log % 33 == 0;
}

/* One error v at p gives s[i] = v * e^(p * (ROOT + i)): s1 / s0 = s2 / s1 =
 * e^p. False when the syndromes are not of that form. */
static bool one_error(struct errors *r, const struct field *f, const int s[3],
		      int length)
{
	int l0 = f->log[s[0]], l1 = f->log[s[1]], l2 = f->log[s[2]], p;

	if (!s[0] || !s[1] || !s[2] || (2 * l1 - l2 - l0 + 2 * ORDER) % ORDER)
		return false;
	p = (l1 - l0 + ORDER) % ORDER;
	if (p < length && in_gf32(l0 + (ORDER - ROOT) * p)) {
		r->n = 1;
		r->at[0] = p;
	}
	return true;
}

/* The second error when the first is at p; false when there is none. */
static bool second_error(const struct field *f, const int s[3], int length,
			 int p, int *q)
{
	/* Both divided by their common factor v2 * e^(q * ROOT) differ by e^q.
	 */
	int a = s[2] ^ times_power(f, s[1], p);
	int b = s[1] ^ times_power(f, s[0], p);
	int c, inverse;

	if (!a || !b)
		return false;
	*q = (f->log[a] - f->log[b] + ORDER) % ORDER;
	if (*q >= length || *q == p)
		return false;
	c = s[1] ^ times_power(f, s[0], *q);
	if (!c)
		return false;
	inverse = ORDER - f->log[f->exp[p] ^ f->exp[*q]];
	return in_gf32(f->log[b] + inverse + (ORDER - ROOT) * *q) &&
	       in_gf32(f->log[c] + inverse + (ORDER - ROOT) * p);
}

static void find_errors(struct errors *r, const struct field *f,
			uint32_t residue, int length)
{
	int s[3], q;

	r->n = 0;
	for (int i = 0; i < 3; i++)
		s[i] = syndrome(f, residue, ROOT + i);
	if (one_error(r, f, s, length))
		return;
	for (int p = 0; p < length; p++) {
		if (!second_error(f, s, length, p, &q))
			continue;
		r->n = 2;
		r->at[0] = p > q ? p : q;
		r->at[1] = p > q ? q : p;
		return;
	}
}

void bech32_locate(struct address_error *e, const struct bech32 *b,
		   size_t length)
{
	static const char *const name[] = {"Bech32 ", "Bech32m "};
	const char *kind = "";
	size_t n = b->n + BECH32_CHECKSUM;
	uint32_t residue = bech32_residue(b->hrp, b->v, n);
	struct field f;
	struct errors best = {0, {0, 0}}, r;

	field_init(&f);
	for (int k = 0; k < 2; k++) {
		find_errors(&r, &f,
			    residue ^ bech32_constant((enum bech32_kind)k),
			    (int)n);
		if (r.n == 0 || (best.n > 0 && r.n >= best.n))
			continue;
		best = r;
		kind = name[k];
	}
	e->n = best.n;
	for (size_t i = 0; i < best.n; i++)
		e->at[i] = (uint32_t)(length - 1 - (size_t)best.at[i]);
	snprintf(e->why, sizeof e->why, "Invalid %schecksum", kind);
}
