/* Block headers and the headers message. */
#include "wiretest.h"

#include <cairn/wire/header.h>

#include <stdlib.h>

/* Mainnet block 1, whose hash begins 4860eb18bf1b1620. */
static const char block1[] =
    "010000006fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d6190000000000"
    "982051fd1e4ba744bbbe680e1fee14677ba1a3c3540bf7b1cdb606e857233e0e"
    "61bc6649ffff001d01e36299";

static bool body_ok(struct slice body)
{
	struct headers_view v;
	const uint8_t *h;
	uint32_t sum = 0, n = 0;
	bool over;

	if (!headers_view_parse(&v, &over, body))
		return false;
	for (h = v.n ? v.first : NULL; h; h = headers_next(&v, h), n++) {
		ck_assert_ptr_eq(h, headers_at(&v, n));
		for (size_t i = 0; i < HEADER_SIZE; i++)
			sum += h[i];
	}
	ck_assert_uint_eq(n, v.n);
	ck_assert(!over && sum != 1);
	return true;
}

/* n different headers whose counts are given in hex (default 00). */
static uint8_t *vector_new(size_t *size, uint32_t n, const char *const *counts)
{
	uint8_t *v = malloc(9 + (size_t)n * 89), *p;

	ck_assert_ptr_nonnull(v);
	p = compact_put(v, n);
	for (uint32_t i = 0; i < n; i++) {
		fill(p, HEADER_SIZE, i);
		p += HEADER_SIZE;
		p += td_hex_into(p, 9, counts ? counts[i] : "00");
	}
	*size = (size_t)(p - v);
	return v;
}

START_TEST(a_header_reads_as_its_six_fields_and_back)
{
	uint8_t raw[HEADER_SIZE], again[HEADER_SIZE];
	struct header h;

	ck_assert_uint_eq(td_hex_into(raw, sizeof raw, block1), 80);
	header_get(&h, raw);
	ck_assert_int_eq(h.version, 1);
	ck_assert_uint_eq(h.time, 1231469665);
	ck_assert_uint_eq(h.bits, 0x1d00ffff);
	ck_assert_uint_eq(h.nonce, 2573394689u);
	ck_assert_uint_eq(h.prev.b[0], 0x6f);
	ck_assert_uint_eq(h.merkle.b[31], 0x0e);
	ck_assert(hash256_eq(&h.prev, header_prev(raw)));
	ck_assert(hash256_eq(&h.merkle, header_merkle(raw)));
	ck_assert_ptr_eq(header_put(again, &h), again + 80);
	ck_assert_mem_eq(again, raw, 80);
}
END_TEST

START_TEST(a_negative_version_survives)
{
	uint8_t raw[HEADER_SIZE], again[HEADER_SIZE];
	struct header h;

	fill(raw, sizeof raw, 7);
	raw[3] = 0xff;
	header_get(&h, raw);
	ck_assert_int_lt(h.version, 0);
	header_put(again, &h);
	ck_assert_mem_eq(again, raw, 80);
}
END_TEST

START_TEST(a_vector_of_short_counts_has_a_stride)
{
	static const char *const counts[] = {"00", "fc", "01"};
	size_t size;
	uint8_t *raw = vector_new(&size, 3, counts);
	struct headers_view v;
	bool over = true;

	ck_assert(headers_view_parse(&v, &over, slice_of(raw, size)));
	ck_assert(!over);
	ck_assert_uint_eq(v.n, 3);
	ck_assert_uint_eq(v.stride, 81);
	ck_assert_ptr_eq(v.end, raw + size);
	ck_assert_ptr_eq(headers_at(&v, 2), raw + 1 + 2 * 81);
	check_cuts(body_ok, slice_of(raw, size));
	check_extra(body_ok, slice_of(raw, size), true);
	free(raw);
}
END_TEST

