/* Packages of version 3, and those that take the place of others. */
#include "pack.h"
#include "suites.h"

#include <cairn/base/err.h>
#include <cairn/base/text.h>

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

static struct pack k;
static char want[VERDICT_DETAIL];

static void setup(void)
{
	pack_init(&k);
}

static void teardown(void)
{
	pack_fini(&k);
}

/* Version 3. */

static const char *name(size_t i)
{
	static char dst[200];
	char a[HASH256_STR], b[HASH256_STR];

	snprintf(dst, sizeof dst, "%s (wtxid=%s)", hash256_fmt(a, &k.r[i].txid),
		 hash256_fmt(b, &k.r[i].wtxid));
	return dst;
}

START_TEST(version_3_has_no_grandchild_in_a_package)
{
	struct point p = pack_coin(&k);

	p = pack_add(&k, &p, 3, 1000);
	p = pack_add(&k, &p, 3, 1000);
	pack_add(&k, &p, 3, 1000);
	pack_offer(&k, MEMPOOL_TEST);
	snprintf(want, sizeof want, "tx %s would have too many ancestors",
		 name(2));
	pack_is(&k, "TRUC-violation", want);
	for (size_t i = 0; i < k.n; i++)
		pack_one_is(&k, i, TX_NOT_JUDGED, "");
}
END_TEST

START_TEST(version_3_has_one_child_in_a_package)
{
	struct point p = pack_coin(&k), a;

	slip_easy(&k.f, &p);
	k.f.version = 3;
	slip_pay(&k.f, 500000, script_easy());
	slip_pay(&k.f, 499000, script_easy());
	a = pack_slip(&k);
	pack_add(&k, &a, 3, 1000);
	a.index = 1;
	a.value = 499000;
	pack_add(&k, &a, 3, 1000);
	pack_offer(&k, MEMPOOL_TEST);
	snprintf(want, sizeof want, "tx %s would exceed descendant count limit",
		 name(0));
	pack_is(&k, "TRUC-violation", want);
}
END_TEST

START_TEST(version_3_has_one_parent_in_a_package)
{
	struct point p = pack_coin(&k), q = pack_coin(&k),
		     a = pack_add(&k, &p, 3, 1000),
		     b = pack_add(&k, &q, 3, 1000);

	slip_easy(&k.f, &a);
	slip_easy(&k.f, &b);
	k.f.version = 3;
	slip_pay(&k.f, 500000, script_easy());
	pack_slip(&k);
	pack_offer(&k, MEMPOOL_TEST);
	snprintf(want, sizeof want, "tx %s would have too many ancestors",
		 name(2));
	pack_is(&k, "TRUC-violation", want);
}
END_TEST

START_TEST(versions_do_not_mix_in_a_package)
{
	struct point p = pack_coin(&k), q = pack_coin(&k),
		     a = pack_add(&k, &p, 3, 1000);
	int at;

	pack_add(&k, &a, 2, 1000);
	pack_offer(&k, MEMPOOL_TEST);
	at = snprintf(want, sizeof want,
		      "non-version=3 tx %s cannot spend from ", name(1));
	snprintf(want + at, sizeof want - (size_t)at, "version=3 tx %s",
		 name(0));
	pack_is(&k, "TRUC-violation", want);
	pack_forget(&k);
	a = pack_add(&k, &q, 2, 1000);
	pack_add(&k, &a, 3, 1000);
	pack_offer(&k, MEMPOOL_TEST);
	at = snprintf(want, sizeof want, "version=3 tx %s cannot spend from ",
		      name(1));
	snprintf(want + at, sizeof want - (size_t)at, "non-version=3 tx %s",
		 name(0));
	pack_is(&k, "TRUC-violation", want);
}
END_TEST

START_TEST(a_child_of_version_3_is_small_in_a_package)
{
	struct point p = pack_coin(&k), a = pack_add(&k, &p, 3, 1000);

	slip_easy(&k.f, &a);
	k.f.version = 3;
	for (int i = 0; i < 100; i++)
		slip_pay(&k.f, i ? 0 : 900000, script_none());
	k.f.out[0].script = script_easy();
	pack_slip(&k);
	pack_offer(&k, MEMPOOL_TEST);
	snprintf(want, sizeof want,
		 "version=3 child tx %s is too big: 1086 > 1000 virtual bytes",
		 name(1));
	pack_is(&k, "TRUC-violation", want);
}
END_TEST

