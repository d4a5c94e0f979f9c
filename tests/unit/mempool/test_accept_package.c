/* What several transactions are told that are offered together. */
#include "pack.h"
#include "suites.h"

#include <cairn/base/err.h>
#include <cairn/base/text.h>

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

static struct pack k;

static void setup(void)
{
	pack_init(&k);
}

static void teardown(void)
{
	pack_fini(&k);
}

/* Form. */

START_TEST(a_package_has_up_to_25)
{
	struct point p = pack_coin(&k);

	for (int i = 0; i < 26; i++)
		p = pack_add(&k, &p, 2, 1000);
	pack_offer(&k, MEMPOOL_TEST);
	pack_is(&k, "package-too-many-transactions", "");
	for (size_t i = 0; i < k.n; i++) {
		pack_one_is(&k, i, TX_NOT_JUDGED, "");
		ck_assert(!hash256_is_zero(&k.r[i].txid));
	}
	buf_unref(k.txs[--k.n]);
	pack_offer(&k, MEMPOOL_TEST);
	ck_assert(verdict_ok(&k.v));
	for (size_t i = 0; i < k.n; i++)
		pack_one_is(&k, i, TX_ACCEPTED, "");
	ck_assert_uint_eq(desk_count(&k.d), 0);
}
END_TEST

START_TEST(a_package_has_a_weight)
{
	struct point p = pack_coin(&k), q = pack_coin(&k);

	for (int a = 0; a < 2; a++) {
		slip_easy(&k.f, a ? &q : &p);
		slip_pay(&k.f, 1000, script_easy());
		for (int i = 0; i < 5050; i++)
			slip_pay(&k.f, 0, script_none());
		pack_slip(&k);
	}
	pack_offer(&k, MEMPOOL_TEST);
	pack_is(&k, "package-too-large", "");
	/* One alone is told of itself. */
	buf_unref(k.txs[--k.n]);
	pack_offer(&k, MEMPOOL_TEST);
	ck_assert(verdict_ok(&k.v));
	pack_forget(&k);
	slip_easy(&k.f, &p);
	for (int i = 0; i < 10100; i++)
		slip_pay(&k.f, 0, script_none());
	pack_slip(&k);
	pack_offer(&k, 0);
	pack_failed(&k, "transaction failed");
	pack_one_is(&k, 0, TX_NOT_STANDARD, "tx-size");
}
END_TEST

START_TEST(a_package_has_each_once)
{
	struct point p = pack_coin(&k);

	pack_add(&k, &p, 2, 1000);
	pack_add(&k, &p, 2, 1000);
	pack_offer(&k, MEMPOOL_TEST);
	pack_is(&k, "package-contains-duplicates", "");
}
END_TEST

START_TEST(parents_come_first)
{
	struct point p = pack_coin(&k);
	struct buf *b;

	p = pack_add(&k, &p, 2, 1000);
	pack_add(&k, &p, 2, 1000);
	b = k.txs[0];
	k.txs[0] = k.txs[1];
	k.txs[1] = b;
	pack_offer(&k, 0);
	pack_is(&k, "package-not-sorted", "");
}
END_TEST

START_TEST(a_package_spends_everything_once)
{
	struct point p = pack_coin(&k), q = pack_coin(&k);

	pack_add(&k, &p, 2, 1000);
	pack_add(&k, &p, 2, 2000);
	pack_offer(&k, MEMPOOL_TEST);
	pack_is(&k, "conflict-in-package", "");
	/* One that does so by itself is told for itself. */
	pack_forget(&k);
	slip_easy(&k.f, &p);
	slip_easy(&k.f, &p);
	slip_pay(&k.f, 1000, script_easy());
	pack_slip(&k);
	pack_add(&k, &q, 2, 1000);
	pack_offer(&k, MEMPOOL_TEST);
	pack_failed(&k, "transaction failed");
	pack_one_is(&k, 0, TX_CONSENSUS, "bad-txns-inputs-duplicate");
	pack_one_is(&k, 1, TX_NOT_JUDGED, "");
}
END_TEST

