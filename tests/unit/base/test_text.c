/* Growing text and the encodings. */
#include "suites.h"

#include <cairn/base/text.h>

START_TEST(text_grows_and_is_always_terminated)
{
	struct text t = TEXT_INIT;
	int i;

	ck_assert_str_eq(text_str(&t), "");
	for (i = 0; i < 1000; i++) {
		text_puts(&t, "ab");
		text_put(&t, "cde", 1);
		text_printf(&t, "%d", i % 10);
		ck_assert_uint_eq(t.n, strlen(text_str(&t)));
	}
	ck_assert_uint_eq(t.n, 4000);
	ck_assert_mem_eq(t.p + 3996, "abc9", 5);
	text_reset(&t);
	ck_assert_str_eq(text_str(&t), "");
	text_put(&t, NULL, 0);
	ck_assert_str_eq(text_str(&t), "");
	text_fini(&t);
	ck_assert_str_eq(text_str(&t), "");
}
END_TEST

START_TEST(hex_round_trips_in_either_case)
{
	uint8_t b[4];
	char s[9];

	ck_assert(hex_parse(b, 4, "00fFA9e0"));
	ck_assert_mem_eq(b, "\x00\xff\xa9\xe0", 4);
	hex_put(s, slice_of(b, 4));
	ck_assert_str_eq(s, "00ffa9e0");
	hex_put(s, slice_of(NULL, 0));
	ck_assert_str_eq(s, "");
	ck_assert(hex_parse(b, 0, ""));
}
END_TEST

START_TEST(hex_is_appended_to_text)
{
	struct text t = TEXT_INIT;
	int i;

	text_hex(&t, slice_of(NULL, 0));
	ck_assert_str_eq(text_str(&t), "");
	for (i = 0; i < 300; i++)
		text_hex(&t, slice_of("\x00\xff\x1a", 3));
	ck_assert_uint_eq(t.n, 1800);
	ck_assert_uint_eq(strlen(text_str(&t)), 1800);
	ck_assert_mem_eq(t.p + 1794, "00ff1a", 7);
	text_fini(&t);
}
END_TEST

START_TEST(hex_parse_refuses_wrong_lengths_and_digits)
{
	static const char *const bad[] = {"",      "0",    "00",   "001",
					  "00110", "0 11", "0g11", "g011",
					  "00 11", "-011", "0x11", "001\xb1"};
	uint8_t b[2];
	size_t i;

	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		ck_assert_msg(!hex_parse(b, 2, bad[i]), "%s", bad[i]);
}
END_TEST

START_TEST(hex_is_needs_an_even_number_of_digits)
{
	ck_assert(hex_is(""));
	ck_assert(hex_is("00aF"));
	ck_assert(!hex_is("0"));
	ck_assert(!hex_is("0g"));
	ck_assert(!hex_is("00 "));
}
END_TEST

/* The genesis block's hash as people read it. */
static const char genesis[] =
    "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f";

START_TEST(hash256_text_is_the_reverse_of_wire_order)
{
	struct hash256 h;
	char s[HASH256_STR];

	ck_assert(hash256_parse(&h, genesis));
	ck_assert_uint_eq(h.b[0], 0x6f);
	ck_assert_uint_eq(h.b[31], 0);
	ck_assert_str_eq(hash256_fmt(s, &h), genesis);
}
END_TEST

START_TEST(hash256_parse_refuses_other_lengths_and_leaves_the_hash)
{
	struct hash256 h = {{7}}, was = h;
	char s[66];

	memcpy(s, genesis, 65);
	ck_assert(!hash256_parse(&h, s + 1));
	s[64] = '0';
	s[65] = '\0';
	ck_assert(!hash256_parse(&h, s));
	ck_assert(!hash256_parse(&h, ""));
	ck_assert(hash256_eq(&h, &was));
}
END_TEST

START_TEST(i64_parse_takes_whole_numbers_to_the_limits)
{
	static const struct {
		const char *s;
		int64_t v;
	} good[] = {
	    {"0", 0},
	    {"-0", 0},
	    {"7", 7},
	    {"-12", -12},
	    {"007", 7},
	    {"9223372036854775807", INT64_MAX},
	    {"-9223372036854775808", INT64_MIN},
	};
	int64_t v;
	size_t i;

	for (i = 0; i < sizeof good / sizeof *good; i++) {
		ck_assert_msg(i64_parse(&v, good[i].s), "%s", good[i].s);
		ck_assert_int_eq(v, good[i].v);
	}
}
END_TEST

