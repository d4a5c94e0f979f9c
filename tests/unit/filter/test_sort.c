/* The sort behind the filters. */
#include "suites.h"

#include "../../../src/filter/sort.h"

#include <cairn/base/mem.h>

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static void check_sort(size_t n, uint64_t mask, unsigned shift)
{
	uint64_t *got = xmalloc((n + 1) * sizeof *got);
	uint64_t *want = xmalloc((n + 1) * sizeof *want);
	uint64_t *tmp = xmalloc((n + 1) * sizeof *tmp);
	uint64_t seed = n * 2654435761u + mask + 1;

	for (size_t i = 0; i < n; i++)
		got[i] = want[i] = (next(&seed) & mask) << shift;
	got[n] = tmp[n] = 0x1234;
	qsort(want, n, sizeof *want, compare);
	sort_u64(got, tmp, n);
	ck_assert_msg(n == 0 || memcmp(got, want, n * sizeof *got) == 0,
		      "n=%zu mask=%llx shift=%u", n, (unsigned long long)mask,
		      shift);
	ck_assert(got[n] == 0x1234 && tmp[n] == 0x1234);
	free(got);
	free(want);
	free(tmp);
}

START_TEST(values_of_any_number_and_spread_are_sorted)
{
	static const size_t sizes[] = {0,  1,  2,  3,   10,   47,
				       48, 49, 50, 100, 1000, 20000};

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		check_sort(sizes[i], UINT64_MAX, 0);
		/* Few values: nearly all repeat. */
		check_sort(sizes[i], 3, 0);
		/* They differ in one digit only, from the lowest to the top. */
		for (unsigned shift = 0; shift < 64; shift += 7)
			check_sort(sizes[i], 0xff, shift);
	}
}
END_TEST

Suite *sort_suite(void)
{
	Suite *s = suite_create("sort");
	TCase *t = tcase_create("sort");

	tcase_add_test(t, values_of_any_number_and_spread_are_sorted);
	suite_add_tcase(s, t);
	return s;
}
