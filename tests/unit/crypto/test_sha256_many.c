/* Many messages at a time, with every kernel forced one by one. */
#include "suites.h"
#include "testdata.h"

#include "../../../src/crypto/lanes.h"

#include <cairn/crypto/sha256.h>

#include <stdlib.h>

#define MOST 40

static const char *kernel; /* the one that is forced */

/* Call f with each kernel that runs here as the one for all numbers. */
static void each_kernel(void (*f)(void))
{
	const struct sha256_choice before = *sha256_chosen();

	for (const struct sha256_lanes *const *l = sha256_lanes_all(); *l;
	     l++) {
		struct sha256_choice c = {.one = &sha256_portable};

		if (!(*l)->usable())
			continue;
		kernel = (*l)->name;
		c.level[0] = (struct sha256_level){*l, 1};
		if ((*l)->width == 1)
			c.one = *l;
		else
			c.n_levels = 1;
		sha256_choose(&c);
		f();
	}
	sha256_choose(&before);
}

static void check_many(const struct slice *in, size_t n)
{
	struct hash256 got[MOST + 1], want;

	memset(got, 0xee, sizeof got);
	sha256d_many(got, in, n);
	for (size_t i = 0; i < n; i++) {
		evp_sha256d(&want, in[i].p, in[i].n);
		ck_assert_msg(hash256_eq(&got[i], &want),
			      "%s: message %zu of %zu, %zu bytes", kernel, i, n,
			      in[i].n);
	}
	/* Nothing behind the last result is written. */
	memset(&want, 0xee, sizeof want);
	ck_assert(hash256_eq(&got[n], &want));
}

static void mixed_lengths(void)
{
	uint8_t all[400 + MOST];
	struct slice in[MOST];

	fill(all, sizeof all, 1);
	for (size_t n = 0; n <= MOST; n++) {
		for (size_t i = 0; i < n; i++)
			in[i] = slice_of(all + i, (i * 37 + n * 11) % 400);
		check_many(in, n);
	}
}

START_TEST(any_number_of_messages_of_mixed_lengths_agrees)
{
	each_kernel(mixed_lengths);
}
END_TEST

static void every_length(void)
{
	uint8_t all[300 + MOST];
	struct slice in[17];

	fill(all, sizeof all, 2);
	for (size_t n = 0; n <= 300; n++) {
		for (size_t i = 0; i < 17; i++)
			in[i] = slice_of(all + i, n);
		check_many(in, 17);
	}
}

START_TEST(equal_messages_of_every_length_agree)
{
	each_kernel(every_length);
}
END_TEST

static void long_one(void)
{
	size_t big = 70000;
	uint8_t *all = malloc(big);
	struct slice in[MOST];

	ck_assert_ptr_nonnull(all);
	fill(all, big, 3);
	for (size_t at = 0; at < MOST; at += 13) {
		for (size_t i = 0; i < MOST; i++)
			in[i] = slice_of(all + i, i == at ? big - i : 200 + i);
		check_many(in, MOST);
	}
	free(all);
}

START_TEST(a_long_message_among_short_ones_is_finished_alone)
{
	each_kernel(long_one);
}
END_TEST

static void guarded(void)
{
	struct td_guard g[3];
	uint8_t all[200];
	struct slice in[3];

	fill(all, sizeof all, 4);
	for (int i = 0; i < 3; i++)
		td_guard_init(&g[i], sizeof all);
	for (size_t n = 0; n <= 197; n++) {
		for (size_t i = 0; i < 3; i++)
			in[i] = td_guard_put(&g[i], slice_of(all, n + i));
		check_many(in, 3);
	}
	for (int i = 0; i < 3; i++)
		td_guard_fini(&g[i]);
}

START_TEST(many_read_nothing_behind_a_message)
{
	each_kernel(guarded);
}
END_TEST

static void in_parts(void)
{
	uint8_t all[500];
	struct slice in[3 * MOST];
	struct hash256 got[MOST], want;

	fill(all, sizeof all, 5);
	for (size_t n = 1; n <= MOST; n++) {
		for (size_t i = 0; i < n; i++) {
			size_t size = (i * 29 + n * 17) % 450;
			size_t a = i % 5 * size / 8, b = size - i % 3 * 2;

			b = b < a || b > size ? a : b;
			in[3 * i] = slice_of(all + i, a);
			in[3 * i + 1] = slice_of(all + i + a, b - a);
			in[3 * i + 2] = slice_of(all + i + b, size - b);
		}
		sha256d_many_parts(got, in, 3, n);
		for (size_t i = 0; i < n; i++) {
			evp_sha256d(&want, in[3 * i].p,
				    in[3 * i].n + in[3 * i + 1].n +
					in[3 * i + 2].n);
			ck_assert_msg(hash256_eq(&got[i], &want), "%zu of %zu",
				      i, n);
		}
	}
}

START_TEST(many_in_three_parts_hash_as_the_whole)
{
	each_kernel(in_parts);
}
END_TEST

static void rows(void)
{
	uint8_t in[64 * (MOST + 1)], out[64 * (MOST + 1)];
	struct hash256 want;

	for (size_t n = 0; n <= MOST; n++) {
		fill(in, sizeof in, (uint32_t)n);
		memset(out, 0xee, sizeof out);
		sha256d64(out, in, n);
		for (size_t i = 0; i < n; i++) {
			evp_sha256d(&want, in + 64 * i, 64);
			ck_assert_msg(memcmp(out + 32 * i, want.b, 32) == 0,
				      "%s: %zu of %zu", kernel, i, n);
		}
		ck_assert_uint_eq(out[32 * n], 0xee);
		sha256d64(in, in, n);
		ck_assert_mem_eq(in, out, 32 * n);
	}
}

START_TEST(merkle_rows_agree_also_in_place)
{
	each_kernel(rows);
}
END_TEST

static void headers(void)
{
	static const size_t strides[] = {80, 81, 83};
	uint8_t in[83 * 100];
	struct hash256 got[100], want;

	fill(in, sizeof in, 6);
	for (size_t k = 0; k < 3; k++) {
		size_t n = 100 - 31 * k;

		sha256d80(got, in, strides[k], n);
		for (size_t i = 0; i < n; i++) {
			evp_sha256d(&want, in + strides[k] * i, 80);
			ck_assert_msg(hash256_eq(&got[i], &want), "%zu, %zu",
				      strides[k], i);
		}
	}
}

START_TEST(headers_agree_whatever_their_stride)
{
	each_kernel(headers);
}
END_TEST

Suite *sha256_many_suite(void)
{
	Suite *s = suite_create("sha256_many");
	TCase *t = tcase_create("many");

	tcase_add_test(t, any_number_of_messages_of_mixed_lengths_agrees);
	tcase_add_test(t, equal_messages_of_every_length_agree);
	tcase_add_test(t, a_long_message_among_short_ones_is_finished_alone);
	tcase_add_test(t, many_read_nothing_behind_a_message);
	tcase_add_test(t, many_in_three_parts_hash_as_the_whole);
	tcase_add_test(t, merkle_rows_agree_also_in_place);
	tcase_add_test(t, headers_agree_whatever_their_stride);
	suite_add_tcase(s, t);
	return s;
}
