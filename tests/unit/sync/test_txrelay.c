/* A transaction's way in: announced, asked for, judged, remembered
 * (src/sync/txrelay.c, txdownload.c, txjudge.c, txreject.c). */
#include "suites.h"
#include "world.h"

#include <cairn/base/mem.h>

#include <stdlib.h>

static int64_t T0;

static void start(void)
{
	world_start();
	W.ibd = false;
	W.min_rate = 100;
	T0 = clock_now(&W.clock);
}

static void inv_tx(struct peer *p, const struct buf *tx)
{
	struct hash256 id = p->by_txid ? tx_id(tx) : tx_wid(tx);

	recv_inv(p, MSG_INV, p->by_txid ? INV_TX : INV_WTX, &id, 1);
}

static struct peer *outbound(void)
{
	struct peer *p = peer_in(CONN_OUTBOUND, ALL_SERVICES);

	p->read = p->n_sent;
	return p;
}

static struct peer *by_txid(enum peer_conn conn)
{
	for (size_t i = 0; i < PEERS_MAX; i++)
		if (!W.peers[i].used) {
			W.peers[i].by_txid = true;
			return peer_in(conn, ALL_SERVICES);
		}
	return NULL;
}

/* Items of the next getdata: the first one's type. */
static uint32_t asked_type(struct peer *p)
{
	struct sent *s = next_sent(p, MSG_GETDATA);
	struct inv_view v;

	if (!s)
		return 0;
	ck_assert(inv_view_parse(&v, slice_of(s->body, s->n)));
	return inv_type(&v, 0);
}

START_TEST(an_outbound_peer_is_asked_at_once_an_inbound_one_later)
{
	struct buf *a = tx_make(NULL, 0, 1, true), *b = tx_make(NULL, 0, 2, 1);
	struct peer *o = outbound(), *i = peer_in(CONN_INBOUND, ALL_SERVICES);

	inv_tx(o, a);
	ck_assert_uint_eq(asked_type(o), INV_WTX);
	inv_tx(i, b);
	ck_assert_uint_eq(asked_type(i), 0);
	tick_at(T0 + 1);
	ck_assert_uint_eq(asked_type(i), 0);
	tick_at(T0 + 2);
	ck_assert_uint_eq(asked_type(i), INV_WTX);
	buf_unref(a);
	buf_unref(b);
}
END_TEST

START_TEST(a_peer_without_wtxids_waits_for_those_with)
{
	struct buf *a = tx_make(NULL, 0, 1, true);
	struct peer *p = by_txid(CONN_OUTBOUND), *w;

	inv_tx(p, a);
	ck_assert_uint_eq(asked_type(p), INV_WITNESS_TX);
	w = outbound();
	buf_unref(a);
	a = tx_make(NULL, 0, 2, true);
	inv_tx(p, a);
	ck_assert_uint_eq(asked_type(p), 0);
	tick_at(T0 + 2);
	ck_assert_uint_eq(asked_type(p), INV_WITNESS_TX);
	ck_assert_ptr_nonnull(w);
	buf_unref(a);
}
END_TEST

START_TEST(an_inv_of_the_other_kind_is_passed_over)
{
	struct hash256 h = {{5}};
	struct peer *w = outbound(), *t = by_txid(CONN_OUTBOUND);

	recv_inv(w, MSG_INV, INV_TX, &h, 1);
	recv_inv(t, MSG_INV, INV_WTX, &h, 1);
	tick_at(T0 + 60);
	ck_assert_uint_eq(asked_type(w) + asked_type(t), 0);
}
END_TEST

START_TEST(the_next_is_asked_when_one_does_not_answer)
{
	struct buf *a = tx_make(NULL, 0, 1, true);
	struct hash256 wid = tx_wid(a);
	struct peer *p = outbound(), *q = outbound();

	inv_tx(p, a);
	ck_assert_uint_eq(asked_type(p), INV_WTX);
	inv_tx(q, a);
	tick_at(T0 + 59);
	ck_assert_uint_eq(asked_type(q), 0);
	tick_at(T0 + 60);
	ck_assert_uint_eq(asked_type(q), INV_WTX);
	/* A notfound is as good as the time. */
	p = outbound();
	inv_tx(p, a);
	recv_inv(q, MSG_NOTFOUND, INV_WTX, &wid, 1);
	ck_assert_uint_eq(asked_type(p), INV_WTX);
	/* So is a peer that is gone. */
	q = outbound();
	inv_tx(q, a);
	peer_gone(p);
	ck_assert_uint_eq(asked_type(q), INV_WTX);
	buf_unref(a);
}
END_TEST

