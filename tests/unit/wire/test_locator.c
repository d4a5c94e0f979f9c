/* getheaders and getblocks. */
#include "wiretest.h"

#include <cairn/wire/locator.h>

#include <stdlib.h>

static bool body_ok(struct slice body)
{
	struct locator_view v;
	uint32_t sum = 0;

	if (!locator_view_parse(&v, body))
		return false;
	for (uint32_t i = 0; i < v.n; i++)
		sum += locator_at(&v, i)->b[31];
	return sum + v.stop->b[31] != UINT32_MAX;
}

static uint8_t *locator_new(size_t *size, uint32_t n)
{
	struct hash256 *h = calloc(n + 1, sizeof *h);
	uint8_t *raw = malloc(locator_size(n));

	ck_assert(h && raw);
	fill(h->b, (n + 1) * sizeof *h, n);
	ck_assert_ptr_eq(locator_put(raw, 70016, h, n, &h[n]),
			 raw + locator_size(n));
	*size = locator_size(n);
	free(h);
	return raw;
}

START_TEST(a_locator_reads_as_it_was_written)
{
	struct hash256 want[4];
	struct locator_view v;
	size_t size;
	uint8_t *raw = locator_new(&size, 3);

	fill(want[0].b, sizeof want, 3);
	ck_assert_uint_eq(size, 4 + 1 + 3 * 32 + 32);
	ck_assert(locator_view_parse(&v, slice_of(raw, size)));
	ck_assert_uint_eq(v.version, 70016);
	ck_assert_uint_eq(v.n, 3);
	for (uint32_t i = 0; i < 3; i++)
		ck_assert(hash256_eq(locator_at(&v, i), &want[i]));
	ck_assert(hash256_eq(v.stop, &want[3]));
	free(raw);
}
END_TEST

START_TEST(every_cut_is_refused_and_more_bytes_are_ignored)
{
	static const uint32_t count[] = {0, 1, LOCATOR_MAX, 253};
	size_t size;

	for (size_t i = 0; i < 4; i++) {
		uint8_t *raw = locator_new(&size, count[i]);
		check_cuts(body_ok, slice_of(raw, size));
		check_extra(body_ok, slice_of(raw, size), true);
		free(raw);
	}
	check_counts(body_ok, slice_of("\0\0\0\0", 4), 4096);
}
END_TEST

START_TEST(a_locator_over_the_limit_is_left_to_the_caller)
{
	struct locator_view v;
	size_t size;
	uint8_t *raw = locator_new(&size, LOCATOR_MAX + 1);

	ck_assert(locator_view_parse(&v, slice_of(raw, size)));
	ck_assert_uint_eq(v.n, LOCATOR_MAX + 1);
	free(raw);
}
END_TEST

Suite *locator_suite(void)
{
	Suite *s = suite_create("locator");
	TCase *t = tcase_create("locator");

	tcase_add_test(t, a_locator_reads_as_it_was_written);
	tcase_add_test(t, every_cut_is_refused_and_more_bytes_are_ignored);
	tcase_add_test(t, a_locator_over_the_limit_is_left_to_the_caller);
	suite_add_tcase(s, t);
	return s;
}