START_TEST(i64_parse_refuses_junk_and_overflow_and_leaves_the_value)
{
	static const char *const bad[] = {
	    "",
	    "-",
	    "+1",
	    " 1",
	    "1 ",
	    "1a",
	    "0x1",
	    "1.0",
	    "--1",
	    "1e3",
	    "9223372036854775808",
	    "-9223372036854775809",
	    "99999999999999999999",
	};
	int64_t v = 5;
	size_t i;

	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		ck_assert_msg(!i64_parse(&v, bad[i]), "%s", bad[i]);
	ck_assert_int_eq(v, 5);
}
END_TEST

/* RFC 4648, section 10. */
static const char *const base64[][2] = {
    {"", ""},
    {"f", "Zg=="},
    {"fo", "Zm8="},
    {"foo", "Zm9v"},
    {"foob", "Zm9vYg=="},
    {"fooba", "Zm9vYmE="},
    {"foobar", "Zm9vYmFy"},
};

START_TEST(base64_agrees_with_the_rfc_both_ways)
{
	const char *plain = base64[_i][0], *coded = base64[_i][1];
	char s[16];
	uint8_t b[16];
	size_t n;

	base64_put(s, slice_of(plain, strlen(plain)));
	ck_assert_str_eq(s, coded);
	ck_assert(base64_parse(b, &n, coded));
	ck_assert_uint_eq(n, strlen(plain));
	ck_assert_mem_eq(b, plain, n);
}
END_TEST

START_TEST(base64_uses_the_whole_alphabet)
{
	char s[5];
	uint8_t b[3];
	size_t n;

	base64_put(s, slice_of("\xfb\xff\xbf", 3));
	ck_assert_str_eq(s, "+/+/");
	ck_assert(base64_parse(b, &n, s));
	ck_assert_mem_eq(b, "\xfb\xff\xbf", 3);
}
END_TEST

START_TEST(base64_parse_refuses_bad_lengths_digits_and_padding)
{
	static const char *const bad[] = {
	    "Z",    "Zg",       "Zg=",   "Zm9vY", "====",
	    "Z===", "=Zg=",     "Zg=a",  "Zh==",  "Zm9=",
	    "Zm9-", "Zg==Zg==", "Zm9\n", "Zm 9",  "Zm9\xff",
	};
	uint8_t b[16];
	size_t n = 99, i;

	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		ck_assert_msg(!base64_parse(b, &n, bad[i]), "%s", bad[i]);
	ck_assert_uint_eq(n, 99);
}
END_TEST

Suite *text_suite(void)
{
	Suite *s = suite_create("text");
	TCase *tc = tcase_create("text");

	tcase_add_test(tc, text_grows_and_is_always_terminated);
	suite_add_tcase(s, tc);
	tc = tcase_create("hex");
	tcase_add_test(tc, hex_round_trips_in_either_case);
	tcase_add_test(tc, hex_is_appended_to_text);
	tcase_add_test(tc, hex_parse_refuses_wrong_lengths_and_digits);
	tcase_add_test(tc, hex_is_needs_an_even_number_of_digits);
	tcase_add_test(tc, hash256_text_is_the_reverse_of_wire_order);
	tcase_add_test(tc,
		       hash256_parse_refuses_other_lengths_and_leaves_the_hash);
	suite_add_tcase(s, tc);
	tc = tcase_create("i64");
	tcase_add_test(tc, i64_parse_takes_whole_numbers_to_the_limits);
	tcase_add_test(
	    tc, i64_parse_refuses_junk_and_overflow_and_leaves_the_value);
	suite_add_tcase(s, tc);
	tc = tcase_create("base64");
	tcase_add_loop_test(tc, base64_agrees_with_the_rfc_both_ways, 0, 7);
	tcase_add_test(tc, base64_uses_the_whole_alphabet);
	tcase_add_test(tc, base64_parse_refuses_bad_lengths_digits_and_padding);
	suite_add_tcase(s, tc);
	return s;
}