START_TEST(announcements_of_one_peer_are_bounded)
{
	struct hash256 *h = xcalloc(50000, sizeof *h);
	struct peer *p = outbound();
	struct hash256 *out = xcalloc(50000, sizeof *out);

	for (uint32_t i = 0; i < 50000; i++)
		le32_put(h[i].b + 4, i + 1);
	recv_inv(p, MSG_INV, INV_WTX, h, 50000);
	ck_assert_uint_eq(asked(p, out, 50000), 5000);
	tick_at(T0 + 30);
	ck_assert_uint_eq(asked(p, out, 50000), 0);
	free(h);
	free(out);
}
END_TEST

START_TEST(more_than_a_hundred_in_flight_make_it_wait)
{
	struct hash256 h[102] = {{{0}}};
	struct peer *p = outbound();

	for (uint32_t i = 0; i < 102; i++)
		le32_put(h[i].b + 4, i + 1);
	recv_inv(p, MSG_INV, INV_WTX, h, 100);
	ck_assert_uint_eq(asked(p, NULL, 0), 100);
	recv_inv(p, MSG_INV, INV_WTX, h + 100, 1);
	ck_assert_uint_eq(asked(p, NULL, 0), 0);
	tick_at(T0 + 2);
	ck_assert_uint_eq(asked(p, NULL, 0), 1);
}
END_TEST

START_TEST(nothing_is_taken_in_initial_download)
{
	struct buf *a = tx_make(NULL, 0, 1, true);
	struct peer *p = outbound();

	W.ibd = true;
	inv_tx(p, a);
	recv_tx(p, a);
	tick_at(T0 + 60);
	ck_assert_uint_eq(asked_type(p), 0);
	ck_assert_uint_eq(W.n_txjobs, 0);
	ck_assert_ptr_null(p->disconnected);
	buf_unref(a);
}
END_TEST

START_TEST(a_block_relay_peer_may_send_none)
{
	struct buf *a = tx_make(NULL, 0, 1, true);
	struct peer *p = peer_in(CONN_BLOCK_ONLY, ALL_SERVICES);
	struct peer *q = peer_in(CONN_BLOCK_ONLY, ALL_SERVICES);

	inv_tx(p, a);
	ck_assert_ptr_nonnull(p->disconnected);
	recv_tx(q, a);
	ck_assert_ptr_nonnull(q->disconnected);
	buf_unref(a);
}
END_TEST

START_TEST(a_peer_waits_while_its_transaction_is_judged)
{
	struct buf *a = tx_make(NULL, 0, 1, true);
	struct peer *p = outbound(), *q = outbound();

	recv_tx(p, a);
	ck_assert_uint_eq(W.n_txjobs, 1);
	ck_assert_int_eq(p->held, 1);
	/* The same from another while it is judged: not twice. */
	recv_tx(q, a);
	ck_assert_uint_eq(W.n_txjobs, 1);
	ck_assert_int_eq(q->held, 0);
	txjob_answer(0, TX_ACCEPTED);
	ck_assert_int_eq(p->held, 0);
	/* And not again. */
	recv_tx(q, a);
	inv_tx(q, a);
	ck_assert_uint_eq(W.n_txjobs, 1);
	ck_assert_uint_eq(asked_type(q), 0);
	buf_unref(a);
}
END_TEST

START_TEST(a_peer_may_leave_while_its_transaction_is_judged)
{
	struct buf *a = tx_make(NULL, 0, 1, true);
	struct peer *p = outbound();

	recv_tx(p, a);
	peer_gone(p);
	txjob_answer(0, TX_MISSING_INPUTS);
	recv_tx(outbound(), a);
	peer_gone(&W.peers[1]);
	txjob_answer(1, TX_ACCEPTED);
	buf_unref(a);
}
END_TEST

