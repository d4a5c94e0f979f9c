/*
 * RPC: compact block filters (BIP157, BIP158) and what peers claim of them.
 * Found on the loop; filters are read on the RPC pool.
 */
#include "rpc_util.h"

#include <cairn/base/buf.h>

static void getblockfilter_read(struct rpc_call *c)
{
	struct node *n = rpc_node(c);
	const struct hnode *h = rpc_state(c);
	struct hash256 header;
	struct buf *filter;
	struct jw *w;

	if (!chain_filter_header(n->chain, &header, h) ||
	    chain_filter_read(n->chain, &filter, h) != 0) {
		rpc_end(
		    c, hnode_status(h) & HN_CONNECTED ? RPC_INTERNAL : RPC_MISC,
		    "Filter not found. %s",
		    hnode_status(h) & HN_CONNECTED
			? "Block filters are still in the process of being "
			  "indexed."
			: "Block was not connected to active chain.");
		return;
	}
	w = rpc_out(c);
	jw_obj(w);
	jw_khex(w, "filter", buf_payload(filter));
	jw_khash(w, "header", &header);
	jw_obj_end(w);
	buf_unref(filter);
	rpc_done(c);
}

static void cmd_getblockfilter(struct rpc_call *c)
{
	const char *type = param_str(c, 1);
	struct hnode *h;

	if (type && strcmp(type, "basic") != 0) {
		rpc_end(c, RPC_BAD_ADDRESS, "Unknown filtertype");
		return;
	}
	if (!rpc_node(c)->filters) {
		rpc_end(c, RPC_MISC,
			"Index is not enabled for filtertype basic");
		return;
	}
	h = param_block(c, 0);
	if (!h)
		return;
	rpc_set_state(c, h);
	rpc_continue(c, RPC_POOL, getblockfilter_read);
}

static void cmd_getindexinfo(struct rpc_call *c)
{
	struct node *n = rpc_node(c);
	const char *only = param_str(c, 0);
	static const char name[] = "basic block filter index";
	struct jw *w = rpc_out(c);

	jw_obj(w);
	if (n->filters && (!only || strcmp(only, name) == 0)) {
		jw_key(w, name);
		jw_obj(w);
		jw_kbool(w, "synced", chain_filters_ready(n->chain));
		jw_ki64(w, "best_block_height", chain_filters_height(n->chain));
		jw_obj_end(w);
	}
	jw_obj_end(w);
	rpc_done(c);
}

static const char *state_name(enum cfcheckpt_state s)
{
	switch (s) {
	case CFC_CLAIMED:
		return "claimed";
	case CFC_AGREED:
		return "agreed";
	case CFC_VALIDATED:
		return "validated";
	case CFC_REFUTED:
		return "refuted";
	}
	return "claimed";
}

static void cmd_getcfcheckpointinfo(struct rpc_call *c)
{
	struct node *n = rpc_node(c);
	struct cfcheckpt_row row;
	struct jw *w = rpc_out(c);

	jw_arr(w);
	for (size_t i = 0; chain_cfcheckpt_at(n->chain, &row, i); i++) {
		jw_obj(w);
		jw_ki64(w, "height", row.height);
		jw_khash(w, "blockhash", &row.block);
		jw_khash(w, "filterheader", &row.header);
		jw_kstr(w, "state", state_name(row.state));
		jw_key(w, "peers");
		jw_arr(w);
		for (size_t k = 0; k < row.n_peers; k++)
			jw_u64(w, row.peers[k]);
		jw_arr_end(w);
		jw_obj_end(w);
	}
	jw_arr_end(w);
	rpc_done(c);
}

static const struct rpc_arg args_filter[] = {
    {"blockhash", "s", true, "Hash of the block."},
    {"filtertype", "s", false, "basic, the only one."},
    {0}};
static const struct rpc_arg args_index[] = {
    {"index_name", "s", false, "Only this one."}, {0}};

const struct rpc_cmd rpc_filter_cmds[] = {
    {"getblockfilter", "blockchain", RPC_LOOP, cmd_getblockfilter, args_filter,
     "A block's BIP158 filter and filter header (with -blockfilterindex).",
     "{ filter, header }", false, false},
    {"getcfcheckpointinfo", "blockchain", RPC_LOOP, cmd_getcfcheckpointinfo,
     NULL,
     "Filter checkpoints (BIP157) by interval: what peers claim and what of it "
     "was validated against the own chain.",
     "[ { height, blockhash, filterheader, state, peers } ]", false, false},
    {"getindexinfo", "util", RPC_LOOP, cmd_getindexinfo, args_index,
     "State of the optional indexes.",
     "{ name: { synced, best_block_height } }", false, false},
    {0}};
