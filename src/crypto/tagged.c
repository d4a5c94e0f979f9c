/*
 * Tagged hashes from precomputed states: each row is the state of SHA-256 after
 * one block, the hash of the tag's name twice. Any thread; no state.
 */
#include <cairn/crypto/tagged.h>

static const uint32_t midstate[][8] = {
    [TAG_TAP_SIGHASH] = {0xf504a425, 0xd7f8783b, 0x1363868a, 0xe3e55658,
			 0x6eee945d, 0xbc7888dd, 0x02a6e2c3, 0x1873fe9f},
    [TAG_TAP_LEAF] = {0x9ce0e4e6, 0x7c116c39, 0x38b3caf2, 0xc30f5089,
		      0xd3f3936c, 0x47636e60, 0x7db33eea, 0xddc6f0c9},
    [TAG_TAP_BRANCH] = {0x23a865a9, 0xb8a40da7, 0x977c1e04, 0xc49e246f,
			0xb5be1376, 0x9d24c9b7, 0xb583b5d4, 0xa8d226d2},
    [TAG_TAP_TWEAK] = {0xd129a2f3, 0x701c655d, 0x6583b6c3, 0xb9419727,
		       0x95f4e232, 0x94fd54f4, 0xa2ae8d85, 0x47ca590b},
};

void tagged_init(struct sha256 *h, enum hash_tag tag)
{
	memcpy(h->s, midstate[tag], sizeof h->s);
	h->n = 64;
}
