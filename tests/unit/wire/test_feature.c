/* feature (BIP 434). */
#include "wiretest.h"

#include <cairn/wire/feature.h>

static bool ok(struct slice body)
{
	struct feature_view v;
	uint32_t sum = 0;

	if (!feature_view_parse(&v, body))
		return false;
	for (size_t i = 0; i < v.id.n; i++)
		sum += v.id.p[i];
	for (size_t i = 0; i < v.data.n; i++)
		sum += v.data.p[i];
	return sum != UINT32_MAX;
}

/* id_n and data_n bytes, which need not be within the bounds. */
static size_t write_any(uint8_t *p, size_t id_n, size_t data_n)
{
	uint8_t *q = compact_put(p, id_n);

	fill(q, id_n, 1);
	q = compact_put(q + id_n, data_n);
	fill(q, data_n, 2);
	return (size_t)(q + data_n - p);
}

START_TEST(feature_reads_as_it_was_written)
{
	static const size_t ids[] = {4, 5, 80}, datas[] = {0, 1, 253, 512};
	uint8_t in[600], raw[700];
	struct feature_view v, got;

	fill(in, sizeof in, 3);
	for (int i = 0; i < 3; i++) {
		for (int k = 0; k < 4; k++) {
			v.id = slice_of(in, ids[i]);
			v.data = slice_of(in + 80, datas[k]);
			size_t n = feature_size(&v);
			ck_assert_ptr_eq(feature_put(raw, &v), raw + n);
			ck_assert(feature_view_parse(&got, slice_of(raw, n)));
			ck_assert(slice_eq(got.id, v.id));
			ck_assert(slice_eq(got.data, v.data));
			check_cuts(ok, slice_of(raw, n));
			check_extra(ok, slice_of(raw, n), false);
		}
	}
}
END_TEST

START_TEST(ids_and_data_have_bounds)
{
	static const struct {
		size_t id, data;
		bool ok;
	} row[] = {
	    {3, 0, false},   {4, 0, true},  {80, 512, true}, {81, 0, false},
	    {4, 513, false}, {0, 0, false}, {253, 4, false}, {80, 513, false},
	};
	uint8_t raw[900];

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		size_t n = write_any(raw, row[i].id, row[i].data);
		ck_assert_msg(ok(slice_of(raw, n)) == row[i].ok, "row %zu", i);
	}
}
END_TEST

START_TEST(bad_sizes_are_refused)
{
	check_counts(ok, slice_of("", 0), 800);
	check_counts(ok,
		     slice_of("\x04"
			      "BIPX",
			      5),
		     800);
}
END_TEST

Suite *feature_suite(void)
{
	Suite *s = suite_create("feature");
	TCase *t = tcase_create("feature");

	tcase_add_test(t, feature_reads_as_it_was_written);
	tcase_add_test(t, ids_and_data_have_bounds);
	tcase_add_test(t, bad_sizes_are_refused);
	suite_add_tcase(s, t);
	return s;
}
