/*
 * Signet's magic from its challenge (BIP325). Pure, any thread. The check of a
 * block's signature is in signet_solution.c.
 */
#include <cairn/consensus/signet.h>

#include <cairn/base/rd.h>
#include <cairn/crypto/sha256.h>

void signet_magic(uint8_t magic[4], struct slice challenge)
{
	uint8_t len[9];
	struct slice parts[2];
	struct hash256 h;

	parts[0] = slice_of(len, (size_t)(compact_put(len, challenge.n) - len));
	parts[1] = challenge;
	sha256d_parts(&h, parts, 2);
	memcpy(magic, h.b, 4);
}
