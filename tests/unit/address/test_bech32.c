/* Bech32 and bech32m strings, and where their errors are. */
#include "suites.h"
#include "testdata.h"
#include "testjson.h"

#include "../../../src/address/bech32.h"

#include <cairn/address/address.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

/* The text of a line of a BIP up to the first space or colon, with the bytes
 * that the BIPs write as "0x20 + rest" or "rest + 0xFF". False for a line that
 * is not a string. */
static bool line_text(char dst[128], const char *line)
{
	unsigned byte;
	const char *plus = strstr(line, " + 0x");

	if (sscanf(line, "0x%2x + ", &byte) == 1) {
		dst[0] = (char)byte;
		snprintf(dst + 1, 127, "%.*s", (int)strcspn(line + 7, ": "),
			 line + 7);
		return true;
	}
	snprintf(dst, 128, "%.*s", (int)strcspn(line, ": "), line);
	if (plus && sscanf(plus, " + 0x%2x", &byte) == 1) {
		size_t n = strlen(dst);

		dst[n] = (char)byte;
		dst[n + 1] = '\0';
	}
	return strchr(dst, '1') != NULL || strchr(dst, '0') != NULL;
}

/* The list of strings under one heading. */
static const struct tj *list(const struct tj *all, const char *bip, size_t i)
{
	return tj_get(&tj_get(all, bip)->at[i], "lines");
}

static void check_valid(const struct tj *lines, enum bech32_kind kind)
{
	ck_assert_uint_ge(lines->n, 7);
	for (size_t i = 0; i < lines->n; i++) {
		char text[128], back[128];
		struct bech32 b;

		line_text(text, lines->at[i].str);
		ck_assert_msg(bech32_parse(&b, NULL, text), "%s", text);
		ck_assert_msg(b.kind == kind, "%s", text);
		bech32_put(back, b.kind, b.hrp, b.v, b.n);
		for (char *p = text; *p; p++)
			*p = (char)tolower((unsigned char)*p);
		ck_assert_str_eq(back, text);
	}
}

static void check_invalid(const struct tj *lines)
{
	ck_assert_uint_ge(lines->n, 12);
	for (size_t i = 0; i < lines->n; i++) {
		struct address_error e = {{0}, 0, {0}};
		char text[128];
		struct bech32 b;

		line_text(text, lines->at[i].str);
		ck_assert_msg(!bech32_parse(&b, &e, text), "%s", text);
		ck_assert_uint_gt(strlen(e.why), 10);
	}
}

START_TEST(strings_of_bip_173_and_350_are_told_apart)
{
	struct tj *all;

	if (td_missing())
		return;
	all = tj_read("vectors/bips/bip173_bip350_strings.json");
	check_valid(list(all, "bip173", 0), BECH32);
	check_valid(list(all, "bip350", 0), BECH32M);
	check_invalid(list(all, "bip173", 1));
	check_invalid(list(all, "bip350", 1));
	tj_free(all);
}
END_TEST

static void check_error(const char *text, const char *why, size_t n,
			const uint32_t *at)
{
	struct address_error e = {{0}, 0, {0}};
	struct bech32 b;

	ck_assert_msg(!bech32_parse(&b, &e, text), "%s", text);
	ck_assert_str_eq(e.why, why);
	ck_assert_msg(e.n == n, "%s: %zu errors", text, e.n);
	for (size_t i = 0; i < n && i < ADDRESS_ERRORS_MAX; i++)
		ck_assert_msg(e.at[i] == at[i], "%s: error at %u", text,
			      e.at[i]);
}

