/* Log categories and level from options; the name told to peers. */
#include "suites.h"

#include <cairn/base/err.h>
#include <cairn/base/log.h>

#include <stdlib.h>

static struct conf c;
static struct text err;
static uint32_t mask;
static int level;

static void setup(void)
{
	err = (struct text)TEXT_INIT;
}

static void teardown(void)
{
	text_fini(&err);
}

static int take(const char *words)
{
	int rc;

	text_reset(&err);
	conf_words(&c, CHAIN_REGTEST, words);
	rc = log_options(&c, &mask, &level, &err);
	conf_fini(&c);
	return rc;
}

START_TEST(debug_adds_categories_and_debugexclude_takes_them_off)
{
	ck_assert_int_eq(take(""), 0);
	ck_assert_uint_eq(mask, 0);
	ck_assert_int_eq(level, LOG_DEBUG);
	ck_assert_int_eq(take("-debug=net -debug=rpc"), 0);
	ck_assert_uint_eq(mask, LOG_NET | LOG_RPC);
	ck_assert_int_eq(
	    take("-debug -debugexclude=leveldb -debugexclude=rand"), 0);
	ck_assert_uint_eq(mask, LOG_ALL & ~(LOG_LEVELDB | LOG_RAND));
	ck_assert_int_eq(take("-debugexclude=net -debug=net"), 0);
	ck_assert_uint_eq(mask, 0);
}
END_TEST

START_TEST(debug_none_drops_what_stands_before_it)
{
	ck_assert_int_eq(take("-debug=net -debug=none -debug=rpc"), 0);
	ck_assert_uint_eq(mask, LOG_RPC);
	ck_assert_int_eq(take("-debug=abc -debug=none -debug=rpc"), 0);
	ck_assert_uint_eq(mask, LOG_RPC);
	ck_assert_int_eq(take("-debug=net -debug=0"), 0);
	ck_assert_uint_eq(mask, 0);
	ck_assert_int_eq(take("-debug=net -nodebug"), 0);
	ck_assert_uint_eq(mask, 0);
}
END_TEST

START_TEST(loglevel_is_global_or_raises_for_a_category)
{
	ck_assert_int_eq(take("-loglevel=trace"), 0);
	ck_assert_int_eq(level, LOG_TRACE);
	ck_assert_int_eq(take("-loglevel=info"), 0);
	ck_assert_int_eq(level, LOG_INFO);
	ck_assert_int_eq(take("-loglevel=net:trace"), 0);
	ck_assert_int_eq(level, LOG_TRACE);
}
END_TEST

START_TEST(unknown_categories_and_levels_are_refused)
{
	static const struct {
		const char *words, *sentence;
	} bad[] = {
	    {"-debug=abc", "Unsupported logging category -debug=abc."},
	    {"-debugexclude=abc",
	     "Unsupported logging category -debugexclude=abc."},
	    {"-loglevel=abc", "Unsupported global logging level -loglevel=abc. "
			      "Valid values: info, debug, trace."},
	    {"-loglevel=error",
	     "Unsupported global logging level -loglevel=error. Valid values: "
	     "info, debug, trace."},
	    {"-loglevel=net:abc", "Unsupported category-specific logging level "
				  "-loglevel=net:abc."},
	    {"-loglevel=abc:info", "Unsupported category-specific logging "
				   "level -loglevel=abc:info."},
	    {"-loglevel=net:info:abc", "Unsupported category-specific logging "
				       "level -loglevel=net:info:abc."},
	};
	size_t i;

	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		ck_assert_int_eq(take(bad[i].words), E_INVALID);
		ck_assert_str_eq(text_str(&err), bad[i].sentence);
	}
}
END_TEST

static char *agent(const char *words)
{
	char *ua;

	text_reset(&err);
	conf_words(&c, CHAIN_REGTEST, words);
	ua = user_agent_make(&c, &err);
	conf_fini(&c);
	return ua;
}

START_TEST(user_agent_holds_the_comments_as_bip14_has_them)
{
	char *ua = agent("");

	ck_assert_str_eq(ua, "/Cairn:" CAIRN_VERSION "/");
	free(ua);
	ua = agent("-uacomment=testnode0");
	ck_assert_str_eq(ua, "/Cairn:" CAIRN_VERSION "(testnode0)/");
	free(ua);
	ua = agent("-uacomment=a -uacomment=b.c");
	ck_assert_str_eq(ua, "/Cairn:" CAIRN_VERSION "(a; b.c)/");
	free(ua);
}
END_TEST

START_TEST(user_agent_refuses_unsafe_and_long_comments)
{
	static const char unsafe[] = "/:()*!#";
	char words[400] = "-uacomment=ax";
	size_t i;

	for (i = 0; unsafe[i]; i++) {
		words[12] = unsafe[i];
		ck_assert_msg(!agent(words), "took '%c'", unsafe[i]);
		ck_assert_ptr_nonnull(
		    strstr(text_str(&err), "contains unsafe characters."));
	}
	memset(words + 11, 'a', 300);
	words[311] = '\0';
	ck_assert_ptr_null(agent(words));
	ck_assert_ptr_nonnull(
	    strstr(text_str(&err), "exceeds maximum length (256)"));
	/* The longest that fits. */
	words[11 + 256 - strlen("/Cairn:" CAIRN_VERSION "()/")] = '\0';
	{
		char *ua = agent(words);

		ck_assert_ptr_nonnull(ua);
		ck_assert_uint_eq(strlen(ua), 256);
		free(ua);
	}
}
END_TEST

Suite *log_options_suite(void)
{
	Suite *s = suite_create("log_options");
	TCase *t = tcase_create("log_options");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t,
		       debug_adds_categories_and_debugexclude_takes_them_off);
	tcase_add_test(t, debug_none_drops_what_stands_before_it);
	tcase_add_test(t, loglevel_is_global_or_raises_for_a_category);
	tcase_add_test(t, unknown_categories_and_levels_are_refused);
	tcase_add_test(t, user_agent_holds_the_comments_as_bip14_has_them);
	tcase_add_test(t, user_agent_refuses_unsafe_and_long_comments);
	suite_add_tcase(s, t);
	return s;
}
