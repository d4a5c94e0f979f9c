/* Which block is asked of whom, and when (src/sync/download.c). */
#include "suites.h"
#include "world.h"

#include <cairn/base/mem.h>

#include <stdlib.h>

#define WINDOW 1024

/* Headers of h are announced by p. */
static void announce(struct peer *p, const uint8_t *h, size_t n)
{
	for (size_t at = 0; at < n; at += HEADERS_MAX)
		recv_headers(p, h + at * 80,
			     n - at < HEADERS_MAX ? n - at : HEADERS_MAX);
}

/* Every block that was asked of p arrives and is connected. */
static size_t serve_all(struct peer *p)
{
	struct hash256 h[2048];
	size_t n = asked(p, h, 2048), first = W.n_jobs;

	for (size_t i = 0; i < n; i++)
		recv_block(p, htree_find(W.tree, &h[i]));
	for (size_t i = first; i < W.n_jobs; i++) {
		W.tip = W.jobs[i].node;
		job_answer(i, BLOCK_CONNECTED, verdict_valid());
	}
	return n;
}

START_TEST(blocks_are_asked_in_order_along_the_best_chain)
{
	struct peer *a = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	uint8_t *h = headers_make(W.tip, 10, 1);
	struct hash256 got[16];

	announce(a, h, 10);
	ck_assert_uint_eq(asked(a, got, 16), 10);
	for (int i = 0; i < 10; i++)
		ck_assert_int_eq(htree_find(W.tree, &got[i])->height, i + 1);
	free(h);
}
END_TEST

START_TEST(a_block_is_asked_of_one_peer_only)
{
	struct peer *a = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	struct peer *b = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	uint8_t *h = headers_make(W.tip, 30, 1);
	struct hash256 x[64], y[64];
	size_t nx, ny;

	announce(a, h, 30);
	announce(b, h, 30);
	nx = asked(a, x, 64);
	ny = asked(b, y, 64);
	ck_assert_uint_eq(nx + ny, 30);
	for (size_t i = 0; i < nx; i++)
		for (size_t k = 0; k < ny; k++)
			ck_assert(!hash256_eq(&x[i], &y[k]));
	free(h);
}
END_TEST

START_TEST(the_number_in_flight_is_bounded)
{
	struct peer *a = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	uint8_t *h = headers_make(W.tip, 1500, 1);
	struct hash256 got[2];

	announce(a, h, 1500);
	ck_assert_uint_eq(asked(a, got, 2), 16);
	tick_at(clock_now(&W.clock) + 1);
	ck_assert_uint_eq(asked(a, got, 2), 0);
	free(h);
}
END_TEST

START_TEST(small_blocks_raise_the_number_in_flight_up_to_its_limit)
{
	struct peer *a = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	uint8_t *h = headers_make(W.tip, 1500, 1);
	size_t n, most = 0, total = 0;

	announce(a, h, 1500);
	while ((n = serve_all(a))) {
		total += n;
		most = n > most ? n : most;
	}
	ck_assert_uint_eq(total, 1500);
	ck_assert_uint_gt(most, 64);
	ck_assert_uint_le(most, 256);
	free(h);
}
END_TEST

START_TEST(nothing_is_asked_beyond_the_window)
{
	struct peer *a = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	uint8_t *h = headers_make(W.tip, 1500, 1);
	struct hash256 got[2048];
	size_t n, first = 0;
	int32_t top = 0;

	announce(a, h, 1500);
	/* Everything but block 1 comes: the window cannot move. */
	while ((n = asked(a, got, 2048))) {
		for (size_t i = 0; i < n; i++) {
			struct hnode *b = htree_find(W.tree, &got[i]);
			top = b->height > top ? b->height : top;
			if (b->height > 1)
				recv_block(a, b);
		}
		for (; first < W.n_jobs; first++)
			job_answer(first, BLOCK_STORED, verdict_valid());
	}
	ck_assert_int_eq(top, WINDOW);
	free(h);
}
END_TEST

