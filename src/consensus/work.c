/*
 * Arithmetic on 256-bit numbers, the compact form of targets, and the check of
 * proof of work. Pure functions, any thread. Results equal those of Bitcoin
 * Core bit for bit, wrapping included, because bits of real headers depend on
 * them; which bits a header must have is decided in headers.c.
 */
#include <cairn/consensus/work.h>

#include <cairn/base/endian.h>
#include <cairn/base/must.h>
#include <cairn/params/params.h>

#define LIMBS 4

__extension__ typedef unsigned __int128 wide;

int u256_cmp(const struct u256 *a, const struct u256 *b)
{
	int i;

	for (i = LIMBS - 1; i >= 0; i--)
		if (a->w[i] != b->w[i])
			return a->w[i] < b->w[i] ? -1 : 1;
	return 0;
}

struct u256 u256_add(const struct u256 *a, const struct u256 *b)
{
	struct u256 r;
	wide t = 0;
	int i;

	for (i = 0; i < LIMBS; i++) {
		t += (wide)a->w[i] + b->w[i];
		r.w[i] = (uint64_t)t;
		t >>= 64;
	}
	return r;
}

struct u256 u256_sub(const struct u256 *a, const struct u256 *b)
{
	struct u256 r;
	uint64_t borrow = 0;
	int i;

	for (i = 0; i < LIMBS; i++) {
		wide t = (wide)a->w[i] - b->w[i] - borrow;

		r.w[i] = (uint64_t)t;
		borrow = (uint64_t)(t >> 64) & 1;
	}
	return r;
}

struct u256 u256_mul(const struct u256 *a, uint64_t m)
{
	struct u256 r;
	wide t = 0;
	int i;

	for (i = 0; i < LIMBS; i++) {
		t += (wide)a->w[i] * m;
		r.w[i] = (uint64_t)t;
		t >>= 64;
	}
	return r;
}

struct u256 u256_div_u64(const struct u256 *a, uint64_t d)
{
	struct u256 r;
	wide rest = 0;
	int i;

	must(d != 0);
	for (i = LIMBS - 1; i >= 0; i--) {
		rest = rest << 64 | a->w[i];
		r.w[i] = (uint64_t)(rest / d);
		rest %= d;
	}
	return r;
}

unsigned u256_bits(const struct u256 *a)
{
	int i;

	for (i = LIMBS - 1; i >= 0; i--)
		if (a->w[i])
			return (unsigned)i * 64 + 64 -
			       (unsigned)__builtin_clzll(a->w[i]);
	return 0;
}

/* Bits shifted out at the top are lost; 256 and more give zero. */
static struct u256 shift_left(const struct u256 *a, unsigned n)
{
	struct u256 r = {{0}};
	unsigned limbs = n / 64, bits = n % 64, i;

	for (i = limbs; i < LIMBS; i++) {
		r.w[i] = a->w[i - limbs] << bits;
		if (bits && i > limbs)
			r.w[i] |= a->w[i - limbs - 1] >> (64 - bits);
	}
	return r;
}

static struct u256 shift_right(const struct u256 *a, unsigned n)
{
	struct u256 r = {{0}};
	unsigned limbs = n / 64, bits = n % 64, i;

	for (i = 0; i + limbs < LIMBS; i++) {
		r.w[i] = a->w[i + limbs] >> bits;
		if (bits && i + limbs + 1 < LIMBS)
			r.w[i] |= a->w[i + limbs + 1] << (64 - bits);
	}
	return r;
}

/* Long division by bits: a step for each bit of the quotient, and quotients of
 * real targets are short. */
struct u256 u256_div(const struct u256 *a, const struct u256 *d)
{
	struct u256 q = {{0}}, rest = *a, cur;
	unsigned da = u256_bits(a), dd = u256_bits(d), n;

