/*
 * Secret keys: sums, public keys, signatures. Facts: BIP 340's vectors, BIP
 * 341's wallet vectors, and the deterministic signatures of Bitcoin Core's key
 * tests.
 */
#include "suites.h"
#include "testdata.h"
#include "testjson.h"

#include <cairn/crypto/pubkey.h>
#include <cairn/crypto/secret.h>
#include <cairn/crypto/sha256.h>
#include <cairn/crypto/sig.h>

#include <stdio.h>
#include <stdlib.h>

/* The order of the group (SEC 2), and a secret of Bitcoin Core's key tests. */
#define ORDER                                                                  \
	"fffffffffffffffffffffffffffffffe"                                     \
	"baaedce6af48a03bbfd25e8cd0364141"
#define BELOW                                                                  \
	"fffffffffffffffffffffffffffffffe"                                     \
	"baaedce6af48a03bbfd25e8cd0364140"
#define ONE                                                                    \
	"00000000000000000000000000000000"                                     \
	"00000000000000000000000000000001"
#define SECRET1                                                                \
	"12b004fff7f4b69ef8650e767f18f11e"                                     \
	"de158148b425660723b9f9a66e61f747"
#define SECRET2                                                                \
	"b524c28b61c9b2c49b2c7dd4c2d75887"                                     \
	"abb78768c054bd7c01af4029f6c0d117"

static struct secret_ctx *ctx;

static void setup(void)
{
	ctx = secret_ctx_new();
}

static void teardown(void)
{
	secret_ctx_free(ctx);
}

static void hex32(uint8_t out[32], const char *hex)
{
	ck_assert_uint_eq(td_hex_into(out, 32, hex), 32);
}

static void check_hex(const uint8_t *got, size_t n, const char *hex)
{
	uint8_t want[80];

	ck_assert_uint_eq(td_hex_into(want, sizeof want, hex), n);
	ck_assert_mem_eq(got, want, n);
}

START_TEST(secrets_lie_between_zero_and_the_order)
{
	uint8_t key[32] = {0};

	ck_assert(!secret_valid(key));
	hex32(key, ONE);
	ck_assert(secret_valid(key));
	hex32(key, BELOW);
	ck_assert(secret_valid(key));
	hex32(key, ORDER);
	ck_assert(!secret_valid(key));
	memset(key, 0xff, 32);
	ck_assert(!secret_valid(key));
}
END_TEST

START_TEST(public_keys_have_both_forms)
{
	uint8_t key[32], pub[65];

	hex32(key, ONE);
	ck_assert_uint_eq(secret_pubkey(ctx, pub, key, true), 33);
	check_hex(pub, 33,
		  "0279be667ef9dcbbac55a06295ce870b"
		  "07029bfcdb2dce28d959f2815b16f81798");
	ck_assert_uint_eq(secret_pubkey(ctx, pub, key, false), 65);
	ck_assert_uint_eq(pub[0], 4);
	check_hex(pub + 1, 32,
		  "79be667ef9dcbbac55a06295ce870b07"
		  "029bfcdb2dce28d959f2815b16f81798");
}
END_TEST

/* What follows the shorter form is not touched. */
START_TEST(public_keys_write_no_more_than_they_are)
{
	uint8_t key[32], pub[65], sig[64], zero[32] = {0};

	hex32(key, SECRET1);
	memset(pub, 0, sizeof pub);
	pub[33] = 0x5a;
	secret_pubkey(ctx, pub, key, true);
	ck_assert_uint_eq(pub[33], 0x5a);
	secret_sign_recoverable(ctx, sig, key, key);
	ck_assert_uint_eq(pubkey_recover(pub, sig, 0, key, true), 33);
	ck_assert_uint_eq(pub[33], 0x5a);
	ck_assert_mem_eq(pub + 34, zero, 31);
}
END_TEST

START_TEST(sums_are_those_of_public_keys)
{
	uint8_t key[32], tweak[32], pub[65], sum[65], want[65];

	for (uint32_t i = 0; i < 20; i++) {
		fill(key, 32, i);
		fill(tweak, 32, i + 100);
		secret_pubkey(ctx, pub, key, true);
		ck_assert(pubkey_add(sum, pub, tweak));
		ck_assert(secret_add(key, tweak));
		secret_pubkey(ctx, want, key, true);
		ck_assert_mem_eq(sum, want, 33);
	}
}
END_TEST

