/* Inside of crypto: points of the curve from their x, with the library's types.
 */
#ifndef CAIRN_SRC_CRYPTO_POINT_H
#define CAIRN_SRC_CRYPTO_POINT_H

#include <cairn/crypto/key_hints.h>

#include <secp256k1.h>
#include <stdbool.h>
#include <stdint.h>

/* The point with this x whose y is odd or even; false when there is none. h may
 * be NULL; otherwise the point is there when it is asked for again. */
bool point_read(secp256k1_pubkey *pk, struct key_hints *h, const uint8_t x[32],
		bool odd);

#endif
