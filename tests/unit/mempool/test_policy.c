/* What is of standard form by itself, each rule at its edge, and dust. */
#include "form.h"
#include "suites.h"

#include <cairn/consensus/check.h>
#include <cairn/mempool/policy.h>

#define KEY33                                                                  \
	"0x21 "                                                                \
	"0x02cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
#define KEY65                                                                  \
	"0x41 "                                                                \
	"0x04cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc" \
	"cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
#define B20 "0x14 0xcccccccccccccccccccccccccccccccccccccccc"
#define B32                                                                    \
	"0x20 "                                                                \
	"0xcccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
#define PKH   "DUP HASH160 " B20 " EQUALVERIFY CHECKSIG"
#define MULTI "CHECKMULTISIG"

static struct form f;
static struct policy policy;

/* A transaction that any node keeps. */
static void setup(void)
{
	form_init(&f);
	form_in(&f, form_script("0"), form_script(PKH));
	form_out(&f, 10000, form_script(PKH));
	policy = policy_default;
}

static const char *judge(void)
{
	return policy_tx(&policy, form_tx(&f));
}

static void expect(const char *reason)
{
	const char *got = judge();

	ck_assert_str_eq(got ? got : "standard", reason ? reason : "standard");
}

/* The only output is this one. */
static void expect_out(const char *reason, int64_t value, struct slice script)
{
	f.n_out = 0;
	form_out(&f, value, script);
	expect(reason);
}

START_TEST(versions_1_to_3_are_standard)
{
	static const int32_t bad[] = {0, 4, 5, -1, INT32_MIN, INT32_MAX};

	for (f.version = 1; f.version <= 3; f.version++)
		expect(NULL);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		f.version = bad[i];
		expect("version");
	}
}
END_TEST

/* 64 bytes and the script, that four times. */
START_TEST(weight_may_be_400000)
{
	struct slice data = form_bytes(99936, 0);

	((uint8_t *)(uintptr_t)data.p)[0] = 0x6a;
	f.sig[0].n = 0;
	expect_out(NULL, 0, data);
	ck_assert_uint_eq(tx_weight(&f.tx), 400000);
	f.sig[0].n = 1;
	expect("tx-size");
	ck_assert_uint_eq(tx_weight(&f.tx), 400004);
}
END_TEST

START_TEST(witness_counts_in_the_weight)
{
	struct slice data = form_bytes(99936, 0);

	/* One byte less weighs 4, and the witness takes 2 bytes to be there, 1
	 * for its count and 1 for the length of an item. */
	((uint8_t *)(uintptr_t)data.p)[0] = 0x6a;
	data.n--;
	f.sig[0].n = 0;
	form_item(&f, form_bytes(0, 0));
	expect_out(NULL, 0, data);
	ck_assert_uint_eq(tx_weight(&f.tx), 400000);
	f.item[0] = form_bytes(1, 0);
	expect("tx-size");
	ck_assert_uint_eq(tx_weight(&f.tx), 400001);
}
END_TEST

START_TEST(script_sig_may_have_1650_bytes)
{
	f.sig[0] = form_bytes(1650, 0);
	expect(NULL);
	f.sig[0] = form_bytes(1651, 0);
	expect("scriptsig-size");
}
END_TEST

START_TEST(script_sig_only_pushes)
{
	f.sig[0] = form_script("0 -1 RESERVED 16 'ab' 0x4c 0x02 0xaabb");
	expect(NULL);
	f.sig[0] = form_script("1 NOP");
	expect("scriptsig-not-pushonly");
	f.sig[0] = form_script("0x02 0x00");
	expect("scriptsig-not-pushonly");
}
END_TEST

START_TEST(every_input_is_judged_and_the_first_fault_told)
{
	form_in(&f, form_script("NOP"), form_script(PKH));
	expect("scriptsig-not-pushonly");
	f.sig[0] = form_bytes(1651, 0x61);
	expect("scriptsig-size");
	f.sig[0] = form_script("NOP");
	f.sig[1] = form_bytes(1651, 0x61);
	expect("scriptsig-not-pushonly");
}
END_TEST