START_TEST(a_sum_of_zero_and_a_tweak_out_of_range_are_refused)
{
	uint8_t key[32], tweak[32], pub[65], out[33], zero[32] = {0};

	hex32(key, ONE);
	secret_pubkey(ctx, pub, key, true);
	hex32(tweak, BELOW);
	ck_assert(!pubkey_add(out, pub, tweak));
	ck_assert(!secret_add(key, tweak));
	ck_assert_mem_eq(key, zero, 32);
	hex32(key, ONE);
	hex32(tweak, ORDER);
	ck_assert(!pubkey_add(out, pub, tweak));
	ck_assert(!xonly_add(out, pub + 1, tweak));
	ck_assert(!secret_add(key, tweak));
	pub[0] = 5;
	hex32(tweak, ONE);
	ck_assert(!pubkey_add(out, pub, tweak));
}
END_TEST

START_TEST(adding_in_place_is_adding)
{
	uint8_t key[32], tweak[32], pub[65], sum[33];

	fill(key, 32, 7);
	fill(tweak, 32, 8);
	secret_pubkey(ctx, pub, key, true);
	ck_assert(pubkey_add(sum, pub, tweak));
	ck_assert(pubkey_add(pub, pub, tweak));
	ck_assert_mem_eq(pub, sum, 33);
}
END_TEST

static const struct {
	const char *secret, *der;
} core[] = {
    {SECRET1, "304402205dbbddda71772d95ce91cd2d14b592cf"
	      "bc1dd0aabd6a394b6c2d377bbe59d31d022014dd"
	      "da21494a4e221f0824f0b8b924c43fa43c0ad57d"
	      "ccdaa11f81a6bd4582f6"},
    {SECRET2, "3044022052d8a32079c11e79db95af63bb9600c5"
	      "b04f21a9ca33dc129c2bfa8ac9dc1cd5022061d8"
	      "ae5e0f6c1a16bde3719c64c2fd70e404b6428ab9"
	      "a69566962e8771b5944d"},
};

START_TEST(ecdsa_signatures_are_bitcoin_cores)
{
	struct hash256 hash;
	uint8_t key[32], sig[SIG_DER_MAX];

	sha256d(&hash, "Very deterministic message", 26);
	for (size_t i = 0; i < 2; i++) {
		hex32(key, core[i].secret);
		check_hex(sig, secret_sign(ctx, sig, key, hash.b), core[i].der);
	}
}
END_TEST

/* 70 bytes hold R and S without a sign byte; some signatures are shorter. */
START_TEST(ecdsa_signatures_are_low_and_verify)
{
	uint8_t key[32], pub[65], hash[32], sig[SIG_DER_MAX];
	size_t shortest = SIG_DER_MAX;

	hex32(key, SECRET1);
	secret_pubkey(ctx, pub, key, true);
	for (uint32_t i = 0; i < 256; i++) {
		size_t n;

		fill(hash, 32, i);
		n = secret_sign(ctx, sig, key, hash);
		ck_assert_uint_gt(n, 8);
		ck_assert_uint_le(sig[3], 32);
		ck_assert(ecdsa_is_low_s(slice_of(sig, n)));
		ck_assert(
		    ecdsa_verify(slice_of(sig, n), slice_of(pub, 33), hash));
		hash[0] ^= 1;
		ck_assert(
		    !ecdsa_verify(slice_of(sig, n), slice_of(pub, 33), hash));
		shortest = n < shortest ? n : shortest;
	}
	ck_assert_uint_lt(shortest, SIG_DER_MAX);
}
END_TEST

/* Index, secret, key, random, message, signature: those lines that have a
 * secret and sign 32 bytes. */
static bool sign_bip340(char *line)
{
	uint8_t key[32], pub[65], aux[32], msg[128], want[64], sig[64];
	char *at = line, *secret;

	strsep(&at, ",");
	secret = strsep(&at, ",");
	if (!*secret)
		return false;
	hex32(key, secret);
	secret_pubkey(ctx, pub, key, true);
	check_hex(pub + 1, 32, strsep(&at, ","));
	hex32(aux, strsep(&at, ","));
	if (td_hex_into(msg, sizeof msg, strsep(&at, ",")) != 32)
		return false;
	td_hex_into(want, 64, strsep(&at, ","));
	ck_assert(secret_sign_schnorr(ctx, sig, key, NULL, msg, aux));
	ck_assert_mem_eq(sig, want, 64);
	return true;
}

START_TEST(schnorr_signatures_are_those_of_bip340)
{
	char *text, *line, *rest;
	size_t n = 0;

	if (td_missing())
		return;
	text = rest = td_read_text("vectors/bips/bip-0340/test-vectors.csv");
	strsep(&rest, "\n");
	while ((line = strsep(&rest, "\n")) && *line)
		n += sign_bip340(line);
	free(text);
	printf("bip340: %zu signatures\n", n);
	ck_assert_uint_eq(n, 4);
}
END_TEST

