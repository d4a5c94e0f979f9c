/*
 * Transactions as callers offer them: parameters in, results out, with
 * bitcoind's sentences. Where the command runs; asks nothing of the chain.
 */
#include "sendtx.h"

#include "rpc_value.h"

#include <cairn/base/buf.h>
#include <cairn/consensus/check.h>
#include <cairn/script/template.h>

#include <stdlib.h>

void offer_free(struct offer *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->n; i++) {
		mempool_result_fini(&o->results[i]);
		buf_unref(o->txs[i]);
	}
	free(o);
}

int64_t offer_vsize(const struct offer *o, size_t i)
{
	return (tx_weight(&o->views[i]) + 3) / 4;
}

/* Coins that nobody could spend, above what the caller is ready to lose. */
static bool burns_too_much(const struct offer *o, const struct tx_view *tx)
{
	struct txout_view out;
	struct tx_iter it;

	txouts(&it, tx);
	while (txout_next(&it, &out))
		if ((script_is_unspendable(out.script) ||
		     !script_ops_valid(out.script)) &&
		    out.value > o->max_burn)
			return true;
	return false;
}

static bool take_tx(struct rpc_call *c, struct offer *o, const struct json *v,
		    bool one)
{
	const char *s = value_str(c, v);
	size_t i = o->n;

	if (!s)
		return false;
	if (!rawtx_parse(&o->views[i], &o->txs[i], v, RAWTX_WITNESS)) {
		if (one)
			rpc_end(c, RPC_DESERIALIZE,
				"TX decode failed. Make sure the tx has at "
				"least one input.");
		else
			rpc_end(c, RPC_DESERIALIZE,
				"TX decode failed: %s Make sure the tx has at "
				"least one input.",
				s);
		return false;
	}
	o->n++;
	tx_txid(&o->txids[i], &o->views[i]);
	tx_wtxid(&o->wtxids[i], &o->views[i]);
	if (o->max_burn < 0 || !burns_too_much(o, &o->views[i]))
		return true;
	rpc_end(c, RPC_VERIFY,
		"Unspendable output exceeds maximum configured by user "
		"(maxburnamount)");
	return false;
}

static bool take_txs(struct rpc_call *c, struct offer *o, bool one)
{
	const struct json *list = rpc_param(c, 0);

	if (one)
		return take_tx(c, o, list, true);
	for (size_t i = 0; i < list->n; i++)
		if (!take_tx(c, o, &list->kids[i], false))
			return false;
	return true;
}

static bool take_rate(struct rpc_call *c, struct offer *o)
{
	const struct json *v = rpc_param(c, 1);

	o->max_rate = MAX_RATE_DEFAULT;
	if (!v)
		return true;
	if (!value_amount(c, v, &o->max_rate))
		return false;
	if (o->max_rate < COIN)
		return true;
	rpc_end(c, RPC_BAD_PARAM,
		"Fee rates larger than or equal to 1BTC/kvB are not accepted");
	return false;
}

static bool take_burn(struct rpc_call *c, struct offer *o, bool burns)
{
	const struct json *v = rpc_param(c, 2);

	o->max_burn = burns ? 0 : -1;
	return !burns || !v || value_amount(c, v, &o->max_burn);
}

static bool number_ok(struct rpc_call *c, bool one)
{
	const struct json *list = rpc_param(c, 0);

	if (one || (list->n >= 1 && list->n <= MEMPOOL_PACKAGE_MAX))
		return true;
	rpc_end(c, RPC_BAD_PARAM,
		"Array must contain between 1 and %u transactions.",
		MEMPOOL_PACKAGE_MAX);
	return false;
}

struct offer *offer_take(struct rpc_call *c, bool one, bool burns)
{
	struct offer *o = xcalloc(1, sizeof *o);
	bool ok;

	o->verdict = verdict_valid();
	/* The rate comes last where there is one transaction. */
	ok = number_ok(c, one) && (one || take_rate(c, o)) &&
	     take_burn(c, o, burns) && take_txs(c, o, one) &&
	     (!one || take_rate(c, o));
	if (ok)
		return o;
	offer_free(o);
	return NULL;
}

/* Those that were judged as one are told by the sums that they share. */
static bool judged_together(const struct mempool_result *a,
			    const struct mempool_result *b)
{
	return a->outcome == TX_ACCEPTED && b->outcome == TX_ACCEPTED &&
	       a->chunk_vsize == b->chunk_vsize && a->chunk_fee == b->chunk_fee;
}

static void includes_json(struct jw *w, const struct offer *o, size_t i)
{
	const struct mempool_result *r = &o->results[i];
	bool alone = r->chunk_vsize == r->vsize;

	jw_key(w, "effective-includes");
	jw_arr(w);
	for (size_t k = 0; k < o->n; k++)
		if (k == i || (!alone && judged_together(r, &o->results[k])))
			jw_hash(w, &o->wtxids[k]);
	jw_arr_end(w);
}

void offer_fees_json(struct jw *w, const struct offer *o, size_t i,
		     bool with_rate)
{
	const struct mempool_result *r = &o->results[i];

	jw_ki64(w, "vsize_adjusted", r->vsize);
	jw_ki64(w, "vsize", r->vsize);
	jw_ki64(w, "vsize_bip141", offer_vsize(o, i));
	jw_key(w, "fees");
	jw_obj(w);
	jw_kamount(w, "base", r->fee);
	if (with_rate) {
		jw_kamount(w, "effective-feerate",
			   rate_of(r->chunk_fee, r->chunk_vsize));
		includes_json(w, o, i);
	}
	jw_obj_end(w);
}
