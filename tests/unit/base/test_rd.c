/* The read cursor, its bytes against a page that nobody may touch. */
#include "suites.h"
#include "testdata.h"

#include <cairn/base/rd.h>

static struct td_guard g;

static void setup(void)
{
	td_guard_init(&g, 4096);
}

static void teardown(void)
{
	td_guard_fini(&g);
}

static struct rd rd_over(const void *p, size_t n)
{
	struct rd r;

	rd_init(&r, td_guard_put(&g, slice_of(p, n)));
	return r;
}

#define RD(s) rd_over(s, sizeof s - 1)

START_TEST(rd_reads_integers_in_order)
{
	struct rd r = RD("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c"
			 "\x0d\x0e\x0f\x10\x11");

	ck_assert_uint_eq(rd_u8(&r), 1);
	ck_assert_uint_eq(rd_u16(&r), 0x0302);
	ck_assert_uint_eq(rd_be16(&r), 0x0405);
	ck_assert_uint_eq(rd_u32(&r), 0x09080706);
	ck_assert_uint_eq(rd_u64(&r), 0x11100f0e0d0c0b0au);
	ck_assert(rd_ok(&r));
	ck_assert_uint_eq(rd_left(&r), 0);
}
END_TEST

START_TEST(rd_of_an_empty_slice_has_nothing_and_is_ok)
{
	struct rd r;

	rd_init(&r, slice_of(NULL, 0));
	ck_assert(rd_ok(&r));
	ck_assert_uint_eq(rd_left(&r), 0);
	ck_assert_uint_eq(rd_u8(&r), 0);
	ck_assert(!rd_ok(&r));
}
END_TEST

/* Each read on each length that is too short for it. */
START_TEST(rd_fails_on_every_truncation_and_leaves_nothing)
{
	static const size_t need[] = {1, 2, 2, 4, 8};
	uint8_t b[8];
	size_t n;

	memset(b, 0xff, sizeof b);
	for (n = 0; n < need[_i]; n++) {
		struct rd r = rd_over(b, n);
		uint64_t v = _i == 0   ? rd_u8(&r)
			     : _i == 1 ? rd_u16(&r)
			     : _i == 2 ? rd_be16(&r)
			     : _i == 3 ? rd_u32(&r)
				       : rd_u64(&r);

		ck_assert_uint_eq(v, 0);
		ck_assert(!rd_ok(&r));
		ck_assert_uint_eq(rd_left(&r), 0);
	}
}
END_TEST

START_TEST(rd_stays_failed_after_the_first_failure)
{
	struct rd r = RD("\x01\x02\x03");

	ck_assert_uint_eq(rd_u32(&r), 0);
	ck_assert_uint_eq(rd_u8(&r), 0);
	ck_assert_ptr_null(rd_take(&r, 1));
	ck_assert_uint_eq(rd_compact_any(&r), 0);
	ck_assert_uint_eq(rd_count(&r, 1), 0);
	ck_assert_uint_eq(rd_varbytes(&r).n, 0);
	ck_assert_uint_eq(rd_left(&r), 0);
	ck_assert(!rd_ok(&r));
}
END_TEST

START_TEST(rd_take_borrows_in_place_and_refuses_more_than_is_left)
{
	struct rd r = RD("abcdef");
	const uint8_t *p = r.p;

	ck_assert_ptr_eq(rd_take(&r, 4), p);
	ck_assert_uint_eq(rd_left(&r), 2);
	ck_assert_ptr_eq(rd_take(&r, 0), p + 4);
	ck_assert_ptr_null(rd_take(&r, 3));
	ck_assert(!rd_ok(&r));
}
END_TEST

START_TEST(rd_take_refuses_the_largest_size)
{
	struct rd r = RD("abcdef");

	ck_assert_ptr_null(rd_take(&r, SIZE_MAX));
	ck_assert(!rd_ok(&r));
}
END_TEST

START_TEST(rd_bytes_gives_an_empty_slice_on_failure)
{
	struct rd r = RD("abc");
	struct slice s = rd_bytes(&r, 4);

	ck_assert_ptr_null(s.p);
	ck_assert_uint_eq(s.n, 0);
}
END_TEST

static const uint64_t edges[] = {
    0,         1,       0xfc,       0xfd,       0xff,       0x100,
    0xffff,    0x10000, 0x01ffffff, 0x02000000, 0xffffffff, 0x100000000u,
    UINT64_MAX};
#define EDGES (int)(sizeof edges / sizeof *edges)

START_TEST(compact_round_trips_at_the_edges_in_its_stated_size)
{
	uint64_t v = edges[_i];
	uint8_t b[9];
	size_t n = (size_t)(compact_put(b, v) - b);
	struct rd r = rd_over(b, n);

	ck_assert_uint_eq(n, compact_size(v));
	ck_assert_uint_eq(rd_compact_any(&r), v);
	ck_assert(rd_ok(&r));
	ck_assert_uint_eq(rd_left(&r), 0);
}
END_TEST

