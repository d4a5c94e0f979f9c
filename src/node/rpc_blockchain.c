/*
 * RPC: the chain as a whole. Reads of the tree run on the loop; invalidateblock
 * and its kin run on the chain thread. Blocks themselves are in rpc_block.c.
 */
#include "rpc_util.h"

#include <cairn/base/text.h>

#include <stdlib.h>

static void cmd_getblockcount(struct rpc_call *c)
{
	jw_i64(rpc_out(c), chain_tip(rpc_node(c)->chain)->height);
	rpc_done(c);
}

static void cmd_getbestblockhash(struct rpc_call *c)
{
	jw_hash(rpc_out(c), &chain_tip(rpc_node(c)->chain)->hash);
	rpc_done(c);
}

static void cmd_getblockhash(struct rpc_call *c)
{
	const struct hnode *n = NULL;
	int64_t h;

	if (!param_i64(c, 0, &h, 0, INT64_MIN, INT64_MAX))
		return;
	if (h >= 0 && h <= INT32_MAX)
		n = chain_at(rpc_node(c)->chain, (int32_t)h);
	if (!n) {
		rpc_end(c, RPC_BAD_PARAM, "Block height out of range");
		return;
	}
	jw_hash(rpc_out(c), &n->hash);
	rpc_done(c);
}

static void cmd_getblockheader(struct rpc_call *c)
{
	const struct hnode *h = param_block(c, 0);
	struct jw *w;
	uint8_t raw[80];

	if (!h)
		return;
	w = rpc_out(c);
	if (param_bool(c, 1, true)) {
		jw_obj(w);
		header_json(w, h, chain_tip(rpc_node(c)->chain));
		jw_obj_end(w);
	} else {
		hnode_header_put(raw, h);
		jw_hex(w, slice_of(raw, sizeof raw));
	}
	rpc_done(c);
}

static void cmd_getdifficulty(struct rpc_call *c)
{
	jw_f64(rpc_out(c),
	       difficulty_of_bits(chain_tip(rpc_node(c)->chain)->bits));
	rpc_done(c);
}

static void cmd_getblockchaininfo(struct rpc_call *c)
{
	struct node *n = rpc_node(c);
	const struct hnode *tip = chain_tip(n->chain);
	struct jw *w = rpc_out(c);

	jw_obj(w);
	jw_kstr(w, "chain", n->params.names->name);
	jw_ki64(w, "blocks", tip->height);
	jw_ki64(w, "headers", htree_best(chain_tree(n->chain))->height);
	jw_khash(w, "bestblockhash", &tip->hash);
	bits_json(w, tip->bits, false);
	jw_ki64(w, "time", tip->time);
	jw_ki64(w, "mediantime", tip->mtp);
	jw_kf64(w, "verificationprogress", chain_progress(n->chain, tip));
	jw_kbool(w, "initialblockdownload", chain_in_ibd(n->chain));
	work_json(w, "chainwork", &tip->work);
	jw_ku64(w, "size_on_disk", chain_disk_size(n->chain));
	jw_kbool(w, "pruned", false);
	if (n->params.signet_challenge.n)
		jw_khex(w, "signet_challenge", n->params.signet_challenge);
	warnings_json(w, n);
	jw_obj_end(w);
	rpc_done(c);
}

/* getchaintips: nodes off the published chain without a child, and the tip. */
struct tips {
	const struct hnode **v;
	size_t n, cap;
};

static int ptr_cmp(const void *a, const void *b)
{
	const struct hnode *const *x = a, *const *y = b;

	return *x < *y ? -1 : *x > *y;
}

static bool tips_has(const struct tips *t, const struct hnode *n)
{
	return t->n && bsearch(&n, t->v, t->n, sizeof *t->v, ptr_cmp);
}

/* Nodes off the chain, and apart from them the parents of such nodes. */
static void tips_collect(struct node *n, struct tips *off, struct tips *parents)
{
	struct htree *t = chain_tree(n->chain);
	size_t i = 0;

	for (struct hnode *h; (h = htree_next(t, &i));) {
		if (chain_has(n->chain, h))
			continue;
		arr_grow(&off->v, &off->cap, off->n + 1, sizeof *off->v);
		off->v[off->n++] = h;
		arr_grow(&parents->v, &parents->cap, parents->n + 1,
			 sizeof *parents->v);
		parents->v[parents->n++] = h->prev;
	}
	if (parents->n)
		qsort(parents->v, parents->n, sizeof *parents->v, ptr_cmp);
}

static const char *tip_status(struct node *n, const struct hnode *h)
{
	const struct hnode *fork = hnode_fork(h, chain_tip(n->chain));

	if (h == chain_tip(n->chain))
		return "active";
	if (hnode_status(h) & HN_FAILED_ANY)
		return "invalid";
	for (const struct hnode *a = h; a != fork; a = a->prev)
		if (!(hnode_status(a) & HN_DATA))
			return "headers-only";
	return hnode_status(h) & HN_CONNECTED ? "valid-fork" : "valid-headers";
}

static void tip_json(struct jw *w, struct node *n, const struct hnode *h)
{
	const struct hnode *fork = hnode_fork(h, chain_tip(n->chain));

	jw_obj(w);
	jw_ki64(w, "height", h->height);
	jw_khash(w, "hash", &h->hash);
	jw_ki64(w, "branchlen", h->height - fork->height);
	jw_kstr(w, "status", tip_status(n, h));
	jw_obj_end(w);
}

