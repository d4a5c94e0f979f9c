/*
 * Verification of scripts: 4 bytes of flags, 8 of value, 2 of a length, an
 * output script, and the transaction that spends such outputs with every input,
 * each of one satoshi more than the one before. Signatures are right or wrong
 * by their bytes, so that both happen; with the highest flag the library is
 * asked.
 */
#include "fuzz.h"

#include <cairn/script/interp.h>

#define INPUTS_MAX 8u

static uint8_t sum(struct slice s)
{
	uint8_t v = 0;

	for (size_t i = 0; i < s.n; i++)
		v = (uint8_t)(v * 3 + s.p[i]);
	return v;
}

static bool coin(struct slice sig, struct slice key, const uint8_t hash[32])
{
	return (sum(sig) + sum(key) + sum(slice_of(hash, 32))) % 4 != 0;
}

static bool ecdsa(void *arg, struct slice der, struct slice key,
		  const uint8_t hash[32])
{
	(void)arg;
	return coin(der, key, hash);
}

static bool schnorr(void *arg, const struct script_input *in,
		    const uint8_t sig[64], const uint8_t key[32],
		    const uint8_t hash[32])
{
	(void)arg;
	fuzz_check(in->index < INPUTS_MAX);
	return coin(slice_of(sig, 64), slice_of(key, 32), hash);
}

static bool tweak(void *arg, const struct script_input *in,
		  const uint8_t output[32], bool odd,
		  const uint8_t internal[32], const uint8_t by[32])
{
	(void)arg;
	fuzz_check(in->index < INPUTS_MAX);
	return odd || coin(slice_of(output, 32), slice_of(internal, 32), by);
}

static const struct sig_verifier by_bytes = {
    .ecdsa = ecdsa, .schnorr = schnorr, .tweak = tweak};

/* The same answers, given late: only the first that is wrong is noted. */
struct late {
	bool wrong;
	struct script_failure first;
};

static bool note(struct late *l, const struct script_input *in, bool ok,
		 enum script_err e)
{
	if (!ok && !l->wrong)
		l->first = (struct script_failure){in->index, e};
	l->wrong = l->wrong || !ok;
	return true;
}

static bool late_schnorr(void *arg, const struct script_input *in,
			 const uint8_t sig[64], const uint8_t key[32],
			 const uint8_t hash[32])
{
	return note(arg, in, schnorr(NULL, in, sig, key, hash),
		    SCRIPT_ERR_SCHNORR_SIG);
}

static bool late_tweak(void *arg, const struct script_input *in,
		       const uint8_t output[32], bool odd,
		       const uint8_t internal[32], const uint8_t by[32])
{
	return note(arg, in, tweak(NULL, in, output, odd, internal, by),
		    SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
}

/* All inputs end the same way whether answers come at once or late. */
static void run_late(const struct tx_sighash *shared, unsigned flags)
{
	struct script_failure now = {0, SCRIPT_ERR_OK}, then = now;
	struct late l = {.wrong = false};
	struct sig_verifier v = {.ecdsa = ecdsa,
				 .schnorr = late_schnorr,
				 .tweak = late_tweak,
				 .arg = &l,
				 .late = true};
	uint32_t n = shared->tx->n_in;

	script_verify_inputs(&now, shared, 0, n, flags, &by_bytes);
	script_verify_inputs(&then, shared, 0, n, flags, &v);
	if (l.wrong) {
		fuzz_check(then.err == SCRIPT_ERR_OK ||
			   l.first.input <= then.input);
		then = l.first;
	}
	fuzz_check(now.err == then.err && now.input == then.input);
}

#define BY_LIBRARY (1u << 31)

/* Flags that may stand together: what builds on one that is not set falls. */
static unsigned trim(unsigned flags)
{
	flags &= SCRIPT_FLAGS_ALL;
	if (!(flags & SCRIPT_VERIFY_P2SH))
		flags &= ~(unsigned)SCRIPT_VERIFY_WITNESS;
	if (!(flags & SCRIPT_VERIFY_WITNESS))
		flags &= ~(unsigned)SCRIPT_VERIFY_CLEANSTACK;
	return flags;
}

static bool verify(struct script_input *in, unsigned flags,
		   const struct sig_verifier *verifier)
{
	enum script_err e = SCRIPT_ERR_COUNT;
	bool ok = script_verify_input(&e, in, flags, verifier);

	fuzz_check(e < SCRIPT_ERR_COUNT);
	fuzz_check(ok == (e == SCRIPT_ERR_OK));
	fuzz_check(script_err_name(e) != NULL);
	return ok;
}

/* What is valid stays so under fewer flags, and in whatever order inputs are
 * gone through. */
static void run(const struct tx_sighash *shared, unsigned flags, unsigned fewer,
		const struct sig_verifier *verifier)
{
	struct script_failure f = {0, SCRIPT_ERR_OK};
	struct script_input in;

	script_inputs(&in, shared);
	while (script_input_next(&in)) {
		bool ok = verify(&in, flags, verifier);

		fuzz_check(!ok || verify(&in, fewer, verifier));
		fuzz_check(ok == script_verify_inputs(&f, shared, in.index, 1,
						      flags, verifier));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct txout_view spent[INPUTS_MAX];
	struct tx_sighash shared;
	struct tx_view tx;
	struct slice script;
	unsigned flags;
	int64_t value;
	struct rd r;

	rd_init(&r, slice_of(data, size));
	flags = rd_u32(&r);
	value = (int64_t)rd_u64(&r);
	script = rd_bytes(&r, rd_u16(&r));
	if (!tx_view_parse(&tx, &r) || tx.n_in > INPUTS_MAX)
		return 0;
	for (uint32_t i = 0; i < tx.n_in; i++)
		spent[i] =
		    (struct txout_view){(int64_t)((uint64_t)value + i), script};
	tx_sighash_init(&shared, &tx, spent);
	run(&shared, trim(flags), trim(flags & (flags >> 21 | flags << 7)),
	    flags & BY_LIBRARY ? NULL : &by_bytes);
	run_late(&shared, trim(flags));
	return 0;
}
