/* What several transactions are told that are offered together. */
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
static struct buf *txs[MEMPOOL_PACKAGE_MAX + 1];
static struct mempool_result r[MEMPOOL_PACKAGE_MAX + 1];
static size_t n;
static struct verdict v;
static int64_t max_rate;
static char want[VERDICT_DETAIL];

static void forget(void)
{
	for (size_t i = 0; i < n; i++)
		buf_unref(txs[i]);
	for (size_t i = 0; i < MEMPOOL_PACKAGE_MAX + 1; i++)
		mempool_result_fini(&r[i]);
	n = 0;
}

static void setup(void)
{
	desk_init(&d, NULL);
	slip_init(&f);
	max_rate = 0;
	n = 0;
}

static void teardown(void)
{
	forget();
	slip_fini(&f);
	desk_fini(&d);
}

static struct point coin(void)
{
	return desk_coin(&d, 1000000, script_easy());
}

static void offer(unsigned flags)
{
	for (size_t i = 0; i < MEMPOOL_PACKAGE_MAX + 1; i++)
		mempool_result_fini(&r[i]);
	v = mempool_accept_package(d.m, r, txs, n, max_rate, flags, DESK_NOW);
}

/* One more in the package; gives its first output. */
static struct point add(const struct point *p, int32_t version, int64_t fee)
{
	struct point out;

	txs[n++] = desk_pay(p, version, fee, &out);
	return out;
}

static struct point add_slip(void)
{
	struct point out = slip_point(&f, 0);

	txs[n++] = slip_buf(&f);
	slip_fini(&f);
	slip_init(&f);
	return out;
}

static struct point put(const struct point *p, int32_t version, int64_t fee)
{
	struct point out;

	ck_assert_int_eq(
	    desk_offer(&d, desk_pay_many(p, version, fee, 2, &out), 0),
	    TX_ACCEPTED);
	return out;
}

static void package_is(const char *reject, const char *detail)
{
	ck_assert_str_eq(v.reject, reject);
	ck_assert_str_eq(v.detail, detail);
	ck_assert_int_eq(v.reason, INV_CONSENSUS);
}

static void one_is(size_t i, enum tx_outcome why, const char *reject)
{
	ck_assert_int_eq(r[i].outcome, why);
	ck_assert_str_eq(r[i].verdict.reject, reject);
}

static void one_failed(const char *reject)
{
	ck_assert_str_eq(v.reject, reject);
	ck_assert_int_eq(v.kind, V_INVALID);
	ck_assert_int_eq(v.reason, INV_NONE);
}

/* Form. */

START_TEST(a_package_has_up_to_25)
{
	struct point p = coin();

	for (int i = 0; i < 26; i++)
		p = add(&p, 2, 1000);
	offer(MEMPOOL_TEST);
	package_is("package-too-many-transactions", "");
	for (size_t i = 0; i < n; i++) {
		one_is(i, TX_NOT_JUDGED, "");
		ck_assert(!hash256_is_zero(&r[i].txid));
	}
	buf_unref(txs[--n]);
	offer(MEMPOOL_TEST);
	ck_assert(verdict_ok(&v));
	for (size_t i = 0; i < n; i++)
		one_is(i, TX_ACCEPTED, "");
	ck_assert_uint_eq(desk_count(&d), 0);
}
END_TEST

START_TEST(a_package_has_a_weight)
{
	struct point p = coin(), q = coin();

	for (int k = 0; k < 2; k++) {
		slip_easy(&f, k ? &q : &p);
		slip_pay(&f, 1000, script_easy());
		for (int i = 0; i < 5050; i++)
			slip_pay(&f, 0, script_none());
		add_slip();
	}
	offer(MEMPOOL_TEST);
	package_is("package-too-large", "");
	/* One alone is told of itself. */
	buf_unref(txs[--n]);
	offer(MEMPOOL_TEST);
	ck_assert(verdict_ok(&v));
	forget();
	slip_easy(&f, &p);
	for (int i = 0; i < 10100; i++)
		slip_pay(&f, 0, script_none());
	add_slip();
	offer(0);
	one_failed("transaction failed");
	one_is(0, TX_NOT_STANDARD, "tx-size");
}
END_TEST

START_TEST(a_package_has_each_once)
{
	struct point p = coin();

	add(&p, 2, 1000);
	add(&p, 2, 1000);
	offer(MEMPOOL_TEST);
	package_is("package-contains-duplicates", "");
}
END_TEST

