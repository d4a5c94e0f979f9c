/* The rolling set of discouraged hosts. */
#include "../../../src/net/discouraged.h"
#include "suites.h"

#include <cairn/base/endian.h>

static struct netaddr host(uint32_t i)
{
	struct netaddr a = {.net = NET_IPV4, .n = 4, .port = 1};

	be32_put(a.b, i);
	return a;
}

START_TEST(discouraged_has_what_was_added_whatever_the_port)
{
	struct discouraged d;
	struct netaddr a = host(0x01020304), b = host(0x01020305);

	discouraged_init(&d);
	ck_assert(!discouraged_has(&d, &a));
	discouraged_add(&d, &a);
	a.port = 2;
	ck_assert(discouraged_has(&d, &a));
	ck_assert(!discouraged_has(&d, &b));
	discouraged_fini(&d);
}
END_TEST

START_TEST(discouraged_remembers_the_last_8192_and_forgets_the_old)
{
	struct discouraged d;
	uint32_t i, had = 0;
	struct netaddr a;

	discouraged_init(&d);
	for (i = 1; i <= 100000; i++) {
		a = host(i);
		discouraged_add(&d, &a);
	}
	for (i = 100000 - 8191; i <= 100000; i++) {
		a = host(i);
		had += discouraged_has(&d, &a);
	}
	ck_assert_uint_eq(had, 8192);
	had = 0;
	for (i = 1; i <= 100000 - 16384; i++) {
		a = host(i);
		had += discouraged_has(&d, &a);
	}
	ck_assert_uint_eq(had, 0);
	discouraged_fini(&d);
}
END_TEST

Suite *discouraged_suite(void)
{
	Suite *s = suite_create("discouraged");
	TCase *t = tcase_create("discouraged");

	tcase_add_test(t, discouraged_has_what_was_added_whatever_the_port);
	tcase_add_test(t,
		       discouraged_remembers_the_last_8192_and_forgets_the_old);
	suite_add_tcase(s, t);
	return s;
}
