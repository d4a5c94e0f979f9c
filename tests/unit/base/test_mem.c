/* Allocations that succeed or end the process. */
#include "suites.h"

#include <cairn/base/log.h>
#include <cairn/base/mem.h>

#include <signal.h>
#include <stdint.h>

START_TEST(mem_gives_something_for_no_bytes)
{
	void *p = xmalloc(0);
	void *q = xcalloc(0, 8);

	ck_assert_ptr_nonnull(p);
	ck_assert_ptr_nonnull(q);
	p = xrealloc(p, 0);
	ck_assert_ptr_nonnull(p);
	free(p);
	free(q);
}
END_TEST

START_TEST(xcalloc_clears)
{
	uint8_t *p = xcalloc(100, 3);
	size_t i;

	for (i = 0; i < 300; i++)
		ck_assert_uint_eq(p[i], 0);
	free(p);
}
END_TEST

/* More than any machine has: only what is touched is taken. */
START_TEST(pages_are_zero_and_cost_nothing_before_they_are_touched)
{
	const size_t n = (size_t)64 << 30;
	uint8_t *p = pages_new(n);

	ck_assert_ptr_null(pages_new(0));
	ck_assert_ptr_null(pages_new(SIZE_MAX / 2));
	pages_free(NULL, n);
	if (!p)
		return; /* the system lets nobody have so many addresses */
	p[n - 1] = 7;
	ck_assert_uint_eq(p[0], 0);
	ck_assert_uint_eq(p[n / 2], 0);
	pages_free(p, n);
}
END_TEST

START_TEST(strings_are_copied_and_formatted)
{
	char *a = xstrdup("cairn");
	char *b = xasprintf("%s-%d", a, 7);

	ck_assert_str_eq(a, "cairn");
	ck_assert_str_eq(b, "cairn-7");
	free(a);
	free(b);
}
END_TEST

START_TEST(arr_grow_doubles_and_keeps_the_elements)
{
	uint32_t *v = NULL;
	size_t cap = 0, n, grown = 0, before;

	for (n = 0; n < 1000; n++) {
		before = cap;
		arr_grow(&v, &cap, n + 1, sizeof *v);
		grown += cap != before;
		v[n] = (uint32_t)n;
	}
	for (n = 0; n < 1000; n++)
		ck_assert_uint_eq(v[n], n);
	ck_assert_uint_eq(cap, 1024);
	ck_assert_uint_eq(grown, 8);
	arr_grow(&v, &cap, 3, sizeof *v);
	ck_assert_uint_eq(cap, 1024);
	free(v);
}
END_TEST

START_TEST(arr_grow_aborts_when_the_size_overflows)
{
	uint64_t *v = NULL;
	size_t cap = 0;

	ck_assert_int_eq(log_open_file("/dev/null"), 0);
	arr_grow(&v, &cap, SIZE_MAX / 4, sizeof *v);
}
END_TEST

START_TEST(xmalloc_aborts_when_memory_cannot_be_had)
{
	volatile size_t n = SIZE_MAX / 2;

	ck_assert_int_eq(log_open_file("/dev/null"), 0);
	free(xmalloc(n));
}
END_TEST

Suite *mem_suite(void)
{
	Suite *s = suite_create("mem");
	TCase *tc = tcase_create("mem");

	tcase_add_test(tc, mem_gives_something_for_no_bytes);
	tcase_add_test(tc, xcalloc_clears);
	tcase_add_test(tc,
		       pages_are_zero_and_cost_nothing_before_they_are_touched);
	tcase_add_test(tc, strings_are_copied_and_formatted);
	tcase_add_test(tc, arr_grow_doubles_and_keeps_the_elements);
	if (tests_fork()) {
		tcase_add_test_raise_signal(
		    tc, arr_grow_aborts_when_the_size_overflows, SIGABRT);
		tcase_add_test_raise_signal(
		    tc, xmalloc_aborts_when_memory_cannot_be_had, SIGABRT);
	}
	suite_add_tcase(s, tc);
	return s;
}
