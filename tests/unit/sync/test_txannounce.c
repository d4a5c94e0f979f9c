/* Announcing transactions (src/sync/txannounce.c, txrelay.c). */
#include "suites.h"
#include "world.h"

#include <cairn/base/mem.h>

static int64_t T0;

static void start(void)
{
	world_start();
	W.ibd = false;
	T0 = clock_now(&W.clock);
}

/* Far enough on that every peer's turn has come. */
static void let_pass(int64_t *at)
{
	*at += 300;
	tick_at(*at);
	*at += 300;
	tick_at(*at);
}

START_TEST(an_own_transaction_is_announced_by_the_kind_of_id_agreed_on)
{
	struct buf *a = tx_make(NULL, 0, 1, true);
	struct peer *w = peer_in(CONN_OUTBOUND, ALL_SERVICES), *t, *none;
	struct hash256 got, wid = tx_wid(a), id = tx_id(a);
	int64_t at = T0;

	W.peers[1].by_txid = true;
	t = peer_in(CONN_INBOUND, ALL_SERVICES);
	W.peers[2].no_relay = true;
	none = peer_in(CONN_INBOUND, ALL_SERVICES);
	tick_at(at);
	tx_added(a, 1000, true);
	let_pass(&at);
	ck_assert_uint_eq(told(w, MSG_INV, &got, 1), 1);
	ck_assert(hash256_eq(&got, &wid));
	ck_assert_uint_eq(told(t, MSG_INV, &got, 1), 1);
	ck_assert(hash256_eq(&got, &id));
	ck_assert_uint_eq(told(none, MSG_INV, &got, 1), 0);
	buf_unref(a);
}
END_TEST

START_TEST(who_sent_it_is_not_told)
{
	struct buf *a = tx_make(NULL, 0, 1, true);
	struct peer *p = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	struct peer *q = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	int64_t at = T0;

	recv_tx(p, a);
	txjob_answer(0, TX_ACCEPTED);
	let_pass(&at);
	ck_assert_uint_eq(told(p, MSG_INV, NULL, 0), 0);
	ck_assert_uint_eq(told(q, MSG_INV, NULL, 0), 1);
	buf_unref(a);
}
END_TEST

START_TEST(what_came_back_from_a_block_is_not_announced)
{
	struct buf *a = tx_make(NULL, 0, 1, true);
	struct peer *p = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	int64_t at = T0;

	tx_added(a, 1000, false);
	let_pass(&at);
	ck_assert_uint_eq(told(p, MSG_INV, NULL, 0), 0);
	buf_unref(a);
}
END_TEST

START_TEST(a_peer_that_wants_more_fee_is_not_told)
{
	struct buf *a = tx_make(NULL, 0, 1, true), *b = tx_make(NULL, 0, 2, 1);
	struct peer *p = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	struct hash256 got, want = tx_wid(b);
	int64_t at = T0;

	p->fee_filter = 5000; /* 500 for 100 bytes */
	tx_added(a, 499, true);
	tx_added(b, 500, true);
	let_pass(&at);
	ck_assert_uint_eq(told(p, MSG_INV, &got, 1), 1);
	ck_assert(hash256_eq(&got, &want));
	buf_unref(a);
	buf_unref(b);
}
END_TEST

START_TEST(what_left_the_pool_meanwhile_is_not_announced)
{
	struct buf *a = tx_make(NULL, 0, 1, true);
	struct peer *p = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	int64_t at = T0;

	tx_added(a, 1000, true);
	tx_removed(a, MEMPOOL_REPLACED);
	let_pass(&at);
	ck_assert_uint_eq(told(p, MSG_INV, NULL, 0), 0);
	buf_unref(a);
}
END_TEST

