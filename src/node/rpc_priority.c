/*
 * RPC: what miners add to the fee of a transaction in their own eyes. Read and
 * changed on the chain thread; the list is written out on the RPC pool.
 */
#include "rpc_util.h"

#include "internal.h"

#include <stdlib.h>

/* Loop: templates that know nothing of it are old now. */
static void prioritise_end(struct rpc_call *c)
{
	node_pool_changed(rpc_node(c));
	jw_bool(rpc_out(c), true);
	rpc_done(c);
}

static bool has_dust(const struct mempool *m, const struct hash256 *txid)
{
	const struct policy *p = mempool_policy(m);
	const struct mempool_tx *tx = mempool_find(m, txid);

	return p->require_standard && tx &&
	       tx_dust_outputs(&tx->view, p->dust_relay_rate) > 0;
}

static void cmd_prioritisetransaction(struct rpc_call *c)
{
	struct mempool *m = chain_mempool(rpc_node(c)->chain);
	struct hash256 txid;
	double dummy = 0;
	int64_t delta;

	if (!param_hash(c, 0, "txid", &txid) ||
	    !param_i64(c, 2, &delta, 0, INT64_MIN, INT64_MAX))
		return;
	if (rpc_param(c, 1) &&
	    (!json_f64(&dummy, rpc_param(c, 1)) || dummy != 0)) {
		rpc_end(c, RPC_BAD_PARAM,
			"Priority is no longer supported, dummy argument to "
			"prioritisetransaction must be 0.");
	} else if (has_dust(m, &txid)) {
		rpc_end(c, RPC_BAD_PARAM,
			"Priority is not supported for transactions with dust "
			"outputs.");
	} else {
		mempool_prioritise(m, &txid, delta);
		rpc_continue(c, RPC_LOOP, prioritise_end);
	}
}

struct priority {
	struct hash256 txid;
	int64_t delta, fee;
	bool in_pool;
};

struct priorities {
	struct priority *list;
	size_t n, cap, at;
	bool begun;
};

static bool priorities_next(void *arg, struct jw *w, int *rc)
{
	struct priorities *l = arg;
	const struct priority *p;
	char id[HASH256_STR];

	(void)rc;
	if (!l->begun)
		jw_obj(w);
	l->begun = true;
	if (l->at == l->n) {
		jw_obj_end(w);
		return false;
	}
	p = &l->list[l->at++];
	jw_key(w, hash256_fmt(id, &p->txid));
	jw_obj(w);
	jw_ki64(w, "fee_delta", p->delta);
	jw_kbool(w, "in_mempool", p->in_pool);
	if (p->in_pool)
		jw_ki64(w, "modified_fee", sat_sum(p->fee, p->delta));
	jw_obj_end(w);
	return true;
}

static void priorities_rewind(void *arg)
{
	struct priorities *l = arg;

	l->at = 0;
	l->begun = false;
}

static void priorities_free(void *arg)
{
	struct priorities *l = arg;

	free(l->list);
	free(l);
}

static int by_txid(const void *a, const void *b)
{
	const struct priority *x = a, *y = b;

	return memcmp(&x->txid, &y->txid, sizeof x->txid);
}

static void priorities_reply(struct rpc_call *c)
{
	struct priorities *l = rpc_state(c);
	struct rpc_stream s = {priorities_next, priorities_rewind,
			       priorities_free, l};

	qsort(l->list, l->n, sizeof *l->list, by_txid);
	rpc_reply_stream(c, &s);
	rpc_done(c);
}

/* Chain thread. */
static void cmd_getprioritisedtransactions(struct rpc_call *c)
{
	const struct mempool *m = chain_mempool(rpc_node(c)->chain);
	struct priorities *l = xcalloc(1, sizeof *l);
	struct priority p = {0};
	size_t i = 0;

	arr_grow(&l->list, &l->cap, 1, sizeof p);
	while (mempool_delta_next(m, &i, &p.txid, &p.delta)) {
		const struct mempool_tx *tx = mempool_find(m, &p.txid);

		p.in_pool = tx != NULL;
		p.fee = tx ? tx->fee : 0;
		arr_grow(&l->list, &l->cap, l->n + 1, sizeof p);
		l->list[l->n++] = p;
	}
	rpc_set_state(c, l);
	rpc_continue(c, RPC_POOL, priorities_reply);
}

static const struct rpc_arg args_prioritise[] = {
    {"txid", "s", true, "The transaction's id."},
    {"dummy", "n", false, "Zero or null."},
    {"fee_delta", "n", true, "Satoshi to add, or to take away."},
    {0}};

const struct rpc_cmd rpc_priority_cmds[] = {
    {"getprioritisedtransactions", "mining", RPC_CHAIN,
     cmd_getprioritisedtransactions, NULL,
     "What was added to the fees of transactions by prioritisetransaction.",
     "{ \"txid\": { fee_delta, in_mempool, modified_fee } }", false, false},
    {"prioritisetransaction", "mining", RPC_CHAIN, cmd_prioritisetransaction,
     args_prioritise,
     "Take a transaction to pay more (or less) than it does, when blocks are "
     "made.",
     "true", false, false},
    {0}};
