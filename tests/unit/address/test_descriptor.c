/* Descriptors to scripts, and the sentences of refusals. */
#include "suites.h"
#include "testdata.h"
#include "testjson.h"

#include <cairn/address/address.h>
#include <cairn/address/descriptor.h>
#include <cairn/base/err.h>
#include <cairn/base/text.h>
#include <cairn/params/params.h>

#include <stdlib.h>

#define G   "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
#define GX  "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
#define GY  "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"
#define G65 "04" GX GY
#define K2  "02f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9"
#define H   "751e76e8199196d454941c45d1b3a323f1433bd6"

static const struct {
	const char *desc, *hex;
} good[] = {
    {"pk(" G ")", "21" G "ac"},
    {"pk(" G65 ")", "41" G65 "ac"},
    {"pkh(" G ")", "76a914" H "88ac"},
    {"pkh(" G65 ")", "76a91491b24bf9f5288532960ac687abb035127b1d28a588ac"},
    {"wpkh(" G ")", "0014" H},
    {"wpkh([d34db33f/84h/0'/1]" G ")", "0014" H},
    {"wpkh([d34db33f]" G ")", "0014" H},
    {"raw(51)", "51"},
    {"raw(6A02aBcD)", "6a02abcd"},
    {"raw(51)#8lvh9jxk", "51"},
    {"addr(1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH)", "76a914" H "88ac"},
    {"addr(bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4)", "0014" H},
    {"rawtr(" GX ")", "5120" GX},
    {"rawtr(" G ")", "5120" GX},
    {"rawtr(03" GX ")", "5120" GX},
    {"multi(1," G ")", "5121" G "51ae"},
    {"multi(2," G "," K2 ")", "5221" G "21" K2 "52ae"},
    {"multi(2," K2 "," G65 "," G ")", "5221" K2 "41" G65 "21" G "53ae"},
};

START_TEST(descriptors_give_their_script)
{
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct text out = TEXT_INIT, err = TEXT_INIT;

		text_puts(&out, "ab");
		ck_assert_msg(descriptor_script(&out, &err, good[i].desc, false,
						params_get(CHAIN_MAIN)) == 0,
			      "%s: %s", good[i].desc, text_str(&err));
		ck_assert_uint_eq(err.n, 0);
		ck_assert_mem_eq(out.p, "ab", 2);
		check_script((const uint8_t *)out.p + 2, out.n - 2, good[i].hex,
			     good[i].desc);
		text_fini(&out);
		text_fini(&err);
	}
}
END_TEST

static void check_refused(const char *desc, const char *why, bool need)
{
	struct text out = TEXT_INIT, err = TEXT_INIT;

	ck_assert_msg(descriptor_script(&out, &err, desc, need,
					params_get(CHAIN_MAIN)) == E_PARSE,
		      "%s", desc);
	ck_assert_str_eq(text_str(&err), why);
	ck_assert_uint_eq(out.n, 0);
	text_fini(&out);
	text_fini(&err);
}

