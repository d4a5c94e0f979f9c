/*
 * The transactions of the next block, as miners get them: chosen on the chain
 * thread, made ready on the RPC pool, kept by the loop for a while. Immutable
 * once they are made.
 */
#ifndef CAIRN_NODE_TEMPLATE_H
#define CAIRN_NODE_TEMPLATE_H

#include "rpc_util.h"

struct template_tx {
	struct hash256 txid, wtxid;
	struct buf *buf; /* a reference */
	int64_t fee;
	uint32_t sigops, weight;
};

struct template
{
	uint32_t refs; /* atomic */
	const struct hnode *prev;
	uint64_t changes; /* the pool's number that it was begun at */
	int64_t made_s;
	struct template_tx *txs;
	size_t n;
	int64_t fees;
	uint64_t weight; /* of all and of what a coinbase needs */
	struct hash256 commitment;
};

/* Choose from the pool for a block on the published tip. Chain thread. */
struct template *template_choose(struct node *n) must_check;
/* Work out the witness commitment. Any thread, before it is shared. */
void template_finish(struct template *t);
struct template *template_ref(struct template *t);
/* NULL is fine. Any thread. */
void template_unref(struct template *t);

/* Answer with it, as getblocktemplate does; takes a reference. Loop. */
void template_reply(struct rpc_call *c, struct template *take);

#endif