START_TEST(parents_come_first)
{
	struct point p = coin();
	struct buf *b;

	p = add(&p, 2, 1000);
	add(&p, 2, 1000);
	b = txs[0];
	txs[0] = txs[1];
	txs[1] = b;
	offer(0);
	package_is("package-not-sorted", "");
}
END_TEST

START_TEST(a_package_spends_everything_once)
{
	struct point p = coin(), q = coin();

	add(&p, 2, 1000);
	add(&p, 2, 2000);
	offer(MEMPOOL_TEST);
	package_is("conflict-in-package", "");
	/* One that does so by itself is told for itself. */
	forget();
	slip_easy(&f, &p);
	slip_easy(&f, &p);
	slip_pay(&f, 1000, script_easy());
	add_slip();
	add(&q, 2, 1000);
	offer(MEMPOOL_TEST);
	one_failed("transaction failed");
	one_is(0, TX_CONSENSUS, "bad-txns-inputs-duplicate");
	one_is(1, TX_NOT_JUDGED, "");
}
END_TEST

START_TEST(a_child_comes_with_its_parents_only)
{
	struct point p = coin(), q = coin();

	p = add(&p, 2, 1000);
	add(&q, 2, 1000);
	add(&p, 2, 1000);
	offer(MEMPOOL_TEST);
	ck_assert(verdict_ok(&v));
	offer(0);
	package_is("package-not-child-with-parents", "");
	ck_assert_uint_eq(desk_count(&d), 0);
}
END_TEST

START_TEST(what_is_no_transaction_is_told)
{
	struct point p = coin();

	add(&p, 2, 1000);
	txs[n] = buf_new(4);
	memset(buf_data(txs[n]), 0, 4);
	txs[n++]->n = 4;
	offer(0);
	ck_assert_int_eq(v.kind, V_UNKNOWN);
	ck_assert_int_eq(v.rc, E_PARSE);
	one_is(0, TX_NOT_JUDGED, "");
	one_is(1, TX_FAILED, "");
}
END_TEST

/* Judged only. */

START_TEST(a_chain_is_judged_on_what_it_makes)
{
	struct point p = coin();

	p = add(&p, 2, 1000);
	p = add(&p, 2, 2000);
	p.index = 1;
	add(&p, 2, 3000);
	offer(MEMPOOL_TEST);
	one_failed("transaction failed");
	one_is(0, TX_NOT_JUDGED, "");
	one_is(2, TX_MISSING_INPUTS, "bad-txns-inputs-missingorspent");
	buf_unref(txs[--n]);
	offer(MEMPOOL_TEST);
	ck_assert(verdict_ok(&v));
	ck_assert_int_eq(r[1].fee, 2000);
	ck_assert_int_eq(r[1].chunk_fee, 2000);
	ck_assert_int_eq(r[1].chunk_vsize, 96);
	ck_assert_uint_eq(d.added, 0);
}
END_TEST

START_TEST(in_a_test_each_pays_for_itself)
{
	struct point p = coin();

	p = add(&p, 2, 0);
	add(&p, 2, 9000);
	offer(MEMPOOL_TEST);
	one_failed("transaction failed");
	one_is(0, TX_RECONSIDERABLE, "min relay fee not met");
}
END_TEST

START_TEST(in_a_test_nothing_is_replaced)
{
	struct point p = coin(), q = coin();

	put(&p, 2, 1000);
	add(&p, 2, 9000);
	add(&q, 2, 1000);
	offer(MEMPOOL_TEST);
	one_failed("transaction failed");
	one_is(0, TX_POLICY, "bip125-replacement-disallowed");
}
END_TEST

START_TEST(a_script_that_fails_ends_a_test)
{
	static const uint8_t op_2 = 0x52;
	struct point p = coin(), q = coin(), s = coin();

	add(&p, 2, 1000);
	slip_from(&f, &q, 0);
	slip_item(&f, slice_of(&op_2, 1));
	slip_pay(&f, 1000, script_easy());
	add_slip();
	add(&s, 2, 1000);
	offer(MEMPOOL_TEST);
	one_failed("transaction failed");
	one_is(0, TX_ACCEPTED, "");
	one_is(1, TX_NOT_STANDARD,
	       "mempool-script-verify-flag-failed (Witness program hash "
	       "mismatch)");
	one_is(2, TX_NOT_JUDGED, "");
}
END_TEST

