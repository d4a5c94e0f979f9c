/* SipHash-2-4: filters (BIP158), short ids (BIP152), salted tables. */
#ifndef CAIRN_CRYPTO_SIPHASH_H
#define CAIRN_CRYPTO_SIPHASH_H

#include <cairn/base/bytes.h>

uint64_t siphash(const uint64_t key[2], const void *p, size_t n);

#endif
