/*
 * The test networks that anyone mines: testnet3, and testnet4 (BIP94), whose
 * rules against time warps keep it usable. Read-only data, any thread. Source:
 * Bitcoin Core 31.99 chainparams.
 */
#include "tables.h"

static const char *const seeds3[] = {
    "testnet-seed.bitcoin.jonasschnelli.ch.",
    "seed.tbtc.petertodd.net.",
    "testnet-seed.bluematt.me.",
    "seed.testnet.achownodes.xyz.",
    NULL,
};

const struct params params_test = {
    .id = CHAIN_TEST,
    .names = &chain_name_rows[CHAIN_TEST],
    .magic = {0x0b, 0x11, 0x09, 0x07},

    .genesis_time = 1296688602,
    .genesis_nonce = 414098458,
    .genesis_bits = 0x1d00ffff,
    .genesis_version = 1,
    .genesis_hash = HASH(0x000000000933ea01, 0xad0ee984209779ba,
			 0xaec3ced90fa3f408, 0x719526f8d77f4943),
    .genesis_merkle = HASH(0x4a5e1e4baab89f3a, 0x32518a88c31bc87f,
			   0x618f76673e2cc77a, 0xb2127b7afdeda33b),
    .genesis_block = {genesis_test, GENESIS_2009_SIZE},

    .pow_limit = NUMBER(0x00000000ffffffff, 0xffffffffffffffff,
			0xffffffffffffffff, 0xffffffffffffffff),
    .pow_limit_bits = 0x1d00ffff,
    .retarget_interval = 2016,
    .target_timespan_s = TWO_WEEKS_S,
    .target_spacing_s = 600,
    .min_difficulty_blocks = true,
    .bip94 = false,
    .no_retarget = false,

    .deploy_height =
	{
	    [DEPLOY_BIP34] = 21111,
	    [DEPLOY_BIP65] = 581885,
	    [DEPLOY_BIP66] = 330776,
	    [DEPLOY_CSV] = 770112,
	    [DEPLOY_SEGWIT] = 834624,
	},
    .bip34_hash = HASH(0x0000000023b3a96d, 0x3484e5abb3755c41,
		       0x3e7d41500f8e2a5c, 0x3f0dd01299cd8ef8),
    .vb = {[VB_TESTDUMMY] = TESTDUMMY(VB_NEVER_ACTIVE, 1512, 2016)},
    .vb_unknown_height = 2013984,
    .halving_interval = 210000,
    .min_chain_work = NUMBER(0x0000000000000000, 0x0000000000000000,
			     0x00000000000017dd, 0xe1c649f3708d14b6),
    /* Height 4842348. */
    .assume_valid = HASH(0x000000007a61e423, 0x0b28ac5cb6b5e5a0,
			 0x130de37ac1faf2f8, 0x987d2fa6505b67f4),

    .presync_commitment_period = 673,
    .presync_redownload_buffer = 14460,

    .dns_seeds = seeds3,
    .addr_pubkey = 111,
    .addr_script = 196,
    .addr_secret = 239,
    .bech32_hrp = "tb",
    .ext_public = 0x043587cf,
    .ext_secret = 0x04358394,

    .txdata_time_s = 1772051651,
    .txdata_count = 536108416,
    .txdata_rate = 0.02691479016257117,

    .is_test_chain = true,
    .mineable_by_rpc = false,
    .prune_after_height = 1000,
};

static const char *const seeds4[] = {
    "seed.testnet4.bitcoin.sprovoost.nl.",
    "seed.testnet4.wiz.biz.",
    NULL,
};

const struct params params_testnet4 = {
    .id = CHAIN_TESTNET4,
    .names = &chain_name_rows[CHAIN_TESTNET4],
    .magic = {0x1c, 0x16, 0x3f, 0x28},

    .genesis_time = 1714777860,
    .genesis_nonce = 393743547,
    .genesis_bits = 0x1d00ffff,
    .genesis_version = 1,
    .genesis_hash = HASH(0x00000000da84f2ba, 0xfbbc53dee25a72ae,
			 0x507ff4914b867c56, 0x5be350b0da8bf043),
    .genesis_merkle = HASH(0x7aa0a7ae1e223414, 0xcb807e40cd57e667,
			   0xb718e42aaf9306db, 0x9102fe28912b7b4e),
    .genesis_block = {genesis_testnet4, GENESIS_2024_SIZE},

    .pow_limit = NUMBER(0x00000000ffffffff, 0xffffffffffffffff,
			0xffffffffffffffff, 0xffffffffffffffff),
    .pow_limit_bits = 0x1d00ffff,
    .retarget_interval = 2016,
    .target_timespan_s = TWO_WEEKS_S,
    .target_spacing_s = 600,
    .min_difficulty_blocks = true,
    .bip94 = true,
    .no_retarget = false,

    .deploy_height =
	{
	    [DEPLOY_BIP34] = 1,
	    [DEPLOY_BIP65] = 1,
	    [DEPLOY_BIP66] = 1,
	    [DEPLOY_CSV] = 1,
	    [DEPLOY_SEGWIT] = 1,
	},
    .vb = {[VB_TESTDUMMY] = TESTDUMMY(VB_NEVER_ACTIVE, 1512, 2016)},
    .halving_interval = 210000,
    .min_chain_work = NUMBER(0x0000000000000000, 0x0000000000000000,
			     0x00000000000009a0, 0xfe15d0177d086304),
    /* Height 123613. */
    .assume_valid = HASH(0x0000000002368b1e, 0x4ee27e2e85676ae6,
			 0xf9f9e69579b29093, 0xe9a82c170bf7cf8a),

    .presync_commitment_period = 606,
    .presync_redownload_buffer = 16092,

    .dns_seeds = seeds4,
    .addr_pubkey = 111,
    .addr_script = 196,
    .addr_secret = 239,
    .bech32_hrp = "tb",
    .ext_public = 0x043587cf,
    .ext_secret = 0x04358394,

    .txdata_time_s = 1772013387,
    .txdata_count = 14191421,
    .txdata_rate = 0.01848579579528412,

    .is_test_chain = true,
    .mineable_by_rpc = false,
    .prune_after_height = 1000,
};