START_TEST(in_a_package_no_sibling_is_evicted)
{
	struct point p = pack_coin(&k), q = pack_coin(&k),
		     a = pack_put(&k, &p, 3, 1000), other = a;

	pack_put(&k, &a, 3, 1000);
	other.index = 1;
	pack_add(&k, &other, 3, 90000);
	pack_add(&k, &q, 2, 1000);
	pack_offer(&k, MEMPOOL_TEST);
	pack_failed(&k, "transaction failed");
	pack_one_is(&k, 0, TX_POLICY, "TRUC-violation");
}
END_TEST

START_TEST(a_parent_in_the_pool_counts_with_one_in_the_package)
{
	struct point p = pack_coin(&k), q = pack_coin(&k),
		     a = pack_put(&k, &p, 3, 1000), b;

	b = pack_add(&k, &q, 3, 0);
	slip_easy(&k.f, &a);
	slip_easy(&k.f, &b);
	k.f.version = 3;
	slip_pay(&k.f, 1000, script_easy());
	pack_slip(&k);
	pack_offer(&k, 0);
	snprintf(want, sizeof want, "tx %s would have too many ancestors",
		 name(1));
	pack_is(&k, "TRUC-violation", want);
	pack_one_is(&k, 0, TX_RECONSIDERABLE, "min relay fee not met");
	pack_one_is(&k, 1, TX_MISSING_INPUTS, "bad-txns-inputs-missingorspent");
}
END_TEST

/* Replacement. */

START_TEST(a_pair_replaces)
{
	struct point p = pack_coin(&k), a;

	pack_put(&k, &p, 2, 1000);
	a = pack_add(&k, &p, 2, 0);
	pack_add(&k, &a, 2, 3000);
	pack_offer(&k, 0);
	ck_assert_str_eq(k.v.reject, "");
	pack_one_is(&k, 0, TX_ACCEPTED, "");
	pack_one_is(&k, 1, TX_ACCEPTED, "");
	ck_assert_uint_eq(k.r[0].n_replaced + k.r[1].n_replaced, 1);
	ck_assert_uint_eq(k.d.replaced, 1);
	ck_assert_uint_eq(desk_count(&k.d), 2);
}
END_TEST

START_TEST(a_pair_pays_for_what_leaves_and_its_way)
{
	struct point p = pack_coin(&k), a;
	char hex[HASH256_STR];

	pack_put(&k, &p, 2, 1000);
	a = pack_add(&k, &p, 2, 0);
	pack_add(&k, &a, 2, 1019);
	pack_offer(&k, 0);
	snprintf(want, sizeof want,
		 "rejecting replacement %s, not enough additional fees to "
		 "relay; 0.00000019 < 0.0000002",
		 hash256_fmt(hex, &k.r[1].txid));
	pack_is(&k, "package RBF failed: insufficient anti-DoS fees", want);
	pack_one_is(&k, 0, TX_RECONSIDERABLE, "min relay fee not met");
	pack_one_is(&k, 1, TX_MISSING_INPUTS, "bad-txns-inputs-missingorspent");
	buf_unref(k.txs[--k.n]);
	/* Enough, but at a lower rate. */
	pack_add(&k, &a, 2, 1020);
	pack_offer(&k, 0);
	pack_is(&k,
		"package RBF failed: insufficient feerate: does not improve "
		"feerate diagram",
		"");
	ck_assert_uint_eq(desk_count(&k.d), 1);
}
END_TEST

START_TEST(a_child_must_lift_its_parent)
{
	struct point p = pack_coin(&k), a;

	pack_put(&k, &p, 2, 1000);
	a = pack_add(&k, &p, 2, 900);
	pack_add(&k, &a, 2, 900);
	pack_offer(&k, 0);
	pack_is(&k,
		"package RBF failed: package feerate is less than or equal "
		"to parent feerate",
		"package feerate 0.00009375 BTC/kvB <= parent feerate is "
		"0.00009375 BTC/kvB");
}
END_TEST

