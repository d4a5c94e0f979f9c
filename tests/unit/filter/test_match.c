/* Asking filters, sound and broken ones. */
#include "suites.h"
#include "testdata.h"

#include <cairn/base/buf.h>
#include <cairn/base/mem.h>
#include <cairn/crypto/siphash.h>
#include <cairn/filter/gcs.h>

#include <stdlib.h>

static const struct hash256 key = {{7, 1, 4}};

static struct slice element(uint32_t *space, uint32_t i)
{
	*space = i;
	return slice_of(space, sizeof *space);
}

/* A filter of the numbers 0 to n - 1. */
static struct buf *numbers(uint32_t n)
{
	struct gcs_builder b;
	struct buf *f = NULL;
	uint32_t space;

	gcs_builder_init(&b, &key);
	for (uint32_t i = 0; i < n; i++)
		gcs_add(&b, element(&space, i));
	ck_assert_int_eq(gcs_build(&f, &b), 0);
	gcs_builder_fini(&b);
	return f;
}

START_TEST(every_element_is_found_alone)
{
	static const uint32_t sizes[] = {1, 2, 3, 100, 5000};

	for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
		struct buf *f = numbers(sizes[k]);
		uint32_t space;
		bool bad;

		for (uint32_t i = 0; i < sizes[k]; i++) {
			struct slice e = element(&space, i);

			ck_assert_msg(
			    gcs_match_any(&bad, buf_payload(f), &key, &e, 1),
			    "%u of %u", i, sizes[k]);
			ck_assert(!bad);
		}
		buf_unref(f);
	}
}
END_TEST

/* One in 784,931 strangers matches by chance, so a few thousand do not. */
START_TEST(strangers_are_not_found)
{
	struct buf *f = numbers(1000);
	uint32_t space, found = 0;
	bool bad;

	for (uint32_t i = 5000; i < 9000; i++) {
		struct slice e = element(&space, i);

		found += gcs_match_any(&bad, buf_payload(f), &key, &e, 1);
		ck_assert(!bad);
	}
	ck_assert_uint_eq(found, 0);
	buf_unref(f);
}
END_TEST

START_TEST(one_hit_among_many_queries_is_enough)
{
	struct buf *f = numbers(1000);
	struct slice q[100];
	uint32_t space[100];
	bool bad;

	for (uint32_t n = 1; n <= 100; n++) {
		for (uint32_t i = 0; i < n; i++)
			q[i] = element(&space[i], 5000 + i);
		ck_assert(!gcs_match_any(&bad, buf_payload(f), &key, q, n));
		q[n / 3] = element(&space[n / 3], n * 7);
		ck_assert_msg(gcs_match_any(&bad, buf_payload(f), &key, q, n),
			      "n=%u", n);
		ck_assert(!bad);
	}
	buf_unref(f);
}
END_TEST

START_TEST(nothing_matches_nothing)
{
	struct buf *f = numbers(10);
	struct slice zero = slice_of("", 1), e = slice_of("x", 1);
	bool bad = true;

	ck_assert(!gcs_match_any(&bad, buf_payload(f), &key, NULL, 0));
	ck_assert(!bad);
	ck_assert(!gcs_match_any(&bad, zero, &key, &e, 1));
	ck_assert(!bad);
	buf_unref(f);
}
END_TEST

START_TEST(another_block_hash_is_another_key)
{
	struct hash256 other = key;
	struct buf *f = numbers(1000);
	uint32_t space, found = 0;
	bool bad;

	other.b[15] ^= 1; /* the last byte of the key */
	for (uint32_t i = 0; i < 1000; i++) {
		struct slice e = element(&space, i);

		found += gcs_match_any(&bad, buf_payload(f), &other, &e, 1);
	}
	ck_assert_uint_lt(found, 3);
	other = key;
	other.b[16] ^= 1; /* the first that is not */
	for (uint32_t i = 0; i < 1000; i++) {
		struct slice e = element(&space, i);

		ck_assert(gcs_match_any(&bad, buf_payload(f), &other, &e, 1));
	}
	buf_unref(f);
}
END_TEST

/* A query whose value lies behind all of the filter's, so that all is read. */
static struct slice last_query(uint32_t *space)
{
	const uint64_t k[2] = {0x040107, 0}; /* the first bytes of key */
	uint64_t best = 0;
	uint32_t at = 0;

	for (uint32_t i = 1000000; i < 1100000; i++) {
		uint64_t h = siphash(k, &i, sizeof i);

		if (h > best) {
			best = h;
			at = i;
		}
	}
	return element(space, at);
}