START_TEST(a_test_counts_the_cluster_of_all)
{
	struct policy policy = policy_default;
	struct point p;

	desk_fini(&d);
	policy.cluster_count = 3;
	desk_init(&d, &policy);
	p = coin();
	p = put(&p, 2, 1000);
	p = add(&p, 2, 1000);
	p = add(&p, 2, 1000);
	offer(MEMPOOL_TEST);
	ck_assert(verdict_ok(&v));
	add(&p, 2, 1000);
	offer(MEMPOOL_TEST);
	package_is("too-large-cluster", "");
}
END_TEST

/* A child with its parents. */

START_TEST(a_child_pays_for_its_parent)
{
	struct point p = coin();

	p = add(&p, 2, 0);
	add(&p, 2, 1000);
	offer(0);
	ck_assert(verdict_ok(&v));
	for (size_t i = 0; i < 2; i++) {
		one_is(i, TX_ACCEPTED, "");
		ck_assert_int_eq(r[i].fee, i ? 1000 : 0);
		ck_assert_int_eq(r[i].chunk_fee, 1000);
		ck_assert_int_eq(r[i].chunk_vsize, 192);
	}
	ck_assert_uint_eq(desk_count(&d), 2);
}
END_TEST

START_TEST(together_they_pay_the_minimum)
{
	struct point p = coin();

	p = add(&p, 2, 0);
	add(&p, 2, 19);
	offer(0);
	one_failed("transaction failed");
	one_is(0, TX_RECONSIDERABLE, "min relay fee not met");
	ck_assert_str_eq(r[0].verdict.detail, "0 < 10");
	one_is(1, TX_RECONSIDERABLE, "min relay fee not met");
	ck_assert_str_eq(r[1].verdict.detail, "19 < 20");
	ck_assert_int_eq(r[1].chunk_vsize, 192);
	buf_unref(txs[--n]);
	add(&p, 2, 20);
	offer(0);
	ck_assert(verdict_ok(&v));
}
END_TEST

START_TEST(what_pays_for_itself_pays_for_nobody)
{
	struct point p = coin(), q = coin(), a, b;

	a = add(&p, 2, 5000);
	b = add(&q, 2, 0);
	slip_easy(&f, &a);
	slip_easy(&f, &b);
	slip_pay(&f, a.value + b.value, script_easy());
	add_slip();
	offer(0);
	one_failed("transaction failed");
	/* The rich one is in; the others pay too little together. */
	one_is(0, TX_ACCEPTED, "");
	ck_assert_int_eq(r[0].chunk_vsize, 96);
	one_is(1, TX_RECONSIDERABLE, "min relay fee not met");
	one_is(2, TX_RECONSIDERABLE, "min relay fee not met");
	ck_assert_uint_eq(desk_count(&d), 1);
}
END_TEST

START_TEST(what_is_here_already_is_passed_over)
{
	struct point p = coin(), q = coin(), a, b;
	struct hash256 other;

	a = add(&p, 2, 1000);
	b = add(&q, 2, 0);
	slip_easy(&f, &a);
	slip_easy(&f, &b);
	slip_pay(&f, a.value + b.value - 1000, script_easy());
	add_slip();
	ck_assert_int_eq(desk_offer(&d, buf_ref(txs[0]), 0), TX_ACCEPTED);
	offer(0);
	ck_assert(verdict_ok(&v));
	one_is(0, TX_KEPT, "");
	ck_assert_int_eq(r[0].vsize, 96);
	ck_assert_int_eq(r[0].fee, 1000);
	ck_assert(hash256_is_zero(&r[0].other));
	one_is(1, TX_ACCEPTED, "");
	ck_assert_int_eq(r[1].chunk_vsize, 96 + r[2].vsize);
	ck_assert_uint_eq(desk_count(&d), 3);
	/* Another witness of one that is here. */
	forget();
	p = desk_coin(&d, 1000000, script_anchor());
	slip_from(&f, &p, 0);
	slip_pay(&f, 999000, script_easy());
	ck_assert_int_eq(desk_slip(&d, &f, 0), TX_ACCEPTED);
	other = d.r.wtxid;
	slip_item(&f, script_none());
	a = add_slip();
	add(&a, 2, 1000);
	offer(0);
	ck_assert(verdict_ok(&v));
	one_is(0, TX_CONFLICT, "");
	ck_assert(hash256_eq(&r[0].other, &other));
	one_is(1, TX_ACCEPTED, "");
}
END_TEST

