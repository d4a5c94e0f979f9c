/*
 * The one file that calls OpenSSL's low-level hashes: RIPEMD-160, which EVP
 * only offers while the legacy provider is loaded, SHA-1 for scripts, and
 * SHA-256 blocks, whose assembly is the fastest single stream on processors
 * that our own kernels do not cover. Any thread; the functions keep no state.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <cairn/crypto/oldhash.h>

#include "lanes.h"

#include <openssl/ripemd.h>
#include <openssl/sha.h>

void sha1_once(uint8_t out[20], const void *p, size_t n)
{
	SHA1(p, n, out);
}

void ripemd160(uint8_t out[20], const void *p, size_t n)
{
	RIPEMD160(p, n, out);
}

void sha256_reference(uint8_t out[32], const void *p, size_t n)
{
	SHA256(p, n, out);
}

static void run(uint32_t *state, const uint8_t *const *p, size_t blocks)
{
	SHA256_CTX c;

	SHA256_Init(&c);
	memcpy(c.h, state, sizeof c.h);
	SHA256_Update(&c, p[0], blocks * 64);
	memcpy(state, c.h, sizeof c.h);
}

static bool always(void)
{
	return true;
}

const struct sha256_lanes sha256_openssl = {
    .name = "openssl",
    .width = 1,
    .word_step = 1,
    .usable = always,
    .run = run,
    .turn = sha256_turn1,
};
