/*
 * The network tables: what must agree within a row, and the values that would
 * be costly to get wrong, as text from Bitcoin Core 31.99 and the BIPs. Hashing
 * the genesis blocks needs crypto and is tested in consensus.
 */
#include "suites.h"

#include <cairn/base/endian.h>
#include <cairn/base/text.h>
#include <cairn/params/params.h>

static const struct {
	const char *magic, *genesis, *bip34, *min_work, *assume_valid;
	int32_t heights[DEPLOY_COUNT];
	uint32_t commitment_period, redownload_buffer;
	uint8_t pubkey, script, secret;
	const char *hrp;
	uint32_t ext_public, ext_secret;
	size_t seeds;
} want[CHAIN_COUNT] = {
    [CHAIN_MAIN] =
	{
	    "f9beb4d9",
	    "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f",
	    "000000000000024b89b42a942fe0d9fea3bb44ab7bd1b19115dd6a759c0808b8",
	    "0000000000000000000000000000000000000001128750f82f4c366153a3a030",
	    "00000000000000000000ccebd6d74d9194d8dcdc1d177c478e094bfad51ba5ac",
	    {227931, 388381, 363725, 419328, 481824},
	    641,
	    15218,
	    0,
	    5,
	    128,
	    "bc",
	    0x0488b21e,
	    0x0488ade4,
	    7,
	},
    [CHAIN_TEST] =
	{
	    "0b110907",
	    "000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943",
	    "0000000023b3a96d3484e5abb3755c413e7d41500f8e2a5c3f0dd01299cd8ef8",
	    "0000000000000000000000000000000000000000000017dde1c649f3708d14b6",
	    "000000007a61e4230b28ac5cb6b5e5a0130de37ac1faf2f8987d2fa6505b67f4",
	    {21111, 581885, 330776, 770112, 834624},
	    673,
	    14460,
	    111,
	    196,
	    239,
	    "tb",
	    0x043587cf,
	    0x04358394,
	    4,
	},
    [CHAIN_TESTNET4] =
	{
	    "1c163f28",
	    "00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043",
	    "0000000000000000000000000000000000000000000000000000000000000000",
	    "0000000000000000000000000000000000000000000009a0fe15d0177d086304",
	    "0000000002368b1e4ee27e2e85676ae6f9f9e69579b29093e9a82c170bf7cf8a",
	    {1, 1, 1, 1, 1},
	    606,
	    16092,
	    111,
	    196,
	    239,
	    "tb",
	    0x043587cf,
	    0x04358394,
	    2,
	},
    [CHAIN_SIGNET] =
	{
	    "0a03cf40",
	    "00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6",
	    "0000000000000000000000000000000000000000000000000000000000000000",
	    "00000000000000000000000000000000000000000000000000000b463ea0a4b8",
	    "00000008414aab61092ef93f1aacc54cf9e9f16af29ddad493b908a01ff5c329",
	    {1, 1, 1, 1, 1},
	    620,
	    15724,
	    111,
	    196,
	    239,
	    "tb",
	    0x043587cf,
	    0x04358394,
	    2,
	},
    [CHAIN_REGTEST] =
	{
	    "fabfb5da",
	    "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206",
	    "0000000000000000000000000000000000000000000000000000000000000000",
	    "0000000000000000000000000000000000000000000000000000000000000000",
	    "0000000000000000000000000000000000000000000000000000000000000000",
	    {1, 1, 1, 1, 0},
	    275,
	    7017,
	    111,
	    196,
	    239,
	    "bcrt",
	    0x043587cf,
	    0x04358394,
	    1,
	},
};

static void assert_hash(const char *text, const struct hash256 *h, int i)
{
	char got[HASH256_STR];

	ck_assert_msg(strcmp(hash256_fmt(got, h), text) == 0,
		      "chain %d: %s is not %s", i, got, text);
}

