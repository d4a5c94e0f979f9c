/* JSON out: byte for byte what bitcoind prints, in pieces or only counted. */
#include "suites.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>

static struct text out;
static struct jw *w;
static size_t pieces;

static void sink(void *arg, const char *p, size_t n)
{
	pieces++;
	text_put(arg, p, n);
}

static void setup(void)
{
	pieces = 0;
	w = jw_new(sink, &out, false);
}

static void teardown(void)
{
	jw_free(w);
	text_fini(&out);
}

/* The document is complete and reads like this; begin the next one. */
static void check(const char *want)
{
	ck_assert(jw_complete(w));
	ck_assert_str_eq(text_str(&out), want);
	ck_assert_uint_eq(jw_count(w), out.n);
	text_reset(&out);
	jw_reset(w);
	ck_assert(!jw_complete(w));
}

START_TEST(jw_writes_compact_documents)
{
	jw_obj(w);
	jw_ki64(w, "a", 1);
	jw_key(w, "b");
	jw_arr(w);
	jw_null(w);
	jw_bool(w, true);
	jw_bool(w, false);
	jw_obj(w);
	jw_obj_end(w);
	jw_arr(w);
	jw_arr_end(w);
	jw_arr_end(w);
	jw_kstr(w, "c", "x");
	ck_assert(!jw_complete(w));
	jw_obj_end(w);
	check("{\"a\":1,\"b\":[null,true,false,{},[]],\"c\":\"x\"}");
}
END_TEST

START_TEST(jw_indents_as_bitcoin_cli_does)
{
	struct jw *p = jw_new(sink, &out, true);

	jw_obj(p);
	jw_ki64(p, "a", 1);
	jw_key(p, "b");
	jw_arr(p);
	jw_i64(p, 1);
	jw_obj(p);
	jw_obj_end(p);
	jw_arr(p);
	jw_arr_end(p);
	jw_arr_end(p);
	jw_obj_end(p);
	ck_assert_str_eq(text_str(&out), "{\n  \"a\": 1,\n  \"b\": [\n    1,\n"
					 "    {\n    },\n    [\n    ]\n  ]\n}");
	jw_free(p);
}
END_TEST

START_TEST(jw_integers_reach_both_ends)
{
	jw_i64(w, INT64_MIN);
	check("-9223372036854775808");
	jw_i64(w, INT64_MAX);
	check("9223372036854775807");
	jw_u64(w, UINT64_MAX);
	check("18446744073709551615");
	jw_u64(w, 0);
	check("0");
	jw_i64(w, -1);
	check("-1");
}
END_TEST

START_TEST(jw_amounts_have_eight_decimals)
{
	static const struct {
		int64_t sat;
		const char *want;
	} t[] = {
	    {0, "0.00000000"},
	    {1, "0.00000001"},
	    {-1, "-0.00000001"},
	    {-150000000, "-1.50000000"},
	    {2100000000000000, "21000000.00000000"},
	    {INT64_MAX, "92233720368.54775807"},
	    {INT64_MIN, "-92233720368.54775808"},
	};
	size_t i;

	for (i = 0; i < sizeof t / sizeof *t; i++) {
		jw_amount(w, t[i].sat);
		check(t[i].want);
	}
}
END_TEST

START_TEST(jw_doubles_have_sixteen_digits)
{
	static const struct {
		double d;
		const char *want;
	} t[] = {
	    {0.0, "0"},
	    {1.0, "1"},
	    {0.1, "0.1"},
	    {1.0 / 3, "0.3333333333333333"},
	    {4.656542373906925e-10, "4.656542373906925e-10"},
	    {126984576184234.7, "126984576184234.7"},
	    {1e300, "1e+300"},
	    {-2.5, "-2.5"},
	    {HUGE_VAL, "null"},
	    {-HUGE_VAL, "null"},
	    {(double)NAN, "null"},
	};
	size_t i;

	for (i = 0; i < sizeof t / sizeof *t; i++) {
		jw_f64(w, t[i].d);
		check(t[i].want);
	}
}
END_TEST

