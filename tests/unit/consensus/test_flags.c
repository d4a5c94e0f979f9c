/* Script rules by height and by exception. */
#include "suites.h"

#include <cairn/base/text.h>
#include <cairn/consensus/flags.h>
#include <cairn/params/params.h>
#include <cairn/script/flags.h>

#define ALWAYS                                                                 \
	(SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS | SCRIPT_VERIFY_TAPROOT)
#define DER  SCRIPT_VERIFY_DERSIG
#define CLTV SCRIPT_VERIFY_CHECKLOCKTIMEVERIFY
#define CSV  SCRIPT_VERIFY_CHECKSEQUENCEVERIFY
#define ND   SCRIPT_VERIFY_NULLDUMMY

static unsigned flags_of(enum chain_id chain, int32_t height, const char *hash)
{
	struct hash256 h = {{0}};

	if (hash)
		ck_assert(hash256_parse(&h, hash));
	return script_flags(params_get(chain), height, &h);
}

START_TEST(each_rule_begins_at_its_height)
{
	static const struct {
		enum chain_id chain;
		int32_t height;
		unsigned flags;
	} t[] = {
	    {CHAIN_MAIN, 0, ALWAYS},
	    {CHAIN_MAIN, 363724, ALWAYS},
	    {CHAIN_MAIN, 363725, ALWAYS | DER},
	    {CHAIN_MAIN, 388380, ALWAYS | DER},
	    {CHAIN_MAIN, 388381, ALWAYS | DER | CLTV},
	    {CHAIN_MAIN, 419327, ALWAYS | DER | CLTV},
	    {CHAIN_MAIN, 419328, ALWAYS | DER | CLTV | CSV},
	    {CHAIN_MAIN, 481823, ALWAYS | DER | CLTV | CSV},
	    {CHAIN_MAIN, 481824, ALWAYS | DER | CLTV | CSV | ND},
	    {CHAIN_TEST, 330775, ALWAYS},
	    {CHAIN_TEST, 330776, ALWAYS | DER},
	    {CHAIN_TEST, 581885, ALWAYS | DER | CLTV},
	    {CHAIN_TEST, 770112, ALWAYS | DER | CLTV | CSV},
	    {CHAIN_TEST, 834624, ALWAYS | DER | CLTV | CSV | ND},
	    {CHAIN_TESTNET4, 1, ALWAYS | DER | CLTV | CSV | ND},
	    {CHAIN_SIGNET, 1, ALWAYS | DER | CLTV | CSV | ND},
	    {CHAIN_REGTEST, 1, ALWAYS | DER | CLTV | CSV | ND},
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		ck_assert_msg(
		    flags_of(t[i].chain, t[i].height, NULL) == t[i].flags,
		    "row %zu: %x", i, flags_of(t[i].chain, t[i].height, NULL));
}
END_TEST

START_TEST(the_three_blocks_that_broke_rules_are_excepted)
{
	const char *bip16 = "00000000000002dc756eebf4f49723ed"
			    "8d30cc28a5f108eb94b1ba88ac4f9c22";
	const char *taproot = "0000000000000000000f14c35b2d841e"
			      "986ab5441de8c585d5ffe55ea1e395ad";
	const char *test = "00000000dd30457c001f4095d208cc12"
			   "96b0eed002427aa599874af7a432b105";

	ck_assert_uint_eq(flags_of(CHAIN_MAIN, 170060, bip16), 0);
	ck_assert_uint_eq(flags_of(CHAIN_MAIN, 692261, taproot),
			  SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS | DER |
			      CLTV | CSV | ND);
	ck_assert_uint_eq(flags_of(CHAIN_TEST, 514, test), 0);
	/* Each on its own network only. */
	ck_assert_uint_eq(flags_of(CHAIN_TEST, 170060, bip16), ALWAYS);
	ck_assert_uint_eq(flags_of(CHAIN_MAIN, 514, test), ALWAYS);
	ck_assert_uint_eq(flags_of(CHAIN_SIGNET, 692261, taproot),
			  ALWAYS | DER | CLTV | CSV | ND);
}
END_TEST

START_TEST(flags_of_blocks_go_together)
{
	for (int c = 0; c < CHAIN_COUNT; c++)
		for (int32_t h = 0; h < 900000; h += 1000)
			ck_assert(script_flags_ok(
			    flags_of((enum chain_id)c, h, NULL)));
}
END_TEST

Suite *flags_suite(void)
{
	Suite *s = suite_create("flags");
	TCase *t = tcase_create("flags");

	tcase_add_test(t, each_rule_begins_at_its_height);
	tcase_add_test(t, the_three_blocks_that_broke_rules_are_excepted);
	tcase_add_test(t, flags_of_blocks_go_together);
	suite_add_tcase(s, t);
	return s;
}
