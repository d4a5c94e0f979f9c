/* Options of the blocks that are made here, with bitcoind's sentences. */
#include "suites.h"

#include <cairn/base/err.h>

static struct conf c;
static struct block_settings b;

static int apply(const char *words, struct text *err)
{
	int rc;

	conf_words(&c, CHAIN_REGTEST, words);
	rc = block_options(&b, err, &c);
	conf_fini(&c);
	return rc;
}

static void is(const char *words, uint32_t most, uint32_t reserved,
	       int64_t rate)
{
	struct text err = TEXT_INIT;

	ck_assert_msg(apply(words, &err) == 0, "%s: %s", words, text_str(&err));
	ck_assert_uint_eq(b.max_weight, most);
	ck_assert_uint_eq(b.reserved_weight, reserved);
	ck_assert_int_eq(b.min_rate, rate);
	text_fini(&err);
}

static void refused(const char *words, const char *sentence)
{
	struct text err = TEXT_INIT;

	b.max_weight = 1;
	ck_assert_msg(apply(words, &err) == E_INVALID, "%s was accepted",
		      words);
	ck_assert_str_eq(text_str(&err), sentence);
	ck_assert_uint_eq(b.max_weight, 1);
	text_fini(&err);
}

START_TEST(blocks_are_filled_as_they_are_told)
{
	is("", 4000000, 8000, 1);
	is("-blockmaxweight=3000000 -blockreservedweight=2000", 3000000, 2000,
	   1);
	is("-blockreservedweight=4000000", 4000000, 4000000, 1);
	is("-blockmintxfee=0.00001", 4000000, 8000, 1000);
	is("-blockmintxfee=0", 4000000, 8000, 0);
}
END_TEST

START_TEST(weights_that_cannot_be_are_refused)
{
	refused("-blockreservedweight=1999",
		"-blockreservedweight (1999) is lower than minimum safety "
		"value of (2000)");
	refused("-blockreservedweight=4000001",
		"-blockreservedweight (4000001) exceeds consensus maximum "
		"block weight (4000000)");
	refused("-blockmaxweight=4000001",
		"-blockmaxweight (4000001) exceeds consensus maximum block "
		"weight (4000000)");
	refused("-blockmaxweight=-1",
		"-blockmaxweight (18446744073709551615) exceeds consensus "
		"maximum block weight (4000000)");
	refused("-blockmaxweight=7999",
		"-blockreservedweight (8000) exceeds -blockmaxweight (7999)");
	refused("-blockmintxfee=x",
		"Invalid amount for -blockmintxfee=<amount>: 'x'");
}
END_TEST

Suite *block_options_suite(void)
{
	Suite *s = suite_create("block_options");
	TCase *t = tcase_create("block_options");

	tcase_add_test(t, blocks_are_filled_as_they_are_told);
	tcase_add_test(t, weights_that_cannot_be_are_refused);
	suite_add_tcase(s, t);
	return s;
}
