/*
 * When transactions may repeat others (BIP30): the two blocks that did, and the
 * heights between which it cannot happen. Pure, any thread. Which buried rules
 * are active is read from the network's table by the header.
 */
#include <cairn/consensus/deploy.h>

#include <cairn/base/endian.h>
#include <cairn/consensus/check.h>

/* The hash as it is printed, in four words. */
static const struct {
	int32_t height;
	uint64_t hash[4];
} repeats[] = {
    {91842,
     {0x00000000000a4d0a, 0x398161ffc163c503, 0x763b1f4360639393,
      0xe0e4c8e300e0caec}},
    {91880,
     {0x00000000000743f1, 0x90a18c5577a3c2d2, 0xa1f610ae9601ac04,
      0x6a38084ccb7cd721}},
};

bool bip30_is_repeat(int32_t height, const struct hash256 *hash)
{
	size_t i, k;

	for (i = 0; i < sizeof repeats / sizeof *repeats; i++) {
		if (repeats[i].height != height)
			continue;
		for (k = 0; k < 4; k++)
			if (le64_get(hash->b + 24 - 8 * k) !=
			    repeats[i].hash[k])
				return false;
		return true;
	}
	return false;
}

bool bip30_holds(const struct params *p, int32_t height,
		 const struct hash256 *hash, const struct hash256 *bip34)
{
	if (height >= BIP34_IMPLIES_BIP30_LIMIT)
		return true;
	if (bip30_is_repeat(height, hash))
		return false;
	return !bip34 || !hash256_eq(bip34, &p->bip34_hash);
}
