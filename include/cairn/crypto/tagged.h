/*
 * Tagged hashes (BIP 340): SHA-256 of SHA-256(tag) twice and the message. The
 * state behind the two tag hashes is kept in a table, so a hash starts there.
 */
#ifndef CAIRN_CRYPTO_TAGGED_H
#define CAIRN_CRYPTO_TAGGED_H

#include <cairn/crypto/sha256.h>

enum hash_tag {
	TAG_TAP_SIGHASH, /* "TapSighash" */
	TAG_TAP_LEAF,    /* "TapLeaf" */
	TAG_TAP_BRANCH,  /* "TapBranch" */
	TAG_TAP_TWEAK,   /* "TapTweak" */
};

/* Start a hash; go on with sha256_put and sha256_end. Any thread. */
void tagged_init(struct sha256 *h, enum hash_tag tag);

#endif
