/*
 * What is standard: a byte of switches, 4 bytes of a rate, a transaction, and
 * for each of its inputs 2 bytes of a length and the script that it spends. A
 * stricter policy refuses more; dust is counted one by one; and scripts that
 * verify, all signatures being right, agree with what is said of the inputs.
 */
#include "fuzz.h"

#include <cairn/consensus/spend.h>
#include <cairn/mempool/policy.h>
#include <cairn/script/interp.h>

#define INPUTS_MAX 64u
#define VALUE      100000

static bool ecdsa(void *arg, struct slice der, struct slice key,
		  const uint8_t hash[32])
{
	(void)arg, (void)der, (void)key, (void)hash;
	return true;
}

static bool schnorr(void *arg, const struct script_input *in,
		    const uint8_t sig[64], const uint8_t key[32],
		    const uint8_t hash[32])
{
	(void)arg, (void)in, (void)sig, (void)key, (void)hash;
	return true;
}

static bool tweak(void *arg, const struct script_input *in,
		  const uint8_t output[32], bool odd,
		  const uint8_t internal[32], const uint8_t by[32])
{
	(void)arg, (void)in, (void)output, (void)odd, (void)internal, (void)by;
	return true;
}

static const struct sig_verifier all_right = {
    .ecdsa = ecdsa, .schnorr = schnorr, .tweak = tweak};

static struct policy read_policy(struct rd *r)
{
	struct policy p = policy_default;
	uint8_t bits = rd_u8(r);

	p.bare_multisig = bits & 1;
	if (bits & 2)
		p.data_carrier = bits >> 2;
	p.dust_relay_rate = rd_u32(r);
	return p;
}

static void check_dust(const struct policy *p, const struct tx_view *tx)
{
	struct txout_view out;
	struct tx_iter it;
	uint32_t n = 0;

	txouts(&it, tx);
	while (txout_next(&it, &out)) {
		int64_t least = dust_threshold(&out, p->dust_relay_rate);

		fuzz_check(least >= 0);
		fuzz_check(output_is_dust(&out, p->dust_relay_rate) ==
			   (out.value < least));
		n += out.value < least;
	}
	fuzz_check(tx_dust_outputs(tx, p->dust_relay_rate) == n);
}

/* What stands for itself once a transaction is standard. */
static void check_standard(const struct policy *p, const struct tx_view *tx)
{
	struct txin_view in;
	struct tx_iter it;

	fuzz_check(tx->version >= 1 && tx->version <= 3);
	fuzz_check(tx_weight(tx) <= STANDARD_TX_WEIGHT_MAX);
	fuzz_check(tx_dust_outputs(tx, p->dust_relay_rate) <= 1);
	txins(&it, tx);
	while (txin_next(&it, &in))
		fuzz_check(in.script.n <= STANDARD_SCRIPT_SIG_MAX);
}

static void check_tx(const struct policy *p, const struct tx_view *tx)
{
	struct policy looser = *p;

	looser.bare_multisig = true;
	looser.data_carrier += 10;
	looser.dust_relay_rate /= 2;
	if (policy_tx(p, tx)) {
		fuzz_touch(slice_of(policy_tx(p, tx), 1));
		return;
	}
	check_standard(p, tx);
	fuzz_check(!policy_tx(&looser, tx));
}

static uint32_t legacy_sigops(const struct tx_view *tx,
			      const struct txout_view *spent)
{
	struct txin_view in;
	struct tx_iter it;
	uint32_t n = 0;

	txins(&it, tx);
	while (txin_next(&it, &in))
		n += input_legacy_sigops(in.script, spent++->script);
	return n;
}

static void check_inputs(const struct tx_view *tx,
			 const struct txout_view *spent)
{
	struct verdict v = policy_inputs(tx, spent);
	bool many = strstr(v.detail, "bip54") != NULL;

	fuzz_check(v.kind == V_VALID || v.kind == V_INVALID);
	fuzz_check(verdict_ok(&v) == (v.reject[0] == '\0'));
	fuzz_check(verdict_ok(&v) == (v.detail[0] == '\0'));
	if (!tx_is_coinbase(tx))
		fuzz_check(many == (legacy_sigops(tx, spent) > 2500));
}

/* Scripts that are all valid under the rules of relay have found their redeem
 * scripts, and have a witness where they spend a program and nowhere else. */
static void check_valid(const struct tx_view *tx,
			const struct txout_view *spent)
{
	struct verdict v = policy_inputs(tx, spent);
	bool program = spends_witness_program(tx, spent);

	fuzz_check(!strstr(v.detail, "malformed"));
	fuzz_check(!strstr(v.detail, "missing"));
	fuzz_check(!strstr(v.detail, "undefined"));
	fuzz_check(!program || tx_has_witness(tx));
	if (tx_has_witness(tx) && policy_witness(tx, spent))
		fuzz_check(program);
}

static void run(const struct policy *p, const struct tx_view *tx,
		const struct txout_view *spent)
{
	struct script_failure f;
	struct tx_sighash shared;

	check_dust(p, tx);
	check_tx(p, tx);
	check_inputs(tx, spent);
	fuzz_check(tx_has_witness(tx) || policy_witness(tx, spent));
	tx_sighash_init(&shared, tx, spent);
	if (!tx_is_coinbase(tx) &&
	    script_verify_inputs(&f, &shared, 0, tx->n_in,
				 SCRIPT_FLAGS_STANDARD, &all_right))
		check_valid(tx, spent);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct txout_view spent[INPUTS_MAX];
	struct policy p;
	struct tx_view tx;
	struct rd r;

	rd_init(&r, slice_of(data, size));
	p = read_policy(&r);
	if (!tx_view_parse(&tx, &r) || tx.n_in > INPUTS_MAX)
		return 0;
	for (uint32_t i = 0; i < tx.n_in; i++)
		spent[i] = (struct txout_view){VALUE, rd_bytes(&r, rd_u16(&r))};
	if (rd_ok(&r))
		run(&p, &tx, spent);
	return 0;
}
