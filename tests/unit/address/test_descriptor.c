/* Descriptors to scripts, and the sentences of refusals. */
#include "suites.h"
#include "testdata.h"

#include <cairn/address/address.h>
#include <cairn/address/descriptor.h>
#include <cairn/base/err.h>
#include <cairn/base/text.h>
#include <cairn/params/params.h>

#include <stdlib.h>

#define G     "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
#define GX    "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
#define GY    "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"
#define G65   "04" GX GY
#define K2    "02f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9"
#define H     "751e76e8199196d454941c45d1b3a323f1433bd6"
#define WIF   "L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1"
#define WIF65 "5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss"
#define XPUB                                                                   \
	"xpub6FHa3pjLCk84BayeJxFW2SP4XRrFd1JYnxeLeU8EqN3vDfZmbqBqaGJAyiLjTAwm" \
	"6ZLRQUMv1ZACTj37sR62cfN7fe5JnJ7dh8zL4fiyLHV"
#define FIVE G "," G "," G "," G "," G

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
    {"sortedmulti(2," K2 "," G65 "," G ")", "5221" G "21" K2 "41" G65 "53ae"},
    {"combo(" G ")", "21" G "ac"},
};

START_TEST(descriptors_give_their_script)
{
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct text out = TEXT_INIT, err = TEXT_INIT;

		text_puts(&out, "ab");
		ck_assert_msg(desc_script(&out, &err, good[i].desc, false,
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

	ck_assert_msg(desc_script(&out, &err, desc, need,
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
    {"sh(multi_a(1," GX "))",
     "Can only have multi_a/sortedmulti_a inside tr()"},
    {"tr(" GX ",multi(1," G "))",
     "Can only have multi/sortedmulti at top level, in sh(), or in wsh()"},
    {"tr(" GX ",multi_a(1))", "Cannot have 0 keys in multi_a; must have "
			      "between 1 and 999 keys, inclusive"},
    {"wsh(sortedmulti(1," FIVE "," FIVE "," FIVE "," FIVE "," G "))",
     "Cannot have 21 keys in multisig; must have between 1 and 20 keys, "
     "inclusive"},
    {"sh(multi(1," FIVE "," FIVE "," FIVE "," G "))",
     "P2SH script is too large, 547 bytes is larger than 520 bytes"},
    {"sh(pk(" G "),1)", "unexpected text behind the descriptor"},
    {"sh(" G ")", "A function is needed within P2SH"},
    {"wsh(" G ")", "A function is needed within P2WSH"},
    {"sh(sh(pk(" G ")))", "Can only have sh() at top level"},
    {"wsh(wsh(pk(" G ")))", "Can only have wsh() at top level or inside sh()"},
    {"wsh(wpkh(" G "))", "Can only have wpkh() at top level or inside sh()"},
    {"sh(combo(" G "))", "Can only have combo() at top level"},
    {"sh(addr(asdf))", "Can only have addr() at top level"},
    {"wsh(raw(51))", "Can only have raw() at top level"},
    {"sh(tr(" GX "))", "Can only have tr at top level"},
    {"sh(rawtr(" GX "))", "Can only have rawtr at top level"},
    {"sh(unused(" G "))", "Can only have unused at top level"},
    {"unused(" G "," G ")", "unused(): only one key expected"},
    {"unused(00)", "Pubkey '00' is invalid"},
    {"unused(" XPUB "/*)", "unused(): key cannot be ranged"},
    {"wsh(pk(" G65 "))", "pk(): Uncompressed keys are not allowed"},
    {"wpkh(" WIF65 ")", "wpkh(): Uncompressed keys are not allowed"},
    {"tr(" WIF65 ")", "tr(): Uncompressed keys are not allowed"},
    {"pk(" WIF "/0)", "pk(): key '" WIF "' is not valid"},
    {"pk(" WIF "1)", "pk(): key '" WIF "1' is not valid"},
    {"pk(" XPUB "/)", "pk(): Key path value '' is not valid"},
    {"pk(" XPUB "//1)", "pk(): Key path value '' is not valid"},
    {"pk(" XPUB "/*/1)", "pk(): Key path value '*' is not a valid uint32"},
    {"pk(" XPUB "/**)", "pk(): Key path value '**' is not a valid uint32"},
    {"pk(" XPUB "/+1)", "pk(): Key path value '+1' is not a valid uint32"},
    {"pk(" XPUB "/2147483648)",
     "pk(): Key path value 2147483648 is out of range"},
    {"pk(" XPUB "/<0;1>/<2;3>)",
     "pk(): Multiple multipath key path specifiers found"},
    {"pk(" XPUB "/<0>)", "pk(): Multipath key path specifiers must have at "
			 "least two items"},
    {"pk(" XPUB "/<>)", "pk(): Multipath key path specifiers must have at "
			"least two items"},
    {"pk(" XPUB "/<0;>)", "pk(): Key path value '' is not valid"},
    {"pk(" XPUB "/<0;1;0>)",
     "pk(): Duplicated key path value 0 in multipath specifier"},
    {"pk(" XPUB "/<0;1)", "pk(): Key path value '<0;1' is not a valid uint32"},
    {"sh(multi(1," XPUB "/<0;1>," XPUB "/<0;1;2>))",
     "multi(): Multipath derivation paths have mismatched lengths"},
    {"tr(" XPUB "/<0;1>,{pk(" XPUB "/<0;1>),pk(" XPUB "/<0;1;2>)})",
     "tr(): Multipath subscripts have mismatched lengths"},
    {"tr(" XPUB "/<0;1>,pk(" XPUB "/<0;1;2>))",
     "tr(): Multipath internal key mismatches multipath subscripts lengths"},
    {"tr()", "tr(): No key provided"},
    {"tr(" GX ",)", "'' is not a valid descriptor function"},
    {"tr(" GX "}{)", "tr: expected ',', got '}'"},
    {"tr(" GX ",{pk(" GX ")})", "tr(): expected ',' after script expression"},
    {"tr(" GX ",{pk(" GX "),pk(" GX "),pk(" GX ")})",
     "tr(): expected '}' after script expression"},
    {"tr(" GX ",pk(" GX "),pk(" GX "))",
     "tr(): expected ')' after script expression"},
    {"tr(" GX ",pkh(" GX "))", "Miniscript is not supported"},
    {"wsh(and_v(v:pk(" G "),older(1)))", "Miniscript is not supported"},
    {"wsh(0)", "Miniscript is not supported"},
    {"sh(after(1))", "Miniscript expressions can only be used in wsh or tr."},
    {"l:0", "Miniscript expressions can only be used in wsh or tr."},
    {"tr(musig(" G "))", "tr(): musig() is not supported"},
    {"pk(" G "),1", "unexpected text behind the descriptor"},
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
	ck_assert_int_eq(desc_script(&out, &err, "raw(51)#8lvh9jxk", true,
				     params_get(CHAIN_MAIN)),
			 0);
	ck_assert_uint_eq(out.n, 1);
	text_fini(&out);
	text_fini(&err);
}
END_TEST

/* A descriptor of a part repeated, n times; why is empty where it is taken. */
static void check_size(const char *head, const char *each, size_t n,
		       const char *tail, const char *why)
{
	bool numbered = each[0] == ';';
	struct text t = TEXT_INIT, out = TEXT_INIT, err = TEXT_INIT;
	int rc;

	text_puts(&t, head);
	for (size_t i = 0; i < n; i++) {
		text_puts(&t, each);
		if (numbered)
			text_printf(&t, "%zu", i);
	}
	text_puts(&t, tail);
	rc = desc_script(&out, &err, text_str(&t), false,
			 params_get(CHAIN_MAIN));
	ck_assert_str_eq(text_str(&err), why);
	ck_assert_int_eq(rc, *why ? E_PARSE : 0);
	text_fini(&t);
	text_fini(&out);
	text_fini(&err);
}

START_TEST(descriptors_have_bounds)
{
	check_size("raw(", "51", 499997, ")", "");
	check_size("raw(", "51", 499998, ")",
		   "Descriptor of 1000001 characters is longer than 1000000 "
		   "characters");
	check_size("pk(" XPUB "/<9999", ";", 999, ">)", "");
	check_size("pk(" XPUB "/<9999", ";", 1000, ">)",
		   "pk(): Multipath key path specifiers can have at most 1000 "
		   "items, not 1001");
	/* Alternatives times characters. */
	check_size("pk([00000000", "/0", 499000, "]" XPUB "/<0;1;2;3;4>)", "");
	check_size("pk([00000000", "/0", 499000, "]" XPUB "/<0;1;2;3;4;5>)",
		   "Multipath makes 6 descriptors of 998139 characters, which "
		   "is too much");
	check_size("tr(" GX ",multi_a(1", ",02" GX, 999, "))", "");
	check_size("tr(" GX ",multi_a(1", ",02" GX, 1000, "))",
		   "Cannot have 1000 keys in multi_a; must have between 1 and "
		   "999 keys, inclusive");
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

			ck_assert_msg(
			    desc_script(&out, &err, (const char *)s.p, sum,
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

Suite *descriptor_suite(void)
{
	Suite *s = suite_create("descriptor");
	TCase *t = tcase_create("parse");

	tcase_add_test(t, descriptors_give_their_script);
	tcase_add_test(t, refusals_give_bitcoin_cores_sentence);
	tcase_add_test(t, a_checksum_can_be_demanded);
	tcase_add_test(t, descriptors_have_bounds);
	tcase_add_test(t, truncated_descriptors_are_refused);
	suite_add_tcase(s, t);
	return s;
}
