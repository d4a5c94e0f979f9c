/* The send queue: order, pieces, marks, references. */
#include "../../../src/net/sendq.h"
#include "suites.h"

#include <cairn/base/buf.h>

static struct buf *body_of(size_t n, uint8_t fill)
{
	struct buf *b = buf_new(n);

	ck_assert_ptr_nonnull(b);
	memset(b->mem, fill, BUF_HEADROOM + n);
	b->n = n;
	return b;
}

START_TEST(sendq_pieces_are_header_and_payload_in_one_where_the_buffer_is_ours)
{
	struct sendq q;
	uv_buf_t v[4];
	size_t items;

	sendq_init(&q, 1000);
	sendq_push(&q, MSG_PING, NULL, body_of(8, 0xaa));
	ck_assert_uint_eq(sendq_pieces(&q, v, 4, 1000, &items), 1);
	ck_assert_uint_eq(items, 1);
	ck_assert_uint_eq(v[0].len, 32);
	ck_assert_uint_eq(q.bytes, 32);
	sendq_fini(&q);
}
END_TEST

START_TEST(sendq_pieces_of_a_shared_buffer_leave_its_headroom_alone)
{
	struct buf *head = body_of(0, 0x11), *body = body_of(100, 0x22);
	struct sendq q;
	uv_buf_t v[4];
	size_t items;

	sendq_init(&q, 1000);
	sendq_push(&q, MSG_BLOCK, head, buf_ref(body));
	ck_assert_uint_eq(sendq_pieces(&q, v, 4, 1000, &items), 2);
	ck_assert_uint_eq(v[0].len, 24);
	ck_assert_int_eq(v[0].base[0], 0x11);
	ck_assert_uint_eq(v[1].len, 100);
	ck_assert_int_eq(v[1].base[0], 0x22);
	sendq_fini(&q);
	ck_assert_uint_eq(body->refs, 1);
	buf_unref(body);
}
END_TEST

START_TEST(sendq_keeps_order_while_the_ring_grows_and_wraps)
{
	struct sendq q;
	unsigned in = 0, out = 0, round;
	enum msg_type t;

	sendq_init(&q, 1u << 20);
	for (round = 0; round < 200; round++) {
		for (unsigned k = 0; k < 1 + round % 7; k++, in++)
			sendq_push(&q, MSG_PING, NULL, body_of(in % 50, 0));
		for (unsigned k = 0; k < 1 + round % 5 && out < in; k++, out++)
			ck_assert_uint_eq(sendq_done(&q, &t), 24 + out % 50);
	}
	for (; out < in; out++)
		ck_assert_uint_eq(sendq_done(&q, &t), 24 + out % 50);
	ck_assert_uint_eq(q.bytes, 0);
	ck_assert_uint_eq(q.n, 0);
	sendq_fini(&q);
}
END_TEST

START_TEST(sendq_pieces_stay_valid_while_more_is_pushed)
{
	struct sendq q;
	uv_buf_t v[4];
	size_t items, i;

	sendq_init(&q, 1u << 20);
	sendq_push(&q, MSG_PING, body_of(0, 0x31), body_of(8, 0x32));
	ck_assert_uint_eq(sendq_pieces(&q, v, 4, 1000, &items), 2);
	for (i = 0; i < 100; i++)
		sendq_push(&q, MSG_PING, NULL, body_of(8, 0x33));
	for (i = 0; i < 24; i++)
		ck_assert_int_eq(v[0].base[i], 0x31);
	for (i = 0; i < 8; i++)
		ck_assert_int_eq(v[1].base[i], 0x32);
	sendq_fini(&q);
}
END_TEST

START_TEST(sendq_pieces_are_bounded_in_number_and_bytes)
{
	struct sendq q;
	uv_buf_t v[8];
	size_t items, i;

	sendq_init(&q, 1u << 20);
	for (i = 0; i < 20; i++)
		sendq_push(&q, MSG_PING, NULL, body_of(100, 0));
	ck_assert_uint_le(sendq_pieces(&q, v, 8, 1u << 20, &items), 8);
	ck_assert_uint_eq(items, 7);
	sendq_pieces(&q, v, 8, 300, &items);
	ck_assert_uint_eq(items, 3);
	sendq_pieces(&q, v, 8, 1, &items);
	ck_assert_uint_eq(items, 1);
	sendq_fini(&q);
}
END_TEST

START_TEST(sendq_is_full_above_high_until_it_drained_below_half)
{
	struct sendq q;
	enum msg_type t;
	size_t i;

	sendq_init(&q, 1000);
	for (i = 0; i < 8; i++)
		sendq_push(&q, MSG_PING, NULL, body_of(101, 0));
	ck_assert(!q.full);
	ck_assert_uint_eq(q.bytes, 1000);
	sendq_push(&q, MSG_PING, NULL, body_of(101, 0));
	ck_assert(q.full);
	for (i = 0; i < 4; i++) {
		sendq_done(&q, &t);
		ck_assert(!sendq_drained(&q));
	}
	ck_assert(q.full);
	sendq_done(&q, &t);
	ck_assert(sendq_drained(&q));
	ck_assert(!q.full);
	ck_assert(!sendq_drained(&q));
	sendq_fini(&q);
}
END_TEST

Suite *sendq_suite(void)
{
	Suite *s = suite_create("sendq");
	TCase *t = tcase_create("sendq");

	tcase_add_test(
	    t,
	    sendq_pieces_are_header_and_payload_in_one_where_the_buffer_is_ours);
	tcase_add_test(
	    t, sendq_pieces_of_a_shared_buffer_leave_its_headroom_alone);
	tcase_add_test(t, sendq_keeps_order_while_the_ring_grows_and_wraps);
	tcase_add_test(t, sendq_pieces_stay_valid_while_more_is_pushed);
	tcase_add_test(t, sendq_pieces_are_bounded_in_number_and_bytes);
	tcase_add_test(t, sendq_is_full_above_high_until_it_drained_below_half);
	suite_add_tcase(s, t);
	return s;
}
