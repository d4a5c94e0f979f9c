/*
 * RPC: the pool of unconfirmed transactions as a whole. Numbers are read on the
 * chain thread; what grows with the pool is copied there and written out on the
 * RPC pool, row by row.
 */
#include "rpc_mempool.h"

#include <stdlib.h>

static void info_limits_json(struct jw *w, const struct policy *p,
			     const struct mempool_stats *s)
{
	jw_ki64(w, "maxmempool", s->max_bytes);
	jw_kamount(w, "mempoolminfee", s->min_rate);
	jw_kamount(w, "minrelaytxfee", p->min_relay_rate);
	jw_kamount(w, "incrementalrelayfee", p->incremental_rate);
	jw_ku64(w, "unbroadcastcount", s->unbroadcast);
	jw_kbool(w, "permitbaremultisig", p->bare_multisig);
	jw_ki64(w, "maxdatacarriersize",
		p->data_carrier < 0 ? 0 : p->data_carrier);
	jw_ki64(w, "limitclustercount", p->cluster_count);
	jw_ki64(w, "limitclustersize", p->cluster_vbytes);
}

static void cmd_getmempoolinfo(struct rpc_call *c)
{
	struct node *n = rpc_node(c);
	const struct mempool *m = chain_mempool(n->chain);
	struct jw *w = rpc_out(c);
	struct mempool_stats s;

	mempool_stats(m, &s, clock_now(&n->clock));
	jw_obj(w);
	jw_kbool(w, "loaded", node_mempool_loaded(n));
	jw_ku64(w, "size", s.n);
	jw_ki64(w, "bytes", s.vsize);
	jw_ki64(w, "usage", s.usage);
	jw_kamount(w, "total_fee", s.fee);
	info_limits_json(w, mempool_policy(m), &s);
	jw_kbool(w, "optimal", s.optimal);
	if (deprecated_wanted(n, "fullrbf"))
		jw_kbool(w, "fullrbf", true);
	jw_obj_end(w);
	rpc_done(c);
}

#define WHOLE_MAX 16

bool whole_begin(struct rpc_call *c)
{
	struct node *n = rpc_node(c);

	if (__atomic_add_fetch(&n->pool_copies, 1, __ATOMIC_RELAXED) <=
	    WHOLE_MAX)
		return true;
	__atomic_fetch_sub(&n->pool_copies, 1, __ATOMIC_RELAXED);
	rpc_end(c, RPC_OUT_OF_MEMORY,
		"The pool is being copied by %d calls already", WHOLE_MAX);
	return false;
}

void whole_end(struct node *n)
{
	__atomic_fetch_sub(&n->pool_copies, 1, __ATOMIC_RELAXED);
}

/* Ids of all, on their way out. */
struct id_list {
	struct node *node;
	struct hash256 *ids;
	size_t n, at;
	bool with_sequence, begun;
	uint64_t sequence;
};

#define IDS_AT_ONCE 512

static bool ids_next(void *arg, struct jw *w, int *rc)
{
	struct id_list *l = arg;
	size_t stop = l->at + IDS_AT_ONCE;

	(void)rc;
	if (!l->begun) {
		if (l->with_sequence) {
			jw_obj(w);
			jw_key(w, "txids");
		}
		jw_arr(w);
		l->begun = true;
	}
	for (; l->at < l->n && l->at < stop; l->at++)
		jw_hash(w, &l->ids[l->at]);
	if (l->at < l->n)
		return true;
	jw_arr_end(w);
	if (l->with_sequence) {
		jw_ku64(w, "mempool_sequence", l->sequence);
		jw_obj_end(w);
	}
	return false;
}

static void ids_rewind(void *arg)
{
	struct id_list *l = arg;

	l->at = 0;
	l->begun = false;
}

static void ids_free(void *arg)
{
	struct id_list *l = arg;

	whole_end(l->node);
	free(l->ids);
	free(l);
}

/* Chain thread. */
static void ids_reply(struct rpc_call *c, const struct mempool *m)
{
	struct id_list *l = xcalloc(1, sizeof *l);
	struct rpc_stream stream = {ids_next, ids_rewind, ids_free, l};
	const struct mempool_tx *tx;
	struct mempool_stats s;
	size_t i = 0;

	l->node = rpc_node(c);
	mempool_stats(m, &s, clock_now(&l->node->clock));
	l->ids = xcalloc(s.n + 1, sizeof *l->ids);
	while (l->n < s.n && (tx = mempool_next(m, &i)))
		l->ids[l->n++] = tx->txid;
	l->with_sequence = param_bool(c, 1, false);
	l->sequence = s.sequence;
	rpc_reply_stream(c, &stream);
	rpc_done(c);
}