START_TEST(every_truncation_is_bad_and_reads_nothing_behind)
{
	struct buf *f = numbers(300);
	struct slice all = buf_payload(f), e;
	struct td_guard g;
	uint32_t space;
	bool bad;

	e = last_query(&space);
	td_guard_init(&g, all.n + 1);
	ck_assert(gcs_valid(td_guard_put(&g, all)));
	for (size_t n = 0; n < all.n; n++) {
		struct slice cut = td_guard_put(&g, slice_of(all.p, n));

		ck_assert_msg(!gcs_valid(cut), "n=%zu", n);
		ck_assert(!gcs_match_any(&bad, cut, &key, &e, 1));
		ck_assert_msg(bad, "n=%zu", n);
	}
	td_guard_fini(&g);
	buf_unref(f);
}
END_TEST

START_TEST(one_byte_more_is_not_valid)
{
	for (uint32_t n = 0; n < 20; n++) {
		struct buf *f = numbers(n);
		uint8_t *copy = xcalloc(1, f->n + 1);

		memcpy(copy, buf_data(f), f->n);
		ck_assert(gcs_valid(slice_of(copy, f->n)));
		ck_assert_msg(!gcs_valid(slice_of(copy, f->n + 1)), "n=%u", n);
		free(copy);
		buf_unref(f);
	}
}
END_TEST

START_TEST(counts_that_the_bytes_cannot_hold_are_bad)
{
	static const struct {
		const char *hex;
		bool valid;
	} t[] = {
	    {"", false},
	    {"00", true},
	    {"fd0000", false}, /* not minimal */
	    {"fdfc00", false},
	    {"01", false},
	    {"010000", false}, /* 16 bits for one element of 20 */
	    {"01000000", true},
	    {"0100000000", false}, /* a byte too many */
	    {"02000000", false},
	    {"0200000000000000", false}, /* 7 bytes where 5 do */
	    {"020000000000", true},
	    {"feffffffff0000000000", false},
	    {"ffffffffffffffffff00", false},
	};
	struct slice e = slice_of("x", 1);
	uint8_t raw[16];
	bool bad;

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct slice f =
		    slice_of(raw, td_hex_into(raw, sizeof raw, t[i].hex));

		ck_assert_msg(gcs_valid(f) == t[i].valid, "%s", t[i].hex);
		gcs_match_any(&bad, f, &key, &e, 1);
		ck_assert_msg(!bad || !t[i].valid, "%s", t[i].hex);
	}
}
END_TEST

/* Quotients of every length, up to such that cross several words. */
START_TEST(long_runs_of_ones_are_one_difference)
{
	struct td_guard g;
	uint8_t raw[128];

	td_guard_init(&g, sizeof raw);
	for (size_t ones = 0; ones < 700; ones++) {
		size_t bits = ones + 1 + GCS_P, n = (bits + 7) / 8;

		memset(raw, 0, sizeof raw);
		raw[0] = 1;
		for (size_t i = 0; i < ones; i++)
			raw[1 + i / 8] |= (uint8_t)(0x80 >> i % 8);
		ck_assert_msg(gcs_valid(td_guard_put(&g, slice_of(raw, 1 + n))),
			      "ones=%zu", ones);
		ck_assert_msg(!gcs_valid(td_guard_put(&g, slice_of(raw, n))),
			      "ones=%zu", ones);
		ck_assert(!gcs_valid(td_guard_put(&g, slice_of(raw, 2 + n))));
	}
	/* Ones to the end. */
	memset(raw, 0xff, sizeof raw);
	raw[0] = 1;
	for (size_t n = 1; n < sizeof raw; n++)
		ck_assert(!gcs_valid(td_guard_put(&g, slice_of(raw, n))));
	td_guard_fini(&g);
}
END_TEST

Suite *match_suite(void)
{
	Suite *s = suite_create("match");
	TCase *t = tcase_create("match");

	tcase_add_test(t, every_element_is_found_alone);
	tcase_add_test(t, strangers_are_not_found);
	tcase_add_test(t, one_hit_among_many_queries_is_enough);
	tcase_add_test(t, nothing_matches_nothing);
	tcase_add_test(t, another_block_hash_is_another_key);
	suite_add_tcase(s, t);
	t = tcase_create("malformed");
	tcase_add_test(t, every_truncation_is_bad_and_reads_nothing_behind);
	tcase_add_test(t, one_byte_more_is_not_valid);
	tcase_add_test(t, counts_that_the_bytes_cannot_hold_are_bad);
	tcase_add_test(t, long_runs_of_ones_are_one_difference);
	suite_add_tcase(s, t);
	return s;
}
