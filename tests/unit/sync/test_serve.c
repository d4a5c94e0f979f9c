/* Answers about the published chain (src/sync/serve.c, serve_read.c). */
#include "suites.h"
#include "world.h"

#include <cairn/base/mem.h>
#include <cairn/wire/header.h>
#include <cairn/wire/locator.h>

#include <stdlib.h>

static struct peer *peer_on(size_t height)
{
	tip_set(grow(W.tip, height, 1));
	return peer_in(CONN_INBOUND, ALL_SERVICES);
}

static void ask_headers(struct peer *p, enum msg_type t,
			const struct hash256 *loc, uint32_t n,
			const struct hash256 *stop)
{
	static const struct hash256 zero;
	uint8_t *body = xmalloc(locator_size(n));
	uint8_t *end =
	    locator_put(body, PROTOCOL_VERSION, loc, n, stop ? stop : &zero);

	recv_msg(p, t, body, (size_t)(end - body));
	free(body);
}

static uint32_t headers_got(struct peer *p, int32_t *first, int32_t *last)
{
	struct sent *s = next_sent(p, MSG_HEADERS);
	struct headers_view v;
	struct hnode *n;
	bool over;

	ck_assert_ptr_nonnull(s);
	ck_assert(headers_view_parse(&v, &over, slice_of(s->body, s->n)));
	if (v.n == 0)
		return 0;
	n = htree_find(W.tree, header_prev(headers_at(&v, 0)));
	*first = n->height + 1;
	*last = *first + (int32_t)v.n - 1;
	return v.n;
}

START_TEST(headers_follow_the_locator_up_to_the_limit_and_the_stop)
{
	struct peer *a = peer_on(2100);
	struct hash256 loc = chain_at(NULL, 50)->hash;
	struct hash256 stop = chain_at(NULL, 60)->hash;
	int32_t first, last;

	ask_headers(a, MSG_GETHEADERS, &loc, 1, NULL);
	ck_assert_uint_eq(headers_got(a, &first, &last), HEADERS_MAX);
	ck_assert_int_eq(first, 51);
	ask_headers(a, MSG_GETHEADERS, &loc, 1, &stop);
	ck_assert_uint_eq(headers_got(a, &first, &last), 10);
	ck_assert_int_eq(last, 60);
	/* Unknown hashes lead to the first block. */
	loc.b[0] ^= 1;
	ask_headers(a, MSG_GETHEADERS, &loc, 1, NULL);
	headers_got(a, &first, &last);
	ck_assert_int_eq(first, 1);
	/* The tip itself: nothing follows. */
	ask_headers(a, MSG_GETHEADERS, &W.tip->hash, 1, NULL);
	ck_assert_uint_eq(headers_got(a, &first, &last), 0);
}
END_TEST

START_TEST(a_stale_block_is_shown_only_when_it_was_connected_and_is_recent)
{
	struct peer *a = peer_on(20);
	struct hnode *stale = grow(chain_at(NULL, 15), 1, 9);
	int32_t first, last;

	ask_headers(a, MSG_GETHEADERS, NULL, 0, &stale->hash);
	ck_assert_ptr_null(next_sent(a, MSG_HEADERS));
	stale->status |= HN_DATA | HN_CONNECTED;
	ask_headers(a, MSG_GETHEADERS, NULL, 0, &stale->hash);
	ck_assert_uint_eq(headers_got(a, &first, &last), 1);
	stale->time -= 31 * 86400;
	ask_headers(a, MSG_GETHEADERS, NULL, 0, &stale->hash);
	ck_assert_ptr_null(next_sent(a, MSG_HEADERS));
}
END_TEST

START_TEST(a_locator_over_101_hashes_ends_the_connection)
{
	struct peer *a = peer_on(5);
	struct hash256 *loc = xcalloc(102, sizeof *loc);

	ask_headers(a, MSG_GETHEADERS, loc, 101, NULL);
	ck_assert_ptr_null(a->disconnected);
	ask_headers(a, MSG_GETHEADERS, loc, 102, NULL);
	ck_assert_ptr_nonnull(a->disconnected);
	free(loc);
}
END_TEST

START_TEST(a_chain_below_the_minimum_work_is_not_served)
{
	struct peer *a = peer_on(5);
	struct u256 need = {{1000, 0, 0, 0}};
	int32_t first, last;

	htree_set_min_work(W.tree, &need);
	ask_headers(a, MSG_GETHEADERS, &W.params.genesis_hash, 1, NULL);
	ck_assert_uint_eq(headers_got(a, &first, &last), 0);
}
END_TEST

START_TEST(getblocks_lists_500_and_goes_on_after_the_last)
{
	struct peer *a = peer_on(700);
	struct inv_view v;
	struct sent *s;
	struct hash256 last;

	ask_headers(a, MSG_GETBLOCKS, &W.params.genesis_hash, 1, NULL);
	s = next_sent(a, MSG_INV);
	ck_assert_ptr_nonnull(s);
	ck_assert(inv_view_parse(&v, slice_of(s->body, s->n)));
	ck_assert_uint_eq(v.n, 500);
	last = *inv_hash(&v, 499);
	recv_inv(a, MSG_GETDATA, INV_WITNESS_BLOCK, &last, 1);
	world_run(1);
	ck_assert_ptr_nonnull(next_sent(a, MSG_BLOCK));
	s = next_sent(a, MSG_INV);
	ck_assert_ptr_nonnull(s);
	ck_assert(inv_view_parse(&v, slice_of(s->body, s->n)));
	ck_assert(v.n == 1 && hash256_eq(inv_hash(&v, 0), &W.tip->hash));
}
END_TEST

