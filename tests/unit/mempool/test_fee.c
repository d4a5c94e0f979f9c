/* Fees by rate and virtual sizes. */
#include "suites.h"

#include <cairn/consensus/check.h>
#include <cairn/mempool/policy.h>

START_TEST(fees_are_rounded_up)
{
	ck_assert_int_eq(rate_fee(1000, 1), 1);
	ck_assert_int_eq(rate_fee(100, 1), 1);
	ck_assert_int_eq(rate_fee(100, 10), 1);
	ck_assert_int_eq(rate_fee(100, 11), 2);
	ck_assert_int_eq(rate_fee(0, 100), 0);
	ck_assert_int_eq(rate_fee(-1001, 1), -1);
	ck_assert_int_eq(rate_fee(MAX_MONEY, INT64_MAX), MAX_MONEY);
}
END_TEST

START_TEST(rates_are_rounded_down)
{
	ck_assert_int_eq(rate_of(1, 3), 333);
	ck_assert_int_eq(rate_of(-1, 3), -334);
	ck_assert_int_eq(rate_of(10, 0), 0);
	ck_assert_int_eq(rate_of(MAX_MONEY, 1000), MAX_MONEY);
}
END_TEST

static int64_t vsize(uint32_t weight, uint32_t sigops, uint32_t bytes)
{
	return weight_vsize(policy_weight(weight, sigops, bytes));
}

START_TEST(sigops_make_a_transaction_larger)
{
	ck_assert_int_eq(vsize(401, 0, 20), 101);
	ck_assert_int_eq(vsize(400, 20, 20), 100);
	ck_assert_int_eq(vsize(400, 21, 20), 105);
	ck_assert_int_eq(vsize(400, 80000, 0), 100);
	ck_assert_int_eq(vsize(4000000, 80000, UINT32_MAX), 85899345900000);
}
END_TEST

Suite *fee_suite(void)
{
	Suite *s = suite_create("fee");
	TCase *t = tcase_create("fee");

	tcase_add_test(t, fees_are_rounded_up);
	tcase_add_test(t, rates_are_rounded_down);
	tcase_add_test(t, sigops_make_a_transaction_larger);
	suite_add_tcase(s, t);
	return s;
}