START_TEST(a_child_comes_with_its_parents_only)
{
	struct point p = pack_coin(&k), q = pack_coin(&k);

	p = pack_add(&k, &p, 2, 1000);
	pack_add(&k, &q, 2, 1000);
	pack_add(&k, &p, 2, 1000);
	pack_offer(&k, MEMPOOL_TEST);
	ck_assert(verdict_ok(&k.v));
	pack_offer(&k, 0);
	pack_is(&k, "package-not-child-with-parents", "");
	ck_assert_uint_eq(desk_count(&k.d), 0);
}
END_TEST

START_TEST(what_is_no_transaction_is_told)
{
	struct point p = pack_coin(&k);

	pack_add(&k, &p, 2, 1000);
	k.txs[k.n] = buf_new(4);
	memset(buf_data(k.txs[k.n]), 0, 4);
	k.txs[k.n++]->n = 4;
	pack_offer(&k, 0);
	ck_assert_int_eq(k.v.kind, V_UNKNOWN);
	ck_assert_int_eq(k.v.rc, E_PARSE);
	pack_one_is(&k, 0, TX_NOT_JUDGED, "");
	pack_one_is(&k, 1, TX_FAILED, "");
}
END_TEST

/* Judged only. */

START_TEST(a_chain_is_judged_on_what_it_makes)
{
	struct point p = pack_coin(&k);

	p = pack_add(&k, &p, 2, 1000);
	p = pack_add(&k, &p, 2, 2000);
	p.index = 1;
	pack_add(&k, &p, 2, 3000);
	pack_offer(&k, MEMPOOL_TEST);
	pack_failed(&k, "transaction failed");
	pack_one_is(&k, 0, TX_NOT_JUDGED, "");
	pack_one_is(&k, 2, TX_MISSING_INPUTS, "bad-txns-inputs-missingorspent");
	buf_unref(k.txs[--k.n]);
	pack_offer(&k, MEMPOOL_TEST);
	ck_assert(verdict_ok(&k.v));
	ck_assert_int_eq(k.r[1].fee, 2000);
	ck_assert_int_eq(k.r[1].chunk_fee, 2000);
	ck_assert_int_eq(k.r[1].chunk_vsize, 96);
	ck_assert_uint_eq(k.d.added, 0);
}
END_TEST

START_TEST(in_a_test_each_pays_for_itself)
{
	struct point p = pack_coin(&k);

	p = pack_add(&k, &p, 2, 0);
	pack_add(&k, &p, 2, 9000);
	pack_offer(&k, MEMPOOL_TEST);
	pack_failed(&k, "transaction failed");
	pack_one_is(&k, 0, TX_RECONSIDERABLE, "min relay fee not met");
}
END_TEST

START_TEST(in_a_test_nothing_is_replaced)
{
	struct point p = pack_coin(&k), q = pack_coin(&k);

	pack_put(&k, &p, 2, 1000);
	pack_add(&k, &p, 2, 9000);
	pack_add(&k, &q, 2, 1000);
	pack_offer(&k, MEMPOOL_TEST);
	pack_failed(&k, "transaction failed");
	pack_one_is(&k, 0, TX_POLICY, "bip125-replacement-disallowed");
}
END_TEST

START_TEST(a_script_that_fails_ends_a_test)
{
	static const uint8_t op_2 = 0x52;
	struct point p = pack_coin(&k), q = pack_coin(&k), s = pack_coin(&k);

	pack_add(&k, &p, 2, 1000);
	slip_from(&k.f, &q, 0);
	slip_item(&k.f, slice_of(&op_2, 1));
	slip_pay(&k.f, 1000, script_easy());
	pack_slip(&k);
	pack_add(&k, &s, 2, 1000);
	pack_offer(&k, MEMPOOL_TEST);
	pack_failed(&k, "transaction failed");
	pack_one_is(&k, 0, TX_ACCEPTED, "");
	pack_one_is(&k, 1, TX_NOT_STANDARD,
		    "mempool-script-verify-flag-failed (Witness program hash "
		    "mismatch)");
	pack_one_is(&k, 2, TX_NOT_JUDGED, "");
}
END_TEST

