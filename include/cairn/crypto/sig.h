/*
 * Checks of signatures and tweaked keys over secp256k1. They use the library's
 * static context: any thread, no state, nothing allocated. Those with hints
 * (NULL for none) give the same answers, cheaper where keys come again.
 */
#ifndef CAIRN_CRYPTO_SIG_H
#define CAIRN_CRYPTO_SIG_H

#include <cairn/base/bytes.h>
#include <cairn/crypto/key_hints.h>

/* Whether der signs hash for key. Encodings are judged as leniently as Bitcoin
 * did before BIP 66 (strict ones are a rule of scripts): lengths may have
 * needless bytes, what follows S is ignored, S may be high. key has 33 or 65
 * bytes, the hybrid forms 06 and 07 included; others do not verify. */
bool ecdsa_verify_hinted(struct key_hints *hints, struct slice der,
			 struct slice key, const uint8_t hash[32]);
static inline bool ecdsa_verify(struct slice der, struct slice key,
				const uint8_t hash[32])
{
	return ecdsa_verify_hinted(NULL, der, key, hash);
}

/* Whether S is at most half the group order (BIP 146). False when der cannot be
 * read even leniently. */
bool ecdsa_is_low_s(struct slice der);

/* Schnorr signature over 32 bytes (BIP 340); key is x-only. */
bool schnorr_verify_hinted(struct key_hints *hints, const uint8_t sig[64],
			   const uint8_t key[32], const uint8_t msg[32]);
static inline bool schnorr_verify(const uint8_t sig[64], const uint8_t key[32],
				  const uint8_t msg[32])
{
	return schnorr_verify_hinted(NULL, sig, key, msg);
}

/* Whether output is internal + tweak * G with this parity of y (BIP 341); keys
 * are x-only. */
bool xonly_tweak_check_hinted(struct key_hints *hints, const uint8_t output[32],
			      bool odd, const uint8_t internal[32],
			      const uint8_t tweak[32]);
static inline bool xonly_tweak_check(const uint8_t output[32], bool odd,
				     const uint8_t internal[32],
				     const uint8_t tweak[32])
{
	return xonly_tweak_check_hinted(NULL, output, odd, internal, tweak);
}

#endif
