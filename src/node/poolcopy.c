/*
 * Copies of the pool for commands. Copying runs on the chain thread and is a
 * few words and one reference per transaction; who spends whom is found
 * afterwards, by looking every input up among the rows. Knows no JSON.
 */
#include "poolcopy.h"

#include <cairn/base/buf.h>
#include <cairn/base/mem.h>
#include <cairn/base/must.h>

#include <stdlib.h>
#include <string.h>

static void copy_row(struct pool_row *r, const struct mempool *m,
		     const struct mempool_tx *tx)
{
	int64_t vsize;

	r->txid = tx->txid;
	r->wtxid = tx->wtxid;
	r->buf = buf_ref(tx->buf);
	r->fee = tx->fee;
	r->delta = tx->delta;
	r->vsize = tx->vsize;
	r->time_s = tx->time_s;
	r->height = tx->height;
	r->weight = tx->weight;
	r->weight_bip141 = tx_weight(&tx->view);
	r->unbroadcast = tx->unbroadcast;
	mempool_chunk(m, tx, &r->chunk_fee, &vsize, &r->chunk_weight);
}

static struct pool_copy *copy_new(size_t n)
{
	struct pool_copy *p = xcalloc(1, sizeof *p);

	p->rows = xcalloc(n + 1, sizeof *p->rows);
	hmap_init(&p->by_txid);
	return p;
}

struct pool_copy *poolcopy_all(const struct mempool *m)
{
	const struct mempool_tx *tx;
	struct mempool_stats s;
	struct pool_copy *p;
	size_t i = 0;

	mempool_stats(m, &s, 0);
	p = copy_new(s.n);
	while (p->n < s.n && (tx = mempool_next(m, &i)))
		copy_row(&p->rows[p->n++], m, tx);
	return p;
}

struct pool_copy *poolcopy_cluster(const struct mempool *m,
				   const struct mempool_tx *tx)
{
	const struct mempool_tx *all[MEMPOOL_CLUSTER_MAX];
	size_t n = mempool_cluster(m, tx, all);
	struct pool_copy *p = copy_new(n);

	for (; p->n < n; p->n++)
		copy_row(&p->rows[p->n], m, all[p->n]);
	return p;
}

void poolcopy_free(struct pool_copy *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		buf_unref(p->rows[i].buf);
	for (int r = 0; r < 2; r++) {
		free(p->at[r]);
		free(p->to[r]);
	}
	free(p->seen);
	hmap_fini(&p->by_txid);
	free(p->rows);
	free(p);
}

/* The rows of a chunk follow one another. */
static void find_chunks(struct pool_copy *p)
{
	size_t first = 0, i;

	while (first < p->n) {
		int64_t left = p->rows[first].chunk_weight;

		for (i = first; i < p->n && (left > 0 || i == first); i++) {
			left -= p->rows[i].weight;
			p->rows[i].chunk_first = (uint32_t)first;
		}
		first = i;
	}
}

static void parse(struct tx_view *tx, const struct pool_row *r)
{
	struct rd rd;

	rd_init(&rd, buf_payload(r->buf));
	must(tx_view_parse(tx, &rd));
}

static bool has(const uint32_t *list, size_t n, uint32_t v)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == v)
			return true;
	return false;
}

/* Parents, row after row, each once. */
static void find_parents(struct pool_copy *p)
{
	size_t n = 0, cap = 0, first;
	struct txin_view in;
	struct tx_view tx;
	struct tx_iter it;

	p->at[POOL_PARENTS] = xcalloc(p->n + 1, sizeof(uint32_t));
	arr_grow(&p->to[POOL_PARENTS], &cap, 1, sizeof(uint32_t));
	for (size_t i = 0; i < p->n; i++) {
		first = n;
		parse(&tx, &p->rows[i]);
		txins(&it, &tx);
		while (txin_next(&it, &in)) {
			size_t k = poolcopy_find(p, outpoint_txid(in.prevout));

			p->rows[i].signals_rbf |= in.sequence < 0xfffffffeu;
			if (k == p->n || has(p->to[POOL_PARENTS] + first,
					     n - first, (uint32_t)k))
				continue;
			arr_grow(&p->to[POOL_PARENTS], &cap, n + 1,
				 sizeof(uint32_t));
			p->to[POOL_PARENTS][n++] = (uint32_t)k;
		}
		p->at[POOL_PARENTS][i + 1] = (uint32_t)n;
	}
}

/* The same turned round. */
static void find_children(struct pool_copy *p)
{
	const uint32_t *at = p->at[POOL_PARENTS], *to = p->to[POOL_PARENTS];
	size_t n = p->n ? at[p->n] : 0, i, k;
	uint32_t *fill = xcalloc(p->n + 1, sizeof *fill);
	uint32_t *c_at = xcalloc(p->n + 1, sizeof *c_at);
	uint32_t *c_to = xcalloc(n + 1, sizeof *c_to);

	for (k = 0; k < n; k++)
		c_at[to[k] + 1]++;
	for (i = 0; i < p->n; i++) {
		c_at[i + 1] += c_at[i];
		fill[i] = c_at[i];
	}
	for (i = 0; i < p->n; i++)
		for (k = at[i]; k < at[i + 1]; k++)
			c_to[fill[to[k]]++] = (uint32_t)i;
	p->at[POOL_CHILDREN] = c_at;
	p->to[POOL_CHILDREN] = c_to;
	free(fill);
}

void poolcopy_relate(struct pool_copy *p)
{
	for (size_t i = 0; i < p->n; i++)
		hmap_put(&p->by_txid, &p->rows[i].txid, &p->rows[i]);
	find_chunks(p);
	find_parents(p);
	find_children(p);
	p->seen = xcalloc(p->n + 1, sizeof *p->seen);
}

size_t poolcopy_find(const struct pool_copy *p, const struct hash256 *txid)
{
	const struct pool_row *r = hmap_get(&p->by_txid, txid);

	return r ? (size_t)(r - p->rows) : p->n;
}

const uint32_t *poolcopy_next_to(const struct pool_copy *p, size_t i,
				 enum pool_relation r, size_t *n)
{
	*n = p->at[r][i + 1] - p->at[r][i];
	return p->to[r] + p->at[r][i];
}

size_t poolcopy_walk(struct pool_copy *p, uint32_t out[MEMPOOL_CLUSTER_MAX],
		     size_t i, enum pool_relation r)
{
	size_t n = 0, done = 0, near;
	const uint32_t *to = poolcopy_next_to(p, i, r, &near);

	p->walk++;
	p->seen[i] = p->walk;
	for (;;) {
		for (size_t k = 0; k < near && n < MEMPOOL_CLUSTER_MAX; k++) {
			if (p->seen[to[k]] == p->walk)
				continue;
			p->seen[to[k]] = p->walk;
			out[n++] = to[k];
		}
		if (done == n)
			return n;
		to = poolcopy_next_to(p, out[done++], r, &near);
	}
}
