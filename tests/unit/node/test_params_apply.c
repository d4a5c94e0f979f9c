/* Options that change a network's row: applied, refused, given back. */
#include "suites.h"

#include <cairn/base/err.h>

#include <stdio.h>

static struct conf c;
static struct text err;
static struct params p;

static void setup(void)
{
	err = (struct text)TEXT_INIT;
}

static void teardown(void)
{
	text_fini(&err);
}

static int apply(enum chain_id chain, const char *words)
{
	int rc;

	text_reset(&err);
	conf_words(&c, chain, words);
	rc = params_apply(&p, &err, &c, chain);
	return rc;
}

static void done(void)
{
	params_apply_fini(&p);
	conf_fini(&c);
}

static void refused(enum chain_id chain, const char *words,
		    const char *sentence)
{
	ck_assert_int_eq(apply(chain, words), E_INVALID);
	ck_assert_str_eq(text_str(&err), sentence);
	conf_fini(&c);
}

START_TEST(apply_without_options_is_the_row)
{
	const struct params *row = params_get((enum chain_id)_i);

	ck_assert_int_eq(apply((enum chain_id)_i, ""), 0);
	ck_assert_mem_eq(&p, row, sizeof p);
	done();
}
END_TEST

START_TEST(apply_sets_the_minimum_work)
{
	uint8_t want[32] = {0};

	want[30] = 0x01;
	want[31] = 0x65;
	ck_assert_int_eq(apply(CHAIN_MAIN, "-minimumchainwork=0x165"), 0);
	ck_assert_mem_eq(p.min_chain_work, want, 32);
	done();
	ck_assert_int_eq(apply(CHAIN_MAIN, "-minimumchainwork=165"), 0);
	ck_assert_mem_eq(p.min_chain_work, want, 32);
	done();
	memset(want, 0, sizeof want);
	ck_assert_int_eq(apply(CHAIN_MAIN, "-minimumchainwork=0"), 0);
	ck_assert_mem_eq(p.min_chain_work, want, 32);
	done();
}
END_TEST

START_TEST(apply_sets_the_assumed_block_in_wire_order)
{
	ck_assert_int_eq(apply(CHAIN_MAIN, "-assumevalid=0102"), 0);
	ck_assert_uint_eq(p.assume_valid.b[0], 2);
	ck_assert_uint_eq(p.assume_valid.b[1], 1);
	ck_assert_uint_eq(p.assume_valid.b[31], 0);
	done();
	ck_assert_int_eq(apply(CHAIN_MAIN, "-noassumevalid"), 0);
	ck_assert(hash256_is_zero(&p.assume_valid));
	done();
}
END_TEST

START_TEST(apply_refuses_work_that_is_no_number)
{
	refused(CHAIN_REGTEST, "-minimumchainwork=test",
		"Invalid minimum work specified (test), must be up to 64 hex "
		"digits");
	ck_assert_int_eq(apply(CHAIN_REGTEST,
			       "-minimumchainwork=11111111111111111111111111111"
			       "111111111111111111111111111111111111"),
			 E_INVALID);
	conf_fini(&c);
	ck_assert_int_eq(apply(CHAIN_REGTEST, "-assumevalid=xyz"), E_INVALID);
	conf_fini(&c);
}
END_TEST

START_TEST(apply_sets_activation_heights)
{
	ck_assert_int_eq(apply(CHAIN_REGTEST,
			       "-testactivationheight=bip34@2 "
			       "-testactivationheight=segwit@432 "
			       "-testactivationheight=csv@0"),
			 0);
	ck_assert_int_eq(p.deploy_height[DEPLOY_BIP34], 2);
	ck_assert_int_eq(p.deploy_height[DEPLOY_SEGWIT], 432);
	ck_assert_int_eq(p.deploy_height[DEPLOY_CSV], 0);
	ck_assert_int_eq(p.deploy_height[DEPLOY_BIP65], 1);
	done();
}
END_TEST

#define ACTIVATION "for -testactivationheight=name@height."

START_TEST(apply_refuses_wrong_activation_heights)
{
	refused(CHAIN_REGTEST, "-testactivationheight=name@2",
		"Invalid name (name@2) " ACTIVATION);
	refused(CHAIN_REGTEST, "-testactivationheight=bip34@-2",
		"Invalid height value (bip34@-2) " ACTIVATION);
	refused(CHAIN_REGTEST, "-testactivationheight=bip34@2147483647",
		"Invalid height value (bip34@2147483647) " ACTIVATION);
	refused(CHAIN_REGTEST,
		"-testactivationheight=", "Invalid format () " ACTIVATION);
	refused(CHAIN_REGTEST, "-testactivationheight=aaaaaaaaaaaaaaaaaaaa@1",
		"Invalid name (aaaaaaaaaaaaaaaaaaaa@1) " ACTIVATION);
}
END_TEST

