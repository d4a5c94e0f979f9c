/*
 * RPC: transactions on their way between peers: those that wait for others, and
 * the times at which own ones are told of again. Loop; the list is written out
 * on the RPC pool.
 */
#include "rpc_util.h"

#include <cairn/base/buf.h>

#include <stdlib.h>

#define FORWARD_MAX_S 3600

/* One that waits, as it was when the call came. */
struct orphan_row {
	struct hash256 txid, wtxid;
	struct buf *buf; /* a reference */
	uint32_t weight;
	size_t from, n_from; /* in the list of all announcers */
};

/* All of them, on their way out. */
struct orphans_out {
	struct orphan_row *rows;
	size_t n, cap, at;
	uint64_t *from;
	size_t n_from, cap_from;
	int64_t verbosity;
	bool begun;
};

static void keep_orphan(void *arg, const struct sync_orphan *o)
{
	struct orphans_out *out = arg;

	arr_grow(&out->rows, &out->cap, out->n + 1, sizeof *out->rows);
	out->rows[out->n++] = (struct orphan_row){
	    .txid = *o->txid,
	    .wtxid = *o->wtxid,
	    .buf = buf_ref(o->buf),
	    .weight = o->weight,
	    .from = out->n_from,
	    .n_from = o->n_peers,
	};
	arr_grow(&out->from, &out->cap_from, out->n_from + o->n_peers,
		 sizeof *out->from);
	for (size_t i = 0; i < o->n_peers; i++)
		out->from[out->n_from++] = o->peers[i];
}

static void orphan_json(struct jw *w, const struct orphans_out *out,
			const struct orphan_row *r)
{
	if (out->verbosity == 0) {
		jw_hash(w, &r->txid);
		return;
	}
	jw_obj(w);
	jw_khash(w, "txid", &r->txid);
	jw_khash(w, "wtxid", &r->wtxid);
	jw_ku64(w, "bytes", r->buf->n);
	jw_ku64(w, "vsize", (r->weight + 3) / 4);
	jw_ku64(w, "vsize_bip141", (r->weight + 3) / 4);
	jw_ku64(w, "weight", r->weight);
	jw_key(w, "from");
	jw_arr(w);
	for (size_t i = 0; i < r->n_from; i++)
		jw_u64(w, out->from[r->from + i]);
	jw_arr_end(w);
	if (out->verbosity == 2)
		jw_khex(w, "hex", buf_payload(r->buf));
	jw_obj_end(w);
}

static bool orphans_next(void *arg, struct jw *w, int *rc)
{
	struct orphans_out *out = arg;

	(void)rc;
	if (!out->begun)
		jw_arr(w);
	out->begun = true;
	if (out->at < out->n) {
		orphan_json(w, out, &out->rows[out->at++]);
		return true;
	}
	jw_arr_end(w);
	return false;
}

static void orphans_rewind(void *arg)
{
	struct orphans_out *out = arg;

	out->at = 0;
	out->begun = false;
}

static void orphans_free(void *arg)
{
	struct orphans_out *out = arg;

	for (size_t i = 0; i < out->n; i++)
		buf_unref(out->rows[i].buf);
	free(out->rows);
	free(out->from);
	free(out);
}

static int by_wtxid(const void *a, const void *b)
{
	const struct orphan_row *x = a, *y = b;

	return memcmp(&x->wtxid, &y->wtxid, sizeof x->wtxid);
}

static int by_id(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* False: failed and finished. */
static bool take_verbosity(struct rpc_call *c, int64_t *v)
{
	const struct json *j = rpc_param(c, 0);

	*v = 0;
	if (j && (j->type == JSON_TRUE || j->type == JSON_FALSE)) {
		rpc_end(c, RPC_TYPE,
			"Verbosity was boolean but only integer allowed");
		return false;
	}
	if (!param_i64(c, 0, v, 0, INT64_MIN, INT64_MAX))
		return false;
	if (*v >= 0 && *v <= 2)
		return true;
	rpc_end(c, RPC_BAD_PARAM, "Invalid verbosity value %lld",
		(long long)*v);
	return false;
}

static void cmd_getorphantxs(struct rpc_call *c)
{
	struct orphans_out *out;
	struct rpc_stream s = {orphans_next, orphans_rewind, orphans_free,
			       NULL};
	int64_t verbosity;

	if (!take_verbosity(c, &verbosity))
		return;
	s.arg = out = xcalloc(1, sizeof *out);
	out->verbosity = verbosity;
	sync_orphans(rpc_node(c)->sync, keep_orphan, out);
	if (out->n)
		qsort(out->rows, out->n, sizeof *out->rows, by_wtxid);
	for (size_t i = 0; i < out->n; i++)
		qsort(out->from + out->rows[i].from, out->rows[i].n_from,
		      sizeof *out->from, by_id);
	rpc_reply_stream(c, &s);
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
    {"verbosity", "nb", false, "0: ids; 1: objects; 2: with their bytes."},
    {0}};
static const struct rpc_arg args_forward[] = {
    {"delta_time", "n", true, "Seconds, 1 to 3600."}, {0}};

const struct rpc_cmd rpc_relay_cmds[] = {
    {"getorphantxs", "hidden", RPC_LOOP, cmd_getorphantxs, args_orphans,
     "Transactions that wait for those that they spend.",
     "[ \"txid\" ] or [ { txid, wtxid, bytes, vsize, vsize_bip141, weight, "
     "from, hex } ]",
     false, true},
    {"mockscheduler", "hidden", RPC_LOOP, cmd_mockscheduler, args_forward,
     "Regtest: let the time pass after which own transactions are announced "
     "again.",
     "null", false, true},
    {0}};
