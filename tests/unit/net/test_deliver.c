/* What becomes of a message: counted, dropped, handled, handed up. */
#include "lab.h"

#include <cairn/base/endian.h>

static struct lab lab;
static struct client cl;

static void setup(void)
{
	lab_init(&lab);
	lab_start(&lab);
	client_open(&cl, &lab);
	client_handshake(&cl);
}

static void teardown(void)
{
	client_close(&cl);
	lab_fini(&lab);
}

static struct peer_info info(void)
{
	struct peer_info i;

	peer_get_info(lab.last_ready, &i);
	return i;
}

START_TEST(bytes_are_counted_by_type_with_their_header)
{
	struct peer_info was = info(), is;

	client_msg(&cl, MSG_INV, slice_of("abc", 3));
	client_sync(&cl, 4);
	is = info();
	ck_assert_uint_eq(is.recv_per_msg[MSG_INV], 27);
	ck_assert_uint_eq(is.recv_per_msg[MSG_PING], 32);
	ck_assert_uint_eq(is.bytes_recv - was.bytes_recv, 27 + 32);
	lab_settle(&lab);
	is = info();
	ck_assert_uint_eq(is.sent_per_msg[MSG_PONG], 32);
	ck_assert_uint_eq(is.sent_per_msg[MSG_VERACK], 24);
	ck_assert_uint_eq(is.bytes_sent, net_bytes_sent(lab.net));
	ck_assert_uint_eq(is.bytes_recv, net_bytes_recv(lab.net));
}
END_TEST

START_TEST(bad_checksum_and_command_are_dropped_and_counted_as_other)
{
	struct stream s = {0};

	stream_head(&s, "inv", 3, 0);
	stream_raw(&s, "abc", 3);
	stream_head(&s, "in\x01v", 0, 0xe2e0f65d);
	stream_head(&s, "inv", 0, 1);
	client_send(&cl, stream_slice(&s));
	client_sync(&cl, 4);
	ck_assert_uint_eq(lab.n_seen, 0);
	ck_assert_uint_eq(info().recv_per_msg[MSG_UNKNOWN], 27 + 24 + 24);
	ck_assert_uint_eq(info().recv_per_msg[MSG_INV], 0);
	stream_free(&s);
}
END_TEST

START_TEST(unknown_command_is_counted_and_ignored)
{
	struct stream s = {0};

	stream_head(&s, "whatisthis12", 0, 0xe2e0f65d);
	client_send(&cl, stream_slice(&s));
	client_sync(&cl, 4);
	ck_assert_uint_eq(lab.n_seen, 0);
	ck_assert_uint_eq(info().recv_per_msg[MSG_UNKNOWN], 24);
	stream_free(&s);
}
END_TEST

START_TEST(bad_magic_ends_the_peer_after_what_came_before)
{
	struct stream s = {0};

	stream_fill(&s, MSG_INV, 1);
	stream_fill(&s, MSG_TX, 1);
	stream_raw(&s, "this is no bitcoin header", 24);
	client_send(&cl, stream_slice(&s));
	client_await_eof(&cl);
	ck_assert_uint_eq(lab.n_seen, 2);
	stream_free(&s);
}
END_TEST

START_TEST(length_over_4000000_ends_the_peer_at_its_header)
{
	struct stream s = {0};

	stream_head(&s, "block", 4000001, 0);
	client_send(&cl, stream_slice(&s));
	client_await_eof(&cl);
	stream_free(&s);
}
END_TEST

START_TEST(truncated_header_waits)
{
	struct stream s = {0};

	stream_head(&s, "verack", 0, 0xe2e0f65d);
	client_send(&cl, slice_of(s.p, 23));
	lab_settle(&lab);
	ck_assert_uint_eq(lab.closed, 0);
	client_send(&cl, slice_of(s.p + 23, 1));
	client_sync(&cl, 4);
	stream_free(&s);
}
END_TEST

static uint32_t sum_seen;
static bool checked_seen;
static int64_t time_seen;

static void note(struct lab *l, struct peer *p, const struct net_msg *m)
{
	(void)l;
	(void)p;
	sum_seen = m->frame_sum;
	checked_seen = m->sum_checked;
	time_seen = m->time_us;
}

START_TEST(block_comes_up_unverified_with_its_checksum)
{
	struct stream s = {0};

	lab.on_msg = note;
	stream_head(&s, "block", 2, 0x0a0b0c0d);
	stream_raw(&s, "xy", 2);
	client_send(&cl, stream_slice(&s));
	lab_until(&lab, lab.n_seen == 1);
	ck_assert(lab.seen[0].in_buf);
	ck_assert_uint_eq(sum_seen, 0x0a0b0c0d);
	ck_assert(!checked_seen);
	ck_assert_int_eq(time_seen, LAB_START * 1000000ll);
	stream_free(&s);
}
END_TEST

START_TEST(sendcmpct_is_heard_and_judged)
{
	ck_assert(!info().cmpct);
	client_msg(&cl, MSG_SENDCMPCT, slice_of("\0\1\0\0\0\0\0\0\0", 9));
	client_sync(&cl, 3);
	ck_assert(!info().cmpct);
	client_msg(&cl, MSG_SENDCMPCT, slice_of("\1\2\0\0\0\0\0\0\0", 9));
	client_sync(&cl, 4);
	ck_assert(info().cmpct);
	ck_assert(info().cmpct_hb_from);
	client_msg(&cl, MSG_SENDCMPCT, slice_of("\0\1\0\0\0\0\0\0\0", 9));
	client_sync(&cl, 5);
	ck_assert(info().cmpct_hb_from); /* version 1 is not spoken */
	client_msg(&cl, MSG_SENDCMPCT, slice_of("\2\2\0\0\0\0\0\0", 8));
	client_sync(&cl, 6);
	client_msg(&cl, MSG_SENDCMPCT, slice_of("\2\2\0\0\0\0\0\0\0", 9));
	client_await_eof(&cl);
}
END_TEST

START_TEST(feefilter_is_kept_within_the_money_range)
{
	uint8_t b[8];

	le64_put(b, 1000);
	client_msg(&cl, MSG_FEEFILTER, slice_of(b, 8));
	client_sync(&cl, 4);
	ck_assert_int_eq(info().fee_filter_sat, 1000);
	le64_put(b, UINT64_MAX);
	client_msg(&cl, MSG_FEEFILTER, slice_of(b, 8));
	le64_put(b, 2100000000000001);
	client_msg(&cl, MSG_FEEFILTER, slice_of(b, 8));
	client_msg(&cl, MSG_FEEFILTER, slice_of(b, 7));
	client_sync(&cl, 5);
	ck_assert_int_eq(info().fee_filter_sat, 1000);
}
END_TEST

Suite *deliver_suite(void)
{
	Suite *s = suite_create("deliver");
	TCase *t = tcase_create("deliver");

	tcase_set_timeout(t, 30);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, bytes_are_counted_by_type_with_their_header);
	tcase_add_test(
	    t, bad_checksum_and_command_are_dropped_and_counted_as_other);
	tcase_add_test(t, unknown_command_is_counted_and_ignored);
	tcase_add_test(t, bad_magic_ends_the_peer_after_what_came_before);
	tcase_add_test(t, length_over_4000000_ends_the_peer_at_its_header);
	tcase_add_test(t, truncated_header_waits);
	tcase_add_test(t, block_comes_up_unverified_with_its_checksum);
	tcase_add_test(t, sendcmpct_is_heard_and_judged);
	tcase_add_test(t, feefilter_is_kept_within_the_money_range);
	suite_add_tcase(s, t);
	return s;
}
