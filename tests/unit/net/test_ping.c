/* ping and pong on the mock clock, as Bitcoin Core's own test asks it. */
#include "lab.h"

#include <cairn/base/endian.h>

static struct lab lab;
static struct client cl;
static uint64_t nonce; /* of the last ping received */

static void await_ping(void)
{
	nonce = le64_get(client_await(&cl, MSG_PING).body.p);
}

static void setup(void)
{
	lab_init(&lab);
	lab.cfg.peer_timeout_s = 1;
	lab_start(&lab);
	client_open(&cl, &lab);
	client_handshake(&cl);
	await_ping();
}

static void teardown(void)
{
	client_close(&cl);
	lab_fini(&lab);
}

static void check(int64_t ping_s, int64_t min_s, int64_t wait_s)
{
	struct peer_info i;

	peer_get_info(lab.last_ready, &i);
	ck_assert_int_eq(i.ping_us, ping_s < 0 ? -1 : ping_s * 1000000);
	ck_assert_int_eq(i.min_ping_us, min_s < 0 ? -1 : min_s * 1000000);
	ck_assert_int_eq(i.ping_wait_us, wait_s < 0 ? -1 : wait_s * 1000000);
}

static void pong(uint64_t n)
{
	uint8_t b[8];

	le64_put(b, n);
	client_msg(&cl, MSG_PONG, slice_of(b, 8));
	client_sync(&cl, 99);
}

START_TEST(ping_is_sent_when_ready_and_waited_for)
{
	ck_assert_uint_ne(nonce, 0);
	lab_forward(&lab, 3);
	check(-1, -1, 3);
}
END_TEST

START_TEST(short_pong_cancels)
{
	lab_forward(&lab, 3);
	client_msg(&cl, MSG_PONG, slice_of("1234567", 7));
	client_sync(&cl, 98);
	check(-1, -1, -1);
}
END_TEST

START_TEST(unsolicited_pong_changes_nothing)
{
	pong(nonce);
	check(0, 0, -1);
	lab_forward(&lab, 1);
	pong(nonce);
	check(0, 0, -1);
}
END_TEST

START_TEST(wrong_nonce_does_not_cancel_but_zero_does)
{
	lab_forward(&lab, 9);
	pong(nonce - 1);
	check(-1, -1, 9);
	pong(0);
	check(-1, -1, -1);
}
END_TEST

START_TEST(round_trip_and_its_minimum_are_kept)
{
	lab_forward(&lab, 29);
	pong(nonce);
	check(29, 29, -1);
	lab_forward(&lab, 121);
	await_ping();
	lab_forward(&lab, 9);
	pong(nonce);
	check(9, 9, -1);
	lab_forward(&lab, 121);
	await_ping();
	lab_forward(&lab, 40);
	pong(nonce);
	check(40, 9, -1);
}
END_TEST

START_TEST(ping_is_repeated_after_two_minutes_only)
{
	struct client_msg m;

	pong(nonce);
	lab_forward(&lab, 120);
	ck_assert(!client_next(&cl, &m));
	lab_forward(&lab, 1);
	await_ping();
}
END_TEST

START_TEST(net_ping_all_pings_at_the_next_tick)
{
	uint64_t first = nonce;

	net_ping_all(lab.net);
	lab_forward(&lab, 0);
	await_ping();
	ck_assert_uint_ne(nonce, first);
}
END_TEST

START_TEST(unanswered_ping_ends_the_peer_after_twenty_minutes)
{
	lab_forward(&lab, 600);
	client_sync(&cl, 5);
	lab_forward(&lab, 600);
	client_sync(&cl, 6);
	ck_assert_uint_eq(lab.closed, 0);
	lab_forward(&lab, 1);
	client_await_eof(&cl);
	lab_until(&lab, lab.closed == 1);
}
END_TEST

START_TEST(ping_is_answered_with_its_nonce_and_nothing_behind_it)
{
	struct client_msg m;

	client_msg(&cl, MSG_PING, slice_of("abcdefghi", 9));
	m = client_await(&cl, MSG_PONG);
	ck_assert_uint_eq(m.body.n, 8);
	ck_assert_mem_eq(m.body.p, "abcdefgh", 8);
	/* Too short: no answer, no end. */
	client_msg(&cl, MSG_PING, slice_of("abcdefg", 7));
	client_msg(&cl, MSG_PING, slice_of(NULL, 0));
	client_sync(&cl, 7);
}
END_TEST

Suite *ping_suite(void)
{
	Suite *s = suite_create("ping");
	TCase *t = tcase_create("ping");

	tcase_set_timeout(t, 30);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, ping_is_sent_when_ready_and_waited_for);
	tcase_add_test(t, short_pong_cancels);
	tcase_add_test(t, unsolicited_pong_changes_nothing);
	tcase_add_test(t, wrong_nonce_does_not_cancel_but_zero_does);
	tcase_add_test(t, round_trip_and_its_minimum_are_kept);
	tcase_add_test(t, ping_is_repeated_after_two_minutes_only);
	tcase_add_test(t, net_ping_all_pings_at_the_next_tick);
	tcase_add_test(t, unanswered_ping_ends_the_peer_after_twenty_minutes);
	tcase_add_test(t,
		       ping_is_answered_with_its_nonce_and_nothing_behind_it);
	suite_add_tcase(s, t);
	return s;
}