START_TEST(a_hopeless_one_ends_it_after_all_were_tried)
{
	struct point p = coin(), q = coin(), a, b;

	f.version = 4;
	slip_easy(&f, &p);
	slip_pay(&f, 999000, script_easy());
	a = add_slip();
	b = add(&q, 2, 1000);
	slip_easy(&f, &a);
	slip_easy(&f, &b);
	slip_pay(&f, 1000, script_easy());
	add_slip();
	offer(0);
	one_failed("transaction failed");
	one_is(0, TX_NOT_STANDARD, "version");
	one_is(1, TX_ACCEPTED, "");
	one_is(2, TX_MISSING_INPUTS, "bad-txns-inputs-missingorspent");
	ck_assert_uint_eq(desk_count(&d), 1);
}
END_TEST

START_TEST(a_child_that_pays_too_little_fails_behind_its_parent)
{
	struct point p = coin();

	p = add(&p, 2, 1000);
	add(&p, 2, 9);
	offer(0);
	one_failed("transaction failed");
	one_is(0, TX_ACCEPTED, "");
	one_is(1, TX_RECONSIDERABLE, "min relay fee not met");
	ck_assert_int_eq(r[1].chunk_vsize, 96);
	ck_assert_uint_eq(desk_count(&d), 1);
}
END_TEST

START_TEST(a_lone_one_is_told_for_itself)
{
	struct point p = coin();

	add(&p, 2, 0);
	offer(0);
	ck_assert_uint_eq(d.asked, 1);
	one_failed("transaction failed");
	one_is(0, TX_RECONSIDERABLE, "min relay fee not met");
	buf_unref(txs[--n]);
	add(&p, 2, 1000);
	offer(0);
	ck_assert(verdict_ok(&v));
	one_is(0, TX_ACCEPTED, "");
}
END_TEST

START_TEST(nobody_pays_more_than_wanted)
{
	struct point p = coin();

	p = add(&p, 2, 0);
	add(&p, 2, 961);
	max_rate = 10000;
	offer(0);
	one_failed("transaction failed");
	one_is(1, TX_POLICY, "max feerate exceeded");
	ck_assert_uint_eq(desk_count(&d), 0);
	buf_unref(txs[--n]);
	add(&p, 2, 960);
	offer(0);
	ck_assert(verdict_ok(&v));
}
END_TEST

START_TEST(dust_is_spent_within_the_package)
{
	struct point p = coin(), dust, rest;

	slip_easy(&f, &p);
	slip_pay(&f, 999999, script_easy());
	slip_pay(&f, 1, script_easy());
	dust = slip_point(&f, 1);
	rest = add_slip();
	add(&rest, 2, 5000);
	offer(0);
	one_failed("unspent-dust");
	one_is(1, TX_POLICY, "missing-ephemeral-spends");
	ck_assert_uint_eq(desk_count(&d), 0);
	buf_unref(txs[--n]);
	slip_easy(&f, &rest);
	slip_easy(&f, &dust);
	slip_pay(&f, 990000, script_easy());
	add_slip();
	offer(0);
	ck_assert(verdict_ok(&v));
	ck_assert_uint_eq(desk_count(&d), 2);
}
END_TEST

START_TEST(what_fails_together_changes_nothing)
{
	static const uint8_t op_2 = 0x52;
	struct point p = coin(), a = add(&p, 2, 0);

	slip_from(&f, &a, 0);
	slip_item(&f, slice_of(&op_2, 1));
	slip_pay(&f, 900000, script_easy());
	add_slip();
	offer(0);
	one_failed("transaction failed");
	one_is(0, TX_RECONSIDERABLE, "min relay fee not met");
	one_is(1, TX_NOT_STANDARD,
	       "mempool-script-verify-flag-failed (Witness program hash "
	       "mismatch)");
	ck_assert_uint_eq(d.added, 0);
	/* Nor does the disk's failure. */
	d.fails = E_IO;
	offer(0);
	one_failed("transaction failed");
	one_is(0, TX_FAILED, "");
	ck_assert_int_eq(r[0].verdict.rc, E_IO);
	ck_assert_uint_eq(d.added, 0);
}
END_TEST

/* Version 3. */

static const char *name(size_t i)
{
	static char dst[200];
	char a[HASH256_STR], b[HASH256_STR];

	snprintf(dst, sizeof dst, "%s (wtxid=%s)", hash256_fmt(a, &r[i].txid),
		 hash256_fmt(b, &r[i].wtxid));
	return dst;
}

