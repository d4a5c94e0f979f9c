/* Base 58 with and without checksum. */
#include "suites.h"
#include "testdata.h"
#include "testjson.h"

#include "../../../src/address/base58.h"

#include <cairn/address/address.h>

#include <stdlib.h>

START_TEST(bytes_and_digits_are_those_of_the_vectors)
{
	struct tj *all;

	if (td_missing())
		return;
	all = tj_read("vectors/core/base58_encode_decode.json");
	ck_assert_uint_ge(all->n, 12);
	for (size_t i = 0; i < all->n; i++) {
		const char *hex = all->at[i].at[0].str;
		const char *text = all->at[i].at[1].str;
		char got[2 * BASE58_MAX + 2];
		uint8_t back[BASE58_MAX];
		size_t n, size;
		uint8_t *raw = td_hex(hex, strlen(hex), &n);

		base58_put(got, slice_of(raw, n));
		ck_assert_str_eq(got, text);
		ck_assert(base58_parse(back, &size, n, text));
		ck_assert(slice_eq(slice_of(back, size), slice_of(raw, n)));
		/* One byte less does not hold it. */
		if (n > 0)
			ck_assert(!base58_parse(back, &size, n - 1, text));
		free(raw);
	}
	tj_free(all);
}
END_TEST

START_TEST(every_length_and_number_of_zeros_comes_back)
{
	uint8_t raw[BASE58_MAX], back[BASE58_MAX];
	char text[2 * BASE58_MAX + 2];
	size_t size;

	for (size_t n = 0; n <= BASE58_MAX; n++) {
		for (size_t zeros = 0; zeros <= n; zeros += n / 3 + 1) {
			for (size_t i = 0; i < n; i++)
				raw[i] = i < zeros ? 0 : (uint8_t)(255 - i * 7);
			base58_put(text, slice_of(raw, n));
			ck_assert(base58_parse(back, &size, n, text));
			ck_assert_uint_eq(size, n);
			ck_assert_mem_eq(back, raw, n);
		}
		/* The largest number of n bytes. */
		memset(raw, 0xff, n);
		base58_put(text, slice_of(raw, n));
		ck_assert(base58_parse(back, &size, n, text));
		ck_assert(size == n && memcmp(back, raw, n) == 0);
	}
}
END_TEST

START_TEST(white_space_is_skipped_around_the_digits_only)
{
	uint8_t raw[8];
	size_t n;

	ck_assert(base58_parse(raw, &n, 8, " \t\n\v\f\r2g \t\r\n"));
	ck_assert(n == 1 && raw[0] == 0x61);
	ck_assert(base58_parse(raw, &n, 8, "  "));
	ck_assert_uint_eq(n, 0);
	ck_assert(!base58_parse(raw, &n, 8, "2 g"));
	ck_assert(!base58_parse(raw, &n, 8, "1 2g"));
}
END_TEST

START_TEST(other_characters_are_refused)
{
	uint8_t raw[8];
	size_t n;

	for (int c = 1; c < 256; c++) {
		char text[4] = {'2', (char)c, '2', '\0'};
		bool digit = strchr("123456789ABCDEFGHJKLMNPQRSTUVWXYZ"
				    "abcdefghijkmnopqrstuvwxyz",
				    c) != NULL;

		ck_assert_msg(base58_parse(raw, &n, 8, text) == digit, "%02x",
			      (unsigned)c);
	}
}
END_TEST

START_TEST(checksummed_text_comes_back_and_no_changed_one)
{
	static const char digits[] = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
	uint8_t raw[BASE58CHECK_MAX], back[BASE58CHECK_MAX];
	char text[2 * BASE58CHECK_MAX + 10];
	size_t n;

	for (size_t size = 0; size <= 90; size++) {
		for (size_t i = 0; i < size; i++)
			raw[i] = (uint8_t)(i * 37 + size);
		base58check_put(text, slice_of(raw, size));
		ck_assert(base58check_parse(back, &n, size, text));
		ck_assert(n == size && memcmp(back, raw, n) == 0);
		if (size > 0)
			ck_assert(!base58check_parse(back, &n, size - 1, text));
		for (size_t i = 0; i < strlen(text); i += 3) {
			char was = text[i];

			text[i] = digits[(size + i) % 32];
			if (text[i] == was)
				text[i] = 'a';
			ck_assert_msg(!base58check_parse(back, &n, 90, text),
				      "size %zu, character %zu", size, i);
			text[i] = was;
		}
	}
}
END_TEST

START_TEST(a_failure_leaves_the_result_alone)
{
	uint8_t back[4] = {9, 9, 9, 9};
	size_t n = 77;

	ck_assert(!base58check_parse(back, &n, 4, "3DUz7ncyU"));
	ck_assert(!base58check_parse(back, &n, 4, ""));
	ck_assert(!base58check_parse(back, &n, 4, "2g"));
	ck_assert(n == 77 && back[0] == 9);
	/* The empty payload has a checksum too. */
	ck_assert(base58check_parse(back, &n, 4, "3QJmnh"));
	ck_assert_uint_eq(n, 0);
}
END_TEST

START_TEST(longest_payload_fits)
{
	uint8_t raw[BASE58CHECK_MAX], back[BASE58CHECK_MAX];
	char text[2 * BASE58CHECK_MAX + 10];
	size_t n;

	memset(raw, 0xff, sizeof raw);
	base58check_put(text, slice_of(raw, sizeof raw));
	ck_assert(base58check_parse(back, &n, sizeof back, text));
	ck_assert_mem_eq(back, raw, sizeof raw);
	memset(raw, 0, sizeof raw);
	base58check_put(text, slice_of(raw, sizeof raw));
	ck_assert(base58check_parse(back, &n, sizeof back, text));
	ck_assert_mem_eq(back, raw, sizeof raw);
}
END_TEST

Suite *base58_suite(void)
{
	Suite *s = suite_create("base58");
	TCase *t = tcase_create("base58");

	tcase_add_test(t, bytes_and_digits_are_those_of_the_vectors);
	tcase_add_test(t, every_length_and_number_of_zeros_comes_back);
	tcase_add_test(t, white_space_is_skipped_around_the_digits_only);
	tcase_add_test(t, other_characters_are_refused);
	suite_add_tcase(s, t);
	t = tcase_create("check");
	tcase_add_test(t, checksummed_text_comes_back_and_no_changed_one);
	tcase_add_test(t, a_failure_leaves_the_result_alone);
	tcase_add_test(t, longest_payload_fits);
	suite_add_tcase(s, t);
	return s;
}