START_TEST(the_block_that_holds_up_the_window_is_asked_of_a_second_peer)
{
	struct peer *a = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	struct peer *b = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	uint8_t *h = headers_make(W.tip, 1500, 1);
	struct hash256 got[2048];
	size_t n, first = 0;
	int64_t now = clock_now(&W.clock);

	announce(a, h, 1500);
	n = asked(a, got, 2048); /* a keeps its blocks */
	ck_assert_uint_eq(n, 16);
	announce(b, h, 1500);
	for (int turn = 0; turn < 200; turn++) {
		n = asked(b, got, 2048);
		for (size_t i = 0; i < n; i++)
			recv_block(b, htree_find(W.tree, &got[i]));
		for (; first < W.n_jobs; first++)
			job_answer(first, BLOCK_STORED, verdict_valid());
	}
	tick_at(now + 1);
	ck_assert_uint_eq(asked(b, got, 2048), 1);
	ck_assert_int_eq(htree_find(W.tree, &got[0])->height, 1);
	ck_assert_ptr_null(a->disconnected);
	tick_at(now + 2);
	tick_at(now + 5);
	ck_assert_str_eq(a->disconnected, "stalls block download");
	ck_assert_ptr_null(b->disconnected);
	free(h);
}
END_TEST

/* Everything that p is asked for but block 1 arrives. */
static void serve_but_first(struct peer *p)
{
	struct hash256 got[2048];
	size_t n, first = W.n_jobs;

	while ((n = asked(p, got, 2048))) {
		for (size_t i = 0; i < n; i++) {
			struct hnode *b = htree_find(W.tree, &got[i]);
			if (b->height > 1)
				recv_block(p, b);
		}
		for (; first < W.n_jobs; first++)
			job_answer(first, BLOCK_STORED, verdict_valid());
	}
}

START_TEST(only_the_one_asked_first_is_cut_for_a_held_up_window)
{
	struct peer *p[4];
	uint8_t *h = headers_make(W.tip, 1500, 1);
	int64_t now = clock_now(&W.clock);

	for (int i = 0; i < 4; i++) {
		p[i] = peer_in(CONN_OUTBOUND, ALL_SERVICES);
		announce(p[i], h, 1500);
	}
	for (int turn = 0; turn < 100; turn++)
		for (int i = 0; i < 4; i++)
			serve_but_first(p[i]);
	tick_at(now +
		1); /* a second one is asked, the first one's clock runs */
	for (int i = 0; i < 4; i++)
		serve_but_first(p[i]);
	tick_at(now + 5);
	ck_assert_ptr_nonnull(p[0]->disconnected);
	peer_gone(p[0]);
	tick_at(now + 6); /* a third one is asked */
	tick_at(now + 11);
	for (int i = 1, cut = 0; i < 4; i++) {
		cut += p[i]->disconnected != NULL;
		ck_assert_int_le(cut, 1);
	}
	free(h);
}
END_TEST

START_TEST(blocks_of_a_lost_peer_are_asked_of_another)
{
	struct peer *a = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	struct peer *b = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	uint8_t *h = headers_make(W.tip, 8, 1);
	struct hash256 got[16];

	announce(a, h, 8);
	ck_assert_uint_eq(asked(a, got, 16), 8);
	announce(b, h, 8);
	ck_assert_uint_eq(asked(b, got, 16), 0);
	peer_gone(a);
	ck_assert_uint_eq(asked(b, got, 16), 8);
	free(h);
}
END_TEST

START_TEST(what_a_peer_does_not_have_is_free_for_others)
{
	struct peer *a = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	struct peer *b = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	uint8_t *h = headers_make(W.tip, 3, 1);
	struct hash256 got[16];

	announce(a, h, 3);
	announce(b, h, 3);
	ck_assert_uint_eq(asked(a, got, 16), 3);
	recv_inv(a, MSG_NOTFOUND, INV_WITNESS_BLOCK, got, 1);
	tick_at(clock_now(&W.clock) + 1);
	ck_assert_uint_eq(asked(b, got, 16) + asked(a, got, 16), 1);
	free(h);
}
END_TEST

START_TEST(a_full_chain_queue_stops_the_asking)
{
	struct peer *a = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	uint8_t *h = headers_make(W.tip, 5, 1);
	struct hash256 got[16];

	W.backlog_bytes = 65u << 20;
	announce(a, h, 5);
	ck_assert_uint_eq(asked(a, got, 16), 0);
	W.backlog_bytes = 0;
	tick_at(clock_now(&W.clock) + 1);
	ck_assert_uint_eq(asked(a, got, 16), 5);
	free(h);
}
END_TEST

