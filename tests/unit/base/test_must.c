/* must: silent when true, fatal when not. */
#include "suites.h"

#include <cairn/base/log.h>
#include <cairn/base/must.h>

#include <signal.h>

START_TEST(must_passes_a_true_claim)
{
	must(1 + 1 == 2);
	dmust(1 + 1 == 2);
}
END_TEST

START_TEST(must_aborts_on_a_false_claim)
{
	volatile int two = 2;

	ck_assert_int_eq(log_open_file("/dev/null"), 0);
	must(two == 3);
}
END_TEST

Suite *must_suite(void)
{
	Suite *s = suite_create("must");
	TCase *tc = tcase_create("must");

	tcase_add_test(tc, must_passes_a_true_claim);
	if (tests_fork())
		tcase_add_test_raise_signal(tc, must_aborts_on_a_false_claim,
					    SIGABRT);
	suite_add_tcase(s, tc);
	return s;
}
