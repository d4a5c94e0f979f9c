/* Verdicts with words: whole where they fit, cut where they do not. */
#include "suites.h"

#include <cairn/base/text.h>
#include <cairn/consensus/check.h>
#include <cairn/consensus/verdict.h>
#include <cairn/script/interp.h>

#include <stdio.h>
#include <string.h>

START_TEST(verdict_keeps_its_texts_when_their_source_is_gone)
{
	char reject[] = "bad-thing", detail[] = "it is bad";
	char text[VERDICT_TEXT];
	struct verdict v = verdict_invalid(INV_CONSENSUS, reject, detail);

	memset(reject, 'x', sizeof reject);
	memset(detail, 'x', sizeof detail);
	ck_assert_int_eq(v.kind, V_INVALID);
	ck_assert_int_eq(v.reason, INV_CONSENSUS);
	ck_assert_str_eq(verdict_fmt(text, &v), "bad-thing, it is bad");
	v = verdict_invalid(INV_PREV, "bad-prevblk", NULL);
	ck_assert_str_eq(verdict_fmt(text, &v), "bad-prevblk");
}
END_TEST

START_TEST(verdict_detail_is_put_together_in_parts)
{
	struct verdict v =
	    verdict_invalidf(INV_HEADER, "bad-version(0x80000000)", "n=%d", 7);

	verdict_add(&v, " and %s", "more");
	ck_assert_str_eq(v.detail, "n=7 and more");
}
END_TEST

START_TEST(verdict_texts_are_cut_at_their_bounds)
{
	char longer[2 * VERDICT_DETAIL], text[VERDICT_TEXT];
	struct verdict v;

	memset(longer, 'a', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	v = verdict_invalid(INV_CONSENSUS, longer, longer);
	ck_assert_uint_eq(strlen(v.reject), VERDICT_REJECT - 1);
	ck_assert_uint_eq(strlen(v.detail), VERDICT_DETAIL - 1);
	verdict_add(&v, "%s", longer);
	ck_assert_uint_eq(strlen(v.detail), VERDICT_DETAIL - 1);
	verdict_fmt(text, &v);
	ck_assert_uint_eq(strlen(text), VERDICT_TEXT - 2);
}
END_TEST

START_TEST(verdict_has_room_for_every_script_error)
{
	char hex[HASH256_STR], reject[512];
	struct verdict v;

	memset(hex, 'f', sizeof hex - 1);
	hex[sizeof hex - 1] = '\0';
	for (int e = 0; e < SCRIPT_ERR_COUNT; e++) {
		snprintf(reject, sizeof reject,
			 "block-script-verify-flag-failed (%s)",
			 script_err_text((enum script_err)e));
		v = verdict_invalidf(
		    INV_CONSENSUS, reject,
		    "input %u of %s (wtxid %s), spending %s:%u", 99999, hex,
		    hex, hex, UINT32_MAX);
		ck_assert_str_eq(v.reject, reject);
		ck_assert_ptr_nonnull(strstr(v.detail, ":4294967295"));
	}
}
END_TEST

START_TEST(amounts_have_two_decimals_or_as_many_as_they_need)
{
	static const struct {
		int64_t sat;
		const char *text;
	} rows[] = {
	    {0, "0.00"},
	    {1, "0.00000001"},
	    {10, "0.0000001"},
	    {COIN / 10, "0.10"},
	    {COIN, "1.00"},
	    {123456789, "1.23456789"},
	    {MAX_MONEY, "21000000.00"},
	    {-COIN - 1, "-1.00000001"},
	    {INT64_MAX, "92233720368.54775807"},
	    {INT64_MIN, "-92233720368.54775808"},
	};
	char text[AMOUNT_STR];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		ck_assert_str_eq(amount_fmt(text, rows[i].sat), rows[i].text);
}
END_TEST

START_TEST(amounts_are_read_to_the_last_satoshi)
{
	static const struct {
		const char *text;
		int64_t sat; /* -1: refused */
	} rows[] = {
	    {"0", 0},
	    {"1", COIN},
	    {"0.00000001", 1},
	    {".5", COIN / 2},
	    {"5.", 5 * COIN},
	    {".", 0},
	    {" \t0.1\r\n", COIN / 10},
	    {"0021000000", MAX_MONEY},
	    {"21000000.00000001", -1},
	    {"9999999999", -1},
	    {"00000000001", -1},
	    {"0.000000001", -1},
	    {"1e3", -1},
	    {"1 0", -1},
	    {"1.2.3", -1},
	    {"-1", -1},
	    {"+1", -1},
	    {"", -1},
	    {" ", -1},
	    {"coin", -1},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int64_t sat = -1;

		ck_assert_msg(amount_parse(&sat, rows[i].text) ==
				  (rows[i].sat >= 0),
			      "'%s'", rows[i].text);
		ck_assert_int_eq(sat, rows[i].sat);
	}
}
END_TEST

Suite *verdict_suite(void)
{
	Suite *s = suite_create("verdict");
	TCase *tc = tcase_create("verdict");

	tcase_add_test(tc, verdict_keeps_its_texts_when_their_source_is_gone);
	tcase_add_test(tc, verdict_detail_is_put_together_in_parts);
	tcase_add_test(tc, verdict_texts_are_cut_at_their_bounds);
	tcase_add_test(tc, verdict_has_room_for_every_script_error);
	tcase_add_test(tc, amounts_have_two_decimals_or_as_many_as_they_need);
	tcase_add_test(tc, amounts_are_read_to_the_last_satoshi);
	suite_add_tcase(s, tc);
	return s;
}