static const struct {
	const char *desc, *why;
} bad[] = {
    {"", "'' is not a valid descriptor function"},
    {"pk", "'pk' is not a valid descriptor function"},
    {"pk(" G, "'pk(" G "' is not a valid descriptor function"},
    {"Pk(" G ")", "'Pk(" G ")' is not a valid descriptor function"},
    {"pk()", "pk(): No key provided"},
    {"pk(/1)", "pk(): No key provided"},
    {"pk( " G ")", "pk(): Key ' " G "' is invalid due to whitespace"},
    {"pkh(" G " )", "pkh(): Key '" G " ' is invalid due to whitespace"},
    {"pk(00)", "pk(): Pubkey '00' is invalid"},
    {"pk(" GX ")", "pk(): Pubkey '" GX "' is invalid"},
    {"pk(" G "00)", "pk(): Pubkey '" G "00' is invalid"},
    {"pk(05" GX ")", "pk(): Pubkey '05" GX "' is invalid"},
    {"pk(04" GX GX ")", "pk(): Pubkey '04" GX GX "' is invalid"},
    {"pk(" G "/0)", "pk(): key '" G "' is not valid"},
    {"pk(xyz)", "pk(): key 'xyz' is not valid"},
    {"pk(" G "0)", "pk(): key '" G "0' is not valid"},
    {"pkh(06" GX GY ")", "pkh(): Hybrid public keys are not allowed"},
    {"wpkh(07" GX GY ")", "wpkh(): Hybrid public keys are not allowed"},
    {"wpkh(" G65 ")", "wpkh(): Uncompressed keys are not allowed"},
    {"rawtr(" G65 ")", "rawtr(): Uncompressed keys are not allowed"},
    {"rawtr(" GX "," GX ")", "rawtr(): only one key expected."},
    {"pk(musig(" G "))", "pk(): musig() is only allowed in tr() and rawtr()"},
    {"pk([d34db33f]" G "]" G ")",
     "pk(): Multiple ']' characters found for a single pubkey"},
    {"pk(d34db33f]" G ")",
     "pk(): Key origin start '[ character expected but not found, got 'd' "
     "instead"},
    {"pk(]" G ")", "pk(): Key origin start '[ character expected but not "
		   "found, got ']' instead"},
    {"pk([d34db33]" G ")", "pk(): Fingerprint is not 4 bytes (7 characters "
			   "instead of 8 characters)"},
    {"pk([d34db33g]" G ")", "pk(): Fingerprint 'd34db33g' is not hex"},
    {"pk([d34db33f/]" G ")", "pk(): Key path value '' is not valid"},
    {"pk([d34db33f/a]" G ")", "pk(): Key path value 'a' is not a valid uint32"},
    {"pk([d34db33f/1hh]" G ")",
     "pk(): Key path value '1hh' is not a valid uint32"},
    {"pk([d34db33f/4294967296]" G ")",
     "pk(): Key path value '4294967296' is not a valid uint32"},
    {"pk([d34db33f/2147483648']" G ")",
     "pk(): Key path value 2147483648 is out of range"},
    {"pk([d34db33f/<0;1>]" G ")",
     "pk(): Key path value '<0;1>' specifies multipath in a section where "
     "multipath is not allowed"},
    {"raw()", "Raw script is not hex"},
    {"raw(5)", "Raw script is not hex"},
    {"raw(5g)", "Raw script is not hex"},
    {"addr()", "Address is not valid"},
    {"addr(asdf)", "Address is not valid"},
    {"addr(tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx)",
     "Address is not valid"},
    {"multi(a," G ")", "Multi threshold 'a' is not valid"},
    {"multi()", "Multi threshold '' is not valid"},
    {"multi(1)", "Cannot have 0 keys in multisig; must have between 1 and 20 "
		 "keys, inclusive"},
    {"multi(0," G ")", "Multisig threshold cannot be 0, must be at least 1"},
    {"multi(2," G ")", "Multisig threshold cannot be larger than the number "
		       "of keys; threshold is 2 but only 1 keys specified"},
    {"multi(1," G "," G "," G "," G ")",
     "Cannot have 4 pubkeys in bare multisig; only at most 3 pubkeys"},
    {"multi(1,00)", "Multi: Pubkey '00' is invalid"},
    {"multi(1," G ",)", "Multi: No key provided"},
    {"multi(1," G "))", "unexpected text behind the descriptor"},
    {"multi_a(1," GX ")", "Can only have multi_a/sortedmulti_a inside tr()"},
    {"sh(pk(" G "))", "sh() is not supported yet"},
    {"tr(" GX ")", "tr() is not supported yet"},
    {"pk(" G "),1", "unexpected text behind the descriptor"},
    {"pk(L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1)",
     "pk(): extended and private keys are not supported yet"},
    {"raw(51)#8lvh9jx", "Expected 8 character checksum, not 7 characters"},
    {"raw(51)#", "Expected 8 character checksum, not 0 characters"},
    {"raw(51)##8lvh9jx", "Multiple '#' symbols"},
    {"raw(51)#8lvh9jxl", "Provided checksum '8lvh9jxl' does not match "
			 "computed checksum '8lvh9jxk'"},
    {"raw(5\xe9)", "Invalid characters in payload"},
    {"raw(5\n)", "Invalid characters in payload"},
};

