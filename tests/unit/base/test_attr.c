/* The attributes must vanish into prototypes that still link and run. */
#include "suites.h"

#include <cairn/base/attr.h>

static int answer(const int *p) must_check nonnull_args(1);

static int answer(const int *p)
{
	return *p;
}

START_TEST(attr_marks_leave_the_function_as_it_is)
{
	int n = 42;

	ck_assert_int_eq(answer(&n), 42);
}
END_TEST

Suite *attr_suite(void)
{
	Suite *s = suite_create("attr");
	TCase *tc = tcase_create("attr");

	tcase_add_test(tc, attr_marks_leave_the_function_as_it_is);
	suite_add_tcase(s, tc);
	return s;
}
