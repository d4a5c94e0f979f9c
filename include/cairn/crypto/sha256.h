/*
 * SHA-256 once and twice, one message and many. The fastest implementation that
 * this processor has is chosen by crypto_init after each candidate was compared
 * with OpenSSL. Any thread.
 */
#ifndef CAIRN_CRYPTO_SHA256_H
#define CAIRN_CRYPTO_SHA256_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>

struct sha256 {
	uint32_t s[8];
	uint64_t n; /* bytes so far */
	uint8_t buf[64];
};

/* Choose and verify the lanes; call once before other threads start. 0, or
 * E_CORRUPT when a lane does not agree with OpenSSL (it is then not used and
 * the portable one is). Calls before it use the portable code. */
int crypto_init(void);
/* Names of the chosen lanes, e.g. "sha-ni sha-ni(4) avx512(16)". Static
 * storage. */
const char *crypto_lanes(void);

void sha256_init(struct sha256 *h);
void sha256_put(struct sha256 *h, const void *p, size_t n);
void sha256_end(struct sha256 *h, uint8_t out[32]);

void sha256_once(uint8_t out[32], const void *p, size_t n);
/* Double SHA-256 of n bytes. */
void sha256d(struct hash256 *out, const void *p, size_t n);
/* Double SHA-256 of up to 3 slices one after another (segwit txids). */
void sha256d_parts(struct hash256 *out, const struct slice *parts, size_t n);
/* Double SHA-256 of n messages: out[i] of in[i]. Uses the parallel lanes. */
void sha256d_many(struct hash256 *out, const struct slice *in, size_t n);
/* The same where message i is the `per` (1 to 3) slices from in + i * per on,
 * one after another: the txids of a block without copying its transactions. */
void sha256d_many_parts(struct hash256 *out, const struct slice *in, size_t per,
			size_t n);
/* Double SHA-256 of n messages of 64 bytes each, one after another (merkle
 * rows); out may be in. */
void sha256d64(uint8_t *out, const uint8_t *in, size_t n);
/* Double SHA-256 of n headers of 80 bytes, stride bytes apart. */
void sha256d80(struct hash256 *out, const uint8_t *in, size_t stride, size_t n);

void hmac_sha256(uint8_t out[32], struct slice key, struct slice msg);

/* RIPEMD-160 of SHA-256. */
void hash160(uint8_t out[20], const void *p, size_t n);

#endif
