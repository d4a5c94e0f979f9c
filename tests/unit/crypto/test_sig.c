/*
 * Signatures: BIP 340's vectors, Wycheproof's ECDSA cases, and what the lenient
 * reader takes and does not take.
 */
#include "suites.h"
#include "testdata.h"
#include "testjson.h"

#include <cairn/base/text.h>
#include <cairn/crypto/sha256.h>
#include <cairn/crypto/sig.h>

#include <stdio.h>
#include <stdlib.h>

/* The next field of a line of comma separated values; NULL behind the last. */
static char *field(char **at)
{
	return strsep(at, ",");
}

/* One line of the BIP's table: index, secret, key, random, message, signature,
 * result, comment. */
static void check_bip340(struct key_hints *h, char *line)
{
	uint8_t key[32], msg[128], sig[64];
	char *at = line, *index = field(&at);
	bool want;
	size_t n;

	field(&at);
	td_hex_into(key, 32, field(&at));
	field(&at);
	n = td_hex_into(msg, sizeof msg, field(&at));
	td_hex_into(sig, 64, field(&at));
	want = strcmp(field(&at), "TRUE") == 0;
	/* Messages of other sizes are signed as they are; scripts sign 32. */
	for (int i = 0; n == 32 && i < 3; i++) {
		ck_assert_msg(schnorr_verify(sig, key, msg) == want, "case %s",
			      index);
		ck_assert_msg(schnorr_verify_hinted(h, sig, key, msg) == want,
			      "case %s with hints", index);
	}
}

START_TEST(schnorr_verify_agrees_with_the_vectors_of_bip340)
{
	char *text, *line, *rest;
	struct key_hints *h;
	size_t n = 0;

	if (td_missing())
		return;
	h = key_hints_new(1 << 12);
	text = rest = td_read_text("vectors/bips/bip-0340/test-vectors.csv");
	strsep(&rest, "\n");
	while ((line = strsep(&rest, "\n")) && *line) {
		check_bip340(h, line);
		n++;
	}
	free(text);
	key_hints_free(h);
	printf("bip340: %zu cases\n", n);
	ck_assert_uint_eq(n, 19);
}
END_TEST

/* Bitcoin's rule is strict about encodings; here the reader is lenient, so that
 * only cases about encodings may differ, and only by being taken. */
static bool is_about_encoding(const struct tj *t)
{
	static const char *const flags[] = {
	    "BerEncodedSignature", "InvalidEncoding", "ModifiedSignature",
	    "InvalidTypesInSignature"};
	const struct tj *list = tj_get(t, "flags");

	for (size_t i = 0; i < list->n; i++)
		for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
			if (strcmp(list->at[i].str, flags[k]) == 0)
				return true;
	return false;
}

/* As it stands, and compressed with hints. */
static bool verifies_both_ways(struct key_hints *h, struct slice sig,
			       struct slice key, const uint8_t hash[32])
{
	bool ok = ecdsa_verify(sig, key, hash);
	uint8_t small[33];

	small[0] = 2 + (key.p[64] & 1);
	memcpy(small + 1, key.p + 1, 32);
	ck_assert_int_eq(ecdsa_verify(sig, slice_of(small, 33), hash), ok);
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(
		    ecdsa_verify_hinted(h, sig, slice_of(small, 33), hash), ok);
	return ok;
}

static void check_wycheproof(struct key_hints *h, struct slice key,
			     const struct tj *t)
{
	bool valid = strcmp(tj_str(t, "result"), "valid") == 0, ok;
	const char *hex = tj_str(t, "sig"), *msg_hex = tj_str(t, "msg");
	size_t n, msg_n;
	uint8_t *sig = td_hex(hex, strlen(hex), &n);
	uint8_t *msg = td_hex(msg_hex, strlen(msg_hex), &msg_n), hash[32];

	sha256_once(hash, msg, msg_n);
	ok = verifies_both_ways(h, slice_of(sig, n), key, hash) &&
	     ecdsa_is_low_s(slice_of(sig, n));
	ck_assert_msg(ok == valid || (ok && is_about_encoding(t)), "case %s",
		      tj_get(t, "tcId")->str);
	free(sig);
	free(msg);
}

