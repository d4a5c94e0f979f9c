/*
 * Whether bytes encode a point of secp256k1, by libsecp256k1's static context
 * (parsing needs no tables and no randomisation). Any thread.
 */
#include <cairn/crypto/pubkey.h>

#include <secp256k1.h>

bool pubkey_valid(struct slice key)
{
	secp256k1_pubkey pk;
	bool compressed = key.n == 33 && (key.p[0] == 2 || key.p[0] == 3);
	bool full = key.n == 65 && key.p[0] == 4;

	if (!compressed && !full)
		return false;
	return secp256k1_ec_pubkey_parse(secp256k1_context_static, &pk, key.p,
					 key.n) == 1;
}
