/*
 * RPC: offering transactions to the pool. They are decoded on the RPC pool,
 * judged on the chain thread, and sent by way of the loop, as those from peers
 * are; packages are in rpc_package.c.
 */
#include "sendtx.h"

#include <cairn/base/buf.h>

#include <stdlib.h>

/* bitcoind's code and words for a transaction that was not taken. */
static void refuse(struct rpc_call *c, const struct mempool_result *r)
{
	char why[VERDICT_TEXT];
	int code = RPC_VERIFY_REJECTED;

	if (r->outcome == TX_MISSING_INPUTS || r->outcome == TX_FAILED)
		code = RPC_VERIFY;
	rpc_fail(c, code, "%s",
		 r->verdict.kind == V_INVALID ? verdict_fmt(why, &r->verdict)
					      : err_str(r->verdict.rc));
}

static void send_end(struct rpc_call *c)
{
	struct offer *o = rpc_state(c);

	offer_free(o);
	rpc_done(c);
}

static void send_answer(struct rpc_call *c)
{
	struct offer *o = rpc_state(c);

	jw_hash(rpc_out(c), &o->txids[0]);
	send_end(c);
}

/* Somebody else may have brought it in the meantime. */
static bool is_known(const struct mempool_result *r)
{
	return r->outcome == TX_CONFLICT &&
	       (strcmp(r->verdict.reject, "txn-already-in-mempool") == 0 ||
		strcmp(r->verdict.reject,
		       "txn-same-nonwitness-data-in-mempool") == 0);
}

/* Loop: what is kept already is announced once more. */
static void tell_again(struct rpc_call *c)
{
	const struct offer *o = rpc_state(c);

	sync_announce_tx(rpc_node(c)->sync, &o->txids[0]);
}

/* Loop: the pool's answer. */
static void send_done(void *arg, const struct mempool_result *r)
{
	struct rpc_call *c = arg;

	if (is_known(r))
		tell_again(c);
	if (r->outcome == TX_ACCEPTED || is_known(r)) {
		send_answer(c);
		return;
	}
	refuse(c, r);
	send_end(c);
}

/* Loop. */
static void send_submit(struct rpc_call *c)
{
	struct offer *o = rpc_state(c);
	struct tx_job job = {.buf = buf_ref(o->txs[0]),
			     .flags = MEMPOOL_OURS,
			     .done = send_done,
			     .arg = c};

	chain_submit_tx(rpc_node(c)->chain, &job);
}

/* Loop: it is kept already, perhaps with another witness, so peers are only
 * told of it again. */
static void send_again(struct rpc_call *c)
{
	tell_again(c);
	send_answer(c);
}

/* An output of it is among the coins. */
static bool is_in_chain(struct chain *chain, const struct offer *o)
{
	uint8_t op[OUTPOINT_SIZE];
	struct coin coin;

	memcpy(op, &o->txids[0], 32);
	for (uint32_t i = 0; i < o->views[0].n_out; i++) {
		le32_put(op + 32, i);
		if (chain_coin_get(chain, &coin, op) == 0)
			return true;
	}
	return false;
}

/* Whether it would pay no more than the caller wants to; false: answered. */
static bool fee_ok(struct rpc_call *c, struct offer *o)
{
	struct node *n = rpc_node(c);
	struct mempool_result *r = &o->results[0];
	int64_t most = rate_fee(o->max_rate, offer_vsize(o, 0));

	if (most == 0)
		return true;
	mempool_accept(chain_mempool(n->chain), r, o->txs[0], MEMPOOL_TEST,
		       clock_now(&n->clock));
	if (r->outcome == TX_ACCEPTED && r->fee <= most)
		return true;
	if (r->outcome == TX_ACCEPTED)
		rpc_fail(c, RPC_VERIFY,
			 "Fee exceeds maximum configured by user (e.g. "
			 "-maxtxfee, maxfeerate)");
	else
		refuse(c, r);
	send_end(c);
	return false;
}

/* Chain thread. */
static void send_judge(struct rpc_call *c)
{
	struct chain *chain = rpc_node(c)->chain;
	struct offer *o = rpc_state(c);

	if (is_in_chain(chain, o)) {
		rpc_fail(c, RPC_ALREADY_IN_CHAIN,
			 "Transaction outputs already in utxo set");
		send_end(c);
	} else if (mempool_find(chain_mempool(chain), &o->txids[0])) {
		rpc_continue(c, RPC_LOOP, send_again);
	} else if (fee_ok(c, o)) {
		rpc_continue(c, RPC_LOOP, send_submit);
	}
}

static void cmd_sendrawtransaction(struct rpc_call *c)
{
	struct offer *o = offer_take(c, true, true);

	if (!o)
		return;
	rpc_set_state(c, o);
	rpc_continue(c, RPC_CHAIN, send_judge);
}

static void allowed_json(struct jw *w, const struct offer *o, size_t i)
{
	jw_kbool(w, "allowed", true);
	offer_fees_json(w, o, i, true);
}

