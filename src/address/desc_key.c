/*
 * Key expressions of descriptors (BIP 380): an optional origin, and a key in
 * hex, as WIF, or extended with a path. Private keys are kept by their public
 * ones, once each. Any thread; no state.
 */
#include "desc.h"

#include <cairn/base/text.h>
#include <cairn/crypto/pubkey.h>
#include <cairn/crypto/secret.h>

#define TEXT_MAX 128 /* characters; no key has as many */

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool full_keys_ok(enum desc_place where)
{
	return where == IN_TOP || where == IN_P2SH;
}

/* 33 or 65 bytes, or in tr() the 32 of an even point. */
static bool hex_key(struct desc_parser *p, struct desc_key *k, struct span s,
		    enum desc_place where)
{
	uint8_t *to = k->pub.b;

	k->pub.n = s.n / 2;
	k->bare_x = k->pub.n == 32 && where == IN_P2TR;
	if (k->bare_x) {
		*to++ = 2;
		k->pub.n = 33;
	}
	if (s.n / 2 <= sizeof k->pub.b)
		span_hex(to, s);
	if (k->pub.n == 65 && (k->pub.b[0] == 6 || k->pub.b[0] == 7))
		return desc_fail(p, "Hybrid public keys are not allowed");
	if (!pubkey_valid(slice_of(k->pub.b, k->pub.n)))
		return desc_fail(p, "Pubkey '%.*s' is invalid", SPAN_ARG(s));
	if (k->pub.n == 65 && !full_keys_ok(where))
		return desc_fail(p, "Uncompressed keys are not allowed");
	return true;
}

static const struct secret_ctx *context(struct desc_parser *p)
{
	if (!p->ctx)
		p->ctx = secret_ctx_new();
	return p->ctx;
}

/* Keep a private key for steps that need it. */
static bool keep_secret(struct desc_parser *p, const uint8_t key[32],
			const uint8_t pub[33])
{
	struct desc_secret *s = desc_alloc(p, 1, sizeof *s);

	if (!s)
		return false;
	memcpy(s->key, key, sizeof s->key);
	memcpy(s->pub, pub, sizeof s->pub);
	s->next = p->d->secrets;
	p->d->secrets = s;
	p->d->has_private = true;
	return true;
}

/* The other form of a key cannot be the root of an extended one, so that its
 * secret is of no use. */
static bool wif_key(struct desc_parser *p, struct desc_key *k,
		    const struct privkey *w, enum desc_place where)
{
	if (!w->compressed && !full_keys_ok(where))
		return desc_fail(p, "Uncompressed keys are not allowed");
	k->pub.n = secret_pubkey(context(p), k->pub.b, w->b, w->compressed);
	k->bare_x = where == IN_P2TR;
	p->d->has_private = true;
	return !w->compressed || keep_secret(p, w->b, k->pub.b);
}

static bool extended_key(struct desc_parser *p, struct desc_key *k,
			 struct extkey *x, bool path, struct span rest)
{
	bool ok = true;

	if (x->has_secret) {
		context(p); /* for others that may follow */
		ok = keep_secret(p, x->secret, x->pub);
	}
	k->extended = true;
	k->root = *x;
	k->root.has_secret = false;
	explicit_bzero(k->root.secret, sizeof k->root.secret);
	return ok && (!path || desc_path_parse(p, k, rest));
}

/* Not hex: an extended or private key of this network, or junk. Only an
 * extended key may be followed by a path. */
static bool other_key(struct desc_parser *p, struct desc_key *k, struct span s,
		      bool path, struct span rest, enum desc_place where)
{
	const struct params *net = p->d->params;
	char text[TEXT_MAX];
	struct privkey w;
	struct extkey x;
	bool ok = false, known = false;

	if (s.n < sizeof text && !memchr(s.p, '\0', s.n)) {
		memcpy(text, s.p, s.n);
		text[s.n] = '\0';
		if (!path && privkey_parse(&w, text, net)) {
			ok = wif_key(p, k, &w, where);
			known = true;
		} else if (extkey_parse(&x, p->ctx, text, net)) {
			ok = extended_key(p, k, &x, path, rest);
			known = true;
		}
		explicit_bzero(text, sizeof text);
		explicit_bzero(&w, sizeof w);
		explicit_bzero(&x, sizeof x);
	}
	return known ? ok
		     : desc_fail(p, "key '%.*s' is not valid", SPAN_ARG(s));
}

static bool any_key(struct desc_parser *p, struct desc_key *k, struct span s,
		    enum desc_place where)
{
	struct span key;
	bool path = span_cut(&key, &s, '/');

	if (key.n == 0)
		return desc_fail(p, "No key provided");
	if (is_space(key.p[0]) || is_space(key.p[key.n - 1]))
		return desc_fail(p, "Key '%.*s' is invalid due to whitespace",
				 SPAN_ARG(key));
	return !path && span_is_hex(key) ? hex_key(p, k, key, where)
					 : other_key(p, k, key, path, s, where);
}

static bool origin_and_key(struct desc_parser *p, struct desc_key *k,
			   struct span s, enum desc_place where)
{
	struct span origin, rest = s;

	if (!span_cut(&origin, &rest, ']'))
		return any_key(p, k, s, where);
	if (rest.n && memchr(rest.p, ']', rest.n))
		return desc_fail(
		    p, "Multiple ']' characters found for a single pubkey");
	if (origin.n == 0 || origin.p[0] != '[')
		return desc_fail(p,
				 "Key origin start '[ character expected but "
				 "not found, got '%c' instead",
				 origin.n ? origin.p[0] : ']');
	return desc_origin_parse(p, k,
				 (struct span){origin.p + 1, origin.n - 1}) &&
	       any_key(p, k, rest, where);
}

struct desc_key *desc_key_parse(struct desc_parser *p, struct span s,
				enum desc_place where)
{
	struct desc_key *k;

	if (s.n >= 6 && memcmp(s.p, "musig(", 6) == 0) {
		desc_fail(p, where == IN_P2TR
				 ? "musig() is not supported"
				 : "musig() is only allowed in tr() and "
				   "rawtr()");
		return NULL;
	}
	k = desc_alloc(p, 1, sizeof *k);
	if (!k || !origin_and_key(p, k, s, where))
		return NULL;
	p->d->n_keys++;
	return k;
}
