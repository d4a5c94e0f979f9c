/* Options of the pool of transactions, with bitcoind's sentences. */
#include "suites.h"

#include <cairn/base/err.h>

static struct conf c;
static struct text notes, err;
static struct pool_settings p;

static void setup(void)
{
	notes = err = (struct text)TEXT_INIT;
	conf_init(&c);
}

static void teardown(void)
{
	conf_fini(&c);
	text_fini(&notes);
	text_fini(&err);
}

static void note(void *arg, const char *line)
{
	text_printf(arg, "%s\n", line);
}

static void pass_over(void *arg, const char *line)
{
	(void)arg;
	(void)line;
}

static int apply(enum chain_id chain, const char *words)
{
	conf_fini(&c);
	text_reset(&notes);
	text_reset(&err);
	conf_words(&c, chain, words);
	interactions_apply(&c, pass_over, NULL);
	return pool_options(&p, &err, &c, chain, note, &notes);
}

static void take(const char *words)
{
	ck_assert_msg(apply(CHAIN_REGTEST, words) == 0, "%s: %s", words,
		      text_str(&err));
}

static void refused(const char *words, const char *sentence)
{
	p.expiry_s = 1;
	ck_assert_msg(apply(CHAIN_REGTEST, words) == E_INVALID,
		      "%s was accepted", words);
	ck_assert_str_eq(text_str(&err), sentence);
	ck_assert_int_eq(p.expiry_s, 1);
}

START_TEST(without_options_it_is_the_policy_of_bitcoin_core)
{
	take("-regtest");
	ck_assert(p.policy.require_standard);
	ck_assert(p.policy.bare_multisig);
	ck_assert_int_eq(p.policy.data_carrier, 100000);
	ck_assert_int_eq(p.policy.dust_relay_rate, 3000);
	ck_assert_int_eq(p.policy.min_relay_rate, 100);
	ck_assert_int_eq(p.policy.incremental_rate, 100);
	ck_assert_uint_eq(p.policy.bytes_per_sigop, 20);
	ck_assert_uint_eq(p.policy.cluster_count, 64);
	ck_assert_int_eq(p.policy.cluster_vbytes, 101000);
	ck_assert_int_eq(p.bytes, 300000000);
	ck_assert_int_eq(p.expiry_s, 336 * 3600);
	ck_assert_str_eq(text_str(&notes), "");
}
END_TEST

START_TEST(every_option_reaches_its_value)
{
	take("-acceptnonstdtxn -permitbaremultisig=0 -datacarriersize=83 "
	     "-dustrelayfee=0.1 -minrelaytxfee=0.00000002 "
	     "-incrementalrelayfee=1 -bytespersigop=7 -limitclustercount=3 "
	     "-limitclustersize=10 -maxmempool=9 -mempoolexpiry=2");
	ck_assert(!p.policy.require_standard);
	ck_assert(!p.policy.bare_multisig);
	ck_assert_int_eq(p.policy.data_carrier, 83);
	ck_assert_int_eq(p.policy.dust_relay_rate, 10000000);
	ck_assert_int_eq(p.policy.min_relay_rate, 2);
	ck_assert_int_eq(p.policy.incremental_rate, 100000000);
	ck_assert_uint_eq(p.policy.bytes_per_sigop, 7);
	ck_assert_uint_eq(p.policy.cluster_count, 3);
	ck_assert_int_eq(p.policy.cluster_vbytes, 10000);
	ck_assert_int_eq(p.bytes, 9000000);
	ck_assert_int_eq(p.expiry_s, 7200);
}
END_TEST

START_TEST(no_data_means_none_of_any_size)
{
	take("-datacarrier=0 -datacarriersize=83");
	ck_assert_int_eq(p.policy.data_carrier, -1);
	take("-nodatacarrier");
	ck_assert_int_eq(p.policy.data_carrier, -1);
}
END_TEST