START_TEST(compact_fails_on_every_truncation)
{
	uint8_t b[9];
	size_t n = (size_t)(compact_put(b, edges[_i]) - b), k;

	for (k = 0; k < n; k++) {
		struct rd r = rd_over(b, k);

		ck_assert_uint_eq(rd_compact_any(&r), 0);
		ck_assert_msg(!rd_ok(&r), "edge %d length %zu", _i, k);
	}
}
END_TEST

START_TEST(compact_refuses_a_longer_form_than_needed)
{
	static const struct {
		const char *b;
		size_t n;
	} bad[] = {
	    {"\xfd\x00\x00", 3},
	    {"\xfd\xfc\x00", 3},
	    {"\xfe\x00\x00\x00\x00", 5},
	    {"\xfe\xff\xff\x00\x00", 5},
	    {"\xff\x00\x00\x00\x00\x00\x00\x00\x00", 9},
	    {"\xff\xff\xff\xff\xff\x00\x00\x00\x00", 9},
	};
	size_t i;

	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct rd r = rd_over(bad[i].b, bad[i].n);

		ck_assert_uint_eq(rd_compact_any(&r), 0);
		ck_assert_msg(!rd_ok(&r), "form %zu", i);
	}
}
END_TEST

START_TEST(rd_compact_accepts_max_size_and_refuses_one_more)
{
	uint8_t b[9];
	struct rd r;

	r = rd_over(b, (size_t)(compact_put(b, RD_COMPACT_MAX) - b));
	ck_assert_uint_eq(rd_compact(&r), RD_COMPACT_MAX);
	ck_assert(rd_ok(&r));
	r = rd_over(b, (size_t)(compact_put(b, RD_COMPACT_MAX + 1) - b));
	ck_assert_uint_eq(rd_compact(&r), 0);
	ck_assert(!rd_ok(&r));
	r = rd_over(b, (size_t)(compact_put(b, UINT64_MAX) - b));
	ck_assert_uint_eq(rd_compact(&r), 0);
	ck_assert(!rd_ok(&r));
}
END_TEST

START_TEST(rd_count_accepts_what_just_fits)
{
	struct rd r = RD("\x03"
			 "aabbcc");

	ck_assert_uint_eq(rd_count(&r, 2), 3);
	ck_assert(rd_ok(&r));
	ck_assert_uint_eq(rd_left(&r), 6);
}
END_TEST

START_TEST(rd_count_refuses_count_larger_than_body)
{
	struct rd r = RD("\x04"
			 "aabbccd");

	ck_assert_uint_eq(rd_count(&r, 2), 0);
	ck_assert(!rd_ok(&r));
	r = RD("\xfe\x00\x00\x00\x02");
	ck_assert_uint_eq(rd_count(&r, 1), 0);
	ck_assert(!rd_ok(&r));
}
END_TEST

START_TEST(rd_varbytes_takes_its_length_and_no_more)
{
	struct rd r = RD("\x02"
			 "abc");

	ck_assert(slice_eq(rd_varbytes(&r), slice_of("ab", 2)));
	ck_assert_uint_eq(rd_left(&r), 1);
	r = RD("\x04"
	       "abc");
	ck_assert_uint_eq(rd_varbytes(&r).n, 0);
	ck_assert(!rd_ok(&r));
	r = RD("\x00");
	ck_assert_uint_eq(rd_varbytes(&r).n, 0);
	ck_assert(rd_ok(&r));
}
END_TEST

Suite *rd_suite(void)
{
	Suite *s = suite_create("rd");
	TCase *tc = tcase_create("rd");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, rd_reads_integers_in_order);
	tcase_add_test(tc, rd_of_an_empty_slice_has_nothing_and_is_ok);
	tcase_add_loop_test(tc, rd_fails_on_every_truncation_and_leaves_nothing,
			    0, 5);
	tcase_add_test(tc, rd_stays_failed_after_the_first_failure);
	tcase_add_test(tc,
		       rd_take_borrows_in_place_and_refuses_more_than_is_left);
	tcase_add_test(tc, rd_take_refuses_the_largest_size);
	tcase_add_test(tc, rd_bytes_gives_an_empty_slice_on_failure);
	suite_add_tcase(s, tc);
	tc = tcase_create("compact");
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(
	    tc, compact_round_trips_at_the_edges_in_its_stated_size, 0, EDGES);
	tcase_add_loop_test(tc, compact_fails_on_every_truncation, 0, EDGES);
	tcase_add_test(tc, compact_refuses_a_longer_form_than_needed);
	tcase_add_test(tc, rd_compact_accepts_max_size_and_refuses_one_more);
	tcase_add_test(tc, rd_count_accepts_what_just_fits);
	tcase_add_test(tc, rd_count_refuses_count_larger_than_body);
	tcase_add_test(tc, rd_varbytes_takes_its_length_and_no_more);
	suite_add_tcase(s, tc);
	return s;
}
