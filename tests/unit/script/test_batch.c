/*
 * Answers that come late: a verifier that collects Schnorr signatures and
 * commitments, and verifies them behind the last script, finds the failure that
 * verification at once finds. The vectors are gone through this way too
 * (verify_all_ways in their tests).
 */
#include "scripttext.h"
#include "suites.h"
#include "testdata.h"
#include "testjson.h"
#include "verifiers.h"

#include <stdlib.h>

#define RULES                                                                  \
	(SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS | SCRIPT_VERIFY_TAPROOT)

#define X "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"

/* Verifies a range both ways; the outcome that both have. */
static bool same_both_ways(struct script_failure *f, const struct fix *x,
			   uint32_t first, uint32_t n)
{
	struct script_failure late = {UINT32_MAX, SCRIPT_ERR_OK};
	struct batch b;
	bool ok;

	*f = late;
	ok = script_verify_inputs(f, &x->shared, first, n, RULES, NULL);
	batch_init(&b);
	ck_assert_int_eq(
	    batch_verify_inputs(&b, &late, &x->shared, first, n, RULES), ok);
	batch_fini(&b);
	ck_assert_uint_eq(late.input, f->input);
	ck_assert_int_eq(late.err, f->err);
	return ok;
}

/* A byte of an input's only signature. */
static uint8_t *sig_byte(const struct fix *f, uint32_t input)
{
	struct script_input in;
	struct slice sig;

	fix_input(&in, f, input);
	sig = in.in.script;
	if (in.witness.left)
		ck_assert(witem_next(&in.witness, &sig));
	return f->raw + (sig.p - f->raw) + 10;
}

static void signed_by_nine(struct fix *f)
{
	struct tj *all = tj_read("vectors/core/bip341_wallet_vectors.json");
	const struct tj *spending = &tj_get(all, "keyPathSpending")->at[0];

	fix_wallet(f, spending,
		   tj_str(tj_get(spending, "auxiliary"), "fullySignedTx"));
	ck_assert_uint_eq(f->tx.n_in, 9);
	tj_free(all);
}

/* Seven of nine inputs are signed by taproot keys, the others by ECDSA; each
 * and any two of them spoilt. */
START_TEST(the_first_wrong_input_of_a_batch_is_told)
{
	struct script_failure s;
	struct fix f;

	if (td_missing())
		return;
	signed_by_nine(&f);
	ck_assert(same_both_ways(&s, &f, 0, 9));
	for (uint32_t i = 0; i < 9; i++) {
		*sig_byte(&f, i) ^= 1;
		for (uint32_t k = i; k < 9; k++) {
			if (k > i)
				*sig_byte(&f, k) ^= 1;
			ck_assert(!same_both_ways(&s, &f, 0, 9));
			ck_assert_uint_eq(s.input, i);
			ck_assert(!same_both_ways(&s, &f, i, 9 - i));
			ck_assert_uint_eq(s.input, i);
			ck_assert(same_both_ways(&s, &f, 0, i));
			if (k > i)
				*sig_byte(&f, k) ^= 1;
		}
		*sig_byte(&f, i) ^= 1;
	}
	ck_assert(same_both_ways(&s, &f, 0, 9));
	fix_fini(&f);
}
END_TEST

/* A tapscript with a signature that is wrong, and maybe below another key. */
static enum script_err run(const char *text, bool other_key)
{
	uint8_t sig[64] = {1}, key[34] = {OP_1, 32, 1};
	struct items stack = {0};
	struct fix f;
	enum script_err e;
	size_t n;
	uint8_t *script = st_script(text, &n);

	items_add(&stack, sig, 64);
	fix_tapscript(&f, slice_of(script, n), &stack);
	if (other_key) {
		fix_spent(&f, 0, 1, slice_of(key, 34));
		fix_ready(&f);
	}
	e = verify_all_ways(&f, 0, RULES);
	fix_fini(&f);
	items_fini(&stack);
	free(script);
	return e;
}

START_TEST(a_late_answer_comes_before_what_the_script_found_behind_it)
{
	ck_assert_int_eq(run("0x20 0x" X " CHECKSIG", false),
			 SCRIPT_ERR_SCHNORR_SIG);
	ck_assert_int_eq(run("0x20 0x" X " CHECKSIG RETURN", false),
			 SCRIPT_ERR_SCHNORR_SIG);
	ck_assert_int_eq(run("0x20 0x" X " CHECKSIGVERIFY", false),
			 SCRIPT_ERR_SCHNORR_SIG);
	ck_assert_int_eq(run("RETURN 0x20 0x" X " CHECKSIG", false),
			 SCRIPT_ERR_OP_RETURN);
	ck_assert_int_eq(run("0x20 0x" X " CHECKSIG", true),
			 SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
	ck_assert_int_eq(run("RETURN", true),
			 SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
	ck_assert_int_eq(run("RESERVED", true),
			 SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
	/* OP_SUCCESS makes anything valid but a wrong commitment. */
	ck_assert_int_eq(run("0xfe", false), SCRIPT_ERR_OK);
	ck_assert_int_eq(run("0xfe", true),
			 SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
}
END_TEST

Suite *batch_suite(void)
{
	Suite *s = suite_create("batch");
	TCase *t = tcase_create("batch");

	tcase_add_test(t, the_first_wrong_input_of_a_batch_is_told);
	tcase_add_test(
	    t, a_late_answer_comes_before_what_the_script_found_behind_it);
	suite_add_tcase(s, t);
	return s;
}
