/*
 * An entry comes: the clusters of its parents, and of its children where it
 * comes back from a block, become one. Where they would be too large together
 * what is mined last of the children's clusters leaves. Chain thread.
 */
#include "inner.h"

#include <cairn/base/endian.h>
#include <cairn/base/mem.h>
#include <cairn/base/must.h>

#include <stdlib.h>
#include <string.h>

/* Clusters that are to become one with a comer. Each has its place + 1 as mark.
 * At most so many, as none is empty. */
struct joint {
	struct cluster *c[MEMPOOL_CLUSTER_MAX];
	uint64_t parents[MEMPOOL_CLUSTER_MAX]; /* of the comer, in c[i] */
	uint32_t base[MEMPOOL_CLUSTER_MAX];    /* of c[i] in the draft */
	uint32_t n;
	size_t n_tx; /* with the comer */
	int64_t weight;
};

struct children {
	struct entry **e; /* an entry may be there more than once */
	size_t n, cap;
};

static bool joint_add(struct joint *j, const struct mempool *m,
		      struct cluster *c)
{
	if (c->mark)
		return true;
	if (!cluster_allowed(m, j->n_tx + c->n, j->weight + c->weight))
		return false;
	j->n_tx += c->n;
	j->weight += c->weight;
	j->parents[j->n] = 0;
	j->c[j->n++] = c;
	c->mark = j->n;
	return true;
}

static void joint_end(struct joint *j)
{
	for (uint32_t i = 0; i < j->n; i++)
		j->c[i]->mark = 0;
}

/* The clusters of e's parents; false when they are too large together. */
static bool joint_parents(struct joint *j, const struct mempool *m,
			  const struct entry *e)
{
	struct txin_view in;
	struct tx_iter it;

	j->n = 0;
	j->n_tx = 1;
	j->weight = e->tx.weight;
	if (!cluster_allowed(m, 1, j->weight))
		return false;
	txins(&it, &e->tx.view);
	while (txin_next(&it, &in)) {
		struct entry *p = pool_find(m, outpoint_txid(in.prevout));

		if (!p)
			continue;
		if (!joint_add(j, m, p->cluster))
			return false;
		j->parents[p->cluster->mark - 1] |= slot_bit(p->slot);
	}
	return true;
}

static void find_children(struct children *ch, const struct mempool *m,
			  const struct entry *e)
{
	uint8_t outpoint[OUTPOINT_SIZE];

	ch->n = 0;
	memcpy(outpoint, e->tx.txid.b, sizeof e->tx.txid);
	for (uint32_t i = 0; i < e->tx.view.n_out; i++) {
		struct entry *s;

		le32_put(outpoint + sizeof e->tx.txid, i);
		s = pool_spender(m, outpoint);
		if (!s)
			continue;
		arr_grow(&ch->e, &ch->cap, ch->n + 1, sizeof(*ch->e));
		ch->e[ch->n++] = s;
	}
}

static int best_first(const void *a, const void *b)
{
	const struct entry *const *x = a, *const *y = b;

	if ((*x)->cluster == (*y)->cluster)
		return 0;
	return heap_of_best.before((*x)->cluster, (*y)->cluster) ? -1 : 1;
}

/* How many of c, as they are mined, fit with what is joined. */
static uint32_t fitting(const struct joint *j, const struct mempool *m,
			const struct cluster *c)
{
	int64_t weight = j->weight;
	uint32_t n = 0;

	for (; n < c->n; n++) {
		weight += c->tx[n]->tx.weight;
		if (!cluster_allowed(m, j->n_tx + n + 1, weight))
			break;
	}
	return n;
}

/* Join the clusters of the children, the best first; of one that does not fit
 * keep what does. Gives whether some have left: all must be looked up again.
 * What is kept counts, so that everything fits then. */
static bool joint_children(struct joint *j, struct mempool *m,
			   struct children *ch)
{
	struct sweep s = {.n = 0};
	bool left;

	if (ch->n > 1)
		qsort(ch->e, ch->n, sizeof(*ch->e), best_first);
	for (size_t i = 0; i < ch->n; i++) {
		struct cluster *c = ch->e[i]->cluster;
		uint32_t n;

		if (c->leaving || joint_add(j, m, c))
			continue;
		n = fitting(j, m, c);
		for (uint32_t k = 0; k < n; k++)
			j->weight += c->tx[k]->tx.weight;
		j->n_tx += n;
		sweep_add(&s, c, c->used & ~slots_below(n));
	}
	left = s.n > 0;
	if (left)
		joint_end(j);
	sweep_run(&s, m, MEMPOOL_SIZELIMIT);
	return left;
}

/* False when e does not fit with its parents. */
static bool join(struct joint *j, struct children *ch, struct mempool *m,
		 const struct entry *e)
{
	if (!joint_parents(j, m, e)) {
		joint_end(j);
		return false;
	}
	find_children(ch, m, e);
	if (joint_children(j, m, ch)) {
		must(joint_parents(j, m, e));
		find_children(ch, m, e);
		must(!joint_children(j, m, ch));
	}
	return true;
}

/* Make one cluster of j's and e. */
static void unite(struct mempool *m, struct joint *j, const struct children *ch,
		  struct entry *e)
{
	struct draft d;
	uint64_t parents = 0;

	d.n = 0;
	for (uint32_t i = 0; i < j->n; i++) {
		j->base[i] = d.n;
		for (uint64_t s = j->parents[i]; s; s &= s - 1)
			parents |= slot_bit(d.n + slot_of(s));
		draft_add(&d, j->c[i], j->c[i]->used);
	}
	for (size_t i = 0; i < ch->n; i++) {
		uint32_t at = ch->e[i]->cluster->mark - 1;

		d.tx[j->base[at] + ch->e[i]->slot].parents |= slot_bit(d.n);
	}
	d.e[d.n] = e;
	d.tx[d.n++] = (struct lin_tx){.fee = entry_fee(e),
				      .size = e->tx.weight,
				      .parents = parents,
				      .tie = be64_get(e->tx.txid.b)};
	joint_end(j);
	for (uint32_t i = 0; i < j->n; i++)
		cluster_unlist(m, j->c[i]);
	cluster_make(m, &d);
	for (uint32_t i = 0; i < j->n; i++)
		cluster_free(j->c[i]);
}

struct entry *pool_insert(struct mempool *m, const struct mempool_tx *t)
{
	struct children ch = {.n = 0};
	struct entry *e = entry_new(m, t);
	struct joint j;

	if (!join(&j, &ch, m, e)) {
		entry_free(e);
		return NULL;
	}
	unite(m, &j, &ch, e);
	free(ch.e);
	entry_enter(m, e);
	if (m->ops.added)
		m->ops.added(m->arg, &e->tx);
	m->ix->sequence++;
	return e;
}