START_TEST(an_invalid_branch_is_not_downloaded)
{
	struct peer *a = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	struct hnode *bad = grow(W.tip, 3, 1);
	struct hash256 got[16];
	uint8_t *h;

	bad->status |= HN_FAILED;
	h = headers_make(W.tip, 3, 1);
	announce(a, h, 2);
	ck_assert_uint_eq(asked(a, got, 16), 2);
	recv_inv(a, MSG_INV, INV_BLOCK, &bad->hash, 1);
	ck_assert_uint_eq(asked(a, got, 16), 0);
	free(h);
}
END_TEST

START_TEST(a_peer_that_keeps_a_block_back_is_let_go)
{
	struct peer *a = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	uint8_t *h = headers_make(W.tip, 2, 1);
	int64_t now = clock_now(&W.clock);

	announce(a, h, 2);
	tick_at(now + 590);
	ck_assert_ptr_null(a->disconnected);
	tick_at(now + 610);
	ck_assert_str_eq(a->disconnected, "timeout downloading a block");
	free(h);
}
END_TEST

START_TEST(inbound_peers_serve_only_without_better_ones_in_initial_download)
{
	struct peer *out = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	struct peer *in = peer_in(CONN_INBOUND, ALL_SERVICES);
	uint8_t *h = headers_make(W.tip, 40, 1);
	struct hash256 got[64];

	announce(out, h, 40);
	ck_assert_uint_eq(asked(out, got, 64), 16);
	announce(in, h, 40);
	ck_assert_uint_eq(asked(in, got, 64), 0);
	W.ibd = false;
	tick_at(clock_now(&W.clock) + 1);
	ck_assert_uint_eq(asked(in, got, 64), 16);
	free(h);
}
END_TEST

START_TEST(near_the_tip_the_announcer_is_asked_whatever_it_offers)
{
	struct peer *a = peer_in(CONN_INBOUND, NODE_WITNESS);
	uint8_t *h = headers_make(W.tip, 20, 1);
	struct hash256 got[32];

	recv_headers(a, h, 2);
	ck_assert_uint_eq(asked(a, got, 32), 0);
	clock_set_mock(&W.clock, W.tip->time + 3600);
	recv_headers(a, h, 2);
	ck_assert_uint_eq(asked(a, got, 32), 2);
	ck_assert_int_eq(htree_find(W.tree, &got[0])->height, 1);
	/* A long way is left to the window. */
	recv_headers(a, h, 20);
	ck_assert_uint_eq(asked(a, got, 32), 0);
	free(h);
}
END_TEST

Suite *download_suite(void)
{
	Suite *s = suite_create("download");
	TCase *c = tcase_create("download");

	tcase_add_checked_fixture(c, world_start, world_stop);
	tcase_set_timeout(c, 60);
	tcase_add_test(c, blocks_are_asked_in_order_along_the_best_chain);
	tcase_add_test(c, a_block_is_asked_of_one_peer_only);
	tcase_add_test(c, the_number_in_flight_is_bounded);
	tcase_add_test(c,
		       small_blocks_raise_the_number_in_flight_up_to_its_limit);
	tcase_add_test(c, nothing_is_asked_beyond_the_window);
	tcase_add_test(
	    c, the_block_that_holds_up_the_window_is_asked_of_a_second_peer);
	tcase_add_test(c, only_the_one_asked_first_is_cut_for_a_held_up_window);
	tcase_add_test(c, blocks_of_a_lost_peer_are_asked_of_another);
	tcase_add_test(c, what_a_peer_does_not_have_is_free_for_others);
	tcase_add_test(c, a_full_chain_queue_stops_the_asking);
	tcase_add_test(c, an_invalid_branch_is_not_downloaded);
	tcase_add_test(c, a_peer_that_keeps_a_block_back_is_let_go);
	tcase_add_test(
	    c,
	    inbound_peers_serve_only_without_better_ones_in_initial_download);
	tcase_add_test(c,
		       near_the_tip_the_announcer_is_asked_whatever_it_offers);
	suite_add_tcase(s, c);
	return s;
}
