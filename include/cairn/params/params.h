/*
 * The rules and facts of each network as one table. Read-only after start; the
 * node copies a row to apply -signetchallenge, -testactivationheight, -vbparams
 * and -minimumchainwork. Source: Bitcoin Core 31.99 chainparams and the BIPs.
 */
#ifndef CAIRN_PARAMS_PARAMS_H
#define CAIRN_PARAMS_PARAMS_H

#include <cairn/base/bytes.h>
#include <cairn/params/names.h>

/* Buried deployments, active from their height on. */
enum deployment {
	DEPLOY_BIP34,  /* height in the coinbase */
	DEPLOY_BIP65,  /* CHECKLOCKTIMEVERIFY */
	DEPLOY_BIP66,  /* strict DER signatures */
	DEPLOY_CSV,    /* BIP68, 112, 113 */
	DEPLOY_SEGWIT, /* BIP141, 143, 147 */
	DEPLOY_COUNT
};

/* Deployments that miners signal by a bit of their blocks' versions (BIP9). */
enum vb_deployment {
	VB_TESTDUMMY, /* no rule: what the machinery is tested with */
	VB_COUNT
};

/* In place of a start time; and a timeout that never comes. */
#define VB_ALWAYS_ACTIVE (-1)
#define VB_NEVER_ACTIVE  (-2)
#define VB_NO_TIMEOUT    INT64_MAX
/* No network has longer periods. */
#define VB_PERIOD_MAX 2016

struct vb_rule {
	unsigned bit;               /* 0 to 28 */
	int64_t start_s, timeout_s; /* median time past */
	int32_t min_activation_height;
	int32_t period, threshold; /* blocks */
};

struct params {
	enum chain_id id;
	const struct chain_names *names;
	uint8_t magic[4];

	uint32_t genesis_time, genesis_nonce, genesis_bits;
	int32_t genesis_version;
	struct hash256 genesis_hash;
	struct hash256 genesis_merkle;
	/* The genesis block as on the wire. */
	struct slice genesis_block;

	uint8_t pow_limit[32]; /* big-endian target */
	uint32_t pow_limit_bits;
	int32_t retarget_interval;  /* blocks: 2016 (144 on regtest) */
	int64_t target_timespan_s;  /* 14 days (1 day on regtest) */
	int64_t target_spacing_s;   /* 600 */
	bool min_difficulty_blocks; /* the 20-minute rule of the testnets */
	bool bip94;                 /* testnet4's timewarp and retarget rules */
	bool no_retarget;           /* regtest */

	int32_t deploy_height[DEPLOY_COUNT];
	struct hash256
	    bip34_hash; /* block at the BIP34 height; zero: unknown */
	struct vb_rule vb[VB_COUNT];
	/* Versions below this height are no sign of rules that we lack: those
	 * of blocks that signalled csv, segwit and taproot. */
	int32_t vb_unknown_height;
	int32_t halving_interval;      /* 210,000 (150 on regtest) */
	uint8_t min_chain_work[32];    /* big-endian */
	struct hash256 assume_valid;   /* zero: none */
	struct slice signet_challenge; /* empty elsewhere */

	/* Header pre-sync (Core's headers_sync_params). */
	uint32_t presync_commitment_period;
	uint32_t presync_redownload_buffer;

	const char *const *dns_seeds; /* NULL-ended */
	uint8_t addr_pubkey, addr_script, addr_secret;
	const char *bech32_hrp;
	uint32_t ext_public,
	    ext_secret; /* BIP32 version bytes, big-endian value */

	/* For verificationprogress: transactions up to a time, and their rate.
	 */
	int64_t txdata_time_s, txdata_count;
	double txdata_rate;

	bool is_test_chain;   /* everything but main */
	bool mineable_by_rpc; /* generate* RPCs make sense: regtest */
	uint64_t prune_after_height;
};

/* The row of a chain. Static storage, any thread. */
const struct params *params_get(enum chain_id id);

/* Derive magic, and thereby the network, of a custom signet from its challenge
 * script (BIP 325): the first 4 bytes of the double SHA-256 of the serialised
 * script. Lives in consensus because it hashes; see consensus/signet.h. */

/* The deployment that a name of -testactivationheight means ("bip34", "cltv",
 * "dersig", "csv", "segwit"); false if none. */
bool deployment_parse(const char *name, enum deployment *d);
/* As getdeploymentinfo spells it: "bip34", "bip65", "bip66", "csv", "segwit".
 */
const char *deployment_name(enum deployment d);
/* The same for -vbparams and getdeploymentinfo: "testdummy". */
bool vb_deployment_parse(const char *name, enum vb_deployment *d);
const char *vb_deployment_name(enum vb_deployment d);

#endif