/* Rows of a copy, on their way out. */
struct row_list {
	struct node *whole; /* that all are copied of, or NULL */
	struct pool_copy *copy;
	uint32_t *rows; /* NULL: all */
	size_t n, at;
	bool begun, bip125;
};

static bool rows_next(void *arg, struct jw *w, int *rc)
{
	struct row_list *l = arg;
	size_t i = l->rows && l->at < l->n ? l->rows[l->at] : l->at;

	(void)rc;
	if (!l->begun)
		jw_obj(w);
	l->begun = true;
	if (l->at < l->n) {
		char id[HASH256_STR];

		jw_key(w, hash256_fmt(id, &l->copy->rows[i].txid));
		pool_row_json(w, l->copy, i, l->bip125);
		l->at++;
		return true;
	}
	jw_obj_end(w);
	return false;
}

static void rows_rewind(void *arg)
{
	struct row_list *l = arg;

	l->at = 0;
	l->begun = false;
}

static void rows_free(void *arg)
{
	struct row_list *l = arg;

	if (l->whole)
		whole_end(l->whole);
	poolcopy_free(l->copy);
	free(l->rows);
	free(l);
}

void pool_rows_reply(struct rpc_call *c, struct pool_copy *take,
		     uint32_t *take_rows, size_t n)
{
	struct row_list *l = xcalloc(1, sizeof *l);
	struct rpc_stream stream = {rows_next, rows_rewind, rows_free, l};

	l->copy = take;
	l->rows = take_rows;
	l->whole = take_rows ? NULL : rpc_node(c);
	l->n = take_rows ? n : take->n;
	l->bip125 = deprecated_wanted(rpc_node(c), "bip125");
	rpc_reply_stream(c, &stream);
	rpc_done(c);
}

static void raw_verbose(struct rpc_call *c)
{
	struct pool_copy *p = rpc_state(c);

	poolcopy_relate(p);
	pool_rows_reply(c, p, NULL, 0);
}

static void cmd_getrawmempool(struct rpc_call *c)
{
	const struct mempool *m = chain_mempool(rpc_node(c)->chain);

	if (param_bool(c, 0, false) && param_bool(c, 1, false)) {
		rpc_end(
		    c, RPC_BAD_PARAM,
		    "Verbose results cannot contain mempool sequence values.");
	} else if (!whole_begin(c)) {
		return;
	} else if (!param_bool(c, 0, false)) {
		ids_reply(c, m);
	} else {
		rpc_set_state(c, poolcopy_all(m));
		rpc_continue(c, RPC_POOL, raw_verbose);
	}
}

/* The fee-rate diagram: a point behind each chunk. */
struct diagram {
	struct node *node;
	struct pool_copy *copy;
	size_t at;
	bool begun;
	int64_t weight, fee;
};

static void point_json(struct jw *w, const struct diagram *d)
{
	jw_obj(w);
	jw_ki64(w, "weight", d->weight);
	jw_kamount(w, "fee", d->fee);
	jw_obj_end(w);
}

static bool diagram_next(void *arg, struct jw *w, int *rc)
{
	struct diagram *d = arg;
	const struct pool_copy *p = d->copy;
	size_t stop = d->at + IDS_AT_ONCE;

	(void)rc;
	if (!d->begun) {
		jw_arr(w);
		point_json(w, d);
		d->begun = true;
	}
	for (; d->at < p->n && d->at < stop; d->at++) {
		if (p->rows[d->at].chunk_first != d->at)
			continue;
		d->weight += p->rows[d->at].chunk_weight;
		d->fee += p->rows[d->at].chunk_fee;
		point_json(w, d);
	}
	if (d->at < p->n)
		return true;
	jw_arr_end(w);
	return false;
}

static void diagram_rewind(void *arg)
{
	struct diagram *d = arg;

	*d = (struct diagram){.node = d->node, .copy = d->copy};
}

static void diagram_free(void *arg)
{
	struct diagram *d = arg;

	whole_end(d->node);
	poolcopy_free(d->copy);
	free(d);
}

static void diagram_reply(struct rpc_call *c)
{
	struct diagram *d = xcalloc(1, sizeof *d);
	struct rpc_stream stream = {diagram_next, diagram_rewind, diagram_free,
				    d};

	d->node = rpc_node(c);
	d->copy = rpc_state(c);
	poolcopy_relate(d->copy);
	rpc_reply_stream(c, &stream);
	rpc_done(c);
}

