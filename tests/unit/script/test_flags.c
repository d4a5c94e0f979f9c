/* Names of flags and errors, numbers, encodings, and code without signatures.
 */
#include "../../../src/script/internal.h"
#include "scripttext.h"
#include "suites.h"
#include "testjson.h"

#include <cairn/crypto/sig.h>

START_TEST(flags_are_read_by_the_names_they_are_printed_with)
{
	unsigned flags = 7, all = 0;

	for (unsigned i = 0; i < SCRIPT_FLAG_BITS; i++) {
		const char *name = script_flag_name(1u << i);

		ck_assert(name != NULL);
		ck_assert(script_flags_parse(&flags, name));
		ck_assert_uint_eq(flags, 1u << i);
		all |= flags;
	}
	ck_assert_uint_eq(all, SCRIPT_FLAGS_ALL);
	ck_assert_ptr_null(script_flag_name(0));
	ck_assert_ptr_null(script_flag_name(3));
	ck_assert_ptr_null(script_flag_name(1u << SCRIPT_FLAG_BITS));
	ck_assert(script_flags_parse(&flags, "P2SH,WITNESS"));
	ck_assert_uint_eq(flags, SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS);
	ck_assert(script_flags_parse(&flags, ""));
	ck_assert_uint_eq(flags, 0);
	ck_assert(script_flags_parse(&flags, "NONE"));
	ck_assert_uint_eq(flags, 0);
}
END_TEST

START_TEST(unknown_flags_are_refused_and_change_nothing)
{
	static const char *const t[] = {"P2S",           "P2SHX",
					"p2sh",          "P2SH,,WITNESS",
					"P2SH, WITNESS", "P2SH,NOPE"};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		unsigned flags = 7;

		ck_assert_msg(!script_flags_parse(&flags, t[i]), "%s", t[i]);
		ck_assert_uint_eq(flags, 7);
	}
}
END_TEST

START_TEST(flags_need_those_that_they_build_on)
{
	ck_assert(script_flags_ok(0));
	ck_assert(script_flags_ok(SCRIPT_FLAGS_ALL));
	ck_assert(script_flags_ok(SCRIPT_VERIFY_TAPROOT));
	ck_assert(!script_flags_ok(SCRIPT_VERIFY_WITNESS));
	ck_assert(!script_flags_ok(SCRIPT_VERIFY_CLEANSTACK));
	ck_assert(
	    !script_flags_ok(SCRIPT_VERIFY_CLEANSTACK | SCRIPT_VERIFY_P2SH));
	ck_assert(!script_flags_ok(1u << SCRIPT_FLAG_BITS));
}
END_TEST

START_TEST(every_error_has_a_name_of_its_own)
{
	for (unsigned i = 0; i < SCRIPT_ERR_COUNT; i++) {
		const char *name = script_err_name((enum script_err)i);

		ck_assert(name != NULL && *name);
		ck_assert(script_err_text((enum script_err)i) != NULL);
		for (unsigned k = 0; k < i; k++)
			ck_assert_str_ne(name,
					 script_err_name((enum script_err)k));
	}
	ck_assert_str_eq(script_err_name(SCRIPT_ERR_SIG_NULLFAIL), "NULLFAIL");
	ck_assert_str_eq(script_err_text(SCRIPT_ERR_OK), "No error");
}
END_TEST

START_TEST(numbers_are_read_and_written_in_the_shortest_form)
{
	static const struct {
		const char *bytes;
		size_t n;
		int64_t v;
		bool minimal;
	} t[] = {
	    {"", 0, 0, true},
	    {"\x00", 1, 0, false},
	    {"\x80", 1, 0, false},
	    {"\x01", 1, 1, true},
	    {"\x81", 1, -1, true},
	    {"\x7f", 1, 127, true},
	    {"\x80\x00", 2, 128, true},
	    {"\x80\x80", 2, -128, true},
	    {"\x01\x00", 2, 1, false},
	    {"\x01\x80", 2, -1, false},
	    {"\xff\xff\xff\x7f", 4, 0x7fffffff, true},
	    {"\xff\xff\xff\xff", 4, -0x7fffffff, true},
	    {"\x00\x00\x00\x80\x00", 5, 0x80000000, true},
	    {"\xff\xff\xff\xff\xff", 5, -0x7fffffffffLL, true},
	};
	uint8_t b[9];
	int64_t v;

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct slice s = slice_of(t[i].bytes, t[i].n);

		ck_assert(num_parse(&v, s, 5, false));
		ck_assert_int_eq(v, t[i].v);
		ck_assert_int_eq(num_parse(&v, s, 5, true), t[i].minimal);
		ck_assert_int_eq(num_parse(&v, s, 4, false), t[i].n <= 4);
		ck_assert_uint_le(num_put(b, t[i].v), t[i].n);
		if (t[i].minimal) {
			ck_assert_uint_eq(num_put(b, t[i].v), t[i].n);
			ck_assert_mem_eq(b, t[i].bytes, t[i].n);
		}
	}
}
END_TEST

START_TEST(zeros_of_either_sign_are_false)
{
	ck_assert(!item_true(slice_of("", 0)));
	ck_assert(!item_true(slice_of("\0\0", 2)));
	ck_assert(!item_true(slice_of("\x80", 1)));
	ck_assert(!item_true(slice_of("\0\x80", 2)));
	ck_assert(item_true(slice_of("\x80\0", 2)));
	ck_assert(item_true(slice_of("\0\x81", 2)));
	ck_assert(item_true(slice_of("\0\1", 2)));
}
END_TEST

