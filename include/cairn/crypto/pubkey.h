/* Public keys: is this a point of secp256k1? Any thread. */
#ifndef CAIRN_CRYPTO_PUBKEY_H
#define CAIRN_CRYPTO_PUBKEY_H

#include <cairn/base/bytes.h>

/* 33 or 65 bytes that encode a point (hybrid keys refused). */
bool pubkey_valid(struct slice key);

#endif
