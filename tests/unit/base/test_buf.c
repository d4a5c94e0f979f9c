/* Refcounted buffers. */
#include "suites.h"

#include <cairn/base/buf.h>
#include <cairn/base/err.h>
#include <cairn/base/log.h>
#include <cairn/base/thread.h>

#include <signal.h>

START_TEST(buf_new_is_empty_with_headroom_and_one_reference)
{
	struct buf *b = buf_new(10);

	ck_assert_ptr_nonnull(b);
	ck_assert_uint_eq(b->refs, 1);
	ck_assert_uint_eq(b->n, 0);
	ck_assert_uint_eq(b->cap, 10);
	ck_assert_ptr_eq(buf_data(b), b->mem + BUF_HEADROOM);
	memset(b->mem, 7, BUF_HEADROOM + 10);
	ck_assert_uint_eq(buf_payload(b).n, 0);
	buf_unref(b);
}
END_TEST

START_TEST(buf_new_gives_null_when_memory_cannot_be_had)
{
	ck_assert_ptr_null(buf_new(SIZE_MAX));
	ck_assert_ptr_null(buf_new(SIZE_MAX - BUF_HEADROOM + 1));
}
END_TEST

START_TEST(buf_reserve_keeps_the_payload_and_never_shrinks)
{
	struct buf *b = buf_new(4);

	ck_assert_ptr_nonnull(b);
	memcpy(buf_data(b), "abcd", 4);
	b->n = 4;
	ck_assert_int_eq(buf_reserve(&b, 1 << 20), 0);
	ck_assert_uint_eq(b->cap, 1 << 20);
	ck_assert(slice_eq(buf_payload(b), slice_of("abcd", 4)));
	ck_assert_int_eq(buf_reserve(&b, 1), 0);
	ck_assert_uint_eq(b->cap, 1 << 20);
	buf_unref(b);
}
END_TEST

START_TEST(buf_reserve_fails_without_harm_when_memory_cannot_be_had)
{
	struct buf *b = buf_new(4);

	ck_assert_ptr_nonnull(b);
	memcpy(buf_data(b), "abcd", 4);
	b->n = 4;
	ck_assert_int_eq(buf_reserve(&b, SIZE_MAX), E_NOMEM);
	ck_assert_uint_eq(b->cap, 4);
	ck_assert(slice_eq(buf_payload(b), slice_of("abcd", 4)));
	buf_unref(b);
}
END_TEST

START_TEST(buf_lives_until_the_last_reference)
{
	struct buf *b = buf_new(1);

	ck_assert_ptr_nonnull(b);
	ck_assert_ptr_eq(buf_ref(b), b);
	ck_assert_uint_eq(b->refs, 2);
	buf_unref(b);
	ck_assert_uint_eq(b->refs, 1);
	buf_unref(b);
	buf_unref(NULL);
}
END_TEST

START_TEST(buf_reserve_refuses_a_shared_buffer)
{
	struct buf *b = buf_new(1);
	int rc;

	ck_assert_int_eq(log_open_file("/dev/null"), 0);
	buf_ref(b);
	rc = buf_reserve(&b, 100);
	ck_abort_msg("returned %d", rc);
}
END_TEST

#define ROUNDS 20000

static void ref_and_unref(void *arg)
{
	struct buf *b = arg;
	int i;

	for (i = 0; i < ROUNDS; i++)
		buf_unref(buf_ref(b));
	buf_unref(b);
}

START_TEST(buf_counts_references_of_many_threads)
{
	struct buf *b = buf_new(1);
	pthread_t t[4];
	int i;

	ck_assert_ptr_nonnull(b);
	for (i = 0; i < 4; i++)
		thread_start(&t[i], "ref", ref_and_unref, buf_ref(b));
	for (i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	ck_assert_uint_eq(b->refs, 1);
	buf_unref(b);
}
END_TEST

Suite *buf_suite(void)
{
	Suite *s = suite_create("buf");
	TCase *tc = tcase_create("buf");

	tcase_add_test(tc, buf_new_is_empty_with_headroom_and_one_reference);
	tcase_add_test(tc, buf_new_gives_null_when_memory_cannot_be_had);
	tcase_add_test(tc, buf_reserve_keeps_the_payload_and_never_shrinks);
	tcase_add_test(
	    tc, buf_reserve_fails_without_harm_when_memory_cannot_be_had);
	tcase_add_test(tc, buf_lives_until_the_last_reference);
	tcase_add_test(tc, buf_counts_references_of_many_threads);
	if (tests_fork())
		tcase_add_test_raise_signal(
		    tc, buf_reserve_refuses_a_shared_buffer, SIGABRT);
	suite_add_tcase(s, tc);
	return s;
}