START_TEST(only_pairs_replace)
{
	struct point p = pack_coin(&k), q = pack_coin(&k), a, b;

	pack_put(&k, &p, 2, 1000);
	a = pack_add(&k, &p, 2, 0);
	b = pack_add(&k, &q, 2, 0);
	slip_easy(&k.f, &a);
	slip_easy(&k.f, &b);
	slip_pay(&k.f, 1000, script_easy());
	pack_slip(&k);
	pack_offer(&k, 0);
	pack_is(&k, "package RBF failed: package must be 1-parent-1-child", "");
}
END_TEST

START_TEST(a_pair_that_replaces_has_no_parents_in_the_pool)
{
	struct point p = pack_coin(&k), q = pack_coin(&k), a, b;

	pack_put(&k, &p, 2, 1000);
	b = pack_put(&k, &q, 2, 1000);
	a = pack_add(&k, &p, 2, 0);
	slip_easy(&k.f, &a);
	slip_easy(&k.f, &b);
	slip_pay(&k.f, 1000, script_easy());
	pack_slip(&k);
	pack_offer(&k, 0);
	pack_is(&k,
		"package RBF failed: new transaction cannot have mempool "
		"ancestors",
		"");
}
END_TEST

START_TEST(a_pair_takes_from_a_hundred_clusters)
{
	struct point p = pack_coin(&k), a, from[101];
	char hex[HASH256_STR];

	for (int i = 0; i < 101; i++) {
		from[i] = pack_coin(&k);
		pack_put(&k, &from[i], 2, 100);
	}
	a = pack_add(&k, &p, 2, 0);
	slip_easy(&k.f, &a);
	for (int i = 0; i < 101; i++)
		slip_easy(&k.f, &from[i]);
	slip_pay(&k.f, 1000, script_easy());
	pack_slip(&k);
	pack_offer(&k, 0);
	snprintf(want, sizeof want,
		 "rejecting replacement %s; too many conflicting clusters (101 "
		 "> 100)",
		 hash256_fmt(hex, &k.r[1].txid));
	pack_is(&k, "package RBF failed: too many potential replacements",
		want);
	ck_assert_uint_eq(desk_count(&k.d), 101);
}
END_TEST

START_TEST(a_full_pool_drops_what_it_was_offered)
{
	struct mempool_stats st;
	struct point p, low;

	desk_fini(&k.d);
	desk_init_sized(&k.d, NULL, 20000);
	do {
		p = pack_coin(&k);
		pack_put(&k, &p, 2, 90000);
		mempool_stats(k.d.m, &st, DESK_NOW);
	} while (st.usage < 18000);
	ck_assert_uint_eq(k.d.removed, 0);
	p = pack_coin(&k);
	low = pack_add(&k, &p, 2, 0);
	slip_easy(&k.f, &low);
	for (int i = 0; i < 400; i++)
		slip_pay(&k.f, i ? 0 : 990000,
			 i ? script_none() : script_easy());
	pack_slip(&k);
	pack_offer(&k, 0);
	pack_failed(&k, "transaction failed");
	pack_one_is(&k, 0, TX_POLICY, "mempool full");
	pack_one_is(&k, 1, TX_POLICY, "mempool full");
	ck_assert_uint_eq(desk_count(&k.d), st.n);
}
END_TEST

Suite *accept_family_suite(void)
{
	Suite *s = suite_create("accept_family");
	TCase *t = tcase_create("package");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, version_3_has_no_grandchild_in_a_package);
	tcase_add_test(t, version_3_has_one_child_in_a_package);
	tcase_add_test(t, version_3_has_one_parent_in_a_package);
	tcase_add_test(t, versions_do_not_mix_in_a_package);
	tcase_add_test(t, a_child_of_version_3_is_small_in_a_package);
	tcase_add_test(t, in_a_package_no_sibling_is_evicted);
	tcase_add_test(t, a_parent_in_the_pool_counts_with_one_in_the_package);
	tcase_add_test(t, a_pair_replaces);
	tcase_add_test(t, a_pair_pays_for_what_leaves_and_its_way);
	tcase_add_test(t, a_child_must_lift_its_parent);
	tcase_add_test(t, only_pairs_replace);
	tcase_add_test(t, a_pair_that_replaces_has_no_parents_in_the_pool);
	tcase_add_test(t, a_pair_takes_from_a_hundred_clusters);
	tcase_add_test(t, a_full_pool_drops_what_it_was_offered);
	suite_add_tcase(s, t);
	return s;
}
