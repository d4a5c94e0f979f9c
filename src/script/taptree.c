/*
 * Leaves, branches and the tweak of taproot's script trees. Any thread; no
 * state. How a witness shows them is in taproot.c.
 */
#include <cairn/script/taptree.h>

#include "internal.h"

#include <cairn/crypto/tagged.h>

void tap_leaf_hash(uint8_t out[32], uint8_t version, struct slice script)
{
	struct sha256 h;

	tagged_init(&h, TAG_TAP_LEAF);
	sha256_put(&h, &version, 1);
	sha256_compact(&h, script.n);
	sha256_put(&h, script.p, script.n);
	sha256_end(&h, out);
}

/* The smaller hash stands first. */
void tap_branch_hash(uint8_t out[32], const uint8_t a[32], const uint8_t b[32])
{
	bool first = memcmp(a, b, 32) < 0;
	struct sha256 h;

	tagged_init(&h, TAG_TAP_BRANCH);
	sha256_put(&h, first ? a : b, 32);
	sha256_put(&h, first ? b : a, 32);
	sha256_end(&h, out);
}

void tap_tweak_hash(uint8_t out[32], const uint8_t internal[32],
		    const uint8_t *root)
{
	struct sha256 h;

	tagged_init(&h, TAG_TAP_TWEAK);
	sha256_put(&h, internal, 32);
	if (root)
		sha256_put(&h, root, 32);
	sha256_end(&h, out);
}
