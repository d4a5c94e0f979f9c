/* Help texts made from the table. */
#include "fixture.h"

static struct server *s;
static struct text t;

static void setup(void)
{
	s = server_start(NULL);
}

static void teardown(void)
{
	text_fini(&t);
	server_stop(s);
}

START_TEST(list_is_by_category_and_hides_the_hidden)
{
	ck_assert(rpc_help(s->r, &t, NULL));
	ck_assert_str_eq(
	    t.p, "== Blockchain ==\n"
		 "big n size\n"
		 "typed \"blockhash\" ( verbosity height options list )\n"
		 "\n"
		 "== Control ==\n"
		 "fail\n"
		 "hop\n"
		 "nothing\n"
		 "seven\n"
		 "slow\n"
		 "\n"
		 "== Util ==\n"
		 "echo ( first second )\n"
		 "echochain ( first second )\n"
		 "echopool ( first second )");
	text_reset(&t);
	ck_assert(rpc_help(s->r, &t, ""));
	ck_assert_mem_eq(t.p, "== Blockchain ==", 16);
}
END_TEST

START_TEST(command_help_explains_arguments_and_result)
{
	ck_assert(rpc_help(s->r, &t, "typed"));
	ck_assert_str_eq(
	    t.p, "typed \"blockhash\" ( verbosity height options list )\n"
		 "\n"
		 "Checks types.\n"
		 "And so on.\n"
		 "\n"
		 "Arguments:\n"
		 "1. blockhash    (string, required) The block's hash.\n"
		 "2. verbosity    (optional) How much to tell.\n"
		 "3. height       (numeric, optional) A height.\n"
		 "4. options      (json object, optional) An object.\n"
		 "5. list         (json array, optional) An array.\n");
	text_reset(&t);
	ck_assert(rpc_help(s->r, &t, "seven"));
	ck_assert_str_eq(t.p, "seven\n\nAnswers seven.\n\nResult:\n"
			      "n    (numeric) seven\n");
	text_reset(&t);
	ck_assert(rpc_help(s->r, &t, "keep"));
	ck_assert_str_eq(t.p, "keep\n\nKeeps.\n");
}
END_TEST

START_TEST(unknown_command_is_named)
{
	ck_assert(!rpc_help(s->r, &t, "nosuch"));
	ck_assert_str_eq(t.p, "help: unknown command: nosuch");
}
END_TEST

Suite *help_suite(void)
{
	Suite *su = suite_create("help");
	TCase *tc = tcase_create("help");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, list_is_by_category_and_hides_the_hidden);
	tcase_add_test(tc, command_help_explains_arguments_and_result);
	tcase_add_test(tc, unknown_command_is_named);
	suite_add_tcase(su, tc);
	return su;
}
