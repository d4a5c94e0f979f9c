/* What may be spent in standard ways, each rule at its edge. */
#include "form.h"
#include "suites.h"

#include <cairn/mempool/policy.h>

#define B20 "0x14 0xcccccccccccccccccccccccccccccccccccccccc"
#define B32                                                                    \
	"0x20 "                                                                \
	"0xcccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
#define KEY33                                                                  \
	"0x21 "                                                                \
	"0x02cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
#define PKH  "DUP HASH160 " B20 " EQUALVERIFY CHECKSIG"
#define SH   "HASH160 " B20 " EQUAL"
#define WPKH "0 " B20
#define WSH  "0 " B32
#define TR   "1 " B32
#define P2A  "1 0x02 0x4e73"

#define CHECKSIG_OP 0xac
#define MULTISIG_OP 0xae

static struct form f;

static void setup(void)
{
	form_init(&f);
	form_out(&f, 10000, form_script(PKH));
}

static void expect(const char *detail)
{
	struct verdict v = policy_inputs(form_tx(&f), f.spent);

	if (!detail) {
		ck_assert_msg(verdict_ok(&v), "%s", v.detail);
		return;
	}
	ck_assert_int_eq(v.kind, V_INVALID);
	ck_assert_int_eq(v.reason, INV_CONSENSUS);
	ck_assert_str_eq(v.reject, "bad-txns-nonstandard-inputs");
	ck_assert_str_eq(v.detail, detail);
}

/* The only input spends this. */
static void spend(struct slice sig, const char *script)
{
	f.n_in = f.n_items = 0;
	f.stack[0] = 0;
	form_in(&f, sig, form_script(script));
}

/* The only input pushes this redeem script, which nothing is compared with. */
static void spend_sh(struct slice redeem)
{
	spend(form_push(redeem), SH);
}

START_TEST(known_forms_may_be_spent)
{
	static const char *const known[] = {PKH,
					    KEY33 " CHECKSIG",
					    "1 " KEY33 " 1 CHECKMULTISIG",
					    WPKH,
					    WSH,
					    TR,
					    P2A,
					    "RETURN 'data'"};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		spend(form_script("0"), known[i]);
		expect(NULL);
	}
}
END_TEST

START_TEST(unknown_scripts_may_not_be_spent)
{
	spend(form_script("0"), "1");
	expect("input 0 script unknown");
	spend(form_script("0"), "0 0x02 0x4e73");
	expect("input 0 script unknown");
	spend(form_script("0"), PKH);
	form_in(&f, form_script("0"), form_script(""));
	expect("input 1 script unknown");
}
END_TEST

START_TEST(undefined_programs_may_not_be_spent)
{
	spend(form_script(""), "1 " B20);
	expect("input 0 witness program is undefined");
	spend(form_script(""), "2 " B32);
	form_in(&f, form_script(""), form_script("1"));
	expect("input 0 witness program is undefined");
}
END_TEST

START_TEST(redeem_scripts_are_found_by_running_script_sig)
{
	spend(form_script(""), SH);
	expect("input 0 P2SH redeemscript missing");
	spend(form_script("RESERVED"), SH);
	expect("p2sh scriptsig malformed (input 0: Opcode missing or not "
	       "understood)");
	spend(form_push(form_bytes(520, 0)), SH);
	expect(NULL);
	spend(form_push(form_bytes(521, 0)), SH);
	expect("p2sh scriptsig malformed (input 0: Push value size limit "
	       "exceeded)");
	spend(form_bytes(1000, 0), SH);
	expect(NULL);
	spend(form_bytes(1001, 0), SH);
	expect("p2sh scriptsig malformed (input 0: Stack size limit exceeded)");
}
END_TEST

/* Rules of relay look at it before anybody says that it must only push. */
START_TEST(operations_in_script_sig_are_run)
{
	spend(form_script("0x04 0xacacacac DUP"), SH);
	expect(NULL);
	spend(form_script("'x' SHA256"), SH);
	expect(NULL);
	spend(form_script("0 0 CHECKSIG"), SH);
	expect(NULL);
	spend(form_script("'x' DROP"), SH);
	expect("input 0 P2SH redeemscript missing");
	spend(form_script("0 VERIFY"), SH);
	expect("p2sh scriptsig malformed (input 0: Script failed an OP_VERIFY "
	       "operation)");
}
END_TEST

START_TEST(redeem_scripts_may_have_15_sigops)
{
	spend_sh(form_bytes(15, CHECKSIG_OP));
	expect(NULL);
	spend_sh(form_bytes(16, CHECKSIG_OP));
	expect("p2sh redeemscript sigops exceed limit (input 0: 16 > 15)");
	spend_sh(form_script("15 CHECKMULTISIG"));
	expect(NULL);
	spend_sh(form_script("16 CHECKMULTISIG"));
	expect("p2sh redeemscript sigops exceed limit (input 0: 16 > 15)");
	spend_sh(form_script("CHECKMULTISIG"));
	form_in(&f, form_script("0"), form_script("1"));
	expect("p2sh redeemscript sigops exceed limit (input 0: 20 > 15)");
}
END_TEST

