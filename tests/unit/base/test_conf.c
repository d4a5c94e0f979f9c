/*
 * Settings. The expectations are bitcoind's behaviour as its settings.cpp,
 * args.cpp and config.cpp state it.
 */
#include "suites.h"

#include <cairn/base/conf.h>
#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/base/mem.h>

#include <errno.h>
#include <stdio.h>

#define MAX_ARGS 16

static char *dir;
static struct conf c;
static struct text err;
static int rest;

static const char *const net_only[] = {"port", "connect", NULL};

static void setup(void)
{
	dir = scratch_new();
	conf_init(&c);
	err = (struct text)TEXT_INIT;
}

static void teardown(void)
{
	conf_fini(&c);
	text_fini(&err);
	scratch_free(dir);
}

/* Words split at blanks become argv[1..]. */
static int add_argv(const char *words)
{
	char *copy = xstrdup(words), *p = copy;
	char name[] = "cairnd";
	char *argv[MAX_ARGS + 1] = {name};
	int n = 1, rc;

	while (*p && n < MAX_ARGS) {
		argv[n++] = p;
		p += strcspn(p, " ");
		if (*p)
			*p++ = '\0';
	}
	rc = conf_add_argv(&c, &rest, n, argv, &err);
	free(copy);
	return rc;
}

static int add_file(const char *lines)
{
	char *path = path_join(dir, "c.conf");
	int rc;

	scratch_put(dir, "c.conf", lines);
	rc = conf_add_file(&c, path, &err);
	free(path);
	return rc;
}

/* All values of key with commas between. */
static const char *all(const char *key)
{
	static char joined[256];
	const char *v[8];
	size_t n = conf_get_all(&c, key, v, 8), i;
	int at = 0;

	ck_assert_uint_le(n, 8);
	joined[0] = '\0';
	for (i = 0; i < n; i++)
		at += snprintf(joined + at, sizeof joined - (size_t)at, "%s%s",
			       i ? "," : "", v[i]);
	return joined;
}

static void select_net(const char *section)
{
	c.section = section;
	c.is_main = strcmp(section, "main") == 0;
	c.net_only = net_only;
}

START_TEST(argv_takes_one_or_two_dashes_with_or_without_value)
{
	ck_assert_int_eq(add_argv("-a=1 --b=x=y -c --d="), 0);
	ck_assert_str_eq(conf_get(&c, "a"), "1");
	ck_assert_str_eq(conf_get(&c, "b"), "x=y");
	ck_assert_str_eq(conf_get(&c, "c"), "");
	ck_assert_str_eq(conf_get(&c, "d"), "");
	ck_assert_ptr_null(conf_get(&c, "e"));
	ck_assert_int_eq(rest, 5);
}
END_TEST

START_TEST(argv_stops_at_the_first_word_without_a_dash)
{
	ck_assert_int_eq(add_argv("-a getblock -b"), 0);
	ck_assert_int_eq(rest, 2);
	ck_assert(!conf_has(&c, "b"));
	ck_assert_int_eq(add_argv("-x - -y"), 0);
	ck_assert_int_eq(rest, 2);
	ck_assert(!conf_has(&c, "y"));
}
END_TEST

START_TEST(argv_refuses_names_that_cannot_be)
{
	static const char *const bad[] = {"--",  "-=1",   "--=1",
					  "-no", "-no=1", "-regtest.port=1"};
	size_t i;

	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		text_reset(&err);
		ck_assert_int_eq(add_argv(bad[i]), E_PARSE);
		ck_assert_msg(strstr(text_str(&err), bad[i]) != NULL, "%s: %s",
			      bad[i], text_str(&err));
	}
}
END_TEST

START_TEST(argv_refuses_includeconf_but_takes_its_negation)
{
	ck_assert_int_eq(add_argv("-noincludeconf"), 0);
	ck_assert(conf_negated(&c, "includeconf"));
	ck_assert_int_eq(add_argv("-includeconf=x"), E_PARSE);
	ck_assert_str_eq(text_str(&err),
			 "-includeconf cannot be used from commandline; "
			 "-includeconf=x");
}
END_TEST

