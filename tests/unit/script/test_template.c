/* What output scripts are. */
#include "suites.h"
#include "testdata.h"
#include "testjson.h"

#include <cairn/base/mem.h>
#include <cairn/script/op.h>
#include <cairn/script/template.h>

#include <stdlib.h>

#define KEY33                                                                  \
	"0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
#define KEY65                                                                  \
	"0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"   \
	"483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"
#define H20 "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"
#define H32 H20 "eeeeeeeeeeeeeeeeeeeeeeee"
#define K1  "21" KEY33
#define K5  K1 K1 K1 K1 K1

static const struct {
	const char *hex;
	enum script_type type;
	uint8_t version, required, keys;
	size_t off, n; /* of the data */
} forms[] = {
    {"a914" H20 "87", SCRIPT_SCRIPTHASH, 0, 0, 0, 2, 20},
    {"a914" H20 "88", SCRIPT_NONSTANDARD, 0, 0, 0, 0, 0},
    {"a94c14" H20 "87", SCRIPT_NONSTANDARD, 0, 0, 0, 0, 0},
    {"76a914" H20 "88ac", SCRIPT_PUBKEYHASH, 0, 0, 0, 3, 20},
    {"76a914" H20 "88ad", SCRIPT_NONSTANDARD, 0, 0, 0, 0, 0},
    {"21" KEY33 "ac", SCRIPT_PUBKEY, 0, 0, 0, 1, 33},
    {"41" KEY65 "ac", SCRIPT_PUBKEY, 0, 0, 0, 1, 65},
    /* A wrong first byte, a hybrid key, a key that is no point. */
    {"2105" H32 "ac", SCRIPT_NONSTANDARD, 0, 0, 0, 0, 0},
    {"4106" H32 H32 "ac", SCRIPT_PUBKEY, 0, 0, 0, 1, 65},
    {"2102" H32 "ac", SCRIPT_PUBKEY, 0, 0, 0, 1, 33},
    {"4102" H32 H32 "ac", SCRIPT_NONSTANDARD, 0, 0, 0, 0, 0},
    {"4c21" KEY33 "ac", SCRIPT_NONSTANDARD, 0, 0, 0, 0, 0},
    {"0014" H20, SCRIPT_WITNESS_V0_KEYHASH, 0, 0, 0, 2, 20},
    {"0020" H32, SCRIPT_WITNESS_V0_SCRIPTHASH, 0, 0, 0, 2, 32},
    {"0002eeee", SCRIPT_NONSTANDARD, 0, 0, 0, 0, 0},
    {"5120" H32, SCRIPT_WITNESS_V1_TAPROOT, 1, 0, 0, 2, 32},
    {"51024e73", SCRIPT_ANCHOR, 1, 0, 0, 2, 2},
    {"51024e74", SCRIPT_WITNESS_UNKNOWN, 1, 0, 0, 2, 2},
    {"52024e73", SCRIPT_WITNESS_UNKNOWN, 2, 0, 0, 2, 2},
    {"5114" H20, SCRIPT_WITNESS_UNKNOWN, 1, 0, 0, 2, 20},
    {"6028" H20 H20, SCRIPT_WITNESS_UNKNOWN, 16, 0, 0, 2, 40},
    {"6029" H20 H20 "ee", SCRIPT_NONSTANDARD, 0, 0, 0, 0, 0},
    {"6a", SCRIPT_NULLDATA, 0, 0, 0, 1, 0},
    {"6a00", SCRIPT_NULLDATA, 0, 0, 0, 1, 1},
    {"6a02eeee60", SCRIPT_NULLDATA, 0, 0, 0, 1, 4},
    {"6a02ee", SCRIPT_NONSTANDARD, 0, 0, 0, 0, 0},
    {"6a61", SCRIPT_NONSTANDARD, 0, 0, 0, 0, 0},
    {"", SCRIPT_NONSTANDARD, 0, 0, 0, 0, 0},
    {"51", SCRIPT_NONSTANDARD, 0, 0, 0, 0, 0},
    {"51" K1 "51ae", SCRIPT_MULTISIG, 0, 1, 1, 0, 0},
    {"52" K1 "41" KEY65 K1 "53ae", SCRIPT_MULTISIG, 0, 2, 3, 0, 0},
    {"5f" K5 K5 K5 K1 "60ae", SCRIPT_MULTISIG, 0, 15, 16, 0, 0},
    {"0111" K5 K5 K5 K1 K1 "0111ae", SCRIPT_MULTISIG, 0, 17, 17, 0, 0},
    {"51" K5 K5 K5 K5 "0114ae", SCRIPT_MULTISIG, 0, 1, 20, 0, 0},
    /* 21 keys; a count that is not minimal; too few or too many keys. */
    {"51" K5 K5 K5 K5 K1 "0115ae", SCRIPT_NONSTANDARD, 0, 0, 0, 0, 0},
    {"51" K1 "0101ae", SCRIPT_NONSTANDARD, 0, 0, 0, 0, 0},
    {"51" K5 K5 K5 K5 "4c0114ae", SCRIPT_NONSTANDARD, 0, 0, 0, 0, 0},
    {"51" K5 K5 K5 K5 "021400ae", SCRIPT_NONSTANDARD, 0, 0, 0, 0, 0},
    {"51" K1 "52ae", SCRIPT_NONSTANDARD, 0, 0, 0, 0, 0},
    {"51" K1 K1 "51ae", SCRIPT_NONSTANDARD, 0, 0, 0, 0, 0},
    /* More required than there are; none required; no keys. */
    {"52" K1 "51ae", SCRIPT_NONSTANDARD, 0, 0, 0, 0, 0},
    {"00" K1 "51ae", SCRIPT_NONSTANDARD, 0, 0, 0, 0, 0},
    {"5100ae", SCRIPT_NONSTANDARD, 0, 0, 0, 0, 0},
    {"51ae", SCRIPT_NONSTANDARD, 0, 0, 0, 0, 0},
    {"ae", SCRIPT_NONSTANDARD, 0, 0, 0, 0, 0},
    /* Something between the count and the end, or behind it. */
    {"51" K1 "5161ae", SCRIPT_NONSTANDARD, 0, 0, 0, 0, 0},
    {"51" K1 "51af", SCRIPT_NONSTANDARD, 0, 0, 0, 0, 0},
    {"51" K1 "51aeae", SCRIPT_NONSTANDARD, 0, 0, 0, 0, 0},
    /* A key of a wrong size. */
    {"51" K1 "2002" H20 "51ae", SCRIPT_NONSTANDARD, 0, 0, 0, 0, 0},
    /* The end byte lies inside a push. */
    {"51" K1 "01ae", SCRIPT_NONSTANDARD, 0, 0, 0, 0, 0},
};

