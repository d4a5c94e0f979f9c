/*
 * Several transactions offered together: those that only want to be judged, and
 * a child with its parents, where the child may pay for them. In Bitcoin Core's
 * order and words. Chain thread. What makes a package one at all is in
 * package_form.c.
 */
#include "package.h"
#include "accept.h"

#include <cairn/base/err.h>
#include <cairn/base/mem.h>
#include <cairn/base/must.h>
#include <cairn/base/text.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Those that are judged together. */
struct bundle {
	struct offer o[MEMPOOL_PACKAGE_MAX];
	struct mempool_result r[MEMPOOL_PACKAGE_MAX];
	size_t n;
	int64_t paid, vsize;
	struct entry **out; /* replaced, in order of cluster */
	size_t n_out;
};

static struct verdict one_failed(const char *reject)
{
	return verdict_invalid(INV_NONE, reject, NULL);
}

static struct verdict package_refused(const char *reject, const char *detail)
{
	return verdict_invalid(INV_CONSENSUS, reject, detail);
}

static void result_unjudged(struct mempool_result *r)
{
	r->outcome = TX_NOT_JUDGED;
	r->verdict = verdict_valid();
	r->vsize = r->fee = -1;
}

/* Each by itself, in the view of those before it. */
static bool judge_each(struct judge *j, struct bundle *b)
{
	j->in = b->o;
	for (size_t i = 0; i < b->n; i++) {
		j->n_in = i;
		if (!offer_judge(j, &b->o[i]) || !rate_allowed(j, &b->o[i]))
			return false;
	}
	return true;
}

static bool truc_holds(char why[VERDICT_DETAIL], const struct bundle *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (!truc_in_package(why, b->o, b->n, i))
			return false;
	return true;
}

static void add_up(struct bundle *b)
{
	for (size_t i = 0; i < b->n; i++) {
		b->paid = sat_sum(b->paid, b->o[i].paid);
		b->vsize += b->o[i].vsize;
	}
}

/* All that conflicts with any of them. */
static bool gather_conflicts(struct judge *j, struct bundle *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		n += b->o[i].n_conflicts;
	b->out = arena_alloc(&j->mem, n * sizeof *b->out);
	if (!b->out)
		return false;
	for (size_t i = 0; i < b->n; i++)
		for (size_t k = 0; k < b->o[i].n_conflicts; k++)
			b->out[b->n_out++] = b->o[i].conflicts[k];
	leaving_sort(b->out, b->n_out);
	return true;
}

static enum pool_fit try_bundle(const struct judge *j, const struct bundle *b)
{
	struct pool_comer in[MEMPOOL_PACKAGE_MAX];
	struct pool_change c = {
	    .out = b->out, .n_out = b->n_out, .in = in, .n_in = b->n};

	for (size_t i = 0; i < b->n; i++)
		in[i] = offer_comer(&b->o[i]);
	return pool_try(j->m, &c);
}

#define RBF_FAILED "package RBF failed: "

/* A rate as Core prints it, in coins per 1,000 virtual bytes. */
#define RATE_STR 40
static const char *rate_text(char dst[RATE_STR], int64_t fee, int64_t vsize)
{
	int64_t rate = rate_of(fee, vsize), coin = COIN;

	snprintf(dst, RATE_STR, "%" PRId64 ".%08" PRId64 " BTC/kvB",
		 rate / coin, rate % coin);
	return dst;
}

/* The child has to pay for more than the way: with it the parent is mined
 * earlier. */
static bool child_lifts(char why[VERDICT_DETAIL], const struct bundle *b)
{
	const struct offer *parent = &b->o[0];
	char with[RATE_STR], without[RATE_STR];

	if (lin_rate_cmp(b->paid, b->vsize, parent->paid, parent->vsize) > 0)
		return true;
	snprintf(why, VERDICT_DETAIL,
		 "package feerate %s <= parent feerate is %s",
		 rate_text(with, b->paid, b->vsize),
		 rate_text(without, parent->paid, parent->vsize));
	return false;
}

/* Two that take the place of others. */
static struct verdict judge_pair(const struct judge *j, const struct bundle *b)
{
	const struct hash256 *child = &b->r[1].txid;
	char why[VERDICT_DETAIL];