START_TEST(negation_is_zero_and_a_double_one_is_one)
{
	ck_assert_int_eq(add_argv("-noa -nob=0 -noc=1 -nod=x"), 0);
	ck_assert_str_eq(conf_get(&c, "a"), "0");
	ck_assert(conf_negated(&c, "a"));
	ck_assert(conf_has(&c, "a"));
	ck_assert_str_eq(conf_get(&c, "b"), "1");
	ck_assert(!conf_negated(&c, "b"));
	ck_assert(conf_negated(&c, "c"));
	/* "x" is false as a number, so this too is a double negation. */
	ck_assert(!conf_negated(&c, "d"));
	ck_assert_str_eq(conf_get(&c, "d"), "1");
}
END_TEST

START_TEST(file_lines_are_trimmed_commented_and_sectioned)
{
	ck_assert_int_eq(add_file("# a comment\n"
				  "\n"
				  "  a \t=  b c \r\n"
				  "x=1#2\n"
				  "noy=1\n"
				  "empty=\n"
				  "regtest.d=dotted\n"
				  "[regtest] # here\n"
				  "s=in\n"
				  "last=no newline"),
			 0);
	ck_assert_str_eq(conf_get(&c, "a"), "b c");
	ck_assert_str_eq(conf_get(&c, "x"), "1");
	ck_assert(conf_negated(&c, "y"));
	ck_assert_str_eq(conf_get(&c, "empty"), "");
	ck_assert(!conf_has(&c, "s"));
	select_net("regtest");
	ck_assert_str_eq(conf_get(&c, "d"), "dotted");
	ck_assert_str_eq(conf_get(&c, "s"), "in");
	ck_assert_str_eq(conf_get(&c, "last"), "no newline");
	ck_assert_uint_eq(c.items[0].line, 3);
	ck_assert_int_eq(c.items[0].from, CONF_FILE);
	ck_assert_ptr_nonnull(strstr(c.items[0].file, "c.conf"));
}
END_TEST

START_TEST(file_errors_name_file_and_line)
{
	static const char *const bad[][2] = {
	    {"a=1\nfoo\n", ":2: parse error: foo"},
	    {"nofoo\n", "negated option, use nofoo=1 instead"},
	    {"\n\n-a=1\n", ":3: options in configuration file must be "
			   "specified without leading -"},
	    {"rpcpassword=a#b\n",
	     ":1: using # in rpcpassword can be ambiguous"},
	    {"[test]\nrpcpassword=a # b\n", ":2: using # in rpcpassword"},
	    {"conf=x\n", ":1: conf cannot be set in the configuration file"},
	    {"[main\n", ":1: parse error: [main"},
	};
	size_t i;

	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		text_reset(&err);
		ck_assert_int_eq(add_file(bad[i][0]), E_PARSE);
		ck_assert_msg(strstr(text_str(&err), bad[i][1]) != NULL,
			      "%s: %s", bad[i][0], text_str(&err));
	}
}
END_TEST

START_TEST(file_with_a_zero_byte_is_refused)
{
	char *path = path_join(dir, "z.conf");

	ck_assert_int_eq(file_replace(path, slice_of("a=1\nb=\0x\n", 9), 0600),
			 0);
	ck_assert_int_eq(conf_add_file(&c, path, &err), E_PARSE);
	ck_assert_ptr_nonnull(strstr(text_str(&err), ":2: "));
	free(path);
}
END_TEST

START_TEST(file_that_cannot_be_read_says_why)
{
	char *path = path_join(dir, "none");

	ck_assert_int_eq(conf_add_file(&c, path, &err), -ENOENT);
	ck_assert_ptr_nonnull(strstr(text_str(&err), "none"));
	ck_assert_int_eq(conf_add_file(&c, dir, &err), -EISDIR);
	free(path);
}
END_TEST

