/* Which buried rules are active at a height, and where BIP30 is. Pure. */
#ifndef CAIRN_CONSENSUS_DEPLOY_H
#define CAIRN_CONSENSUS_DEPLOY_H

#include <cairn/params/params.h>

/* A buried deployment is active for a block at height. */
static inline bool deploy_active(const struct params *p, enum deployment d,
				 int32_t height)
{
	return height >= p->deploy_height[d];
}

/* One of the two blocks whose coinbase repeats one with unspent outputs. */
bool bip30_is_repeat(int32_t height, const struct hash256 *hash);

/* Whether it has to be seen to that a block repeats no transaction with unspent
 * outputs (BIP30). bip34 is the hash of its ancestor at the height of BIP34,
 * NULL where it has none: on the chain that is known, heights in coinbases make
 * repeats impossible from there on, up to heights that early coinbases happened
 * to name. */
bool bip30_holds(const struct params *p, int32_t height,
		 const struct hash256 *hash, const struct hash256 *bip34);

#endif
