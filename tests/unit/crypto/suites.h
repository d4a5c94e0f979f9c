/* What the files of this folder's test binary share. */
#ifndef TESTS_UNIT_CRYPTO_SUITES_H
#define TESTS_UNIT_CRYPTO_SUITES_H

#include <cairn/base/bytes.h>

#include <check.h>

Suite *sha256_suite(void);
Suite *sha256_many_suite(void);
Suite *sha256_init_suite(void);
Suite *hmac_suite(void);
Suite *hash160_suite(void);
Suite *siphash_suite(void);
Suite *pubkey_suite(void);
Suite *key_hints_suite(void);
Suite *sig_suite(void);
Suite *tagged_suite(void);
Suite *secret_suite(void);
Suite *hmac512_suite(void);

/* Fill p with n bytes that depend on seed. */
void fill(uint8_t *p, size_t n, uint32_t seed);
/* SHA-256 and double SHA-256 by OpenSSL's EVP interface. */
void evp_sha256(uint8_t out[32], const void *p, size_t n);
void evp_sha256d(struct hash256 *out, const void *p, size_t n);

#endif
