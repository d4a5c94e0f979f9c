/* Timeouts on the mock clock. */
#include "lab.h"

static struct lab lab;
static struct client cl;

static void setup(void)
{
	lab_init(&lab);
	lab.cfg.peer_timeout_s = 3;
	lab_start(&lab);
	client_open(&cl, &lab);
	lab_until(&lab, net_count(lab.net, true, false) == 1);
}

static void teardown(void)
{
	client_close(&cl);
	lab_fini(&lab);
}

static const char *why(void)
{
	return lab.net->peers.n ? lab.net->peers.p[0]->why : NULL;
}

/* Move on and look at the reason before the peer is gone. */
static const char *why_after(int64_t s)
{
	clock_set_mock(&lab.clock, clock_now(&lab.clock) + s);
	net_tick(lab.net);
	return why();
}

START_TEST(silent_peer_is_cut_after_the_peer_timeout)
{
	ck_assert_ptr_null(why_after(3));
	ck_assert_str_eq(why_after(1),
			 "no message in the first seconds, never received "
			 "from peer, never sent to peer");
	client_await_eof(&cl);
}
END_TEST

START_TEST(peer_that_pings_without_version_is_cut)
{
	client_msg(&cl, MSG_PING, slice_of("12345678", 8));
	lab_settle(&lab);
	ck_assert_str_eq(why_after(4),
			 "no message in the first seconds, never sent to peer");
	client_await_eof(&cl);
}
END_TEST

START_TEST(peer_without_verack_is_cut)
{
	client_version(&cl);
	client_await(&cl, MSG_VERACK);
	ck_assert_ptr_null(why_after(3));
	client_msg(&cl, MSG_PING, slice_of("12345678", 8));
	lab_settle(&lab);
	ck_assert_str_eq(why_after(1), "version handshake timeout");
	client_await_eof(&cl);
}
END_TEST

START_TEST(ready_peer_outlives_the_peer_timeout)
{
	client_handshake(&cl);
	ck_assert_ptr_null(why_after(1000));
	client_sync(&cl, 3);
}
END_TEST

START_TEST(peer_silent_for_twenty_minutes_is_cut)
{
	client_handshake(&cl);
	ck_assert_ptr_null(why_after(1200));
	ck_assert_ptr_nonnull(why_after(1));
	client_await_eof(&cl);
}
END_TEST

START_TEST(peer_that_sends_nothing_for_twenty_minutes_is_cut)
{
	client_handshake(&cl);
	ck_assert_ptr_null(why_after(4));
	lab_settle(&lab);
	lab.last_ready->last_recv_s = clock_now(&lab.clock) - 1201;
	ck_assert_str_eq(why_after(0), "socket receive timeout");
}
END_TEST

START_TEST(peer_that_takes_nothing_for_twenty_minutes_is_cut)
{
	client_handshake(&cl);
	ck_assert_ptr_null(why_after(4));
	lab_settle(&lab);
	/* As if nothing could be written since. */
	lab.last_ready->last_recv_s = clock_now(&lab.clock);
	lab.last_ready->last_send_s = clock_now(&lab.clock) - 1200;
	ck_assert_ptr_null(why_after(0));
	lab.last_ready->last_send_s--;
	ck_assert_str_eq(why_after(0), "socket sending timeout");
}
END_TEST

START_TEST(tick_comes_with_the_mock_time_and_by_itself)
{
	unsigned n;

	lab_settle(&lab);
	n = lab.ticks;
	lab_forward(&lab, 1);
	ck_assert_uint_gt(lab.ticks, n);
	n = lab.ticks;
	lab_until(&lab, lab.ticks > n);
}
END_TEST

Suite *tick_suite(void)
{
	Suite *s = suite_create("tick");
	TCase *t = tcase_create("tick");

	tcase_set_timeout(t, 30);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, silent_peer_is_cut_after_the_peer_timeout);
	tcase_add_test(t, peer_that_pings_without_version_is_cut);
	tcase_add_test(t, peer_without_verack_is_cut);
	tcase_add_test(t, ready_peer_outlives_the_peer_timeout);
	tcase_add_test(t, peer_silent_for_twenty_minutes_is_cut);
	tcase_add_test(t, peer_that_sends_nothing_for_twenty_minutes_is_cut);
	tcase_add_test(t, peer_that_takes_nothing_for_twenty_minutes_is_cut);
	tcase_add_test(t, tick_comes_with_the_mock_time_and_by_itself);
	suite_add_tcase(s, t);
	return s;
}