#define TOO_MANY "non-witness sigops exceed bip54 limit"

/* The scripts here are not standard, but their number is judged first. */
static void spend_sigops(struct slice sig, size_t n)
{
	f.n_in = 0;
	form_in(&f, sig, form_bytes(n, CHECKSIG_OP));
}

START_TEST(legacy_sigops_may_be_2500)
{
	spend_sigops(form_script(""), 2500);
	expect("input 0 script unknown");
	spend_sigops(form_script(""), 2501);
	expect(TOO_MANY);
	/* 16 keys are counted as they are said, more as 20. */
	spend_sigops(form_script(""), 2484);
	form_in(&f, form_script(""), form_script("16 CHECKMULTISIG"));
	expect("input 0 script unknown");
	f.spent[1].script = form_script("17 CHECKMULTISIG");
	expect(TOO_MANY);
}
END_TEST

START_TEST(legacy_sigops_of_all_inputs_are_added_up)
{
	spend_sigops(form_script(""), 1250);
	form_in(&f, form_script(""), form_bytes(1250, CHECKSIG_OP));
	expect("input 0 script unknown");
	form_in(&f, form_script(""), form_script(PKH));
	expect(TOO_MANY);
}
END_TEST

START_TEST(legacy_sigops_are_counted_in_script_sig)
{
	spend_sigops(form_bytes(10, CHECKSIG_OP), 2490);
	expect("input 0 script unknown");
	spend_sigops(form_bytes(11, CHECKSIG_OP), 2490);
	expect(TOO_MANY);
	spend_sigops(form_script("10 CHECKMULTISIG"), 2490);
	expect("input 0 script unknown");
	spend_sigops(form_script("11 CHECKMULTISIG"), 2490);
	expect(TOO_MANY);
}
END_TEST

START_TEST(legacy_sigops_are_counted_in_redeem_scripts)
{
	struct slice sig = form_push(form_bytes(15, CHECKSIG_OP));

	for (int i = 0; i < 166; i++)
		form_in(&f, sig, form_script(SH));
	form_in(&f, form_push(form_bytes(10, CHECKSIG_OP)), form_script(SH));
	expect(NULL);
	f.sig[166] = form_push(form_bytes(11, CHECKSIG_OP));
	expect(TOO_MANY);
	/* A script_sig that does more makes the input invalid. */
	f.sig[166] = form_script("0x0b 0xacacacacacacacacacacac NOP");
	expect(NULL);
	f.spent[166].script = form_script(WSH);
	expect(NULL);
}
END_TEST

START_TEST(a_coinbase_spends_nothing)
{
	struct verdict v;

	spend(form_script("NOP"), "1");
	f.coinbase = true;
	form_item(&f, form_bytes(32, 0));
	v = policy_inputs(form_tx(&f), NULL);
	ck_assert(verdict_ok(&v));
	ck_assert(policy_witness(&f.tx, NULL));
	ck_assert(!spends_witness_program(&f.tx, NULL));
}
END_TEST

static bool programs(struct slice sig, const char *script)
{
	spend(sig, script);
	return spends_witness_program(form_tx(&f), f.spent);
}

START_TEST(witness_programs_are_found)
{
	struct slice none = form_script("");

	ck_assert(programs(none, WPKH));
	ck_assert(programs(none, TR));
	ck_assert(programs(none, "16 0x02 0x4e73"));
	ck_assert(!programs(none, P2A));
	ck_assert(!programs(none, PKH));
	ck_assert(!programs(none, SH));
	ck_assert(!programs(form_push(form_script(PKH)), SH));
	ck_assert(!programs(form_script("RESERVED"), SH));
	ck_assert(programs(form_push(form_script(WPKH)), SH));
	/* Only bare it is an anchor. */
	ck_assert(programs(form_push(form_script(P2A)), SH));
	ck_assert(!programs(form_push(form_script(WPKH)), PKH));
	spend(none, PKH);
	form_in(&f, none, form_script(WSH));
	ck_assert(spends_witness_program(form_tx(&f), f.spent));
}
END_TEST

Suite *policy_inputs_suite(void)
{
	Suite *s = suite_create("policy_inputs");
	TCase *t = tcase_create("policy_inputs");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_test(t, known_forms_may_be_spent);
	tcase_add_test(t, unknown_scripts_may_not_be_spent);
	tcase_add_test(t, undefined_programs_may_not_be_spent);
	tcase_add_test(t, redeem_scripts_are_found_by_running_script_sig);
	tcase_add_test(t, operations_in_script_sig_are_run);
	tcase_add_test(t, redeem_scripts_may_have_15_sigops);
	tcase_add_test(t, legacy_sigops_may_be_2500);
	tcase_add_test(t, legacy_sigops_of_all_inputs_are_added_up);
	tcase_add_test(t, legacy_sigops_are_counted_in_script_sig);
	tcase_add_test(t, legacy_sigops_are_counted_in_redeem_scripts);
	tcase_add_test(t, a_coinbase_spends_nothing);
	tcase_add_test(t, witness_programs_are_found);
	suite_add_tcase(s, t);
	return s;
}
