/*
 * RPC submitblock and submitheader (BIP22): what comes in as hex goes the way
 * of blocks from peers. Loop, until the chain has answered.
 */
#include "rpc_mining.h"

#include <cairn/base/buf.h>
#include <cairn/chain/mining.h>

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
		jw_str(w, r->verdict.reject ? r->verdict.reject : "rejected");
	else if (r->outcome == BLOCK_STORED)
		jw_str(w, "inconclusive");
	else
		jw_null(w);
	rpc_done(c);
}

/* A whole block and nothing behind it, with a coinbase first. */
static bool decodes(struct rpc_call *c, const struct buf *b)
{
	struct block_view v;
	size_t trailing = 0;
	int rc = block_view_parse(&v, &trailing, buf_payload(b));

	if (rc == 0)
		block_view_fini(&v);
	if (rc == 0 && trailing == 0)
		return true;
	rpc_end(c, RPC_DESERIALIZE, "Block decode failed");
	return false;
}

static void refuse(struct rpc_call *c, const struct verdict *v)
{
	if (v->kind == V_INVALID)
		jw_str(rpc_out(c), v->reject);
	else
		rpc_fail(c, RPC_VERIFY, "%s", err_str(v->rc));
	rpc_done(c);
}

void cmd_submitblock(struct rpc_call *c)
{
	struct node *n = rpc_node(c);
	struct block_job job = {
	    .requested = true, .done = submit_done, .arg = c};
	struct buf *raw, *b;
	struct verdict v;
	int rc;

	if (!param_hex(c, 0, &raw, "Block decode failed"))
		return;
	if (!decodes(c, raw)) {
		buf_unref(raw);
		return;
	}
	v = sync_add_header(n->sync, &job.node, buf_data(raw), true);
	if (!verdict_ok(&v)) {
		buf_unref(raw);
		refuse(c, &v);
		return;
	}
	rc = block_add_witness_nonce(&b, raw, job.node->height, &n->params);
	buf_unref(raw);
	if (rc) {
		rpc_end(c, RPC_INTERNAL, "%s", err_str(rc));
		return;
	}
	chain_stamp_record(b, &n->params);
	job.buf = b;
	chain_submit_block(n->chain, &job);
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
		rpc_end_verdict(c, RPC_VERIFY, &v);
	}
	buf_unref(b);
}