static void refused_json(struct jw *w, const struct mempool_result *r)
{
	char why[VERDICT_TEXT];

	jw_kbool(w, "allowed", false);
	if (r->outcome == TX_MISSING_INPUTS) {
		jw_kstr(w, "reject-reason", "missing-inputs");
		return;
	}
	jw_kstr(w, "reject-reason", r->verdict.reject);
	jw_kstr(w, "reject-details", verdict_fmt(why, &r->verdict));
}

/* One transaction's result; false when those behind it stay unjudged. */
static bool test_json(struct jw *w, const struct offer *o, size_t i)
{
	const struct mempool_result *r = &o->results[i];
	int64_t most = rate_fee(o->max_rate, r->vsize);

	if (r->outcome == TX_NOT_JUDGED)
		return true;
	if (r->outcome != TX_ACCEPTED) {
		refused_json(w, r);
	} else if (most && r->fee > most) {
		jw_kbool(w, "allowed", false);
		jw_kstr(w, "reject-reason", "max-fee-exceeded");
		return false;
	} else {
		allowed_json(w, o, i);
	}
	return true;
}

/* Whether the package as such is wrong, not one of its transactions. */
static bool package_refused(const struct verdict *v)
{
	return v->kind == V_INVALID && v->reason != INV_NONE;
}

/* A transaction could not be judged; false: failed and finished. */
static bool could_judge(struct rpc_call *c, const struct offer *o)
{
	for (size_t i = 0; i < o->n; i++)
		if (o->results[i].outcome == TX_FAILED) {
			rpc_end(c, RPC_DATABASE, "%s",
				err_str(o->results[i].verdict.rc));
			return false;
		}
	return true;
}

/* Pool. */
static void test_answer(struct rpc_call *c)
{
	struct offer *o = rpc_state(c);
	char why[VERDICT_TEXT];
	bool go_on = true;
	struct jw *w;

	if (!could_judge(c, o)) {
		offer_free(o);
		return;
	}
	w = rpc_out(c);
	jw_arr(w);
	for (size_t i = 0; i < o->n; i++) {
		jw_obj(w);
		jw_khash(w, "txid", &o->txids[i]);
		jw_khash(w, "wtxid", &o->wtxids[i]);
		if (package_refused(&o->verdict))
			jw_kstr(w, "package-error",
				verdict_fmt(why, &o->verdict));
		if (go_on)
			go_on = test_json(w, o, i);
		jw_obj_end(w);
	}
	jw_arr_end(w);
	offer_free(o);
	rpc_done(c);
}

/* Chain thread. */
static void test_judge(struct rpc_call *c)
{
	struct node *n = rpc_node(c);
	struct mempool *m = chain_mempool(n->chain);
	struct offer *o = rpc_state(c);
	int64_t now = clock_now(&n->clock);

	if (o->n == 1)
		mempool_accept(m, &o->results[0], o->txs[0], MEMPOOL_TEST, now);
	else
		o->verdict = mempool_accept_package(m, o->results, o->txs, o->n,
						    0, MEMPOOL_TEST, now);
	rpc_continue(c, RPC_POOL, test_answer);
}

static void cmd_testmempoolaccept(struct rpc_call *c)
{
	struct offer *o = offer_take(c, false, false);

	if (!o)
		return;
	rpc_set_state(c, o);
	rpc_continue(c, RPC_CHAIN, test_judge);
}

static const struct rpc_arg args_send[] = {
    {"hexstring", "s", true, "The transaction in hex."},
    {"maxfeerate", "*", false,
     "Refuse one that pays more than this, in BTC/kvB (0.10); 0: any."},
    {"maxburnamount", "*", false,
     "Refuse outputs above this, in BTC (0), that nobody can spend."},
    {0}};
static const struct rpc_arg args_test[] = {
    {"rawtxs", "a", true,
     "Up to 25 transactions in hex; parents come before children."},
    {"maxfeerate", "*", false,
     "Refuse one that pays more than this, in BTC/kvB (0.10); 0: any."},
    {0}};
static const struct rpc_arg args_package[] = {
    {"package", "a", true,
     "Up to 25 transactions in hex: a child behind its parents."},
    {"maxfeerate", "*", false,
     "Refuse one that pays more than this, in BTC/kvB (0.10); 0: any."},
    {"maxburnamount", "*", false,
     "Refuse outputs above this, in BTC (0), that nobody can spend."},
    {0}};

const struct rpc_cmd rpc_sendtx_cmds[] = {
    {"sendrawtransaction", "rawtransactions", RPC_POOL, cmd_sendrawtransaction,
     args_send, "Put a transaction into the pool and tell peers of it.",
     "\"txid\"", false, false},
    {"submitpackage", "rawtransactions", RPC_POOL, cmd_submitpackage,
     args_package,
     "Offer a transaction together with its unconfirmed parents, which it may "
     "pay for.",
     "{ package_msg, tx-results: { \"wtxid\": { txid, other-wtxid, "
     "vsize_adjusted, vsize, vsize_bip141, fees, error } }, "
     "replaced-transactions }",
     false, false},
    {"testmempoolaccept", "rawtransactions", RPC_POOL, cmd_testmempoolaccept,
     args_test, "Whether the pool would take these transactions.",
     "[ { txid, wtxid, package-error, allowed, vsize_adjusted, vsize, "
     "vsize_bip141, fees, reject-reason, reject-details } ]",
     false, false},
    {0}};