	if (!replaces_few(why, b->out, b->n_out, child))
		return package_refused(
		    RBF_FAILED "too many potential replacements", why);
	if (!replacement_pays(why, j, b->out, b->n_out, b->paid, b->vsize,
			      child))
		return package_refused(RBF_FAILED "insufficient anti-DoS fees",
				       why);
	if (!child_lifts(why, b))
		return package_refused(RBF_FAILED
				       "package feerate is less than or equal "
				       "to parent feerate",
				       why);
	return verdict_valid();
}

static struct verdict judge_bundle_replaces(struct judge *j, struct bundle *b)
{
	if (!gather_conflicts(j, b))
		return verdict_unknown(E_NOMEM);
	if (b->n_out == 0)
		return verdict_valid();
	if (b->n != 2)
		return package_refused(
		    RBF_FAILED "package must be 1-parent-1-child", NULL);
	if (b->o[0].n_parents || b->o[1].n_parents)
		return package_refused(RBF_FAILED
				       "new transaction cannot have mempool "
				       "ancestors",
				       NULL);
	return judge_pair(j, b);
}

static struct verdict judge_bundle_fits(const struct judge *j,
					const struct bundle *b)
{
	switch (try_bundle(j, b)) {
	case POOL_TOO_LARGE:
		return package_refused("too-large-cluster", NULL);
	case POOL_NOT_BETTER:
		return package_refused(RBF_FAILED
				       "insufficient feerate: does not improve "
				       "feerate diagram",
				       NULL);
	case POOL_FITS:
		break;
	}
	return verdict_valid();
}

static void bundle_accepted(const struct judge *j, struct bundle *b, size_t i)
{
	struct offer *o = &b->o[i];

	if (j->by_package)
		offer_accepted(o, b->paid, b->vsize);
	else
		offer_accepted(o, o->paid, o->vsize);
}

/* Scripts, and into the pool. */
static struct verdict bundle_enters(struct judge *j, struct bundle *b)
{
	for (size_t i = 0; i < b->n; i++) {
		if (!scripts_hold(j, &b->o[i]))
			return one_failed("transaction failed");
		if (j->flags & MEMPOOL_TEST)
			bundle_accepted(j, b, i);
	}
	if (j->flags & MEMPOOL_TEST)
		return verdict_valid();
	offer_replace(j, &b->o[0], b->out, b->n_out);
	for (size_t i = 0; i < b->n; i++) {
		if (!offer_enter(j, &b->o[i]))
			return one_failed("transaction failed");
		bundle_accepted(j, b, i);
	}
	return verdict_valid();
}

/* What all of them together come to. */
static struct verdict judge_together(struct judge *j, struct bundle *b)
{
	struct offer *last = &b->o[b->n - 1];
	struct verdict v;

	add_up(b);
	if (j->by_package && !rate_enough(j, last, b->vsize, b->paid)) {
		last->r->chunk_fee = b->paid;
		last->r->chunk_vsize = b->vsize;
		return one_failed("transaction failed");
	}
	v = judge_bundle_replaces(j, b);
	if (verdict_ok(&v))
		v = judge_bundle_fits(j, b);
	if (verdict_ok(&v) && j->m->cfg.policy.require_standard &&
	    !dust_is_spent(j, b->o, b->n))
		v = one_failed("unspent-dust");
	return verdict_ok(&v) ? bundle_enters(j, b) : v;
}

/* Core's AcceptMultipleTransactions. Those that are not come to are told so. */
static struct verdict judge_bundle(struct judge *j, struct bundle *b)
{
	char why[VERDICT_DETAIL];
	struct verdict v;

	if (!judge_each(j, b))
		v = one_failed("transaction failed");
	else if (!truc_holds(why, b))
		v = package_refused("TRUC-violation", why);
	else
		v = judge_together(j, b);
	for (size_t i = 0; i < b->n; i++)
		if (b->r[i].outcome == TX_FAILED &&
		    verdict_ok(&b->r[i].verdict))
			result_unjudged(&b->r[i]);
	return v;
}

/* A package on its way. */
struct parcel {
	struct mempool *m;
	struct mempool_result *r;
	struct buf *const *txs;
	size_t n;
	int64_t max_rate, now_s;
	unsigned flags;
	size_t again[MEMPOOL_PACKAGE_MAX]; /* refused alone, to be tried */
	size_t n_again;
	bool hopeless; /* one of them is refused whatever the others pay */
};

static void parcel_judge(struct judge *j, const struct parcel *p)
{
	judge_init(j, p->m, p->flags, p->now_s);
	j->max_rate = p->max_rate;
	j->room_later = true;
}