START_TEST(a_vector_of_long_counts_is_walked)
{
	static const char *const counts[] = {"00", "fdfd00", "fe00000100",
					     "fe00000002"};
	size_t size;
	uint8_t *raw = vector_new(&size, 4, counts);
	struct headers_view v;
	bool over;

	ck_assert(headers_view_parse(&v, &over, slice_of(raw, size)));
	ck_assert_uint_eq(v.stride, 0);
	ck_assert_ptr_eq(headers_at(&v, 0), raw + 1);
	ck_assert_ptr_eq(headers_at(&v, 3), raw + 1 + 81 + 83 + 85);
	ck_assert_ptr_null(headers_next(&v, headers_at(&v, 3)));
	check_cuts(body_ok, slice_of(raw, size));
	check_extra(body_ok, slice_of(raw, size), true);
	free(raw);
}
END_TEST

START_TEST(transaction_counts_must_be_minimal_sizes)
{
	static const char *const bad[] = {"fdfc00", "feffff0000", "fe01000002",
					  "ff0000000001000000"};
	size_t size;

	for (size_t i = 0; i < 4; i++) {
		const char *counts[] = {"00", bad[i]};
		uint8_t *raw = vector_new(&size, 2, counts);
		ck_assert_msg(!body_ok(slice_of(raw, size)), "%s", bad[i]);
		free(raw);
	}
}
END_TEST

START_TEST(the_largest_vector_is_accepted_and_one_more_is_over)
{
	size_t size;
	uint8_t *raw = vector_new(&size, HEADERS_MAX + 1, NULL);
	struct headers_view v;
	bool over = false;

	ck_assert(!headers_view_parse(&v, &over, slice_of(raw, size)));
	ck_assert(over);
	free(raw);
	raw = vector_new(&size, HEADERS_MAX, NULL);
	ck_assert(headers_view_parse(&v, &over, slice_of(raw, size)));
	ck_assert(!over);
	ck_assert_uint_eq(v.n, HEADERS_MAX);
	check_cuts(body_ok, slice_of(raw, size));
	free(raw);
}
END_TEST

START_TEST(a_count_beyond_the_body_is_over_only_above_the_limit)
{
	static const struct {
		const char *hex;
		bool over;
	} row[] = {
	    {"fdd007", false},     {"fdd107", true},  {"fe00000002", true},
	    {"fe01000002", false}, {"fdfc00", false}, {"", false},
	};
	uint8_t raw[9];
	struct headers_view v;

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		size_t n = td_hex_into(raw, sizeof raw, row[i].hex);
		bool over = !row[i].over;
		ck_assert(!headers_view_parse(&v, &over, slice_of(raw, n)));
		ck_assert_msg(over == row[i].over, "%s", row[i].hex);
	}
	check_counts(body_ok, slice_of("", 0), 4096);
}
END_TEST

START_TEST(headers_put_writes_what_the_view_reads)
{
	uint8_t in[3 * 100], out[512];
	struct headers_view v;
	bool over;

	fill(in, sizeof in, 3);
	ck_assert_uint_eq(headers_size(3), 1 + 3 * 81);
	ck_assert_ptr_eq(headers_put(out, in, 100, 3), out + headers_size(3));
	ck_assert(
	    headers_view_parse(&v, &over, slice_of(out, headers_size(3))));
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_mem_eq(headers_at(&v, i), in + i * 100, 80);
	ck_assert_uint_eq(headers_size(0), 1);
	ck_assert_uint_eq(headers_size(253), 3 + 253 * 81);
	headers_put(out, in, 100, 0);
	ck_assert(headers_view_parse(&v, &over, slice_of(out, 1)));
	ck_assert_uint_eq(v.n, 0);
}
END_TEST

Suite *header_suite(void)
{
	Suite *s = suite_create("header");
	TCase *t = tcase_create("header"), *m = tcase_create("headers");

	tcase_add_test(t, a_header_reads_as_its_six_fields_and_back);
	tcase_add_test(t, a_negative_version_survives);
	tcase_add_test(m, a_vector_of_short_counts_has_a_stride);
	tcase_add_test(m, a_vector_of_long_counts_is_walked);
	tcase_add_test(m, transaction_counts_must_be_minimal_sizes);
	tcase_add_test(m, the_largest_vector_is_accepted_and_one_more_is_over);
	tcase_add_test(m, a_count_beyond_the_body_is_over_only_above_the_limit);
	tcase_add_test(m, headers_put_writes_what_the_view_reads);
	tcase_set_timeout(m, 30);
	suite_add_tcase(s, t);
	suite_add_tcase(s, m);
	return s;
}
