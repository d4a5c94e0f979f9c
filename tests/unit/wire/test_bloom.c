/* filterload and filteradd. */
#include "wiretest.h"

#include <cairn/wire/bloom.h>

#include <stdlib.h>

static bool filterload_ok(struct slice body)
{
	struct filterload_view v;
	uint32_t sum = 0;

	if (!filterload_view_parse(&v, body))
		return false;
	for (size_t i = 0; i < v.filter.n; i++)
		sum += v.filter.p[i];
	return sum != UINT32_MAX;
}

static bool filteradd_ok(struct slice body)
{
	struct slice s;
	uint32_t sum = 0;

	if (!filteradd_parse(&s, body))
		return false;
	for (size_t i = 0; i < s.n; i++)
		sum += s.p[i];
	return sum != UINT32_MAX;
}

static uint8_t *filterload_new(size_t *size, size_t filter_n, uint32_t funcs)
{
	uint8_t *bits = malloc(filter_n + 1), *raw;
	struct filterload_view v = {slice_of(bits, filter_n), funcs,
				    0x89abcdefu, BLOOM_UPDATE_ALL};

	ck_assert_ptr_nonnull(bits);
	fill(bits, filter_n, 1);
	*size = filterload_size(filter_n);
	raw = malloc(*size);
	ck_assert_ptr_nonnull(raw);
	ck_assert_ptr_eq(filterload_put(raw, &v), raw + *size);
	free(bits);
	return raw;
}

START_TEST(filterload_reads_as_it_was_written)
{
	struct filterload_view v;
	uint8_t bits[300];
	size_t size;
	uint8_t *raw = filterload_new(&size, sizeof bits, 11);

	fill(bits, sizeof bits, 1);
	ck_assert_uint_eq(size, 3 + 300 + 9);
	ck_assert(filterload_view_parse(&v, slice_of(raw, size)));
	ck_assert(slice_eq(v.filter, slice_of(bits, sizeof bits)));
	ck_assert_uint_eq(v.n_funcs, 11);
	ck_assert_uint_eq(v.tweak, 0x89abcdefu);
	ck_assert_uint_eq(v.flags, BLOOM_UPDATE_ALL);
	check_cuts(filterload_ok, slice_of(raw, size));
	check_extra(filterload_ok, slice_of(raw, size), true);
	check_counts(filterload_ok, slice_of("", 0), 4096);
	free(raw);
}
END_TEST

START_TEST(an_empty_filter_is_a_filter)
{
	size_t size;
	uint8_t *raw = filterload_new(&size, 0, 0);

	ck_assert_uint_eq(size, 10);
	check_cuts(filterload_ok, slice_of(raw, size));
	free(raw);
}
END_TEST

START_TEST(limits_are_told_and_not_refused)
{
	static const struct {
		size_t n;
		uint32_t funcs;
		bool within;
	} row[] = {
	    {36000, 50, true},
	    {36001, 50, false},
	    {36000, 51, false},
	    {0, UINT32_MAX, false},
	};
	struct filterload_view v;
	size_t size;

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		uint8_t *raw = filterload_new(&size, row[i].n, row[i].funcs);
		ck_assert(filterload_view_parse(&v, slice_of(raw, size)));
		ck_assert_msg(filterload_in_limits(&v) == row[i].within,
			      "row %zu", i);
		check_cuts(filterload_ok, slice_of(raw, size));
		free(raw);
	}
}
END_TEST

START_TEST(filters_of_bitcoin_core_are_read_and_written_again)
{
	if (td_missing())
		return;
	char *text = td_read_text("vectors/core/bloom.json");
	const char *at = text, *hex;
	struct filterload_view v;
	size_t n, size, seen = 0;
	uint8_t out[64];

	while (td_json_next(&at, "serialized", &hex, &n)) {
		uint8_t *raw = td_hex(hex, n, &size);
		ck_assert(filterload_view_parse(&v, slice_of(raw, size)));
		ck_assert_uint_eq(v.filter.n, 3);
		ck_assert_uint_eq(v.n_funcs, 5);
		ck_assert_uint_eq(v.tweak, seen ? 2147483649u : 0);
		ck_assert_uint_eq(v.flags, 1);
		ck_assert_uint_eq(filterload_size(v.filter.n), size);
		filterload_put(out, &v);
		ck_assert_mem_eq(out, raw, size);
		free(raw);
		seen++;
	}
	ck_assert_uint_eq(seen, 2);
	free(text);
}
END_TEST

START_TEST(filteradd_reads_as_it_was_written)
{
	static const size_t lens[] = {0, 1, 252, 253, 520, 521, 70000};
	uint8_t *bytes = malloc(70000), *raw = malloc(70005);
	struct slice s;

	ck_assert(bytes && raw);
	fill(bytes, 70000, 2);
	for (size_t i = 0; i < sizeof lens / sizeof *lens; i++) {
		size_t size = filteradd_size(lens[i]);
		struct slice in = slice_of(bytes, lens[i]);
		ck_assert_ptr_eq(filteradd_put(raw, in), raw + size);
		ck_assert(filteradd_parse(&s, slice_of(raw, size)));
		ck_assert(slice_eq(s, in));
		check_cuts(filteradd_ok, slice_of(raw, size));
		check_extra(filteradd_ok, slice_of(raw, size), true);
	}
	check_counts(filteradd_ok, slice_of("", 0), 4096);
	free(bytes);
	free(raw);
}
END_TEST

START_TEST(a_failed_parse_leaves_the_view_alone)
{
	struct filterload_view v = {.n_funcs = 42};
	struct slice s = slice_of("x", 1);

	ck_assert(!filterload_view_parse(&v, slice_of("\x01", 1)));
	ck_assert_uint_eq(v.n_funcs, 42);
	ck_assert(!filteradd_parse(&s, slice_of("\x02z", 2)));
	ck_assert_uint_eq(s.n, 1);
}
END_TEST

Suite *bloom_suite(void)
{
	Suite *s = suite_create("bloom");
	TCase *l = tcase_create("filterload"), *a = tcase_create("filteradd");

	tcase_add_test(l, filterload_reads_as_it_was_written);
	tcase_add_test(l, an_empty_filter_is_a_filter);
	tcase_add_test(l, limits_are_told_and_not_refused);
	tcase_add_test(l, filters_of_bitcoin_core_are_read_and_written_again);
	tcase_add_test(a, filteradd_reads_as_it_was_written);
	tcase_add_test(a, a_failed_parse_leaves_the_view_alone);
	suite_add_tcase(s, l);
	suite_add_tcase(s, a);
	return s;
}
