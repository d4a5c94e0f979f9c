/* One message at a time, by every kernel that can stand alone. */
#include "suites.h"
#include "testdata.h"

#include "../../../src/crypto/lanes.h"

#include <cairn/base/text.h>
#include <cairn/crypto/sha256.h>

#include <stdlib.h>

/* Call f with each kernel of width 1 that runs here as the chosen one. */
static void each_single(void (*f)(void))
{
	const struct sha256_choice before = *sha256_chosen();

	for (const struct sha256_lanes *const *l = sha256_lanes_all(); *l;
	     l++) {
		if ((*l)->width != 1 || !(*l)->usable())
			continue;
		sha256_choose(&(struct sha256_choice){.one = *l});
		f();
	}
	sha256_choose(&before);
}

/* FIPS 180-4 examples and the empty message. */
static const struct {
	const char *text, *hash;
} fips[] = {
    {"", "e3b0c44298fc1c149afbf4c8996fb924"
	 "27ae41e4649b934ca495991b7852b855"},
    {"abc", "ba7816bf8f01cfea414140de5dae2223"
	    "b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
};

static void check_fips(void)
{
	uint8_t want[32], got[32];

	for (size_t i = 0; i < sizeof fips / sizeof *fips; i++) {
		ck_assert(hex_parse(want, 32, fips[i].hash));
		sha256_once(got, fips[i].text, strlen(fips[i].text));
		ck_assert_mem_eq(got, want, 32);
	}
}

START_TEST(sha256_gives_the_examples_of_the_standard)
{
	each_single(check_fips);
}
END_TEST

static void check_lengths(void)
{
	struct td_guard g;
	uint8_t all[300], got[32], want[32];
	struct hash256 d, wantd;

	fill(all, sizeof all, 1);
	td_guard_init(&g, sizeof all);
	for (size_t n = 0; n <= sizeof all; n++) {
		struct slice s = td_guard_put(&g, slice_of(all, n));

		sha256_once(got, s.p, s.n);
		evp_sha256(want, all, n);
		ck_assert_msg(memcmp(got, want, 32) == 0, "once, n=%zu", n);
		sha256d(&d, s.p, s.n);
		evp_sha256d(&wantd, all, n);
		ck_assert_msg(hash256_eq(&d, &wantd), "twice, n=%zu", n);
	}
	td_guard_fini(&g);
}

START_TEST(every_length_agrees_with_openssl_and_reads_nothing_behind)
{
	each_single(check_lengths);
}
END_TEST

static void check_stream(void)
{
	uint8_t all[300], got[32], want[32];

	fill(all, sizeof all, 2);
	for (size_t piece = 1; piece < 200; piece++) {
		struct sha256 h;

		sha256_init(&h);
		for (size_t at = 0; at < sizeof all; at += piece) {
			size_t left = sizeof all - at;

			sha256_put(&h, all + at, left < piece ? left : piece);
			sha256_put(&h, NULL, 0);
		}
		sha256_end(&h, got);
		evp_sha256(want, all, sizeof all);
		ck_assert_msg(memcmp(got, want, 32) == 0, "piece=%zu", piece);
	}
}

START_TEST(pieces_of_any_size_hash_as_the_whole)
{
	each_single(check_stream);
}
END_TEST

static void check_stream_lengths(void)
{
	uint8_t all[200], got[32], want[32];

	fill(all, sizeof all, 3);
	for (size_t n = 0; n <= sizeof all; n++) {
		struct sha256 h;

		sha256_init(&h);
		sha256_put(&h, all, n);
		sha256_end(&h, got);
		evp_sha256(want, all, n);
		ck_assert_msg(memcmp(got, want, 32) == 0, "n=%zu", n);
	}
}

START_TEST(streamed_messages_of_every_length_agree_with_openssl)
{
	each_single(check_stream_lengths);
}
END_TEST

static void check_parts(void)
{
	uint8_t all[200];
	struct hash256 got, want;

	fill(all, sizeof all, 4);
	for (size_t n = 0; n <= sizeof all; n += 7) {
		evp_sha256d(&want, all, n);
		for (size_t a = 0; a <= n; a += 3) {
			size_t b = a + (n - a) / 2;
			struct slice part[3] = {
			    slice_of(all, a),
			    slice_of(all + a, b - a),
			    slice_of(all + b, n - b),
			};

			sha256d_parts(&got, part, 3);
			ck_assert_msg(hash256_eq(&got, &want), "n=%zu a=%zu", n,
				      a);
		}
	}
}

START_TEST(three_parts_hash_as_the_whole_wherever_they_are_cut)
{
	each_single(check_parts);
}
END_TEST

START_TEST(no_parts_are_the_empty_message)
{
	struct hash256 got, want;

	sha256d_parts(&got, NULL, 0);
	evp_sha256d(&want, "", 0);
	ck_assert(hash256_eq(&got, &want));
}
END_TEST

static void check_megabyte(void)
{
	size_t n = 1000000;
	uint8_t *p = malloc(n);
	struct hash256 got, want;

	ck_assert_ptr_nonnull(p);
	fill(p, n, 5);
	sha256d(&got, p, n);
	evp_sha256d(&want, p, n);
	ck_assert(hash256_eq(&got, &want));
	free(p);
}

START_TEST(a_megabyte_agrees_with_openssl)
{
	each_single(check_megabyte);
}
END_TEST

Suite *sha256_suite(void)
{
	Suite *s = suite_create("sha256");
	TCase *t = tcase_create("single");

	tcase_add_test(t, sha256_gives_the_examples_of_the_standard);
	tcase_add_test(
	    t, every_length_agrees_with_openssl_and_reads_nothing_behind);
	tcase_add_test(t, pieces_of_any_size_hash_as_the_whole);
	tcase_add_test(t, streamed_messages_of_every_length_agree_with_openssl);
	tcase_add_test(t, three_parts_hash_as_the_whole_wherever_they_are_cut);
	tcase_add_test(t, no_parts_are_the_empty_message);
	tcase_add_test(t, a_megabyte_agrees_with_openssl);
	suite_add_tcase(s, t);
	return s;
}
