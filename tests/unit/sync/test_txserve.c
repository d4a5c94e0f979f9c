/* Giving transactions (src/sync/txserve.c). */
#include "suites.h"
#include "world.h"

#include <cairn/base/mem.h>

#include <stdlib.h>

static int64_t T0;

static void start(void)
{
	world_start();
	W.ibd = false;
	T0 = clock_now(&W.clock);
}

/* a is in the pool and was announced to p. */
static struct peer *told_of(struct buf *a)
{
	struct peer *p = peer_in(CONN_OUTBOUND, ALL_SERVICES);

	tx_added(a, 1000, true);
	tick_at(T0 + 300);
	ck_assert_uint_eq(told(p, MSG_INV, NULL, 0), 1);
	return p;
}

static void getdata(struct peer *p, uint32_t type, struct hash256 h)
{
	recv_inv(p, MSG_GETDATA, type, &h, 1);
}

START_TEST(by_wtxid_and_txid_with_the_witness_and_without)
{
	struct buf *a = tx_make(NULL, 0, 1, true);
	struct peer *p = told_of(a);
	struct sent *s;

	getdata(p, INV_WTX, tx_wid(a));
	s = next_sent(p, MSG_TX);
	ck_assert(s && s->n == a->n);
	ck_assert_mem_eq(s->body, buf_data(a), a->n);
	getdata(p, INV_WITNESS_TX, tx_id(a));
	s = next_sent(p, MSG_TX);
	ck_assert(s && s->n == a->n);
	getdata(p, INV_TX, tx_id(a));
	s = next_sent(p, MSG_TX);
	ck_assert(s && s->n == a->n - 5);
	/* The wrong kind of id. */
	getdata(p, INV_TX, tx_wid(a));
	ck_assert_uint_eq(told(p, MSG_NOTFOUND, NULL, 0), 1);
	buf_unref(a);
}
END_TEST

START_TEST(what_was_not_announced_yet_is_not_found)
{
	struct buf *a = tx_make(NULL, 0, 1, true), *b = tx_make(NULL, 0, 2, 1);
	struct peer *p = told_of(a);

	tx_added(b, 1000, false);
	getdata(p, INV_WTX, tx_wid(b));
	ck_assert_ptr_null(next_sent(p, MSG_TX));
	ck_assert_uint_eq(told(p, MSG_NOTFOUND, NULL, 0), 1);
	buf_unref(a);
	buf_unref(b);
}
END_TEST

START_TEST(an_older_one_is_given_to_who_was_told_of_a_newer)
{
	struct buf *a = tx_make(NULL, 0, 1, true), *b = tx_make(NULL, 0, 2, 1);
	struct peer *p;

	tx_added(b, 1000, false);
	p = told_of(a);
	getdata(p, INV_WTX, tx_wid(b));
	ck_assert_ptr_nonnull(next_sent(p, MSG_TX));
	buf_unref(a);
	buf_unref(b);
}
END_TEST

START_TEST(those_of_the_last_block_are_given)
{
	struct chain_event e = {.type = CHAIN_EV_CONNECTED, .node = W.tip};
	struct buf *a = tx_make(NULL, 0, 1, true);
	struct buf *block = buf_new(81 + a->n * 2);
	struct peer *p = peer_in(CONN_OUTBOUND, ALL_SERVICES);
	uint8_t *at = buf_data(block);

	memset(at, 0, 80);
	at[80] = 2;
	at = bytes_put(at + 81, buf_data(a), a->n);
	at = bytes_put(at, buf_data(a), a->n);
	block->n = (size_t)(at - buf_data(block));
	e.buf = block;
	sync_on_chain_event(W.sync, &e);
	getdata(p, INV_WTX, tx_wid(a));
	ck_assert_ptr_nonnull(next_sent(p, MSG_TX));
	buf_unref(block);
	buf_unref(a);
}
END_TEST

START_TEST(who_wants_no_transactions_gets_none_without_a_word)
{
	struct hash256 h = {{1}};
	struct peer *p;

	W.peers[0].no_relay = true;
	p = peer_in(CONN_INBOUND, ALL_SERVICES);
	getdata(p, INV_WTX, h);
	ck_assert_ptr_null(next_sent(p, MSG_NOTFOUND));
	ck_assert_int_eq(p->paused, 0);
}
END_TEST

START_TEST(a_full_queue_makes_the_rest_wait)
{
	struct buf *a = tx_make(NULL, 0, 1, true);
	struct peer *p = told_of(a);

	p->full = true;
	getdata(p, INV_WTX, tx_wid(a));
	ck_assert_ptr_null(next_sent(p, MSG_TX));
	ck_assert_int_eq(p->paused, 1);
	p->full = false;
	sync_on_drained(W.sync, p);
	ck_assert_ptr_nonnull(next_sent(p, MSG_TX));
	ck_assert_int_eq(p->paused, 0);
	buf_unref(a);
}
END_TEST

START_TEST(the_order_of_transactions_and_blocks_is_kept)
{
	struct buf *a = tx_make(NULL, 0, 1, true);
	struct hash256 wid = tx_wid(a);
	uint8_t body[9 + 3 * INV_ITEM_SIZE], *at = inv_count_put(body, 3);
	enum msg_type order[3];
	struct peer *p;
	size_t n = 0;

	tip_set(grow(W.tip, 2, 1));
	p = told_of(a);
	p->read = p->n_sent;
	at = inv_item_put(at, INV_WTX, &wid);
	at = inv_item_put(at, INV_WITNESS_BLOCK, &W.tip->hash);
	at = inv_item_put(at, INV_WTX, &wid);
	recv_msg(p, MSG_GETDATA, body, (size_t)(at - body));
	ck_assert_int_eq(p->paused, 1);
	world_run(2); /* the rate that the pool asks; the block */
	ck_assert_int_eq(p->paused, 0);
	for (size_t i = p->read; i < p->n_sent && n < 3; i++)
		order[n++] = p->sent[i].type;
	ck_assert_uint_eq(n, 3);
	ck_assert(order[0] == MSG_TX && order[1] == MSG_BLOCK &&
		  order[2] == MSG_TX);
	buf_unref(a);
}
END_TEST

Suite *txserve_suite(void)
{
	Suite *s = suite_create("txserve");
	TCase *c = tcase_create("txserve");

	tcase_add_checked_fixture(c, start, world_stop);
	tcase_add_test(c, by_wtxid_and_txid_with_the_witness_and_without);
	tcase_add_test(c, what_was_not_announced_yet_is_not_found);
	tcase_add_test(c, an_older_one_is_given_to_who_was_told_of_a_newer);
	tcase_add_test(c, those_of_the_last_block_are_given);
	tcase_add_test(c, who_wants_no_transactions_gets_none_without_a_word);
	tcase_add_test(c, a_full_queue_makes_the_rest_wait);
	tcase_add_test(c, the_order_of_transactions_and_blocks_is_kept);
	suite_add_tcase(s, c);
	return s;
}
