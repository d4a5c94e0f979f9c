/*
 * What the operator says of transactions: fees that are added to what they pay,
 * also of those that are not here; and of our own which no peer has asked for
 * yet. Chain thread.
 */
#include "inner.h"

#include <cairn/base/mem.h>

#include <stdlib.h>

int64_t pool_delta(const struct mempool *m, const struct hash256 *txid)
{
	const struct delta *d = table_get(&m->ix->deltas, txid);

	return d ? d->fee : 0;
}

void delta_clear(struct mempool *m, const struct hash256 *txid)
{
	free(table_del(&m->ix->deltas, txid));
}

static void delta_set(struct mempool *m, const struct hash256 *txid,
		      int64_t fee)
{
	struct delta *d;

	delta_clear(m, txid);
	if (fee == 0)
		return;
	d = xmalloc(sizeof *d);
	*d = (struct delta){*txid, fee};
	table_put(&m->ix->deltas, &d->txid, d);
}

void mempool_prioritise(struct mempool *m, const struct hash256 *txid,
			int64_t delta)
{
	int64_t fee = sat_sum(pool_delta(m, txid), delta);
	struct entry *e = pool_find(m, txid);

	delta_set(m, txid, fee);
	if (!e)
		return;
	e->tx.delta = fee;
	walk_drop(m);
	cluster_renew(m, e->cluster);
}

bool mempool_delta_next(const struct mempool *m, size_t *i,
			struct hash256 *txid, int64_t *delta)
{
	const struct delta *d = table_next(&m->ix->deltas, i);

	if (!d)
		return false;
	*txid = d->txid;
	*delta = d->fee;
	return true;
}

static void mark(struct mempool *m, const struct hash256 *txid,
		 bool unbroadcast)
{
	struct entry *e = pool_find(m, txid);

	if (!e)
		return;
	m->ix->unbroadcast += unbroadcast;
	m->ix->unbroadcast -= e->tx.unbroadcast;
	e->tx.unbroadcast = unbroadcast;
}

void mempool_broadcast(struct mempool *m, const struct hash256 *txid)
{
	mark(m, txid, false);
}

void mempool_unbroadcast(struct mempool *m, const struct hash256 *txid)
{
	mark(m, txid, true);
}
