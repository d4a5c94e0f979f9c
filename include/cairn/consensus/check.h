/* Rules of transactions and blocks that need no coins. Pure. */
#ifndef CAIRN_CONSENSUS_CHECK_H
#define CAIRN_CONSENSUS_CHECK_H

#include <cairn/consensus/verdict.h>
#include <cairn/wire/block.h>

struct params;

#define COIN                      100000000LL
#define MAX_MONEY                 (21000000LL * COIN)
#define MAX_BLOCK_WEIGHT          4000000u
#define MAX_BLOCK_SIGOPS_COST     80000u
#define WITNESS_SCALE             4u
#define COINBASE_MATURITY         100
#define LOCKTIME_THRESHOLD        500000000u
#define BIP34_IMPLIES_BIP30_LIMIT 1983702

static inline bool amount_ok(int64_t v)
{
	return v >= 0 && v <= MAX_MONEY;
}
/* Satoshi in coins, with two decimals or as many more as it needs: "0.10".
 * Returns dst. */
#define AMOUNT_STR 24
char *amount_fmt(char dst[AMOUNT_STR], int64_t sat);
/* Coins as a person writes them: up to ten digits and, behind a point, up to
 * eight; white space around is fine. False where it is something else, or not
 * amount_ok. */
bool amount_parse(int64_t *sat, const char *s) must_check;

/* Context-free transaction rules; reject reasons are Core's
 * (bad-txns-vin-empty, bad-txns-inputs-duplicate, ...), all INV_CONSENSUS.
 * V_UNKNOWN with E_NOMEM when many inputs cannot be sorted. */
struct verdict tx_check(const struct tx_view *tx);

/* Context-free block rules in Core's order: proof of work (unless skip_pow;
 * INV_HEADER), merkle root and its mutation (INV_MUTATED), then, as
 * INV_CONSENSUS, size, coinbase place, each tx_check, legacy sigops. On signet
 * the block's signature (BIP325) stands behind the proof of work. Needs txids
 * (block_hash_txs). V_UNKNOWN with E_NOMEM. */
struct verdict block_check(const struct block_view *b, const struct params *p,
			   bool skip_pow);

struct block_context {
	int32_t height;
	int64_t mtp_prev; /* median time past of the parent */
};
/* Rules of a block in its place, after block_check: final transactions and the
 * height in the coinbase (INV_CONSENSUS), witness commitment (INV_MUTATED, as
 * the header does not bind the witness), weight (INV_CONSENSUS). Needs wtxids
 * when there is a witness. V_UNKNOWN with E_NOMEM. */
struct verdict block_check_context(const struct block_view *b,
				   const struct block_context *c,
				   const struct params *p);

/* Whether the transactions are not those that the header's maker put there:
 * wrong or ambiguous merkle root, a 64-byte transaction in a block without
 * coinbase, or, with check_witness_root, a witness that its commitment does not
 * bind (without it: any witness). Such a block says nothing about its header.
 * Needs txids and wtxids. False when out of memory: block_check will say so. */
bool block_is_mutated(const struct block_view *b, bool check_witness_root);

/* Subsidy of a block at height, satoshi. */
int64_t block_subsidy(int32_t height, const struct params *p);

/* nLockTime is satisfied at height with this time (height or median time past
 * by the caller, BIP113). */
bool tx_is_final(const struct tx_view *tx, int32_t height, int64_t time_s);

/* BIP68: the last height and the last time at which a transaction cannot yet be
 * in a block, -1 none (tx_version is compared unsigned, as Core does).
 * Called per input with the coin's height and the median time past of the block
 * before the one that made the coin. */
struct seq_lock {
	int32_t height;
	int64_t time_s;
};
static inline struct seq_lock seq_lock_none(void)
{
	return (struct seq_lock){-1, -1};
}
/* True when this input is subject to a time lock (so mtp is needed). */
bool seq_is_time(int32_t tx_version, uint32_t sequence);
void seq_lock_add(struct seq_lock *l, int32_t tx_version, uint32_t sequence,
		  int32_t coin_height, int64_t coin_mtp);
bool seq_lock_ok(const struct seq_lock *l, int32_t height, int64_t mtp_prev);

/* Output index of the witness commitment in the coinbase, or -1 (BIP141). */
int32_t witness_commitment_index(const struct block_view *b);
/* The commitment for a block template: sha256d(root, 32-byte nonce). */
void witness_commitment(struct hash256 *out, const struct hash256 *witness_root,
			const uint8_t nonce[32]);

/* Legacy sigops of a whole transaction (inaccurate count, times one). */
uint32_t tx_legacy_sigops(const struct tx_view *tx);
/* The same of all transactions of a block, in one pass. */
uint64_t block_legacy_sigops(const struct block_view *b);

#endif
