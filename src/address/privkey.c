/*
 * Private keys as text (WIF): base58check of the network's byte, the secret,
 * and a 1 where the public key is compressed. Any thread; no state.
 */
#include <cairn/address/key.h>

#include <cairn/address/address.h>
#include <cairn/crypto/secret.h>
#include <cairn/params/params.h>

#define SHORT_SIZE 33u
#define LONG_SIZE  34u

static bool is_wif(const uint8_t *b, size_t n, const struct params *p)
{
	return (n == SHORT_SIZE || (n == LONG_SIZE && b[LONG_SIZE - 1] == 1)) &&
	       b[0] == p->addr_secret && secret_valid(b + 1);
}

bool privkey_parse(struct privkey *k, const char *s, const struct params *p)
{
	uint8_t b[LONG_SIZE];
	size_t n;
	bool ok = base58check_parse(b, &n, sizeof b, s) && is_wif(b, n, p);

	if (ok) {
		memcpy(k->b, b + 1, sizeof k->b);
		k->compressed = n == LONG_SIZE;
	}
	explicit_bzero(b, sizeof b);
	return ok;
}

void privkey_put(char *dst, const struct privkey *k, const struct params *p)
{
	uint8_t b[LONG_SIZE] = {p->addr_secret};

	memcpy(b + 1, k->b, sizeof k->b);
	b[LONG_SIZE - 1] = 1;
	base58check_put(dst,
			slice_of(b, k->compressed ? LONG_SIZE : SHORT_SIZE));
	explicit_bzero(b, sizeof b);
}
