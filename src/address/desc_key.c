/*
 * Key expressions of descriptors (BIP 380): an optional origin and a public key
 * in hex. Extended and private keys are told from junk, and refused. Any
 * thread; no state.
 */
#include "desc.h"

#include <cairn/address/address.h>
#include <cairn/base/text.h>
#include <cairn/crypto/pubkey.h>

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

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool is_hex(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if (hex_digit(s.p[i]) < 0)
			return false;
	return s.n > 0 && s.n % 2 == 0;
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool fail(struct text *err, const char *why)
{
	text_puts(err, why);
	return false;
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

static bool step_ok(struct text *err, struct span s)
{
	struct span number = s;
	uint32_t v;

	if (s.n == 0)
		return fail(err, "Key path value '' is not valid");
	if (s.p[0] == '<' && s.p[s.n - 1] == '>') {
		text_printf(err,
			    "Key path value '%.*s' specifies multipath in a "
			    "section where multipath is not allowed",
			    SPAN_ARG(s));
		return false;
	}
	if (s.p[s.n - 1] == '\'' || s.p[s.n - 1] == 'h')
		number.n--;
	if (!span_u32(&v, number)) {
		text_printf(err, "Key path value '%.*s' is not a valid uint32",
			    SPAN_ARG(s));
		return false;
	}
	if (v >> 31) {
		text_printf(err, "Key path value %u is out of range", v);
		return false;
	}
	return true;
}

/* Fingerprint and path of an origin, without its brackets. */
static bool origin_ok(struct text *err, struct span s)
{
	struct span part;
	bool more = span_cut(&part, &s, '/');

	if (part.n != 8) {
		text_printf(err,
			    "Fingerprint is not 4 bytes (%zu characters "
			    "instead of 8 characters)",
			    part.n);
		return false;
	}
	if (!is_hex(part)) {
		text_printf(err, "Fingerprint '%.*s' is not hex",
			    SPAN_ARG(part));
		return false;
	}
	while (more) {
		more = span_cut(&part, &s, '/');
		if (!step_ok(err, part))
			return false;
	}
	return true;
}

/* 33 or 65 bytes, or with x-only the 32 of an even point. */
static bool hex_key(struct desc_key *k, struct text *err, struct span s,
		    enum desc_key_rule rule)
{
	uint8_t *p = k->b;
	uint8_t first;

	k->n = s.n / 2;
	if (k->n == 32 && rule == KEY_XONLY) {
		*p++ = 2;
		k->n = 33;
	}
	for (size_t i = 0; i + 1 < s.n && p < k->b + sizeof k->b; i += 2)
		*p++ =
		    (uint8_t)(hex_digit(s.p[i]) << 4 | hex_digit(s.p[i + 1]));
	first = k->b[0];
	if (k->n == 65 && (first == 6 || first == 7))
		return fail(err, "Hybrid public keys are not allowed");
	if (!pubkey_valid(slice_of(k->b, k->n))) {
		text_printf(err, "Pubkey '%.*s' is invalid", SPAN_ARG(s));
		return false;
	}
	if (k->n == 65 && rule != KEY_ANY)
		return fail(err, "Uncompressed keys are not allowed");
	return true;
}

/* Not hex: an extended or private key of some network, or junk. */
static bool other_key(struct text *err, struct span s)
{
	char copy[128];
	uint8_t data[80];
	size_t n = 0;

	if (s.n < sizeof copy) {
		memcpy(copy, s.p, s.n);
		copy[s.n] = '\0';
		if (base58check_parse(data, &n, sizeof data, copy) &&
		    (n == 78 || n == 33 || n == 34))
			return fail(err, "extended and private keys are not "
					 "supported yet");
	}
	text_printf(err, "key '%.*s' is not valid", SPAN_ARG(s));
	return false;
}

static bool key_ok(struct desc_key *k, struct text *err, struct span s,
		   enum desc_key_rule rule)
{
	struct span key;
	bool path = span_cut(&key, &s, '/');

	if (key.n == 0)
		return fail(err, "No key provided");
	if (is_space(key.p[0]) || is_space(key.p[key.n - 1])) {
		text_printf(err, "Key '%.*s' is invalid due to whitespace",
			    SPAN_ARG(key));
		return false;
	}
	/* Only an extended key may be followed by a path. */
	return !path && is_hex(key) ? hex_key(k, err, key, rule)
				    : other_key(err, key);
}

bool desc_key_parse(struct desc_key *k, struct text *err, struct span s,
		    enum desc_key_rule rule)
{
	struct span origin, rest = s;

	if (s.n >= 6 && memcmp(s.p, "musig(", 6) == 0)
		return fail(err, rule == KEY_XONLY
				     ? "musig() is not supported yet"
				     : "musig() is only allowed in tr() and "
				       "rawtr()");
	if (!span_cut(&origin, &rest, ']'))
		return key_ok(k, err, s, rule);
	if (rest.n && memchr(rest.p, ']', rest.n))
		return fail(
		    err, "Multiple ']' characters found for a single pubkey");
	if (origin.n == 0 || origin.p[0] != '[') {
		text_printf(err,
			    "Key origin start '[ character expected but not "
			    "found, got '%c' instead",
			    origin.n ? origin.p[0] : ']');
		return false;
	}
	return origin_ok(err, (struct span){origin.p + 1, origin.n - 1}) &&
	       key_ok(k, err, rest, rule);
}
