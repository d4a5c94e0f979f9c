/* HMAC-SHA-512 by OpenSSL, which wipes its copies of the key. Any thread; no
 * state. */
#include <cairn/crypto/sha512.h>

#include <cairn/base/must.h>

#include <openssl/evp.h>
#include <openssl/hmac.h>

void hmac_sha512(uint8_t out[64], struct slice key, struct slice msg)
{
	unsigned n = 0;

	must(key.n <= INT32_MAX);
	/* A key of no bytes must not be NULL: that means "the last one". */
	must(HMAC(EVP_sha512(), key.n ? key.p : (const uint8_t *)"", (int)key.n,
		  msg.p, msg.n, out, &n) != NULL &&
	     n == 64);
}