START_TEST(what_was_refused_is_not_asked_for_until_the_tip_changes)
{
	static const enum tx_outcome why[] = {
	    TX_CONSENSUS, TX_INPUTS_NOT_STANDARD, TX_NOT_STANDARD,
	    TX_PREMATURE, TX_WITNESS_MUTATED,     TX_CONFLICT,
	    TX_POLICY,    TX_RECONSIDERABLE};
	struct chain_event tip = {
	    .type = CHAIN_EV_TIP, .node = W.tip, .fork = W.tip};
	struct peer *p = outbound();

	for (uint32_t i = 0; i < sizeof why / sizeof *why; i++) {
		struct buf *a = tx_make(NULL, 0, i, true);
		recv_tx(p, a);
		txjob_answer(W.n_txjobs - 1, why[i]);
		ck_assert_ptr_null(p->disconnected);
		ck_assert_ptr_null(p->misbehaved);
		inv_tx(p, a);
		ck_assert_msg(asked_type(p) == 0, "%u", i);
		sync_on_chain_event(W.sync, &tip);
		inv_tx(p, a);
		ck_assert_msg(asked_type(p) == INV_WTX, "%u", i);
		buf_unref(a);
	}
}
END_TEST

START_TEST(a_stripped_witness_says_nothing_of_the_transaction)
{
	struct buf *a = tx_make(NULL, 0, 1, false);
	struct peer *p = outbound();

	recv_tx(p, a);
	txjob_answer(0, TX_WITNESS_STRIPPED);
	inv_tx(p, a);
	ck_assert_uint_eq(asked_type(p), INV_WTX);
	buf_unref(a);
}
END_TEST

/* A parent and its child. */
static void family(struct buf **parent, struct buf **child)
{
	struct hash256 id;

	*parent = tx_make(NULL, 0, 1, true);
	id = tx_id(*parent);
	*child = tx_make(&id, 1, 2, true);
}

START_TEST(an_orphan_asks_for_its_parent_by_txid_and_is_tried_again)
{
	struct buf *a, *b;
	struct peer *p = outbound();
	struct hash256 want;

	family(&a, &b);
	recv_tx(p, b);
	txjob_answer(0, TX_MISSING_INPUTS);
	tick_at(T0 + 1);
	ck_assert_uint_eq(asked(p, &want, 1), 0);
	tick_at(T0 + 2);
	ck_assert_uint_eq(asked(p, &want, 1), 1);
	want = tx_id(a);
	recv_tx(p, a);
	ck_assert_uint_eq(W.n_txjobs, 2);
	txjob_answer(1, TX_ACCEPTED);
	ck_assert_uint_eq(W.n_txjobs, 3);
	ck_assert_ptr_eq(buf_payload(W.txjobs[2].buf).p,
			 buf_payload(W.txjobs[2].buf).p);
	ck_assert_int_eq(p->held, 1);
	txjob_answer(2, TX_ACCEPTED);
	ck_assert_int_eq(p->held, 0);
	ck_assert_uint_eq(W.n_txjobs, 3);
	buf_unref(a);
	buf_unref(b);
}
END_TEST

START_TEST(an_orphan_whose_parent_was_refused_is_not_kept)
{
	struct buf *a, *b;
	struct peer *p = outbound();

	family(&a, &b);
	recv_tx(p, a);
	txjob_answer(0, TX_INPUTS_NOT_STANDARD);
	recv_tx(p, b);
	txjob_answer(1, TX_MISSING_INPUTS);
	tick_at(T0 + 10);
	ck_assert_uint_eq(asked(p, NULL, 0), 0);
	/* It is known to be of no use. */
	recv_tx(p, b);
	ck_assert_uint_eq(W.n_txjobs, 2);
	buf_unref(a);
	buf_unref(b);
}
END_TEST

