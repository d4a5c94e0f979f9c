/* Which descriptor names a script. */
#include "suites.h"
#include "testdata.h"
#include "testjson.h"

#include <cairn/address/address.h>
#include <cairn/address/descriptor.h>
#include <cairn/base/buf.h>
#include <cairn/base/text.h>
#include <cairn/crypto/sha256.h>
#include <cairn/params/params.h>
#include <cairn/wire/block.h>

#include <stdio.h>
#include <stdlib.h>

#define GX  "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
#define GY  "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"
#define H32 "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"

static void check_desc(const char *hex, const char *want,
		       const struct params *p)
{
	struct text out = TEXT_INIT;
	size_t n;
	uint8_t *raw = td_hex(hex, strlen(hex), &n);

	text_puts(&out, "x");
	descriptor_of_script(&out, slice_of(raw, n), NULL, 0, p);
	ck_assert_msg(strncmp(out.p + 1, want, strlen(want)) == 0,
		      "%s: %s, not %s", hex, out.p + 1, want);
	/* With or without the checksum in the table. */
	ck_assert_uint_eq(out.n - 1 - strlen(want), strchr(want, '#') ? 0 : 9);
	text_fini(&out);
	free(raw);
}

START_TEST(keys_are_shown_where_the_script_shows_them)
{
	static const struct {
		const char *hex, *desc;
	} t[] = {
	    {"2102" GX "ac", "pk(02" GX ")"},
	    {"4104" GX GY "ac", "pk(04" GX GY ")"},
	    /* A form is enough: the key need not be a point. */
	    {"2102" H32 "ac", "pk(02" H32 ")"},
	    /* Hybrid keys are not named. */
	    {"4106" GX GY "ac", "raw(4106" GX GY "ac)"},
	    {"512102" GX "51ae", "multi(1,02" GX ")"},
	    {"522102" GX "4104" GX GY "52ae", "multi(2,02" GX ",04" GX GY ")"},
	    {"512102" GX "4107" GX GY "52ae",
	     "raw(512102" GX "4107" GX GY "52ae)"},
	    {"5120" GX, "rawtr(" GX ")"},
	    /* x = 5 is that of no point. */
	    {"51200000000000000000000000000000000000000000000000000000000000"
	     "000005",
	     "addr("
	     "bc1pqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqzs2jkusy)"},
	    {"76a914751e76e8199196d454941c45d1b3a323f1433bd688ac",
	     "addr(1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH)"},
	    {"0014751e76e8199196d454941c45d1b3a323f1433bd6",
	     "addr(bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4)"},
	    {"51024e73", "addr(bc1pfeessrawgf)"},
	    {"", "raw()"},
	    {"51", "raw(51)#8lvh9jxk"},
	    {"6a", "raw(6a)"},
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		check_desc(t[i].hex, t[i].desc, params_get(CHAIN_MAIN));
}
END_TEST

START_TEST(a_multisig_of_20_keys_is_named_whole)
{
	char hex[3000], want[3000];
	int a, b;

	a = snprintf(hex, sizeof hex, "0113");
	b = snprintf(want, sizeof want, "multi(19");
	for (int i = 0; i < 20; i++) {
		a += snprintf(hex + a, sizeof hex - (size_t)a, "2102" GX);
		b += snprintf(want + b, sizeof want - (size_t)b, ",02" GX);
	}
	snprintf(hex + a, sizeof hex - (size_t)a, "0114ae");
	snprintf(want + b, sizeof want - (size_t)b, ")");
	check_desc(hex, want, params_get(CHAIN_MAIN));
}
END_TEST

/* desc and address of every script in a decoded object. */
static size_t check_tree(const struct tj *j, const struct params *p)
{
	const struct tj *desc = tj_find(j, "desc"), *hex = tj_find(j, "hex");
	size_t checked = 0;

	if (desc && hex) {
		const struct tj *address = tj_find(j, "address");
		char got[ADDRESS_STR];
		size_t n;
		uint8_t *raw = td_hex(hex->str, strlen(hex->str), &n);
		bool has = address_of_script(got, slice_of(raw, n), p);

		check_desc(hex->str, desc->str, p);
		ck_assert_int_eq(has, address != NULL);
		if (has)
			ck_assert_str_eq(got, address->str);
		free(raw);
		checked++;
	}
	for (size_t i = 0; i < j->n; i++)
		checked += check_tree(&j->at[i], p);
	return checked;
}

/* Scripts that are known are shown instead of their hash. */
START_TEST(known_scripts_are_named_inside)
{
	static const struct {
		const char *desc, *redeem, *witness;
	} cases[] = {
	    {"sh(pk(02" GX "))", "2102" GX "ac", NULL},
	    {"sh(pk(04" GX GY "))", "4104" GX GY "ac", NULL},
	    {"wsh(pk(03" GX "))", NULL, "2103" GX "ac"},
	    {"sh(multi(1,02" GX ",03" GX "))", "512102" GX "2103" GX "52ae",
	     NULL},
	    {"wsh(multi(1,02" GX "))", NULL, "512102" GX "51ae"},
	};
	const struct params *p = params_get(CHAIN_MAIN);

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *hex =
		    cases[i].redeem ? cases[i].redeem : cases[i].witness;
		struct text out = TEXT_INIT, got = TEXT_INIT, err = TEXT_INIT;
		struct slice known[2] = {slice_of("x", 1)};
		uint8_t *raw = td_hex(hex, strlen(hex), &known[1].n);

		known[1].p = raw;
		ck_assert_int_eq(
		    desc_script(&out, &err, cases[i].desc, false, p), 0);
		descriptor_of_script(&got, slice_of(out.p, out.n), known, 2, p);
		ck_assert_uint_eq(got.n, strlen(cases[i].desc) + 9);
		ck_assert_mem_eq(got.p, cases[i].desc, strlen(cases[i].desc));
		text_reset(&got);
		descriptor_of_script(&got, slice_of(out.p, out.n), known, 1, p);
		ck_assert_mem_eq(got.p, "addr(", 5);
		text_fini(&out);
		text_fini(&got);
		text_fini(&err);
		free(raw);
	}
}
END_TEST

