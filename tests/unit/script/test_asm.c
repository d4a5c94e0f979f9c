/* Scripts as text. */
#include "suites.h"
#include "testdata.h"
#include "testjson.h"

#include <cairn/base/text.h>
#include <cairn/script/template.h>

#include <stdio.h>
#include <stdlib.h>

static void check_asm(const char *hex, const char *want, bool decode)
{
	struct text out = TEXT_INIT;
	size_t n;
	uint8_t *raw = td_hex(hex, strlen(hex), &n);

	script_asm(&out, slice_of(raw, n), decode);
	ck_assert_msg(strcmp(text_str(&out), want) == 0, "%s: \"%s\", not %s",
		      hex, text_str(&out), want);
	text_fini(&out);
	free(raw);
}

START_TEST(numbers_names_and_data_print_as_bitcoin_core_prints_them)
{
	static const struct {
		const char *hex, *text;
	} t[] = {
	    {"", ""},
	    {"00", "0"},
	    {"4c00", "0"},
	    {"4f5160", "-1 1 16"},
	    {"0180", "0"},
	    {"0181", "-1"},
	    {"020100", "1"},
	    {"04ffffff7f", "2147483647"},
	    {"04ffffffff", "-2147483647"},
	    {"0500000000ff", "00000000ff"},
	    {"4c050102030405", "0102030405"},
	    {"6a02", "OP_RETURN [error]"},
	    {"02", "[error]"},
	    {"4e", "[error]"},
	    {"51fe5152", "1 OP_UNKNOWN 1 2"},
	    {"b1b2ff", "OP_CHECKLOCKTIMEVERIFY OP_CHECKSEQUENCEVERIFY "
		       "OP_INVALIDOPCODE"},
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		check_asm(t[i].hex, t[i].text, false);
		check_asm(t[i].hex, t[i].text, true);
	}
}
END_TEST

#define R                                                                      \
	"0220"                                                                 \
	"7f00000000000000000000000000000000000000000000000000000000000001"
#define SIG "3044" R R
/* R with its top bit set takes a zero byte in front. */
#define R0                                                                     \
	"022100"                                                               \
	"8f00000000000000000000000000000000000000000000000000000000000001"

START_TEST(signatures_get_the_name_of_their_type)
{
	static const struct {
		const char *hex, *text;
	} t[] = {
	    {"47" SIG "01", SIG "[ALL]"},
	    {"47" SIG "02", SIG "[NONE]"},
	    {"47" SIG "03", SIG "[SINGLE]"},
	    {"47" SIG "81", SIG "[ALL|ANYONECANPAY]"},
	    {"47" SIG "82", SIG "[NONE|ANYONECANPAY]"},
	    {"47" SIG "83", SIG "[SINGLE|ANYONECANPAY]"},
	    {"47" SIG "00", SIG "00"},
	    {"47" SIG "04", SIG "04"},
	    {"47" SIG "80", SIG "80"},
	    {"4c47" SIG "01", SIG "[ALL]"},
	    {"0047" SIG "0147" SIG "03", "0 " SIG "[ALL] " SIG "[SINGLE]"},
	    {"49"
	     "3046" R0 R0 "01",
	     "3046" R0 R0 "[ALL]"},
	    {"48"
	     "3045" R0 R "01",
	     "3045" R0 R "[ALL]"},
	    {"09"
	     "300602010102010101",
	     "3006020101020101[ALL]"},
	    /* In an unspendable script nothing is taken for a signature. */
	    {"6a47" SIG "01", "OP_RETURN " SIG "01"},
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		check_asm(t[i].hex, t[i].text, true);
	check_asm("47" SIG "01", SIG "01", false);
}
END_TEST

START_TEST(what_is_not_strict_der_is_no_signature)
{
	static const char *const t[] = {
	    "3006020101"
	    "02018101", /* negative */
	    "300602018102010101",
	    "3007020101"
	    "0202000101", /* needless zero */
	    "300702020001"
	    "02010101",
	    "300602010102010001"
	    "ff", /* one byte more */
	    "3005020101"
	    "020001", /* empty number */
	    "3005020002010101",
	    "310602010102010101", /* wrong tags */
	    "300603010102010101",
	    "300602010103010101",
	    "300702010102010101", /* wrong lengths */
	    "300602020102010101",
	    "300602010102020101",
	    "300602ff0102010101",
	};
	char hex[64];

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		snprintf(hex, sizeof hex, "%02zx%s", strlen(t[i]) / 2, t[i]);
		check_asm(hex, t[i], true);
	}
}
END_TEST

START_TEST(a_signature_has_at_most_73_bytes)
{
	/* R of 34 bytes: the pair is sound, the length is not. */
	check_asm(
	    "4a3047022200"
	    "808f000000000000000000000000000000000000000000000000000000000000"
	    "01" R0 "01",
	    "3047022200"
	    "808f000000000000000000000000000000000000000000000000000000000000"
	    "01" R0 "01",
	    true);
}
END_TEST

START_TEST(text_is_that_of_decodescript)
{
	struct tj *all;

	if (td_missing())
		return;
	all = tj_read("vectors/core/rpc_decodescript.json");
	ck_assert_uint_ge(all->n, 10);
	for (size_t k = 0; k < all->n; k++)
		check_asm(all->at[k].at[0].str,
			  tj_str(&all->at[k].at[1], "asm"), false);
	tj_free(all);
}
END_TEST

/* Every script in a decoded transaction: input scripts show types. */
static size_t check_scripts(const struct tj *j)
{
	bool in = j->key && strcmp(j->key, "scriptSig") == 0;
	bool out = j->key && strcmp(j->key, "scriptPubKey") == 0;
	size_t checked = 0;

	if (in || out) {
		check_asm(tj_str(j, "hex"), tj_str(j, "asm"), in);
		checked++;
	}
	for (size_t k = 0; k < j->n; k++)
		checked += check_scripts(&j->at[k]);
	return checked;
}

START_TEST(text_is_that_of_decoded_transactions)
{
	struct tj *all;
	size_t checked = 0;

	if (td_missing())
		return;
	all = tj_read("vectors/core/util_tx_cases.json");
	for (size_t k = 0; k < all->n; k++) {
		const char *key = all->at[k].key;
		struct tj *tx;

		if (strcmp(key + strlen(key) - 5, ".json") != 0)
			continue;
		tx = tj_parse(all->at[k].str);
		checked += check_scripts(tx);
		tj_free(tx);
	}
	ck_assert_uint_eq(checked, 27 + 71);
	tj_free(all);
}
END_TEST

Suite *asm_suite(void)
{
	Suite *s = suite_create("asm");
	TCase *t = tcase_create("asm");

	tcase_add_test(
	    t, numbers_names_and_data_print_as_bitcoin_core_prints_them);
	tcase_add_test(t, signatures_get_the_name_of_their_type);
	tcase_add_test(t, what_is_not_strict_der_is_no_signature);
	tcase_add_test(t, a_signature_has_at_most_73_bytes);
	tcase_add_test(t, text_is_that_of_decodescript);
	tcase_add_test(t, text_is_that_of_decoded_transactions);
	suite_add_tcase(s, t);
	return s;
}
