/*
 * RPC: single transactions of the pool and their relatives. The cluster, at
 * most 64 transactions, is copied on the chain thread; relations and JSON are
 * made on the RPC pool.
 */
#include "rpc_mempool.h"

#include <stdlib.h>

bool deprecated_wanted(const struct node *n, const char *name)
{
	const char **list = conf_list(&n->conf, "deprecatedrpc");
	bool found = false;

	for (size_t i = 0; list[i]; i++)
		found |= strcmp(list[i], name) == 0;
	free(list);
	return found;
}

static int by_txid(const void *a, const void *b)
{
	const struct hash256 *const *x = a, *const *y = b;

	return memcmp(*x, *y, sizeof **x);
}

/* In the order of what is shown. */
static int by_text(const void *a, const void *b)
{
	const struct hash256 *const *x = a, *const *y = b;

	for (int i = 31; i >= 0; i--)
		if ((*x)->b[i] != (*y)->b[i])
			return (*x)->b[i] < (*y)->b[i] ? -1 : 1;
	return 0;
}

static void ids_json(struct jw *w, const char *key, const struct pool_copy *p,
		     size_t i, enum pool_relation r)
{
	const struct hash256 *ids[MEMPOOL_CLUSTER_MAX];
	size_t n;
	const uint32_t *to = poolcopy_next_to(p, i, r, &n);

	n = n < MEMPOOL_CLUSTER_MAX ? n : MEMPOOL_CLUSTER_MAX;
	for (size_t k = 0; k < n; k++)
		ids[k] = &p->rows[to[k]].txid;
	qsort(ids, n, sizeof *ids, r == POOL_PARENTS ? by_text : by_txid);
	jw_key(w, key);
	jw_arr(w);
	for (size_t k = 0; k < n; k++)
		jw_hash(w, ids[k]);
	jw_arr_end(w);
}

/* A transaction and all its relatives of one kind. */
struct pool_sum {
	size_t n;
	int64_t vsize, fee;
	bool signals_rbf;
};

static struct pool_sum sum_up(struct pool_copy *p, size_t i,
			      enum pool_relation r)
{
	uint32_t all[MEMPOOL_CLUSTER_MAX];
	size_t n = poolcopy_walk(p, all, i, r);
	const struct pool_row *row = &p->rows[i];
	struct pool_sum s = {n + 1, row->vsize, sat_sum(row->fee, row->delta),
			     row->signals_rbf};

	for (size_t k = 0; k < n; k++) {
		row = &p->rows[all[k]];
		s.vsize += row->vsize;
		s.fee = sat_sum(s.fee, sat_sum(row->fee, row->delta));
		s.signals_rbf |= row->signals_rbf;
	}
	return s;
}

static void fees_json(struct jw *w, const struct pool_row *r,
		      const struct pool_sum *up, const struct pool_sum *down)
{
	jw_key(w, "fees");
	jw_obj(w);
	jw_kamount(w, "base", r->fee);
	jw_kamount(w, "modified", sat_sum(r->fee, r->delta));
	jw_kamount(w, "ancestor", up->fee);
	jw_kamount(w, "descendant", down->fee);
	jw_kamount(w, "chunk", r->chunk_fee);
	jw_obj_end(w);
}

void pool_row_json(struct jw *w, struct pool_copy *p, size_t i, bool bip125)
{
	const struct pool_row *r = &p->rows[i];
	struct pool_sum up = sum_up(p, i, POOL_PARENTS);
	struct pool_sum down = sum_up(p, i, POOL_CHILDREN);

	jw_obj(w);
	jw_ki64(w, "vsize_adjusted", r->vsize);
	jw_ki64(w, "vsize", r->vsize);
	jw_ki64(w, "vsize_bip141", (r->weight_bip141 + 3) / 4);
	jw_ki64(w, "weight", r->weight_bip141);
	jw_ki64(w, "time", r->time_s);
	jw_ki64(w, "height", r->height);
	jw_ku64(w, "descendantcount", down.n);
	jw_ki64(w, "descendantsize", down.vsize);
	jw_ku64(w, "ancestorcount", up.n);
	jw_ki64(w, "ancestorsize", up.vsize);
	jw_khash(w, "wtxid", &r->wtxid);
	jw_ki64(w, "chunkweight", r->chunk_weight);
	fees_json(w, r, &up, &down);
	ids_json(w, "depends", p, i, POOL_PARENTS);
	ids_json(w, "spentby", p, i, POOL_CHILDREN);
	jw_kbool(w, "unbroadcast", r->unbroadcast);
	if (bip125)
		jw_kbool(w, "bip125-replaceable", up.signals_rbf);
	jw_obj_end(w);
}

/* A call about one transaction. */
struct about {
	struct pool_copy *copy;
	struct hash256 txid;
};

