/*
 * A transaction that takes the place of others in the pool: it must pay for
 * them and for its own way through the network, take from few clusters, and
 * leave the pool better by its fee-rate diagram. Also the bound of a cluster,
 * which is asked of every transaction. Chain thread. Changes nothing.
 */
#include "accept.h"

#include <cairn/base/text.h>

#include <stdio.h>
#include <stdlib.h>

static int place_cmp(const void *a, const void *b)
{
	const struct entry *x = *(struct entry *const *)a;
	const struct entry *y = *(struct entry *const *)b;
	uintptr_t p = (uintptr_t)x->cluster, q = (uintptr_t)y->cluster;

	if (p != q)
		return p < q ? -1 : 1;
	return (x->slot > y->slot) - (x->slot < y->slot);
}

void leaving_sort(struct entry **e, size_t n)
{
	qsort(e, n, sizeof *e, place_cmp);
}

void leaving_init(struct leaving *l, struct entry *const *e, size_t n)
{
	*l = (struct leaving){.at = e, .left = n};
}

struct entry *leaving_next(struct leaving *l)
{
	unsigned slot;

	if (l->mask == 0 && l->left == 0)
		return NULL;
	if (l->mask == 0)
		l->in = l->at[0]->cluster;
	/* All of a cluster are taken together, so that none is given twice. */
	for (; l->left && l->at[0]->cluster == l->in; l->at++, l->left--) {
		slot = l->at[0]->slot;
		l->mask |= UINT64_C(1) << slot | l->in->descendants[slot];
	}
	slot = (unsigned)__builtin_ctzll(l->mask);
	l->mask &= l->mask - 1;
	return l->in->tx[slot];
}

bool replaces_few(char why[VERDICT_DETAIL], struct entry *const *out, size_t n,
		  const struct hash256 *txid)
{
	char hex[HASH256_STR];
	size_t clusters = 0;

	for (size_t i = 0; i < n; i++)
		clusters += i == 0 || out[i - 1]->cluster != out[i]->cluster;
	if (clusters <= REPLACED_CLUSTERS_MAX)
		return true;
	snprintf(why, VERDICT_DETAIL,
		 "rejecting replacement %s; too many conflicting clusters "
		 "(%zu > %u)",
		 hash256_fmt(hex, txid), clusters, REPLACED_CLUSTERS_MAX);
	return false;
}

static int64_t leaving_fees(struct entry *const *out, size_t n)
{
	struct leaving l;
	struct entry *e;
	int64_t sum = 0;

	leaving_init(&l, out, n);
	while ((e = leaving_next(&l)))
		sum = sat_sum(sum, entry_paid(e));
	return sum;
}

bool replacement_pays(char why[VERDICT_DETAIL], const struct judge *j,
		      struct entry *const *out, size_t n, int64_t paid,
		      int64_t vsize, const struct hash256 *txid)
{
	int64_t old = leaving_fees(out, n), more;
	int64_t relay = rate_fee(j->m->cfg.policy.incremental_rate, vsize);
	char a[AMOUNT_STR], b[AMOUNT_STR], hex[HASH256_STR];

	hash256_fmt(hex, txid);
	if (paid < old) {
		snprintf(why, VERDICT_DETAIL,
			 "rejecting replacement %s, less fees than conflicting "
			 "txs; %s < %s",
			 hex, amount_fmt(a, paid), amount_fmt(b, old));
		return false;
	}
	if (__builtin_sub_overflow(paid, old, &more))
		more = INT64_MAX;
	if (more >= relay)
		return true;
	snprintf(why, VERDICT_DETAIL,
		 "rejecting replacement %s, not enough additional fees to "
		 "relay; %s < %s",
		 hex, amount_fmt(a, more), amount_fmt(b, relay));
	return false;
}

/* Which of a cluster are among the conflicts, which are in order of cluster. */
static uint64_t conflicts_in(const struct offer *o, const struct cluster *c)
{
	size_t low = 0, high = o->n_conflicts;
	uint64_t mask = 0;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if ((uintptr_t)o->conflicts[mid]->cluster < (uintptr_t)c)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < o->n_conflicts && o->conflicts[low]->cluster == c; low++)
		mask |= UINT64_C(1) << o->conflicts[low]->slot;
	return mask;
}

static const struct entry *lesser_txid(const struct entry *a,
				       const struct entry *b)
{
	return a && memcmp(a->tx.txid.b, b->tx.txid.b, 32) < 0 ? a : b;
}

static bool refuse_replacement(struct offer *o, enum tx_outcome outcome,
			       const char *reject, const char *why)
{
	char text[VERDICT_REJECT];

	snprintf(text, sizeof text, "%s%s", reject,
		 o->evicts_sibling ? " (including sibling eviction)" : "");
	return refuse(o, outcome, text, why);
}

bool judge_replacement(struct judge *j, struct offer *o)
{
	char why[VERDICT_DETAIL];

	if (o->n_conflicts == 0)
		return true;
	if (!replaces_few(why, o->conflicts, o->n_conflicts, &o->r->txid))
		return refuse_replacement(
		    o, TX_POLICY, "too many potential replacements", why);
	if (!replacement_pays(why, j, o->conflicts, o->n_conflicts, o->paid,
			      o->vsize, &o->r->txid))
		return refuse_replacement(o, TX_RECONSIDERABLE,
					  "insufficient fee", why);
	return true;
}

bool judge_cluster(struct judge *j, struct offer *o)
{
	struct pool_comer in = offer_comer(o);
	struct pool_change c = {
	    .out = o->conflicts, .n_out = o->n_conflicts, .in = &in, .n_in = 1};

	switch (pool_try(j->m, &c)) {
	case POOL_TOO_LARGE:
		return refuse(o, TX_POLICY, "too-large-cluster", NULL);
	case POOL_NOT_BETTER:
		return refuse(o, TX_RECONSIDERABLE, "replacement-failed",
			      "insufficient feerate: does not improve feerate "
			      "diagram");
	case POOL_FITS:
		break;
	}
	return true;
}

bool judge_descent(struct judge *j, struct offer *o)
{
	char a[HASH256_STR], b[HASH256_STR];
	const struct entry *e = NULL;
	struct verdict v;

	for (size_t i = 0; i < o->n_parents; i++) {
		const struct entry *p = o->parents[i];
		uint64_t mask = conflicts_in(o, p->cluster);
		mask &= p->cluster->ancestors[p->slot] | UINT64_C(1) << p->slot;
		for (; mask; mask &= mask - 1)
			e = lesser_txid(e,
					p->cluster->tx[__builtin_ctzll(mask)]);
	}
	(void)j;
	if (!e)
		return true;
	v = verdict_invalidf(INV_CONSENSUS, "bad-txns-spends-conflicting-tx",
			     "%s spends conflicting transaction %s",
			     hash256_fmt(a, &o->r->txid),
			     hash256_fmt(b, &e->tx.txid));
	return judged(o, TX_CONSENSUS, &v);
}