START_TEST(a_test_counts_the_cluster_of_all)
{
	struct policy policy = policy_default;
	struct point p;

	desk_fini(&k.d);
	policy.cluster_count = 3;
	desk_init(&k.d, &policy);
	p = pack_coin(&k);
	p = pack_put(&k, &p, 2, 1000);
	p = pack_add(&k, &p, 2, 1000);
	p = pack_add(&k, &p, 2, 1000);
	pack_offer(&k, MEMPOOL_TEST);
	ck_assert(verdict_ok(&k.v));
	pack_add(&k, &p, 2, 1000);
	pack_offer(&k, MEMPOOL_TEST);
	pack_is(&k, "too-large-cluster", "");
}
END_TEST

/* A child with its parents. */

START_TEST(a_child_pays_for_its_parent)
{
	struct point p = pack_coin(&k);

	p = pack_add(&k, &p, 2, 0);
	pack_add(&k, &p, 2, 1000);
	pack_offer(&k, 0);
	ck_assert(verdict_ok(&k.v));
	for (size_t i = 0; i < 2; i++) {
		pack_one_is(&k, i, TX_ACCEPTED, "");
		ck_assert_int_eq(k.r[i].fee, i ? 1000 : 0);
		ck_assert_int_eq(k.r[i].chunk_fee, 1000);
		ck_assert_int_eq(k.r[i].chunk_vsize, 192);
	}
	ck_assert_uint_eq(desk_count(&k.d), 2);
}
END_TEST

START_TEST(together_they_pay_the_minimum)
{
	struct point p = pack_coin(&k);

	p = pack_add(&k, &p, 2, 0);
	pack_add(&k, &p, 2, 19);
	pack_offer(&k, 0);
	pack_failed(&k, "transaction failed");
	pack_one_is(&k, 0, TX_RECONSIDERABLE, "min relay fee not met");
	ck_assert_str_eq(k.r[0].verdict.detail, "0 < 10");
	pack_one_is(&k, 1, TX_RECONSIDERABLE, "min relay fee not met");
	ck_assert_str_eq(k.r[1].verdict.detail, "19 < 20");
	ck_assert_int_eq(k.r[1].chunk_vsize, 192);
	buf_unref(k.txs[--k.n]);
	pack_add(&k, &p, 2, 20);
	pack_offer(&k, 0);
	ck_assert(verdict_ok(&k.v));
}
END_TEST

START_TEST(what_pays_for_itself_pays_for_nobody)
{
	struct point p = pack_coin(&k), q = pack_coin(&k), a, b;

	a = pack_add(&k, &p, 2, 5000);
	b = pack_add(&k, &q, 2, 0);
	slip_easy(&k.f, &a);
	slip_easy(&k.f, &b);
	slip_pay(&k.f, a.value + b.value, script_easy());
	pack_slip(&k);
	pack_offer(&k, 0);
	pack_failed(&k, "transaction failed");
	/* The rich one is in; the others pay too little together. */
	pack_one_is(&k, 0, TX_ACCEPTED, "");
	ck_assert_int_eq(k.r[0].chunk_vsize, 96);
	pack_one_is(&k, 1, TX_RECONSIDERABLE, "min relay fee not met");
	pack_one_is(&k, 2, TX_RECONSIDERABLE, "min relay fee not met");
	ck_assert_uint_eq(desk_count(&k.d), 1);
}
END_TEST

