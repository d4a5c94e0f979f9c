/* The loop's copy of the pool (src/sync/txpool.c). */
#include "../../../src/sync/txpool.h"

#include "suites.h"
#include "world.h"

static struct txpool T;

static void start(void)
{
	txpool_init(&T);
}

static void stop(void)
{
	txpool_fini(&T);
}

static struct ptx *follow(struct buf *b, enum chain_event_type t, int64_t fee,
			  uint64_t sequence)
{
	struct chain_event e = {.type = t, .buf = b};

	tx_ids(&e.tx.txid, &e.tx.wtxid, b);
	e.tx.fee = fee;
	e.tx.vsize = 100;
	e.tx.sequence = sequence;
	return txpool_follow(&T, &e);
}

START_TEST(it_holds_what_was_added_and_not_removed)
{
	struct buf *b = tx_make(NULL, 0, 1, true);
	struct hash256 id = tx_id(b), wid = tx_wid(b);

	ck_assert_ptr_nonnull(follow(b, CHAIN_EV_TX_ADDED, 10, 5));
	ck_assert_ptr_nonnull(txpool_txid(&T, &id));
	ck_assert_ptr_eq(txpool_txid(&T, &id), txpool_wtxid(&T, &wid));
	ck_assert_ptr_null(txpool_wtxid(&T, &id));
	ck_assert_uint_eq(T.sequence, 5);
	ck_assert_ptr_null(follow(b, CHAIN_EV_TX_REMOVED, 10, 9));
	ck_assert_ptr_null(txpool_txid(&T, &id));
	ck_assert_ptr_null(txpool_wtxid(&T, &wid));
	ck_assert_uint_eq(T.sequence, 6);
	ck_assert_uint_eq(b->refs, 1);
	buf_unref(b);
}
END_TEST

START_TEST(what_was_in_a_block_is_as_old_as_can_be)
{
	struct buf *b = tx_make(NULL, 0, 1, true);
	struct chain_event e = {.type = CHAIN_EV_TX_ADDED, .buf = b};
	struct ptx *t;

	tx_ids(&e.tx.txid, &e.tx.wtxid, b);
	e.tx.sequence = 8;
	t = txpool_follow(&T, &e);
	ck_assert_uint_eq(t->sequence, 7);
	e.tx.from_block = true;
	t = txpool_follow(&T, &e);
	ck_assert_uint_eq(t->sequence, 0);
	buf_unref(b);
}
END_TEST

START_TEST(the_sort_puts_parents_first_and_high_rates_before_low)
{
	struct buf *poor = tx_make(NULL, 0, 1, false);
	struct hash256 up = tx_id(poor), ids[5];
	struct buf *child = tx_make(&up, 1, 2, true);
	struct buf *rich = tx_make(NULL, 0, 3, false);
	struct buf *low = tx_make(NULL, 0, 4, false);
	struct buf *all[] = {low, child, poor, rich};
	int64_t fee[] = {5, 900, 1, 500};
	struct ptx *out[5];

	for (int i = 0; i < 4; i++)
		follow(all[i], CHAIN_EV_TX_ADDED, fee[i], 1);
	for (int i = 0; i < 4; i++)
		ids[i] = tx_wid(all[i]);
	ids[4] = ids[0]; /* twice */
	ck_assert_uint_eq(txpool_sort(&T, out, ids, 5), 4);
	ck_assert_ptr_eq(out[0]->buf, poor);
	ck_assert_ptr_eq(out[1]->buf, child);
	ck_assert_ptr_eq(out[2]->buf, rich);
	ck_assert_ptr_eq(out[3]->buf, low);
	follow(rich, CHAIN_EV_TX_REMOVED, 0, 2);
	ck_assert_uint_eq(txpool_sort(&T, out, ids, 5), 3);
	for (int i = 0; i < 4; i++)
		buf_unref(all[i]);
}
END_TEST

Suite *txpool_suite(void)
{
	Suite *s = suite_create("txpool");
	TCase *c = tcase_create("txpool");

	tcase_add_checked_fixture(c, start, stop);
	tcase_add_test(c, it_holds_what_was_added_and_not_removed);
	tcase_add_test(c, what_was_in_a_block_is_as_old_as_can_be);
	tcase_add_test(c,
		       the_sort_puts_parents_first_and_high_rates_before_low);
	suite_add_tcase(s, c);
	return s;
}
