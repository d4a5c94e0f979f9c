/*
 * RPC: transactions on their way between peers: those that wait for others, and
 * the times at which own ones are told of again. Loop.
 */
#include "rpc_util.h"

#include <cairn/base/buf.h>

#define FORWARD_MAX_S 3600

struct orphans_out {
	struct jw *w;
	int64_t verbosity;
};

static void orphan_txid(void *arg, const struct sync_orphan *o)
{
	jw_hash(((struct orphans_out *)arg)->w, o->txid);
}

static void orphan_json(void *arg, const struct sync_orphan *o)
{
	const struct orphans_out *out = arg;
	struct jw *w = out->w;

	jw_obj(w);
	jw_khash(w, "txid", o->txid);
	jw_khash(w, "wtxid", o->wtxid);
	jw_ku64(w, "bytes", o->buf->n);
	jw_ku64(w, "vsize", (o->weight + 3) / 4);
	jw_ku64(w, "vsize_bip141", (o->weight + 3) / 4);
	jw_ku64(w, "weight", o->weight);
	jw_key(w, "from");
	jw_arr(w);
	for (size_t i = 0; i < o->n_peers; i++)
		jw_u64(w, o->peers[i]);
	jw_arr_end(w);
	if (out->verbosity == 2)
		jw_khex(w, "hex", buf_payload(o->buf));
	jw_obj_end(w);
}

static void cmd_getorphantxs(struct rpc_call *c)
{
	struct orphans_out out = {.w = rpc_out(c)};

	if (!param_i64(c, 0, &out.verbosity, 0, INT64_MIN, INT64_MAX))
		return;
	if (out.verbosity < 0 || out.verbosity > 2) {
		rpc_end(c, RPC_BAD_PARAM, "Invalid verbosity value %lld",
			(long long)out.verbosity);
		return;
	}
	jw_arr(out.w);
	sync_orphans(rpc_node(c)->sync,
		     out.verbosity ? orphan_json : orphan_txid, &out);
	jw_arr_end(out.w);
	rpc_done(c);
}

static void cmd_mockscheduler(struct rpc_call *c)
{
	struct node *n = rpc_node(c);
	int64_t delta;

	if (n->params.id != CHAIN_REGTEST) {
		rpc_end(c, RPC_MISC,
			"mockscheduler is for regression testing (-regtest "
			"mode) only");
		return;
	}
	if (!param_i64(c, 0, &delta, 0, INT64_MIN, INT64_MAX))
		return;
	if (delta <= 0 || delta > FORWARD_MAX_S) {
		rpc_end(c, RPC_MISC,
			"delta_time must be between 1 and 3600 seconds (1 hr)");
		return;
	}
	sync_forward(n->sync, delta);
	jw_null(rpc_out(c));
	rpc_done(c);
}

static const struct rpc_arg args_orphans[] = {
    {"verbosity", "n", false, "0: ids; 1: objects; 2: with their bytes."}, {0}};
static const struct rpc_arg args_forward[] = {
    {"delta_time", "n", true, "Seconds, 1 to 3600."}, {0}};

const struct rpc_cmd rpc_relay_cmds[] = {
    {"getorphantxs", "hidden", RPC_LOOP, cmd_getorphantxs, args_orphans,
     "Transactions that wait for those that they spend.",
     "[ \"txid\" ] or [ { txid, wtxid, bytes, vsize, vsize_bip141, weight, "
     "from, hex } ]",
     true, false},
    {"mockscheduler", "hidden", RPC_LOOP, cmd_mockscheduler, args_forward,
     "Regtest: let the time pass after which own transactions are announced "
     "again.",
     "null", true, false},
    {0}};