START_TEST(jw_escapes_as_bitcoind_does)
{
	jw_str(w, "\"\\/\b\f\n\r\t\x01\x1f\x7f \xc3\xa9");
	check("\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f \xc3\xa9\"");
	jw_strn(w, "a\0b", 3);
	check("\"a\\u0000b\"");
	jw_str(w, "");
	check("\"\"");
}
END_TEST

START_TEST(jw_hex_and_hashes)
{
	struct hash256 h;
	size_t i;

	for (i = 0; i < 32; i++)
		h.b[i] = (uint8_t)i;
	jw_hash(w, &h);
	check("\"1f1e1d1c1b1a191817161514131211100f0e0d0c0b0a09080706050403020"
	      "100\"");
	jw_hex(w, slice_of("\xff\x00\xa5", 3));
	check("\"ff00a5\"");
	jw_hex(w, slice_of(NULL, 0));
	check("\"\"");
}
END_TEST

START_TEST(jw_long_hex_is_right_at_every_byte)
{
	enum { N = 10007 };
	uint8_t *b = malloc(N);
	char *want = malloc(2 * N + 1);
	size_t i;

	for (i = 0; i < N; i++)
		b[i] = (uint8_t)(i * 7 + i / 256);
	hex_put(want, slice_of(b, N));
	jw_arr(w);
	jw_hex(w, slice_of(b, N));
	jw_arr_end(w);
	ck_assert_uint_eq(out.n, 2 * N + 4);
	ck_assert_mem_eq(out.p + 2, want, 2 * N);
	ck_assert_uint_ge(pieces, 2);
	free(want);
	free(b);
}
END_TEST

START_TEST(jw_key_shorthands)
{
	struct hash256 h = {{0}};

	jw_obj(w);
	jw_kstr(w, "s", "t");
	jw_ki64(w, "i", -1);
	jw_ku64(w, "u", 1);
	jw_kf64(w, "f", 0.5);
	jw_kbool(w, "b", true);
	jw_khex(w, "x", slice_of("\x01", 1));
	jw_kamount(w, "m", 5);
	jw_khash(w, "h", &h);
	jw_key(w, "n");
	jw_num(w, "1.00");
	jw_obj_end(w);
	check("{\"s\":\"t\",\"i\":-1,\"u\":1,\"f\":0.5,\"b\":true,"
	      "\"x\":\"01\",\"m\":0.00000005,\"h\":\"00000000000000000000000000"
	      "00000000000000000000000000000000000000\",\"n\":1.00}");
}
END_TEST

START_TEST(jw_value_echoes_what_was_parsed)
{
	static const char text[] =
	    "{\"a\":[0.10000000,1e5,-0,\"\\u007f\\u0000\",true,false,null,{},[]"
	    "],"
	    "\"a\":\"\xf0\x9f\x98\x80\",\"b\\n\":12345678901234567890123}";
	struct arena a;
	struct json *v;

	arena_init(&a, 1u << 20);
	ck_assert_int_eq(json_parse(&v, &a, slice_of(text, sizeof text - 1)),
			 0);
	jw_value(w, v);
	check(text);
	arena_fini(&a);
}
END_TEST

START_TEST(jw_value_echoes_the_deepest_value_inside_an_answer)
{
	struct text t = TEXT_INIT;
	struct arena a;
	struct json *v;
	size_t i;

	for (i = 0; i < JSON_DEPTH_MAX; i++)
		text_puts(&t, "[");
	for (i = 0; i < JSON_DEPTH_MAX; i++)
		text_puts(&t, "]");
	arena_init(&a, 1u << 20);
	ck_assert_int_eq(json_parse(&v, &a, slice_of(t.p, t.n)), 0);
	jw_arr(w);
	jw_arr(w);
	jw_value(w, v);
	jw_arr_end(w);
	jw_arr_end(w);
	ck_assert_uint_eq(out.n, 2 * JSON_DEPTH_MAX + 4);
	arena_fini(&a);
	text_fini(&t);
}
END_TEST