static int height_desc(const void *a, const void *b)
{
	const struct hnode *const *x = a, *const *y = b;

	return (*x)->height < (*y)->height ? 1 : -((*x)->height > (*y)->height);
}

static void cmd_getchaintips(struct rpc_call *c)
{
	struct node *n = rpc_node(c);
	struct tips off = {0}, parents = {0};
	struct jw *w = rpc_out(c);
	size_t kept = 0;

	tips_collect(n, &off, &parents);
	for (size_t i = 0; i < off.n; i++)
		if (!tips_has(&parents, off.v[i]))
			off.v[kept++] = off.v[i];
	arr_grow(&off.v, &off.cap, kept + 1, sizeof *off.v);
	off.v[kept++] = chain_tip(n->chain);
	qsort(off.v, kept, sizeof *off.v, height_desc);
	jw_arr(w);
	for (size_t i = 0; i < kept; i++)
		tip_json(w, n, off.v[i]);
	jw_arr_end(w);
	free(off.v);
	free(parents.v);
	rpc_done(c);
}

/* The three that change the chain: found on the loop, done on the chain thread.
 */
typedef struct verdict (*change_fn)(struct chain *c, struct hnode *n);

static void change_run(struct rpc_call *c, change_fn fn)
{
	struct verdict v = fn(rpc_node(c)->chain, rpc_state(c));

	rpc_end_verdict(c, RPC_DATABASE, &v);
}

static void invalidate_run(struct rpc_call *c)
{
	change_run(c, chain_invalidate);
}

static void reconsider_run(struct rpc_call *c)
{
	change_run(c, chain_reconsider);
}

static void precious_run(struct rpc_call *c)
{
	change_run(c, chain_precious);
}

static void change_begin(struct rpc_call *c, rpc_fn next)
{
	struct hnode *h = param_block(c, 0);

	if (!h)
		return;
	rpc_set_state(c, h);
	rpc_continue(c, RPC_CHAIN, next);
}

static void cmd_invalidateblock(struct rpc_call *c)
{
	change_begin(c, invalidate_run);
}

static void cmd_reconsiderblock(struct rpc_call *c)
{
	change_begin(c, reconsider_run);
}

static void cmd_preciousblock(struct rpc_call *c)
{
	change_begin(c, precious_run);
}

static const struct rpc_arg arg_height[] = {
    {"height", "n", true, "Height of the block."}, {0}};
static const struct rpc_arg arg_hash[] = {
    {"blockhash", "s", true, "Hash of the block."}, {0}};
static const struct rpc_arg args_header[] = {
    {"blockhash", "s", true, "Hash of the block."},
    {"verbose", "b", false, "true: an object; false: the 80 bytes in hex."},
    {0}};

#define CAT "blockchain"

const struct rpc_cmd rpc_blockchain_cmds[] = {
    {"getbestblockhash", CAT, RPC_LOOP, cmd_getbestblockhash, NULL,
     "The hash of the published tip.", "\"hex\"", false, false},
    {"getblockchaininfo", CAT, RPC_LOOP, cmd_getblockchaininfo, NULL,
     "State of the chain: heights, work, progress, warnings.",
     "{ chain, blocks, headers, bestblockhash, bits, target, difficulty, time, "
     "mediantime, verificationprogress, initialblockdownload, chainwork, "
     "size_on_disk, pruned, warnings }",
     false, false},
    {"getblockcount", CAT, RPC_LOOP, cmd_getblockcount, NULL,
     "Height of the published tip; the genesis block has height 0.", "n", false,
     false},
    {"getblockhash", CAT, RPC_LOOP, cmd_getblockhash, arg_height,
     "The hash of the block at a height of the published chain.", "\"hex\"",
     false, false},
    {"getblockheader", CAT, RPC_LOOP, cmd_getblockheader, args_header,
     "A block's header, as an object or as hex.",
     "{ hash, confirmations, height, version, versionHex, merkleroot, time, "
     "mediantime, nonce, bits, target, difficulty, chainwork, nTx, "
     "previousblockhash, nextblockhash } or \"hex\"",
     false, false},
    {"getchaintips", CAT, RPC_LOOP, cmd_getchaintips, NULL,
     "All tips of the header tree, the published one and those of forks.",
     "[ { height, hash, branchlen, status } ]", false, false},
    {"getdifficulty", CAT, RPC_LOOP, cmd_getdifficulty, NULL,
     "Difficulty of the tip as a multiple of the minimum.", "n", false, false},
    {"invalidateblock", CAT, RPC_LOOP, cmd_invalidateblock, arg_hash,
     "Mark a block invalid as if it broke a rule, and leave it.", "null", false,
     false},
    {"preciousblock", CAT, RPC_LOOP, cmd_preciousblock, arg_hash,
     "Prefer a block over others of the same work, as if it came first.",
     "null", false, false},
    {"reconsiderblock", CAT, RPC_LOOP, cmd_reconsiderblock, arg_hash,
     "Undo invalidateblock: the block and its line are judged again.", "null",
     false, false},
    {0}};
