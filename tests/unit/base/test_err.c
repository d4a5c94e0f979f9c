/* Phrases for results. */
#include "suites.h"

#include <cairn/base/err.h>

#include <ctype.h>
#include <errno.h>

START_TEST(err_str_has_a_distinct_lowercase_phrase_for_each_own_code)
{
	int a, b;

	for (a = E_TIMEOUT; a <= E_NOSPACE; a++) {
		const char *s = err_str(a);

		ck_assert_msg(s && *s, "code %d", a);
		ck_assert_msg(!isupper((unsigned char)*s), "code %d: %s", a, s);
		for (b = a + 1; b <= E_NOSPACE; b++)
			ck_assert_msg(strcmp(s, err_str(b)) != 0,
				      "codes %d and %d: %s", a, b, s);
	}
}
END_TEST

START_TEST(err_str_speaks_the_system_phrase_for_errno_codes)
{
	ck_assert_str_eq(err_str(-ENOENT), strerror(ENOENT));
	ck_assert_str_eq(err_str(0), "success");
}
END_TEST

START_TEST(err_str_knows_the_library_codes_that_are_no_errno)
{
	ck_assert_str_eq(err_str(-4095), "end of file");
	ck_assert_str_eq(err_str(-3008), "name lookup failed");
}
END_TEST

START_TEST(err_str_is_never_null_on_junk)
{
	static const int junk[] = {1,     42,    -999,    -1000,   -1017,
				   -5000, 99999, -999999, 1 << 30, -(1 << 30)};
	size_t i;

	for (i = 0; i < sizeof junk / sizeof *junk; i++)
		ck_assert_msg(*err_str(junk[i]) != '\0', "rc %d", junk[i]);
}
END_TEST

Suite *err_suite(void)
{
	Suite *s = suite_create("err");
	TCase *tc = tcase_create("err_str");

	tcase_add_test(
	    tc, err_str_has_a_distinct_lowercase_phrase_for_each_own_code);
	tcase_add_test(tc, err_str_speaks_the_system_phrase_for_errno_codes);
	tcase_add_test(tc, err_str_knows_the_library_codes_that_are_no_errno);
	tcase_add_test(tc, err_str_is_never_null_on_junk);
	suite_add_tcase(s, tc);
	return s;
}
