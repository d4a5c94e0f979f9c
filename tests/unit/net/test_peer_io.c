/* Order and back-pressure: holds, pauses, limits, fairness, the send queue. */
#include "lab.h"

#include <cairn/base/buf.h>
#include <cairn/base/endian.h>
#include <cairn/base/mem.h>

#include <stdlib.h>

static struct lab lab;
static struct client cl;

static void setup(void)
{
	lab_init(&lab);
}

static void begin(void)
{
	lab_start(&lab);
	client_open(&cl, &lab);
	client_handshake(&cl);
	client_await(&cl, MSG_PING);
}

static void teardown(void)
{
	client_close(&cl);
	lab_fini(&lab);
}

/* Several messages in one write, so that they come in one read. */
static void send_many(const enum msg_type *t, size_t count, size_t size)
{
	struct stream s = {0};

	for (size_t i = 0; i < count; i++)
		stream_fill(&s, t[i], size);
	client_send(&cl, stream_slice(&s));
	stream_free(&s);
}

static void hold_block(struct lab *l, struct peer *p, const struct net_msg *m)
{
	(void)l;
	if (m->type == MSG_BLOCK)
		peer_hold(p);
}

START_TEST(held_peer_hands_up_blocks_only_and_keeps_order)
{
	static const enum msg_type t[] = {MSG_BLOCK, MSG_BLOCK, MSG_INV,
					  MSG_BLOCK, MSG_HEADERS};
	static const enum msg_type want[] = {MSG_BLOCK, MSG_BLOCK, MSG_INV,
					     MSG_BLOCK, MSG_HEADERS};
	struct peer *p;

	begin();
	p = lab.last_ready;
	lab.on_msg = hold_block;
	send_many(t, 5, 100);
	lab_until(&lab, lab.n_seen >= 2);
	lab_settle(&lab);
	ck_assert_uint_eq(lab.n_seen, 2);
	peer_release(p);
	lab_settle(&lab);
	ck_assert_uint_eq(lab.n_seen, 2);
	peer_release(p);
	ck_assert_uint_eq(lab.n_seen, 2); /* never inside the call */
	lab_until(&lab, lab.n_seen >= 4);
	lab_settle(&lab);
	ck_assert_uint_eq(lab.n_seen, 4); /* the block holds again */
	peer_release(p);
	lab_until(&lab, lab.n_seen == 5);
	for (size_t i = 0; i < 5; i++)
		ck_assert_int_eq(lab.seen[i].type, want[i]);
}
END_TEST

START_TEST(held_peer_is_not_read_behind_the_waiting_message)
{
	static const enum msg_type t[] = {MSG_BLOCK, MSG_INV};
	struct peer *p;
	uint8_t *junk = xcalloc(1, 65536);
	size_t sent = 0;

	begin();
	p = lab.last_ready;
	lab.on_msg = hold_block;
	send_many(t, 2, 100);
	lab_until(&lab, lab.n_seen == 1);
	lab_settle(&lab);
	ck_assert(!p->reading);
	for (unsigned i = 0; i < 1000; i++) {
		ssize_t n = send(cl.fd, junk, 65536, MSG_NOSIGNAL);

		if (n <= 0)
			break;
		sent += (size_t)n;
	}
	lab_settle(&lab);
	ck_assert_uint_lt(p->bytes_recv, 1000);
	ck_assert_uint_gt(sent, 0);
	free(junk);
}
END_TEST

static void pause_inv(struct lab *l, struct peer *p, const struct net_msg *m)
{
	(void)l;
	if (m->type == MSG_INV)
		peer_pause(p);
}

START_TEST(pause_in_a_handler_stops_at_once)
{
	static const enum msg_type t[] = {MSG_TX,    MSG_INV, MSG_TX,
					  MSG_BLOCK, MSG_INV, MSG_TX};
	struct peer *p;

	begin();
	p = lab.last_ready;
	lab.on_msg = pause_inv;
	send_many(t, 6, 300);
	lab_until(&lab, lab.n_seen >= 2);
	lab_settle(&lab);
	ck_assert_uint_eq(lab.n_seen, 2);
	peer_resume(p);
	ck_assert_uint_eq(lab.n_seen, 2);
	lab_until(&lab, lab.n_seen >= 5);
	lab_settle(&lab);
	ck_assert_uint_eq(lab.n_seen, 5);
	peer_resume(p);
	lab_until(&lab, lab.n_seen == 6);
	for (size_t i = 0; i < 6; i++)
		ck_assert_int_eq(lab.seen[i].type, t[i]);
}
END_TEST

