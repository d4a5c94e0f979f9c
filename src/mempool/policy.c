/*
 * Whether a transaction is of standard form by itself, and which of its outputs
 * are dust. Any thread; no state. What it spends is judged in policy_inputs.c.
 */
#include <cairn/mempool/policy.h>

#include <cairn/script/template.h>

#define VERSION_MAX       3u /* of a transaction; 1 is the least */
#define MULTISIG_KEYS_MAX 3u /* of a bare one */

/* Virtual bytes of the input that spends an output: outpoint, sequence, the
 * length of its script, and 107 bytes of signature and key, which a witness
 * counts a quarter of. */
#define INPUT_SIZE         (32u + 4 + 1 + 107 + 4)
#define WITNESS_INPUT_SIZE (32u + 4 + 1 + 107 / 4 + 4)

const struct policy policy_default = {
    .require_standard = true,
    .bare_multisig = true,
    .data_carrier = STANDARD_TX_WEIGHT_MAX / 4,
    .dust_relay_rate = 3000,
    .min_relay_rate = 100,
    .incremental_rate = 100,
    .bytes_per_sigop = 20,
    .cluster_count = 64,
    .cluster_vbytes = 101000,
};

int64_t dust_threshold(const struct txout_view *out, int64_t rate)
{
	struct slice s = out->script, program;
	uint8_t version;
	size_t size = sizeof out->value + compact_size(s.n) + s.n;

	if (script_is_unspendable(s))
		return 0;
	size += script_is_witness(s, &version, &program) ? WITNESS_INPUT_SIZE
							 : INPUT_SIZE;
	return rate_fee(rate, (int64_t)size);
}

bool output_is_dust(const struct txout_view *out, int64_t rate)
{
	return out->value < dust_threshold(out, rate);
}

uint32_t tx_dust_outputs(const struct tx_view *tx, int64_t rate)
{
	struct txout_view out;
	struct tx_iter it;
	uint32_t n = 0;

	txouts(&it, tx);
	while (txout_next(&it, &out))
		n += output_is_dust(&out, rate);
	return n;
}

static const char *judge_inputs(const struct tx_view *tx)
{
	struct txin_view in;
	struct tx_iter it;

	txins(&it, tx);
	while (txin_next(&it, &in)) {
		if (in.script.n > STANDARD_SCRIPT_SIG_MAX)
			return "scriptsig-size";
		if (!script_is_push_only(in.script))
			return "scriptsig-not-pushonly";
	}
	return NULL;
}

/* data_left: bytes that scripts of data may still take, all together. */
static const char *judge_output(const struct policy *p, struct slice script,
				int64_t *data_left)
{
	struct script_info i;

	script_classify(&i, script);
	if (i.type == SCRIPT_NONSTANDARD)
		return "scriptpubkey";
	if (i.type == SCRIPT_MULTISIG && i.keys > MULTISIG_KEYS_MAX)
		return "scriptpubkey";
	if (i.type == SCRIPT_MULTISIG && !p->bare_multisig)
		return "bare-multisig";
	if (i.type != SCRIPT_NULLDATA)
		return NULL;
	if ((int64_t)script.n > *data_left)
		return "datacarrier";
	*data_left -= (int64_t)script.n;
	return NULL;
}

static const char *judge_outputs(const struct policy *p,
				 const struct tx_view *tx)
{
	int64_t data_left = p->data_carrier;
	struct txout_view out;
	struct tx_iter it;
	const char *bad;

	txouts(&it, tx);
	while (txout_next(&it, &out)) {
		bad = judge_output(p, out.script, &data_left);
		if (bad)
			return bad;
	}
	return NULL;
}

const char *policy_tx(const struct policy *p, const struct tx_view *tx)
{
	const char *bad;

	/* The sign of a version means nothing. */
	if ((uint32_t)tx->version < 1 || (uint32_t)tx->version > VERSION_MAX)
		return "version";
	if (tx_weight(tx) > STANDARD_TX_WEIGHT_MAX)
		return "tx-size";
	bad = judge_inputs(tx);
	if (!bad)
		bad = judge_outputs(p, tx);
	if (bad)
		return bad;
	/* One that a child spends at once may be: what lies about it in the
	 * pool is judged there. */
	if (tx_dust_outputs(tx, p->dust_relay_rate) > STANDARD_DUST_OUTPUTS_MAX)
		return "dust";
	return NULL;
}