START_TEST(params_have_bitcoin_core_s_hashes)
{
	const struct params *p = params_get((enum chain_id)_i);
	char text[65];

	hex_put(text, slice_of(p->magic, 4));
	ck_assert_str_eq(text, want[_i].magic);
	assert_hash(want[_i].genesis, &p->genesis_hash, _i);
	assert_hash(want[_i].bip34, &p->bip34_hash, _i);
	assert_hash(want[_i].assume_valid, &p->assume_valid, _i);
	hex_put(text, slice_of(p->min_chain_work, 32));
	ck_assert_str_eq(text, want[_i].min_work);
}
END_TEST

START_TEST(params_have_bitcoin_core_s_numbers)
{
	const struct params *p = params_get((enum chain_id)_i);
	size_t n;
	int d;

	for (d = 0; d < DEPLOY_COUNT; d++)
		ck_assert_int_eq(p->deploy_height[d], want[_i].heights[d]);
	ck_assert_uint_eq(p->presync_commitment_period,
			  want[_i].commitment_period);
	ck_assert_uint_eq(p->presync_redownload_buffer,
			  want[_i].redownload_buffer);
	ck_assert_uint_eq(p->addr_pubkey, want[_i].pubkey);
	ck_assert_uint_eq(p->addr_script, want[_i].script);
	ck_assert_uint_eq(p->addr_secret, want[_i].secret);
	ck_assert_str_eq(p->bech32_hrp, want[_i].hrp);
	ck_assert_uint_eq(p->ext_public, want[_i].ext_public);
	ck_assert_uint_eq(p->ext_secret, want[_i].ext_secret);
	for (n = 0; p->dns_seeds[n]; n++)
		ck_assert_int_eq(p->dns_seeds[n][strlen(p->dns_seeds[n]) - 1],
				 '.');
	ck_assert_uint_eq(n, want[_i].seeds);
}
END_TEST

START_TEST(params_rows_are_those_of_their_chain)
{
	const struct params *p = params_get((enum chain_id)_i);

	ck_assert_int_eq(p->id, _i);
	ck_assert_ptr_eq(p->names, chain_names((enum chain_id)_i));
	ck_assert_int_eq(p->is_test_chain, _i != CHAIN_MAIN);
	ck_assert_int_eq(p->mineable_by_rpc, _i == CHAIN_REGTEST);
	ck_assert_int_eq(p->no_retarget, _i == CHAIN_REGTEST);
	ck_assert_int_eq(p->bip94, _i == CHAIN_TESTNET4);
	ck_assert_int_eq(p->min_difficulty_blocks,
			 _i != CHAIN_MAIN && _i != CHAIN_SIGNET);
	ck_assert_uint_eq(p->signet_challenge.n, _i == CHAIN_SIGNET ? 71 : 0);
	ck_assert_int_eq(p->halving_interval,
			 _i == CHAIN_REGTEST ? 150 : 210000);
	ck_assert_uint_eq(p->prune_after_height,
			  _i == CHAIN_MAIN ? 100000 : 1000);
}
END_TEST

START_TEST(params_genesis_fields_are_those_of_the_block)
{
	const struct params *p = params_get((enum chain_id)_i);
	const uint8_t *b = p->genesis_block.p;

	ck_assert_uint_eq(p->genesis_block.n, _i == CHAIN_TESTNET4 ? 261 : 285);
	ck_assert_int_eq((int32_t)le32_get(b), p->genesis_version);
	ck_assert(hash256_is_zero(hash256_at(b + 4)));
	ck_assert(hash256_eq(hash256_at(b + 36), &p->genesis_merkle));
	ck_assert_uint_eq(le32_get(b + 68), p->genesis_time);
	ck_assert_uint_eq(le32_get(b + 72), p->genesis_bits);
	ck_assert_uint_eq(le32_get(b + 76), p->genesis_nonce);
	ck_assert_uint_eq(b[80], 1);
}
END_TEST

START_TEST(params_retarget_spans_agree)
{
	const struct params *p = params_get((enum chain_id)_i);

	ck_assert_int_eq(p->target_spacing_s, 600);
	ck_assert_int_eq(p->retarget_interval * p->target_spacing_s,
			 p->target_timespan_s);
	ck_assert_int_eq(p->retarget_interval,
			 _i == CHAIN_REGTEST ? 144 : 2016);
	ck_assert_uint_eq(p->pow_limit_bits, p->genesis_bits);
}
END_TEST

