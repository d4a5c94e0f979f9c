/* Reading settings: which file, which network, sections, included files. */
#include "suites.h"

#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/base/mem.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char *dir;
static struct settings s;
static struct text err;

static void setup(void)
{
	dir = scratch_new();
	err = (struct text)TEXT_INIT;
	settings_init(&s);
}

static void teardown(void)
{
	settings_fini(&s);
	text_fini(&err);
	scratch_free(dir);
}

/* Load with -datadir and more words. */
static int load(const char *words)
{
	char *all = xasprintf("-datadir=%s%s%s", dir, *words ? " " : "", words);
	int rc;

	settings_fini(&s);
	rc = load_words(&s, all, &err);
	free(all);
	return rc;
}

static void says(const char *part)
{
	ck_assert_msg(strstr(text_str(&err), part) != NULL, "'%s' lacks '%s'",
		      text_str(&err), part);
}

static const char *get(const char *key)
{
	return conf_get(&s.conf, key);
}

START_TEST(load_prefers_cairn_conf_to_bitcoin_conf)
{
	scratch_put(dir, "bitcoin.conf", "dbcache=7\n");
	ck_assert_int_eq(load(""), 0);
	ck_assert_str_eq(get("dbcache"), "7");
	scratch_put(dir, "cairn.conf", "dbcache=8\n");
	ck_assert_int_eq(load(""), 0);
	ck_assert_str_eq(get("dbcache"), "8");
	ck_assert_int_eq(load("-conf=bitcoin.conf"), 0);
	ck_assert_str_eq(get("dbcache"), "7");
	ck_assert_int_eq(load("-noconf"), 0);
	ck_assert_ptr_null(get("dbcache"));
	ck_assert_ptr_null(s.conf_path);
}
END_TEST

START_TEST(load_needs_a_file_that_was_named)
{
	ck_assert_int_eq(load("-conf=none.conf"), -ENOENT);
	says("none.conf");
	ck_assert_int_eq(load("-conf=."), -EISDIR);
	says("is a folder");
}
END_TEST

START_TEST(load_needs_a_folder_that_was_named)
{
	char *all = xasprintf("-datadir=%s/none", dir);

	ck_assert_int_eq(load_words(&s, all, &err), E_NOTFOUND);
	says("does not exist");
	free(all);
}
END_TEST

START_TEST(load_makes_the_folder_absolute)
{
	ck_assert_int_eq(chdir(dir), 0);
	settings_fini(&s);
	ck_assert_int_eq(load_words(&s, "-datadir=.", &err), 0);
	ck_assert_int_eq(s.datadir[0], '/');
	ck_assert(path_is_dir(s.datadir));
	ck_assert_int_eq(chdir("/"), 0);
}
END_TEST

START_TEST(load_follows_datadir_in_the_file)
{
	char *other = path_join(dir, "other");
	char *line = xasprintf("datadir=%s\n", other);
	char *home = xasprintf("%s/.cairn", dir);

	ck_assert_int_eq(dir_make(other), 0);
	ck_assert_int_eq(dir_make(home), 0);
	scratch_put(home, "cairn.conf", line);
	ck_assert_int_eq(setenv("HOME", dir, 1), 0);
	settings_fini(&s);
	ck_assert_int_eq(load_words(&s, "-regtest", &err), 0);
	ck_assert_str_eq(s.datadir, other);
	free(home);
	free(line);
	free(other);
}
END_TEST

START_TEST(load_chooses_one_network)
{
	scratch_put(dir, "bitcoin.conf", "regtest=1\n");
	ck_assert_int_eq(load(""), 0);
	ck_assert_int_eq(s.chain, CHAIN_REGTEST);
	ck_assert_int_eq(load("-noconf -chain=test"), 0);
	ck_assert_int_eq(s.chain, CHAIN_TEST);
	ck_assert_int_eq(load("-noconf -testnet4"), 0);
	ck_assert_int_eq(s.chain, CHAIN_TESTNET4);
	ck_assert_int_eq(load("-noconf"), 0);
	ck_assert_int_eq(s.chain, CHAIN_MAIN);
	ck_assert_int_eq(load("-signet"), E_INVALID);
	says("only one of");
	ck_assert_int_eq(load("-chain=signet"), E_INVALID);
	says("only one of");
	ck_assert_int_eq(load("-chain=regtest"), 0);
	ck_assert_int_eq(s.chain, CHAIN_REGTEST);
	ck_assert_int_eq(load("-noconf -chain=moon"), E_INVALID);
	says("-chain=moon");
}
END_TEST

