/* RIPEMD-160 of SHA-256, the hash of keys and scripts. Any thread; no state. */
#include <cairn/crypto/oldhash.h>
#include <cairn/crypto/sha256.h>

void hash160(uint8_t out[20], const void *p, size_t n)
{
	uint8_t once[32];

	sha256_once(once, p, n);
	ripemd160(out, once, sizeof once);
}