START_TEST(refusals_give_bitcoin_cores_sentence)
{
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		check_refused(bad[i].desc, bad[i].why, false);
}
END_TEST

START_TEST(a_checksum_can_be_demanded)
{
	struct text out = TEXT_INIT, err = TEXT_INIT;

	check_refused("raw(51)", "Missing checksum", true);
	ck_assert_int_eq(descriptor_script(&out, &err, "raw(51)#8lvh9jxk", true,
					   params_get(CHAIN_MAIN)),
			 0);
	ck_assert_uint_eq(out.n, 1);
	text_fini(&out);
	text_fini(&err);
}
END_TEST

/* Every prefix of a descriptor is refused; nothing is read behind its end. */
START_TEST(truncated_descriptors_are_refused)
{
	struct td_guard g;

	td_guard_init(&g, 512);
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		const char *desc = good[i].desc;
		bool sum = strchr(desc, '#') != NULL;

		for (size_t n = 0; n < strlen(desc); n++) {
			struct text out = TEXT_INIT, err = TEXT_INIT;
			char *copy = strndup(desc, n);
			struct slice s =
			    td_guard_put(&g, slice_of(copy, n + 1));

			ck_assert_msg(descriptor_script(
					  &out, &err, (const char *)s.p, sum,
					  params_get(CHAIN_MAIN)) == E_PARSE,
				      "%s, %zu", desc, n);
			ck_assert_uint_gt(err.n, 0);
			free(copy);
			text_fini(&out);
			text_fini(&err);
		}
	}
	td_guard_fini(&g);
}
END_TEST

START_TEST(published_descriptors_give_their_address)
{
	struct tj *all;
	size_t checked = 0;

	if (td_missing())
		return;
	all = tj_read("vectors/descriptors/desc-addresses.json");
	for (size_t i = 0; i < all->n; i++) {
		for (size_t k = 0; k < all->at[i].n; k++) {
			const struct tj *c = &all->at[i].at[k];
			const struct tj *want = tj_find(c, "addresses");
			const struct params *p = params_named(
			    tj_find(c, "network") ? tj_str(c, "network")
						  : "main");
			struct text out = TEXT_INIT, err = TEXT_INIT;
			char address[ADDRESS_STR];

			/* P2PK has none of its own: bcoin names its hash's. */
			if (want && want->n == 1 &&
			    strcmp(all->at[i].key, "pk") != 0 &&
			    descriptor_script(&out, &err, tj_str(c, "input"),
					      false, p) == 0) {
				ck_assert(address_of_script(
				    address, slice_of(out.p, out.n), p));
				ck_assert_str_eq(address, want->at[0].str);
				checked++;
			}
			text_fini(&out);
			text_fini(&err);
		}
	}
	ck_assert_uint_ge(checked, 4);
	tj_free(all);
}
END_TEST

START_TEST(published_invalid_descriptors_are_refused)
{
	struct tj *all;

	if (td_missing())
		return;
	all = tj_read("vectors/descriptors/desc-invalid.json");
	ck_assert_uint_ge(all->n, 40);
	for (size_t i = 0; i < all->n; i++) {
		struct text out = TEXT_INIT, err = TEXT_INIT;
		const char *text = tj_str(&all->at[i], "input");

		ck_assert_msg(
		    descriptor_script(&out, &err, text,
				      tj_true(&all->at[i], "requirechecksum"),
				      params_get(CHAIN_MAIN)) == E_PARSE,
		    "%s", text);
		ck_assert_uint_gt(err.n, 0);
		text_fini(&out);
		text_fini(&err);
	}
	tj_free(all);
}
END_TEST

Suite *descriptor_suite(void)
{
	Suite *s = suite_create("descriptor");
	TCase *t = tcase_create("parse");

	tcase_add_test(t, descriptors_give_their_script);
	tcase_add_test(t, refusals_give_bitcoin_cores_sentence);
	tcase_add_test(t, a_checksum_can_be_demanded);
	tcase_add_test(t, truncated_descriptors_are_refused);
	tcase_add_test(t, published_descriptors_give_their_address);
	tcase_add_test(t, published_invalid_descriptors_are_refused);
	suite_add_tcase(s, t);
	return s;
}
