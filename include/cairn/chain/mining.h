/*
 * Making blocks, for the generate RPCs and tests: a template on the published
 * tip, and grinding its nonce.
 */
#ifndef CAIRN_CHAIN_MINING_H
#define CAIRN_CHAIN_MINING_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>
#include <cairn/consensus/verdict.h>

struct buf;
struct chain;
struct params;

/* A block on the published tip that pays subsidy and fees to script: coinbase
 * with the height (BIP34), a witness commitment, which has its nonce where
 * segwit is active, then the n transactions given (payloads as on the wire, in
 * an order that is valid). Gives a buffer whose record head is stamped; the
 * nonce is not yet found. 0, E_PARSE for a malformed transaction, or a read
 * failure; fees of inputs that are not there count as zero. Chain thread. */
int chain_make_block(struct chain *c, struct buf **give, struct slice script,
		     struct buf *const *txs, size_t n) must_check;

/* Try up to max_tries nonces, from the block's own on; false when none met the
 * target. The block then has the next one to try, which is 0 when all have
 * been. The block is ours alone. Any thread; takes as long as it takes. */
bool mine_block(struct buf *b, const struct params *p, uint64_t max_tries);

/* The block with the all-zero witness nonce added to its coinbase, when it has
 * a witness commitment and no nonce and segwit is active at height
 * (submitblock's service to old miners): gives a new buffer, or another
 * reference to b. */
int block_add_witness_nonce(struct buf **give, struct buf *b, int32_t height,
			    const struct params *p) must_check;

#endif
