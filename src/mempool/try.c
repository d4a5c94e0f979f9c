/*
 * What a change would do to the clusters that it touches, without doing it:
 * would one be too large, and would the fee-rate diagram be better? The work is
 * bounded by what is asked: transactions that leave, and the clusters that the
 * comers may join. Chain thread.
 */
#include "inner.h"

#include <cairn/base/endian.h>
#include <cairn/base/mem.h>

#include <stdlib.h>
#include <string.h>

/* A cluster that is touched; its place + 1 is its mark. */
struct touched {
	struct cluster *c;
	uint64_t gone;
	size_t part; /* first of its parts */
};

/* What stays of it and is connected. */
struct part {
	const struct cluster *c;
	uint64_t set;
	int group;     /* of comers, that it is joined to; -1: none */
	uint32_t base; /* in a draft */
};

/* An input of a comer is the output of a slot in a part. */
struct link {
	size_t part;
	uint32_t comer, slot;
};

struct trial {
	const struct mempool *m;
	const struct pool_change *ch;
	struct touched *t;
	size_t n_t, cap_t;
	struct part *p;
	size_t n_p, cap_p;
	struct link *l;
	size_t n_l, cap_l;
	int group[POOL_COMERS_MAX];       /* a forest: group[i] <= i */
	uint32_t comers[POOL_COMERS_MAX]; /* parents among comers */
	uint32_t place[POOL_COMERS_MAX];  /* in a draft */
};

static void touch(struct trial *tr, struct cluster *c)
{
	if (c->mark)
		return;
	arr_grow(&tr->t, &tr->cap_t, tr->n_t + 1, sizeof(*tr->t));
	tr->t[tr->n_t++] = (struct touched){.c = c};
	c->mark = (uint32_t)tr->n_t;
}

static struct entry *parent_of(const struct trial *tr, const uint8_t *outpoint)
{
	return pool_find(tr->m, outpoint_txid(outpoint));
}

/* Touch the clusters of a comer's parents; false when there are more than may
 * be together. */
static bool touch_parents(struct trial *tr, const struct tx_view *tx)
{
	size_t limit = tr->n_t + MEMPOOL_CLUSTER_MAX;
	struct txin_view in;
	struct tx_iter it;

	txins(&it, tx);
	while (txin_next(&it, &in)) {
		struct entry *e = parent_of(tr, in.prevout);

		if (e)
			touch(tr, e->cluster);
		if (tr->n_t > limit)
			return false;
	}
	return true;
}

static bool touch_all(struct trial *tr)
{
	const struct pool_change *ch = tr->ch;

	for (size_t i = 0; i < ch->n_out; i++) {
		struct cluster *c = ch->out[i]->cluster;
		uint32_t slot = ch->out[i]->slot;

		touch(tr, c);
		tr->t[c->mark - 1].gone |=
		    c->descendants[slot] | slot_bit(slot);
	}
	for (size_t i = 0; i < ch->n_in; i++) {
		if (!touch_parents(tr, ch->in[i].tx))
			return false;
	}
	return true;
}

static void split_all(struct trial *tr)
{
	for (size_t i = 0; i < tr->n_t; i++) {
		struct touched *t = &tr->t[i];
		uint64_t left = t->c->used & ~t->gone;

		t->part = tr->n_p;
		while (left) {
			uint64_t set = cluster_part(t->c, left, slot_of(left));

			arr_grow(&tr->p, &tr->cap_p, tr->n_p + 1,
				 sizeof(*tr->p));
			tr->p[tr->n_p++] =
			    (struct part){.c = t->c, .set = set, .group = -1};
			left &= ~set;
		}
	}
}

static int root(const struct trial *tr, int i)
{
	while (tr->group[i] != i)
		i = tr->group[i];
	return i;
}

static void unite(struct trial *tr, int a, int b)
{
	a = root(tr, a);
	b = root(tr, b);
	tr->group[a > b ? a : b] = a > b ? b : a;
}

static void link_part(struct trial *tr, uint32_t comer, const struct entry *e)
{
	size_t i = tr->t[e->cluster->mark - 1].part;

	for (; i < tr->n_p && tr->p[i].c == e->cluster; i++) {
		struct part *p = &tr->p[i];

		if (!(p->set & slot_bit(e->slot)))
			continue;
		if (p->group < 0)
			p->group = (int)comer;
		unite(tr, (int)comer, p->group);
		arr_grow(&tr->l, &tr->cap_l, tr->n_l + 1, sizeof(*tr->l));
		tr->l[tr->n_l++] = (struct link){i, comer, e->slot};
	}
}

static void link_comer(struct trial *tr, uint32_t comer,
		       const uint8_t *outpoint)
{
	for (uint32_t i = 0; i < comer; i++) {
		if (!hash256_eq(tr->ch->in[i].txid, outpoint_txid(outpoint)))
			continue;
		tr->comers[comer] |= UINT32_C(1) << i;
		unite(tr, (int)comer, (int)i);
	}
}

static void link_all(struct trial *tr)
{
	for (uint32_t i = 0; i < tr->ch->n_in; i++) {
		struct txin_view in;
		struct tx_iter it;

		tr->group[i] = (int)i;
		tr->comers[i] = 0;
		txins(&it, tr->ch->in[i].tx);
		while (txin_next(&it, &in)) {
			struct entry *e = parent_of(tr, in.prevout);

			if (e)
				link_part(tr, i, e);
			else
				link_comer(tr, i, in.prevout);
		}
	}
}

