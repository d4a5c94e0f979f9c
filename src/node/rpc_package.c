/*
 * RPC submitpackage: a transaction together with its unconfirmed parents.
 * Decoded on the RPC pool, judged and kept on the chain thread, told to peers
 * from the loop, answered on the RPC pool.
 */
#include "sendtx.h"

#include <stdlib.h>

/* All but the last are parents of the last, and no parent is another's. */
static bool is_family(const struct offer *o)
{
	size_t child = o->n - 1;

	for (size_t i = 0; i < child; i++) {
		if (!tx_spends_from(&o->views[child], &o->txids[i]))
			return false;
		for (size_t k = 0; k < child; k++)
			if (tx_spends_from(&o->views[i], &o->txids[k]))
				return false;
	}
	return true;
}

static void result_json(struct jw *w, const struct offer *o, size_t i)
{
	const struct mempool_result *r = &o->results[i];
	char why[VERDICT_TEXT];

	jw_obj(w);
	jw_khash(w, "txid", &o->txids[i]);
	if (r->outcome == TX_NOT_JUDGED)
		jw_kstr(w, "error", "package-not-validated");
	else if (r->outcome == TX_ACCEPTED || r->outcome == TX_KEPT)
		offer_fees_json(w, o, i, r->outcome == TX_ACCEPTED);
	else if (!hash256_is_zero(&r->other))
		jw_khash(w, "other-wtxid", &r->other);
	else
		jw_kstr(w, "error",
			r->verdict.kind == V_INVALID
			    ? verdict_fmt(why, &r->verdict)
			    : err_str(r->verdict.rc));
	jw_obj_end(w);
}

static int by_bytes(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct hash256));
}

/* All that were replaced, each once. */
static void replaced_json(struct jw *w, const struct offer *o)
{
	struct hash256 *all;
	size_t n = 0, i;

	for (i = 0; i < o->n; i++)
		n += o->results[i].n_replaced;
	all = xcalloc(n + 1, sizeof *all);
	n = 0;
	for (i = 0; i < o->n; i++) {
		const struct mempool_result *r = &o->results[i];

		if (r->n_replaced)
			memcpy(&all[n], r->replaced,
			       r->n_replaced * sizeof *all);
		n += r->n_replaced;
	}
	qsort(all, n, sizeof *all, by_bytes);
	jw_key(w, "replaced-transactions");
	jw_arr(w);
	for (i = 0; i < n; i++)
		if (i == 0 || !hash256_eq(&all[i], &all[i - 1]))
			jw_hash(w, &all[i]);
	jw_arr_end(w);
	free(all);
}

/* Whether an earlier one of the list is the same. */
static bool is_again(const struct offer *o, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (hash256_eq(&o->wtxids[k], &o->wtxids[i]))
			return true;
	return false;
}

/* Pool. */
static void package_answer(struct rpc_call *c)
{
	struct offer *o = rpc_state(c);
	char why[VERDICT_TEXT], id[HASH256_STR];
	struct jw *w = rpc_out(c);

	jw_obj(w);
	jw_kstr(w, "package_msg",
		o->verdict.kind == V_VALID     ? "success"
		: o->verdict.kind == V_INVALID ? verdict_fmt(why, &o->verdict)
					       : err_str(o->verdict.rc));
	jw_key(w, "tx-results");
	jw_obj(w);
	for (size_t i = 0; i < o->n; i++) {
		if (is_again(o, i))
			continue;
		jw_key(w, hash256_fmt(id, &o->wtxids[i]));
		result_json(w, o, i);
	}
	jw_obj_end(w);
	replaced_json(w, o);
	jw_obj_end(w);
	offer_free(o);
	rpc_done(c);
}

/* Loop: peers hear of those that are in the pool now, new or not. */
static void package_tell(struct rpc_call *c)
{
	struct sync *sync = rpc_node(c)->sync;
	struct offer *o = rpc_state(c);

	for (size_t i = 0; i < o->n; i++)
		sync_announce_tx(sync, &o->txids[i]);
	rpc_continue(c, RPC_POOL, package_answer);
}

/* Chain thread. */
static void package_judge(struct rpc_call *c)
{
	struct node *n = rpc_node(c);
	struct offer *o = rpc_state(c);

	o->verdict =
	    mempool_accept_package(chain_mempool(n->chain), o->results, o->txs,
				   o->n, o->max_rate, 0, clock_now(&n->clock));
	rpc_continue(c, RPC_LOOP, package_tell);
}

void cmd_submitpackage(struct rpc_call *c)
{
	struct offer *o = offer_take(c, false, true);

	if (!o)
		return;
	if (o->n > 1 && !is_family(o)) {
		rpc_end(c, RPC_VERIFY,
			"package topology disallowed. not child-with-parents "
			"or parents depend on each other.");
		offer_free(o);
		return;
	}
	rpc_set_state(c, o);
	rpc_continue(c, RPC_CHAIN, package_judge);
}
