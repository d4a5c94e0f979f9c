/* An unspent output as the rules see it. */
#ifndef CAIRN_CONSENSUS_COIN_H
#define CAIRN_CONSENSUS_COIN_H

#include <cairn/base/bytes.h>

struct coin {
	int64_t value;  /* satoshi, 0..21 million coins */
	int32_t height; /* of the block that made it, 0 or more */
	bool coinbase;
	struct slice script; /* borrowed */
};

#endif