static void cmd_getmempoolfeeratediagram(struct rpc_call *c)
{
	if (!whole_begin(c))
		return;
	rpc_set_state(c, poolcopy_all(chain_mempool(rpc_node(c)->chain)));
	rpc_continue(c, RPC_POOL, diagram_reply);
}

static const struct rpc_arg args_raw[] = {
    {"verbose", "b", false, "An object with details instead of ids."},
    {"mempool_sequence", "b", false, "Also the pool's sequence number."},
    {0}};
static const struct rpc_arg args_txid[] = {
    {"txid", "s", true, "The transaction's id; it must be in the pool."}, {0}};
static const struct rpc_arg args_relatives[] = {
    {"txid", "s", true, "The transaction's id; it must be in the pool."},
    {"verbose", "b", false, "An object with details instead of ids."},
    {0}};
static const struct rpc_arg args_spent[] = {
    {"outputs", "a", true, "Objects of txid and vout."},
    {"options|.mempool_only|.return_spending_tx", "o", false,
     "mempool_only: false fails where the pool spends an output not; "
     "return_spending_tx: also the whole transactions."},
    {0}};
static const struct rpc_arg args_import[] = {
    {"filepath", "s", true, "The file."},
    {"options|.use_current_time|.apply_fee_delta_priority|"
     ".apply_unbroadcast_set",
     "o", false,
     "use_current_time (true): as if they came now; apply_fee_delta_priority "
     "and apply_unbroadcast_set (false): take these over, too."},
    {0}};

#define ENTRY                                                                  \
	"{ vsize_adjusted, vsize, vsize_bip141, weight, time, height, "        \
	"descendantcount, descendantsize, ancestorcount, ancestorsize, "       \
	"wtxid, chunkweight, fees, depends, spentby, unbroadcast }"

const struct rpc_cmd rpc_mempool_cmds[] = {
    {"getmempoolancestors", "blockchain", RPC_CHAIN, cmd_getmempoolancestors,
     args_relatives,
     "All unconfirmed transactions that one of the pool depends on.",
     "[ \"txid\" ] or { \"txid\": " ENTRY " }", false, false},
    {"getmempoolcluster", "blockchain", RPC_CHAIN, cmd_getmempoolcluster,
     args_txid,
     "All that is related to a transaction of the pool, in the order and the "
     "chunks in which it would be mined.",
     "{ clusterweight, txcount, chunks: [ { chunkfee, chunkweight, txs } ] }",
     false, false},
    {"getmempooldescendants", "blockchain", RPC_CHAIN,
     cmd_getmempooldescendants, args_relatives,
     "All unconfirmed transactions that depend on one of the pool.",
     "[ \"txid\" ] or { \"txid\": " ENTRY " }", false, false},
    {"getmempoolentry", "blockchain", RPC_CHAIN, cmd_getmempoolentry, args_txid,
     "What the pool knows of a transaction.", ENTRY, false, false},
    {"getmempoolfeeratediagram", "hidden", RPC_CHAIN,
     cmd_getmempoolfeeratediagram, NULL,
     "Weight and fees of the pool, added up chunk by chunk.",
     "[ { weight, fee } ]", false, true},
    {"getmempoolinfo", "blockchain", RPC_CHAIN, cmd_getmempoolinfo, NULL,
     "State of the pool of unconfirmed transactions.",
     "{ loaded, size, bytes, usage, total_fee, maxmempool, mempoolminfee, "
     "minrelaytxfee, incrementalrelayfee, unbroadcastcount, "
     "permitbaremultisig, maxdatacarriersize, limitclustercount, "
     "limitclustersize, optimal }",
     false, false},
    {"getrawmempool", "blockchain", RPC_CHAIN, cmd_getrawmempool, args_raw,
     "Ids of the unconfirmed transactions, best paying first.",
     "[ \"txid\" ], { txids, mempool_sequence } or { \"txid\": " ENTRY " }",
     false, false},
    {"gettxspendingprevout", "blockchain", RPC_POOL, cmd_gettxspendingprevout,
     args_spent, "Which transactions of the pool spend these outputs.",
     "[ { txid, vout, spendingtxid, spendingtx } ]", false, false},
    {"importmempool", "blockchain", RPC_POOL, cmd_importmempool, args_import,
     "Offer the transactions of a file, as savemempool writes it, to the "
     "pool.",
     "{ }", false, false},
    {"savemempool", "blockchain", RPC_CHAIN, cmd_savemempool, NULL,
     "Write the pool to mempool.dat, from where the next start reads it.",
     "{ filename }", false, false},
    {0}};
