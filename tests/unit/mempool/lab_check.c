/* Everything that must hold of a pool, asked anew of every entry. */
#include "lab.h"

#include <cairn/base/buf.h>

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* libcheck's own write down every place that they pass. */
#define HOLDS(x) ((x) ? (void)0 : ck_abort_msg("%s", #x))

static uint64_t parents_by_inputs(const struct mempool *m,
				  const struct entry *e)
{
	uint64_t parents = 0;
	struct txin_view in;
	struct tx_iter it;

	txins(&it, &e->tx.view);
	while (txin_next(&it, &in)) {
		struct entry *p = pool_find(m, outpoint_txid(in.prevout));

		HOLDS(pool_spender(m, in.prevout) == e);
		if (!p)
			continue;
		HOLDS(p->cluster == e->cluster);
		parents |= slot_bit(p->slot);
	}
	return parents;
}

static void check_entry(const struct mempool *m, const struct entry *e)
{
	const struct cluster *c = e->cluster;

	HOLDS(pool_find(m, &e->tx.txid) == e);
	HOLDS(pool_find_wtxid(m, &e->tx.wtxid) == e);
	HOLDS(e->slot < c->n);
	HOLDS(c->tx[e->slot] == e);
	HOLDS(c->parents[e->slot] == parents_by_inputs(m, e));
	HOLDS(e->tx.delta == pool_delta(m, &e->tx.txid));
	HOLDS(e->tx.vsize == weight_vsize(e->tx.weight));
}

static void check_sets(const struct cluster *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		uint64_t all = c->parents[i];

		/* Those before know all of theirs. */
		HOLDS(!(c->parents[i] & ~slots_below(i)));
		for (uint64_t s = c->parents[i]; s; s &= s - 1)
			all |= c->ancestors[slot_of(s)];
		HOLDS(c->ancestors[i] == all);
		for (uint32_t k = 0; k < c->n; k++) {
			HOLDS(!!(c->children[k] & slot_bit(i)) ==
			      !!(c->parents[i] & slot_bit(k)));
			HOLDS(!!(c->descendants[k] & slot_bit(i)) ==
			      !!(c->ancestors[i] & slot_bit(k)));
		}
	}
}

static void check_chunks(const struct cluster *c)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < c->n_chunks; i++) {
		struct lin_chunk sum = {.n = c->chunks[i].n};

		for (uint32_t k = 0; k < sum.n; k++, at++) {
			sum.fee += entry_fee(c->tx[at]);
			sum.size += c->tx[at]->tx.weight;
		}
		HOLDS(sum.fee == c->chunks[i].fee);
		HOLDS(sum.size == c->chunks[i].size);
		if (i > 0)
			HOLDS(chunk_cmp(&c->chunks[i - 1], &c->chunks[i]) >= 0);
	}
	HOLDS(at == c->n);
}

static void check_cluster(const struct mempool *m, const struct cluster *c)
{
	int64_t weight = 0;

	for (uint32_t i = 0; i < c->n; i++)
		weight += c->tx[i]->tx.weight;
	HOLDS(weight == c->weight);
	HOLDS(cluster_allowed(m, c->n, c->weight));
	HOLDS(c->used == slots_below(c->n));
	HOLDS(cluster_part(c, c->used, 0) == c->used);
	HOLDS(c->mark == 0);
	HOLDS(c->leaving == 0);
	check_sets(c);
	check_chunks(c);
}

static void check_heap(const struct heap *h)
{
	for (size_t i = 0; i < h->n; i++) {
		HOLDS(h->kind->place(h->v[i]) == i);
		HOLDS(i == 0 || !h->kind->before(h->v[i], h->v[(i - 1) / 2]));
	}
}

static void check_totals(const struct mempool *m)
{
	size_t n = 0, inputs = 0, unbroadcast = 0, held = 0, not_optimal = 0;
	const struct pool_index *ix = m->ix;
	int64_t vsize = 0, fee = 0;

	for (size_t i = 0; i < ix->by_age.n; i++) {
		const struct entry *e = ix->by_age.v[i];

		inputs += e->tx.view.n_in;
		vsize += e->tx.vsize;
		fee += e->tx.fee;
		unbroadcast += e->tx.unbroadcast;
		held += mem_cost(sizeof *e) +
			mem_cost(sizeof(struct buf) + BUF_HEADROOM +
				 e->tx.buf->cap);
	}
	for (size_t i = 0; i < ix->worst.n; i++) {
		const struct cluster *c = ix->worst.v[i];

		n += c->n;
		not_optimal += !c->optimal;
		held += mem_cost(sizeof *c + c->n * 40) +
			mem_cost(c->n_chunks * sizeof *c->chunks);
	}
	HOLDS(n == ix->by_age.n);
	HOLDS(ix->txids.n == n);
	HOLDS(ix->wtxids.n == n);
	HOLDS(ix->spends.n == inputs);
	HOLDS(ix->vsize == vsize);
	HOLDS(ix->fee == fee);
	HOLDS(ix->unbroadcast == unbroadcast);
	HOLDS(ix->not_optimal == not_optimal);
	HOLDS(ix->held == held);
	HOLDS(ix->best.n == ix->worst.n);
}

void lab_check(const struct lab *lab)
{
	const struct pool_index *ix = lab->m->ix;

	check_totals(lab->m);
	check_heap(&ix->worst);
	check_heap(&ix->best);
	check_heap(&ix->by_age);
	for (size_t i = 0; i < ix->by_age.n; i++)
		check_entry(lab->m, ix->by_age.v[i]);
	for (size_t i = 0; i < ix->worst.n; i++)
		check_cluster(lab->m, ix->worst.v[i]);
}
