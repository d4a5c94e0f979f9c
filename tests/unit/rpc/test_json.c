/* JSON in: what is accepted, what is refused, and that numbers stay exact. */
#include "suites.h"
#include "testdata.h"

#include <cairn/base/err.h>

#include <stdlib.h>

static struct arena a;

static void setup(void)
{
	arena_init(&a, 1u << 20);
}

static void teardown(void)
{
	arena_fini(&a);
}

/* Parse with the text's last byte before a page that must not be read. */
static int parse_n(struct json **v, const char *s, size_t n)
{
	struct td_guard g;
	int rc;

	td_guard_init(&g, n + 1);
	rc = json_parse(v, &a, td_guard_put(&g, slice_of(s, n)));
	td_guard_fini(&g);
	return rc;
}

static struct json *parse(const char *s)
{
	struct json *v = NULL;

	ck_assert_msg(parse_n(&v, s, strlen(s)) == 0, "%s", s);
	return v;
}

static void refuse(const char *s, size_t n)
{
	struct json *v = NULL;
	int rc = parse_n(&v, s, n);

	ck_assert_msg(rc == E_PARSE, "rc %d for %.*s", rc, (int)n, s);
	ck_assert_ptr_null(v);
}

START_TEST(json_parse_reads_every_type)
{
	struct json *v =
	    parse(" [null, true, false, -1.50e+3, \"a\", {}, []] ");
	static const enum json_type want[] = {
	    JSON_NULL,   JSON_TRUE,   JSON_FALSE, JSON_NUMBER,
	    JSON_STRING, JSON_OBJECT, JSON_ARRAY};
	size_t i;

	ck_assert_int_eq(v->type, JSON_ARRAY);
	ck_assert_uint_eq(v->n, 7);
	for (i = 0; i < 7; i++)
		ck_assert_int_eq(v->kids[i].type, want[i]);
	ck_assert_str_eq((const char *)v->kids[3].s.p, "-1.50e+3");
	ck_assert_str_eq(json_str(&v->kids[4]), "a");
	ck_assert_uint_eq(v->kids[5].n, 0);
	ck_assert_uint_eq(v->kids[6].n, 0);
}
END_TEST

START_TEST(json_parse_accepts_a_bare_value)
{
	ck_assert_int_eq(parse("null")->type, JSON_NULL);
	ck_assert_int_eq(parse("\t\r\n 0 ")->type, JSON_NUMBER);
	ck_assert_str_eq(json_str(parse("\"\"")), "");
}
END_TEST

START_TEST(json_parse_refuses_what_is_no_json)
{
	static const char *const bad[] = {
	    "",
	    " ",
	    "nul",
	    "nulll",
	    "True",
	    "[",
	    "]",
	    "[1",
	    "[1,",
	    "[1,]",
	    "[,1]",
	    "[1 2]",
	    "{",
	    "{}}",
	    "{\"a\"}",
	    "{\"a\":}",
	    "{\"a\":1,}",
	    "{a:1}",
	    "{1:1}",
	    "'a'",
	    "\"a",
	    "\"\\x\"",
	    "\"\\u12\"",
	    "\"\\u12g4\"",
	    "01",
	    "-",
	    "+1",
	    "1.",
	    ".5",
	    "1e",
	    "1e+",
	    "-01",
	    "0x10",
	    "1 1",
	    "[]x",
	    "NaN",
	    "Infinity",
	    "\"\t\"",
	    "\"\n\"",
	    "// c\n1",
	    "/* c */1",
	    "\"\\\"",
	    "\xef\xbb\xbf[]",
	};
	size_t i;

	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		refuse(bad[i], strlen(bad[i]));
}
END_TEST

START_TEST(json_parse_refuses_every_truncation)
{
	static const char text[] =
	    "{\"a\":[1.5,-2,\"x\\u00e9\\ud83d\\ude00\"],\"b\":{\"c\":null}}";
	size_t n;

	for (n = 0; n < sizeof text - 1; n++)
		refuse(text, n);
	parse(text);
}
END_TEST

