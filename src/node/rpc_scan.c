/*
 * RPC scantxoutset: which coins pay to some scripts. A snapshot of all coins is
 * taken on the chain thread and walked on the RPC pool, by one call at a time,
 * which others may ask about and end.
 */
#include "needles.h"

#include "rpc_value.h"

#include <stdlib.h>

struct found {
	uint8_t outpoint[OUTPOINT_SIZE];
	const struct needle *needle;
	int64_t value;
	int32_t height;
	bool coinbase;
};

struct scan {
	struct node *node;
	struct needles *needles;
	struct coin_snapshot *snap;
	struct hnode *tip;
	struct found *list;
	size_t n, cap, at;
	uint64_t coins;
	int64_t total;
	bool whole, begun;
};

static bool scan_begin(struct node *n)
{
	bool busy = __atomic_exchange_n(&n->scan.busy, true, __ATOMIC_ACQ_REL);

	if (busy)
		return false;
	__atomic_store_n(&n->scan.abort, false, __ATOMIC_RELAXED);
	__atomic_store_n(&n->scan.progress, 0, __ATOMIC_RELAXED);
	return true;
}

static void scan_end(struct node *n)
{
	__atomic_store_n(&n->scan.busy, false, __ATOMIC_RELEASE);
}

static void scan_free(void *arg)
{
	struct scan *s = arg;

	needles_free(s->needles);
	free(s->list);
	free(s);
}

static void found_json(struct jw *w, const struct scan *s,
		       const struct found *f)
{
	jw_obj(w);
	jw_khash(w, "txid", outpoint_txid(f->outpoint));
	jw_ki64(w, "vout", outpoint_index(f->outpoint));
	jw_khex(w, "scriptPubKey", f->needle->script);
	jw_kstr(w, "desc", f->needle->desc);
	jw_kamount(w, "amount", f->value);
	jw_kbool(w, "coinbase", f->coinbase);
	jw_ki64(w, "height", f->height);
	jw_khash(w, "blockhash", &hnode_ancestor(s->tip, f->height)->hash);
	jw_ki64(w, "confirmations", s->tip->height - f->height + 1);
	jw_obj_end(w);
}

static bool scan_next(void *arg, struct jw *w, int *rc)
{
	struct scan *s = arg;

	(void)rc;
	if (!s->begun) {
		jw_obj(w);
		jw_kbool(w, "success", s->whole);
		jw_ku64(w, "txouts", s->coins);
		jw_ki64(w, "height", s->tip->height);
		jw_khash(w, "bestblock", &s->tip->hash);
		jw_key(w, "unspents");
		jw_arr(w);
		s->begun = true;
	}
	if (s->at < s->n) {
		found_json(w, s, &s->list[s->at++]);
		return true;
	}
	jw_arr_end(w);
	jw_kamount(w, "total_amount", s->total);
	jw_obj_end(w);
	return false;
}

static void scan_rewind(void *arg)
{
	struct scan *s = arg;

	s->at = 0;
	s->begun = false;
}

static void note(struct scan *s, const uint8_t *op, const struct coin *coin)
{
	const struct needle *x = needles_find(s->needles, coin->script);
	struct found *f;

	s->coins++;
	if (!x)
		return;
	arr_grow(&s->list, &s->cap, s->n + 1, sizeof *s->list);
	f = &s->list[s->n++];
	memcpy(f->outpoint, op, OUTPOINT_SIZE);
	f->needle = x;
	f->value = coin->value;
	f->height = coin->height;
	f->coinbase = coin->coinbase;
	s->total += coin->value;
}

/* Coins come in the order of their ids, which are spread evenly. */
static void tell_progress(struct scan *s, const uint8_t *op)
{
	double at = 0x100 * op[0] + op[1];

	if (s->coins % 1024 == 0)
		__atomic_store_n(&s->node->scan.progress,
				 (int)(at * 100 / 65536 + 0.5),
				 __ATOMIC_RELAXED);
}

