/*
 * What is computed with secret keys over secp256k1: public keys, sums,
 * signatures. A secret is 32 bytes, big-endian, in 1..order-1 (secret_valid);
 * callers wipe theirs after use, copies made here are wiped before returning.
 */
#ifndef CAIRN_CRYPTO_SECRET_H
#define CAIRN_CRYPTO_SECRET_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>

/* The library's state for multiplying with secrets, blinded anew in each: one
 * thread at a time. */
struct secret_ctx;
struct secret_ctx *secret_ctx_new(void) must_check;
/* NULL is fine. */
void secret_ctx_free(struct secret_ctx *c);

bool secret_valid(const uint8_t key[32]);

/* The public key of a secret into out, 33 bytes or (not compressed) 65; returns
 * how many. */
size_t secret_pubkey(const struct secret_ctx *c, uint8_t *out,
		     const uint8_t key[32], bool compressed);

/* key += tweak (BIP 32). False when tweak is no number below the order or the
 * sum is zero; key is then all zero. */
bool secret_add(uint8_t key[32], const uint8_t tweak[32]) must_check;

/* ECDSA with the nonce of RFC 6979, low S, and R below 2^255, which takes two
 * tries on average: at most SIG_DER_MAX bytes of DER, the same for the same
 * input. Returns how many, 0 when the signature made does not verify (broken
 * hardware). */
#define SIG_DER_MAX 70
size_t secret_sign(const struct secret_ctx *c, uint8_t sig[SIG_DER_MAX],
		   const uint8_t key[32], const uint8_t hash[32]) must_check;

/* BIP 340 over 32 bytes. tweak, where not NULL, is added to the key first as
 * BIP 341 says. aux: fresh randomness, or NULL for zeros. False when tweak is
 * not below the order, or the signature does not verify. */
bool secret_sign_schnorr(const struct secret_ctx *c, uint8_t sig[64],
			 const uint8_t key[32], const uint8_t *tweak,
			 const uint8_t msg[32], const uint8_t *aux) must_check;

/* ECDSA from which the key can be found again (pubkey_recover): R and S, low S,
 * R not ground. Gives the id 0..3 that recovery needs. */
unsigned secret_sign_recoverable(const struct secret_ctx *c, uint8_t sig[64],
				 const uint8_t key[32], const uint8_t hash[32]);

#endif
