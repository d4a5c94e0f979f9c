/*
 * The regression test network: blocks on demand at no difficulty, every rule
 * active from the start. Read-only data, any thread. Source: Bitcoin Core 31.99
 * chainparams.
 */
#include "tables.h"

static const char *const seeds[] = {
    "dummySeed.invalid.",
    NULL,
};

const struct params params_regtest = {
    .id = CHAIN_REGTEST,
    .names = &chain_name_rows[CHAIN_REGTEST],
    .magic = {0xfa, 0xbf, 0xb5, 0xda},

    .genesis_time = 1296688602,
    .genesis_nonce = 2,
    .genesis_bits = 0x207fffff,
    .genesis_version = 1,
    .genesis_hash = HASH(0x0f9188f13cb7b2c7, 0x1f2a335e3a4fc328,
			 0xbf5beb436012afca, 0x590b1a11466e2206),
    .genesis_merkle = HASH(0x4a5e1e4baab89f3a, 0x32518a88c31bc87f,
			   0x618f76673e2cc77a, 0xb2127b7afdeda33b),
    .genesis_block = {genesis_regtest, GENESIS_2009_SIZE},

    .pow_limit = NUMBER(0x7fffffffffffffff, 0xffffffffffffffff,
			0xffffffffffffffff, 0xffffffffffffffff),
    .pow_limit_bits = 0x207fffff,
    .retarget_interval = 144,
    .target_timespan_s = ONE_DAY_S,
    .target_spacing_s = 600,
    .min_difficulty_blocks = true,
    .bip94 = false,
    .no_retarget = true,

    .deploy_height =
	{
	    [DEPLOY_BIP34] = 1,
	    [DEPLOY_BIP65] = 1,
	    [DEPLOY_BIP66] = 1,
	    [DEPLOY_CSV] = 1,
	    [DEPLOY_SEGWIT] = 0,
	},
    .vb = {[VB_TESTDUMMY] = TESTDUMMY(0, 108, 144)},
    .halving_interval = 150,

    .presync_commitment_period = 275,
    .presync_redownload_buffer = 7017,

    .dns_seeds = seeds,
    .addr_pubkey = 111,
    .addr_script = 196,
    .addr_secret = 239,
    .bech32_hrp = "bcrt",
    .ext_public = 0x043587cf,
    .ext_secret = 0x04358394,

    .txdata_time_s = 0,
    .txdata_count = 0,
    .txdata_rate = 0.001,

    .is_test_chain = true,
    .mineable_by_rpc = true,
    .prune_after_height = 1000,
};