START_TEST(blocks_are_served_in_order_while_the_peer_is_paused)
{
	struct peer *a = peer_on(100);
	struct hash256 want[100];
	size_t n = 0;
	struct sent *s;

	for (int32_t i = 0; i < 100; i++)
		want[i] = chain_at(NULL, 100 - i)->hash;
	recv_inv(a, MSG_GETDATA, INV_WITNESS_BLOCK, want, 100);
	ck_assert_int_eq(a->paused, 1);
	world_run(2); /* two batches of up to 64 */
	ck_assert_int_eq(a->paused, 0);
	while ((s = next_sent(a, MSG_BLOCK))) {
		uint8_t h[80];
		hnode_header_put(h, htree_find(W.tree, &want[n++]));
		ck_assert_mem_eq(s->body, h, 80);
	}
	ck_assert_uint_eq(n, 100);
}
END_TEST

START_TEST(a_full_send_queue_stops_the_serving_until_it_drained)
{
	struct peer *a = peer_on(100);
	struct hash256 want[100];

	for (int32_t i = 0; i < 100; i++)
		want[i] = chain_at(NULL, i + 1)->hash;
	a->full = true;
	recv_inv(a, MSG_GETDATA, INV_WITNESS_BLOCK, want, 100);
	ck_assert_ptr_null(next_sent(a, MSG_BLOCK));
	a->full = false;
	sync_on_drained(W.sync, a);
	world_run(2);
	ck_assert_ptr_nonnull(next_sent(a, MSG_BLOCK));
	ck_assert_int_eq(a->paused, 0);
}
END_TEST

START_TEST(a_peer_that_leaves_while_its_blocks_are_read_is_no_matter)
{
	struct peer *a = peer_on(3);

	recv_inv(a, MSG_GETDATA, INV_BLOCK, &W.tip->hash, 1);
	peer_gone(a);
	world_run(1);
	ck_assert_ptr_null(next_sent(a, MSG_BLOCK));
}
END_TEST

START_TEST(transactions_are_not_found_and_unknown_blocks_passed_over)
{
	struct peer *a = peer_on(3);
	struct hash256 h = {{1}};
	struct inv_view v;
	struct sent *s;

	recv_inv(a, MSG_GETDATA, INV_WTX, &h, 1);
	s = next_sent(a, MSG_NOTFOUND);
	ck_assert_ptr_nonnull(s);
	ck_assert(inv_view_parse(&v, slice_of(s->body, s->n)));
	ck_assert_uint_eq(v.n, 1);
	recv_inv(a, MSG_GETDATA, INV_WITNESS_BLOCK, &h, 1);
	ck_assert_int_eq(a->paused, 0);
	ck_assert_ptr_null(next_sent(a, MSG_NOTFOUND));
}
END_TEST

START_TEST(bloom_requests_end_the_connection)
{
	static const enum msg_type t[] = {MSG_MEMPOOL, MSG_FILTERLOAD,
					  MSG_FILTERADD, MSG_FILTERCLEAR};
	struct peer *a = peer_on(1);

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		a->disconnected = NULL;
		recv_msg(a, t[i], "", 0);
		ck_assert_ptr_nonnull(a->disconnected);
	}
	a->disconnected = NULL;
	recv_inv(a, MSG_GETDATA, INV_FILTERED_BLOCK, &W.tip->hash, 1);
	ck_assert_ptr_nonnull(a->disconnected);
}
END_TEST

START_TEST(a_compact_block_is_given_of_the_last_blocks_near_now)
{
	static const struct {
		int depth;
		int64_t late_s;
		enum msg_type kind;
	} row[] = {
	    {0, 10, MSG_CMPCTBLOCK},
	    {5, 10, MSG_CMPCTBLOCK},
	    {6, 10, MSG_BLOCK},
	    {0, 20 * 600, MSG_BLOCK},
	};
	struct peer *a = peer_on(20);

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const struct hnode *n = chain_at(NULL, 20 - row[i].depth);
		uint8_t header[80];
		struct sent *s;
		clock_set_mock(&W.clock, W.tip->time + row[i].late_s);
		recv_inv(a, MSG_GETDATA, INV_CMPCT_BLOCK, &n->hash, 1);
		world_run(1);
		s = next_sent(a, row[i].kind);
		ck_assert_msg(s, "row %zu", i);
		hnode_header_put(header, n);
		ck_assert_mem_eq(s->body, header, 80);
	}
}
END_TEST

Suite *serve_suite(void)
{
	Suite *s = suite_create("serve");
	TCase *c = tcase_create("serve");

	tcase_add_checked_fixture(c, world_start, world_stop);
	tcase_set_timeout(c, 60);
	tcase_add_test(c,
		       headers_follow_the_locator_up_to_the_limit_and_the_stop);
	tcase_add_test(
	    c, a_stale_block_is_shown_only_when_it_was_connected_and_is_recent);
	tcase_add_test(c, a_locator_over_101_hashes_ends_the_connection);
	tcase_add_test(c, a_chain_below_the_minimum_work_is_not_served);
	tcase_add_test(c, getblocks_lists_500_and_goes_on_after_the_last);
	tcase_add_test(c, blocks_are_served_in_order_while_the_peer_is_paused);
	tcase_add_test(c, a_full_send_queue_stops_the_serving_until_it_drained);
	tcase_add_test(
	    c, a_peer_that_leaves_while_its_blocks_are_read_is_no_matter);
	tcase_add_test(
	    c, transactions_are_not_found_and_unknown_blocks_passed_over);
	tcase_add_test(c, bloom_requests_end_the_connection);
	tcase_add_test(c, a_compact_block_is_given_of_the_last_blocks_near_now);
	suite_add_tcase(s, c);
	return s;
}