	must(dd != 0);
	if (da < dd)
		return q;
	cur = shift_left(d, da - dd);
	for (n = da - dd + 1; n-- > 0;) {
		if (u256_cmp(&rest, &cur) >= 0) {
			rest = u256_sub(&rest, &cur);
			q.w[n / 64] |= (uint64_t)1 << (n % 64);
		}
		cur = shift_right(&cur, 1);
	}
	return q;
}

struct u256 u256_from_be(const uint8_t b[32])
{
	struct u256 r;
	int i;

	for (i = 0; i < LIMBS; i++)
		r.w[i] = be64_get(b + 8 * (LIMBS - 1 - i));
	return r;
}

void u256_to_be(uint8_t b[32], const struct u256 *a)
{
	int i;

	for (i = 0; i < 32; i++)
		b[31 - i] = (uint8_t)(a->w[i / 8] >> (8 * (i % 8)));
}

struct u256 u256_from_hash(const struct hash256 *h)
{
	struct u256 r;
	int i;

	for (i = 0; i < LIMBS; i++)
		r.w[i] = le64_get(h->b + 8 * i);
	return r;
}

bool u256_is_zero(const struct u256 *a)
{
	return (a->w[0] | a->w[1] | a->w[2] | a->w[3]) == 0;
}

double u256_double(const struct u256 *a)
{
	double r = 0, factor = 1;
	int i;

	/* Halves of limbs in this order: the sum rounds as bitcoind's does. */
	for (i = 0; i < 2 * LIMBS; i++) {
		uint32_t half = (uint32_t)(a->w[i / 2] >> (32 * (i % 2)));

		r += factor * (double)half;
		factor *= 4294967296.0;
	}
	return r;
}

bool target_from_bits(struct u256 *target, uint32_t bits)
{
	uint32_t size = bits >> 24, word = bits & 0x007fffff;
	bool negative, overflow;

	if (size <= 3)
		word >>= 8 * (3 - size);
	*target = (struct u256){{word}};
	if (size > 3)
		*target = shift_left(target, 8 * (size - 3));
	negative = word != 0 && (bits & 0x00800000) != 0;
	overflow = word != 0 && (size > 34 || (word > 0xff && size > 33) ||
				 (word > 0xffff && size > 32));
	return !negative && !overflow && !u256_is_zero(target);
}

uint32_t target_to_bits(const struct u256 *target)
{
	uint32_t size = (u256_bits(target) + 7) / 8, word;

	if (size <= 3) {
		word = (uint32_t)(target->w[0] << (8 * (3 - size)));
	} else {
		struct u256 top = shift_right(target, 8 * (size - 3));

		word = (uint32_t)top.w[0];
	}
	/* The top bit of the mantissa is a sign, so it must stay clear. */
	if (word & 0x00800000) {
		word >>= 8;
		size++;
	}
	return word | size << 24;
}

struct u256 work_of_bits(uint32_t bits)
{
	const struct u256 one = {{1}}, zero = {{0}};
	struct u256 target, inverse, q;
	int i;

	if (!target_from_bits(&target, bits))
		return zero;
	/* 2^256 does not fit, but 2^256 / (t + 1) = ~t / (t + 1) + 1. */
	for (i = 0; i < LIMBS; i++)
		inverse.w[i] = ~target.w[i];
	target = u256_add(&target, &one);
	q = u256_div(&inverse, &target);
	return u256_add(&q, &one);
}

bool pow_ok(const struct hash256 *hash, uint32_t bits, const struct params *p)
{
	struct u256 target, limit, value;

	if (!target_from_bits(&target, bits))
		return false;
	limit = u256_from_be(p->pow_limit);
	if (u256_cmp(&target, &limit) > 0)
		return false;
	value = u256_from_hash(hash);
	return u256_cmp(&value, &target) <= 0;
}

double difficulty_of_bits(uint32_t bits)
{
	uint32_t size = bits >> 24;
	double d = (double)0x0000ffff / (double)(bits & 0x00ffffff);

	for (; size < 29; size++)
		d *= 256.0;
	for (; size > 29; size--)
		d /= 256.0;
	return d;
}
