/* Filter hashes and the chain of filter headers (BIP 157). Any thread. */
#include <cairn/filter/gcs.h>

#include <cairn/crypto/sha256.h>

void filter_hash(struct hash256 *out, struct slice filter)
{
	sha256d(out, filter.p, filter.n);
}

void filter_header(struct hash256 *out, const struct hash256 *hash,
		   const struct hash256 *prev_header)
{
	uint8_t both[64];

	memcpy(both, hash->b, 32);
	memcpy(both + 32, prev_header->b, 32);
	sha256d(out, both, sizeof both);
}
