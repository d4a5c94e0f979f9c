/* CompactSize as the codec uses it: the published edge cases. */
#include "wiretest.h"

#include <cairn/base/rd.h>

#include <stdlib.h>

static struct rd cursor(struct td_guard *g, const char *hex, size_t n)
{
	size_t size;
	uint8_t *bytes = td_hex(hex, n, &size);
	struct rd r;

	rd_init(&r, td_guard_put(g, slice_of(bytes, size)));
	free(bytes);
	return r;
}

/* Rows of {"hex": ..., "value": ...} up to end. */
static size_t check_rows(struct td_guard *g, const char *at, const char *end,
			 bool above)
{
	const char *hex, *val;
	size_t n, n_val, rows = 0;

	while (td_json_next(&at, "hex", &hex, &n) && hex < end) {
		struct rd any = cursor(g, hex, n), r = any;
		ck_assert(td_json_next(&at, "value", &val, &n_val));
		uint64_t want = strtoull(val, NULL, 10);
		ck_assert_uint_eq(rd_compact_any(&any), want);
		ck_assert_msg(rd_ok(&any) && rd_left(&any) == 0, "%.*s", (int)n,
			      hex);
		ck_assert_uint_eq(rd_compact(&r), above ? 0 : want);
		ck_assert_msg(rd_ok(&r) == !above, "%.*s", (int)n, hex);
		ck_assert_uint_eq(compact_size(want), n / 2);
		rows++;
	}
	return rows;
}

START_TEST(compact_sizes_have_their_published_values)
{
	if (td_missing())
		return;
	char *text = td_read_text("vectors/p2p/compactsize.json");
	const char *above = strstr(text, "\"above_max_size\"");
	const char *canon = strstr(text, "\"non_canonical\"");
	struct td_guard g;

	ck_assert(above && canon);
	td_guard_init(&g, 16);
	ck_assert_uint_eq(check_rows(&g, text, above, false), 10);
	ck_assert_uint_eq(check_rows(&g, above, canon, true), 4);
	td_guard_fini(&g);
	free(text);
}
END_TEST

START_TEST(compact_sizes_that_are_not_minimal_or_cut_are_refused)
{
	if (td_missing())
		return;
	char *text = td_read_text("vectors/p2p/compactsize.json");
	const char *p = strstr(text, "\"non_canonical\"");
	struct td_guard g;
	size_t n, rows = 0;

	ck_assert(p);
	td_guard_init(&g, 16);
	p = strchr(p, '[');
	while ((p = strchr(p, '"')) != NULL) {
		n = strcspn(++p, "\"");
		if (strncmp(p, "truncated", n) != 0) {
			struct rd r = cursor(&g, p, n);
			ck_assert_uint_eq(rd_compact_any(&r), 0);
			ck_assert_msg(!rd_ok(&r), "%.*s", (int)n, p);
			rows++;
		}
		p += n + 1;
	}
	ck_assert_uint_eq(rows, 14);
	td_guard_fini(&g);
	free(text);
}
END_TEST

START_TEST(compact_put_writes_the_shortest_form_at_every_edge)
{
	static const struct {
		uint64_t v;
		const char *hex;
	} row[] = {
	    {0, "00"},
	    {0xfc, "fc"},
	    {0xfd, "fdfd00"},
	    {0xffff, "fdffff"},
	    {0x10000, "fe00000100"},
	    {0xffffffffu, "feffffffff"},
	    {0x100000000u, "ff0000000001000000"},
	    {UINT64_MAX, "ffffffffffffffffff"},
	};
	uint8_t got[9], want[9];

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		size_t n = td_hex_into(want, sizeof want, row[i].hex);
		ck_assert_uint_eq((size_t)(compact_put(got, row[i].v) - got),
				  n);
		ck_assert_mem_eq(got, want, n);
		ck_assert_uint_eq(compact_size(row[i].v), n);
	}
}
END_TEST

Suite *compact_suite(void)
{
	Suite *s = suite_create("compact");
	TCase *t = tcase_create("compact");

	tcase_add_test(t, compact_sizes_have_their_published_values);
	tcase_add_test(t,
		       compact_sizes_that_are_not_minimal_or_cut_are_refused);
	tcase_add_test(t, compact_put_writes_the_shortest_form_at_every_edge);
	suite_add_tcase(s, t);
	return s;
}