START_TEST(version_3_has_no_grandchild_in_a_package)
{
	struct point p = coin();

	p = add(&p, 3, 1000);
	p = add(&p, 3, 1000);
	add(&p, 3, 1000);
	offer(MEMPOOL_TEST);
	snprintf(want, sizeof want, "tx %s would have too many ancestors",
		 name(2));
	package_is("TRUC-violation", want);
	for (size_t i = 0; i < n; i++)
		one_is(i, TX_NOT_JUDGED, "");
}
END_TEST

START_TEST(version_3_has_one_child_in_a_package)
{
	struct point p = coin(), a;

	slip_easy(&f, &p);
	f.version = 3;
	slip_pay(&f, 500000, script_easy());
	slip_pay(&f, 499000, script_easy());
	a = add_slip();
	add(&a, 3, 1000);
	a.index = 1;
	a.value = 499000;
	add(&a, 3, 1000);
	offer(MEMPOOL_TEST);
	snprintf(want, sizeof want, "tx %s would exceed descendant count limit",
		 name(0));
	package_is("TRUC-violation", want);
}
END_TEST

START_TEST(version_3_has_one_parent_in_a_package)
{
	struct point p = coin(), q = coin(), a = add(&p, 3, 1000),
		     b = add(&q, 3, 1000);

	slip_easy(&f, &a);
	slip_easy(&f, &b);
	f.version = 3;
	slip_pay(&f, 500000, script_easy());
	add_slip();
	offer(MEMPOOL_TEST);
	snprintf(want, sizeof want, "tx %s would have too many ancestors",
		 name(2));
	package_is("TRUC-violation", want);
}
END_TEST

START_TEST(versions_do_not_mix_in_a_package)
{
	struct point p = coin(), q = coin(), a = add(&p, 3, 1000);
	int k;

	add(&a, 2, 1000);
	offer(MEMPOOL_TEST);
	k = snprintf(want, sizeof want,
		     "non-version=3 tx %s cannot spend from ", name(1));
	snprintf(want + k, sizeof want - (size_t)k, "version=3 tx %s", name(0));
	package_is("TRUC-violation", want);
	forget();
	a = add(&q, 2, 1000);
	add(&a, 3, 1000);
	offer(MEMPOOL_TEST);
	k = snprintf(want, sizeof want, "version=3 tx %s cannot spend from ",
		     name(1));
	snprintf(want + k, sizeof want - (size_t)k, "non-version=3 tx %s",
		 name(0));
	package_is("TRUC-violation", want);
}
END_TEST

START_TEST(a_child_of_version_3_is_small_in_a_package)
{
	struct point p = coin(), a = add(&p, 3, 1000);

	slip_easy(&f, &a);
	f.version = 3;
	for (int i = 0; i < 100; i++)
		slip_pay(&f, i ? 0 : 900000, script_none());
	f.out[0].script = script_easy();
	add_slip();
	offer(MEMPOOL_TEST);
	snprintf(want, sizeof want,
		 "version=3 child tx %s is too big: 1086 > 1000 virtual bytes",
		 name(1));
	package_is("TRUC-violation", want);
}
END_TEST

START_TEST(in_a_package_no_sibling_is_evicted)
{
	struct point p = coin(), q = coin(), a = put(&p, 3, 1000), other = a;

	put(&a, 3, 1000);
	other.index = 1;
	add(&other, 3, 90000);
	add(&q, 2, 1000);
	offer(MEMPOOL_TEST);
	one_failed("transaction failed");
	one_is(0, TX_POLICY, "TRUC-violation");
}
END_TEST

START_TEST(a_parent_in_the_pool_counts_with_one_in_the_package)
{
	struct point p = coin(), q = coin(), a = put(&p, 3, 1000), b;

	b = add(&q, 3, 0);
	slip_easy(&f, &a);
	slip_easy(&f, &b);
	f.version = 3;
	slip_pay(&f, 1000, script_easy());
	add_slip();
	offer(0);
	snprintf(want, sizeof want, "tx %s would have too many ancestors",
		 name(1));
	package_is("TRUC-violation", want);
	one_is(0, TX_RECONSIDERABLE, "min relay fee not met");
	one_is(1, TX_MISSING_INPUTS, "bad-txns-inputs-missingorspent");
}
END_TEST

/* Replacement. */

START_TEST(a_pair_replaces)
{
	struct point p = coin(), a;

	put(&p, 2, 1000);
	a = add(&p, 2, 0);
	add(&a, 2, 3000);
	offer(0);
	ck_assert_str_eq(v.reject, "");
	one_is(0, TX_ACCEPTED, "");
	one_is(1, TX_ACCEPTED, "");
	ck_assert_uint_eq(r[0].n_replaced + r[1].n_replaced, 1);
	ck_assert_uint_eq(d.replaced, 1);
	ck_assert_uint_eq(desk_count(&d), 2);
}
END_TEST

