/* The clocks. */
#include "suites.h"

#include <cairn/base/clock.h>

#include <time.h>

START_TEST(clock_follows_the_system_without_mock_time)
{
	struct clock c = {0};
	int64_t before = (int64_t)time(NULL);
	int64_t now = clock_now(&c);

	ck_assert_int_ge(now, before);
	ck_assert_int_le(now, before + 60);
	ck_assert_int_ge(clock_now_us(&c) / 1000000, now);
	ck_assert_int_ge(wall_s(), before);
}
END_TEST

START_TEST(clock_stands_at_the_mock_time_until_it_is_taken_back)
{
	struct clock c = {0};

	clock_set_mock(&c, 1231006505);
	ck_assert_int_eq(clock_now(&c), 1231006505);
	ck_assert_int_eq(clock_now_us(&c), 1231006505000000);
	clock_set_mock(&c, 0);
	ck_assert_int_gt(clock_now(&c), 1231006505);
}
END_TEST

START_TEST(mono_ns_never_goes_back)
{
	uint64_t last = mono_ns(), now;
	int i;

	for (i = 0; i < 10000; i++) {
		now = mono_ns();
		ck_assert_uint_ge(now, last);
		last = now;
	}
}
END_TEST

Suite *clock_suite(void)
{
	Suite *s = suite_create("clock");
	TCase *tc = tcase_create("clock");

	tcase_add_test(tc, clock_follows_the_system_without_mock_time);
	tcase_add_test(tc,
		       clock_stands_at_the_mock_time_until_it_is_taken_back);
	tcase_add_test(tc, mono_ns_never_goes_back);
	suite_add_tcase(s, tc);
	return s;
}
