/* inv, getdata, notfound. */
#include "wiretest.h"

#include <cairn/wire/inv.h>

#include <stdlib.h>

static bool body_ok(struct slice body)
{
	struct inv_view v;
	uint32_t sum = 0;

	if (!inv_view_parse(&v, body))
		return false;
	for (uint32_t i = 0; i < v.n; i++)
		sum += inv_type(&v, i) + inv_hash(&v, i)->b[31];
	return sum != 1;
}

static uint8_t *vector_new(size_t *size, uint32_t n)
{
	uint8_t *v = malloc(inv_size(n)), *p;
	struct hash256 h;

	ck_assert_ptr_nonnull(v);
	p = inv_count_put(v, n);
	for (uint32_t i = 0; i < n; i++) {
		fill(h.b, 32, i);
		p = inv_item_put(p, i | 2, &h);
	}
	*size = (size_t)(p - v);
	ck_assert_uint_eq(*size, inv_size(n));
	return v;
}

START_TEST(items_read_as_they_were_written)
{
	size_t size;
	uint8_t *raw = vector_new(&size, 300);
	struct inv_view v;
	struct hash256 h;

	ck_assert_uint_eq(size, 3 + 300 * 36);
	ck_assert(inv_view_parse(&v, slice_of(raw, size)));
	ck_assert_uint_eq(v.n, 300);
	for (uint32_t i = 0; i < 300; i++) {
		fill(h.b, 32, i);
		ck_assert_uint_eq(inv_type(&v, i), i | 2);
		ck_assert(hash256_eq(inv_hash(&v, i), &h));
	}
	free(raw);
}
END_TEST

START_TEST(every_cut_is_refused_and_more_bytes_are_ignored)
{
	static const uint32_t count[] = {0, 1, 100, 253};
	size_t size;

	for (size_t i = 0; i < 4; i++) {
		uint8_t *raw = vector_new(&size, count[i]);
		check_cuts(body_ok, slice_of(raw, size));
		check_extra(body_ok, slice_of(raw, size), true);
		free(raw);
	}
	check_counts(body_ok, slice_of("", 0), 4096);
}
END_TEST

START_TEST(a_vector_over_the_limit_is_left_to_the_caller)
{
	size_t size;
	uint8_t *raw = vector_new(&size, INV_MAX + 1);
	struct inv_view v;

	ck_assert(inv_view_parse(&v, slice_of(raw, size)));
	ck_assert_uint_eq(v.n, INV_MAX + 1);
	check_cuts(body_ok, slice_of(raw, size));
	free(raw);
}
END_TEST

START_TEST(a_failed_parse_leaves_the_view_alone)
{
	struct inv_view v = {.n = 42, .p = NULL};

	ck_assert(!inv_view_parse(&v, slice_of("\x01", 1)));
	ck_assert_uint_eq(v.n, 42);
}
END_TEST

Suite *inv_suite(void)
{
	Suite *s = suite_create("inv");
	TCase *t = tcase_create("inv");

	tcase_add_test(t, items_read_as_they_were_written);
	tcase_add_test(t, every_cut_is_refused_and_more_bytes_are_ignored);
	tcase_add_test(t, a_vector_over_the_limit_is_left_to_the_caller);
	tcase_add_test(t, a_failed_parse_leaves_the_view_alone);
	tcase_set_timeout(t, 30);
	suite_add_tcase(s, t);
	return s;
}