START_TEST(load_reads_the_section_of_the_network)
{
	scratch_put(dir, "cairn.conf",
		    "chain=regtest\ndbcache=5\n[regtest]\nport=1111\n"
		    "dbcache=6\n[signet]\nport=2222\n");
	ck_assert_int_eq(load(""), 0);
	ck_assert_str_eq(get("port"), "1111");
	ck_assert_str_eq(get("dbcache"), "6");
	ck_assert_int_eq(load("-port=3333"), 0);
	ck_assert_str_eq(get("port"), "3333");
}
END_TEST

START_TEST(load_refuses_options_of_one_network_before_any_section)
{
	scratch_put(dir, "cairn.conf", "regtest=1\nport=1111\n");
	ck_assert_int_eq(load(""), E_INVALID);
	says("cairn.conf:2: port stands before any section");
	says("[regtest]");
	ck_assert_int_eq(load("-port=5"), 0);
	scratch_put(dir, "cairn.conf",
		    "regtest=1\nport=1111\n[regtest]\nport=2\n");
	ck_assert_int_eq(load(""), 0);
	scratch_put(dir, "cairn.conf", "port=1111\n");
	ck_assert_int_eq(load(""), 0);
}
END_TEST

START_TEST(load_names_file_and_line_of_unknown_keys)
{
	scratch_put(dir, "cairn.conf", "dbcache=5\n\n[signet]\nlsten=1\n");
	ck_assert_int_eq(load("-regtest"), E_INVALID);
	says("cairn.conf:4: unknown option lsten; did you mean listen?");
	scratch_put(dir, "cairn.conf", "prune=550\n");
	ck_assert_int_eq(load("-regtest"), E_INVALID);
	says("cairn.conf:1: prune: not supported yet");
	/* What another network's section asks for is not asked here. */
	scratch_put(dir, "cairn.conf", "[main]\nprune=550\n");
	ck_assert_int_eq(load("-regtest"), 0);
	scratch_put(dir, "cairn.conf", "rpcconnect=127.0.0.1\n");
	ck_assert_int_eq(load("-regtest"), 0);
}
END_TEST

START_TEST(load_follows_includeconf_one_level)
{
	scratch_put(dir, "cairn.conf",
		    "includeconf=a.conf\n[regtest]\nincludeconf=b.conf\n"
		    "[signet]\nincludeconf=none.conf\n");
	scratch_put(dir, "a.conf", "uacomment=a\nincludeconf=c.conf\n");
	scratch_put(dir, "b.conf", "uacomment=b\n");
	ck_assert_int_eq(load("-regtest"), 0);
	ck_assert_uint_eq(conf_get_all(&s.conf, "uacomment", NULL, 0), 2);
	ck_assert_ptr_nonnull(
	    strstr(text_str(&s.notes), "a.conf:2: includeconf"));
	ck_assert_int_eq(load("-regtest -noincludeconf"), 0);
	ck_assert(!conf_has(&s.conf, "uacomment"));
	ck_assert_int_eq(load("-signet"), -ENOENT);
	says("none.conf");
	ck_assert_int_eq(load("-includeconf=a.conf"), E_PARSE);
}
END_TEST

START_TEST(load_refuses_loose_words)
{
	ck_assert_int_eq(load("-regtest getblockcount"), E_INVALID);
	says("unexpected word 'getblockcount'");
}
END_TEST

START_TEST(load_answers_help_and_version_without_a_folder)
{
	ck_assert_int_eq(load_words(&s, "-datadir=/none -version", &err), 0);
	ck_assert_int_eq(s.ask, ASK_VERSION);
	settings_fini(&s);
	ck_assert_int_eq(load_words(&s, "-datadir=/none -?", &err), 0);
	ck_assert_int_eq(s.ask, ASK_HELP);
	settings_fini(&s);
	ck_assert_int_eq(load_words(&s, "--help-debug", &err), 0);
	ck_assert_int_eq(s.ask, ASK_HELP_DEBUG);
}
END_TEST

Suite *settings_suite(void)
{
	Suite *suite = suite_create("settings");
	TCase *t = tcase_create("settings");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, load_prefers_cairn_conf_to_bitcoin_conf);
	tcase_add_test(t, load_needs_a_file_that_was_named);
	tcase_add_test(t, load_needs_a_folder_that_was_named);
	tcase_add_test(t, load_makes_the_folder_absolute);
	tcase_add_test(t, load_follows_datadir_in_the_file);
	tcase_add_test(t, load_chooses_one_network);
	tcase_add_test(t, load_reads_the_section_of_the_network);
	tcase_add_test(t,
		       load_refuses_options_of_one_network_before_any_section);
	tcase_add_test(t, load_names_file_and_line_of_unknown_keys);
	tcase_add_test(t, load_follows_includeconf_one_level);
	tcase_add_test(t, load_refuses_loose_words);
	tcase_add_test(t, load_answers_help_and_version_without_a_folder);
	suite_add_tcase(suite, t);
	return suite;
}
