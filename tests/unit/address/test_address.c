/* Addresses of every network, both ways, and the sentences of refusals. */
#include "suites.h"
#include "testdata.h"
#include "testjson.h"

#include <cairn/address/address.h>
#include <cairn/params/params.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

static void check_both_ways(const char *address, const char *hex,
			    const struct params *p)
{
	uint8_t script[SCRIPT_OF_ADDRESS_MAX];
	char back[ADDRESS_STR];
	size_t n = 0;

	ck_assert_msg(address_to_script(script, &n, NULL, address, p), "%s",
		      address);
	check_script(script, n, hex, address);
	ck_assert(address_of_script(back, slice_of(script, n), p));
	ck_assert_str_eq(back, address);
}

static void check_flipped(const char *address, bool valid,
			  const struct params *p)
{
	uint8_t script[SCRIPT_OF_ADDRESS_MAX];
	char flipped[ADDRESS_STR];
	size_t n;

	snprintf(flipped, sizeof flipped, "%s", address);
	for (char *c = flipped; *c; c++)
		*c = (char)(islower((unsigned char)*c)
				? toupper((unsigned char)*c)
				: tolower((unsigned char)*c));
	ck_assert_msg(address_to_script(script, &n, NULL, flipped, p) == valid,
		      "%s", flipped);
}

START_TEST(valid_addresses_are_those_of_the_vectors)
{
	struct tj *all;
	size_t addresses = 0;

	if (td_missing())
		return;
	all = tj_read("vectors/core/key_io_valid.json");
	for (size_t i = 0; i < all->n; i++) {
		const struct tj *c = all->at[i].at;
		const struct params *p = params_named(tj_str(&c[2], "chain"));
		uint8_t script[SCRIPT_OF_ADDRESS_MAX];
		size_t n;

		if (tj_true(&c[2], "isPrivkey")) {
			/* A private key is no address. */
			ck_assert(
			    !address_to_script(script, &n, NULL, c[0].str, p));
			continue;
		}
		check_both_ways(c[0].str, c[1].str, p);
		check_flipped(c[0].str, tj_true(&c[2], "tryCaseFlip"), p);
		addresses++;
	}
	ck_assert_uint_ge(addresses, 40);
	tj_free(all);
}
END_TEST

START_TEST(invalid_addresses_are_refused_on_every_network)
{
	struct tj *all;

	if (td_missing())
		return;
	all = tj_read("vectors/core/key_io_invalid.json");
	ck_assert_uint_ge(all->n, 70);
	for (size_t i = 0; i < all->n; i++) {
		for (int id = 0; id < CHAIN_COUNT; id++) {
			struct address_error e = {{0}, 0, {0}};
			uint8_t script[SCRIPT_OF_ADDRESS_MAX];
			size_t n = 99;

			ck_assert_msg(!address_to_script(
					  script, &n, &e, all->at[i].at[0].str,
					  params_get((enum chain_id)id)),
				      "%s", all->at[i].at[0].str);
			ck_assert_uint_gt(strlen(e.why), 10);
			ck_assert_uint_eq(n, 99);
		}
	}
	tj_free(all);
}
END_TEST

START_TEST(addresses_of_bips_173_and_350_are_known)
{
	static const struct {
		enum chain_id chain;
		const char *address, *hex;
	} t[] = {
	    {CHAIN_MAIN, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
	     "0014751e76e8199196d454941c45d1b3a323f1433bd6"},
	    {CHAIN_TEST,
	     "tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7",
	     "00201863143c14c5166804bd19203356da136c985678cd4d27a1b8c632960490"
	     "3262"},
	    {CHAIN_MAIN,
	     "bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5x"
	     "w7kt5nd6y",
	     "5128751e76e8199196d454941c45d1b3a323f1433bd6751e76e8199196d454941"
	     "c45d1b3a323f1433bd6"},
	    {CHAIN_MAIN, "bc1sw50qgdz25j", "6002751e"},
	    {CHAIN_MAIN, "bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs",
	     "5210751e76e8199196d454941c45d1b3a323"},
	    {CHAIN_SIGNET,
	     "tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c",
	     "5120000000c4a5cad46221b2a187905e5266362b99d5e91c6ce24d165dab93e8"
	     "6433"},
	    {CHAIN_MAIN, "bc1pfeessrawgf", "51024e73"},
	    {CHAIN_REGTEST, "bcrt1pfeesnyr2tx", "51024e73"},
	    /* The first block's key, and P2SH of testnets (BIP 13, BIP 16). */
	    {CHAIN_MAIN, "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
	     "76a91462e907b15cbf27d5425399ebf6f0fb50ebb88f1888ac"},
	    {CHAIN_REGTEST, "2NF2b3KS8xXb9XHvbRMXdZh8s5g92rUZHtp",
	     "a914eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee87"},
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		check_both_ways(t[i].address, t[i].hex, params_get(t[i].chain));
}
END_TEST

START_TEST(scripts_without_an_address_have_none)
{
	static const char *const t[] = {
	    "",
	    "51",
	    "6a01aa",
	    "210279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81"
	    "798ac",
	    "51210279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f"
	    "8179851ae",
	    "0002eeee",
	    "76a914eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee88ad",
	};
	char address[ADDRESS_STR];
	uint8_t raw[64];

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		size_t n = td_hex_into(raw, sizeof raw, t[i]);

		ck_assert_msg(!address_of_script(address, slice_of(raw, n),
						 params_get(CHAIN_MAIN)),
			      "%s", t[i]);
	}
}
END_TEST

