/*
 * Looking into the pool: by id, by outpoint, at relatives, at everything in the
 * order in which it is mined. Changes nothing that can be seen. Chain thread.
 */
#include "inner.h"

#include <cairn/base/mem.h>

#include <stdlib.h>

struct entry *pool_find(const struct mempool *m, const struct hash256 *txid)
{
	return table_get(&m->ix->txids, txid);
}

struct entry *pool_find_wtxid(const struct mempool *m,
			      const struct hash256 *wtxid)
{
	return table_get(&m->ix->wtxids, wtxid);
}

struct entry *pool_spender(const struct mempool *m, const uint8_t *outpoint)
{
	return table_get(&m->ix->spends, outpoint);
}

uint64_t pool_sequence(const struct mempool *m)
{
	return m->ix->sequence;
}

const struct policy *mempool_policy(const struct mempool *m)
{
	return &m->cfg.policy;
}

static const struct mempool_tx *tx_of(const struct entry *e)
{
	return e ? &e->tx : NULL;
}

const struct mempool_tx *mempool_find(const struct mempool *m,
				      const struct hash256 *txid)
{
	return tx_of(pool_find(m, txid));
}

const struct mempool_tx *mempool_find_wtxid(const struct mempool *m,
					    const struct hash256 *wtxid)
{
	return tx_of(pool_find_wtxid(m, wtxid));
}

const struct mempool_tx *mempool_spender(const struct mempool *m,
					 const uint8_t *outpoint)
{
	return tx_of(pool_spender(m, outpoint));
}

/* A mempool_tx is the first member of its entry. */
static const struct entry *entry_of(const struct mempool_tx *tx)
{
	return (const struct entry *)(const void *)tx;
}

size_t mempool_cluster(const struct mempool *m, const struct mempool_tx *tx,
		       const struct mempool_tx **out)
{
	const struct cluster *c = entry_of(tx)->cluster;

	(void)m;
	for (uint32_t i = 0; i < c->n; i++)
		out[i] = &c->tx[i]->tx;
	return c->n;
}

void mempool_chunk(const struct mempool *m, const struct mempool_tx *tx,
		   int64_t *fee, int64_t *vsize, int64_t *weight)
{
	const struct entry *e = entry_of(tx);
	const struct lin_chunk *c = e->cluster->chunks;
	uint32_t end = c->n;

	(void)m;
	while (end <= e->slot)
		end += (++c)->n;
	*fee = c->fee;
	*weight = c->size;
	*vsize = weight_vsize(c->size);
}

const struct mempool_tx *mempool_next(const struct mempool *m, size_t *i)
{
	struct pool_index *ix = m->ix;

	if (*i >= ix->by_age.n)
		return NULL;
	if (!ix->walk)
		ix->walk = walk_new(m);
	return ix->walk[(*i)++];
}

void mempool_stats(const struct mempool *m, struct mempool_stats *s,
		   int64_t now_s)
{
	const struct pool_index *ix = m->ix;

	*s = (struct mempool_stats){
	    .n = ix->by_age.n,
	    .vsize = ix->vsize,
	    .fee = ix->fee,
	    .usage = pool_usage(m),
	    .max_bytes = m->cfg.max_bytes,
	    .optimal = ix->not_optimal == 0,
	    .min_rate = pool_min_rate(m, now_s),
	    .unbroadcast = ix->unbroadcast,
	    .sequence = ix->sequence,
	};
}
