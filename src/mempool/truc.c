/*
 * Transactions of version 3, topologically restricted until confirmation (BIP
 * 431): in the pool one has at most one parent or one child, of the same
 * version, and is small. In Bitcoin Core's order and words. Chain thread.
 */
#include "accept.h"

#include <inttypes.h>
#include <stdio.h>

#define TRUC_VERSION     3
#define TRUC_VSIZE       10000
#define TRUC_CHILD_VSIZE 1000

/* Either kind of relative: in the pool, or in the same package. */
struct relative {
	const struct tx_view *tx;
	const struct hash256 *txid, *wtxid;
};

static struct relative of_entry(const struct entry *e)
{
	return (struct relative){&e->tx.view, &e->tx.txid, &e->tx.wtxid};
}

static struct relative of_offer(const struct offer *o)
{
	return (struct relative){&o->tx, &o->r->txid, &o->r->wtxid};
}

static bool is_truc(const struct tx_view *tx)
{
	return tx->version == TRUC_VERSION;
}

static bool too_many(char why[VERDICT_DETAIL], const struct offer *o)
{
	char name[TX_NAME_STR];

	snprintf(why, VERDICT_DETAIL, "tx %s would have too many ancestors",
		 tx_name(name, &o->r->txid, &o->r->wtxid));
	return false;
}

static bool too_big(char why[VERDICT_DETAIL], const struct offer *o,
		    const char *kind, int max)
{
	char name[TX_NAME_STR];

	snprintf(why, VERDICT_DETAIL,
		 "version=3 %s %s is too big: %" PRId64 " > %d virtual bytes",
		 kind, tx_name(name, &o->r->txid, &o->r->wtxid), o->vsize, max);
	return false;
}

static bool too_fertile(char why[VERDICT_DETAIL], const struct relative *p)
{
	char name[TX_NAME_STR];

	snprintf(why, VERDICT_DETAIL,
		 "tx %s would exceed descendant count limit",
		 tx_name(name, p->txid, p->wtxid));
	return false;
}

/* Parent and child are both of version 3, or neither. */
static bool same_kind(char why[VERDICT_DETAIL], const struct offer *o,
		      const struct relative *p)
{
	char child[TX_NAME_STR], parent[TX_NAME_STR];
	bool truc = is_truc(&o->tx);

	if (truc == is_truc(p->tx))
		return true;
	snprintf(why, VERDICT_DETAIL,
		 "%sversion=3 tx %s cannot spend from %sversion=3 tx %s",
		 truc ? "" : "non-", tx_name(child, &o->r->txid, &o->r->wtxid),
		 truc ? "non-" : "", tx_name(parent, p->txid, p->wtxid));
	return false;
}

/* Without itself. */
static int n_ancestors(const struct entry *e)
{
	return __builtin_popcountll(e->cluster->ancestors[e->slot]);
}

/* The parent has descendants and none of them leaves. */
static bool has_child(const struct offer *o, const struct entry *parent)
{
	uint64_t mask = parent->cluster->descendants[parent->slot];

	for (size_t i = 0; i < o->n_conflicts; i++)
		if (o->conflicts[i]->cluster == parent->cluster &&
		    mask >> o->conflicts[i]->slot & 1)
			return false;
	return mask != 0;
}

/* The only child of the parent, whose only ancestor that is; or NULL. */
static struct entry *lone_sibling(const struct entry *parent)
{
	uint64_t mask = parent->cluster->descendants[parent->slot];
	struct entry *child;

	if (__builtin_popcountll(mask) != 1)
		return NULL;
	child = parent->cluster->tx[__builtin_ctzll(mask)];
	return n_ancestors(child) == 1 ? child : NULL;
}

/* With what is in the pool alone. *sibling: who would have to leave. */
static bool truc_alone(char why[VERDICT_DETAIL], struct entry **sibling,
		       const struct offer *o)
{
	struct relative p;

	for (size_t i = 0; i < o->n_parents; i++) {
		p = of_entry(o->parents[i]);
		if (!same_kind(why, o, &p))
			return false;
	}
	if (!is_truc(&o->tx))
		return true;
	if (o->vsize > TRUC_VSIZE)
		return too_big(why, o, "tx", TRUC_VSIZE);
	if (o->n_parents == 0)
		return true;
	if (o->n_parents > 1 || n_ancestors(o->parents[0]) > 0)
		return too_many(why, o);
	if (o->vsize > TRUC_CHILD_VSIZE)
		return too_big(why, o, "child tx", TRUC_CHILD_VSIZE);
	if (!has_child(o, o->parents[0]))
		return true;
	*sibling = lone_sibling(o->parents[0]);
	p = of_entry(o->parents[0]);
	return too_fertile(why, &p);
}

bool judge_truc(struct judge *j, struct offer *o)
{
	char why[VERDICT_DETAIL];
	struct entry *sibling = NULL;

	if ((j->flags & MEMPOOL_TAKEN_OFF) || truc_alone(why, &sibling, o))
		return true;
	if (!sibling || j->no_eviction)
		return refuse(o, TX_POLICY, "TRUC-violation", why);
	/* It is replaced, if the fee is worth it. */
	o->conflicts[o->n_conflicts++] = sibling;
	leaving_sort(o->conflicts, o->n_conflicts);
	o->evicts_sibling = true;
	return true;
}

/* Each of the others, input by input: another child of the parent, or a child
 * of its own. */
static bool no_more_kin(char why[VERDICT_DETAIL], const struct offer *o,
			size_t n, size_t self, const struct relative *parent)
{
	struct txin_view in;
	struct tx_iter it;

	for (size_t i = 0; i < n; i++) {
		if (i == self)
			continue;
		txins(&it, &o[i].tx);
		while (txin_next(&it, &in)) {
			const struct hash256 *t = outpoint_txid(in.prevout);
			if (hash256_eq(t, parent->txid))
				return too_fertile(why, parent);
			if (hash256_eq(t, &o[self].r->txid))
				return too_many(why, &o[i]);
		}
	}
	return true;
}

/* One of version 3 that has exactly one parent: the first of its package, if it
 * is not in the pool. */
static bool truc_child(char why[VERDICT_DETAIL], const struct offer *o,
		       size_t n, size_t i, const struct relative *parent)
{
	const struct offer *self = &o[i];

	if (self->vsize > TRUC_CHILD_VSIZE)
		return too_big(why, self, "child tx", TRUC_CHILD_VSIZE);
	/* Other children in the pool were found when it was judged alone. */
	return same_kind(why, self, parent) &&
	       no_more_kin(why, o, n, i, parent);
}

bool truc_in_package(char why[VERDICT_DETAIL], const struct offer *o, size_t n,
		     size_t i)
{
	const struct offer *self = &o[i];
	struct relative r, parent = {0};
	size_t n_parents = self->n_parents;

	for (size_t k = 0; k < self->n_parents; k++) {
		r = of_entry(self->parents[k]);
		if (!is_truc(&self->tx) && !same_kind(why, self, &r))
			return false;
	}
	for (size_t k = 0; k < i; k++) {
		r = of_offer(&o[k]);
		if (!tx_spends_from(&self->tx, r.txid))
			continue;
		if (!is_truc(&self->tx) && !same_kind(why, self, &r))
			return false;
		if (!parent.tx)
			parent = r;
		n_parents++;
	}
	if (!is_truc(&self->tx) || n_parents == 0)
		return true;
	if (n_parents > 1 ||
	    (self->n_parents && n_ancestors(self->parents[0]) > 0))
		return too_many(why, self);
	if (self->n_parents)
		parent = of_entry(self->parents[0]);
	return truc_child(why, o, n, i, &parent);
}
