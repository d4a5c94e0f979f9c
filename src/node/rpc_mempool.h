/*
 * What the commands about the pool share: the JSON of one transaction of it.
 */
#ifndef CAIRN_NODE_RPC_MEMPOOL_H
#define CAIRN_NODE_RPC_MEMPOOL_H

#include "poolcopy.h"
#include "rpc_util.h"

/* Copies of the whole pool are large, and live until the last byte of the
 * answer is out: so many may be on their way. False: failed and finished. Chain
 * thread. */
bool whole_begin(struct rpc_call *c);
/* Such a copy is gone. Any thread. */
void whole_end(struct node *n);
/* Whether -deprecatedrpc names this. Any thread. */
bool deprecated_wanted(const struct node *n, const char *name);
/* The value of getmempoolentry for row i of a related copy. */
void pool_row_json(struct jw *w, struct pool_copy *p, size_t i, bool bip125);
/* Answer with these n rows of a related copy, or with all (rows NULL), as
 * objects by txid; takes both. Pool. */
void pool_rows_reply(struct rpc_call *c, struct pool_copy *take,
		     uint32_t *take_rows, size_t n);

void cmd_getmempoolancestors(struct rpc_call *c);
void cmd_getmempoolcluster(struct rpc_call *c);
void cmd_getmempooldescendants(struct rpc_call *c);
void cmd_getmempoolentry(struct rpc_call *c);
void cmd_gettxspendingprevout(struct rpc_call *c);
void cmd_importmempool(struct rpc_call *c);
void cmd_savemempool(struct rpc_call *c);

#endif
