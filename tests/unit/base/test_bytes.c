/* Slices and hashes. */
#include "suites.h"

#include <cairn/base/bytes.h>

START_TEST(slice_eq_compares_length_and_bytes)
{
	ck_assert(slice_eq(slice_of("ab", 2), slice_of("ab", 2)));
	ck_assert(!slice_eq(slice_of("ab", 2), slice_of("abc", 3)));
	ck_assert(!slice_eq(slice_of("ab", 2), slice_of("ac", 2)));
}
END_TEST

START_TEST(slice_eq_holds_for_two_empty_slices_without_bytes)
{
	ck_assert(slice_eq(slice_of(NULL, 0), slice_of("x", 0)));
}
END_TEST

START_TEST(hash256_has_alignment_one_and_no_padding)
{
	ck_assert_uint_eq(_Alignof(struct hash256), 1);
	ck_assert_uint_eq(sizeof(struct hash256), 32);
}
END_TEST

START_TEST(hash256_at_views_bytes_in_place)
{
	uint8_t b[40] = {0};

	b[3 + 31] = 7;
	ck_assert_uint_eq(hash256_at(b + 3)->b[31], 7);
	ck_assert_ptr_eq(hash256_at(b + 3)->b, b + 3);
}
END_TEST

START_TEST(hash256_eq_and_is_zero_look_at_every_byte)
{
	struct hash256 a = {{0}}, z = {{0}};

	ck_assert(hash256_is_zero(&a));
	a.b[_i] = 1;
	ck_assert_msg(!hash256_is_zero(&a), "byte %d", _i);
	ck_assert_msg(!hash256_eq(&a, &z), "byte %d", _i);
	z.b[_i] = 1;
	ck_assert_msg(hash256_eq(&a, &z), "byte %d", _i);
}
END_TEST

Suite *bytes_suite(void)
{
	Suite *s = suite_create("bytes");
	TCase *tc = tcase_create("slice");

	tcase_add_test(tc, slice_eq_compares_length_and_bytes);
	tcase_add_test(tc, slice_eq_holds_for_two_empty_slices_without_bytes);
	suite_add_tcase(s, tc);
	tc = tcase_create("hash256");
	tcase_add_test(tc, hash256_has_alignment_one_and_no_padding);
	tcase_add_test(tc, hash256_at_views_bytes_in_place);
	tcase_add_loop_test(tc, hash256_eq_and_is_zero_look_at_every_byte, 0,
			    32);
	suite_add_tcase(s, tc);
	return s;
}