START_TEST(another_announcer_of_an_orphan_is_asked_for_the_parent)
{
	struct buf *a, *b;
	struct peer *p = outbound(), *q = outbound();

	family(&a, &b);
	recv_tx(p, b);
	txjob_answer(0, TX_MISSING_INPUTS);
	tick_at(T0 + 2);
	ck_assert_uint_eq(asked(p, NULL, 0), 1);
	inv_tx(q, b);
	ck_assert_uint_eq(asked(q, NULL, 0), 0);
	peer_gone(p);
	tick_at(T0 + 10);
	ck_assert_uint_eq(asked(q, NULL, 0), 1);
	recv_tx(q, a);
	txjob_answer(1, TX_ACCEPTED);
	ck_assert_uint_eq(W.n_txjobs, 3);
	txjob_answer(2, TX_ACCEPTED);
	buf_unref(a);
	buf_unref(b);
}
END_TEST

/* Parents may be thousands, and an inv has room for 50,000 items. */
START_TEST(an_orphan_is_looked_at_once_for_each_who_announces_it)
{
	struct hash256 *h = xcalloc(5000, sizeof *h);
	struct buf *a, *b;
	struct peer *p = outbound(), *q = outbound();

	family(&a, &b);
	recv_tx(p, b);
	txjob_answer(0, TX_MISSING_INPUTS);
	for (uint32_t i = 0; i < 5000; i++)
		le32_put(h[i].b + 4, i + 1);
	recv_inv(q, MSG_INV, INV_WTX, h, 5000);
	tick_at(T0 + 2);
	ck_assert_uint_eq(asked(q, NULL, 0), 5000);
	/* It owes so much that it is not asked for the parent, now or later. */
	inv_tx(q, b);
	recv_inv(q, MSG_NOTFOUND, INV_WTX, h, 5000);
	inv_tx(q, b);
	peer_gone(p);
	tick_at(T0 + 100);
	ck_assert_uint_eq(asked(q, NULL, 0), 0);
	free(h);
	buf_unref(a);
	buf_unref(b);
}
END_TEST

START_TEST(a_mined_parent_lets_the_child_be_tried)
{
	struct chain_event e = {.type = CHAIN_EV_CONNECTED, .node = W.tip};
	struct chain_event tip = {
	    .type = CHAIN_EV_TIP, .node = W.tip, .fork = W.tip};
	struct buf *a, *b, *block;
	struct peer *p = outbound();
	uint8_t *at;

	family(&a, &b);
	recv_tx(p, b);
	txjob_answer(0, TX_MISSING_INPUTS);
	block = buf_new(80 + 1 + a->n * 2);
	at = buf_data(block);
	memset(at, 0, 80);
	at[80] = 2;
	at = bytes_put(at + 81, buf_data(a), a->n);
	at = bytes_put(at, buf_data(a), a->n);
	block->n = (size_t)(at - buf_data(block));
	e.buf = block;
	sync_on_chain_event(W.sync, &e);
	sync_on_chain_event(W.sync, &tip);
	ck_assert_uint_eq(W.n_txjobs, 2);
	/* Mined: not asked for again. */
	inv_tx(p, a);
	ck_assert_uint_eq(asked_type(p), 0);
	txjob_answer(1, TX_ACCEPTED);
	buf_unref(block);
	buf_unref(a);
	buf_unref(b);
}
END_TEST

START_TEST(a_poor_parent_goes_with_the_child_that_pays)
{
	struct buf *a, *b;
	struct peer *p = outbound();

	family(&a, &b);
	recv_tx(p, b);
	txjob_answer(0, TX_MISSING_INPUTS);
	recv_tx(p, a);
	W.package[0] = W.package[1] = TX_ACCEPTED;
	txjob_answer(1, TX_RECONSIDERABLE);
	ck_assert_uint_eq(W.n_packages, 1);
	ck_assert_int_eq(p->held, 1);
	world_run(1);
	ck_assert_int_eq(p->held, 0);
	ck_assert_uint_eq(W.n_txjobs, 2);
	buf_unref(a);
	buf_unref(b);
}
END_TEST

START_TEST(a_package_that_failed_is_not_tried_again)
{
	struct buf *a, *b;
	struct peer *p = outbound();

	family(&a, &b);
	recv_tx(p, a);
	txjob_answer(0, TX_RECONSIDERABLE);
	recv_tx(p, b);
	txjob_answer(1, TX_MISSING_INPUTS);
	/* The parent was refused for its fee alone: asked for again. */
	W.package[0] = TX_RECONSIDERABLE;
	W.package[1] = TX_MISSING_INPUTS;
	recv_tx(p, a);
	ck_assert_uint_eq(W.n_packages, 1);
	world_run(1);
	ck_assert_int_eq(p->held, 0);
	recv_tx(p, a);
	ck_assert_uint_eq(W.n_packages, 1);
	ck_assert_uint_eq(W.n_txjobs, 2);
	buf_unref(a);
	buf_unref(b);
}
END_TEST