static const struct {
	const char *script, *reason;
} forms[] = {
    {PKH, NULL},
    {"HASH160 " B20 " EQUAL", NULL},
    {KEY33 " CHECKSIG", NULL},
    {KEY65 " CHECKSIG", NULL},
    {"0x20 0x02cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
     " CHECKSIG",
     "scriptpubkey"},
    {"0 " B20, NULL},
    {"0 " B32, NULL},
    {"0 0x02 0x4e73", "scriptpubkey"},
    {"1 " B32, NULL},
    {"1 0x02 0x4e73", NULL},
    {"1 " B20, NULL},
    {"2 " B32, NULL},
    {"16 0x02 0x4e73", NULL},
    {"1 0x01 0x4e", "scriptpubkey"},
    {"1 " KEY33 " 1 " MULTI, NULL},
    {"3 " KEY33 " " KEY33 " " KEY65 " 3 " MULTI, NULL},
    {"1 " KEY33 " " KEY33 " " KEY33 " " KEY33 " 4 " MULTI, "scriptpubkey"},
    {"0 " KEY33 " 1 " MULTI, "scriptpubkey"},
    {"2 " KEY33 " 1 " MULTI, "scriptpubkey"},
    {"RETURN", NULL},
    {"RETURN RESERVED 0 16 'data'", NULL},
    {"RETURN NOP", "scriptpubkey"},
    {"RETURN 0x02 0x00", "scriptpubkey"},
    {"", "scriptpubkey"},
    {"1", "scriptpubkey"},
    {"DUP", "scriptpubkey"},
    {"HASH160 " B20 " EQUALVERIFY", "scriptpubkey"},
};

START_TEST(outputs_are_of_known_forms)
{
	const char *reason = forms[_i].reason;
	const char *got;

	f.n_out = 0;
	form_out(&f, 10000, form_script(forms[_i].script));
	got = judge();
	ck_assert_msg(strcmp(got ? got : "", reason ? reason : "") == 0,
		      "%s: %s", forms[_i].script, got ? got : "standard");
}
END_TEST

START_TEST(every_output_is_judged)
{
	form_out(&f, 10000, form_script("1"));
	expect("scriptpubkey");
}
END_TEST

START_TEST(bare_multisig_may_be_switched_off)
{
	struct slice one = form_script("1 " KEY33 " 1 " MULTI);
	struct slice four =
	    form_script("1 " KEY33 " " KEY33 " " KEY33 " " KEY33 " 4 " MULTI);

	expect_out(NULL, 10000, one);
	policy.bare_multisig = false;
	expect_out("bare-multisig", 10000, one);
	expect_out("scriptpubkey", 10000, four);
}
END_TEST

/* Data of n bytes in all. */
static struct slice data_script(size_t n)
{
	struct slice s = form_bytes(n, 0);

	((uint8_t *)(uintptr_t)s.p)[0] = 0x6a;
	return s;
}

START_TEST(data_of_all_outputs_are_added_up)
{
	policy.data_carrier = 83;
	expect_out(NULL, 0, data_script(83));
	expect_out("datacarrier", 0, data_script(84));
	expect_out(NULL, 0, data_script(41));
	form_out(&f, 0, data_script(42));
	expect(NULL);
	f.out[1].script = data_script(43);
	expect("datacarrier");
}
END_TEST

START_TEST(data_may_be_switched_off)
{
	policy.data_carrier = 1;
	expect_out(NULL, 0, data_script(1));
	policy.data_carrier = 0;
	expect("datacarrier");
	policy.data_carrier = -1;
	expect("datacarrier");
}
END_TEST

START_TEST(data_may_fill_100000_bytes_by_default)
{
	ck_assert_int_eq(policy_default.data_carrier, 100000);
}
END_TEST

static const struct {
	const char *script;
	int64_t least; /* that is not dust, at 3,000 satoshi */
} dust[] = {
    {PKH, 546},
    {"HASH160 " B20 " EQUAL", 540},
    {KEY33 " CHECKSIG", 576},
    {"0 " B20, 294},
    {"0 " B32, 330},
    {"1 " B32, 330},
    {"1 0x02 0x4e73", 240},
    {"16 0x02 0x0000", 240},
    {"", 471},
    {"RETURN", 0},
    {"RETURN 'data'", 0},
};

START_TEST(dust_costs_more_to_spend_than_it_holds)
{
	struct txout_view out = {dust[_i].least, form_script(dust[_i].script)};

	ck_assert_int_eq(dust_threshold(&out, 3000), dust[_i].least);
	ck_assert(!output_is_dust(&out, 3000));
	out.value--;
	/* Nothing is less than what cannot be spent, but below 0. */
	ck_assert(output_is_dust(&out, 3000));
}
END_TEST

