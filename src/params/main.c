/*
 * The main network, where bitcoins are worth money. Read-only data, any thread.
 * Source: Bitcoin Core 31.99 chainparams; activation heights are those of the
 * BIPs named in the enum.
 */
#include "tables.h"

static const char *const seeds[] = {
    "dnsseed.bluematt.me.",
    "seed.bitcoin.jonasschnelli.ch.",
    "seed.btc.petertodd.net.",
    "seed.bitcoin.sprovoost.nl.",
    "dnsseed.emzy.de.",
    "seed.bitcoin.wiz.biz.",
    "seed.mainnet.achownodes.xyz.",
    NULL,
};

const struct params params_main = {
    .id = CHAIN_MAIN,
    .names = &chain_name_rows[CHAIN_MAIN],
    .magic = {0xf9, 0xbe, 0xb4, 0xd9},

    .genesis_time = 1231006505,
    .genesis_nonce = 2083236893,
    .genesis_bits = 0x1d00ffff,
    .genesis_version = 1,
    .genesis_hash = HASH(0x000000000019d668, 0x9c085ae165831e93,
			 0x4ff763ae46a2a6c1, 0x72b3f1b60a8ce26f),
    .genesis_merkle = HASH(0x4a5e1e4baab89f3a, 0x32518a88c31bc87f,
			   0x618f76673e2cc77a, 0xb2127b7afdeda33b),
    .genesis_block = {genesis_main, GENESIS_2009_SIZE},

    .pow_limit = NUMBER(0x00000000ffffffff, 0xffffffffffffffff,
			0xffffffffffffffff, 0xffffffffffffffff),
    .pow_limit_bits = 0x1d00ffff,
    .retarget_interval = 2016,
    .target_timespan_s = TWO_WEEKS_S,
    .target_spacing_s = 600,
    .min_difficulty_blocks = false,
    .bip94 = false,
    .no_retarget = false,

    .deploy_height =
	{
	    [DEPLOY_BIP34] = 227931,
	    [DEPLOY_BIP65] = 388381,
	    [DEPLOY_BIP66] = 363725,
	    [DEPLOY_CSV] = 419328,
	    [DEPLOY_SEGWIT] = 481824,
	},
    .bip34_hash = HASH(0x000000000000024b, 0x89b42a942fe0d9fe,
		       0xa3bb44ab7bd1b191, 0x15dd6a759c0808b8),
    .vb = {[VB_TESTDUMMY] = TESTDUMMY(VB_NEVER_ACTIVE, 1815, 2016)},
    .vb_unknown_height = 711648,
    .halving_interval = 210000,
    .min_chain_work = NUMBER(0x0000000000000000, 0x0000000000000000,
			     0x00000001128750f8, 0x2f4c366153a3a030),
    /* Height 938343. */
    .assume_valid = HASH(0x0000000000000000, 0x0000ccebd6d74d91,
			 0x94d8dcdc1d177c47, 0x8e094bfad51ba5ac),

    .presync_commitment_period = 641,
    .presync_redownload_buffer = 15218,

    .dns_seeds = seeds,
    .addr_pubkey = 0,
    .addr_script = 5,
    .addr_secret = 128,
    .bech32_hrp = "bc",
    .ext_public = 0x0488b21e,
    .ext_secret = 0x0488ade4,

    .txdata_time_s = 1772055173,
    .txdata_count = 1315805869,
    .txdata_rate = 5.40111006496122,

    .is_test_chain = false,
    .mineable_by_rpc = false,
    .prune_after_height = 100000,
};
