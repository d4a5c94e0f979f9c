/* Which buried rules are active at a height. Pure. */
#ifndef CAIRN_CONSENSUS_DEPLOY_H
#define CAIRN_CONSENSUS_DEPLOY_H

#include <cairn/params/params.h>

/* A buried deployment is active for a block at height. */
static inline bool deploy_active(const struct params *p, enum deployment d,
				 int32_t height)
{
	return height >= p->deploy_height[d];
}

#endif
