/*
 * Base 58, plain and with the double SHA-256 checksum of addresses and keys.
 * Any thread; no state.
 */
#include <cairn/address/address.h>

#include "base58.h"

#include <cairn/base/must.h>
#include <cairn/crypto/sha256.h>

static const char digits[] =
    "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/* Numbers are kept in limbs of five digits: one division makes five. */
#define LIMB      656356768u /* 58^5 */
#define LIMBS_MAX (BASE58_MAX * 138 / 100 / 5 + 2)

struct number {
	uint32_t limb[LIMBS_MAX]; /* least significant first */
	size_t n;
};

/* number = number * factor + add; factor is at most 2^32. */
static void multiply_add(struct number *x, uint64_t factor, uint32_t add)
{
	uint64_t carry = add;

	for (size_t i = 0; i < x->n; i++) {
		carry += x->limb[i] * factor;
		x->limb[i] = (uint32_t)(carry % LIMB);
		carry /= LIMB;
	}
	while (carry > 0) {
		x->limb[x->n++] = (uint32_t)(carry % LIMB);
		carry /= LIMB;
	}
}

static void from_bytes(struct number *x, struct slice in)
{
	x->n = 0;
	while (in.n > 0) {
		size_t take = in.n % 4 ? in.n % 4 : 4;
		uint32_t word = 0;

		for (size_t i = 0; i < take; i++)
			word = word << 8 | in.p[i];
		multiply_add(x, (uint64_t)1 << (8 * take), word);
		in = slice_of(in.p + take, in.n - take);
	}
}

/* Five digits, most significant first; without leading zeros if it is the top
 * limb. */
static char *put_limb(char *dst, uint32_t limb, bool top)
{
	char five[5];
	size_t skip = 0;

	for (size_t i = 5; i-- > 0; limb /= 58)
		five[i] = digits[limb % 58];
	while (top && skip < 5 && five[skip] == digits[0])
		skip++;
	memcpy(dst, five + skip, 5 - skip);
	return dst + 5 - skip;
}

void base58_put(char *dst, struct slice in)
{
	struct number x;

	must(in.n <= BASE58_MAX);
	while (in.n > 0 && in.p[0] == 0) {
		*dst++ = digits[0];
		in = slice_of(in.p + 1, in.n - 1);
	}
	from_bytes(&x, in);
	for (size_t i = x.n; i-- > 0;)
		dst = put_limb(dst, x.limb[i], i + 1 == x.n);
	*dst = '\0';
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The big-endian number in the last n of max bytes times 58 plus digit; false
 * when it does not fit. */
static bool append_digit(uint8_t *dst, size_t *n, size_t max, unsigned digit)
{
	unsigned carry = digit;

	for (size_t i = 0; i < *n; i++) {
		uint8_t *p = &dst[max - 1 - i];

		carry += 58u * *p;
		*p = (uint8_t)carry;
		carry >>= 8;
	}
	for (; carry > 0; carry >>= 8) {
		if (*n == max)
			return false;
		dst[max - 1 - (*n)++] = (uint8_t)carry;
	}
	return true;
}

bool base58_parse(uint8_t *dst, size_t *n, size_t max, const char *s)
{
	size_t zeros = 0, length = 0;

	while (is_space(*s))
		s++;
	for (; *s == digits[0]; s++)
		if (++zeros > max)
			return false;
	for (; *s && !is_space(*s); s++) {
		const char *d = strchr(digits, *s);

		if (!d ||
		    !append_digit(dst, &length, max, (unsigned)(d - digits)))
			return false;
		if (zeros + length > max)
			return false;
	}
	while (is_space(*s))
		s++;
	if (*s)
		return false;
	memmove(dst + zeros, dst + max - length, length);
	memset(dst, 0, zeros);
	*n = zeros + length;
	return true;
}

void base58check_put(char *dst, struct slice payload)
{
	uint8_t all[BASE58_MAX];
	struct hash256 sum;

	must(payload.n <= BASE58CHECK_MAX);
	sha256d(&sum, payload.p, payload.n);
	memcpy(all, payload.p, payload.n);
	memcpy(all + payload.n, sum.b, 4);
	base58_put(dst, slice_of(all, payload.n + 4));
	explicit_bzero(all, sizeof all);
}

bool base58check_parse(uint8_t *dst, size_t *n, size_t max, const char *s)
{
	uint8_t all[BASE58_MAX];
	struct hash256 sum;
	size_t size;
	bool ok;

	must(max <= BASE58CHECK_MAX);
	ok = base58_parse(all, &size, max + 4, s) && size >= 4;
	if (ok) {
		size -= 4;
		sha256d(&sum, all, size);
		ok = memcmp(sum.b, all + size, 4) == 0;
	}
	if (ok) {
		memcpy(dst, all, size);
		*n = size;
	}
	/* Private keys come this way too. */
	explicit_bzero(all, sizeof all);
	return ok;
}
