/* Which script rules hold in a block. Pure. */
#ifndef CAIRN_CONSENSUS_FLAGS_H
#define CAIRN_CONSENSUS_FLAGS_H

#include <cairn/base/bytes.h>

struct params;

/*
 * The flags (script/flags.h) under which the scripts of the block at height
 * with this hash must verify. P2SH, WITNESS and TAPROOT hold from genesis on,
 * as but three blocks broke them (BIP 16 on mainnet and testnet3, taproot on
 * mainnet), which are known by hash; the others hold from the heights in the
 * network's table.
 */
unsigned script_flags(const struct params *p, int32_t height,
		      const struct hash256 *block_hash);

#endif
