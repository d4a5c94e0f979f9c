/* Options that imply others, by bitcoind's rules, and those that contradict. */
#include "suites.h"

static struct conf c;
static struct text lines, err;

static void setup(void)
{
	lines = err = (struct text)TEXT_INIT;
}

static void teardown(void)
{
	conf_fini(&c);
	text_fini(&lines);
	text_fini(&err);
}

static void note(void *arg, const char *line)
{
	text_printf(arg, "%s\n", line);
}

static void apply(const char *words)
{
	conf_fini(&c);
	text_reset(&lines);
	conf_words(&c, CHAIN_REGTEST, words);
	interactions_apply(&c, note, &lines);
}

static bool agree(const char *words)
{
	apply(words);
	text_reset(&err);
	return interactions_agree(&c, &err);
}

#define PI "parameter interaction: "

START_TEST(connect_turns_seeds_and_listening_off)
{
	apply("-connect=1.2.3.4");
	ck_assert(!conf_bool(&c, "dnsseed", true));
	ck_assert(!conf_bool(&c, "listen", true));
	ck_assert_str_eq(text_str(&lines),
			 PI "-connect set -> setting -dnsseed=0\n" PI
			    "-connect set -> setting -listen=0\n" PI
			    "-listen=0 -> setting -natpmp=0\n" PI
			    "-listen=0 -> setting -discover=0\n" PI
			    "-listen=0 -> setting -listenonion=0\n" PI
			    "-listen=0 -> setting -i2pacceptincoming=0\n");
}
END_TEST

START_TEST(noconnect_and_connect_0_do_the_same)
{
	apply("-noconnect");
	ck_assert(!conf_bool(&c, "dnsseed", true));
	ck_assert(!conf_bool(&c, "listen", true));
	apply("-connect=0");
	ck_assert(!conf_bool(&c, "dnsseed", true));
	ck_assert(!conf_bool(&c, "listen", true));
}
END_TEST

START_TEST(bind_keeps_listening_on_with_connect)
{
	apply("-connect=0 -bind=127.0.0.1");
	ck_assert(conf_bool(&c, "listen", false));
	ck_assert(!conf_bool(&c, "dnsseed", true));
	ck_assert_str_eq(text_str(&lines),
			 PI "-bind set -> setting -listen=1\n" PI
			    "-connect set -> setting -dnsseed=0\n");
}
END_TEST

START_TEST(what_was_given_is_not_changed)
{
	apply("-connect=0 -listen=1 -dnsseed=1");
	ck_assert(conf_bool(&c, "listen", false));
	ck_assert(conf_bool(&c, "dnsseed", false));
	ck_assert_uint_eq(lines.n, 0);
}
END_TEST

START_TEST(no_connections_turn_seeds_and_listening_off)
{
	apply("-maxconnections=0");
	ck_assert(!conf_bool(&c, "dnsseed", true));
	ck_assert(!conf_bool(&c, "listen", true));
	apply("-maxconnections=1");
	ck_assert(conf_bool(&c, "listen", true));
	ck_assert_uint_eq(lines.n, 0);
}
END_TEST

START_TEST(blocksonly_makes_the_pool_small)
{
	apply("-blocksonly");
	ck_assert_int_eq(conf_i64(&c, "maxmempool", 300), 5);
	ck_assert(!conf_bool(&c, "whitelistrelay", true));
	apply("-blocksonly=0");
	ck_assert_uint_eq(lines.n, 0);
}
END_TEST

START_TEST(contradictions_are_refused)
{
	ck_assert(!agree("-bind=127.0.0.1 -listen=0"));
	ck_assert_ptr_nonnull(strstr(text_str(&err), "-bind"));
	ck_assert(!agree("-peerblockfilters"));
	ck_assert_str_eq(text_str(&err), "Cannot set -peerblockfilters without "
					 "-blockfilterindex.");
	ck_assert(!agree("-forcednsseed -dnsseed=0"));
	ck_assert(!agree("-forcednsseed -connect=0"));
	ck_assert(!agree("-listen=0 -listenonion=1"));
	ck_assert(!agree("-peertimeout=0"));
	ck_assert(!agree("-blockfilterindex=extended"));
}
END_TEST

START_TEST(sound_combinations_agree)
{
	ck_assert(agree(""));
	ck_assert(agree("-peerblockfilters -blockfilterindex"));
	ck_assert(agree("-peerblockfilters -blockfilterindex=basic"));
	ck_assert(agree("-forcednsseed"));
	ck_assert(agree("-bind=127.0.0.1 -connect=0 -blockfilterindex=0"));
}
END_TEST

Suite *interactions_suite(void)
{
	Suite *s = suite_create("interactions");
	TCase *t = tcase_create("interactions");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, connect_turns_seeds_and_listening_off);
	tcase_add_test(t, noconnect_and_connect_0_do_the_same);
	tcase_add_test(t, bind_keeps_listening_on_with_connect);
	tcase_add_test(t, what_was_given_is_not_changed);
	tcase_add_test(t, no_connections_turn_seeds_and_listening_off);
	tcase_add_test(t, blocksonly_makes_the_pool_small);
	tcase_add_test(t, contradictions_are_refused);
	tcase_add_test(t, sound_combinations_agree);
	suite_add_tcase(s, t);
	return s;
}