START_TEST(scripts_are_what_their_form_says)
{
	struct script_info i;
	uint8_t raw[800];

	for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
		size_t n = td_hex_into(raw, sizeof raw, forms[k].hex);

		memset(&i, 0xee, sizeof i);
		script_classify(&i, slice_of(raw, n));
		ck_assert_msg(i.type == forms[k].type, "%s: %s", forms[k].hex,
			      script_type_name(i.type));
		ck_assert_uint_eq(i.version, forms[k].version);
		ck_assert_uint_eq(i.required, forms[k].required);
		ck_assert_uint_eq(i.keys, forms[k].keys);
		ck_assert_uint_eq(i.data.n, forms[k].n);
		if (forms[k].n)
			ck_assert_ptr_eq(i.data.p, raw + forms[k].off);
	}
}
END_TEST

START_TEST(classifying_reads_nothing_behind_a_script)
{
	struct script_info i;
	struct td_guard g;
	uint8_t raw[800];

	td_guard_init(&g, sizeof raw);
	for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
		size_t n = td_hex_into(raw, sizeof raw, forms[k].hex);

		for (size_t cut = 0; cut <= n; cut++)
			script_classify(&i,
					td_guard_put(&g, slice_of(raw, cut)));
		ck_assert_msg(i.type == forms[k].type, "%s", forms[k].hex);
	}
	td_guard_fini(&g);
}
END_TEST

START_TEST(types_are_those_of_decodescript)
{
	struct tj *all;
	struct script_info i;

	if (td_missing())
		return;
	all = tj_read("vectors/core/rpc_decodescript.json");
	ck_assert_uint_ge(all->n, 10);
	for (size_t k = 0; k < all->n; k++) {
		const char *hex = all->at[k].at[0].str;
		uint8_t raw[128];
		size_t n = td_hex_into(raw, sizeof raw, hex);

		script_classify(&i, slice_of(raw, n));
		ck_assert_msg(strcmp(script_type_name(i.type),
				     tj_str(&all->at[k].at[1], "type")) == 0,
			      "%s", hex);
	}
	tj_free(all);
}
END_TEST

/* Every output in a decoded transaction: its script and its type. */
static size_t check_types(const struct tj *j)
{
	size_t checked = 0;

	if (j->key && strcmp(j->key, "scriptPubKey") == 0) {
		const char *hex = tj_str(j, "hex");
		size_t n;
		uint8_t *raw = td_hex(hex, strlen(hex), &n);
		struct script_info i;

		script_classify(&i, slice_of(raw, n));
		ck_assert_msg(
		    strcmp(script_type_name(i.type), tj_str(j, "type")) == 0,
		    "%s", hex);
		free(raw);
		checked++;
	}
	for (size_t k = 0; k < j->n; k++)
		checked += check_types(&j->at[k]);
	return checked;
}

START_TEST(types_are_those_of_decoded_transactions)
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
		checked += check_types(tx);
		tj_free(tx);
	}
	ck_assert_uint_eq(checked, 27);
	tj_free(all);
}
END_TEST

Suite *template_suite(void)
{
	Suite *s = suite_create("template");
	TCase *t = tcase_create("classify");

	tcase_add_test(t, scripts_are_what_their_form_says);
	tcase_add_test(t, classifying_reads_nothing_behind_a_script);
	tcase_add_test(t, types_are_those_of_decodescript);
	tcase_add_test(t, types_are_those_of_decoded_transactions);
	suite_add_tcase(s, t);
	return s;
}