START_TEST(apply_sets_times_of_version_bits)
{
	const struct vb_rule *d = &p.vb[VB_TESTDUMMY];

	ck_assert_int_eq(
	    apply(CHAIN_SIGNET, "-vbparams=testdummy:1199145601:1230767999"),
	    0);
	ck_assert_int_eq(d->start_s, 1199145601);
	ck_assert_int_eq(d->timeout_s, 1230767999);
	ck_assert_int_eq(d->min_activation_height, 0);
	ck_assert_int_eq(d->threshold, 1815);
	ck_assert_uint_eq(d->bit, 28);
	done();
	ck_assert_int_eq(apply(CHAIN_REGTEST, "-vbparams=testdummy:-1:0 "
					      "-vbparams=testdummy:3:4:403200"),
			 0);
	ck_assert_int_eq(d->start_s, 3);
	ck_assert_int_eq(d->min_activation_height, 403200);
	done();
}
END_TEST

START_TEST(apply_refuses_wrong_times_of_version_bits)
{
	static const char *const shape[] = {"", "testdummy", "testdummy:1",
					    "testdummy:1:2:3:4"};
	char words[64];

	for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
		snprintf(words, sizeof words, "-vbparams=%s", shape[i]);
		refused(CHAIN_REGTEST, words,
			"Version bits parameters malformed, expecting "
			"deployment:start:end[:min_activation_height]");
	}
	refused(CHAIN_REGTEST, "-vbparams=testdummy:x:2",
		"Invalid nStartTime (x)");
	refused(CHAIN_REGTEST, "-vbparams=testdummy:1:", "Invalid nTimeout ()");
	refused(CHAIN_REGTEST, "-vbparams=testdummy:1:2:3x",
		"Invalid min_activation_height (3x)");
	refused(CHAIN_REGTEST, "-vbparams=testdummy:1:2:2147483648",
		"Invalid min_activation_height (2147483648)");
	refused(CHAIN_REGTEST, "-vbparams=taproot:1:2",
		"Invalid deployment (taproot)");
}
END_TEST

START_TEST(apply_brings_the_rules_of_bip94_to_regtest)
{
	ck_assert_int_eq(apply(CHAIN_REGTEST, "-test=addrman"), 0);
	ck_assert(!p.bip94);
	done();
	ck_assert_int_eq(apply(CHAIN_REGTEST, "-test=addrman -test=bip94"), 0);
	ck_assert(p.bip94);
	done();
	refused(CHAIN_REGTEST, "-test=bip95",
		"Unrecognised option \"bip95\" provided in -test=<option>.");
}
END_TEST

/* Magic by BIP325: double SHA-256 of 0x01 0x51 begins with 54 d2 6f bd. */
START_TEST(apply_makes_a_signet_of_its_own)
{
	static const uint8_t magic[4] = {0x54, 0xd2, 0x6f, 0xbd};
	static const uint8_t none[32];

	ck_assert_int_eq(apply(CHAIN_SIGNET, "-signetchallenge=51"), 0);
	ck_assert_mem_eq(p.magic, magic, 4);
	ck_assert_uint_eq(p.signet_challenge.n, 1);
	ck_assert_uint_eq(p.signet_challenge.p[0], 0x51);
	ck_assert_mem_eq(p.min_chain_work, none, 32);
	ck_assert(hash256_is_zero(&p.assume_valid));
	ck_assert_ptr_null(p.dns_seeds[0]);
	done();
	ck_assert_ptr_eq(p.signet_challenge.p,
			 params_get(CHAIN_SIGNET)->signet_challenge.p);
}
END_TEST

START_TEST(apply_takes_seeds_of_a_signet)
{
	ck_assert_int_eq(apply(CHAIN_SIGNET, "-signetchallenge=51 "
					     "-signetseednode=a.example "
					     "-signetseednode=b.example:1"),
			 0);
	ck_assert_str_eq(p.dns_seeds[0], "a.example");
	ck_assert_str_eq(p.dns_seeds[1], "b.example:1");
	ck_assert_ptr_null(p.dns_seeds[2]);
	done();
}
END_TEST

START_TEST(apply_refuses_wrong_challenges)
{
	refused(CHAIN_SIGNET, "-signetchallenge=abc",
		"-signetchallenge must be hex, not 'abc'.");
	refused(CHAIN_SIGNET, "-signetchallenge=51 -signetchallenge=52",
		"-signetchallenge cannot be multiple values.");
	/* A failure behind it gives the challenge back. */
	refused(CHAIN_SIGNET, "-signetchallenge=51 -minimumchainwork=x",
		"Invalid minimum work specified (x), must be up to 64 hex "
		"digits");
}
END_TEST

Suite *params_apply_suite(void)
{
	Suite *s = suite_create("params_apply");
	TCase *t = tcase_create("params_apply");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, apply_without_options_is_the_row, 0,
			    CHAIN_COUNT);
	tcase_add_test(t, apply_sets_the_minimum_work);
	tcase_add_test(t, apply_sets_the_assumed_block_in_wire_order);
	tcase_add_test(t, apply_refuses_work_that_is_no_number);
	tcase_add_test(t, apply_sets_activation_heights);
	tcase_add_test(t, apply_refuses_wrong_activation_heights);
	tcase_add_test(t, apply_sets_times_of_version_bits);
	tcase_add_test(t, apply_refuses_wrong_times_of_version_bits);
	tcase_add_test(t, apply_brings_the_rules_of_bip94_to_regtest);
	tcase_add_test(t, apply_makes_a_signet_of_its_own);
	tcase_add_test(t, apply_takes_seeds_of_a_signet);
	tcase_add_test(t, apply_refuses_wrong_challenges);
	suite_add_tcase(s, t);
	return s;
}
