/* What stays valid after a reorganisation, and offers that are made to cost. */
#include "desk.h"
#include "suites.h"

#include <cairn/base/err.h>
#include <cairn/script/flags.h>

#include <check.h>
#include <stdlib.h>

static struct desk d;
static struct slip f;

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

static void again(void)
{
	slip_fini(&f);
	slip_init(&f);
}

/* Offer f, whose last input is given a sequence. */
static void put(uint32_t sequence)
{
	f.in[f.n_in - 1].sequence = sequence;
	ck_assert_int_eq(desk_slip(&d, &f, 0), TX_ACCEPTED);
}

/* So many blocks are taken off. */
static void take_off(int32_t n)
{
	struct mempool_tip tip = {.height = DESK_HEIGHT - n,
				  .mtp = DESK_MTP - 600 * n,
				  .script_flags = SCRIPT_VERIFY_P2SH |
						  SCRIPT_VERIFY_WITNESS |
						  SCRIPT_VERIFY_TAPROOT};

	mempool_set_tip(d.m, &tip);
	mempool_reorg_end(d.m, DESK_NOW);
}

static struct point coin(int32_t height, bool coinbase)
{
	struct point p = desk_coin(&d, 100000, script_easy());

	desk_coin_at(&d, height, coinbase);
	return p;
}

static void pay_from(const struct point *p)
{
	slip_easy(&f, p);
	slip_pay(&f, p->value - 1000, script_easy());
}

START_TEST(what_is_not_final_any_more_leaves)
{
	struct point p = coin(100, false);

	pay_from(&p);
	f.lock_time = DESK_HEIGHT - 3;
	put(0);
	take_off(3);
	ck_assert_uint_eq(desk_count(&d), 1);
	take_off(4);
	ck_assert_uint_eq(desk_count(&d), 0);
}
END_TEST

START_TEST(a_lock_that_holds_again_makes_it_leave)
{
	struct point p = coin(900, false);

	pay_from(&p);
	put(100); /* may be in block 1,000 */
	take_off(1);
	ck_assert_uint_eq(desk_count(&d), 1);
	take_off(2);
	ck_assert_uint_eq(desk_count(&d), 0);
}
END_TEST

START_TEST(a_lock_by_time_that_holds_again_makes_it_leave)
{
	struct point p = coin(900, false);

	/* The block before it is 101 below the tip: 60,600 seconds. */
	pay_from(&p);
	put(1u << 22 | 117); /* 59,904 */
	take_off(1);
	ck_assert_uint_eq(desk_count(&d), 1);
	take_off(2);
	ck_assert_uint_eq(desk_count(&d), 0);
}
END_TEST

START_TEST(a_coin_that_came_later_counts_from_there)
{
	struct point p = coin(900, false);

	pay_from(&p);
	put(50);
	d.coins[0].coin.height = DESK_HEIGHT - 1;
	take_off(0);
	ck_assert_uint_eq(desk_count(&d), 0);
}
END_TEST

START_TEST(a_coinbase_that_is_too_young_again_makes_it_leave)
{
	struct point p = coin(900, true), q;

	pay_from(&p);
	put(0xffffffff);
	q = slip_point(&f, 0);
	again();
	pay_from(&q);
	put(0xffffffff);
	take_off(1);
	ck_assert_uint_eq(desk_count(&d), 2);
	take_off(2);
	/* With its child. */
	ck_assert_uint_eq(desk_count(&d), 0);
}
END_TEST

START_TEST(a_coin_that_is_gone_makes_it_leave)
{
	struct point p = coin(900, true);

	pay_from(&p);
	put(0xffffffff);
	d.fails = E_IO;
	/* The disk does not tell. */
	take_off(0);
	ck_assert_uint_eq(desk_count(&d), 1);
	d.fails = 0;
	d.n_coins = 0;
	take_off(0);
	ck_assert_uint_eq(desk_count(&d), 0);
}
END_TEST

START_TEST(without_locks_no_coin_is_looked_up)
{
	struct point p = coin(900, false);

	pay_from(&p);
	put(0xffffffff);
	d.asked = 0;
	take_off(50);
	ck_assert_uint_eq(desk_count(&d), 1);
	ck_assert_uint_eq(d.asked, 0);
}
END_TEST

START_TEST(a_parent_that_is_here_keeps_a_lock_of_nothing)
{
	struct point p = coin(900, false), q;

	pay_from(&p);
	put(0);
	q = slip_point(&f, 0);
	again();
	pay_from(&q);
	put(0);
	take_off(5);
	ck_assert_uint_eq(desk_count(&d), 2);
}
END_TEST

