/*
 * RPC getrawtransaction: one transaction, from the pool or from a block that is
 * named. Found on the loop and the chain thread, read and written on the RPC
 * pool. There is no index of all transactions.
 */
#include "rpc_util.h"

#include <cairn/base/buf.h>

#include <stdlib.h>

struct tx_reply {
	struct node *node;
	const struct hnode *h, *tip; /* h: its block, NULL in the pool */
	struct hash256 txid, wtxid;
	struct buf *raw, *undo; /* raw: of the transaction or of the block */
	struct tx_view tx;
	struct undo_reader reader;
	uint32_t skip; /* coins of the undo record before its own */
	int64_t vsize; /* in the pool */
	int64_t verbosity;
	bool coinbase;
};

static void reply_free(void *arg)
{
	struct tx_reply *r = arg;

	buf_unref(r->raw);
	buf_unref(r->undo);
	free(r);
}

static void block_json(struct jw *w, const struct tx_reply *r)
{
	bool active = hnode_is_ancestor(r->h, r->tip);

	jw_khash(w, "blockhash", &r->h->hash);
	jw_ki64(w, "confirmations",
		active ? r->tip->height - r->h->height + 1 : 0);
	if (active) {
		jw_ki64(w, "time", r->h->time);
		jw_ki64(w, "blocktime", r->h->time);
	}
}

static bool undo_at(struct tx_reply *r)
{
	struct coin coin;
	bool bad = false;

	if (!r->undo || !undo_reader_init(&r->reader, buf_payload(r->undo)))
		return false;
	for (uint32_t i = 0; i < r->skip; i++)
		if (!undo_next(&r->reader, &coin, &bad))
			return false;
	return true;
}

static bool reply_next(void *arg, struct jw *w, int *rc)
{
	struct tx_reply *r = arg;
	bool undo = undo_at(r);

	(void)rc;
	if (r->verbosity <= 0) {
		jw_hex(w, slice_of(r->tx.p, r->tx.size));
		return false;
	}
	jw_obj(w);
	if (r->h)
		jw_kbool(w, "in_active_chain", hnode_is_ancestor(r->h, r->tip));
	else
		jw_ki64(w, "vsize_adjusted", r->vsize);
	tx_fields_json(w, &r->tx, &r->txid, &r->wtxid, undo ? &r->reader : NULL,
		       undo, &r->node->params);
	jw_khex(w, "hex", slice_of(r->tx.p, r->tx.size));
	if (r->h)
		block_json(w, r);
	jw_obj_end(w);
	return false;
}

static void reply_rewind(void *arg)
{
	(void)arg;
}

static void reply(struct rpc_call *c, struct tx_reply *r)
{
	struct rpc_stream s = {reply_next, reply_rewind, reply_free, r};

	tx_wtxid(&r->wtxid, &r->tx);
	rpc_reply_stream(c, &s);
	rpc_done(c);
}

/* The transaction in the block, and how many coins others before it spend. */
static bool find_in_block(struct tx_reply *r)
{
	struct block_view v;
	size_t trailing;
	bool found = false;

	if (block_view_parse(&v, &trailing, buf_payload(r->raw)) != 0)
		return false;
	block_hash_txs(&v);
	for (uint32_t i = 0; i < v.n_tx && !found; i++) {
		found = hash256_eq(&v.txid[i], &r->txid);
		if (found)
			r->tx = v.tx[i];
		else if (i > 0)
			r->skip += v.tx[i].n_in;
		r->coinbase = i == 0;
	}
	block_view_fini(&v);
	return found;
}

