/* What is asked for and made of headers (src/sync/headers.c). */
#include "suites.h"
#include "world.h"

#include <cairn/base/mem.h>
#include <cairn/crypto/sha256.h>

#include <stdlib.h>

#define YEAR_S (365 * 86400)

START_TEST(only_one_peer_is_asked_while_the_best_header_is_old)
{
	struct peer *a = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	struct peer *b = peer_in(CONN_OUTBOUND, ALL_SERVICES);

	ck_assert_ptr_nonnull(next_sent(a, MSG_GETHEADERS));
	ck_assert_ptr_null(next_sent(b, MSG_GETHEADERS));
	peer_gone(a);
	ck_assert_ptr_nonnull(next_sent(b, MSG_GETHEADERS));
}
END_TEST

START_TEST(all_peers_are_asked_once_the_best_header_is_of_the_last_day)
{
	struct hnode *best = grow(W.tip, 3, 1);
	struct peer *a, *b;

	clock_set_mock(&W.clock, best->time + 3600);
	a = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	b = peer_in(CONN_INBOUND, ALL_SERVICES);
	ck_assert_ptr_nonnull(next_sent(a, MSG_GETHEADERS));
	ck_assert_ptr_nonnull(next_sent(b, MSG_GETHEADERS));
}
END_TEST

START_TEST(nothing_is_asked_or_taken_while_our_own_files_are_read)
{
	struct hash256 got[4];
	uint8_t *h = headers_make(W.tip, 3, 1);
	struct peer *a;

	W.reindexing = true;
	a = peer_in(CONN_INBOUND, ALL_SERVICES);
	ck_assert_ptr_null(next_sent(a, MSG_GETHEADERS));
	recv_headers(a, h, 3);
	ck_assert_int_eq(htree_best(W.tree)->height, 0);
	ck_assert_uint_eq(asked(a, got, 4), 0);
	ck_assert_ptr_null(a->misbehaved);
	W.reindexing = false;
	sync_on_tick(W.sync, clock_now(&W.clock));
	ck_assert_ptr_nonnull(next_sent(a, MSG_GETHEADERS));
	recv_headers(a, h, 3);
	ck_assert_uint_eq(asked(a, got, 4), 3);
	W.reindexing = true;
	recv_block(a, htree_find(W.tree, &got[0]));
	ck_assert_uint_eq(W.n_jobs, 0);
	W.reindexing = false;
	recv_block(a, htree_find(W.tree, &got[0]));
	ck_assert_uint_eq(W.n_jobs, 1);
	free(h);
}
END_TEST

START_TEST(a_peer_without_blocks_is_not_asked)
{
	struct peer *a = peer_in(CONN_OUTBOUND, 0);

	ck_assert_ptr_null(next_sent(a, MSG_GETHEADERS));
}
END_TEST

START_TEST(the_tip_is_near_while_it_is_of_the_last_day)
{
	clock_set_mock(&W.clock, W.tip->time + 86400);
	ck_assert(sync_near_tip(W.sync));
	clock_set_mock(&W.clock, W.tip->time + 86401);
	ck_assert(!sync_near_tip(W.sync));
}
END_TEST

START_TEST(headers_enter_the_tree_and_the_index_once)
{
	struct peer *a = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	uint8_t *h = headers_make(W.tip, 5, 1);

	recv_headers(a, h, 5);
	ck_assert_int_eq(htree_best(W.tree)->height, 5);
	ck_assert_uint_eq(W.n_noted, 5);
	recv_headers(a, h, 5);
	ck_assert_uint_eq(W.n_noted, 5);
	ck_assert_ptr_null(a->misbehaved);
	free(h);
}
END_TEST

/* The count behind a header is read and not used, whatever its size. */
START_TEST(counts_of_any_size_are_passed_over)
{
	struct peer *a = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	uint8_t *h = headers_make(W.tip, 3, 1), body[1 + 3 * 83], *p = body;

	*p++ = 3;
	for (int i = 0; i < 3; i++) {
		p = bytes_put(p, h + i * 80, 80);
		p = compact_put(p, i == 1 ? 1000 : 7);
	}
	recv_msg(a, MSG_HEADERS, body, (size_t)(p - body));
	ck_assert_int_eq(htree_best(W.tree)->height, 3);
	free(h);
}
END_TEST

