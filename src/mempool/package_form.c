/*
 * What makes transactions a package, by Bitcoin Core's rules and in its order.
 * Any thread; no state. What each of them is, and what they pay, is judged
 * elsewhere.
 */
#include "package.h"

#include "accept.h"

#include <cairn/base/err.h>
#include <cairn/base/mem.h>

#include <stdlib.h>

/* An outpoint, and which of the transactions spends it. */
struct spent {
	const uint8_t *outpoint;
	size_t tx;
};

static bool any_twice(const struct offer *o, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			if (hash256_eq(&o[i].r->txid, &o[k].r->txid))
				return true;
	return false;
}

/* Whether the first spends an output of one of the n that stand from it on. */
static bool spends_later(const struct offer *o, size_t n)
{
	struct txin_view in;
	struct tx_iter it;

	txins(&it, &o->tx);
	while (txin_next(&it, &in))
		for (size_t i = 0; i < n; i++)
			if (hash256_eq(outpoint_txid(in.prevout),
				       &o[i].r->txid))
				return true;
	return false;
}

static bool sorted(const struct offer *o, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (spends_later(o + i, n - i))
			return false;
	return true;
}

static int spent_cmp(const void *a, const void *b)
{
	const struct spent *x = a, *y = b;
	int c = memcmp(x->outpoint, y->outpoint, OUTPOINT_SIZE);

	if (c)
		return c;
	return (x->tx > y->tx) - (x->tx < y->tx);
}

static size_t list_spent(struct spent *s, const struct offer *o, size_t n)
{
	struct txin_view in;
	struct tx_iter it;
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		txins(&it, &o[i].tx);
		while (txin_next(&it, &in))
			s[at++] = (struct spent){in.prevout, i};
	}
	return at;
}

/* Two spend the same, or one spends nothing. One that does so by itself is told
 * when its turn comes. */
static bool in_conflict(const struct offer *o, size_t n)
{
	struct spent *s;
	size_t total = 0;
	bool found = false;

	for (size_t i = 0; i < n; i++) {
		if (o[i].tx.n_in == 0)
			return true;
		total += o[i].tx.n_in;
	}
	/* Bounded by the weight of a package, or of a message where there is
	 * one transaction only. */
	s = xmalloc(total * sizeof *s);
	total = list_spent(s, o, n);
	qsort(s, total, sizeof *s, spent_cmp);
	for (size_t i = 1; i < total && !found; i++)
		found = s[i - 1].tx != s[i].tx &&
			memcmp(s[i - 1].outpoint, s[i].outpoint,
			       OUTPOINT_SIZE) == 0;
	free(s);
	return found;
}

static bool child_with_parents(const struct offer *o, size_t n)
{
	const struct offer *child = &o[n - 1];

	for (size_t i = 0; i + 1 < n; i++)
		if (!tx_spends_from(&child->tx, &o[i].r->txid))
			return false;
	return true;
}

static uint64_t total_weight(const struct offer *o, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += tx_weight(&o[i].tx);
	return sum;
}

static const char *judge_form(const struct offer *o, size_t n, bool parents)
{
	if (n > 1 && total_weight(o, n) > MEMPOOL_PACKAGE_WEIGHT)
		return "package-too-large";
	if (any_twice(o, n))
		return "package-contains-duplicates";
	if (!sorted(o, n))
		return "package-not-sorted";
	if (in_conflict(o, n))
		return "conflict-in-package";
	if (parents && n > 1 && !child_with_parents(o, n))
		return "package-not-child-with-parents";
	return NULL;
}

struct verdict package_form(struct mempool_result *r, struct buf *const *txs,
			    size_t n, bool child_with_its_parents)
{
	struct offer o[MEMPOOL_PACKAGE_MAX], more;
	const char *bad = "package-too-many-transactions";
	bool all = true;

	for (size_t i = 0; i < n; i++)
		all &= offer_init(i < MEMPOOL_PACKAGE_MAX ? &o[i] : &more,
				  &r[i], txs[i]);
	if (!all)
		return verdict_unknown(E_PARSE);
	if (n <= MEMPOOL_PACKAGE_MAX)
		bad = judge_form(o, n, child_with_its_parents);
	return bad ? verdict_invalid(INV_CONSENSUS, bad, NULL)
		   : verdict_valid();
}
