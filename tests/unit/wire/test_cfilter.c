/* The messages of BIP 157. */
#include "wiretest.h"

#include <cairn/wire/cfilter.h>

#include <stdlib.h>

static struct hash256 hash_of(uint32_t seed)
{
	struct hash256 h;

	fill(h.b, 32, seed);
	return h;
}

static bool getcf_ok(struct slice body)
{
	struct getcf_view v;

	return getcf_view_parse(&v, body) && v.stop->b[31] == hash_of(1).b[31];
}

static bool getcfcheckpt_ok(struct slice body)
{
	struct getcfcheckpt_view v;

	return getcfcheckpt_view_parse(&v, body) &&
	       v.stop->b[31] == hash_of(1).b[31];
}

static bool cfilter_ok(struct slice body)
{
	struct cfilter_view v;
	uint32_t sum = 0;

	if (!cfilter_view_parse(&v, body))
		return false;
	for (size_t i = 0; i < v.filter.n; i++)
		sum += v.filter.p[i];
	return sum + v.block->b[31] != UINT32_MAX;
}

static bool cfheaders_ok(struct slice body)
{
	struct cfheaders_view v;
	uint32_t sum = 0;

	if (!cfheaders_view_parse(&v, body))
		return false;
	for (size_t i = 0; i < (size_t)v.n * 32; i++)
		sum += v.hashes[i];
	return sum + v.stop->b[31] + v.prev_header->b[31] != UINT32_MAX;
}

static bool cfcheckpt_ok(struct slice body)
{
	struct cfcheckpt_view v;
	uint32_t sum = 0;

	if (!cfcheckpt_view_parse(&v, body))
		return false;
	for (uint32_t i = 0; i < v.n; i++)
		sum += cfcheckpt_at(&v, i)->b[31];
	return sum + v.stop->b[31] != UINT32_MAX;
}

START_TEST(requests_read_as_they_were_written)
{
	uint8_t a[GETCF_SIZE], b[GETCFCHECKPT_SIZE];
	struct hash256 stop = hash_of(1);
	struct getcf_view v;
	struct getcfcheckpt_view c;

	ck_assert_ptr_eq(getcf_put(a, 7, 0x80000001u, &stop), a + sizeof a);
	ck_assert(getcf_view_parse(&v, slice_of(a, sizeof a)));
	ck_assert_uint_eq(v.filter_type, 7);
	ck_assert_uint_eq(v.start_height, 0x80000001u);
	ck_assert(hash256_eq(v.stop, &stop));
	ck_assert_ptr_eq(getcfcheckpt_put(b, 0, &stop), b + sizeof b);
	ck_assert(getcfcheckpt_view_parse(&c, slice_of(b, sizeof b)));
	ck_assert_uint_eq(c.filter_type, 0);
	ck_assert(hash256_eq(c.stop, &stop));
	check_cuts(getcf_ok, slice_of(a, sizeof a));
	check_extra(getcf_ok, slice_of(a, sizeof a), true);
	check_cuts(getcfcheckpt_ok, slice_of(b, sizeof b));
	check_extra(getcfcheckpt_ok, slice_of(b, sizeof b), true);
}
END_TEST

START_TEST(a_filter_reads_as_it_was_written)
{
	static const size_t len[] = {0, 1, 252, 253, 5000};
	uint8_t filter[5000], raw[5100];
	struct hash256 block = hash_of(2);
	struct cfilter_view v;

	fill(filter, sizeof filter, 9);
	for (size_t i = 0; i < sizeof len / sizeof *len; i++) {
		size_t n = cfilter_size(len[i]);
		uint8_t *end =
		    cfilter_put(raw, 0, &block, slice_of(filter, len[i]));
		ck_assert_ptr_eq(end, raw + n);
		ck_assert(cfilter_view_parse(&v, slice_of(raw, n)));
		ck_assert_uint_eq(v.filter_type, 0);
		ck_assert(hash256_eq(v.block, &block));
		ck_assert(slice_eq(v.filter, slice_of(filter, len[i])));
		check_cuts(cfilter_ok, slice_of(raw, n));
		check_extra(cfilter_ok, slice_of(raw, n), false);
	}
	check_counts(cfilter_ok, slice_of(raw, 33), 4096);
}
END_TEST

START_TEST(filter_headers_read_as_they_were_written)
{
	static const uint32_t count[] = {0, 1, 253, CFHEADERS_MAX + 1};
	uint8_t *raw = malloc(cfheaders_size(CFHEADERS_MAX + 1));
	struct hash256 stop = hash_of(1), prev = hash_of(2);
	struct cfheaders_view v;

	for (size_t i = 0; i < 4; i++) {
		size_t n = cfheaders_size(count[i]);
		uint8_t *p = cfheaders_head_put(raw, 3, &stop, &prev, count[i]);
		ck_assert_ptr_eq(p + (size_t)count[i] * 32, raw + n);
		fill(p, (size_t)count[i] * 32, 5);
		ck_assert(cfheaders_view_parse(&v, slice_of(raw, n)));
		ck_assert_uint_eq(v.filter_type, 3);
		ck_assert_uint_eq(v.n, count[i]);
		ck_assert(hash256_eq(v.stop, &stop));
		ck_assert(hash256_eq(v.prev_header, &prev));
		ck_assert_ptr_eq(v.hashes, p);
		check_cuts(cfheaders_ok, slice_of(raw, n));
		check_extra(cfheaders_ok, slice_of(raw, n), false);
	}
	check_counts(cfheaders_ok, slice_of(raw, 65), 4096);
	free(raw);
}
END_TEST

START_TEST(filter_checkpoints_read_as_they_were_written)
{
	static const uint32_t count[] = {0, 1, 253, 70000};
	uint8_t *raw = malloc(cfcheckpt_size(70000));
	struct hash256 stop = hash_of(1);
	struct cfcheckpt_view v;

	for (size_t i = 0; i < 4; i++) {
		size_t n = cfcheckpt_size(count[i]);
		uint8_t *p = cfcheckpt_head_put(raw, 0, &stop, count[i]);
		ck_assert_ptr_eq(p + (size_t)count[i] * 32, raw + n);
		fill(p, (size_t)count[i] * 32, 5);
		ck_assert(cfcheckpt_view_parse(&v, slice_of(raw, n)));
		ck_assert_uint_eq(v.n, count[i]);
		ck_assert(hash256_eq(v.stop, &stop));
		if (v.n)
			ck_assert_ptr_eq(cfcheckpt_at(&v, v.n - 1),
					 raw + n - 32);
		check_extra(cfcheckpt_ok, slice_of(raw, n), false);
		if (count[i] < 1000)
			check_cuts(cfcheckpt_ok, slice_of(raw, n));
	}
	check_counts(cfcheckpt_ok, slice_of(raw, 33), 4096);
	free(raw);
}
END_TEST

Suite *cfilter_suite(void)
{
	Suite *s = suite_create("cfilter");
	TCase *t = tcase_create("cfilter");

	tcase_add_test(t, requests_read_as_they_were_written);
	tcase_add_test(t, a_filter_reads_as_it_was_written);
	tcase_add_test(t, filter_headers_read_as_they_were_written);
	tcase_add_test(t, filter_checkpoints_read_as_they_were_written);
	tcase_set_timeout(t, 30);
	suite_add_tcase(s, t);
	return s;
}