/* What validateaddress of Bitcoin Core says on mainnet. */
static const struct {
	const char *address, *why;
	size_t n;
	uint32_t at;
} refused[] = {
    {"", "Invalid checksum or length of Base58 address (P2PKH or P2SH)", 0, 0},
    {"0", "Invalid or unsupported Segwit (Bech32) or Base58 encoding.", 0, 0},
    {"1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb",
     "Invalid checksum or length of Base58 address (P2PKH or P2SH)", 0, 0},
    {"mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn",
     "Invalid or unsupported Base58-encoded address.", 0, 0},
    /* Version 0 and 19 bytes of hash. */
    {"16VZnHwRhwrExfeHFHGjwrgEMq8VcYPs9",
     "Invalid checksum or length of Base58 address (P2PKH or P2SH)", 0, 0},
    {"tc1qw508d6qejxtdg4y5r3zarvary0c5xw7kg3g4ty",
     "Invalid or unsupported Segwit (Bech32) or Base58 encoding.", 0, 0},
    {"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5", "Invalid Bech32 checksum", 1,
     41},
    {"BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3t4",
     "Invalid character or mixed case", 1, 40},
    {"bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4",
     "Invalid Base 32 character", 1, 59},
    {"bc1gmk9yu", "Empty Bech32 data section", 0, 0},
    {"bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080",
     "Invalid or unsupported prefix for Segwit (Bech32) address (expected bc, "
     "got bcrt).",
     0, 0},
    {"bc1rw5uspcuh", "Version 1+ witness address must use Bech32m checksum", 0,
     0},
    {"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh",
     "Version 0 witness address must use Bech32 checksum", 0, 0},
    {"bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf",
     "Invalid padding in Bech32 data section", 0, 0},
    {"BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P",
     "Invalid Bech32 v0 address program size (16 bytes), per BIP141", 0, 0},
    {"BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R",
     "Invalid Bech32 address witness version", 0, 0},
    {"bc1pw5dgrnzv", "Invalid Bech32 address program size (1 byte)", 0, 0},
    {"bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zg"
     "eav",
     "Invalid Bech32 address program size (41 bytes)", 0, 0},
};

START_TEST(refusals_give_bitcoin_cores_sentence_and_place)
{
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		struct address_error e = {{0}, 0, {0}};
		uint8_t script[SCRIPT_OF_ADDRESS_MAX];
		size_t n;

		ck_assert(!address_to_script(script, &n, &e, refused[i].address,
					     params_get(CHAIN_MAIN)));
		ck_assert_str_eq(e.why, refused[i].why);
		ck_assert_uint_eq(e.n, refused[i].n);
		if (e.n)
			ck_assert_uint_eq(e.at[0], refused[i].at);
	}
}
END_TEST

START_TEST(right_prefix_and_wrong_length_is_told)
{
	struct address_error e;
	uint8_t payload[21] = {0}, script[SCRIPT_OF_ADDRESS_MAX];
	char text[64];
	size_t n;

	for (uint8_t v = 0; v <= 5; v = (uint8_t)(v + 5)) {
		payload[0] = v;
		base58check_put(text, slice_of(payload, 20));
		ck_assert(!address_to_script(script, &n, &e, text,
					     params_get(CHAIN_MAIN)));
		ck_assert_str_eq(
		    e.why, "Invalid length for Base58 address (P2PKH or P2SH)");
	}
	base58check_put(text, slice_of(payload, 0));
	ck_assert(
	    !address_to_script(script, &n, &e, text, params_get(CHAIN_MAIN)));
	ck_assert_str_eq(e.why,
			 "Invalid or unsupported Base58-encoded address.");
}
END_TEST

START_TEST(no_text_is_an_address_of_main_and_a_testnet)
{
	struct tj *all;

	if (td_missing())
		return;
	all = tj_read("vectors/core/key_io_valid.json");
	for (size_t i = 0; i < all->n; i++) {
		const struct tj *c = all->at[i].at;
		bool main = strcmp(tj_str(&c[2], "chain"), "main") == 0;
		uint8_t script[SCRIPT_OF_ADDRESS_MAX];
		size_t n;

		ck_assert_msg(!address_to_script(
				  script, &n, NULL, c[0].str,
				  params_get(main ? CHAIN_TEST : CHAIN_MAIN)),
			      "%s", c[0].str);
	}
	tj_free(all);
}
END_TEST

Suite *address_suite(void)
{
	Suite *s = suite_create("address");
	TCase *t = tcase_create("both ways");

	tcase_add_test(t, valid_addresses_are_those_of_the_vectors);
	tcase_add_test(t, addresses_of_bips_173_and_350_are_known);
	tcase_add_test(t, scripts_without_an_address_have_none);
	suite_add_tcase(s, t);
	t = tcase_create("refusals");
	tcase_add_test(t, invalid_addresses_are_refused_on_every_network);
	tcase_add_test(t, refusals_give_bitcoin_cores_sentence_and_place);
	tcase_add_test(t, right_prefix_and_wrong_length_is_told);
	tcase_add_test(t, no_text_is_an_address_of_main_and_a_testnet);
	suite_add_tcase(s, t);
	return s;
}