/* Up to 64 bytes from hex digits with spaces between operations. */
static size_t spaced_hex(uint8_t out[64], const char *text)
{
	char packed[129];
	size_t n = 0;

	for (; *text; text++)
		if (*text != ' ')
			packed[n++] = *text;
	packed[n] = '\0';
	return td_hex_into(out, 64, packed);
}

/* Where a signature is taken out: only at the beginnings of operations, with
 * the shortest push, as often as it stands there, and whatever comes to stand
 * together by that stays. */
START_TEST(signatures_are_taken_out_where_operations_begin)
{
	static const struct {
		const char *code, *sig, *rest;
	} t[] = {
	    {"51 52", "", "51 52"},
	    {"51 00 52", "", "51 52"},
	    {"00 00 00", "", ""},
	    {"02feed", "feed", ""},
	    {"51 02feed 02feed 52", "feed", "51 52"},
	    {"03feedab", "feedab", ""},
	    {"4c03feedab", "feedab", "4c03feedab"},
	    {"0302feed", "feed", "0302feed"},
	    {"0302ff0302ff03", "02ff03", "02ff03"},
	    {"0302ff03 0302ff03", "02ff03", ""},
	    {"0102 0102 ac", "02", "ac"},
	    {"02 0102", "02", "02 0102"},
	    {"51 4c", "", "51 4c"},
	    /* A push that is cut off ends the walk; the rest stays. */
	    {"02feed 05 02feed", "feed", "05 02feed"},
	    {"02feed 4d01", "feed", "4d01"},
	    {"69 02feed 6969 02feed 69", "feed", "69 6969 69"},
	};
	static uint8_t out[SCRIPT_MAX];

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		uint8_t code[64], sig[64], want[64];
		size_t n = spaced_hex(code, t[i].code);
		size_t sig_n = spaced_hex(sig, t[i].sig);
		size_t want_n = spaced_hex(want, t[i].rest);
		struct slice got;

		got =
		    code_without(slice_of(code, n), slice_of(sig, sig_n), out);
		ck_assert_msg(slice_eq(got, slice_of(want, want_n)), "row %zu",
			      i);
		/* In place, as further signatures are taken out. */
		memcpy(out, code, n);
		got = code_without(slice_of(out, n), slice_of(sig, sig_n), out);
		ck_assert_msg(slice_eq(got, slice_of(want, want_n)),
			      "row %zu in place", i);
	}
}
END_TEST

static bool is_strictly_valid(const struct tj *t, struct slice key)
{
	const char *hex = tj_str(t, "msg");
	uint8_t sig[5000], hash[32];
	size_t n = td_hex_into(sig, sizeof sig - 1, tj_str(t, "sig")), msg_n;
	uint8_t *msg = td_hex(hex, strlen(hex), &msg_n);

	sha256_once(hash, msg, msg_n);
	free(msg);
	sig[n] = SIGHASH_ALL;
	return sig_encoding(slice_of(sig, n + 1), SCRIPT_VERIFY_LOW_S) ==
		   SCRIPT_ERR_OK &&
	       ecdsa_verify(slice_of(sig, n), key, hash);
}

/* With the strict encoding and low S, Bitcoin's rules are Wycheproof's. */
START_TEST(strict_signatures_are_those_of_wycheproof)
{
	const struct tj *groups;
	struct tj *all;
	uint8_t key[65];
	size_t n = 0;

	if (td_missing())
		return;
	all = tj_read(
	    "vectors/wycheproof/ecdsa_secp256k1_sha256_bitcoin_test.json");
	groups = tj_get(all, "testGroups");
	for (size_t g = 0; g < groups->n; g++) {
		const struct tj *tests = tj_get(&groups->at[g], "tests");

		td_hex_into(key, 65,
			    tj_str(tj_get(&groups->at[g], "publicKey"),
				   "uncompressed"));
		for (size_t i = 0; i < tests->n; i++, n++) {
			const struct tj *t = &tests->at[i];
			bool valid = strcmp(tj_str(t, "result"), "valid") == 0;

			ck_assert_msg(is_strictly_valid(t, slice_of(key, 65)) ==
					  valid,
				      "case %s", tj_get(t, "tcId")->str);
		}
	}
	ck_assert_uint_eq(n, 463);
	tj_free(all);
}
END_TEST

Suite *flags_suite(void)
{
	Suite *s = suite_create("flags");
	TCase *t = tcase_create("flags");

	tcase_add_test(t, flags_are_read_by_the_names_they_are_printed_with);
	tcase_add_test(t, unknown_flags_are_refused_and_change_nothing);
	tcase_add_test(t, flags_need_those_that_they_build_on);
	tcase_add_test(t, every_error_has_a_name_of_its_own);
	tcase_add_test(t, numbers_are_read_and_written_in_the_shortest_form);
	tcase_add_test(t, zeros_of_either_sign_are_false);
	tcase_add_test(t, signatures_are_taken_out_where_operations_begin);
	tcase_add_test(t, strict_signatures_are_those_of_wycheproof);
	suite_add_tcase(s, t);
	return s;
}