/* Pool. */
static void read_block(struct rpc_call *c)
{
	struct tx_reply *r = rpc_state(c);
	struct chain *chain = r->node->chain;

	if (chain_read_block(chain, &r->raw, r->h) != 0) {
		rpc_end(c, RPC_MISC, "Block not available");
	} else if (!find_in_block(r)) {
		rpc_end(c, RPC_BAD_ADDRESS,
			"No such transaction found in the provided block. Use "
			"gettransaction for wallet transactions.");
	} else if (r->verbosity >= 2 && !r->coinbase &&
		   chain_read_undo(chain, &r->undo, r->h) != 0) {
		rpc_end(c, RPC_INTERNAL,
			"Undo data expected but can't be read. This could be "
			"due to disk corruption or a conflict with a pruning "
			"event.");
	} else {
		reply(c, r);
		return;
	}
	reply_free(r);
}

/* Chain thread. */
static void find_in_pool(struct rpc_call *c)
{
	struct tx_reply *r = rpc_state(c);
	const struct mempool_tx *tx =
	    mempool_find(chain_mempool(r->node->chain), &r->txid);

	if (!tx) {
		reply_free(r);
		rpc_end(c, RPC_BAD_ADDRESS,
			"No such mempool transaction. Use -txindex or provide "
			"a block hash to enable blockchain transaction "
			"queries. Use gettransaction for wallet "
			"transactions.");
		return;
	}
	r->raw = buf_ref(tx->buf);
	r->tx = tx->view;
	r->vsize = tx->vsize;
	reply(c, r);
}

/* verbosity may be a number or, as of old, a boolean. */
static bool take_verbosity(struct rpc_call *c, int64_t *v)
{
	const struct json *j = rpc_param(c, 1);

	*v = j && j->type == JSON_TRUE;
	if (!j || j->type == JSON_TRUE || j->type == JSON_FALSE)
		return true;
	return param_i64(c, 1, v, 0, INT64_MIN, INT64_MAX);
}

/* The block of parameter 2, if one is given. */
static bool take_block(struct rpc_call *c, const struct hnode **h)
{
	struct hash256 hash;

	*h = NULL;
	if (!rpc_param(c, 2))
		return true;
	if (!param_hash(c, 2, "parameter 3", &hash))
		return false;
	*h = htree_find(chain_tree(rpc_node(c)->chain), &hash);
	if (!*h)
		rpc_end(c, RPC_BAD_ADDRESS, "Block hash not found");
	return *h;
}

static void cmd_getrawtransaction(struct rpc_call *c)
{
	struct node *n = rpc_node(c);
	const struct hnode *h;
	struct hash256 txid;
	struct tx_reply *r;
	int64_t verbosity;

	if (!param_hash(c, 0, "parameter 1", &txid))
		return;
	if (hash256_eq(&txid, &chain_at(n->chain, 0)->merkle)) {
		rpc_end(c, RPC_BAD_ADDRESS,
			"The genesis block coinbase is not considered an "
			"ordinary transaction and cannot be retrieved");
		return;
	}
	if (!take_verbosity(c, &verbosity) || !take_block(c, &h))
		return;
	r = xcalloc(1, sizeof *r);
	r->node = n;
	r->h = h;
	r->tip = chain_tip(n->chain);
	r->txid = txid;
	r->verbosity = verbosity;
	rpc_set_state(c, r);
	rpc_continue(c, h ? RPC_POOL : RPC_CHAIN,
		     h ? read_block : find_in_pool);
}

static const struct rpc_arg args[] = {
    {"txid", "s", true, "The transaction's id."},
    {"verbosity|verbose", "nb", false,
     "0: hex; 1: an object; 2: with the outputs that it spends."},
    {"blockhash", "s", false, "Its block; else it is looked for in the pool."},
    {0}};

const struct rpc_cmd rpc_gettx_cmds[] = {
    {"getrawtransaction", "rawtransactions", RPC_LOOP, cmd_getrawtransaction,
     args, "A transaction of the pool, or of a block that is named.",
     "\"hex\" or { in_active_chain, vsize_adjusted, txid, hash, version, size, "
     "vsize, weight, locktime, vin, vout, fee, hex, blockhash, confirmations, "
     "time, blocktime }",
     false, false},
    {0}};
