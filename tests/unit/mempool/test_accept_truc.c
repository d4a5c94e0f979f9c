/* Transactions of version 3, and dust that a child spends. */
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
	f.version = 3;
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

/* Two outputs, so that there may be siblings. */
static struct point put(const struct point *p, int32_t version, int64_t fee)
{
	struct point out;

	ck_assert_int_eq(
	    desk_offer(&d, desk_pay_many(p, version, fee, 2, &out), 0),
	    TX_ACCEPTED);
	return out;
}

static const char *name(void)
{
	static char dst[200];
	char a[HASH256_STR], b[HASH256_STR];

	snprintf(dst, sizeof dst, "%s (wtxid=%s)", hash256_fmt(a, &d.r.txid),
		 hash256_fmt(b, &d.r.wtxid));
	return dst;
}

static const char *name_of(const struct point *p)
{
	static char dst[200];
	char a[HASH256_STR], b[HASH256_STR];
	const struct mempool_tx *t = mempool_find(d.m, &p->txid);

	snprintf(dst, sizeof dst, "%s (wtxid=%s)", hash256_fmt(a, &t->txid),
		 hash256_fmt(b, &t->wtxid));
	return dst;
}

START_TEST(versions_do_not_mix)
{
	struct point p = coin(), q = coin(), old = put(&p, 2, 1000),
		     new = put(&q, 3, 1000);

	desk_offer(&d, desk_pay(&old, 3, 1000, NULL), 0);
	snprintf(want, sizeof want,
		 "version=3 tx %s cannot spend from non-version=3 tx %s",
		 name(), name_of(&old));
	desk_is(&d, TX_POLICY, "TRUC-violation", want);
	desk_offer(&d, desk_pay(&new, 2, 1000, NULL), 0);
	snprintf(want, sizeof want,
		 "non-version=3 tx %s cannot spend from version=3 tx %s",
		 name(), name_of(&new));
	desk_is(&d, TX_POLICY, "TRUC-violation", want);
	/* From a block they may. */
	ck_assert_int_eq(
	    desk_offer(&d, desk_pay(&new, 2, 1000, NULL), MEMPOOL_TAKEN_OFF),
	    TX_ACCEPTED);
}
END_TEST

START_TEST(of_several_parents_the_first_by_txid_is_named)
{
	struct point p = coin(), q = coin(), a = put(&p, 3, 1000),
		     b = put(&q, 3, 1000), first = a;

	if (memcmp(b.txid.b, a.txid.b, 32) < 0)
		first = b;
	for (int i = 0; i < 2; i++) {
		slip_fini(&f);
		slip_init(&f);
		slip_easy(&f, i ? &a : &b);
		slip_easy(&f, i ? &b : &a);
		slip_pay(&f, 100000, script_easy());
		desk_slip(&d, &f, 0);
		snprintf(
		    want, sizeof want,
		    "non-version=3 tx %s cannot spend from version=3 tx %s",
		    name(), name_of(&first));
		desk_is(&d, TX_POLICY, "TRUC-violation", want);
	}
}
END_TEST

/* Spends p and has size virtual bytes: outputs of 10 bytes, and one that takes
 * what is left. */
static void sized(const struct point *p, int64_t size)
{
	static const uint8_t data[64] = {0x6a};
	size_t rest;

	slip_easy(&f, p);
	slip_pay(&f, p->value - 20000, script_easy());
	desk_slip(&d, &f, MEMPOOL_TEST | MEMPOOL_TAKEN_OFF);
	ck_assert_int_eq(d.r.outcome, TX_ACCEPTED);
	rest = (size_t)(size - d.r.vsize);
	/* The count of outputs takes three bytes from 253 on. */
	if (rest > 2600)
		rest -= 2;
	for (; rest >= 40; rest -= 10)
		slip_pay(&f, 0, slice_of(data, 1));
	slip_pay(&f, 0, slice_of(data, rest - 9));
	desk_slip(&d, &f, MEMPOOL_TEST | MEMPOOL_TAKEN_OFF);
	ck_assert_int_eq(d.r.vsize, size);
}

START_TEST(ten_thousand_virtual_bytes_are_the_most)
{
	struct point p = coin();

	sized(&p, 10001);
	desk_slip(&d, &f, 0);
	snprintf(want, sizeof want,
		 "version=3 tx %s is too big: 10001 > 10000 virtual bytes",
		 name());
	desk_is(&d, TX_POLICY, "TRUC-violation", want);
	teardown();
	setup();
	p = coin();
	sized(&p, 10000);
	ck_assert_int_eq(desk_slip(&d, &f, 0), TX_ACCEPTED);
}
END_TEST

START_TEST(a_child_has_a_thousand_virtual_bytes)
{
	struct point p = coin(), a = put(&p, 3, 1000);

	sized(&a, 1001);
	desk_slip(&d, &f, 0);
	snprintf(want, sizeof want,
		 "version=3 child tx %s is too big: 1001 > 1000 virtual bytes",
		 name());
	desk_is(&d, TX_POLICY, "TRUC-violation", want);
	slip_fini(&f);
	slip_init(&f);
	f.version = 3;
	sized(&a, 1000);
	ck_assert_int_eq(desk_slip(&d, &f, 0), TX_ACCEPTED);
}
END_TEST

START_TEST(there_is_one_ancestor)
{
	struct point p = coin(), q = coin(), a = put(&p, 3, 1000),
		     b = put(&q, 3, 1000), c;

	slip_easy(&f, &a);
	slip_easy(&f, &b);
	slip_pay(&f, 100000, script_easy());
	desk_slip(&d, &f, 0);
	snprintf(want, sizeof want, "tx %s would have too many ancestors",
		 name());
	desk_is(&d, TX_POLICY, "TRUC-violation", want);
	c = put(&a, 3, 1000);
	desk_offer(&d, desk_pay(&c, 3, 1000, NULL), 0);
	snprintf(want, sizeof want, "tx %s would have too many ancestors",
		 name());
	desk_is(&d, TX_POLICY, "TRUC-violation", want);
}
END_TEST

