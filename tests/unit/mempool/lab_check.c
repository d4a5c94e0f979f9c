/* Everything that must hold of a pool, asked anew of every entry. */
#include "lab.h"

#include <cairn/base/buf.h>

#include <check.h>
#include <stdlib.h>
#include <string.h>

static uint64_t parents_by_inputs(const struct mempool *m,
				  const struct entry *e)
{
	uint64_t parents = 0;
	struct txin_view in;
	struct tx_iter it;

	txins(&it, &e->tx.view);
	while (txin_next(&it, &in)) {
		struct entry *p = pool_find(m, outpoint_txid(in.prevout));

		ck_assert_ptr_eq(pool_spender(m, in.prevout), e);
		if (!p)
			continue;
		ck_assert_ptr_eq(p->cluster, e->cluster);
		parents |= slot_bit(p->slot);
	}
	return parents;
}

static void check_entry(const struct mempool *m, const struct entry *e)
{
	const struct cluster *c = e->cluster;

	ck_assert_ptr_eq(pool_find(m, &e->tx.txid), e);
	ck_assert_ptr_eq(pool_find_wtxid(m, &e->tx.wtxid), e);
	ck_assert_uint_lt(e->slot, c->n);
	ck_assert_ptr_eq(c->tx[e->slot], e);
	ck_assert_uint_eq(c->parents[e->slot], parents_by_inputs(m, e));
	ck_assert_int_eq(e->tx.delta, pool_delta(m, &e->tx.txid));
	ck_assert_int_eq(e->tx.vsize, weight_vsize(e->tx.weight));
}

static void check_sets(const struct cluster *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		uint64_t all = c->parents[i];

		/* Those before know all of theirs. */
		ck_assert_uint_eq(c->parents[i] & ~slots_below(i), 0);
		for (uint64_t s = c->parents[i]; s; s &= s - 1)
			all |= c->ancestors[slot_of(s)];
		ck_assert_uint_eq(c->ancestors[i], all);
		for (uint32_t k = 0; k < c->n; k++) {
			ck_assert_int_eq(!!(c->children[k] & slot_bit(i)),
					 !!(c->parents[i] & slot_bit(k)));
			ck_assert_int_eq(!!(c->descendants[k] & slot_bit(i)),
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
		ck_assert_int_eq(sum.fee, c->chunks[i].fee);
		ck_assert_int_eq(sum.size, c->chunks[i].size);
		if (i > 0)
			ck_assert_int_ge(
			    chunk_cmp(&c->chunks[i - 1], &c->chunks[i]), 0);
	}
	ck_assert_uint_eq(at, c->n);
}

static void check_cluster(const struct mempool *m, const struct cluster *c)
{
	int64_t weight = 0;

	for (uint32_t i = 0; i < c->n; i++)
		weight += c->tx[i]->tx.weight;
	ck_assert_int_eq(weight, c->weight);
	ck_assert(cluster_allowed(m, c->n, c->weight));
	ck_assert_uint_eq(c->used, slots_below(c->n));
	ck_assert_uint_eq(cluster_part(c, c->used, 0), c->used);
	ck_assert_uint_eq(c->mark, 0);
	ck_assert_uint_eq(c->leaving, 0);
	check_sets(c);
	check_chunks(c);
}

static void check_heap(const struct heap *h)
{
	for (size_t i = 0; i < h->n; i++) {
		ck_assert_uint_eq(h->kind->place(h->v[i]), i);
		ck_assert(i == 0 ||
			  !h->kind->before(h->v[i], h->v[(i - 1) / 2]));
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
	ck_assert_uint_eq(n, ix->by_age.n);
	ck_assert_uint_eq(ix->txids.n, n);
	ck_assert_uint_eq(ix->wtxids.n, n);
	ck_assert_uint_eq(ix->spends.n, inputs);
	ck_assert_int_eq(ix->vsize, vsize);
	ck_assert_int_eq(ix->fee, fee);
	ck_assert_uint_eq(ix->unbroadcast, unbroadcast);
	ck_assert_uint_eq(ix->not_optimal, not_optimal);
	ck_assert_uint_eq(ix->held, held);
	ck_assert_uint_eq(ix->best.n, ix->worst.n);
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
