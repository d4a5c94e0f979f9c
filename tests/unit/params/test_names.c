/* Chain names and ports, against the values that clients of bitcoind know. */
#include "suites.h"

#include <cairn/params/names.h>

#include <stddef.h>

static const struct chain_names want[] = {
    {CHAIN_MAIN, "main", "", 8333, 8334, 8332},
    {CHAIN_TEST, "test", "testnet3", 18333, 18334, 18332},
    {CHAIN_TESTNET4, "testnet4", "testnet4", 48333, 48334, 48332},
    {CHAIN_SIGNET, "signet", "signet", 38333, 38334, 38332},
    {CHAIN_REGTEST, "regtest", "regtest", 18444, 18445, 18443},
};

START_TEST(names_have_the_ports_and_folders_of_bitcoind)
{
	const struct chain_names *w = &want[_i], *n = chain_names(w->id);

	ck_assert_int_eq(n->id, w->id);
	ck_assert_str_eq(n->name, w->name);
	ck_assert_str_eq(n->folder, w->folder);
	ck_assert_uint_eq(n->p2p_port, w->p2p_port);
	ck_assert_uint_eq(n->onion_port, w->onion_port);
	ck_assert_uint_eq(n->rpc_port, w->rpc_port);
	ck_assert_ptr_eq(chain_names_find(w->name), n);
}
END_TEST

START_TEST(names_refuse_what_is_no_chain)
{
	static const char *const bad[] = {"",         "Main",  "mainnet",
					  "testnet3", "main ", "regtes"};
	size_t i;

	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		ck_assert_msg(!chain_names_find(bad[i]), "found %s", bad[i]);
}
END_TEST

Suite *names_suite(void)
{
	Suite *s = suite_create("names");
	TCase *t = tcase_create("chain_names");

	tcase_add_loop_test(t, names_have_the_ports_and_folders_of_bitcoind, 0,
			    CHAIN_COUNT);
	tcase_add_test(t, names_refuse_what_is_no_chain);
	suite_add_tcase(s, t);
	return s;
}
