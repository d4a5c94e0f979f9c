/*
 * The compressed form of a coin: Core's, so that undo data and sets of coins
 * have a size that users know. Pure, any thread. Does not judge scripts and
 * does not touch points of the curve: a script with a key of 65 bytes stays as
 * it is, where Core cuts it to 33 and pays a square root whenever the coin is
 * read.
 */
#include <cairn/chain/coins.h>

#include <cairn/base/must.h>
#include <cairn/base/rd.h>

#define OP_DUP         0x76
#define OP_EQUAL       0x87
#define OP_EQUALVERIFY 0x88
#define OP_HASH160     0xa9
#define OP_CHECKSIG    0xac

/* The first number of a script: 0 key hash, 1 script hash, 2 and 3 key of 33
 * bytes, 4 and 5 Core's cut keys, otherwise length + 6. */
#define SPECIALS 6u

#define VALUE_MAX 2100000000000000u
#define TENS_MAX  9u

/* Core's VARINT: base 128, most significant first, each continued byte standing
 * for one more than its digit, so that every number has one form only. */
static size_t varint_size(uint64_t v)
{
	size_t n = 1;

	while (v > 0x7f) {
		v = (v >> 7) - 1;
		n++;
	}
	return n;
}

static uint8_t *varint_put(uint8_t *p, uint64_t v)
{
	size_t n = varint_size(v), i = n;

	p[--i] = (uint8_t)(v & 0x7f);
	while (i) {
		v = (v >> 7) - 1;
		p[--i] = (uint8_t)(v & 0x7f) | 0x80;
	}
	return p + n;
}

static uint64_t rd_varint(struct rd *r)
{
	uint64_t v = 0;

	for (;;) {
		uint8_t b = rd_u8(r);

		if (v > UINT64_MAX >> 7) {
			rd_fail(r);
			return 0;
		}
		v = v << 7 | (b & 0x7f);
		if (!(b & 0x80))
			return v;
		if (v == UINT64_MAX) {
			rd_fail(r);
			return 0;
		}
		v++;
	}
}

/* Round amounts are short: the power of ten goes into the last digit, together
 * with the last digit that is not 0. */
static uint64_t amount_compress(uint64_t v)
{
	uint64_t tens = 0;

	if (v == 0)
		return 0;
	while (tens < TENS_MAX && v % 10 == 0) {
		v /= 10;
		tens++;
	}
	if (tens == TENS_MAX)
		return 1 + (v - 1) * 10 + TENS_MAX;
	return 1 + (v / 10 * 9 + v % 10 - 1) * 10 + tens;
}

/* False above all the money there can be. */
static bool amount_expand(int64_t *out, uint64_t c)
{
	uint64_t v, tens;

	if (c == 0) {
		*out = 0;
		return true;
	}
	tens = (c - 1) % 10;
	v = (c - 1) / 10;
	/* An amount of at most VALUE_MAX never has a larger number here. */
	if (v > VALUE_MAX)
		return false;
	v = tens < TENS_MAX ? v / 9 * 10 + v % 9 + 1 : v + 1;
	while (tens-- && v <= VALUE_MAX)
		v *= 10;
	*out = (int64_t)v;
	return v <= VALUE_MAX;
}

/* The special form of a script: its number and where the bytes are that stay.
 */
static bool script_special(uint8_t *kind, const uint8_t **keep, size_t *n,
			   struct slice s)
{
	const uint8_t *p = s.p;

	if (s.n == 25 && p[0] == OP_DUP && p[1] == OP_HASH160 && p[2] == 20 &&
	    p[23] == OP_EQUALVERIFY && p[24] == OP_CHECKSIG) {
		*kind = 0;
		*keep = p + 3;
		*n = 20;
		return true;
	}
	if (s.n == 23 && p[0] == OP_HASH160 && p[1] == 20 &&
	    p[22] == OP_EQUAL) {
		*kind = 1;
		*keep = p + 2;
		*n = 20;
		return true;
	}
	if (s.n == 35 && p[0] == 33 && (p[1] | 1) == 3 &&
	    p[34] == OP_CHECKSIG) {
		*kind = p[1];
		*keep = p + 2;
		*n = 32;
		return true;
	}
	return false;
}

static uint64_t code_of(const struct coin *c)
{
	return (uint64_t)(uint32_t)c->height * 2 + c->coinbase;
}

size_t coin_size(const struct coin *c)
{
	const uint8_t *keep;
	uint8_t kind;
	size_t n;
	size_t head = varint_size(code_of(c)) +
		      varint_size(amount_compress((uint64_t)c->value));

	if (script_special(&kind, &keep, &n, c->script))
		return head + 1 + n;
	return head + varint_size(c->script.n + SPECIALS) + c->script.n;
}

uint8_t *coin_put(uint8_t *p, const struct coin *c)
{
	const uint8_t *keep;
	uint8_t kind;
	size_t n;

	must(c->height >= 0 && c->value >= 0 && c->script.n <= COIN_SCRIPT_MAX);
	p = varint_put(p, code_of(c));
	p = varint_put(p, amount_compress((uint64_t)c->value));
	if (script_special(&kind, &keep, &n, c->script)) {
		*p++ = kind;
		return bytes_put(p, keep, n);
	}
	p = varint_put(p, c->script.n + SPECIALS);
	return bytes_put(p, c->script.p, c->script.n);
}

static struct slice expand_key_hash(uint8_t *s, const uint8_t *hash)
{
	s[0] = OP_DUP;
	s[1] = OP_HASH160;
	s[2] = 20;
	memcpy(s + 3, hash, 20);
	s[23] = OP_EQUALVERIFY;
	s[24] = OP_CHECKSIG;
	return slice_of(s, 25);
}

static struct slice expand_script_hash(uint8_t *s, const uint8_t *hash)
{
	s[0] = OP_HASH160;
	s[1] = 20;
	memcpy(s + 2, hash, 20);
	s[22] = OP_EQUAL;
	return slice_of(s, 23);
}

static struct slice expand_key(uint8_t *s, uint8_t parity, const uint8_t *x)
{
	s[0] = 33;
	s[1] = parity;
	memcpy(s + 2, x, 32);
	s[34] = OP_CHECKSIG;
	return slice_of(s, 35);
}

static struct slice script_get(struct rd *r, uint8_t *scratch)
{
	uint64_t kind = rd_varint(r);
	const uint8_t *keep;

	if (kind >= SPECIALS) {
		if (kind - SPECIALS > COIN_SCRIPT_MAX)
			rd_fail(r);
		return rd_bytes(r, (size_t)(kind - SPECIALS));
	}
	/* 4 and 5 are never written. */
	if (kind > 3)
		rd_fail(r);
	keep = rd_take(r, kind < 2 ? 20 : 32);
	if (!keep)
		return slice_of(NULL, 0);
	if (kind == 0)
		return expand_key_hash(scratch, keep);
	if (kind == 1)
		return expand_script_hash(scratch, keep);
	return expand_key(scratch, (uint8_t)kind, keep);
}

const uint8_t *coin_get(struct coin *c, uint8_t *scratch, const uint8_t *p,
			const uint8_t *end)
{
	struct coin got;
	uint64_t code, amount;
	struct rd r;

	rd_init(&r, slice_of(p, (size_t)(end - p)));
	code = rd_varint(&r);
	amount = rd_varint(&r);
	got.script = script_get(&r, scratch);
	if (!rd_ok(&r) || code >> 1 > INT32_MAX ||
	    !amount_expand(&got.value, amount))
		return NULL;
	got.height = (int32_t)(code >> 1);
	got.coinbase = code & 1;
	*c = got;
	return r.p;
}
