/* Public keys: is this a point of secp256k1, and what comes of adding to it?
 * Any thread, no state. */
#ifndef CAIRN_CRYPTO_PUBKEY_H
#define CAIRN_CRYPTO_PUBKEY_H

#include <cairn/base/bytes.h>

/* 33 or 65 bytes that encode a point (hybrid keys refused). */
bool pubkey_valid(struct slice key);
/* The same, hybrid keys (65 bytes, first 6 or 7) too. */
bool pubkey_valid_any(struct slice key);

/* Whether there is a point with this x. */
bool xonly_valid(const uint8_t x[32]);

/* key + tweak * G (BIP 32), compressed. False when key is no point, tweak is no
 * number below the order, or the sum is no key. out may be key. */
bool pubkey_add(uint8_t out[33], const uint8_t key[33],
		const uint8_t tweak[32]);

/* The same for the even point with this x (BIP 341). */
bool xonly_add(uint8_t out[32], const uint8_t x[32], const uint8_t tweak[32]);

/* The key that made a recoverable signature (secret_sign_recoverable) over
 * hash: 33 or 65 bytes into out, returns how many, 0 when there is none. id is
 * 0..3. */
size_t pubkey_recover(uint8_t *out, const uint8_t sig[64], unsigned id,
		      const uint8_t hash[32], bool compressed);

#endif