START_TEST(a_full_message_asks_for_more)
{
	struct peer *a = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	uint8_t *h = headers_make(W.tip, HEADERS_MAX, 1);

	ck_assert_ptr_nonnull(next_sent(a, MSG_GETHEADERS));
	recv_headers(a, h, HEADERS_MAX);
	ck_assert_ptr_nonnull(next_sent(a, MSG_GETHEADERS));
	free(h);
}
END_TEST

START_TEST(too_many_or_broken_headers_are_misbehaviour)
{
	struct peer *a = peer_in(CONN_INBOUND, ALL_SERVICES);
	struct peer *b = peer_in(CONN_INBOUND, ALL_SERVICES);
	struct peer *c = peer_in(CONN_INBOUND, ALL_SERVICES);
	static const uint8_t many[] = {0xfd, 0xd1, 0x07};
	uint8_t *h = headers_make(W.tip, 4, 1);
	struct hash256 hash;

	recv_msg(a, MSG_HEADERS, many, sizeof many);
	ck_assert_ptr_nonnull(a->misbehaved);
	memmove(h + 80, h + 160, 160); /* one is missing in the middle */
	recv_headers(b, h, 3);
	ck_assert_str_eq(b->misbehaved, "non-continuous headers sequence");
	do {
		h[76]++;
		sha256d(&hash, h, 80);
	} while (pow_ok(&hash, W.params.genesis_bits, &W.params));
	recv_headers(c, h, 1);
	ck_assert_str_eq(c->misbehaved, "header with invalid proof of work");
	ck_assert_uint_eq(htree_count(W.tree), 1);
	free(h);
}
END_TEST

START_TEST(an_unconnected_header_is_asked_about_not_punished)
{
	struct peer *a = peer_in(CONN_INBOUND, ALL_SERVICES);
	uint8_t *h = headers_make(W.tip, 3, 1);
	struct sync_peer_info i;

	ck_assert_ptr_nonnull(next_sent(a, MSG_GETHEADERS));
	tick_at(clock_now(&W.clock) + 200);
	recv_headers(a, h + 160, 1);
	ck_assert_ptr_nonnull(next_sent(a, MSG_GETHEADERS));
	ck_assert_ptr_null(a->misbehaved);
	/* Once the gap is closed the peer is known to have it. */
	recv_headers(a, h, 3);
	sync_peer_info(W.sync, a, &i);
	ck_assert_int_eq(i.synced_headers, 3);
	free(h);
}
END_TEST

START_TEST(a_short_chain_of_too_little_work_is_ignored)
{
	struct peer *a = peer_in(CONN_INBOUND, ALL_SERVICES);
	uint8_t *h = headers_make(W.tip, 5, 1);
	struct u256 need = {{1000, 0, 0, 0}};

	htree_set_min_work(W.tree, &need);
	recv_headers(a, h, 5);
	ck_assert_uint_eq(htree_count(W.tree), 1);
	ck_assert_ptr_null(a->misbehaved);
	free(h);
}
END_TEST

START_TEST(a_long_chain_of_too_little_work_is_read_without_being_kept)
{
	struct peer *a = peer_in(CONN_INBOUND, ALL_SERVICES);
	uint8_t *h = headers_make(W.tip, HEADERS_MAX, 1);
	struct u256 need = {{100000, 0, 0, 0}};
	struct sync_peer_info i;

	htree_set_min_work(W.tree, &need);
	recv_headers(a, h, HEADERS_MAX);
	ck_assert_uint_eq(htree_count(W.tree), 1);
	sync_peer_info(W.sync, a, &i);
	ck_assert_int_eq(i.presynced_headers, HEADERS_MAX);
	/* An empty message says that there is no more: all is forgotten. */
	recv_msg(a, MSG_HEADERS, "", 1);
	sync_peer_info(W.sync, a, &i);
	ck_assert_int_eq(i.presynced_headers, -1);
	free(h);
}
END_TEST

