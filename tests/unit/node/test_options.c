/*
 * The option table and its judgement: each class, each type, the sentence for
 * what is refused.
 */
#include "suites.h"

#include <cairn/base/err.h>
#include <cairn/node/options.h>

#include <stdlib.h>

static struct conf c;
static struct text err;

static void setup(void)
{
	err = (struct text)TEXT_INIT;
}

static void teardown(void)
{
	text_fini(&err);
}

static int check(enum chain_id chain, const char *words)
{
	int rc;

	text_reset(&err);
	conf_words(&c, chain, words);
	rc = options_check(&c, chain, &err);
	conf_fini(&c);
	return rc;
}

static void refused(const char *words, const char *sentence)
{
	ck_assert_msg(check(CHAIN_REGTEST, words) == E_INVALID,
		      "%s was accepted", words);
	ck_assert_str_eq(text_str(&err), sentence);
}

START_TEST(table_has_each_name_once_and_every_row_its_text)
{
	const struct option *o, *p;

	for (o = option_table; o->name; o++) {
		if (!*o->name) {
			ck_assert_ptr_nonnull(o->group);
			continue;
		}
		ck_assert_msg(o->class == OPT_LATER || o->text,
			      "%s has no text", o->name);
		ck_assert_msg(o->type != OPT_INT || o->min < o->max,
			      "%s has no range", o->name);
		ck_assert_msg(o->class != OPT_LATER || o->type != OPT_BOOL ||
				  o->off,
			      "%s has no off value", o->name);
		for (p = o + 1; p->name; p++)
			ck_assert_str_ne(o->name, p->name);
		ck_assert_ptr_eq(option_find(o->name), o);
	}
}
END_TEST

START_TEST(table_agrees_with_the_names_of_one_network)
{
	const char *const *k = option_net_only();
	const struct option *o;
	size_t n = 0;

	for (; *k; k++, n++) {
		o = option_find(*k);
		ck_assert_ptr_nonnull(o);
		ck_assert_msg(o->flags & OPT_NET_ONLY, "%s", *k);
	}
	for (o = option_table; o->name; o++)
		n -= (o->flags & OPT_NET_ONLY) != 0;
	ck_assert_uint_eq(n, 0);
}
END_TEST

/* What Bitcoin Core's functional framework passes to every node. */
START_TEST(check_accepts_the_arguments_of_external_suites)
{
	ck_assert_int_eq(
	    check(CHAIN_REGTEST,
		  "-datadir=/x -logtimemicros -debug -debugexclude=leveldb "
		  "-debugexclude=rand -uacomment=testnode0 -disablewallet "
		  "-logthreadnames -logsourcelocations -loglevel=trace "
		  "-nologratelimit -v2transport=0 -rpcservertimeout=99000 "
		  "-rpcdoccheck=1 -rpcthreads=2 -fallbackfee=0.0002 -server=1 "
		  "-keypool=1 -discover=0 -dnsseed=0 -fixedseeds=0"),
	    0);
	ck_assert_int_eq(
	    check(CHAIN_REGTEST,
		  "-listenonion=0 -peertimeout=999999999 -printtoconsole=0 "
		  "-natpmp=0 -shrinkdebugfile=0 -unsafesqlitesync=1 "
		  "-connect=0 -maxconnections=94 -par=2 "
		  "-prevoutfetchthreads=1 -bind=127.0.0.1 -acceptnonstdtxn=1 "
		  "-testactivationheight=bip34@2 -minimumchainwork=0x65"),
	    0);
}
END_TEST

START_TEST(check_refuses_what_is_not_built)
{
	refused("-prune=550", "prune: not supported yet");
	refused("-txindex", "txindex: not supported yet");
	refused("-rest=1", "rest: not supported yet");
	refused("-proxy=127.0.0.1:9050", "proxy: not supported yet");
	refused("-zmqpubhashblock=tcp://127.0.0.1:1",
		"zmqpubhashblock: not supported yet");
	refused("-startupnotify=true", "startupnotify: not supported yet");
	refused("-nodns", "dns: not supported yet");
	refused("-dns=0", "dns: not supported yet");
}
END_TEST

START_TEST(check_accepts_unbuilt_options_that_ask_for_nothing)
{
	ck_assert_int_eq(check(CHAIN_REGTEST,
			       "-prune=0 -noproxy -txindex=0 -rest=0 "
			       "-dns=1 -blocknotify= -noonlynet -rest=0"),
			 0);
	/* The last word counts. */
	ck_assert_int_eq(check(CHAIN_REGTEST, "-prune=550 -prune=0"), 0);
	ck_assert_int_eq(check(CHAIN_REGTEST, "-prune=0 -prune=550"),
			 E_INVALID);
}
END_TEST

START_TEST(check_names_the_nearest_option)
{
	refused("-dbcach=1", "unknown option -dbcach; did you mean -dbcache?");
	refused("-lisetn=1", "unknown option -lisetn; did you mean -listen?");
	refused("-nolistem", "unknown option -nolistem; did you mean -listen?");
	refused("-qwertyuiop", "unknown option -qwertyuiop");
	refused("-rpcconnect=x", "-rpcconnect is an option of cairn-cli");
}
END_TEST

START_TEST(nearest_shows_no_hidden_name_and_bears_long_ones)
{
	char longest[200];

	memset(longest, 'a', sizeof longest - 1);
	longest[sizeof longest - 1] = '\0';
	ck_assert_ptr_null(option_nearest(longest));
	ck_assert_ptr_null(option_nearest(""));
	ck_assert_ptr_null(option_nearest("testfailbloc"));
	ck_assert_str_eq(option_nearest("maxconection"), "maxconnections");
}
END_TEST

