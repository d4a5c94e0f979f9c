/*
 * Signatures over libsecp256k1 with its static context, which holds no
 * tables that verification would need and no secrets. Any thread. Does not
 * make signatures and does not know what is signed.
 *
 * The lenient reader below accepts what OpenSSL accepted when Bitcoin relied
 * on it; blocks from before BIP 66 hold such signatures.
 */
#include <cairn/crypto/sig.h>

#include "point.h"

#include <secp256k1_extrakeys.h>
#include <secp256k1_schnorrsig.h>

/* Take a tag byte off the front of s. */
static bool take_tag(struct slice *s, uint8_t tag)
{
	if (s->n == 0 || s->p[0] != tag)
		return false;
	*s = slice_of(s->p + 1, s->n - 1);
	return true;
}

/* Take the first byte of a length; in long form *wide bytes follow it. */
static bool take_length_byte(struct slice *s, size_t *n, size_t *wide)
{
	uint8_t first;

	if (s->n == 0)
		return false;
	first = s->p[0];
	*s = slice_of(s->p + 1, s->n - 1);
	*n = first;
	*wide = 0;
	if (first & 0x80) {
		*n = 0;
		*wide = first & 0x7f;
	}
	return *wide <= s->n;
}

/* The length of an integer: short, or long with any number of zeros in front
 * and at most 3 bytes that count. */
static bool take_length(struct slice *s, size_t *n)
{
	size_t wide;

	if (!take_length_byte(s, n, &wide))
		return false;
	for (; wide > 0 && s->p[0] == 0; wide--)
		*s = slice_of(s->p + 1, s->n - 1);
	if (wide >= 4)
		return false;
	for (; wide > 0; wide--) {
		*n = *n << 8 | s->p[0];
		*s = slice_of(s->p + 1, s->n - 1);
	}
	return *n <= s->n;
}

static bool take_integer(struct slice *s, struct slice *value)
{
	size_t n;

	if (!take_tag(s, 0x02) || !take_length(s, &n))
		return false;
	*value = slice_of(s->p, n);
	*s = slice_of(s->p + n, s->n - n);
	return true;
}

/* Right-align a number in 32 bytes; false when it does not fit. */
static bool put_scalar(uint8_t out[32], struct slice v)
{
	while (v.n > 0 && v.p[0] == 0)
		v = slice_of(v.p + 1, v.n - 1);
	if (v.n > 32)
		return false;
	if (v.n > 0)
		memcpy(out + 32 - v.n, v.p, v.n);
	return true;
}

/* Read a signature leniently. Numbers out of range give a signature that can be
 * handled but never verifies, as they are no reason to call it unreadable. */
static bool parse_lax(secp256k1_ecdsa_signature *sig, struct slice der)
{
	static const uint8_t zero[64];
	uint8_t compact[64] = {0};
	struct slice r, s;
	size_t n, wide;

	if (!take_tag(&der, 0x30) || !take_length_byte(&der, &n, &wide))
		return false;
	/* The outer length is skipped, not believed. */
	der = slice_of(der.p + wide, der.n - wide);
	if (!take_integer(&der, &r) || !take_integer(&der, &s))
		return false;
	if (put_scalar(compact, r) && put_scalar(compact + 32, s) &&
	    secp256k1_ecdsa_signature_parse_compact(secp256k1_context_static,
						    sig, compact))
		return true;
	return secp256k1_ecdsa_signature_parse_compact(secp256k1_context_static,
						       sig, zero) == 1;
}

/* Compressed keys with the help of hints; a full one brings its y along. */
static bool parse_key(secp256k1_pubkey *pk, struct key_hints *hints,
		      struct slice key)
{
	if (key.n == 33 && (key.p[0] | 1) == 3)
		return point_read(pk, hints, key.p + 1, key.p[0] & 1);
	return key.n == 65 && secp256k1_ec_pubkey_parse(
				  secp256k1_context_static, pk, key.p, 65) == 1;
}

bool ecdsa_verify_hinted(struct key_hints *hints, struct slice der,
			 struct slice key, const uint8_t hash[32])
{
	const secp256k1_context *ctx = secp256k1_context_static;
	secp256k1_ecdsa_signature sig;
	secp256k1_pubkey pk;

	if (!parse_key(&pk, hints, key) || !parse_lax(&sig, der))
		return false;
	/* The library verifies low S only. */
	secp256k1_ecdsa_signature_normalize(ctx, &sig, &sig);
	return secp256k1_ecdsa_verify(ctx, &sig, hash, &pk) == 1;
}

bool ecdsa_is_low_s(struct slice der)
{
	secp256k1_ecdsa_signature sig;

	return parse_lax(&sig, der) &&
	       !secp256k1_ecdsa_signature_normalize(secp256k1_context_static,
						    NULL, &sig);
}

static bool parse_xonly(secp256k1_xonly_pubkey *pk, struct key_hints *hints,
			const uint8_t x[32])
{
	const secp256k1_context *ctx = secp256k1_context_static;
	secp256k1_pubkey even;

	return point_read(&even, hints, x, false) &&
	       secp256k1_xonly_pubkey_from_pubkey(ctx, pk, NULL, &even);
}

bool schnorr_verify_hinted(struct key_hints *hints, const uint8_t sig[64],
			   const uint8_t key[32], const uint8_t msg[32])
{
	secp256k1_xonly_pubkey pk;

	return parse_xonly(&pk, hints, key) &&
	       secp256k1_schnorrsig_verify(secp256k1_context_static, sig, msg,
					   32, &pk) == 1;
}

bool xonly_tweak_check_hinted(struct key_hints *hints, const uint8_t output[32],
			      bool odd, const uint8_t internal[32],
			      const uint8_t tweak[32])
{
	secp256k1_xonly_pubkey pk;

	return parse_xonly(&pk, hints, internal) &&
	       secp256k1_xonly_pubkey_tweak_add_check(
		   secp256k1_context_static, output, odd, &pk, tweak) == 1;
}