/* wsh() of full keys cannot be spent, and is no descriptor. */
START_TEST(full_keys_are_not_named_in_wsh)
{
	struct text t = TEXT_INIT, out = TEXT_INIT, err = TEXT_INIT;
	uint8_t script[67], wsh[34] = {0, 32};
	struct slice known[2];

	td_hex_into(script, sizeof script, "4104" GX GY "ac");
	sha256_once(wsh + 2, script, sizeof script);
	known[0] = slice_of(script, sizeof script);
	descriptor_of_script(&t, slice_of(wsh, sizeof wsh), known, 1,
			     params_get(CHAIN_MAIN));
	ck_assert_mem_eq(t.p, "addr(", 5);
	/* sh(wsh(multi())) needs both. */
	text_reset(&t);
	ck_assert_int_eq(desc_script(&out, &err, "sh(wsh(multi(1,02" GX ")))",
				     false, params_get(CHAIN_MAIN)),
			 0);
	td_hex_into(script, sizeof script, "512102" GX "51ae");
	sha256_once(wsh + 2, script, 37);
	known[0] = slice_of(script, 37);
	known[1] = slice_of(wsh, sizeof wsh);
	descriptor_of_script(&t, slice_of(out.p, out.n), known, 2,
			     params_get(CHAIN_MAIN));
	ck_assert_mem_eq(t.p, "sh(wsh(multi(1,02" GX ")))#",
			 strlen("sh(wsh(multi(1,02" GX ")))#"));
	text_fini(&t);
	text_fini(&out);
	text_fini(&err);
}
END_TEST

START_TEST(descriptors_are_those_of_decodescript)
{
	struct tj *all;

	if (td_missing())
		return;
	all = tj_read("vectors/core/rpc_decodescript.json");
	for (size_t i = 0; i < all->n; i++) {
		const struct tj *c = all->at[i].at;

		check_desc(c[0].str, tj_str(&c[1], "desc"),
			   params_get(CHAIN_REGTEST));
		check_tree(&c[1], params_get(CHAIN_REGTEST));
	}
	tj_free(all);
}
END_TEST

START_TEST(descriptors_are_those_of_decoded_transactions)
{
	struct tj *all;
	size_t checked = 0;

	if (td_missing())
		return;
	all = tj_read("vectors/core/util_tx_cases.json");
	for (size_t i = 0; i < all->n; i++) {
		const char *key = all->at[i].key;
		struct tj *tx;

		if (strcmp(key + strlen(key) - 5, ".json") != 0)
			continue;
		tx = tj_parse(all->at[i].str);
		checked += check_tree(tx, params_get(CHAIN_MAIN));
		tj_free(tx);
	}
	ck_assert_uint_eq(checked, 27);
	tj_free(all);
}
END_TEST

/* The descriptor of an output gives back its script; but a multisig is named
 * also where a key is no point, which the parser refuses as Core's does. */
static void check_back(struct slice script, const struct params *p)
{
	struct text desc = TEXT_INIT, out = TEXT_INIT, err = TEXT_INIT;

	descriptor_of_script(&desc, script, NULL, 0, p);
	if (strncmp(text_str(&desc), "multi(", 6) == 0) {
		text_fini(&desc);
		return;
	}
	ck_assert_msg(desc_script(&out, &err, text_str(&desc), true, p) == 0,
		      "%s: %s", text_str(&desc), text_str(&err));
	ck_assert_msg(slice_eq(slice_of(out.p, out.n), script), "%s",
		      text_str(&desc));
	text_fini(&desc);
	text_fini(&out);
	text_fini(&err);
}

START_TEST(descriptors_of_a_real_block_give_back_its_scripts)
{
	struct block_view v;
	struct buf *raw;
	size_t trailing, checked = 0;

	if (td_missing())
		return;
	raw = td_read("blocks/mainnet/mainnet-831330.bin");
	ck_assert_int_eq(block_view_parse(&v, &trailing, buf_payload(raw)), 0);
	for (uint32_t i = 0; i < v.n_tx; i++) {
		struct txout_view o;
		struct tx_iter it;

		txouts(&it, &v.tx[i]);
		for (; txout_next(&it, &o); checked++)
			check_back(o.script, params_get(CHAIN_MAIN));
	}
	ck_assert_uint_gt(checked, 1000);
	block_view_fini(&v);
	buf_unref(raw);
}
END_TEST

Suite *desc_infer_suite(void)
{
	Suite *s = suite_create("desc_infer");
	TCase *t = tcase_create("infer");

	tcase_add_test(t, keys_are_shown_where_the_script_shows_them);
	tcase_add_test(t, a_multisig_of_20_keys_is_named_whole);
	tcase_add_test(t, known_scripts_are_named_inside);
	tcase_add_test(t, full_keys_are_not_named_in_wsh);
	tcase_add_test(t, descriptors_are_those_of_decodescript);
	tcase_add_test(t, descriptors_are_those_of_decoded_transactions);
	tcase_add_test(t, descriptors_of_a_real_block_give_back_its_scripts);
	suite_add_tcase(s, t);
	return s;
}
