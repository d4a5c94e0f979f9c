/* Runs every suite of crypto; fails when one test does. */
#include "runner.h"
#include "suites.h"

#include <openssl/evp.h>

static const suite_fn suites[] = {
    sha256_suite,    sha256_many_suite, sha256_init_suite, hmac_suite,
    hash160_suite,   siphash_suite,     pubkey_suite,      sig_suite,
    key_hints_suite, tagged_suite,      secret_suite,      hmac512_suite,
};

void fill(uint8_t *p, size_t n, uint32_t seed)
{
	uint32_t x = seed * 2654435761u + 1;

	for (size_t i = 0; i < n; i++) {
		x = x * 1664525 + 1013904223;
		p[i] = (uint8_t)(x >> 24);
	}
}

void evp_sha256(uint8_t out[32], const void *p, size_t n)
{
	unsigned size = 0;

	ck_assert_int_eq(EVP_Digest(p, n, out, &size, EVP_sha256(), NULL), 1);
	ck_assert_uint_eq(size, 32);
}

void evp_sha256d(struct hash256 *out, const void *p, size_t n)
{
	uint8_t once[32];

	evp_sha256(once, p, n);
	evp_sha256(out->b, once, 32);
}

int main(void)
{
	return RUN_SUITES(suites);
}
