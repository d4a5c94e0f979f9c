/*
 * What this node keeps and relays, beyond what a block may hold: Bitcoin Core's
 * rules of standardness, and fees by rate. Judges a transaction by itself and
 * by the outputs that it spends; what lies in the pool is accept.c's concern.
 * Pure.
 */
#ifndef CAIRN_MEMPOOL_POLICY_H
#define CAIRN_MEMPOOL_POLICY_H

#include <cairn/consensus/check.h>
#include <cairn/consensus/verdict.h>
#include <cairn/wire/tx.h>

#define STANDARD_TX_WEIGHT_MAX    400000u
#define STANDARD_TX_BASE_SIZE_MIN 65u
#define STANDARD_TX_SIGOPS_MAX    16000u /* cost */
#define STANDARD_SCRIPT_SIG_MAX   1650u
#define STANDARD_DUST_OUTPUTS_MAX 1u

/* Rates are satoshi per 1,000 virtual bytes. Set by the options that bear these
 * names in bitcoind. */
struct policy {
	bool require_standard;    /* -acceptnonstdtxn turns it off */
	bool bare_multisig;       /* -permitbaremultisig */
	int64_t data_carrier;     /* -datacarriersize, bytes; -1: none at all */
	int64_t dust_relay_rate;  /* -dustrelayfee */
	int64_t min_relay_rate;   /* -minrelaytxfee */
	int64_t incremental_rate; /* -incrementalrelayfee */
	uint32_t bytes_per_sigop; /* -bytespersigop */
	uint32_t cluster_count;   /* -limitclustercount, 1..64 */
	int64_t cluster_vbytes;   /* -limitclustersize, times 1,000 */
};
/* Bitcoin Core's defaults. */
extern const struct policy policy_default;

/* Satoshi added up, as far as they can be counted: what is added to fees by
 * hand may be anything. */
static inline int64_t sat_sum(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return a < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}
/* Satoshi for vsize bytes at a rate, rounded up as Core's CFeeRate does. */
int64_t rate_fee(int64_t rate, int64_t vsize);
/* Rate of a fee, rounded down; 0 for no bytes. */
int64_t rate_of(int64_t fee, int64_t vsize);
/* Weight, or what the cost of sigops stands for where that is more. */
int64_t policy_weight(uint32_t weight, uint32_t sigops_cost,
		      uint32_t bytes_per_sigop);
/* Virtual bytes of a weight, rounded up. */
static inline int64_t weight_vsize(int64_t weight)
{
	return (weight + WITNESS_SCALE - 1) / WITNESS_SCALE;
}
/* The value, satoshi, below which an output is dust at a rate; 0 for one that
 * cannot be spent. */
int64_t dust_threshold(const struct txout_view *out, int64_t rate);
bool output_is_dust(const struct txout_view *out, int64_t rate);
/* Outputs of tx that are dust. */
uint32_t tx_dust_outputs(const struct tx_view *tx, int64_t rate);

/* Whether tx is of standard form by itself. NULL, or Core's reason: version,
 * tx-size, scriptsig-size, scriptsig-not-pushonly, scriptpubkey, bare-multisig,
 * datacarrier, dust. Static storage. */
const char *policy_tx(const struct policy *p, const struct tx_view *tx);
/* Whether its inputs may spend what they do; spent as in sighash.h: the n_in
 * outputs in input order. Valid, or bad-txns-nonstandard-inputs with Core's
 * detail. INV_CONSENSUS stands for "not standard" there. */
struct verdict policy_inputs(const struct tx_view *tx,
			     const struct txout_view *spent);
/* Whether its witness stays within the limits of standard programs. */
bool policy_witness(const struct tx_view *tx, const struct txout_view *spent);
/* Whether an input spends a witness program that is no anchor: such a
 * transaction without any witness has been stripped of it. */
bool spends_witness_program(const struct tx_view *tx,
			    const struct txout_view *spent);

#endif