/* A document with pieces of every size around the buffer's. */
static void put_sizes(struct jw *to)
{
	char s[5000];
	size_t n;

	memset(s, 'y', sizeof s);
	jw_arr(to);
	for (n = 0; n < sizeof s; n += 37) {
		jw_strn(to, s, n);
		jw_hex(to, slice_of(s, n));
		jw_i64(to, (int64_t)n);
	}
	jw_arr_end(to);
}

START_TEST(jw_counts_what_it_would_write)
{
	struct jw *c = jw_new(NULL, NULL, false);

	put_sizes(w);
	put_sizes(c);
	ck_assert_uint_gt(out.n, 600000);
	ck_assert_uint_eq(jw_count(c), out.n);
	ck_assert(jw_complete(c));
	jw_reset(c);
	ck_assert_uint_eq(jw_count(c), 0);
	jw_free(c);
}
END_TEST

START_TEST(jw_flush_hands_on_in_the_middle)
{
	jw_arr(w);
	jw_i64(w, 1);
	ck_assert_uint_eq(out.n, 0);
	jw_flush(w);
	ck_assert_str_eq(text_str(&out), "[1");
	jw_i64(w, 2);
	jw_arr_end(w);
	check("[1,2]");
}
END_TEST

static void two_values(void)
{
	jw_i64(w, 1);
	jw_i64(w, 2);
}

static void value_without_key(void)
{
	jw_obj(w);
	jw_i64(w, 1);
}

static void key_in_array(void)
{
	jw_arr(w);
	jw_key(w, "a");
}

static void key_after_key(void)
{
	jw_obj(w);
	jw_key(w, "a");
	jw_key(w, "b");
}

static void end_after_key(void)
{
	jw_obj(w);
	jw_key(w, "a");
	jw_obj_end(w);
}

static void wrong_end(void)
{
	jw_arr(w);
	jw_obj_end(w);
}

static void end_of_nothing(void)
{
	jw_arr_end(w);
}

static void (*const misuses[])(void) = {
    two_values,    value_without_key, key_in_array,   key_after_key,
    end_after_key, wrong_end,         end_of_nothing,
};

START_TEST(jw_stops_at_a_call_out_of_order)
{
	misuses[_i]();
}
END_TEST

Suite *jw_suite(void)
{
	const char *fork = getenv("CK_FORK");
	Suite *su = suite_create("jw");
	TCase *t = tcase_create("write");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, jw_writes_compact_documents);
	tcase_add_test(t, jw_indents_as_bitcoin_cli_does);
	tcase_add_test(t, jw_integers_reach_both_ends);
	tcase_add_test(t, jw_amounts_have_eight_decimals);
	tcase_add_test(t, jw_doubles_have_sixteen_digits);
	tcase_add_test(t, jw_escapes_as_bitcoind_does);
	tcase_add_test(t, jw_hex_and_hashes);
	tcase_add_test(t, jw_long_hex_is_right_at_every_byte);
	tcase_add_test(t, jw_key_shorthands);
	tcase_add_test(t, jw_value_echoes_what_was_parsed);
	tcase_add_test(t, jw_value_echoes_the_deepest_value_inside_an_answer);
	tcase_add_test(t, jw_counts_what_it_would_write);
	tcase_add_test(t, jw_flush_hands_on_in_the_middle);
	/* These end in abort, so they need a process of their own. */
	if (!fork || strcmp(fork, "no") != 0)
		tcase_add_loop_test_raise_signal(
		    t, jw_stops_at_a_call_out_of_order, SIGABRT, 0,
		    (int)(sizeof misuses / sizeof *misuses));
	suite_add_tcase(su, t);
	return su;
}
