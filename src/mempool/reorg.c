/*
 * The published chain moves: what a block holds leaves the pool, and what a
 * block contradicts; after blocks were taken off everything is looked at again.
 * Chain thread.
 */
#include "inner.h"

#include <cairn/base/endian.h>
#include <cairn/base/mem.h>

#include <stdlib.h>
#include <string.h>

void mempool_set_tip(struct mempool *m, const struct mempool_tip *tip)
{
	m->tip = *tip;
}

/* What spends the same as tx, with all that builds on it. */
static void sweep_conflicts(struct sweep *s, struct mempool *m,
			    const struct tx_view *tx)
{
	struct txin_view in;
	struct tx_iter it;

	txins(&it, tx);
	while (txin_next(&it, &in)) {
		struct entry *e = pool_spender(m, in.prevout);

		if (!e)
			continue;
		delta_clear(m, &e->tx.txid);
		sweep_entry(s, e);
	}
}

static void sweep_block(struct mempool *m, const struct block_view *b)
{
	struct sweep mined = {.n = 0}, conflicts = {.n = 0};

	for (uint32_t i = 0; i < b->n_tx; i++) {
		struct entry *e = pool_find(m, &b->txid[i]);

		if (e)
			sweep_add(&mined, e->cluster, slot_bit(e->slot));
		delta_clear(m, &b->txid[i]);
	}
	sweep_run(&mined, m, MEMPOOL_BLOCK);
	for (uint32_t i = 0; i < b->n_tx; i++)
		sweep_conflicts(&conflicts, m, &b->tx[i]);
	sweep_run(&conflicts, m, MEMPOOL_CONFLICT);
}

void mempool_block_connected(struct mempool *m, const struct block_view *b,
			     int64_t now_s)
{
	/* Far from the tip there is nothing, and blocks are many. */
	if (m->ix->by_age.n + m->ix->deltas.n > 0)
		sweep_block(m, b);
	m->ix->min_rate_s = now_s;
	m->ix->block_since = true;
}

void mempool_forget(struct mempool *m, const struct tx_view *tx,
		    const struct hash256 *txid)
{
	struct entry *e = pool_find(m, txid);
	uint8_t outpoint[OUTPOINT_SIZE];
	struct sweep s = {.n = 0};

	if (e)
		sweep_entry(&s, e);
	memcpy(outpoint, txid->b, sizeof *txid);
	for (uint32_t i = 0; i < tx->n_out; i++) {
		le32_put(outpoint + sizeof *txid, i);
		e = pool_spender(m, outpoint);
		if (e)
			sweep_entry(&s, e);
	}
	sweep_run(&s, m, MEMPOOL_REORG);
}

void mempool_reorg_end(struct mempool *m, int64_t now_s)
{
	struct sweep s = {.n = 0};

	for (size_t i = 0; i < m->ix->by_age.n; i++) {
		const struct entry *e = m->ix->by_age.v[i];

		if (!accept_still_valid(m, e))
			sweep_entry(&s, e);
	}
	sweep_run(&s, m, MEMPOOL_REORG);
	mempool_expire(m, now_s);
}