START_TEST(check_refuses_wrong_values)
{
	refused("-mempoolexpiry=-1",
		"-mempoolexpiry=-1 is out of range, the least is 0");
	refused("-bytespersigop=4294967296",
		"-bytespersigop=4294967296 is out of range, the most is "
		"4294967295");
	refused("-limitclustersize=0",
		"-limitclustersize=0 is out of range, the least is 1");
	refused("-dbcache=lots", "-dbcache=lots is not a whole number");
	refused("-dbcache=1x", "-dbcache=1x is not a whole number");
	refused("-maxconnections=-1",
		"-maxconnections=-1 is out of range, the least is 0");
	refused("-par=5000", "-par=5000 is out of range, the most is 1024");
	refused("-listen=yes", "-listen=yes is not 0 or 1");
	refused("-port=65536", "Invalid port specified in -port: '65536'");
	refused("-port=0", "Invalid port specified in -port: '0'");
	refused("-noport", "Invalid port specified in -port: '0'");
	refused("-rpcport=x", "Invalid port specified in -rpcport: 'x'");
	refused("-bind=127.0.0.1:0",
		"Invalid port specified in -bind: '127.0.0.1:0'");
	refused("-bind=[::1]:x=onion",
		"Invalid port specified in -bind: '[::1]:x=onion'");
	refused("-rpcbind=127.0.0.1:65536",
		"Invalid port specified in -rpcbind: '127.0.0.1:65536'");
	refused("-loadblock=", "-loadblock needs a value");
	refused("-nodatadir", "-datadir cannot be negated");
}
END_TEST

START_TEST(check_accepts_addresses_with_and_without_port)
{
	ck_assert_int_eq(
	    check(CHAIN_REGTEST,
		  "-bind=127.0.0.1 -bind=127.0.0.1:1 -bind=::1 "
		  "-bind=[::1] -bind=[::1]:65535 -bind=1.2.3.4=onion "
		  "-bind=1.2.3.4:5=onion -rpcbind=localhost"),
	    0);
}
END_TEST

START_TEST(check_keeps_test_options_to_regtest)
{
	ck_assert_int_eq(check(CHAIN_REGTEST, "-testfailblock=00"), 0);
	ck_assert_int_eq(check(CHAIN_SIGNET, "-testfailblock=00"), E_INVALID);
	ck_assert_str_eq(text_str(&err), "-testfailblock is for regtest only");
	ck_assert_int_eq(check(CHAIN_MAIN, "-testactivationheight=csv@1"),
			 E_INVALID);
}
END_TEST

struct notes {
	struct text lines, warnings;
};

static void take_note(void *arg, bool warn, const char *line)
{
	struct notes *n = arg;

	text_printf(warn ? &n->warnings : &n->lines, "%s\n", line);
}

START_TEST(note_tells_idle_options_once_and_hides_secrets)
{
	struct notes n = {TEXT_INIT, TEXT_INIT};
	const char *s;

	conf_words(&c, CHAIN_REGTEST,
		   "-keypool=1 -keypool=2 -rpcpassword=hush -dbcache=9");
	options_note(&c, take_note, &n);
	s = text_str(&n.lines);
	ck_assert_ptr_nonnull(
	    strstr(s, "option -keypool has no effect: there is no wallet\n"));
	ck_assert_ptr_null(strstr(strstr(s, "no effect") + 1, "no effect"));
	ck_assert_ptr_nonnull(
	    strstr(s, "option rpcpassword=**** from=command line\n"));
	ck_assert_ptr_null(strstr(s, "hush"));
	ck_assert_ptr_nonnull(strstr(s, "option dbcache=9 from=command line"));
	ck_assert_uint_eq(n.warnings.n, 0);
	text_fini(&n.lines);
	conf_fini(&c);
}
END_TEST

START_TEST(help_shows_options_for_testing_only_when_asked)
{
	struct text t = TEXT_INIT;
	const char *line, *end;

	options_help(&t, false);
	ck_assert_ptr_nonnull(strstr(text_str(&t), "  -dbcache=<n>\n"));
	ck_assert_ptr_null(strstr(text_str(&t), "-stopatheight"));
	ck_assert_ptr_null(strstr(text_str(&t), "prune"));
	text_reset(&t);
	options_help(&t, true);
	ck_assert_ptr_nonnull(strstr(text_str(&t), "  -stopatheight=<n>\n"));
	ck_assert_ptr_nonnull(strstr(text_str(&t), "prune"));
	ck_assert_ptr_null(strstr(text_str(&t), "testfailblock"));
	for (line = text_str(&t); *line; line = end + 1) {
		end = strchr(line, '\n');
		ck_assert_ptr_nonnull(end);
		ck_assert_int_le(end - line, 80);
	}
	text_fini(&t);
}
END_TEST

Suite *options_suite(void)
{
	Suite *s = suite_create("options");
	TCase *t = tcase_create("options");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, table_has_each_name_once_and_every_row_its_text);
	tcase_add_test(t, table_agrees_with_the_names_of_one_network);
	tcase_add_test(t, check_accepts_the_arguments_of_external_suites);
	tcase_add_test(t, check_refuses_what_is_not_built);
	tcase_add_test(t, check_accepts_unbuilt_options_that_ask_for_nothing);
	tcase_add_test(t, check_names_the_nearest_option);
	tcase_add_test(t, nearest_shows_no_hidden_name_and_bears_long_ones);
	tcase_add_test(t, check_refuses_wrong_values);
	tcase_add_test(t, check_accepts_addresses_with_and_without_port);
	tcase_add_test(t, check_keeps_test_options_to_regtest);
	tcase_add_test(t, note_tells_idle_options_once_and_hides_secrets);
	tcase_add_test(t, help_shows_options_for_testing_only_when_asked);
	suite_add_tcase(s, t);
	return s;
}
