/* What is told a transaction that would take the place of others. */
#include "desk.h"
#include "suites.h"

#include <cairn/base/err.h>
#include <cairn/base/text.h>

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static struct desk d;
static struct slip f;
static char want[VERDICT_DETAIL];

static void setup(void)
{
	desk_init(&d, NULL);
	slip_init(&f);
}

static void teardown(void)
{
	slip_fini(&f);
	desk_fini(&d);
}

static struct point coin(void)
{
	return desk_coin(&d, 1000000, script_easy());
}

/* In the pool, from p; gives its output. */
static struct point put(const struct point *p, int64_t fee)
{
	struct point out;

	ck_assert_int_eq(desk_offer(&d, desk_pay(p, 2, fee, &out), 0),
			 TX_ACCEPTED);
	return out;
}

static enum tx_outcome offer(const struct point *p, int64_t fee)
{
	/* Of another shape, so that it is another with the same fee. */
	return desk_offer(&d, desk_pay_many(p, 2, fee, 2, NULL), 0);
}

static const char *rejecting(const char *fmt, const char *a, const char *b)
{
	char hex[HASH256_STR];
	int n = snprintf(want, sizeof want, "rejecting replacement %s, ",
			 hash256_fmt(hex, &d.r.txid));

	snprintf(want + n, sizeof want - (size_t)n, "%s; %s < %s", fmt, a, b);
	return want;
}

START_TEST(a_replacement_pays_for_what_leaves)
{
	struct point p = coin(), child = put(&p, 1000);

	put(&child, 2000);
	ck_assert_int_eq(offer(&p, 2999), TX_RECONSIDERABLE);
	desk_is(&d, TX_RECONSIDERABLE, "insufficient fee",
		rejecting("less fees than conflicting txs", "0.00002999",
			  "0.00003"));
	ck_assert_int_eq(offer(&p, 3000), TX_RECONSIDERABLE);
	desk_is(&d, TX_RECONSIDERABLE, "insufficient fee",
		rejecting("not enough additional fees to relay", "0.00",
			  "0.00000014"));
	ck_assert_uint_eq(desk_count(&d), 2);
	ck_assert_uint_eq(d.removed, 0);
}
END_TEST

START_TEST(a_replacement_pays_for_its_way)
{
	struct point p = coin();
	struct hash256 old;

	put(&p, 1000);
	old = d.r.txid;
	/* 139 virtual bytes at 100 satoshi a thousand. */
	ck_assert_int_eq(offer(&p, 1013), TX_RECONSIDERABLE);
	ck_assert_int_eq(d.r.vsize, 139);
	desk_is(&d, TX_RECONSIDERABLE, "insufficient fee",
		rejecting("not enough additional fees to relay", "0.00000013",
			  "0.00000014"));
	/* That is enough, but its rate is less. */
	ck_assert_int_eq(offer(&p, 1014), TX_RECONSIDERABLE);
	desk_is(&d, TX_RECONSIDERABLE, "replacement-failed",
		"insufficient feerate: does not improve feerate diagram");
	ck_assert_int_eq(desk_offer(&d, desk_pay(&p, 2, 1009, NULL), 0),
			 TX_RECONSIDERABLE);
	ck_assert_uint_eq(d.r.n_replaced, 0);
	ck_assert_int_eq(
	    desk_offer(&d, desk_pay(&p, 2, 1010, NULL), MEMPOOL_TEST),
	    TX_ACCEPTED);
	ck_assert_uint_eq(d.replaced, 0);
	ck_assert_int_eq(desk_offer(&d, desk_pay(&p, 2, 1010, NULL), 0),
			 TX_ACCEPTED);
	ck_assert_uint_eq(d.r.n_replaced, 1);
	ck_assert(hash256_eq(&d.r.replaced[0], &old));
	ck_assert_uint_eq(d.replaced, 1);
	ck_assert_uint_eq(desk_count(&d), 1);
}
END_TEST