START_TEST(pauses_nest)
{
	static const enum msg_type t[] = {MSG_TX};
	struct peer *p;

	begin();
	p = lab.last_ready;
	peer_pause(p);
	peer_pause(p);
	send_many(t, 1, 10);
	lab_settle(&lab);
	peer_resume(p);
	lab_settle(&lab);
	ck_assert_uint_eq(lab.n_seen, 0);
	peer_resume(p);
	lab_until(&lab, lab.n_seen == 1);
}
END_TEST

/* A paused peer is read up to its limit and not beyond; nothing is lost. */
START_TEST(paused_peer_is_read_up_to_the_receive_limit)
{
	struct stream s = {0};
	struct slice rest;
	struct peer *p;
	size_t i;

	lab.cfg.max_recv_buffer = 300000;
	begin();
	p = lab.last_ready;
	peer_pause(p);
	for (i = 0; i < 400; i++)
		stream_fill(&s, i % 2 ? MSG_BLOCK : MSG_TX, 20000);
	rest = stream_slice(&s);
	for (i = 0; i < 2000; i++) {
		ssize_t n = send(cl.fd, rest.p, rest.n, MSG_NOSIGNAL);

		if (n > 0) {
			rest.p += n;
			rest.n -= (size_t)n;
		}
		lab_step(&lab, 0);
	}
	ck_assert_uint_ge(p->stash->n, 300000);
	ck_assert_uint_lt(p->stash->n, 300000 + 65536);
	ck_assert_uint_gt(rest.n, 0);
	peer_resume(p);
	/* More than a turn's worth waits: the loop must not sleep on it. */
	lab.net->turn_max = SCRATCH;
	uv_run(&lab.loop, UV_RUN_NOWAIT);
	ck_assert_ptr_nonnull(p->stash);
	ck_assert_int_eq(uv_backend_timeout(&lab.loop), 0);
	client_send(&cl, rest);
	lab_until(&lab, lab.n_seen == 400);
	for (i = 0; i < 400; i++) {
		ck_assert_int_eq(lab.seen[i].type, i % 2 ? MSG_BLOCK : MSG_TX);
		ck_assert_uint_eq(lab.seen[i].n, 20000);
	}
	ck_assert_ptr_null(p->stash);
	stream_free(&s);
}
END_TEST

START_TEST(claimed_4000000_bytes_set_nothing_aside)
{
	struct client many[20];
	struct stream s = {0};

	begin();
	stream_head(&s, "block", 4000000, 0);
	for (unsigned i = 0; i < 20; i++) {
		client_open(&many[i], &lab);
		client_handshake(&many[i]);
		client_send(&many[i], stream_slice(&s));
	}
	lab_settle(&lab);
	ck_assert_uint_eq(lab.net->budget.used, 0);
	for (unsigned i = 0; i < 20; i++)
		client_close(&many[i]);
	stream_free(&s);
}
END_TEST

/* Two peers share a budget that holds one of their messages: both get through.
 */
START_TEST(spent_budget_makes_peers_wait_for_each_other)
{
	struct stream s = {0};
	struct client other;

	lab.cfg.global_recv_budget = 1500000;
	begin();
	client_open(&other, &lab);
	client_handshake(&other);
	stream_fill(&s, MSG_BLOCK, 1200000);
	/* Most of the first, more of the second than there is room for. */
	client_send(&cl, slice_of(s.p, 1000000));
	lab_settle(&lab);
	ck_assert_uint_gt(lab.net->budget.used, 900000);
	client_send(&other, slice_of(s.p, 700000));
	lab_until(&lab, lab.net->n_starved == 1);
	ck_assert_uint_eq(lab.n_seen, 0);
	ck_assert_uint_lt(lab.net->budget.used, 1500000 + 2 * 65536);
	/* The first may go beyond the budget: else both would wait. */
	client_send(&cl, slice_of(s.p + 1000000, s.n - 1000000));
	lab_until(&lab, lab.n_seen == 1);
	client_send(&other, slice_of(s.p + 700000, s.n - 700000));
	lab_until(&lab, lab.n_seen == 2);
	ck_assert_uint_eq(lab.net->budget.used, 0);
	client_close(&other);
	stream_free(&s);
}
END_TEST