static int walk(struct rpc_call *c, struct scan *s)
{
	uint8_t op[OUTPOINT_SIZE];
	struct coin coin;
	int rc;

	while ((rc = coin_snapshot_next(s->snap, op, &coin)) == 1) {
		note(s, op, &coin);
		tell_progress(s, op);
		if (rpc_is_stopping(c))
			return E_STOPPING;
		if (__atomic_load_n(&s->node->scan.abort, __ATOMIC_RELAXED))
			return 0;
	}
	s->whole = rc == 0;
	return rc;
}

/* Pool. */
static void scan_walk(struct rpc_call *c)
{
	struct scan *s = rpc_state(c);
	struct rpc_stream stream = {scan_next, scan_rewind, scan_free, s};
	int rc = walk(c, s);

	coin_snapshot_close(s->snap);
	scan_end(s->node);
	if (rc < 0) {
		scan_free(s);
		rpc_end(c, RPC_INTERNAL, "Unable to read UTXO set: %s",
			err_str(rc));
		return;
	}
	rpc_reply_stream(c, &stream);
	rpc_done(c);
}

/* Chain thread. */
static void scan_take(struct rpc_call *c)
{
	struct scan *s = rpc_state(c);
	int rc = chain_coins_snapshot(s->node->chain, &s->snap, &s->tip);

	if (rc == 0) {
		rpc_continue(c, RPC_POOL, scan_walk);
		return;
	}
	scan_end(s->node);
	scan_free(s);
	rpc_end(c, RPC_INTERNAL, "Unable to read UTXO set: %s", err_str(rc));
}

static void start(struct rpc_call *c, struct node *n)
{
	const struct json *objects = rpc_param(c, 1);
	struct needles *needles;
	struct scan *s;

	if (!scan_begin(n)) {
		rpc_end(c, RPC_BAD_PARAM,
			"Scan already in progress, use action \"abort\" or "
			"\"status\"");
		return;
	}
	if (!objects) {
		scan_end(n);
		rpc_end(c, RPC_MISC,
			"scanobjects argument is required for the start "
			"action");
		return;
	}
	needles = needles_take(c, objects);
	if (!needles) {
		scan_end(n);
		return;
	}
	s = xcalloc(1, sizeof *s);
	s->node = n;
	s->needles = needles;
	rpc_set_state(c, s);
	rpc_continue(c, RPC_CHAIN, scan_take);
}

static void status(struct rpc_call *c, struct node *n)
{
	struct jw *w = rpc_out(c);

	if (!__atomic_load_n(&n->scan.busy, __ATOMIC_ACQUIRE)) {
		jw_null(w);
	} else {
		jw_obj(w);
		jw_ki64(w, "progress",
			__atomic_load_n(&n->scan.progress, __ATOMIC_RELAXED));
		jw_obj_end(w);
	}
	rpc_done(c);
}

static void stop(struct rpc_call *c, struct node *n)
{
	bool busy = __atomic_load_n(&n->scan.busy, __ATOMIC_ACQUIRE);

	if (busy)
		__atomic_store_n(&n->scan.abort, true, __ATOMIC_RELAXED);
	jw_bool(rpc_out(c), busy);
	rpc_done(c);
}

static void cmd_scantxoutset(struct rpc_call *c)
{
	const char *action = param_str(c, 0);
	struct node *n = rpc_node(c);

	if (strcmp(action, "start") == 0)
		start(c, n);
	else if (strcmp(action, "status") == 0)
		status(c, n);
	else if (strcmp(action, "abort") == 0)
		stop(c, n);
	else
		rpc_end(c, RPC_BAD_PARAM, "Invalid action '%s'", action);
}

static const struct rpc_arg args[] = {
    {"action", "s", true, "start, status or abort."},
    {"scanobjects", "a", false,
     "For start: descriptors, or objects of desc and range (1000)."},
    {0}};

const struct rpc_cmd rpc_scan_cmds[] = {
    {"scantxoutset", "blockchain", RPC_POOL, cmd_scantxoutset, args,
     "Find the unspent outputs that descriptors stand for; may take long.",
     "{ success, txouts, height, bestblock, unspents: [ { txid, vout, "
     "scriptPubKey, desc, amount, coinbase, height, blockhash, confirmations "
     "} ], total_amount }; null or { progress }; true or false",
     false, false},
    {0}};
