/* The generators. */
#include "suites.h"

#include <cairn/base/rand.h>

START_TEST(rand_repeats_from_the_same_seed_and_differs_from_another)
{
	struct rand a, b, c;
	int i, same = 0;

	rand_seed(&a, 42);
	rand_seed(&b, 42);
	rand_seed(&c, 43);
	for (i = 0; i < 1000; i++) {
		uint64_t v = rand_u64(&a);

		ck_assert_uint_eq(v, rand_u64(&b));
		same += v == rand_u64(&c);
	}
	ck_assert_int_eq(same, 0);
}
END_TEST

/* The authors' xoshiro256starstar.c with the state 1, 2, 3, 4. */
START_TEST(rand_u64_is_xoshiro256_starstar)
{
	struct rand r = {{1, 2, 3, 4}};

	ck_assert_uint_eq(rand_u64(&r), 11520);
	ck_assert_uint_eq(rand_u64(&r), 0);
	ck_assert_uint_eq(rand_u64(&r), 1509978240);
	ck_assert_uint_eq(rand_u64(&r), 1215971899390074240u);
}
END_TEST

START_TEST(rand_below_stays_below_and_reaches_every_value)
{
	struct rand r;
	unsigned seen[7] = {0};
	int i;

	rand_seed(&r, 5);
	for (i = 0; i < 70000; i++) {
		uint64_t v = rand_below(&r, 7);

		ck_assert_uint_lt(v, 7);
		seen[v]++;
	}
	for (i = 0; i < 7; i++) {
		ck_assert_uint_gt(seen[i], 9000);
		ck_assert_uint_lt(seen[i], 11000);
	}
	ck_assert_uint_eq(rand_below(&r, 1), 0);
}
END_TEST

START_TEST(rand_below_takes_bounds_over_half_the_range)
{
	struct rand r;
	uint64_t n = ((uint64_t)1 << 63) + 1;
	int i;

	rand_seed(&r, 6);
	for (i = 0; i < 1000; i++)
		ck_assert_uint_lt(rand_below(&r, n), n);
}
END_TEST

START_TEST(rand_exp_is_distributed_exponentially)
{
	/* Of n, those over k means are n / e^k: within 4 deviations. */
	static const double part[] = {1, 0.367879, 0.135335, 0.049787};
	size_t over[4] = {0}, n = 100000;
	double sum = 0;
	struct rand r;

	rand_seed(&r, 11);
	for (size_t i = 0; i < n; i++) {
		uint64_t v = rand_exp(&r, 1000000);
		ck_assert_uint_le(v, 45000000);
		sum += (double)v;
		for (size_t k = 0; k < 4; k++)
			over[k] += v >= k * 1000000;
	}
	ck_assert_double_eq_tol(sum / (double)n, 1e6, 1e4);
	for (size_t k = 0; k < 4; k++)
		ck_assert_double_eq_tol((double)over[k] / (double)n, part[k],
					0.006);
}
END_TEST

START_TEST(rand_os_fills_every_byte_and_never_repeats)
{
	uint8_t a[64] = {0}, b[64] = {0};
	struct rand r, q;

	rand_os(a, sizeof a);
	rand_os(b, sizeof b);
	ck_assert_mem_ne(a, b, sizeof a);
	ck_assert_mem_ne(a + 48, b + 48, 16);
	rand_os(a, 0);
	rand_init(&r);
	rand_init(&q);
	ck_assert_uint_ne(rand_u64(&r), rand_u64(&q));
}
END_TEST

Suite *rand_suite(void)
{
	Suite *s = suite_create("rand");
	TCase *tc = tcase_create("rand");

	tcase_add_test(
	    tc, rand_repeats_from_the_same_seed_and_differs_from_another);
	tcase_add_test(tc, rand_u64_is_xoshiro256_starstar);
	tcase_add_test(tc, rand_below_stays_below_and_reaches_every_value);
	tcase_add_test(tc, rand_below_takes_bounds_over_half_the_range);
	tcase_add_test(tc, rand_exp_is_distributed_exponentially);
	tcase_add_test(tc, rand_os_fills_every_byte_and_never_repeats);
	suite_add_tcase(s, tc);
	return s;
}