START_TEST(a_higher_increment_raises_the_least_fee_that_was_not_given)
{
	take("-incrementalrelayfee=0.0001");
	ck_assert_int_eq(p.policy.min_relay_rate, 10000);
	ck_assert_str_eq(text_str(&notes),
			 "Increasing minrelaytxfee to 0.00010000 BTC/kvB to "
			 "match incrementalrelayfee\n");
	take("-incrementalrelayfee=0.0001 -minrelaytxfee=0.00001");
	ck_assert_int_eq(p.policy.min_relay_rate, 1000);
	ck_assert_str_eq(text_str(&notes), "");
	take("-incrementalrelayfee=0.00000099");
	ck_assert_int_eq(p.policy.min_relay_rate, 100);
}
END_TEST

START_TEST(amounts_that_are_none_are_refused)
{
	refused("-minrelaytxfee=x",
		"Invalid amount for -minrelaytxfee=<amount>: 'x'");
	refused("-incrementalrelayfee=-1",
		"Invalid amount for -incrementalrelayfee=<amount>: '-1'");
	refused("-dustrelayfee=",
		"Invalid amount for -dustrelayfee=<amount>: ''");
	take("-nominrelaytxfee");
	ck_assert_int_eq(p.policy.min_relay_rate, 0);
}
END_TEST

START_TEST(standard_form_is_required_on_main)
{
	ck_assert_int_eq(apply(CHAIN_MAIN, "-acceptnonstdtxn=1"), E_INVALID);
	ck_assert_str_eq(
	    text_str(&err),
	    "acceptnonstdtxn is not currently supported for main chain");
	ck_assert_int_eq(apply(CHAIN_MAIN, "-acceptnonstdtxn=0"), 0);
	ck_assert_int_eq(apply(CHAIN_TEST, "-acceptnonstdtxn=1"), 0);
	ck_assert_int_eq(apply(CHAIN_SIGNET, "-acceptnonstdtxn=1"), 0);
}
END_TEST

START_TEST(clusters_hold_1_to_64)
{
	refused("-limitclustercount=65",
		"limitclustercount must be less than or equal to 64");
	refused("-limitclustercount=0",
		"limitclustercount must be between 1 and 64");
	refused("-limitclustercount=-4294967295",
		"limitclustercount must be between 1 and 64");
	take("-limitclustercount=64");
	take("-limitclustercount=1");
}
END_TEST

START_TEST(the_pool_holds_its_largest_clusters_or_nothing)
{
	refused("-maxmempool=4", "-maxmempool must be at least 5 MB");
	refused("-maxmempool=-1", "-maxmempool must be at least 5 MB");
	refused("-maxmempool=-9223372036854775808",
		"-maxmempool must be at least 5 MB");
	refused("-maxmempool=7 -limitclustersize=176",
		"-maxmempool must be at least 8 MB");
	take("-maxmempool=7 -limitclustersize=175");
	take("-maxmempool=0");
	ck_assert_int_eq(p.bytes, 0);
	take("-nomaxmempool");
	ck_assert_int_eq(p.bytes, 0);
}
END_TEST

START_TEST(a_node_of_blocks_only_has_a_small_pool)
{
	take("-blocksonly");
	ck_assert_int_eq(p.bytes, 5000000);
	take("-blocksonly -maxmempool=50");
	ck_assert_int_eq(p.bytes, 50000000);
}
END_TEST

Suite *pool_options_suite(void)
{
	Suite *s = suite_create("pool_options");
	TCase *t = tcase_create("pool_options");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, without_options_it_is_the_policy_of_bitcoin_core);
	tcase_add_test(t, every_option_reaches_its_value);
	tcase_add_test(t, no_data_means_none_of_any_size);
	tcase_add_test(
	    t, a_higher_increment_raises_the_least_fee_that_was_not_given);
	tcase_add_test(t, amounts_that_are_none_are_refused);
	tcase_add_test(t, standard_form_is_required_on_main);
	tcase_add_test(t, clusters_hold_1_to_64);
	tcase_add_test(t, the_pool_holds_its_largest_clusters_or_nothing);
	tcase_add_test(t, a_node_of_blocks_only_has_a_small_pool);
	suite_add_tcase(s, t);
	return s;
}