START_TEST(a_chain_that_proves_its_work_is_read_twice_and_kept)
{
	struct peer *a = peer_in(CONN_INBOUND, ALL_SERVICES);
	size_t n = 3 * HEADERS_MAX;
	uint8_t *h = headers_make(W.tip, n, 1);
	/* Regtest work is two a block: met within the third message. */
	struct u256 need = {{5 * HEADERS_MAX, 0, 0, 0}};

	htree_set_min_work(W.tree, &need);
	for (int pass = 0; pass < 2; pass++)
		for (size_t k = 0; k < 3; k++)
			recv_headers(a, h + k * HEADERS_MAX * 80, HEADERS_MAX);
	ck_assert_ptr_null(a->misbehaved);
	ck_assert_int_eq(htree_best(W.tree)->height, (int)n);
	free(h);
}
END_TEST

/* The second reading ends with a full message: more is asked for, and what the
 * peer sends then is judged as usual. */
START_TEST(headers_behind_a_presync_that_ended_are_taken)
{
	struct peer *a = peer_in(CONN_INBOUND, ALL_SERVICES);
	size_t n = 3 * HEADERS_MAX + 5;
	uint8_t *h = headers_make(W.tip, n, 1);
	struct u256 need = {{5 * HEADERS_MAX, 0, 0, 0}};

	htree_set_min_work(W.tree, &need);
	for (int pass = 0; pass < 2; pass++)
		for (size_t k = 0; k < 3; k++)
			recv_headers(a, h + k * HEADERS_MAX * 80, HEADERS_MAX);
	while (next_sent(a, MSG_GETHEADERS))
		;
	ck_assert_int_eq(htree_best(W.tree)->height, 3 * HEADERS_MAX);
	recv_headers(a, h + (size_t)3 * HEADERS_MAX * 80, 5);
	ck_assert_ptr_null(a->misbehaved);
	ck_assert_int_eq(htree_best(W.tree)->height, (int)n);
	free(h);
}
END_TEST

/* The header at fault is the last one: those before it must not get in. */
START_TEST(a_message_that_presync_refuses_is_dropped_whole)
{
	struct peer *a = peer_in(CONN_INBOUND, ALL_SERVICES);
	uint8_t *h = headers_make(W.tip, HEADERS_MAX, 1), *last;
	struct u256 need = {{100000, 0, 0, 0}};
	struct hash256 hash;

	W.params.min_difficulty_blocks = false;
	htree_set_min_work(W.tree, &need);
	last = h + (size_t)(HEADERS_MAX - 1) * 80;
	le32_put(last + 72, W.params.genesis_bits - 1);
	do {
		le32_put(last + 76, le32_get(last + 76) + 1);
		sha256d(&hash, last, 80);
	} while (!pow_ok(&hash, W.params.genesis_bits - 1, &W.params));
	for (int pass = 0; pass < 2; pass++) {
		recv_headers(a, h, HEADERS_MAX);
		ck_assert_uint_eq(htree_count(W.tree), 1);
	}
	free(h);
}
END_TEST

START_TEST(an_announced_block_is_asked_about_by_headers)
{
	struct hash256 unknown = {{7}};
	struct peer *a, *b;

	a = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	ck_assert_ptr_nonnull(next_sent(a, MSG_GETHEADERS));
	b = peer_in(CONN_INBOUND, ALL_SERVICES);
	recv_inv(b, MSG_INV, INV_BLOCK, &unknown, 1);
	ck_assert_ptr_nonnull(next_sent(b, MSG_GETHEADERS));
	/* The same hash does not turn another peer on. */
	b = peer_in(CONN_INBOUND, ALL_SERVICES);
	recv_inv(b, MSG_INV, INV_BLOCK, &unknown, 1);
	ck_assert_ptr_null(next_sent(b, MSG_GETHEADERS));
}
END_TEST