/* While others wait, who is slow with an incomplete message is cut. */
START_TEST(slow_message_is_cut_while_others_wait_for_memory)
{
	struct stream s = {0};
	struct client other;
	struct peer *slow;

	lab.cfg.global_recv_budget = 1000000;
	begin();
	slow = lab.last_ready;
	client_open(&other, &lab);
	client_handshake(&other);
	stream_fill(&s, MSG_BLOCK, 1200000);
	client_send(&cl, slice_of(s.p, 900000));
	lab_settle(&lab);
	client_send(&other, slice_of(s.p, 600000));
	lab_until(&lab, lab.net->n_starved == 1);
	ck_assert_uint_ne(slow->collect_ms, 0);
	net_tick(lab.net);
	ck_assert_int_eq(peer_get_state(slow), PEER_READY);
	slow->collect_ms -= 61000;
	net_tick(lab.net);
	ck_assert_int_eq(peer_get_state(slow), PEER_CLOSING);
	client_await_eof(&cl);
	client_send(&other, slice_of(s.p + 600000, s.n - 600000));
	lab_until(&lab, lab.n_seen == 1);
	ck_assert_uint_eq(lab.net->n_starved, 0);
	client_close(&other);
	stream_free(&s);
}
END_TEST

START_TEST(full_send_queue_stops_messages_until_drained)
{
	static const enum msg_type t[] = {MSG_GETHEADERS};
	struct peer *p;
	uint8_t *b = xcalloc(1, 1000000);
	unsigned sent = 0;

	begin();
	p = lab.last_ready;
	/* Until the system takes no more: then the rest stays queued. */
	for (; sent < 16; sent++) {
		peer_send(p, MSG_BLOCK, slice_of(b, 1000000));
		lab_step(&lab, 0);
	}
	ck_assert(peer_send_full(p));
	ck_assert_uint_gt(peer_send_queued(p), 1000000);
	lab.drained = 0;
	send_many(t, 1, 100);
	lab_settle(&lab);
	ck_assert_uint_eq(lab.n_seen, 0);
	ck_assert_uint_eq(lab.drained, 0);
	for (; sent > 0; sent--)
		client_await(&cl, MSG_BLOCK);
	lab_until(&lab, lab.drained == 1 && lab.n_seen == 1);
	ck_assert(!peer_send_full(p));
	lab_until(&lab, peer_send_queued(p) == 0);
	free(b);
}
END_TEST

START_TEST(peer_that_reads_nothing_is_cut_at_the_queue_limit)
{
	uint8_t *b = xcalloc(1, 4000000);
	bool ok = true;
	unsigned n;

	begin();
	for (n = 0; n < 30 && ok; n++) {
		ok = peer_send(lab.last_ready, MSG_BLOCK, slice_of(b, 4000000));
		lab_step(&lab, 0);
	}
	ck_assert(!ok);
	lab_until(&lab, lab.closed == 1);
	free(b);
}
END_TEST

START_TEST(peer_send_buf_shares_one_buffer_and_gives_it_back)
{
	struct buf *b = buf_new(500);
	struct client_msg m;
	struct client other;

	begin();
	client_open(&other, &lab);
	client_handshake(&other);
	memset(b->mem, 0x55, BUF_HEADROOM);
	memset(buf_data(b), 0x66, 500);
	b->n = 500;
	for (struct peer *p = net_next(lab.net, NULL); p;
	     p = net_next(lab.net, p))
		ck_assert(peer_send_buf(p, MSG_BLOCK, b,
					frame_checksum(buf_payload(b))));
	ck_assert_uint_eq(b->refs, 3);
	m = client_await(&cl, MSG_BLOCK);
	ck_assert_uint_eq(m.body.n, 500);
	ck_assert_mem_eq(m.body.p, buf_data(b), 500);
	client_await(&other, MSG_BLOCK);
	lab_until(&lab, b->refs == 1);
	ck_assert_int_eq(b->mem[0], 0x55);
	buf_unref(b);
	client_close(&other);
}
END_TEST