/* Sentences and positions as Bitcoin Core's error location gives them. */
START_TEST(errors_have_a_sentence_and_a_place)
{
	static const struct {
		const char *text, *why;
		size_t n;
		uint32_t at[3];
	} t[] = {
	    {" 1nwldj5", "Invalid character or mixed case", 1, {0}},
	    {"\x7f"
	     "1axkwrx",
	     "Invalid character or mixed case",
	     1,
	     {0}},
	    {"\x80"
	     "1eym55h",
	     "Invalid character or mixed case",
	     1,
	     {0}},
	    {"A1g7sGd8", "Invalid character or mixed case", 3, {2, 4, 6}},
	    {"pzry9x0s0muk", "Missing separator", 0, {0}},
	    {"1pzry9x0s0muk", "Invalid separator position", 1, {0}},
	    {"li1dgmt3", "Invalid separator position", 1, {2}},
	    {"x1b4n0q5v", "Invalid Base 32 character", 1, {2}},
	    {"de1lg7wt\xff", "Invalid character or mixed case", 1, {8}},
	    {"A1G7SGD8", "Invalid checksum", 0, {0}},
	    {"10a06t8", "Invalid separator position", 1, {0}},
	    {"y1b0jsk6g", "Invalid Base 32 character", 1, {2}},
	    {"M1VUXWEZ", "Invalid checksum", 0, {0}},
	    {"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5",
	     "Invalid Bech32 checksum",
	     1,
	     {41}},
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		check_error(t[i].text, t[i].why, t[i].n, t[i].at);
}
END_TEST

START_TEST(strings_over_90_characters_are_too_long)
{
	char text[300];
	struct address_error e;
	struct bech32 b;

	memset(text, 'q', sizeof text);
	text[2] = '1';
	text[91] = '\0';
	check_error(text, "Bech32 string too long", 1, (uint32_t[]){90});
	text[91] = 'q';
	text[250] = '\0';
	ck_assert(!bech32_parse(&b, &e, text));
	ck_assert_uint_eq(e.n, 160);
	ck_assert_uint_eq(e.at[0], 90);
	ck_assert_uint_eq(e.at[ADDRESS_ERRORS_MAX - 1], 179);
	/* At the limit it is only the checksum that is wrong. */
	text[90] = '\0';
	ck_assert(!bech32_parse(&b, &e, text));
	ck_assert_ptr_nonnull(strstr(e.why, "checksum"));
}
END_TEST

static char other_digit(char c, unsigned k)
{
	static const char charset[] = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
	const char *at = strchr(charset, c);

	ck_assert_ptr_nonnull(at);
	return charset[((size_t)(at - charset) + 1 + k % 31) % 32];
}

static void check_located(char *text, enum bech32_kind kind)
{
	size_t n = strlen(text), sep = (size_t)(strrchr(text, '1') - text);

	for (size_t i = sep + 1; i < n; i++) {
		struct address_error e;
		struct bech32 b;
		char was = text[i];

		text[i] = other_digit(was, (unsigned)i);
		ck_assert(!bech32_parse(&b, &e, text));
		ck_assert_str_eq(e.why, kind == BECH32
					    ? "Invalid Bech32 checksum"
					    : "Invalid Bech32m checksum");
		ck_assert_uint_eq(e.n, 1);
		ck_assert_uint_eq(e.at[0], i);
		/* A second one: both are found, in order. */
		for (size_t k = i + 1; k < n; k += 5) {
			char second = text[k];

			text[k] = other_digit(second, (unsigned)(k + i));
			ck_assert(!bech32_parse(&b, &e, text));
			ck_assert_msg(e.n == 2 && e.at[0] == i && e.at[1] == k,
				      "%s: %zu", text, e.n);
			text[k] = second;
		}
		text[i] = was;
	}
}

START_TEST(one_and_two_wrong_characters_are_found)
{
	char v0[] = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
	char v1[] = "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqz"
		    "k5jj0";

	check_located(v0, BECH32);
	check_located(v1, BECH32M);
}
END_TEST

START_TEST(three_wrong_characters_are_never_taken_for_right)
{
	char text[] = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
	struct bech32 b;
	struct address_error e;

	for (unsigned i = 0; i < 500; i++) {
		char copy[sizeof text];
		size_t a = 4 + i % 10, k = 15 + i % 13, m = 30 + i % 11;

		memcpy(copy, text, sizeof text);
		copy[a] = other_digit(copy[a], i);
		copy[k] = other_digit(copy[k], i / 3);
		copy[m] = other_digit(copy[m], i / 7);
		ck_assert_msg(!bech32_parse(&b, &e, copy), "%s", copy);
		ck_assert_uint_le(e.n, 2);
	}
}
END_TEST

Suite *bech32_suite(void)
{
	Suite *s = suite_create("bech32");
	TCase *t = tcase_create("strings");

	tcase_add_test(t, strings_of_bip_173_and_350_are_told_apart);
	tcase_add_test(t, strings_over_90_characters_are_too_long);
	suite_add_tcase(s, t);
	t = tcase_create("errors");
	tcase_add_test(t, errors_have_a_sentence_and_a_place);
	tcase_add_test(t, one_and_two_wrong_characters_are_found);
	tcase_add_test(t, three_wrong_characters_are_never_taken_for_right);
	suite_add_tcase(s, t);
	return s;
}
