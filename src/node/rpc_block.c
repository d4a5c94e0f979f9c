/*
 * RPC getblock: found on the loop, read on the RPC pool, and written
 * transaction by transaction as a stream, so that an answer of many megabytes
 * never exists as a whole.
 */
#include "rpc_util.h"

#include <cairn/base/buf.h>

#include <stdlib.h>

struct block_reply {
	struct node *node;
	const struct hnode *h, *tip;
	struct buf *block, *undo;
	struct block_view v;
	struct undo_reader reader;
	bool have_undo;
	int64_t verbosity;
	uint32_t at; /* 0: the head, then one more than the transaction */
};

static void reply_free(void *arg)
{
	struct block_reply *r = arg;

	block_view_fini(&r->v);
	buf_unref(r->block);
	buf_unref(r->undo);
	free(r);
}

static void reply_rewind(void *arg)
{
	struct block_reply *r = arg;

	r->at = 0;
	r->have_undo =
	    r->undo && undo_reader_init(&r->reader, buf_payload(r->undo));
}

static void coinbase_json(struct jw *w, const struct tx_view *tx)
{
	struct tx_iter ins, wits, stack;
	struct txin_view in = {0};
	struct slice item;

	txins(&ins, tx);
	txin_next(&ins, &in);
	jw_key(w, "coinbase_tx");
	jw_obj(w);
	jw_ki64(w, "version", (uint32_t)tx->version);
	jw_ki64(w, "locktime", tx->lock_time);
	jw_ki64(w, "sequence", in.sequence);
	jw_khex(w, "coinbase", in.script);
	txwits(&wits, tx);
	if (tx_has_witness(tx) && txwit_next(&wits, &stack) &&
	    witem_next(&stack, &item))
		jw_khex(w, "witness", item);
	jw_obj_end(w);
}

static void reply_head(struct block_reply *r, struct jw *w)
{
	jw_obj(w);
	header_json(w, r->h, r->tip);
	jw_ki64(w, "strippedsize", r->v.base_size);
	jw_ki64(w, "size", r->v.size);
	jw_ki64(w, "weight", block_weight(&r->v));
	coinbase_json(w, &r->v.tx[0]);
	jw_key(w, "tx");
	jw_arr(w);
}

static void reply_tx(struct block_reply *r, struct jw *w, uint32_t i)
{
	struct hash256 wtxid = r->v.wtxid[i];

	if (r->verbosity == 1) {
		jw_hash(w, &r->v.txid[i]);
		return;
	}
	if (i == 0)
		tx_wtxid(&wtxid, &r->v.tx[0]);
	tx_json(w, &r->v.tx[i], &r->v.txid[i], &wtxid,
		r->have_undo ? &r->reader : NULL, r->verbosity >= 3,
		&r->node->params);
}

static bool reply_next(void *arg, struct jw *w, int *rc)
{
	struct block_reply *r = arg;

	(void)rc;
	if (r->at > r->v.n_tx + 1)
		return false;
	if (r->at == 0) {
		reply_head(r, w);
	} else if (r->at <= r->v.n_tx) {
		reply_tx(r, w, r->at - 1);
	} else {
		jw_arr_end(w);
		jw_obj_end(w);
	}
	r->at++;
	return true;
}

/* Verbosity 0: one string of hex. */
static bool hex_next(void *arg, struct jw *w, int *rc)
{
	struct block_reply *r = arg;

	(void)rc;
	if (r->at)
		return false;
	jw_hex(w, buf_payload(r->block));
	r->at = 1;
	return true;
}

static int reply_read(struct block_reply *r)
{
	struct chain *c = r->node->chain;
	size_t trailing;
	int rc = chain_read_block(c, &r->block, r->h);

	if (rc || r->verbosity == 0)
		return rc;
	rc = block_view_parse(&r->v, &trailing, buf_payload(r->block));
	if (rc)
		return rc;
	block_hash_txs(&r->v);
	if (r->verbosity >= 2 && r->h->prev &&
	    chain_read_undo(c, &r->undo, r->h) != 0)
		r->undo = NULL;
	return 0;
}

static void getblock_read(struct rpc_call *c)
{
	struct block_reply *r = rpc_state(c);
	struct rpc_stream s = {reply_next, reply_rewind, reply_free, r};
	int rc = reply_read(r);

	if (rc) {
		reply_free(r);
		rpc_end(c, RPC_MISC,
			"Block not found on disk. This could happen if the "
			"block is being read while it is written: %s",
			err_str(rc));
		return;
	}
	if (r->verbosity == 0)
		s.next = hex_next;
	reply_rewind(r);
	rpc_reply_stream(c, &s);
	rpc_done(c);
}

/* verbosity may be a number or, as of old, a boolean. */
static bool param_verbosity(struct rpc_call *c, size_t i, int64_t *v)
{
	const struct json *j = rpc_param(c, i);

	*v = 1;
	if (j && (j->type == JSON_TRUE || j->type == JSON_FALSE)) {
		*v = j->type == JSON_TRUE;
		return true;
	}
	return param_i64(c, i, v, 1, INT64_MIN, INT64_MAX);
}

static void cmd_getblock(struct rpc_call *c)
{
	struct block_reply *r;
	struct hnode *h;
	int64_t verbosity;

	h = param_block(c, 0);
	if (!h || !param_verbosity(c, 1, &verbosity))
		return;
	if (!(hnode_status(h) & HN_DATA)) {
		rpc_end(c, RPC_MISC,
			"Block not available (not fully downloaded)");
		return;
	}
	r = xcalloc(1, sizeof *r);
	r->node = rpc_node(c);
	r->h = h;
	r->tip = chain_tip(r->node->chain);
	r->verbosity = verbosity < 0 ? 0 : verbosity;
	rpc_set_state(c, r);
	rpc_continue(c, RPC_POOL, getblock_read);
}

static const struct rpc_arg args_getblock[] = {
    {"blockhash", "s", true, "Hash of the block."},
    {"verbosity|verbose", "nb", false,
     "0: hex; 1: object with transaction ids; 2: with transactions; 3: and the "
     "outputs that they spend."},
    {0}};

const struct rpc_cmd rpc_block_cmds[] = {
    {"getblock", "blockchain", RPC_LOOP, cmd_getblock, args_getblock,
     "A block, as hex or as an object of the wanted detail.",
     "\"hex\" or { hash, confirmations, height, ..., strippedsize, size, "
     "weight, coinbase_tx, tx }",
     false, false},
    {0}};