START_TEST(a_diagram_that_is_no_better_is_refused)
{
	struct point p = coin();

	/* 139 virtual bytes: the same rate with less size than 96 would be. */
	put(&p, 960);
	ck_assert_int_eq(offer(&p, 1389), TX_RECONSIDERABLE);
	desk_is(&d, TX_RECONSIDERABLE, "replacement-failed",
		"insufficient feerate: does not improve feerate diagram");
	ck_assert_int_eq(offer(&p, 1400), TX_ACCEPTED);
}
END_TEST

START_TEST(priorities_count_on_both_sides)
{
	struct point p = coin();

	put(&p, 1000);
	mempool_prioritise(d.m, &d.r.txid, 5000);
	ck_assert_int_eq(offer(&p, 5999), TX_RECONSIDERABLE);
	desk_is(&d, TX_RECONSIDERABLE, "insufficient fee",
		rejecting("less fees than conflicting txs", "0.00005999",
			  "0.00006"));
	mempool_prioritise(d.m, &d.r.txid, 20000);
	ck_assert_int_eq(offer(&p, 5999), TX_ACCEPTED);
}
END_TEST

/* Spends n coins, each of which is spent in the pool by one that pays 100; the
 * last by one that has a child. */
static void conflict_with(unsigned n)
{
	struct point p[102], child = {.value = 0};

	for (unsigned i = 0; i < n; i++) {
		p[i] = coin();
		child = put(&p[i], 100);
	}
	put(&child, 100);
	for (unsigned i = 0; i < n; i++)
		slip_easy(&f, &p[i]);
	slip_pay(&f, (int64_t)n * 1000000 - 100000, script_easy());
}

START_TEST(a_hundred_clusters_may_be_replaced)
{
	conflict_with(100);
	ck_assert_int_eq(desk_slip(&d, &f, 0), TX_ACCEPTED);
	ck_assert_uint_eq(d.r.n_replaced, 101);
	for (size_t i = 1; i < d.r.n_replaced; i++)
		ck_assert_int_lt(
		    memcmp(&d.r.replaced[i - 1], &d.r.replaced[i], 32), 0);
	ck_assert_uint_eq(desk_count(&d), 1);
}
END_TEST

START_TEST(more_clusters_are_too_many)
{
	char hex[HASH256_STR];

	conflict_with(101);
	desk_slip(&d, &f, 0);
	snprintf(want, sizeof want,
		 "rejecting replacement %s; too many conflicting clusters (101 "
		 "> 100)",
		 hash256_fmt(hex, &d.r.txid));
	desk_is(&d, TX_POLICY, "too many potential replacements", want);
	ck_assert_uint_eq(desk_count(&d), 102);
}
END_TEST

START_TEST(many_of_one_cluster_are_one)
{
	struct point p = coin(), at;
	struct buf *b = desk_pay_many(&p, 2, 10000, 60, &at);

	ck_assert_int_eq(desk_offer(&d, b, 0), TX_ACCEPTED);
	for (uint32_t i = 0; i < 60; i++) {
		at.index = i;
		at.value = 16500;
		put(&at, 100);
		/* Each of the children is in conflict, and a parent is spent,
		 * which stays. */
		slip_easy(&f, &at);
	}
	slip_pay(&f, 60 * 16500 - 50000, script_easy());
	ck_assert_int_eq(desk_slip(&d, &f, 0), TX_ACCEPTED);
	ck_assert_uint_eq(d.r.n_replaced, 60);
	ck_assert_uint_eq(desk_count(&d), 2);
}
END_TEST

