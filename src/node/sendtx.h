/*
 * Transactions that a caller offers to the pool: what sendrawtransaction,
 * testmempoolaccept and submitpackage have in common.
 */
#ifndef CAIRN_NODE_SENDTX_H
#define CAIRN_NODE_SENDTX_H

#include "rawtx.h"

/* Satoshi per 1,000 virtual bytes that callers are kept from paying more than,
 * unless they say so. */
#define MAX_RATE_DEFAULT 10000000

struct offer {
	struct buf *txs[MEMPOOL_PACKAGE_MAX];
	struct tx_view views[MEMPOOL_PACKAGE_MAX];
	struct hash256 txids[MEMPOOL_PACKAGE_MAX], wtxids[MEMPOOL_PACKAGE_MAX];
	struct mempool_result results[MEMPOOL_PACKAGE_MAX];
	size_t n;
	int64_t max_rate;       /* 0: any */
	int64_t max_burn;       /* satoshi; -1: any */
	struct verdict verdict; /* about all together */
};

/* NULL is fine. */
void offer_free(struct offer *o);
/* Take the array of parameter 0 or, one: the string, and parameter 1, the
 * highest rate; -1: burns are not looked at. NULL: failed and finished. */
struct offer *offer_take(struct rpc_call *c, bool one, bool burns) must_check;
/* Virtual size by weight alone. */
int64_t offer_vsize(const struct offer *o, size_t i);
/* Members of a result: "vsize_adjusted" to "fees". with_rate: the effective one
 * and those that it is made of. */
void offer_fees_json(struct jw *w, const struct offer *o, size_t i,
		     bool with_rate);

void cmd_submitpackage(struct rpc_call *c);

#endif
