/* feefilter, as told to peers (src/sync/txfeefilter.c). */
#include "suites.h"
#include "world.h"

static int64_t T0;

static void start(void)
{
	world_start();
	T0 = clock_now(&W.clock);
	W.min_rate = 100;
}

/* The rate last told, -1: none. */
static int64_t rate_told(struct peer *p)
{
	struct sent *s;
	int64_t rate = -1;

	while ((s = next_sent(p, MSG_FEEFILTER))) {
		ck_assert_uint_eq(s->n, 8);
		rate = (int64_t)le64_get(s->body);
	}
	return rate;
}

START_TEST(in_initial_download_nothing_is_wanted_and_then_what_pays)
{
	struct peer *p = peer_in(CONN_OUTBOUND, ALL_SERVICES);

	tick_at(T0 + 1);
	ck_assert_int_eq(rate_told(p), 9936506);
	W.ibd = false;
	tick_at(T0 + 2);
	ck_assert_int_eq(rate_told(p), 100);
	/* Nothing new, nothing said. */
	tick_at(T0 + 100000);
	ck_assert_int_eq(rate_told(p), -1);
}
END_TEST

START_TEST(a_block_relay_peer_is_not_told)
{
	struct peer *p = peer_in(CONN_BLOCK_ONLY, ALL_SERVICES);

	tick_at(T0 + 1);
	ck_assert_int_eq(rate_told(p), -1);
}
END_TEST

START_TEST(a_rate_that_rose_is_told_in_steps_within_five_minutes)
{
	struct buf *a = tx_make(NULL, 0, 1, true);
	struct peer *p = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	int64_t got, at = T0 + 1;

	W.ibd = false;
	tx_added(a, 1000, false);
	tick_at(at);
	ck_assert_int_eq(rate_told(p), 100);
	world_run(1);
	W.min_rate = 5000;
	tick_at(at += 20); /* asks the chain */
	world_run(1);
	tick_at(at += 1);
	tick_at(at += 301);
	got = rate_told(p);
	if (got < 0) { /* the next regular time came first */
		tick_at(at += 301);
		got = rate_told(p);
	}
	ck_assert_int_ge(got, 4500);
	ck_assert_int_le(got, 5500);
	buf_unref(a);
}
END_TEST

Suite *txfeefilter_suite(void)
{
	Suite *s = suite_create("txfeefilter");
	TCase *c = tcase_create("txfeefilter");

	tcase_add_checked_fixture(c, start, world_stop);
	tcase_add_test(
	    c, in_initial_download_nothing_is_wanted_and_then_what_pays);
	tcase_add_test(c, a_block_relay_peer_is_not_told);
	tcase_add_test(c,
		       a_rate_that_rose_is_told_in_steps_within_five_minutes);
	suite_add_tcase(s, c);
	return s;
}
