/*
 * Public keys by libsecp256k1's static context: parsing, adding and recovery
 * need no tables of secrets and no randomisation. Any thread.
 */
#include <cairn/crypto/pubkey.h>

#include <secp256k1.h>
#include <secp256k1_extrakeys.h>
#include <secp256k1_recovery.h>

bool pubkey_valid_any(struct slice key)
{
	secp256k1_pubkey pk;

	return key.n > 0 && secp256k1_ec_pubkey_parse(secp256k1_context_static,
						      &pk, key.p, key.n) == 1;
}

bool pubkey_valid(struct slice key)
{
	bool compressed = key.n == 33 && (key.p[0] == 2 || key.p[0] == 3);
	bool full = key.n == 65 && key.p[0] == 4;

	return (compressed || full) && pubkey_valid_any(key);
}

bool xonly_valid(const uint8_t x[32])
{
	secp256k1_xonly_pubkey pk;

	return secp256k1_xonly_pubkey_parse(secp256k1_context_static, &pk, x) ==
	       1;
}

bool pubkey_add(uint8_t out[33], const uint8_t key[33], const uint8_t tweak[32])
{
	const secp256k1_context *ctx = secp256k1_context_static;
	secp256k1_pubkey pk;
	size_t n = 33;

	return secp256k1_ec_pubkey_parse(ctx, &pk, key, 33) &&
	       secp256k1_ec_pubkey_tweak_add(ctx, &pk, tweak) &&
	       secp256k1_ec_pubkey_serialize(ctx, out, &n, &pk,
					     SECP256K1_EC_COMPRESSED);
}

bool xonly_add(uint8_t out[32], const uint8_t x[32], const uint8_t tweak[32])
{
	const secp256k1_context *ctx = secp256k1_context_static;
	secp256k1_xonly_pubkey in, sum;
	secp256k1_pubkey pk;

	return secp256k1_xonly_pubkey_parse(ctx, &in, x) &&
	       secp256k1_xonly_pubkey_tweak_add(ctx, &pk, &in, tweak) &&
	       secp256k1_xonly_pubkey_from_pubkey(ctx, &sum, NULL, &pk) &&
	       secp256k1_xonly_pubkey_serialize(ctx, out, &sum);
}

size_t pubkey_recover(uint8_t *out, const uint8_t sig[64], unsigned id,
		      const uint8_t hash[32], bool compressed)
{
	const secp256k1_context *ctx = secp256k1_context_static;
	secp256k1_ecdsa_recoverable_signature s;
	secp256k1_pubkey pk;
	size_t n = compressed ? 33 : 65; /* so many are written */

	if (!secp256k1_ecdsa_recoverable_signature_parse_compact(
		ctx, &s, sig, (int)(id & 3)) ||
	    !secp256k1_ecdsa_recover(ctx, &pk, &s, hash))
		return 0;
	secp256k1_ec_pubkey_serialize(ctx, out, &n, &pk,
				      compressed ? SECP256K1_EC_COMPRESSED
						 : SECP256K1_EC_UNCOMPRESSED);
	return n;
}