/* argv, file, network, key, single value, all values. */
static const struct {
	const char *argv, *file, *net, *key, *one, *many;
} cases[] = {
    /* The last word wins on the command line, the first in files. */
    {"-a=1 -a=2", "", "main", "a", "2", "1,2"},
    {"", "a=1\na=2\n", "main", "a", "1", "1,2"},
    /* Command line before section before top. */
    {"-a=1", "a=3\n[test]\na=2\n", "test", "a", "1", "1,2,3"},
    {"", "a=3\n[test]\na=2\n", "test", "a", "2", "2,3"},
    {"", "a=3\n[test]\na=2\n", "regtest", "a", "3", "3"},
    {"", "a=3\nmain.a=2\n", "main", "a", "2", "2,3"},
    /* A negation clears what stood before it in its source ... */
    {"-a=1 -noa -a=2", "", "main", "a", "2", "2"},
    {"", "a=1\nnoa=1\na=2\na=3\n", "main", "a", "2", "2,3"},
    /* ... and below it, unless a value follows ("zombies"). */
    {"-noa", "a=3\n", "main", "a", "0", ""},
    {"-a=1 -noa", "a=3\n", "main", "a", "0", ""},
    {"-noa -a=1", "a=3\n", "main", "a", "1", "1,3"},
    {"", "a=3\n[test]\nnoa=1\n", "test", "a", "0", ""},
    {"-a=1", "a=3\n[test]\nnoa=1\n", "test", "a", "1", "1,3"},
    {"", "noa=1\n[test]\na=2\n", "test", "a", "2", "2"},
    /* A double negation is a plain value. */
    {"-noa=0", "a=3\n", "main", "a", "1", "1,3"},
    /* Network-only keys before any section count on mainnet only ... */
    {"", "port=1\n", "main", "port", "1", "1"},
    {"", "port=1\n", "test", "port", NULL, ""},
    {"", "port=1\n[test]\nport=2\n", "test", "port", "2", "2"},
    {"-port=5", "port=1\n", "test", "port", "5", "5"},
    {"", "test.port=7\n", "test", "port", "7", "7"},
    /* ... but a negation is heard on every network. */
    {"", "noconnect=1\n", "test", "connect", "0", ""},
    {"", "noconnect=1\nconnect=a\n", "test", "connect", NULL, ""},
};
#define CASES (int)(sizeof cases / sizeof *cases)

START_TEST(values_merge_as_in_bitcoind)
{
	const char *one;

	ck_assert_int_eq(add_argv(cases[_i].argv), 0);
	ck_assert_int_eq(add_file(cases[_i].file), 0);
	select_net(cases[_i].net);
	one = conf_get(&c, cases[_i].key);
	ck_assert_msg((one == NULL) == (cases[_i].one == NULL), "case %d: %s",
		      _i, one ? one : "NULL");
	if (one)
		ck_assert_msg(strcmp(one, cases[_i].one) == 0, "case %d: %s",
			      _i, one);
	ck_assert_msg(strcmp(all(cases[_i].key), cases[_i].many) == 0,
		      "case %d: %s", _i, all(cases[_i].key));
}
END_TEST

START_TEST(get_all_counts_beyond_what_it_fills)
{
	const char *v[2] = {NULL, NULL};

	ck_assert_int_eq(add_argv("-a=1 -a=2 -a=3"), 0);
	ck_assert_uint_eq(conf_get_all(&c, "a", v, 1), 3);
	ck_assert_str_eq(v[0], "1");
	ck_assert_ptr_null(v[1]);
	ck_assert_uint_eq(conf_get_all(&c, "a", NULL, 0), 3);
}
END_TEST

START_TEST(included_files_follow_the_first)
{
	ck_assert_int_eq(add_file("a=1\nincludeconf=x\n[test]\na=2\n"), 0);
	ck_assert_int_eq(add_file("a=3\n"), 0);
	ck_assert_str_eq(conf_get(&c, "a"), "1");
	ck_assert_str_eq(all("a"), "1,3");
	ck_assert_str_eq(conf_get(&c, "includeconf"), "x");
}
END_TEST

START_TEST(soft_set_yields_to_every_given_value)
{
	ck_assert_int_eq(add_argv("-a=1 -nob"), 0);
	ck_assert_int_eq(add_file("c=1\nport=1\n"), 0);
	select_net("test");
	ck_assert(!conf_soft_set(&c, "a", "9"));
	ck_assert(!conf_soft_set(&c, "b", "9"));
	ck_assert(!conf_soft_set(&c, "c", "9"));
	ck_assert(conf_soft_set(&c, "d", "9"));
	ck_assert(!conf_soft_set(&c, "d", "8"));
	ck_assert_str_eq(conf_get(&c, "d"), "9");
	ck_assert_str_eq(all("d"), "9");
	/* A value that does not count on this network is none. */
	ck_assert(conf_soft_set(&c, "port", "9"));
	ck_assert_str_eq(all("port"), "9");
}
END_TEST

