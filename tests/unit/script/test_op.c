/* Opcode names. */
#include "suites.h"

#include <cairn/script/op.h>

#include <string.h>

START_TEST(numbers_print_as_numbers_and_others_by_name)
{
	static const struct {
		uint8_t op;
		const char *name;
	} t[] = {
	    {0x00, "0"},
	    {0x4f, "-1"},
	    {0x51, "1"},
	    {0x60, "16"},
	    {0x50, "OP_RESERVED"},
	    {0x6a, "OP_RETURN"},
	    {0x76, "OP_DUP"},
	    {0xa9, "OP_HASH160"},
	    {0xac, "OP_CHECKSIG"},
	    {0xb0, "OP_NOP1"},
	    {0xb1, "OP_CHECKLOCKTIMEVERIFY"},
	    {0xb2, "OP_CHECKSEQUENCEVERIFY"},
	    {0xb9, "OP_NOP10"},
	    {0xba, "OP_CHECKSIGADD"},
	    {0xbb, "OP_UNKNOWN"},
	    {0xfe, "OP_UNKNOWN"},
	    {0xff, "OP_INVALIDOPCODE"},
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		ck_assert_str_eq(script_op_name(t[i].op), t[i].name);
}
END_TEST

START_TEST(no_two_opcodes_share_a_name)
{
	for (unsigned a = 0x4c; a <= 0xba; a++)
		for (unsigned b = a + 1; b <= 0xba; b++)
			ck_assert_str_ne(script_op_name((uint8_t)a),
					 script_op_name((uint8_t)b));
}
END_TEST

Suite *op_suite(void)
{
	Suite *s = suite_create("op");
	TCase *t = tcase_create("names");

	tcase_add_test(t, numbers_print_as_numbers_and_others_by_name);
	tcase_add_test(t, no_two_opcodes_share_a_name);
	suite_add_tcase(s, t);
	return s;
}