START_TEST(deployment_parse_knows_the_option_s_names)
{
	static const char *const option[] = {"bip34", "cltv", "dersig", "csv",
					     "segwit"};
	static const char *const report[] = {"bip34", "bip65", "bip66", "csv",
					     "segwit"};
	enum deployment d = DEPLOY_COUNT;

	ck_assert(deployment_parse(option[_i], &d));
	ck_assert_int_eq(d, _i);
	ck_assert_str_eq(deployment_name(d), report[_i]);
}
END_TEST

START_TEST(deployment_parse_refuses_other_names)
{
	enum deployment d = DEPLOY_COUNT;

	ck_assert(!deployment_parse("bip65", &d));
	ck_assert(!deployment_parse("", &d));
	ck_assert(!deployment_parse("taproot", &d));
	ck_assert_int_eq(d, DEPLOY_COUNT);
}
END_TEST

START_TEST(params_have_bitcoin_core_s_dummy_deployment)
{
	static const int32_t threshold[CHAIN_COUNT] = {
	    [CHAIN_MAIN] = 1815,     [CHAIN_TEST] = 1512,
	    [CHAIN_TESTNET4] = 1512, [CHAIN_SIGNET] = 1815,
	    [CHAIN_REGTEST] = 108,
	};
	const struct vb_rule *d =
	    &params_get((enum chain_id)_i)->vb[VB_TESTDUMMY];

	ck_assert_uint_eq(d->bit, 28);
	ck_assert_int_eq(d->start_s, _i == CHAIN_REGTEST ? 0 : VB_NEVER_ACTIVE);
	ck_assert_int_eq(d->timeout_s, VB_NO_TIMEOUT);
	ck_assert_int_eq(d->min_activation_height, 0);
	ck_assert_int_eq(d->threshold, threshold[_i]);
	ck_assert_int_eq(d->period, _i == CHAIN_REGTEST ? 144 : 2016);
	ck_assert_int_le(d->period, VB_PERIOD_MAX);
}
END_TEST

START_TEST(vb_deployment_parse_knows_the_dummy)
{
	enum vb_deployment d = VB_COUNT;

	ck_assert(!vb_deployment_parse("taproot", &d));
	ck_assert(!vb_deployment_parse("", &d));
	ck_assert_int_eq(d, VB_COUNT);
	ck_assert(vb_deployment_parse("testdummy", &d));
	ck_assert_int_eq(d, VB_TESTDUMMY);
	ck_assert_str_eq(vb_deployment_name(d), "testdummy");
}
END_TEST

Suite *params_suite(void)
{
	Suite *s = suite_create("params");
	TCase *t = tcase_create("rows"), *d = tcase_create("deployments");

	tcase_add_loop_test(t, params_have_bitcoin_core_s_hashes, 0,
			    CHAIN_COUNT);
	tcase_add_loop_test(t, params_have_bitcoin_core_s_numbers, 0,
			    CHAIN_COUNT);
	tcase_add_loop_test(t, params_rows_are_those_of_their_chain, 0,
			    CHAIN_COUNT);
	tcase_add_loop_test(t, params_genesis_fields_are_those_of_the_block, 0,
			    CHAIN_COUNT);
	tcase_add_loop_test(t, params_retarget_spans_agree, 0, CHAIN_COUNT);
	suite_add_tcase(s, t);
	tcase_add_loop_test(d, deployment_parse_knows_the_option_s_names, 0,
			    DEPLOY_COUNT);
	tcase_add_test(d, deployment_parse_refuses_other_names);
	tcase_add_loop_test(d, params_have_bitcoin_core_s_dummy_deployment, 0,
			    CHAIN_COUNT);
	tcase_add_test(d, vb_deployment_parse_knows_the_dummy);
	suite_add_tcase(s, d);
	return s;
}