START_TEST(bool_is_true_for_nothing_and_for_other_than_zero)
{
	static const struct {
		const char *v;
		bool is;
	} bools[] = {
	    {"", true},      {"1", true},      {"2", true},
	    {"-1", true},    {"0", false},     {"00", false},
	    {"true", false}, {"false", false}, {" 1 ", true},
	    {"1x", true},    {"+1", true},     {"+-1", false},
	    {"0x1", false},  {"--1", false},   {"99999999999999999999", true},
	};
	size_t i;

	for (i = 0; i < sizeof bools / sizeof *bools; i++) {
		char *key = xasprintf("k%zu", i);
		char *line = xasprintf("-%s=%s", key, bools[i].v);
		char name[] = "cairnd";
		char *argv[] = {name, line};

		ck_assert_int_eq(conf_add_argv(&c, &rest, 2, argv, &err), 0);
		ck_assert_msg(conf_bool(&c, key, !bools[i].is) == bools[i].is,
			      "%s", bools[i].v);
		free(line);
		free(key);
	}
	ck_assert(conf_bool(&c, "none", true));
	ck_assert(!conf_bool(&c, "none", false));
}
END_TEST

START_TEST(i64_reads_leading_digits_and_holds_at_the_limits)
{
	ck_assert_int_eq(add_argv("-a=12abc -b=-7 -c=x -d=9223372036854775808 "
				  "-e=-9223372036854775809 -f -nog "
				  "-h=9223372036854775807 "
				  "-i=-9223372036854775808"),
			 0);
	ck_assert_int_eq(conf_i64(&c, "a", 5), 12);
	ck_assert_int_eq(conf_i64(&c, "b", 5), -7);
	ck_assert_int_eq(conf_i64(&c, "c", 5), 0);
	ck_assert_int_eq(conf_i64(&c, "d", 5), INT64_MAX);
	ck_assert_int_eq(conf_i64(&c, "e", 5), INT64_MIN);
	ck_assert_int_eq(conf_i64(&c, "f", 5), 0);
	ck_assert_int_eq(conf_i64(&c, "g", 5), 0);
	ck_assert_int_eq(conf_i64(&c, "h", 5), INT64_MAX);
	ck_assert_int_eq(conf_i64(&c, "i", 5), INT64_MIN);
	ck_assert_int_eq(conf_i64(&c, "none", 5), 5);
}
END_TEST

START_TEST(chain_flag_ignores_sections_and_negations_and_takes_the_last)
{
	ck_assert_int_eq(add_argv("-noregtest"), 0);
	ck_assert_int_eq(
	    add_file("regtest=1\nsignet=1\nsignet=0\n[main]\ntestnet=1\n"), 0);
	ck_assert(conf_chain_flag(&c, "regtest"));
	ck_assert(!conf_chain_flag(&c, "signet"));
	ck_assert(!conf_chain_flag(&c, "testnet"));
	ck_assert(!conf_chain_flag(&c, "testnet4"));
	ck_assert_int_eq(add_argv("-testnet4 -signet"), 0);
	ck_assert(conf_chain_flag(&c, "testnet4"));
	ck_assert(conf_chain_flag(&c, "signet"));
}
END_TEST

Suite *conf_suite(void)
{
	Suite *s = suite_create("conf");
	TCase *tc = tcase_create("argv");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, argv_takes_one_or_two_dashes_with_or_without_value);
	tcase_add_test(tc, argv_stops_at_the_first_word_without_a_dash);
	tcase_add_test(tc, argv_refuses_names_that_cannot_be);
	tcase_add_test(tc, argv_refuses_includeconf_but_takes_its_negation);
	tcase_add_test(tc, negation_is_zero_and_a_double_one_is_one);
	suite_add_tcase(s, tc);
	tc = tcase_create("file");
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, file_lines_are_trimmed_commented_and_sectioned);
	tcase_add_test(tc, file_errors_name_file_and_line);
	tcase_add_test(tc, file_with_a_zero_byte_is_refused);
	tcase_add_test(tc, file_that_cannot_be_read_says_why);
	suite_add_tcase(s, tc);
	tc = tcase_create("merge");
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, values_merge_as_in_bitcoind, 0, CASES);
	tcase_add_test(tc, get_all_counts_beyond_what_it_fills);
	tcase_add_test(tc, included_files_follow_the_first);
	tcase_add_test(tc, soft_set_yields_to_every_given_value);
	tcase_add_test(tc, bool_is_true_for_nothing_and_for_other_than_zero);
	tcase_add_test(tc, i64_reads_leading_digits_and_holds_at_the_limits);
	tcase_add_test(
	    tc, chain_flag_ignores_sections_and_negations_and_takes_the_last);
	suite_add_tcase(s, tc);
	return s;
}
