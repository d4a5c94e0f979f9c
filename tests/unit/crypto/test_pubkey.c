/* Which bytes are a public key. */
#include "suites.h"
#include "testdata.h"

#include <cairn/crypto/pubkey.h>

/* The generator of secp256k1 (SEC 2). */
#define GX "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
#define GY "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"

static bool valid(const char *hex)
{
	uint8_t key[80];
	size_t n = td_hex_into(key, sizeof key, hex);

	return pubkey_valid(slice_of(key, n));
}

START_TEST(points_in_both_forms_are_keys)
{
	ck_assert(valid("02" GX));
	ck_assert(valid("03" GX));
	ck_assert(valid("04" GX GY));
}
END_TEST

START_TEST(hybrid_keys_are_refused_unless_asked_for)
{
	uint8_t key[65];

	ck_assert(!valid("06" GX GY));
	ck_assert(!valid("07" GX GY));
	/* The first byte tells whether y is odd; this one is even. */
	td_hex_into(key, sizeof key, "06" GX GY);
	ck_assert(pubkey_valid_any(slice_of(key, sizeof key)));
	key[0] = 7;
	ck_assert(!pubkey_valid_any(slice_of(key, sizeof key)));
	key[0] = 4;
	ck_assert(pubkey_valid_any(slice_of(key, sizeof key)));
	ck_assert(!pubkey_valid_any(slice_of(key, 64)));
	ck_assert(!pubkey_valid_any(slice_of(NULL, 0)));
}
END_TEST

START_TEST(every_other_first_byte_is_refused)
{
	uint8_t key[65];

	td_hex_into(key, sizeof key, "02" GX GY);
	for (unsigned b = 0; b < 256; b++) {
		key[0] = (uint8_t)b;
		ck_assert_msg(pubkey_valid(slice_of(key, 33)) ==
				  (b == 2 || b == 3),
			      "33 bytes, %02x", b);
		ck_assert_msg(pubkey_valid(slice_of(key, 65)) == (b == 4),
			      "65 bytes, %02x", b);
	}
}
END_TEST

/* No point has x = 5; the field ends at 2^256 - 2^32 - 977. */
START_TEST(what_is_not_on_the_curve_is_refused)
{
	ck_assert(!valid("02"
			 "00000000000000000000000000000000"
			 "00000000000000000000000000000005"));
	ck_assert(!valid("02"
			 "ffffffffffffffffffffffffffffffff"
			 "fffffffffffffffffffffffefffffc2f"));
	ck_assert(!valid("04" GX GX));
}
END_TEST

START_TEST(every_other_length_is_refused)
{
	uint8_t key[80] = {0};

	td_hex_into(key, sizeof key, "04" GX GY);
	for (size_t n = 0; n <= sizeof key; n++)
		ck_assert_msg(pubkey_valid(slice_of(key, n)) == (n == 65),
			      "n=%zu", n);
	key[0] = 2;
	for (size_t n = 0; n <= sizeof key; n++)
		ck_assert_msg(pubkey_valid(slice_of(key, n)) == (n == 33),
			      "n=%zu", n);
}
END_TEST

/* x = 1 has a point, x = 5 has none. */
START_TEST(half_of_all_numbers_are_an_x)
{
	uint8_t x[32] = {0};

	x[31] = 1;
	ck_assert(xonly_valid(x));
	x[31] = 5;
	ck_assert(!xonly_valid(x));
	memset(x, 0xff, 32);
	ck_assert(!xonly_valid(x));
}
END_TEST

Suite *pubkey_suite(void)
{
	Suite *s = suite_create("pubkey");
	TCase *t = tcase_create("pubkey");

	tcase_add_test(t, points_in_both_forms_are_keys);
	tcase_add_test(t, hybrid_keys_are_refused_unless_asked_for);
	tcase_add_test(t, every_other_first_byte_is_refused);
	tcase_add_test(t, what_is_not_on_the_curve_is_refused);
	tcase_add_test(t, every_other_length_is_refused);
	tcase_add_test(t, half_of_all_numbers_are_an_x);
	suite_add_tcase(s, t);
	return s;
}