START_TEST(a_sibling_is_replaced)
{
	struct point p = coin(), a = put(&p, 3, 1000), other = a;
	char hex[HASH256_STR];
	struct hash256 first;

	other.index = 1;
	put(&a, 3, 1000);
	first = d.r.txid;
	desk_offer(&d, desk_pay(&other, 3, 500, NULL), 0);
	snprintf(want, sizeof want,
		 "rejecting replacement %s, less fees than conflicting txs; "
		 "0.000005 < 0.00001",
		 hash256_fmt(hex, &d.r.txid));
	desk_is(&d, TX_RECONSIDERABLE,
		"insufficient fee (including sibling eviction)", want);
	ck_assert_int_eq(desk_offer(&d, desk_pay(&other, 3, 5000, NULL), 0),
			 TX_ACCEPTED);
	ck_assert_uint_eq(d.r.n_replaced, 1);
	ck_assert(hash256_eq(&d.r.replaced[0], &first));
	ck_assert_uint_eq(desk_count(&d), 2);
	/* One that spends the same replaces it as any other does. */
	desk_offer(&d, desk_pay_many(&other, 3, 5001, 2, NULL), 0);
	ck_assert_str_eq(d.r.verdict.reject, "insufficient fee");
	ck_assert_int_eq(
	    desk_offer(&d, desk_pay_many(&other, 3, 9000, 2, NULL), 0),
	    TX_ACCEPTED);
	ck_assert_uint_eq(desk_count(&d), 2);
}
END_TEST

START_TEST(of_several_siblings_none_is_replaced)
{
	struct point p = coin(), a;
	struct buf *b = desk_pay_many(&p, 3, 1000, 3, &a);

	ck_assert_int_eq(desk_offer(&d, b, 0), TX_ACCEPTED);
	put(&a, 3, 1000);
	a.index = 1;
	/* A reorganisation brings a second. */
	a.value = 333000;
	ck_assert_int_eq(
	    desk_offer(&d, desk_pay(&a, 3, 1000, NULL), MEMPOOL_TAKEN_OFF),
	    TX_ACCEPTED);
	a.index = 2;
	desk_offer(&d, desk_pay(&a, 3, 90000, NULL), 0);
	snprintf(want, sizeof want, "tx %s would exceed descendant count limit",
		 name_of(&a));
	desk_is(&d, TX_POLICY, "TRUC-violation", want);
}
END_TEST

START_TEST(a_sibling_of_another_parent_is_not_replaced)
{
	struct point p = coin(), q = coin(), a = put(&p, 3, 1000),
		     b = put(&q, 3, 1000);

	/* A reorganisation brings one that has two parents. */
	slip_easy(&f, &a);
	slip_easy(&f, &b);
	slip_pay(&f, 100000, script_easy());
	ck_assert_int_eq(desk_slip(&d, &f, MEMPOOL_TAKEN_OFF), TX_ACCEPTED);
	a.index = 1;
	desk_offer(&d, desk_pay(&a, 3, 400000, NULL), 0);
	snprintf(want, sizeof want, "tx %s would exceed descendant count limit",
		 name_of(&a));
	desk_is(&d, TX_POLICY, "TRUC-violation", want);
}
END_TEST

/* A parent from a block with dust: what a child does. */
START_TEST(dust_must_be_spent_by_a_child)
{
	struct point p = coin(), dust, rest;

	slip_easy(&f, &p);
	slip_pay(&f, 1, script_easy());
	slip_pay(&f, 999999, script_easy());
	ck_assert_int_eq(desk_slip(&d, &f, MEMPOOL_TAKEN_OFF), TX_ACCEPTED);
	dust = slip_point(&f, 0);
	rest = slip_point(&f, 1);
	desk_offer(&d, desk_pay(&rest, 3, 1000, NULL), 0);
	snprintf(want, sizeof want,
		 "tx %s did not spend parent's ephemeral dust", name());
	desk_is(&d, TX_POLICY, "missing-ephemeral-spends", want);
	/* From a block it need not. */
	ck_assert_int_eq(desk_offer(&d, desk_pay(&rest, 3, 1000, NULL),
				    MEMPOOL_TEST | MEMPOOL_TAKEN_OFF),
			 TX_ACCEPTED);
	slip_fini(&f);
	slip_init(&f);
	f.version = 3;
	slip_easy(&f, &rest);
	slip_easy(&f, &dust);
	slip_pay(&f, 990000, script_easy());
	ck_assert_int_eq(desk_slip(&d, &f, 0), TX_ACCEPTED);
}
END_TEST

Suite *accept_truc_suite(void)
{
	Suite *s = suite_create("accept_truc");
	TCase *t = tcase_create("truc");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, versions_do_not_mix);
	tcase_add_test(t, of_several_parents_the_first_by_txid_is_named);
	tcase_add_test(t, ten_thousand_virtual_bytes_are_the_most);
	tcase_add_test(t, a_child_has_a_thousand_virtual_bytes);
	tcase_add_test(t, there_is_one_ancestor);
	tcase_add_test(t, a_sibling_is_replaced);
	tcase_add_test(t, a_sibling_of_another_parent_is_not_replaced);
	tcase_add_test(t, of_several_siblings_none_is_replaced);
	tcase_add_test(t, dust_must_be_spent_by_a_child);
	suite_add_tcase(s, t);
	return s;
}