START_TEST(a_pair_pays_for_what_leaves_and_its_way)
{
	struct point p = coin(), a;
	char hex[HASH256_STR];

	put(&p, 2, 1000);
	a = add(&p, 2, 0);
	add(&a, 2, 1019);
	offer(0);
	snprintf(want, sizeof want,
		 "rejecting replacement %s, not enough additional fees to "
		 "relay; 0.00000019 < 0.0000002",
		 hash256_fmt(hex, &r[1].txid));
	package_is("package RBF failed: insufficient anti-DoS fees", want);
	one_is(0, TX_RECONSIDERABLE, "min relay fee not met");
	one_is(1, TX_MISSING_INPUTS, "bad-txns-inputs-missingorspent");
	buf_unref(txs[--n]);
	/* Enough, but at a lower rate. */
	add(&a, 2, 1020);
	offer(0);
	package_is("package RBF failed: insufficient feerate: does not improve "
		   "feerate diagram",
		   "");
	ck_assert_uint_eq(desk_count(&d), 1);
}
END_TEST

START_TEST(a_child_must_lift_its_parent)
{
	struct point p = coin(), a;

	put(&p, 2, 1000);
	a = add(&p, 2, 900);
	add(&a, 2, 900);
	offer(0);
	package_is("package RBF failed: package feerate is less than or equal "
		   "to parent feerate",
		   "package feerate 0.00009375 BTC/kvB <= parent feerate is "
		   "0.00009375 BTC/kvB");
}
END_TEST

START_TEST(only_pairs_replace)
{
	struct point p = coin(), q = coin(), a, b;

	put(&p, 2, 1000);
	a = add(&p, 2, 0);
	b = add(&q, 2, 0);
	slip_easy(&f, &a);
	slip_easy(&f, &b);
	slip_pay(&f, 1000, script_easy());
	add_slip();
	offer(0);
	package_is("package RBF failed: package must be 1-parent-1-child", "");
}
END_TEST

START_TEST(a_pair_that_replaces_has_no_parents_in_the_pool)
{
	struct point p = coin(), q = coin(), a, b;

	put(&p, 2, 1000);
	b = put(&q, 2, 1000);
	a = add(&p, 2, 0);
	slip_easy(&f, &a);
	slip_easy(&f, &b);
	slip_pay(&f, 1000, script_easy());
	add_slip();
	offer(0);
	package_is("package RBF failed: new transaction cannot have mempool "
		   "ancestors",
		   "");
}
END_TEST

START_TEST(a_pair_takes_from_a_hundred_clusters)
{
	struct point p = coin(), a, from[101];
	char hex[HASH256_STR];

	for (int i = 0; i < 101; i++) {
		from[i] = coin();
		put(&from[i], 2, 100);
	}
	a = add(&p, 2, 0);
	slip_easy(&f, &a);
	for (int i = 0; i < 101; i++)
		slip_easy(&f, &from[i]);
	slip_pay(&f, 1000, script_easy());
	add_slip();
	offer(0);
	snprintf(want, sizeof want,
		 "rejecting replacement %s; too many conflicting clusters (101 "
		 "> 100)",
		 hash256_fmt(hex, &r[1].txid));
	package_is("package RBF failed: too many potential replacements", want);
	ck_assert_uint_eq(desk_count(&d), 101);
}
END_TEST

START_TEST(a_full_pool_drops_what_it_was_offered)
{
	struct mempool_stats st;
	struct point p, low;

	desk_fini(&d);
	desk_init_sized(&d, NULL, 20000);
	do {
		p = coin();
		put(&p, 2, 90000);
		mempool_stats(d.m, &st, DESK_NOW);
	} while (st.usage < 18000);
	ck_assert_uint_eq(d.removed, 0);
	p = coin();
	low = add(&p, 2, 0);
	slip_easy(&f, &low);
	for (int k = 0; k < 400; k++)
		slip_pay(&f, k ? 0 : 990000, k ? script_none() : script_easy());
	add_slip();
	offer(0);
	one_failed("transaction failed");
	one_is(0, TX_POLICY, "mempool full");
	one_is(1, TX_POLICY, "mempool full");
	ck_assert_uint_eq(desk_count(&d), st.n);
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