START_TEST(what_is_replaced_may_not_be_spent)
{
	struct point p = coin(), a = put(&p, 1000), b = put(&a, 1000);
	char x[HASH256_STR], y[HASH256_STR];

	/* Spends the coin of the first and what came of it. */
	slip_easy(&f, &p);
	slip_easy(&f, &b);
	slip_pay(&f, 1000000, script_easy());
	desk_slip(&d, &f, 0);
	snprintf(want, sizeof want, "%s spends conflicting transaction %s",
		 hash256_fmt(x, &d.r.txid), hash256_fmt(y, &a.txid));
	desk_is(&d, TX_CONSENSUS, "bad-txns-spends-conflicting-tx", want);
	/* A fee that is too low is told first. */
	f.out[0].value = p.value + b.value - 1000;
	desk_slip(&d, &f, 0);
	ck_assert_str_eq(d.r.verdict.reject, "insufficient fee");
	ck_assert_uint_eq(desk_count(&d), 2);
}
END_TEST

START_TEST(a_replacement_must_fit)
{
	struct policy policy = policy_default;
	struct point p, q, a, b;

	desk_fini(&d);
	policy.cluster_count = 2;
	desk_init(&d, &policy);
	p = coin();
	q = coin();
	a = put(&p, 1000);
	b = put(&a, 1000);
	(void)b;
	put(&q, 1000);
	/* In conflict with the lone one, a second child of the first. */
	slip_easy(&f, &q);
	slip_easy(&f, &a);
	slip_pay(&f, 1000000, script_easy());
	/* With b gone, whose coin it spends, there are two again. */
	ck_assert_int_eq(desk_slip(&d, &f, MEMPOOL_TEST), TX_ACCEPTED);
	slip_fini(&f);
	slip_init(&f);
	slip_easy(&f, &q);
	slip_easy(&f, &b);
	slip_pay(&f, 1000000, script_easy());
	desk_slip(&d, &f, 0);
	desk_is(&d, TX_POLICY, "too-large-cluster", "");
	ck_assert_uint_eq(desk_count(&d), 3);
}
END_TEST

START_TEST(signalling_is_not_needed)
{
	struct point p = coin();

	slip_easy(&f, &p);
	f.in[0].sequence = 0xffffffff;
	slip_pay(&f, 999000, script_easy());
	ck_assert_int_eq(desk_slip(&d, &f, 0), TX_ACCEPTED);
	f.out[0].value = 990000;
	ck_assert_int_eq(desk_slip(&d, &f, 0), TX_ACCEPTED);
	ck_assert_uint_eq(d.r.n_replaced, 1);
}
END_TEST

/* Largest that weight allows: many inputs, each in conflict with a cluster of
 * its own. Nothing that it spends is looked for twice, and no more clusters are
 * touched than may be. */
START_TEST(one_in_conflict_with_everything_is_refused_at_once)
{
	enum { N = 1500 };
	struct point p;

	for (int i = 0; i < N; i++) {
		p = coin();
		put(&p, 100);
		slip_easy(&f, &p);
	}
	slip_pay(&f, 1000, script_easy());
	d.asked = 0;
	desk_slip(&d, &f, 0);
	ck_assert_str_eq(d.r.verdict.reject, "too many potential replacements");
	ck_assert_uint_eq(d.asked, N);
	ck_assert_uint_eq(desk_count(&d), N);
}
END_TEST

Suite *accept_replace_suite(void)
{
	Suite *s = suite_create("accept_replace");
	TCase *t = tcase_create("replace");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_replacement_pays_for_what_leaves);
	tcase_add_test(t, a_replacement_pays_for_its_way);
	tcase_add_test(t, a_diagram_that_is_no_better_is_refused);
	tcase_add_test(t, priorities_count_on_both_sides);
	tcase_add_test(t, a_hundred_clusters_may_be_replaced);
	tcase_add_test(t, more_clusters_are_too_many);
	tcase_add_test(t, many_of_one_cluster_are_one);
	tcase_add_test(t, what_is_replaced_may_not_be_spent);
	tcase_add_test(t, a_replacement_must_fit);
	tcase_add_test(t, signalling_is_not_needed);
	tcase_add_test(t, one_in_conflict_with_everything_is_refused_at_once);
	suite_add_tcase(s, t);
	return s;
}