START_TEST(ecdsa_verify_agrees_with_wycheproof)
{
	const struct tj *groups;
	struct key_hints *h;
	struct tj *all;
	uint8_t key[65];
	size_t n = 0;

	if (td_missing())
		return;
	h = key_hints_new(64); /* two keys */
	all = tj_read(
	    "vectors/wycheproof/ecdsa_secp256k1_sha256_bitcoin_test.json");
	groups = tj_get(all, "testGroups");
	for (size_t g = 0; g < groups->n; g++) {
		const struct tj *tests = tj_get(&groups->at[g], "tests");

		td_hex_into(key, 65,
			    tj_str(tj_get(&groups->at[g], "publicKey"),
				   "uncompressed"));
		for (size_t i = 0; i < tests->n; i++, n++)
			check_wycheproof(h, slice_of(key, 65), &tests->at[i]);
	}
	tj_free(all);
	key_hints_free(h);
	printf("wycheproof ecdsa: %zu cases\n", n);
	ck_assert_uint_eq(n, 463);
}
END_TEST

/* Wycheproof's first key and message ("123400"), and the valid R and S. */
#define KEY                                                                    \
	"04b838ff44e5bc177bf21189d0766082fc9d843226887fc9760371100b7ee20a6ff0" \
	"c9d75bfba7b31a6bca1974496eeb56de357071955d83c4b1badaa0b21832e9"
#define R "813ef79ccefa9a56f7ba805f0e478584fe5f0dd5f567bc09b5123ccbc9832365"
#define S "6ff18a52dcc0336f7af62400a6dd9b810732baf1ff758000d6f613a556eb31ba"
#define HIGH_S                                                                 \
	"900e75ad233fcc908509dbff5922647db37c21f4afd3203ae8dc4ae7794b0f87"

static bool verifies(const char *der_hex)
{
	uint8_t key[65], der[1024], hash[32];
	size_t n = td_hex_into(der, sizeof der, der_hex);

	td_hex_into(key, 65, KEY);
	sha256_once(hash, "123400", 6);
	return ecdsa_verify(slice_of(der, n), slice_of(key, 65), hash);
}