/* Every turn a busy peer leaves the loop to the others. */
START_TEST(busy_peer_is_read_a_bounded_number_of_bytes_per_turn)
{
	struct stream s = {0};
	struct peer *p;
	uint64_t before;

	begin();
	p = lab.last_ready;
	lab.net->turn_max = SCRATCH;
	stream_fill(&s, MSG_BLOCK, 3900000);
	for (size_t at = 0; at < s.n;) {
		ssize_t n = send(cl.fd, s.p + at, s.n - at, MSG_NOSIGNAL);

		if (n <= 0)
			break;
		at += (size_t)n;
	}
	before = p->bytes_recv;
	uv_run(&lab.loop, UV_RUN_NOWAIT);
	ck_assert_uint_gt(p->bytes_recv, before);
	ck_assert_uint_le(p->bytes_recv - before, SCRATCH);
	lab_step(&lab, 10);
	ck_assert_uint_gt(p->bytes_recv - before, SCRATCH);
	stream_free(&s);
}
END_TEST

static void release_now(struct lab *l, struct peer *p, const struct net_msg *m)
{
	(void)l;
	if (m->type == MSG_BLOCK) {
		peer_hold(p);
		peer_release(p);
	}
}

/* Random splits, holds and pauses: what comes up is what was sent, in order. */
START_TEST(any_split_comes_up_whole_and_in_order)
{
	struct stream s = {0};
	struct rand r;
	size_t at, n, i;

	begin();
	lab.on_msg = release_now;
	rand_seed(&r, 5);
	for (i = 0; i < 400; i++)
		stream_fill(&s, i % 3 ? MSG_TX : MSG_BLOCK, i * 37 % 4000);
	for (at = 0; at < s.n; at += n) {
		n = 1 + rand_below(&r, 5000);
		if (n > s.n - at)
			n = s.n - at;
		if (rand_below(&r, 4) == 0) {
			peer_pause(lab.last_ready);
			client_send(&cl, slice_of(s.p + at, n));
			lab_step(&lab, 0);
			peer_resume(lab.last_ready);
		} else {
			client_send(&cl, slice_of(s.p + at, n));
			lab_step(&lab, 0);
		}
	}
	lab_until(&lab, lab.n_seen == 400);
	for (i = 0; i < 400; i++) {
		ck_assert_int_eq(lab.seen[i].type, i % 3 ? MSG_TX : MSG_BLOCK);
		ck_assert_uint_eq(lab.seen[i].n, i * 37 % 4000);
		ck_assert(lab.seen[i].in_buf || i % 3);
	}
	stream_free(&s);
}
END_TEST

Suite *peer_io_suite(void)
{
	Suite *s = suite_create("peer_io");
	TCase *t = tcase_create("peer_io");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, held_peer_hands_up_blocks_only_and_keeps_order);
	tcase_add_test(t, held_peer_is_not_read_behind_the_waiting_message);
	tcase_add_test(t, pause_in_a_handler_stops_at_once);
	tcase_add_test(t, pauses_nest);
	tcase_add_test(t, paused_peer_is_read_up_to_the_receive_limit);
	tcase_add_test(t, claimed_4000000_bytes_set_nothing_aside);
	tcase_add_test(t, spent_budget_makes_peers_wait_for_each_other);
	tcase_add_test(t, slow_message_is_cut_while_others_wait_for_memory);
	tcase_add_test(t, full_send_queue_stops_messages_until_drained);
	tcase_add_test(t, peer_that_reads_nothing_is_cut_at_the_queue_limit);
	tcase_add_test(t, peer_send_buf_shares_one_buffer_and_gives_it_back);
	tcase_add_test(t, busy_peer_is_read_a_bounded_number_of_bytes_per_turn);
	tcase_add_test(t, any_split_comes_up_whole_and_in_order);
	suite_add_tcase(s, t);
	return s;
}