START_TEST(json_parse_refuses_a_zero_byte_outside_of_an_escape)
{
	refuse("[1]\0", 4);
	refuse("\0", 1);
	refuse("\"a\0b\"", 5);
}
END_TEST

START_TEST(json_string_may_hold_an_escaped_zero)
{
	struct json *v = parse("[\"a\\u0000b\",\"\\u0000\"]");

	ck_assert_uint_eq(v->kids[0].s.n, 3);
	ck_assert_mem_eq(v->kids[0].s.p, "a\0b", 4);
	ck_assert_uint_eq(v->kids[1].s.n, 1);
	ck_assert_mem_eq(v->kids[1].s.p, "\0", 2);
}
END_TEST

START_TEST(json_string_with_a_zero_is_no_word_it_begins_with)
{
	struct json *v = parse("[\"net\\u0000\",\"\\u0000\",\"a\\u0000b\"]");

	ck_assert_str_eq(json_str(&v->kids[0]), "net\001");
	ck_assert_str_eq(json_str(&v->kids[1]), "\001");
	ck_assert_str_eq(json_str(&v->kids[2]), "a\001b");
}
END_TEST

START_TEST(json_escapes_become_utf8)
{
	ck_assert_str_eq(json_str(parse("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"")),
			 "\"\\/\b\f\n\r\t");
	ck_assert_str_eq(json_str(parse("\"\\u00e9\\u20AC\"")),
			 "\xc3\xa9\xe2\x82\xac");
	ck_assert_str_eq(json_str(parse("\"x\\uD83D\\uDE00y\"")),
			 "x\xf0\x9f\x98\x80y");
	ck_assert_str_eq(json_str(parse("\"\xf0\x9f\x98\x80\"")),
			 "\xf0\x9f\x98\x80");
	/* A backslash that is itself escaped makes no escape. */
	ck_assert_str_eq(json_str(parse("\"\\\\uD800\"")), "\\uD800");
}
END_TEST

START_TEST(json_parse_refuses_lone_surrogates)
{
	static const char *const bad[] = {
	    "\"\\uD800\"",          "\"\\uDC00\"",        "\"\\uDBFFx\"",
	    "\"\\uD83D\\u0041\"",   "\"\\uD83D\\uD83D\"", "\"\\uDE00\\uD83D\"",
	    "\"\\uD83D\\\\uDE00\"", "{\"\\uD800\":1}",    "\"\\ud83d\\n\"",
	};
	size_t i;

	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		refuse(bad[i], strlen(bad[i]));
}
END_TEST

START_TEST(json_parse_refuses_bad_utf8)
{
	static const char *const bad[] = {
	    "\"\x80\"",
	    "\"\xc3\"",
	    "\"\xc0\x80\"",
	    "\"\xc1\xbf\"",
	    "\"\xe0\x9f\xbf\"",
	    "\"\xed\xa0\x80\"",
	    "\"\xf0\x8f\xbf\xbf\"",
	    "\"\xf4\x90\x80\x80\"",
	    "\"\xf5\x80\x80\x80\"",
	    "\"\xe2\x82\"",
	    "\"\xff\"",
	    "\"\xe2\x28\xa1\"",
	    "[\xc3\xa9]",
	};
	static const char *const good[] = {
	    "\"\xc2\x80\"",     "\"\xe0\xa0\x80\"",     "\"\xed\x9f\xbf\"",
	    "\"\xee\x80\x80\"", "\"\xf0\x90\x80\x80\"", "\"\xf4\x8f\xbf\xbf\"",
	};
	size_t i;

	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		refuse(bad[i], strlen(bad[i]));
	for (i = 0; i < sizeof good / sizeof *good; i++)
		parse(good[i]);
}
END_TEST

static char *nested(size_t depth, const char *open, const char *close)
{
	struct text t = TEXT_INIT;
	size_t i;

	for (i = 0; i < depth; i++)
		text_puts(&t, open);
	text_puts(&t, "1");
	for (i = 0; i < depth; i++)
		text_puts(&t, close);
	return t.p;
}

START_TEST(json_parse_allows_512_levels_and_no_more)
{
	char *ok = nested(JSON_DEPTH_MAX, "[", "]");
	char *bad = nested(JSON_DEPTH_MAX + 1, "[", "]");
	char *objects = nested(JSON_DEPTH_MAX + 1, "{\"a\":", "}");

	parse(ok);
	refuse(bad, strlen(bad));
	refuse(objects, strlen(objects));
	free(ok);
	free(bad);
	free(objects);
}
END_TEST

START_TEST(json_member_gives_the_first_of_equal_keys)
{
	struct json *v = parse("{\"a\":1,\"b\":2,\"a\":3,\"\":4,\"n\":null}");
	int64_t n;

	ck_assert_uint_eq(v->n, 5);
	ck_assert(json_i64(&n, json_member(v, "a")) && n == 1);
	ck_assert(json_i64(&n, json_member(v, "")) && n == 4);
	ck_assert_ptr_null(json_member(v, "c"));
	ck_assert_ptr_null(json_member(v, "aa"));
	ck_assert_int_eq(json_member(v, "n")->type, JSON_NULL);
	ck_assert_ptr_null(json_member(NULL, "a"));
	ck_assert_ptr_null(json_member(json_member(v, "b"), "a"));
}
END_TEST

START_TEST(json_key_with_a_zero_is_not_its_prefix)
{
	struct json *v = parse("{\"a\\u0000b\":1}");

	ck_assert_ptr_null(json_member(v, "a"));
	ck_assert_uint_eq(v->keys[0].n, 3);
}
END_TEST

START_TEST(json_parse_stops_at_the_limit_of_the_arena)
{
	struct text t = TEXT_INIT;
	struct arena small;
	struct json *v = NULL;
	int i;

	text_puts(&t, "[1");
	for (i = 0; i < 10000; i++)
		text_puts(&t, ",1");
	text_puts(&t, "]");
	arena_init(&small, 65536);
	ck_assert_int_eq(json_parse(&v, &small, slice_of(t.p, t.n)), E_LIMIT);
	arena_reset(&small);
	ck_assert_int_eq(json_parse(&v, &a, slice_of(t.p, t.n)), E_LIMIT);
	arena_fini(&small);
	arena_init(&small, 64u << 20);
	ck_assert_int_eq(json_parse(&v, &small, slice_of(t.p, t.n)), 0);
	ck_assert_uint_eq(v->n, 10001);
	ck_assert_str_eq((const char *)v->kids[10000].s.p, "1");
	arena_fini(&small);
	text_fini(&t);
}
END_TEST

START_TEST(json_i64_takes_whole_numbers_in_range)
{
	static const struct {
		const char *s;
		bool ok;
		int64_t v;
	} t[] = {
	    {"0", true, 0},
	    {"-0", true, 0},
	    {"9223372036854775807", true, INT64_MAX},
	    {"-9223372036854775808", true, INT64_MIN},
	    {"9223372036854775808", false, 0},
	    {"-9223372036854775809", false, 0},
	    {"1.0", false, 0},
	    {"1e3", false, 0},
	    {"\"1\"", false, 0},
	    {"null", false, 0},
	};
	size_t i;

	for (i = 0; i < sizeof t / sizeof *t; i++) {
		int64_t v = 77;

		ck_assert_msg(json_i64(&v, parse(t[i].s)) == t[i].ok, "%s",
			      t[i].s);
		ck_assert_int_eq(v, t[i].ok ? t[i].v : 77);
	}
	ck_assert(!json_i64(&(int64_t){0}, NULL));
}
END_TEST

START_TEST(json_f64_reads_numbers)
{
	double d;

	ck_assert(json_f64(&d, parse("0.1")) && d == 0.1);
	ck_assert(json_f64(&d, parse("-1e3")) && d == -1000.0);
	ck_assert(!json_f64(&d, parse("\"1\"")));
	ck_assert(!json_f64(&d, NULL));
}
END_TEST

START_TEST(json_amount_is_exact_or_refused)
{
	static const struct {
		const char *s;
		bool ok;
		int64_t sat;
	} t[] = {
	    {"0", true, 0},
	    {"0.0", true, 0},
	    {"0e9", true, 0},
	    {"0e10", false, 0},
	    {"0e-8", true, 0},
	    {"0e-9", false, 0},
	    {"0.000000000", true, 0},
	    {"0e999999999999", false, 0},
	    {"-0", true, 0},
	    {"1", true, 100000000},
	    {"0.00000001", true, 1},
	    {"0.10000000", true, 10000000},
	    {"0.1000000000000000000", true, 10000000},
	    {"-0.5", true, -50000000},
	    {"\"0.1\"", true, 10000000},
	    {"21000000.00000000", true, 2100000000000000},
	    {"20999999.9769", true, 2099999997690000},
	    {"1e-8", true, 1},
	    {"1E8", true, 10000000000000000},
	    {"0.1e7", true, 100000000000000},
	    {"12e-1", true, 120000000},
	    {"0.000000001", false, 0},
	    {"0.000000009", false, 0},
	    {"1e-9", false, 0},
	    {"1e-1000000000000000000000", false, 0},
	    {"1e10", false, 0},
	    {"9999999999.99999999", true, 999999999999999999},
	    {"10000000000", false, 0},
	    {"92233720368547758080000", false, 0},
	    {"\"\"", false, 0},
	    {"\"-\"", false, 0},
	    {"\".5\"", false, 0},
	    {"\"-.5\"", false, 0},
	    {"\"01\"", false, 0},
	    {"\"00.5\"", false, 0},
	    {"\"0.5\"", true, 50000000},
	    {"\"1.\"", false, 0},
	    {"\"1 \"", false, 0},
	    {"\" 1\"", false, 0},
	    {"\"1e\"", false, 0},
	    {"\"0x1\"", false, 0},
	    {"\"1\\u0000\"", false, 0},
	    {"\"a\"", false, 0},
	    {"true", false, 0},
	    {"null", false, 0},
	    {"[1]", false, 0},
	};
	size_t i;

	for (i = 0; i < sizeof t / sizeof *t; i++) {
		int64_t v = 77;

		ck_assert_msg(json_amount(&v, parse(t[i].s)) == t[i].ok, "%s",
			      t[i].s);
		ck_assert_msg(v == (t[i].ok ? t[i].sat : 77), "%s: %lld",
			      t[i].s, (long long)v);
	}
	ck_assert(!json_amount(&(int64_t){0}, NULL));
}
END_TEST

Suite *json_suite(void)
{
	Suite *su = suite_create("json");
	TCase *t = tcase_create("parse");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, json_parse_reads_every_type);
	tcase_add_test(t, json_parse_accepts_a_bare_value);
	tcase_add_test(t, json_parse_refuses_what_is_no_json);
	tcase_add_test(t, json_parse_refuses_every_truncation);
	tcase_add_test(t, json_parse_refuses_a_zero_byte_outside_of_an_escape);
	tcase_add_test(t, json_string_may_hold_an_escaped_zero);
	tcase_add_test(t, json_string_with_a_zero_is_no_word_it_begins_with);
	tcase_add_test(t, json_escapes_become_utf8);
	tcase_add_test(t, json_parse_refuses_lone_surrogates);
	tcase_add_test(t, json_parse_refuses_bad_utf8);
	tcase_add_test(t, json_parse_allows_512_levels_and_no_more);
	tcase_add_test(t, json_member_gives_the_first_of_equal_keys);
	tcase_add_test(t, json_key_with_a_zero_is_not_its_prefix);
	tcase_add_test(t, json_parse_stops_at_the_limit_of_the_arena);
	suite_add_tcase(su, t);
	t = tcase_create("values");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, json_i64_takes_whole_numbers_in_range);
	tcase_add_test(t, json_f64_reads_numbers);
	tcase_add_test(t, json_amount_is_exact_or_refused);
	suite_add_tcase(su, t);
	return su;
}
