/* Integers in byte order, at every alignment. */
#include "suites.h"

#include <cairn/base/endian.h>

static const uint8_t bytes[] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};

START_TEST(endian_gets_read_bytes_in_the_named_order)
{
	uint8_t b[16];
	uint8_t *p = b + _i;

	memcpy(p, bytes, sizeof bytes);
	ck_assert_uint_eq(le16_get(p), 0x2301);
	ck_assert_uint_eq(be16_get(p), 0x0123);
	ck_assert_uint_eq(le32_get(p), 0x67452301);
	ck_assert_uint_eq(be32_get(p), 0x01234567);
	ck_assert_uint_eq(le64_get(p), 0xefcdab8967452301u);
	ck_assert_uint_eq(be64_get(p), 0x0123456789abcdefu);
}
END_TEST

START_TEST(endian_puts_write_what_gets_read_and_return_the_byte_after)
{
	uint8_t b[24] = {0};
	uint8_t *p = b + _i;

	ck_assert_ptr_eq(le16_put(p, 0x1234), p + 2);
	ck_assert_uint_eq(le16_get(p), 0x1234);
	ck_assert_ptr_eq(be16_put(p, 0x1234), p + 2);
	ck_assert_uint_eq(be16_get(p), 0x1234);
	ck_assert_ptr_eq(le32_put(p, 0x12345678), p + 4);
	ck_assert_uint_eq(le32_get(p), 0x12345678);
	ck_assert_ptr_eq(be32_put(p, 0x12345678), p + 4);
	ck_assert_uint_eq(be32_get(p), 0x12345678);
	ck_assert_ptr_eq(le64_put(p, 0x123456789abcdef0u), p + 8);
	ck_assert_uint_eq(le64_get(p), 0x123456789abcdef0u);
	ck_assert_uint_eq(p[8], 0);
}
END_TEST

START_TEST(bytes_put_copies_and_takes_no_bytes_from_null)
{
	uint8_t b[4] = {9, 9, 9, 9};

	ck_assert_ptr_eq(bytes_put(b, bytes, 3), b + 3);
	ck_assert_mem_eq(b, "\x01\x23\x45\x09", 4);
	ck_assert_ptr_eq(bytes_put(b, NULL, 0), b);
}
END_TEST

Suite *endian_suite(void)
{
	Suite *s = suite_create("endian");
	TCase *tc = tcase_create("endian");

	tcase_add_loop_test(tc, endian_gets_read_bytes_in_the_named_order, 0,
			    8);
	tcase_add_loop_test(
	    tc, endian_puts_write_what_gets_read_and_return_the_byte_after, 0,
	    8);
	tcase_add_test(tc, bytes_put_copies_and_takes_no_bytes_from_null);
	suite_add_tcase(s, tc);
	return s;
}