static void bundle_add(struct bundle *b, struct buf *tx)
{
	bool ok = offer_init(&b->o[b->n], &b->r[b->n], tx);

	must(ok);
	b->n++;
}

static struct verdict test_all(const struct parcel *p)
{
	struct bundle *b = xcalloc(1, sizeof *b);
	struct judge j;
	struct verdict v;

	parcel_judge(&j, p);
	j.no_replacement = j.no_eviction = true;
	for (size_t i = 0; i < p->n; i++)
		bundle_add(b, p->txs[i]);
	v = judge_bundle(&j, b);
	memcpy(p->r, b->r, p->n * sizeof *p->r);
	judge_fini(&j);
	free(b);
	return v;
}

static bool kept_already(const struct parcel *p, size_t i)
{
	struct mempool_result *r = &p->r[i];
	const struct entry *e = pool_find(p->m, &r->txid);

	if (!e)
		return false;
	r->outcome = TX_KEPT;
	r->vsize = e->tx.vsize;
	r->fee = e->tx.fee;
	if (!hash256_eq(&r->wtxid, &e->tx.wtxid)) {
		r->outcome = TX_CONFLICT;
		r->other = e->tx.wtxid;
	}
	return true;
}

/* By itself first: what pays for itself pays for nothing else. */
static void submit_alone(struct parcel *p, size_t i)
{
	struct judge j;
	struct offer o;
	bool ok;

	if (kept_already(p, i))
		return;
	parcel_judge(&j, p);
	ok = offer_init(&o, &p->r[i], p->txs[i]);
	must(ok);
	offer_alone(&j, &o);
	judge_fini(&j);
	if (p->r[i].outcome == TX_RECONSIDERABLE ||
	    p->r[i].outcome == TX_MISSING_INPUTS)
		p->again[p->n_again++] = i;
	else if (p->r[i].outcome != TX_ACCEPTED)
		p->hopeless = true;
}

static struct verdict submit_together(const struct parcel *p)
{
	struct bundle *b = xcalloc(1, sizeof *b);
	struct judge j;
	struct verdict v;

	parcel_judge(&j, p);
	j.by_package = j.no_eviction = true;
	for (size_t i = 0; i < p->n_again; i++)
		bundle_add(b, p->txs[p->again[i]]);
	v = judge_bundle(&j, b);
	for (size_t i = 0; i < b->n; i++)
		if (b->r[i].outcome != TX_NOT_JUDGED)
			p->r[p->again[i]] = b->r[i];
	judge_fini(&j);
	free(b);
	return v;
}

/* The pool makes room, which some may have to leave for. */
static bool all_stay(const struct parcel *p)
{
	bool stay = true;

	mempool_expire(p->m, p->now_s);
	for (size_t i = 0; i < p->n; i++) {
		struct offer o = {.r = &p->r[i]};
		if (o.r->outcome != TX_ACCEPTED && o.r->outcome != TX_KEPT &&
		    hash256_is_zero(&o.r->other))
			continue;
		if (pool_find(p->m, &o.r->txid))
			continue;
		stay = refuse(&o, TX_POLICY, "mempool full", NULL);
	}
	return stay;
}

static struct verdict submit_all(struct parcel *p)
{
	struct verdict v = verdict_valid();

	for (size_t i = 0; i < p->n; i++)
		submit_alone(p, i);
	/* What is left alone, with its parents in the pool, would get the same
	 * answer again. */
	if (p->hopeless || p->n_again == 1)
		v = one_failed("transaction failed");
	else if (p->n_again > 1)
		v = submit_together(p);
	if (!all_stay(p))
		v = one_failed("transaction failed");
	return v;
}

struct verdict mempool_accept_package(struct mempool *m,
				      struct mempool_result *r,
				      struct buf *const *txs, size_t n,
				      int64_t max_rate, unsigned flags,
				      int64_t now_s)
{
	struct parcel p = {.m = m,
			   .r = r,
			   .txs = txs,
			   .n = n,
			   .max_rate = max_rate,
			   .flags = flags,
			   .now_s = now_s};
	bool test = flags & MEMPOOL_TEST;
	struct verdict v = package_form(r, txs, n, !test);

	for (size_t i = 0; i < n; i++)
		if (r[i].outcome != TX_FAILED || verdict_ok(&r[i].verdict))
			result_unjudged(&r[i]);
	if (!verdict_ok(&v) || n == 0)
		return v;
	return test ? test_all(&p) : submit_all(&p);
}