START_TEST(an_inv_over_the_limit_is_misbehaviour)
{
	struct peer *a = peer_in(CONN_INBOUND, ALL_SERVICES);
	struct hash256 *many = xcalloc(INV_MAX + 1, sizeof *many);

	recv_inv(a, MSG_INV, INV_TX, many, INV_MAX);
	ck_assert_ptr_null(a->misbehaved);
	recv_inv(a, MSG_INV, INV_TX, many, INV_MAX + 1);
	ck_assert_ptr_nonnull(a->misbehaved);
	free(many);
}
END_TEST

START_TEST(sendheaders_goes_out_once_the_peer_has_a_chain)
{
	struct peer *a = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	uint8_t *h = headers_make(W.tip, 2, 1);

	ck_assert_ptr_null(next_sent(a, MSG_SENDHEADERS));
	recv_headers(a, h, 2);
	ck_assert_ptr_nonnull(next_sent(a, MSG_SENDHEADERS));
	recv_headers(a, h, 2);
	ck_assert_ptr_null(next_sent(a, MSG_SENDHEADERS));
	free(h);
}
END_TEST

START_TEST(a_sync_peer_that_says_nothing_is_replaced)
{
	struct peer *a = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	int64_t now = clock_now(&W.clock);

	peer_in(CONN_OUTBOUND, ALL_SERVICES);
	tick_at(now + 14 * 60);
	ck_assert_ptr_null(a->disconnected);
	tick_at(now + YEAR_S);
	ck_assert_str_eq(a->disconnected, "timeout downloading headers");
}
END_TEST

START_TEST(an_outbound_peer_that_stays_behind_is_asked_then_dropped)
{
	struct hnode *tip = grow(W.tip, 5, 1);
	struct peer *a;
	int64_t now = tip->time + 60;

	tip_set(tip);
	W.ibd = false;
	clock_set_mock(&W.clock, now);
	a = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	next_sent(a, MSG_GETHEADERS);
	tick_at(now + 1);
	tick_at(now + 1 + 21 * 60);
	ck_assert_ptr_nonnull(next_sent(a, MSG_GETHEADERS));
	ck_assert_ptr_null(a->disconnected);
	tick_at(now + 1 + 24 * 60);
	ck_assert_ptr_nonnull(a->disconnected);
}
END_TEST

Suite *headers_suite(void)
{
	Suite *s = suite_create("headers");
	TCase *c = tcase_create("headers");

	tcase_add_checked_fixture(c, world_start, world_stop);
	tcase_set_timeout(c, 60);
	tcase_add_test(c, only_one_peer_is_asked_while_the_best_header_is_old);
	tcase_add_test(
	    c, all_peers_are_asked_once_the_best_header_is_of_the_last_day);
	tcase_add_test(c,
		       nothing_is_asked_or_taken_while_our_own_files_are_read);
	tcase_add_test(c, a_peer_without_blocks_is_not_asked);
	tcase_add_test(c, the_tip_is_near_while_it_is_of_the_last_day);
	tcase_add_test(c, headers_enter_the_tree_and_the_index_once);
	tcase_add_test(c, counts_of_any_size_are_passed_over);
	tcase_add_test(c, a_full_message_asks_for_more);
	tcase_add_test(c, too_many_or_broken_headers_are_misbehaviour);
	tcase_add_test(c, an_unconnected_header_is_asked_about_not_punished);
	tcase_add_test(c, a_short_chain_of_too_little_work_is_ignored);
	tcase_add_test(
	    c, a_long_chain_of_too_little_work_is_read_without_being_kept);
	tcase_add_test(c, a_chain_that_proves_its_work_is_read_twice_and_kept);
	tcase_add_test(c, headers_behind_a_presync_that_ended_are_taken);
	tcase_add_test(c, a_message_that_presync_refuses_is_dropped_whole);
	tcase_add_test(c, an_announced_block_is_asked_about_by_headers);
	tcase_add_test(c, an_inv_over_the_limit_is_misbehaviour);
	tcase_add_test(c, sendheaders_goes_out_once_the_peer_has_a_chain);
	tcase_add_test(c, a_sync_peer_that_says_nothing_is_replaced);
	tcase_add_test(
	    c, an_outbound_peer_that_stays_behind_is_asked_then_dropped);
	suite_add_tcase(s, c);
	return s;
}