START_TEST(nonsense_is_ignored)
{
	struct peer *p = outbound();

	recv_msg(p, MSG_TX, "abc", 3);
	recv_msg(p, MSG_TX, "", 0);
	ck_assert_uint_eq(W.n_txjobs, 0);
	ck_assert_ptr_null(p->disconnected);
	ck_assert_int_eq(p->held, 0);
}
END_TEST

START_TEST(what_comes_while_too_many_are_judged_is_passed_over)
{
	struct buf *a = tx_make(NULL, 0, 1, true);
	struct peer *p = outbound();

	W.backlog_txs = 2000;
	recv_tx(p, a);
	W.backlog_txs = 1;
	W.backlog_tx_bytes = 64 << 20;
	recv_tx(p, a);
	ck_assert_uint_eq(W.n_txjobs, 0);
	ck_assert_int_eq(p->held, 0);
	W.backlog_tx_bytes--;
	recv_tx(p, a);
	ck_assert_uint_eq(W.n_txjobs, 1);
	txjob_answer(0, TX_ACCEPTED);
	buf_unref(a);
}
END_TEST

START_TEST(orphans_of_a_flood_are_bounded)
{
	struct peer *p = outbound();

	for (uint32_t i = 0; i < TXJOBS_MAX - 1; i++) {
		struct hash256 parent = {{1}};
		struct buf *b;
		le32_put(parent.b + 4, i);
		b = tx_make(&parent, 1, i, true);
		recv_tx(p, b);
		txjob_answer(i, TX_MISSING_INPUTS);
		buf_unref(b);
	}
	tick_at(T0 + 2);
	ck_assert_uint_eq(asked(p, NULL, 0), TXJOBS_MAX - 1);
}
END_TEST

Suite *txrelay_suite(void)
{
	Suite *s = suite_create("txrelay");
	TCase *c = tcase_create("txrelay");

	tcase_add_checked_fixture(c, start, world_stop);
	tcase_add_test(c,
		       an_outbound_peer_is_asked_at_once_an_inbound_one_later);
	tcase_add_test(c, a_peer_without_wtxids_waits_for_those_with);
	tcase_add_test(c, an_inv_of_the_other_kind_is_passed_over);
	tcase_add_test(c, the_next_is_asked_when_one_does_not_answer);
	tcase_add_test(c, announcements_of_one_peer_are_bounded);
	tcase_add_test(c, more_than_a_hundred_in_flight_make_it_wait);
	tcase_add_test(c, nothing_is_taken_in_initial_download);
	tcase_add_test(c, a_block_relay_peer_may_send_none);
	tcase_add_test(c, a_peer_waits_while_its_transaction_is_judged);
	tcase_add_test(c, a_peer_may_leave_while_its_transaction_is_judged);
	tcase_add_test(c,
		       what_was_refused_is_not_asked_for_until_the_tip_changes);
	tcase_add_test(c, a_stripped_witness_says_nothing_of_the_transaction);
	tcase_add_test(
	    c, an_orphan_asks_for_its_parent_by_txid_and_is_tried_again);
	tcase_add_test(c, an_orphan_whose_parent_was_refused_is_not_kept);
	tcase_add_test(c,
		       another_announcer_of_an_orphan_is_asked_for_the_parent);
	tcase_add_test(c,
		       an_orphan_is_looked_at_once_for_each_who_announces_it);
	tcase_add_test(c, a_mined_parent_lets_the_child_be_tried);
	tcase_add_test(c, a_poor_parent_goes_with_the_child_that_pays);
	tcase_add_test(c, a_package_that_failed_is_not_tried_again);
	tcase_add_test(c, nonsense_is_ignored);
	tcase_add_test(c, what_comes_while_too_many_are_judged_is_passed_over);
	tcase_add_test(c, orphans_of_a_flood_are_bounded);
	suite_add_tcase(s, c);
	return s;
}