START_TEST(ecdsa_verify_takes_what_was_taken_before_bip66)
{
	static const char *const t[] = {
	    "3045022100" R "0220" S,
	    "3046022100" R "022100" HIGH_S, /* either S of a signature */
	    "3044"
	    "0220" R "0220" S, /* R as it stands, though negative in DER */
	    "3000"
	    "0220" R "0220" S,         /* any outer length */
	    "308145022100" R "0220" S, /* lengths in long form */
	    "30820045022100" R "0220" S,
	    "3045028121"
	    "00" R "0220" S,
	    "3045028400000021"
	    "00" R "0220" S,
	    "30450288000000000000002100" R "028120" S,
	    "3080022100" R "0220" S, /* long form without bytes */
	    "3045022200"
	    "00" R "0220" S, /* zeros in front */
	    "3045022100" R "022500"
	    "00000000" S,
	    "3045022100" R "0220" S "00ffee", /* what follows is ignored */
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		ck_assert_msg(verifies(t[i]), "case %zu", i);
}
END_TEST

START_TEST(ecdsa_verify_refuses_what_nothing_can_be_read_from)
{
	static const char *const t[] = {
	    "",
	    "30",
	    "3045",
	    "3145022100" R "0220" S, /* tags */
	    "3045032100" R "0220" S,
	    "3045022100" R "0320" S,
	    "3045022100" R "0221" S, /* S is cut off */
	    "3045022100" R,
	    "304502ff00" R "0220" S,         /* lengths beyond the end */
	    "304502840100002100" R "0220" S, /* a length of 4 bytes */
	    "30ff0220" R "0220" S,           /* a length of 127 bytes */
	    "308201",                        /* a length that is cut off */
	    "30450220" R "0220" R,           /* a wrong signature */
	    "300602010002"
	    "0100",                  /* zeros */
	    "30460221ff" R "0220" S, /* R out of range */
	    "3045022100" R "022101" S,
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		ck_assert_msg(!verifies(t[i]), "case %zu", i);
}
END_TEST

START_TEST(ecdsa_verify_reads_no_byte_too_many)
{
	uint8_t der[80], key[65], hash[32];
	size_t n = td_hex_into(der, sizeof der, "3045022100" R "0220" S);
	struct td_guard g;

	td_hex_into(key, 65, KEY);
	sha256_once(hash, "123400", 6);
	td_guard_init(&g, sizeof der);
	for (size_t i = 0; i <= n; i++) {
		struct slice s = td_guard_put(&g, slice_of(der, i));

		ck_assert_int_eq(ecdsa_verify(s, slice_of(key, 65), hash),
				 i == n);
	}
	td_guard_fini(&g);
}
END_TEST

START_TEST(ecdsa_verify_takes_hybrid_keys_with_the_right_sign)
{
	uint8_t der[80], key[65], hash[32];
	size_t n = td_hex_into(der, sizeof der, "3045022100" R "0220" S);

	td_hex_into(key, 65, KEY);
	sha256_once(hash, "123400", 6);
	key[0] = 6 + (key[64] & 1);
	ck_assert(ecdsa_verify(slice_of(der, n), slice_of(key, 65), hash));
	key[0] ^= 1;
	ck_assert(!ecdsa_verify(slice_of(der, n), slice_of(key, 65), hash));
	key[0] = 5;
	ck_assert(!ecdsa_verify(slice_of(der, n), slice_of(key, 65), hash));
	ck_assert(!ecdsa_verify(slice_of(der, n), slice_of(key, 0), hash));
}
END_TEST

START_TEST(ecdsa_is_low_s_tells_the_halves_of_the_order_apart)
{
	/* Half the order, rounded down, is the largest low S. */
	static const struct {
		const char *s;
		bool low;
	} t[] = {
	    {"7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0",
	     true},
	    {"7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a1",
	     false},
	    {S, true},
	    {HIGH_S, false},
	    {"0000000000000000000000000000000000000000000000000000000000000000",
	     true},
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		char hex[200];
		uint8_t der[80];
		size_t n;

		snprintf(hex, sizeof hex, "3046022100" R "022100%s", t[i].s);
		n = td_hex_into(der, sizeof der, hex);
		ck_assert_msg(ecdsa_is_low_s(slice_of(der, n)) == t[i].low,
			      "case %zu", i);
	}
	ck_assert(!ecdsa_is_low_s(slice_of("0", 1)));
}
END_TEST

/* BIP 341's second wallet vector: key, tweak, output; its parity is odd. */
START_TEST(xonly_tweak_check_holds_for_one_output_and_sign)
{
	uint8_t in[32], tweak[32], out[32];

	td_hex_into(in, 32,
		    "187791b6f712a8ea41c8ecdd0ee77fab"
		    "3e85263b37e1ec18a3651926b3a6cf27");
	td_hex_into(tweak, 32,
		    "cbd8679ba636c1110ea247542cfbd964"
		    "131a6be84f873f7f3b62a777528ed001");
	td_hex_into(out, 32,
		    "147c9c57132f6e7ecddba9800bb0c444"
		    "9251c92a1e60371ee77557b6620f3ea3");
	ck_assert(xonly_tweak_check(out, true, in, tweak));
	ck_assert(!xonly_tweak_check(out, false, in, tweak));
	tweak[31] ^= 1;
	ck_assert(!xonly_tweak_check(out, true, in, tweak));
	tweak[31] ^= 1;
	memset(in, 0xff, 32);
	ck_assert(!xonly_tweak_check(out, true, in, tweak));
}
END_TEST

START_TEST(xonly_tweak_check_is_the_same_with_hints)
{
	struct key_hints *h = key_hints_new(32);
	uint8_t in[32], tweak[32] = {[31] = 1}, out[32], other[32];

	/* The points of 1, 2 and 3 are G, 2G and 3G. */
	td_hex_into(in, 32,
		    "79be667ef9dcbbac55a06295ce870b07"
		    "029bfcdb2dce28d959f2815b16f81798");
	td_hex_into(out, 32,
		    "c6047f9441ed7d6d3045406e95c07cd8"
		    "5c778e4b8cef3ca7abac09b95c709ee5");
	td_hex_into(other, 32,
		    "f9308a019258c31049344f85f89d5229"
		    "b531c845836f99b08601f113bce036f9");
	for (int i = 0; i < 3; i++) {
		ck_assert(xonly_tweak_check_hinted(h, out, false, in, tweak));
		ck_assert(!xonly_tweak_check_hinted(h, out, true, in, tweak));
		ck_assert(
		    !xonly_tweak_check_hinted(h, other, false, in, tweak));
	}
	key_hints_free(h);
}
END_TEST

Suite *sig_suite(void)
{
	Suite *s = suite_create("sig");
	TCase *t = tcase_create("sig");

	tcase_add_test(t, schnorr_verify_agrees_with_the_vectors_of_bip340);
	tcase_add_test(t, ecdsa_verify_agrees_with_wycheproof);
	tcase_add_test(t, ecdsa_verify_takes_what_was_taken_before_bip66);
	tcase_add_test(t, ecdsa_verify_refuses_what_nothing_can_be_read_from);
	tcase_add_test(t, ecdsa_verify_reads_no_byte_too_many);
	tcase_add_test(t, ecdsa_verify_takes_hybrid_keys_with_the_right_sign);
	tcase_add_test(t, ecdsa_is_low_s_tells_the_halves_of_the_order_apart);
	tcase_add_test(t, xonly_tweak_check_holds_for_one_output_and_sign);
	tcase_add_test(t, xonly_tweak_check_is_the_same_with_hints);
	suite_add_tcase(s, t);
	return s;
}