static bool in_group(const struct trial *tr, const struct part *p, int group)
{
	return p->group >= 0 && root(tr, p->group) == group;
}

static bool group_allowed(const struct trial *tr, int group)
{
	int64_t weight = 0;
	size_t n = 0;

	for (size_t i = 0; i < tr->n_p; i++) {
		const struct part *p = &tr->p[i];

		if (!in_group(tr, p, group))
			continue;
		n += slots_in(p->set);
		for (uint64_t s = p->set; s; s &= s - 1)
			weight += p->c->tx[slot_of(s)]->tx.weight;
	}
	for (size_t i = 0; i < tr->ch->n_in; i++) {
		if (root(tr, (int)i) != group)
			continue;
		n++;
		weight += tr->ch->in[i].weight;
	}
	return cluster_allowed(tr->m, n, weight);
}

/* The cluster that a group of comers would be in, as it is allowed. */
static void group_draft(struct draft *d, struct trial *tr, int group)
{
	d->n = 0;
	for (size_t i = 0; i < tr->n_p; i++) {
		if (!in_group(tr, &tr->p[i], group))
			continue;
		tr->p[i].base = d->n;
		draft_add(d, tr->p[i].c, tr->p[i].set);
	}
	for (size_t i = 0; i < tr->ch->n_in; i++) {
		struct lin_tx *t = &d->tx[d->n];

		if (root(tr, (int)i) != group)
			continue;
		t->fee = order_fee(0, tr->ch->in[i].fee);
		t->size = tr->ch->in[i].weight;
		t->tie = be64_get(tr->ch->in[i].txid->b);
		t->parents = 0;
		for (uint32_t s = tr->comers[i]; s; s &= s - 1)
			t->parents |= slot_bit(tr->place[slot_of(s)]);
		d->e[d->n] = NULL;
		tr->place[i] = d->n++;
	}
	for (size_t i = 0; i < tr->n_l; i++) {
		const struct link *l = &tr->l[i];
		const struct part *p = &tr->p[l->part];

		if (in_group(tr, p, group))
			d->tx[tr->place[l->comer]].parents |=
			    slot_bit(p->base + slot_rank(p->set, l->slot));
	}
}

/* Chunks of several clusters. */
struct diagram {
	struct lin_chunk *c;
	size_t n, cap;
};

static void diagram_add(struct diagram *d, const struct lin_chunk *c, size_t n)
{
	arr_grow(&d->c, &d->cap, d->n + n, sizeof(*d->c));
	memcpy(d->c + d->n, c, n * sizeof(*c));
	d->n += n;
}

static void diagram_add_draft(struct diagram *d, const struct draft *draft)
{
	struct lin_chunk chunks[LIN_MAX];
	uint8_t order[LIN_MAX];
	struct lin_info info = linearize(order, chunks, draft->tx, draft->n);

	diagram_add(d, chunks, info.n_chunks);
}

static int by_rate(const void *a, const void *b)
{
	return -chunk_cmp(a, b);
}

static void diagram_before(struct diagram *d, const struct trial *tr)
{
	for (size_t i = 0; i < tr->n_t; i++)
		diagram_add(d, tr->t[i].c->chunks, tr->t[i].c->n_chunks);
}

static void diagram_after(struct diagram *d, struct trial *tr)
{
	struct draft draft;

	for (size_t i = 0; i < tr->n_p; i++) {
		const struct part *p = &tr->p[i];

		if (p->group >= 0)
			continue;
		draft.n = 0;
		draft_add(&draft, p->c, p->set);
		diagram_add_draft(d, &draft);
	}
	for (size_t i = 0; i < tr->ch->n_in; i++) {
		if (tr->group[i] != (int)i)
			continue;
		group_draft(&draft, tr, (int)i);
		diagram_add_draft(d, &draft);
	}
}

static bool better(struct trial *tr)
{
	struct diagram a = {.n = 0}, b = {.n = 0};
	bool is;

	diagram_before(&b, tr);
	diagram_after(&a, tr);
	qsort(b.c, b.n, sizeof(*b.c), by_rate);
	if (a.n)
		qsort(a.c, a.n, sizeof(*a.c), by_rate);
	is = lin_diagram_better(a.c, (uint32_t)a.n, b.c, (uint32_t)b.n);
	free(a.c);
	free(b.c);
	return is;
}

/* False when a cluster would be too large. */
static bool trial_begin(struct trial *tr, const struct mempool *m,
			const struct pool_change *ch)
{
	memset(tr, 0, sizeof *tr);
	tr->m = m;
	tr->ch = ch;
	if (!touch_all(tr))
		return false;
	split_all(tr);
	link_all(tr);
	for (size_t i = 0; i < ch->n_in; i++) {
		if (tr->group[i] == (int)i && !group_allowed(tr, (int)i))
			return false;
	}
	return true;
}

static void trial_end(struct trial *tr)
{
	for (size_t i = 0; i < tr->n_t; i++)
		tr->t[i].c->mark = 0;
	free(tr->t);
	free(tr->p);
	free(tr->l);
}

enum pool_fit pool_try(const struct mempool *m, const struct pool_change *c)
{
	enum pool_fit fit = POOL_TOO_LARGE;
	struct trial tr;

	if (trial_begin(&tr, m, c))
		fit = c->n_out && !better(&tr) ? POOL_NOT_BETTER : POOL_FITS;
	trial_end(&tr);
	return fit;
}