START_TEST(what_is_here_already_is_passed_over)
{
	struct point p = pack_coin(&k), q = pack_coin(&k), a, b;
	struct hash256 other;

	a = pack_add(&k, &p, 2, 1000);
	b = pack_add(&k, &q, 2, 0);
	slip_easy(&k.f, &a);
	slip_easy(&k.f, &b);
	slip_pay(&k.f, a.value + b.value - 1000, script_easy());
	pack_slip(&k);
	ck_assert_int_eq(desk_offer(&k.d, buf_ref(k.txs[0]), 0), TX_ACCEPTED);
	pack_offer(&k, 0);
	ck_assert(verdict_ok(&k.v));
	pack_one_is(&k, 0, TX_KEPT, "");
	ck_assert_int_eq(k.r[0].vsize, 96);
	ck_assert_int_eq(k.r[0].fee, 1000);
	ck_assert(hash256_is_zero(&k.r[0].other));
	pack_one_is(&k, 1, TX_ACCEPTED, "");
	ck_assert_int_eq(k.r[1].chunk_vsize, 96 + k.r[2].vsize);
	ck_assert_uint_eq(desk_count(&k.d), 3);
	/* Another witness of one that is here. */
	pack_forget(&k);
	p = desk_coin(&k.d, 1000000, script_anchor());
	slip_from(&k.f, &p, 0);
	slip_pay(&k.f, 999000, script_easy());
	ck_assert_int_eq(desk_slip(&k.d, &k.f, 0), TX_ACCEPTED);
	other = k.d.r.wtxid;
	slip_item(&k.f, script_none());
	a = pack_slip(&k);
	pack_add(&k, &a, 2, 1000);
	pack_offer(&k, 0);
	ck_assert(verdict_ok(&k.v));
	pack_one_is(&k, 0, TX_CONFLICT, "");
	ck_assert(hash256_eq(&k.r[0].other, &other));
	pack_one_is(&k, 1, TX_ACCEPTED, "");
}
END_TEST

START_TEST(a_hopeless_one_ends_it_after_all_were_tried)
{
	struct point p = pack_coin(&k), q = pack_coin(&k), a, b;

	k.f.version = 4;
	slip_easy(&k.f, &p);
	slip_pay(&k.f, 999000, script_easy());
	a = pack_slip(&k);
	b = pack_add(&k, &q, 2, 1000);
	slip_easy(&k.f, &a);
	slip_easy(&k.f, &b);
	slip_pay(&k.f, 1000, script_easy());
	pack_slip(&k);
	pack_offer(&k, 0);
	pack_failed(&k, "transaction failed");
	pack_one_is(&k, 0, TX_NOT_STANDARD, "version");
	pack_one_is(&k, 1, TX_ACCEPTED, "");
	pack_one_is(&k, 2, TX_MISSING_INPUTS, "bad-txns-inputs-missingorspent");
	ck_assert_uint_eq(desk_count(&k.d), 1);
}
END_TEST

START_TEST(a_child_that_pays_too_little_fails_behind_its_parent)
{
	struct point p = pack_coin(&k);

	p = pack_add(&k, &p, 2, 1000);
	pack_add(&k, &p, 2, 9);
	pack_offer(&k, 0);
	pack_failed(&k, "transaction failed");
	pack_one_is(&k, 0, TX_ACCEPTED, "");
	pack_one_is(&k, 1, TX_RECONSIDERABLE, "min relay fee not met");
	ck_assert_int_eq(k.r[1].chunk_vsize, 96);
	ck_assert_uint_eq(desk_count(&k.d), 1);
}
END_TEST

START_TEST(a_lone_one_is_told_for_itself)
{
	struct point p = pack_coin(&k);

	pack_add(&k, &p, 2, 0);
	pack_offer(&k, 0);
	ck_assert_uint_eq(k.d.asked, 1);
	pack_failed(&k, "transaction failed");
	pack_one_is(&k, 0, TX_RECONSIDERABLE, "min relay fee not met");
	buf_unref(k.txs[--k.n]);
	pack_add(&k, &p, 2, 1000);
	pack_offer(&k, 0);
	ck_assert(verdict_ok(&k.v));
	pack_one_is(&k, 0, TX_ACCEPTED, "");
}
END_TEST

START_TEST(nobody_pays_more_than_wanted)
{
	struct point p = pack_coin(&k);

	p = pack_add(&k, &p, 2, 0);
	pack_add(&k, &p, 2, 961);
	k.max_rate = 10000;
	pack_offer(&k, 0);
	pack_failed(&k, "transaction failed");
	pack_one_is(&k, 1, TX_POLICY, "max feerate exceeded");
	ck_assert_uint_eq(desk_count(&k.d), 0);
	buf_unref(k.txs[--k.n]);
	pack_add(&k, &p, 2, 960);
	pack_offer(&k, 0);
	ck_assert(verdict_ok(&k.v));
}
END_TEST