static void spend_bip341(const struct tj *c)
{
	const struct tj *given = tj_get(c, "given");
	const struct tj *made = tj_get(c, "intermediary");
	const char *want = tj_get(tj_get(c, "expected"), "witness")->at[0].str;
	uint8_t key[32], tweak[32], pub[65], out[32], hash[32], sig[64];

	hex32(key, tj_str(given, "internalPrivkey"));
	hex32(tweak, tj_str(made, "tweak"));
	hex32(hash, tj_str(made, "sigHash"));
	ck_assert(secret_sign_schnorr(ctx, sig, key, tweak, hash, NULL));
	ck_assert_uint_ge(strlen(want), 128);
	check_hex(sig, 64, strndupa(want, 128));
	secret_pubkey(ctx, pub, key, true);
	ck_assert(xonly_add(out, pub + 1, tweak));
	ck_assert(schnorr_verify(sig, out, hash));
}

START_TEST(tweaked_signatures_are_those_of_bip341)
{
	const struct tj *cases;
	struct tj *all;

	if (td_missing())
		return;
	all = tj_read("vectors/core/bip341_wallet_vectors.json");
	cases = tj_get(&tj_get(all, "keyPathSpending")->at[0], "inputSpending");
	for (size_t i = 0; i < cases->n; i++)
		spend_bip341(&cases->at[i]);
	printf("bip341: %zu signatures\n", cases->n);
	ck_assert_uint_eq(cases->n, 7);
	tj_free(all);
}
END_TEST

START_TEST(schnorr_refuses_a_tweak_out_of_range)
{
	uint8_t key[32], tweak[32], sig[64] = {0}, zero[64] = {0};

	hex32(key, SECRET1);
	hex32(tweak, ORDER);
	ck_assert(!secret_sign_schnorr(ctx, sig, key, tweak, key, NULL));
	ck_assert_mem_eq(sig, zero, 64);
}
END_TEST

START_TEST(keys_are_recovered_from_signatures)
{
	uint8_t key[32], pub[65], got[65], sig[64];
	struct hash256 hash;
	unsigned id;

	sha256d(&hash, "Very deterministic message", 26);
	hex32(key, SECRET1);
	id = secret_sign_recoverable(ctx, sig, key, hash.b);
	ck_assert_uint_eq(id, 1);
	check_hex(sig, 64,
		  "5dbbddda71772d95ce91cd2d14b592cf"
		  "bc1dd0aabd6a394b6c2d377bbe59d31d"
		  "14ddda21494a4e221f0824f0b8b924c4"
		  "3fa43c0ad57dccdaa11f81a6bd4582f6");
	for (int compressed = 0; compressed < 2; compressed++) {
		size_t n = secret_pubkey(ctx, pub, key, compressed);

		ck_assert_uint_eq(
		    pubkey_recover(got, sig, id, hash.b, compressed), n);
		ck_assert_mem_eq(got, pub, n);
		pubkey_recover(got, sig, id ^ 1, hash.b, compressed);
		ck_assert_mem_ne(got, pub, n);
	}
	memset(sig, 0xff, 64);
	ck_assert_uint_eq(pubkey_recover(got, sig, id, hash.b, true), 0);
	memset(sig, 0, 64);
	ck_assert_uint_eq(pubkey_recover(got, sig, id, hash.b, true), 0);
}
END_TEST

Suite *secret_suite(void)
{
	Suite *s = suite_create("secret");
	TCase *t = tcase_create("secret");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, secrets_lie_between_zero_and_the_order);
	tcase_add_test(t, public_keys_have_both_forms);
	tcase_add_test(t, public_keys_write_no_more_than_they_are);
	tcase_add_test(t, sums_are_those_of_public_keys);
	tcase_add_test(t, a_sum_of_zero_and_a_tweak_out_of_range_are_refused);
	tcase_add_test(t, adding_in_place_is_adding);
	tcase_add_test(t, ecdsa_signatures_are_bitcoin_cores);
	tcase_add_test(t, ecdsa_signatures_are_low_and_verify);
	tcase_add_test(t, schnorr_signatures_are_those_of_bip340);
	tcase_add_test(t, tweaked_signatures_are_those_of_bip341);
	tcase_add_test(t, schnorr_refuses_a_tweak_out_of_range);
	tcase_add_test(t, keys_are_recovered_from_signatures);
	suite_add_tcase(s, t);
	return s;
}