/* Outputs of one parent, the last first. */
START_TEST(outputs_are_spent_in_any_order)
{
	struct point p = desk_coin(&d, 10000000, script_easy()), out;
	int64_t in = 0;

	slip_easy(&f, &p);
	for (int i = 0; i < 300; i++)
		slip_pay(&f, 1000 + i, i % 2 ? script_easy() : script_anchor());
	slip_pay(&f, 9000000, script_easy());
	put(0);
	out = slip_point(&f, 0);
	again();
	for (uint32_t i = 300; i-- > 0;) {
		out.index = i;
		out.value = 1000 + i;
		in += out.value;
		if (i % 2)
			slip_easy(&f, &out);
		else
			slip_from(&f, &out, 0);
	}
	slip_pay(&f, in - 3000, script_easy());
	ck_assert_int_eq(desk_slip(&d, &f, 0), TX_ACCEPTED);
	ck_assert_int_eq(d.r.fee, 3000);
}
END_TEST

START_TEST(a_hundred_thousand_inputs_are_not_looked_at)
{
	struct point p = {.value = 1};

	for (uint32_t i = 0; i < 100000; i++) {
		p.index = i;
		slip_from(&f, &p, 0);
	}
	slip_pay(&f, 1, script_easy());
	desk_slip(&d, &f, 0);
	desk_is(&d, TX_CONSENSUS, "bad-txns-oversize", "");
	ck_assert_uint_eq(d.asked, 0);
	/* As many as a block may have: by the policy's weight. */
	f.n_in = 20000;
	desk_slip(&d, &f, 0);
	desk_is(&d, TX_NOT_STANDARD, "tx-size", "");
	ck_assert_uint_eq(d.asked, 0);
}
END_TEST

START_TEST(the_first_coin_that_is_missing_ends_the_search)
{
	struct policy any = policy_default;
	struct point p = {.value = 1};

	desk_fini(&d);
	any.require_standard = false;
	desk_init(&d, &any);
	for (uint32_t i = 0; i < 20000; i++) {
		p.index = i;
		slip_from(&f, &p, 0);
	}
	slip_pay(&f, 1, script_easy());
	desk_slip(&d, &f, 0);
	desk_is(&d, TX_MISSING_INPUTS, "bad-txns-inputs-missingorspent", "");
	ck_assert_uint_eq(d.asked, 2);
}
END_TEST

START_TEST(scripts_that_are_spent_have_a_bound_in_memory)
{
	static const uint8_t large[10000] = {0x51};
	struct policy any = policy_default;
	struct point p;

	desk_fini(&d);
	any.require_standard = false;
	desk_init(&d, &any);
	for (uint32_t i = 0; i < 7000; i++) {
		p = desk_coin(&d, 1000, slice_of(large, sizeof large));
		slip_from(&f, &p, 0);
	}
	slip_pay(&f, 1, script_easy());
	ck_assert_int_eq(desk_slip(&d, &f, 0), TX_FAILED);
	ck_assert_int_eq(d.r.verdict.rc, E_NOMEM);
	ck_assert_uint_lt(d.asked, 7000);
}
END_TEST

Suite *accept_again_suite(void)
{
	Suite *s = suite_create("accept_again");
	TCase *t = tcase_create("reorganisation");
	TCase *h = tcase_create("hostile");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, what_is_not_final_any_more_leaves);
	tcase_add_test(t, a_lock_that_holds_again_makes_it_leave);
	tcase_add_test(t, a_lock_by_time_that_holds_again_makes_it_leave);
	tcase_add_test(t, a_coin_that_came_later_counts_from_there);
	tcase_add_test(t, a_coinbase_that_is_too_young_again_makes_it_leave);
	tcase_add_test(t, a_coin_that_is_gone_makes_it_leave);
	tcase_add_test(t, without_locks_no_coin_is_looked_up);
	tcase_add_test(t, a_parent_that_is_here_keeps_a_lock_of_nothing);
	suite_add_tcase(s, t);
	tcase_add_checked_fixture(h, setup, teardown);
	tcase_add_test(h, outputs_are_spent_in_any_order);
	tcase_add_test(h, a_hundred_thousand_inputs_are_not_looked_at);
	tcase_add_test(h, the_first_coin_that_is_missing_ends_the_search);
	tcase_add_test(h, scripts_that_are_spent_have_a_bound_in_memory);
	suite_add_tcase(s, h);
	return s;
}
