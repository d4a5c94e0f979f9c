/*
 * The default signet (BIP325), whose blocks are signed by its operators. A node
 * that is given its own challenge copies this row and clears what belongs to
 * the default network only (seeds, minimum work, assumed valid block, rate).
 * Read-only data, any thread. Source: Bitcoin Core 31.99 chainparams.
 */
#include "tables.h"

/* A signature by one of two keys. */
static const uint8_t challenge[] = {
    0x51, 0x21, 0x03, 0xad, 0x5e, 0x0e, 0xda, 0xd1, 0x8c, 0xb1, 0xf0, 0xfc,
    0x0d, 0x28, 0xa3, 0xd4, 0xf1, 0xf3, 0xe4, 0x45, 0x64, 0x03, 0x37, 0x48,
    0x9a, 0xbb, 0x10, 0x40, 0x4f, 0x2d, 0x1e, 0x08, 0x6b, 0xe4, 0x30, 0x21,
    0x03, 0x59, 0xef, 0x50, 0x21, 0x96, 0x4f, 0xe2, 0x2d, 0x6f, 0x8e, 0x05,
    0xb2, 0x46, 0x3c, 0x95, 0x40, 0xce, 0x96, 0x88, 0x3f, 0xe3, 0xb2, 0x78,
    0x76, 0x0f, 0x04, 0x8f, 0x51, 0x89, 0xf2, 0xe6, 0xc4, 0x52, 0xae,
};

static const char *const seeds[] = {
    "seed.signet.bitcoin.sprovoost.nl.",
    "seed.signet.achownodes.xyz.",
    NULL,
};

const struct params params_signet = {
    .id = CHAIN_SIGNET,
    .names = &chain_name_rows[CHAIN_SIGNET],
    .magic = {0x0a, 0x03, 0xcf, 0x40},

    .genesis_time = 1598918400,
    .genesis_nonce = 52613770,
    .genesis_bits = 0x1e0377ae,
    .genesis_version = 1,
    .genesis_hash = HASH(0x00000008819873e9, 0x25422c1ff0f99f7c,
			 0xc9bbb232af63a077, 0xa480a3633bee1ef6),
    .genesis_merkle = HASH(0x4a5e1e4baab89f3a, 0x32518a88c31bc87f,
			   0x618f76673e2cc77a, 0xb2127b7afdeda33b),
    .genesis_block = {genesis_signet, GENESIS_2009_SIZE},

    .pow_limit = NUMBER(0x00000377ae000000, 0x0000000000000000,
			0x0000000000000000, 0x0000000000000000),
    .pow_limit_bits = 0x1e0377ae,
    .retarget_interval = 2016,
    .target_timespan_s = TWO_WEEKS_S,
    .target_spacing_s = 600,
    .min_difficulty_blocks = false,
    .bip94 = false,
    .no_retarget = false,

    .deploy_height =
	{
	    [DEPLOY_BIP34] = 1,
	    [DEPLOY_BIP65] = 1,
	    [DEPLOY_BIP66] = 1,
	    [DEPLOY_CSV] = 1,
	    [DEPLOY_SEGWIT] = 1,
	},
    .vb = {[VB_TESTDUMMY] = TESTDUMMY(VB_NEVER_ACTIVE, 1815, 2016)},
    .halving_interval = 210000,
    .min_chain_work = NUMBER(0x0000000000000000, 0x0000000000000000,
			     0x0000000000000000, 0x00000b463ea0a4b8),
    /* Height 293175. */
    .assume_valid = HASH(0x00000008414aab61, 0x092ef93f1aacc54c,
			 0xf9e9f16af29ddad4, 0x93b908a01ff5c329),
    .signet_challenge = {challenge, sizeof challenge},

    .presync_commitment_period = 620,
    .presync_redownload_buffer = 15724,

    .dns_seeds = seeds,
    .addr_pubkey = 111,
    .addr_script = 196,
    .addr_secret = 239,
    .bech32_hrp = "tb",
    .ext_public = 0x043587cf,
    .ext_secret = 0x04358394,

    .txdata_time_s = 1772055248,
    .txdata_count = 28676833,
    .txdata_rate = 0.06736623436338929,

    .is_test_chain = true,
    .mineable_by_rpc = false,
    .prune_after_height = 1000,
};
