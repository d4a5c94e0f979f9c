/* HMAC-SHA-512, which BIP 32 derives with. Any thread. */
#ifndef CAIRN_CRYPTO_SHA512_H
#define CAIRN_CRYPTO_SHA512_H

#include <cairn/base/bytes.h>

void hmac_sha512(uint8_t out[64], struct slice key, struct slice msg);

#endif
