/*
 * HMAC-SHA-256 (RFC 2104), for rpcauth and the cookie. Any thread; the key's
 * pads are wiped before returning.
 */
#include <cairn/crypto/sha256.h>

#include <openssl/crypto.h>

void hmac_sha256(uint8_t out[32], struct slice key, struct slice msg)
{
	uint8_t inner[64] = {0}, outer[64];
	struct sha256 h;

	if (key.n > sizeof inner)
		sha256_once(inner, key.p, key.n);
	else if (key.n > 0)
		memcpy(inner, key.p, key.n);
	for (size_t i = 0; i < sizeof inner; i++) {
		outer[i] = inner[i] ^ 0x5c;
		inner[i] ^= 0x36;
	}
	sha256_init(&h);
	sha256_put(&h, inner, sizeof inner);
	sha256_put(&h, msg.p, msg.n);
	sha256_end(&h, out);
	sha256_init(&h);
	sha256_put(&h, outer, sizeof outer);
	sha256_put(&h, out, 32);
	sha256_end(&h, out);
	OPENSSL_cleanse(inner, sizeof inner);
	OPENSSL_cleanse(outer, sizeof outer);
	OPENSSL_cleanse(&h, sizeof h);
}