START_TEST(an_own_transaction_is_announced_again_to_new_peers_until_asked_for)
{
	struct buf *a = tx_make(NULL, 0, 1, true);
	struct hash256 wid = tx_wid(a);
	int64_t at = T0;
	struct peer *p;

	tick_at(at);
	tx_added(a, 1000, true);
	p = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	let_pass(&at);
	/* Nobody was there when it came. */
	ck_assert_uint_eq(told(p, MSG_INV, NULL, 0), 0);
	W.unbroadcast[W.n_unbroadcast++] =
	    (struct mempool_tx){.wtxid = wid, .unbroadcast = true};
	tick_at(at += 900);
	world_run(2); /* the rate asked, too */
	let_pass(&at);
	ck_assert_uint_eq(told(p, MSG_INV, NULL, 0), 1);
	recv_inv(p, MSG_GETDATA, INV_WTX, &wid, 1);
	ck_assert_ptr_nonnull(next_sent(p, MSG_TX));
	ck_assert_uint_eq(W.n_broadcast, 1);
	W.n_unbroadcast = 0;
	p = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	tick_at(at += 900);
	let_pass(&at);
	ck_assert_uint_eq(told(p, MSG_INV, NULL, 0), 0);
	buf_unref(a);
}
END_TEST

/* A flood within one second: 30 seconds' worth of 14 a second may go, and what
 * is over the floor of five. */
START_TEST(a_flood_is_announced_at_the_allowed_rate)
{
	struct peer *p = peer_in(CONN_INBOUND, ALL_SERVICES);
	size_t first = 0, all = 1000;
	int64_t at = T0;

	for (uint32_t i = 0; i < all; i++) {
		struct buf *a = tx_make(NULL, 0, i, false);
		tx_added(a, 1000, true);
		buf_unref(a);
	}
	for (int i = 0; i < 60 && first == 0; i++) {
		tick_at(at += 1);
		first = told(p, MSG_INV, NULL, 0);
	}
	ck_assert_uint_ge(first, 14 * 30);
	ck_assert_uint_lt(first, all);
	for (int i = 0; i < 120; i++)
		tick_at(at += 1);
	ck_assert_uint_eq(first + told(p, MSG_INV, NULL, 0), all);
}
END_TEST

START_TEST(a_new_peer_is_not_told_at_once)
{
	struct buf *a = tx_make(NULL, 0, 1, true);
	struct peer *p[8];
	size_t n = 0;

	for (int i = 0; i < 8; i++)
		p[i] = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	tx_added(a, 1000, true);
	tick_at(T0);
	for (int i = 0; i < 8; i++)
		n += told(p[i], MSG_INV, NULL, 0);
	ck_assert_uint_eq(n, 0);
	buf_unref(a);
}
END_TEST

START_TEST(times_of_inbound_peers_are_one)
{
	struct buf *a = tx_make(NULL, 0, 1, true);
	struct peer *p[4];
	int64_t at = T0;

	for (int i = 0; i < 4; i++)
		p[i] = peer_in(CONN_INBOUND, ALL_SERVICES);
	tick_at(at);
	for (int i = 0; i < 60; i++)
		tick_at(at += 1);
	for (int i = 0; i < 4; i++)
		p[i]->read = p[i]->n_sent;
	tx_added(a, 1000, true);
	for (int i = 0; i < 200 && p[0]->read == p[0]->n_sent; i++)
		tick_at(at += 1);
	for (int i = 0; i < 4; i++)
		ck_assert_uint_eq(told(p[i], MSG_INV, NULL, 0), 1);
	buf_unref(a);
}
END_TEST

Suite *txannounce_suite(void)
{
	Suite *s = suite_create("txannounce");
	TCase *c = tcase_create("txannounce");

	tcase_add_checked_fixture(c, start, world_stop);
	tcase_add_test(
	    c, an_own_transaction_is_announced_by_the_kind_of_id_agreed_on);
	tcase_add_test(c, who_sent_it_is_not_told);
	tcase_add_test(c, what_came_back_from_a_block_is_not_announced);
	tcase_add_test(c, a_peer_that_wants_more_fee_is_not_told);
	tcase_add_test(c, what_left_the_pool_meanwhile_is_not_announced);
	tcase_add_test(
	    c,
	    an_own_transaction_is_announced_again_to_new_peers_until_asked_for);
	tcase_add_test(c, a_flood_is_announced_at_the_allowed_rate);
	tcase_add_test(c, a_new_peer_is_not_told_at_once);
	tcase_add_test(c, times_of_inbound_peers_are_one);
	suite_add_tcase(s, c);
	return s;
}