START_TEST(dust_counts_the_length_of_a_script)
{
	struct txout_view out = {0, form_bytes(252, 0)};

	ck_assert_int_eq(dust_threshold(&out, 1000), 8 + 1 + 252 + 148);
	out.script = form_bytes(253, 0);
	ck_assert_int_eq(dust_threshold(&out, 1000), 8 + 3 + 253 + 148);
	out.script = form_bytes(10000, 0);
	ck_assert_int_eq(dust_threshold(&out, 1000), 8 + 3 + 10000 + 148);
	out.script = form_bytes(10001, 0);
	ck_assert_int_eq(dust_threshold(&out, 1000), 0);
}
END_TEST

START_TEST(dust_rates_are_rounded_up)
{
	struct txout_view out = {0, form_script(PKH)};

	ck_assert_int_eq(dust_threshold(&out, 0), 0);
	ck_assert_int_eq(dust_threshold(&out, 1), 1);
	ck_assert_int_eq(dust_threshold(&out, 6), 2);
}
END_TEST

START_TEST(one_output_may_be_dust)
{
	expect_out(NULL, 545, form_script(PKH));
	ck_assert_uint_eq(tx_dust_outputs(&f.tx, 3000), 1);
	form_out(&f, 0, form_script("RETURN"));
	form_out(&f, 546, form_script(PKH));
	expect(NULL);
	ck_assert_uint_eq(tx_dust_outputs(&f.tx, 3000), 1);
	form_out(&f, 0, form_script("1 0x02 0x4e73"));
	expect("dust");
	ck_assert_uint_eq(tx_dust_outputs(&f.tx, 3000), 2);
	policy.dust_relay_rate = 0;
	expect(NULL);
}
END_TEST

/* Everything is wrong; fault by fault is taken away. */
START_TEST(reasons_come_in_the_order_of_bitcoin_core)
{
	policy.data_carrier = -1;
	policy.bare_multisig = false;
	f.n_out = 0;
	f.version = 0;
	f.sig[0] = form_bytes(100000, 0x61);
	form_out(&f, 0, form_script("RETURN"));
	form_out(&f, 0, form_script("1 " KEY33 " 1 " MULTI));
	form_out(&f, 0, form_script("1"));
	form_out(&f, 0, form_script(PKH));
	expect("version");
	f.version = 1;
	expect("tx-size");
	f.sig[0].n = 1651;
	expect("scriptsig-size");
	f.sig[0].n = 1650;
	expect("scriptsig-not-pushonly");
	f.sig[0].n = 0;
	expect("datacarrier");
	policy.data_carrier = 1;
	expect("bare-multisig");
	policy.bare_multisig = true;
	expect("scriptpubkey");
	f.out[2].script = form_script(PKH);
	expect("dust");
	f.out[1].value = f.out[2].value = 10000;
	expect(NULL);
}
END_TEST

Suite *policy_suite(void)
{
	Suite *s = suite_create("policy");
	TCase *t = tcase_create("policy");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_test(t, versions_1_to_3_are_standard);
	tcase_add_test(t, weight_may_be_400000);
	tcase_add_test(t, witness_counts_in_the_weight);
	tcase_add_test(t, script_sig_may_have_1650_bytes);
	tcase_add_test(t, script_sig_only_pushes);
	tcase_add_test(t, every_input_is_judged_and_the_first_fault_told);
	tcase_add_loop_test(t, outputs_are_of_known_forms, 0,
			    sizeof forms / sizeof *forms);
	tcase_add_test(t, every_output_is_judged);
	tcase_add_test(t, bare_multisig_may_be_switched_off);
	tcase_add_test(t, data_of_all_outputs_are_added_up);
	tcase_add_test(t, data_may_be_switched_off);
	tcase_add_test(t, data_may_fill_100000_bytes_by_default);
	tcase_add_loop_test(t, dust_costs_more_to_spend_than_it_holds, 0,
			    sizeof dust / sizeof *dust);
	tcase_add_test(t, dust_counts_the_length_of_a_script);
	tcase_add_test(t, dust_rates_are_rounded_up);
	tcase_add_test(t, one_output_may_be_dust);
	tcase_add_test(t, reasons_come_in_the_order_of_bitcoin_core);
	suite_add_tcase(s, t);
	return s;
}