START_TEST(dust_is_spent_within_the_package)
{
	struct point p = pack_coin(&k), dust, rest;

	slip_easy(&k.f, &p);
	slip_pay(&k.f, 999999, script_easy());
	slip_pay(&k.f, 1, script_easy());
	dust = slip_point(&k.f, 1);
	rest = pack_slip(&k);
	pack_add(&k, &rest, 2, 5000);
	pack_offer(&k, 0);
	pack_failed(&k, "unspent-dust");
	pack_one_is(&k, 1, TX_POLICY, "missing-ephemeral-spends");
	ck_assert_uint_eq(desk_count(&k.d), 0);
	buf_unref(k.txs[--k.n]);
	slip_easy(&k.f, &rest);
	slip_easy(&k.f, &dust);
	slip_pay(&k.f, 990000, script_easy());
	pack_slip(&k);
	pack_offer(&k, 0);
	ck_assert(verdict_ok(&k.v));
	ck_assert_uint_eq(desk_count(&k.d), 2);
}
END_TEST

START_TEST(what_fails_together_changes_nothing)
{
	static const uint8_t op_2 = 0x52;
	struct point p = pack_coin(&k), a = pack_add(&k, &p, 2, 0);

	slip_from(&k.f, &a, 0);
	slip_item(&k.f, slice_of(&op_2, 1));
	slip_pay(&k.f, 900000, script_easy());
	pack_slip(&k);
	pack_offer(&k, 0);
	pack_failed(&k, "transaction failed");
	pack_one_is(&k, 0, TX_RECONSIDERABLE, "min relay fee not met");
	pack_one_is(&k, 1, TX_NOT_STANDARD,
		    "mempool-script-verify-flag-failed (Witness program hash "
		    "mismatch)");
	ck_assert_uint_eq(k.d.added, 0);
	/* Nor does the disk's failure. */
	k.d.fails = E_IO;
	pack_offer(&k, 0);
	pack_failed(&k, "transaction failed");
	pack_one_is(&k, 0, TX_FAILED, "");
	ck_assert_int_eq(k.r[0].verdict.rc, E_IO);
	ck_assert_uint_eq(k.d.added, 0);
}
END_TEST

Suite *accept_package_suite(void)
{
	Suite *s = suite_create("accept_package");
	TCase *t = tcase_create("package");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_package_has_up_to_25);
	tcase_add_test(t, a_package_has_a_weight);
	tcase_add_test(t, a_package_has_each_once);
	tcase_add_test(t, parents_come_first);
	tcase_add_test(t, a_package_spends_everything_once);
	tcase_add_test(t, a_child_comes_with_its_parents_only);
	tcase_add_test(t, what_is_no_transaction_is_told);
	tcase_add_test(t, a_chain_is_judged_on_what_it_makes);
	tcase_add_test(t, in_a_test_each_pays_for_itself);
	tcase_add_test(t, in_a_test_nothing_is_replaced);
	tcase_add_test(t, a_script_that_fails_ends_a_test);
	tcase_add_test(t, a_test_counts_the_cluster_of_all);
	tcase_add_test(t, a_child_pays_for_its_parent);
	tcase_add_test(t, together_they_pay_the_minimum);
	tcase_add_test(t, what_pays_for_itself_pays_for_nobody);
	tcase_add_test(t, what_is_here_already_is_passed_over);
	tcase_add_test(t, a_hopeless_one_ends_it_after_all_were_tried);
	tcase_add_test(t, a_child_that_pays_too_little_fails_behind_its_parent);
	tcase_add_test(t, a_lone_one_is_told_for_itself);
	tcase_add_test(t, nobody_pays_more_than_wanted);
	tcase_add_test(t, dust_is_spent_within_the_package);
	tcase_add_test(t, what_fails_together_changes_nothing);
	suite_add_tcase(s, t);
	return s;
}