static void about_end(struct rpc_call *c, struct about *a)
{
	poolcopy_free(a->copy);
	free(a);
	rpc_done(c);
}

/* Chain thread: copy the cluster of parameter 0, then go on on the pool. */
static void about_take(struct rpc_call *c, rpc_fn next)
{
	const struct mempool *m = chain_mempool(rpc_node(c)->chain);
	const struct mempool_tx *tx;
	struct hash256 txid;
	struct about *a;

	if (!param_hash(c, 0, "txid", &txid))
		return;
	tx = mempool_find(m, &txid);
	if (!tx) {
		rpc_end(c, RPC_BAD_ADDRESS, "Transaction not in mempool");
		return;
	}
	a = xcalloc(1, sizeof *a);
	a->copy = poolcopy_cluster(m, tx);
	a->txid = txid;
	rpc_set_state(c, a);
	rpc_continue(c, RPC_POOL, next);
}

static void entry_answer(struct rpc_call *c)
{
	struct about *a = rpc_state(c);

	poolcopy_relate(a->copy);
	pool_row_json(rpc_out(c), a->copy, poolcopy_find(a->copy, &a->txid),
		      deprecated_wanted(rpc_node(c), "bip125"));
	about_end(c, a);
}

void cmd_getmempoolentry(struct rpc_call *c)
{
	about_take(c, entry_answer);
}

static void chunk_json(struct jw *w, const struct pool_copy *p, size_t first)
{
	jw_obj(w);
	jw_kamount(w, "chunkfee", p->rows[first].chunk_fee);
	jw_ki64(w, "chunkweight", p->rows[first].chunk_weight);
	jw_key(w, "txs");
	jw_arr(w);
	for (size_t i = first; i < p->n && p->rows[i].chunk_first == first; i++)
		jw_hash(w, &p->rows[i].txid);
	jw_arr_end(w);
	jw_obj_end(w);
}

static void cluster_answer(struct rpc_call *c)
{
	struct about *a = rpc_state(c);
	const struct pool_copy *p = a->copy;
	struct jw *w = rpc_out(c);
	int64_t weight = 0;

	poolcopy_relate(a->copy);
	for (size_t i = 0; i < p->n; i++)
		weight += p->rows[i].weight;
	jw_obj(w);
	jw_ki64(w, "clusterweight", weight);
	jw_ku64(w, "txcount", p->n);
	jw_key(w, "chunks");
	jw_arr(w);
	for (size_t i = 0; i < p->n; i++)
		if (p->rows[i].chunk_first == i)
			chunk_json(w, p, i);
	jw_arr_end(w);
	jw_obj_end(w);
	about_end(c, a);
}

void cmd_getmempoolcluster(struct rpc_call *c)
{
	about_take(c, cluster_answer);
}

/* Relatives sorted by id, as bitcoind's set of them is. */
static size_t sorted_walk(struct about *a, uint32_t rows[MEMPOOL_CLUSTER_MAX],
			  enum pool_relation r)
{
	const struct hash256 *ids[MEMPOOL_CLUSTER_MAX];
	struct pool_copy *p = a->copy;
	size_t n;

	poolcopy_relate(p);
	n = poolcopy_walk(p, rows, poolcopy_find(p, &a->txid), r);
	for (size_t i = 0; i < n; i++)
		ids[i] = &p->rows[rows[i]].txid;
	qsort(ids, n, sizeof *ids, by_txid);
	for (size_t i = 0; i < n; i++)
		rows[i] = (uint32_t)poolcopy_find(p, ids[i]);
	return n;
}

static void relatives_answer(struct rpc_call *c, enum pool_relation r)
{
	uint32_t rows[MEMPOOL_CLUSTER_MAX], *kept;
	struct about *a = rpc_state(c);
	size_t n = sorted_walk(a, rows, r);
	struct jw *w;

	if (param_bool(c, 1, false)) {
		kept = xcalloc(n + 1, sizeof *kept);
		memcpy(kept, rows, n * sizeof *kept);
		pool_rows_reply(c, a->copy, kept, n);
		free(a);
		return;
	}
	w = rpc_out(c);
	jw_arr(w);
	for (size_t i = 0; i < n; i++)
		jw_hash(w, &a->copy->rows[rows[i]].txid);
	jw_arr_end(w);
	about_end(c, a);
}

static void ancestors_answer(struct rpc_call *c)
{
	relatives_answer(c, POOL_PARENTS);
}

static void descendants_answer(struct rpc_call *c)
{
	relatives_answer(c, POOL_CHILDREN);
}

void cmd_getmempoolancestors(struct rpc_call *c)
{
	about_take(c, ancestors_answer);
}

void cmd_getmempooldescendants(struct rpc_call *c)
{
	about_take(c, descendants_answer);
}
