/* The hashes that only scripts and addresses still ask for. Any thread. */
#ifndef CAIRN_CRYPTO_OLDHASH_H
#define CAIRN_CRYPTO_OLDHASH_H

#include <stddef.h>
#include <stdint.h>

void sha1_once(uint8_t out[20], const void *p, size_t n);
void ripemd160(uint8_t out[20], const void *p, size_t n);

#endif
