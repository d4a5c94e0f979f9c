/*
 * RPC submitblock and submitheader (BIP22): what comes in as hex goes the way
 * of blocks from peers. A block is decoded and judged by itself on the RPC
 * pool, so that the header of a bad one is not kept; the rest is the loop's,
 * until the chain has answered.
 */
#include "rpc_mining.h"

#include <cairn/base/buf.h>
#include <cairn/chain/mining.h>
#include <cairn/consensus/check.h>

/* The answer that BIP22 and bitcoind give to an outcome. */
static void submit_done(void *arg, const struct block_result *r)
{
	struct rpc_call *c = arg;
	struct jw *w = rpc_out(c);

	if (r->verdict.kind == V_UNKNOWN)
		rpc_fail(c, RPC_VERIFY, "%s", err_str(r->verdict.rc));
	else if (r->outcome == BLOCK_KNOWN && r->verdict.kind == V_VALID)
		jw_str(w, "duplicate");
	else if (r->verdict.kind == V_INVALID)
		jw_str(w, r->verdict.reject);
	else if (r->outcome == BLOCK_STORED)
		jw_str(w, "inconclusive");
	else
		jw_null(w);
	rpc_done(c);
}

static void refuse(struct rpc_call *c, const struct verdict *v)
{
	if (v->kind == V_INVALID)
		jw_str(rpc_out(c), v->reject);
	else
		rpc_fail(c, RPC_VERIFY, "%s", err_str(v->rc));
	rpc_done(c);
}

/* Loop: the block stands by itself; its header, then the block. */
static void submit_run(struct rpc_call *c)
{
	struct node *n = rpc_node(c);
	struct block_job job = {.requested = true,
				.peer = PEER_NONE,
				.done = submit_done,
				.arg = c};
	struct buf *raw = rpc_state(c);
	struct verdict v =
	    sync_add_header(n->sync, &job.node, buf_data(raw), true);

	if (verdict_ok(&v)) {
		int rc = block_add_witness_nonce(&job.buf, raw,
						 job.node->height, &n->params);
		if (rc)
			v = verdict_unknown(rc);
	}
	buf_unref(raw);
	if (!verdict_ok(&v)) {
		refuse(c, &v);
		return;
	}
	chain_stamp_record(job.buf, &n->params);
	chain_submit_block(n->chain, &job);
}

/* A whole block and nothing behind it; then the rules that need no chain. */
static bool decode_and_check(struct verdict *v, const struct buf *b,
			     const struct params *p)
{
	struct block_view view;
	size_t trailing = 0;

	if (block_view_parse(&view, &trailing, buf_payload(b)) != 0)
		return false;
	if (trailing == 0) {
		block_hash_txs(&view);
		*v = block_check(&view, p, false);
	}
	block_view_fini(&view);
	return trailing == 0;
}

void cmd_submitblock(struct rpc_call *c)
{
	struct buf *raw;
	struct verdict v;

	if (!param_hex(c, 0, &raw, "Block decode failed"))
		return;
	if (!decode_and_check(&v, raw, &rpc_node(c)->params)) {
		rpc_end(c, RPC_DESERIALIZE, "Block decode failed");
	} else if (!verdict_ok(&v)) {
		refuse(c, &v);
	} else {
		rpc_set_state(c, raw);
		rpc_continue(c, RPC_LOOP, submit_run);
		return;
	}
	buf_unref(raw);
}

void cmd_submitheader(struct rpc_call *c)
{
	struct node *n = rpc_node(c);
	struct htree *t = chain_tree(n->chain);
	struct hnode *node;
	struct buf *b;
	struct verdict v;
	char hash[HASH256_STR];

	if (!param_hex(c, 0, &b, "Block header decode failed"))
		return;
	if (b->n < HEADER_SIZE) {
		rpc_end(c, RPC_DESERIALIZE, "Block header decode failed");
	} else if (!htree_find(t, header_prev(buf_data(b)))) {
		rpc_end(c, RPC_VERIFY, "Must submit previous header (%s) first",
			hash256_fmt(hash, header_prev(buf_data(b))));
	} else {
		v = sync_add_header(n->sync, &node, buf_data(b), true);
		if (v.kind == V_INVALID)
			rpc_end(c, RPC_VERIFY, "%s", v.reject);
		else
			rpc_end_verdict(c, RPC_VERIFY, &v);
	}
	buf_unref(b);
}
