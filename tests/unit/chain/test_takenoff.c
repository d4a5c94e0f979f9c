/* The list of transactions of blocks that were taken off. */
#include "../../../src/chain/takenoff.h"

#include "rig.h"
#include "suites.h"

#include <string.h>

/* A block of the test's with n transactions behind its coinbase. */
struct made {
	struct buf *buf;
	struct block_view v;
};

static void make(struct made *m, struct rig *r, unsigned salt,
		 struct buf *const *txs, size_t n)
{
	size_t trailing;

	m->buf = rig_make(r, salt, txs, n);
	ck_assert_int_eq(
	    block_view_parse(&m->v, &trailing, buf_payload(m->buf)), 0);
	block_hash_txs(&m->v);
}

static void made_fini(struct made *m)
{
	block_view_fini(&m->v);
	buf_unref(m->buf);
}

static void start(struct rig *r, struct buf *tx[4])
{
	rig_init(r, CHAIN_REGTEST, NULL);
	rig_start(r);
	rig_mine(r, 1, 105);
	for (int i = 0; i < 4; i++)
		tx[i] = rig_spend(r, i + 1, 1, 2);
}

static void end(struct rig *r, struct buf *tx[4])
{
	for (int i = 0; i < 4; i++)
		buf_unref(tx[i]);
	rig_fini(r);
}

/* Whether the next one out is transaction i of b. */
static bool next_is(struct takenoff *t, const struct made *b, uint32_t i)
{
	struct takenoff_tx *x = takenoff_pop(t);
	const struct tx_view *tx = &b->v.tx[i];
	bool same;

	if (!x)
		return false;
	same = hash256_eq(&x->txid, &b->v.txid[i]) &&
	       slice_eq(buf_payload(x->buf), slice_of(tx->p, tx->size));
	takenoff_tx_free(x);
	return same;
}

START_TEST(the_lowest_block_comes_first_and_keeps_its_order)
{
	struct made low, high;
	struct buf *tx[4];
	struct takenoff t;
	struct rig r;

	start(&r, tx);
	make(&low, &r, 1, tx, 2);
	make(&high, &r, 2, tx + 2, 2);
	takenoff_init(&t);
	takenoff_add(&t, &high.v);
	takenoff_add(&t, &low.v);
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_msg(next_is(&t, &low, i), "%u", i);
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_msg(next_is(&t, &high, i), "%u", i);
	ck_assert_ptr_null(takenoff_pop(&t));
	ck_assert_uint_eq(t.bytes, 0);
	takenoff_fini(&t);
	made_fini(&low);
	made_fini(&high);
	end(&r, tx);
}
END_TEST

START_TEST(what_another_block_holds_does_not_come_back)
{
	struct made off, on;
	struct buf *tx[4];
	struct takenoff t;
	struct rig r;

	start(&r, tx);
	make(&off, &r, 1, tx, 3);
	make(&on, &r, 2, tx + 1, 1);
	takenoff_init(&t);
	takenoff_add(&t, &off.v);
	takenoff_drop_block(&t, &on.v);
	ck_assert(next_is(&t, &off, 0));
	ck_assert(next_is(&t, &off, 1));
	ck_assert(next_is(&t, &off, 3));
	ck_assert_ptr_null(takenoff_pop(&t));
	takenoff_fini(&t);
	made_fini(&off);
	made_fini(&on);
	end(&r, tx);
}
END_TEST

START_TEST(bytes_are_bounded_and_the_highest_block_goes_first)
{
	struct takenoff_tx *x;
	struct takenoff t;
	struct made b;
	struct rig r;
	unsigned n;

	rig_init(&r, CHAIN_REGTEST, NULL);
	rig_start(&r);
	takenoff_init(&t);
	for (n = 0; t.bytes <= TAKENOFF_BYTES; n++) {
		struct buf *big = rig_make_large(&r, n, 900000);
		size_t trailing;

		ck_assert_ptr_null(takenoff_pop_surplus(&t));
		ck_assert_int_eq(
		    block_view_parse(&b.v, &trailing, buf_payload(big)), 0);
		block_hash_txs(&b.v);
		takenoff_add(&t, &b.v);
		block_view_fini(&b.v);
		buf_unref(big);
	}
	ck_assert_uint_ge(n, 20);
	x = takenoff_pop_surplus(&t);
	ck_assert_ptr_nonnull(x);
	takenoff_tx_free(x);
	ck_assert_uint_le(t.bytes, TAKENOFF_BYTES);
	ck_assert_ptr_null(takenoff_pop_surplus(&t));
	takenoff_fini(&t);
	rig_fini(&r);
}
END_TEST

Suite *takenoff_suite(void)
{
	Suite *s = suite_create("takenoff");
	TCase *tc = tcase_create("list");

	tcase_add_test(tc, the_lowest_block_comes_first_and_keeps_its_order);
	tcase_add_test(tc, what_another_block_holds_does_not_come_back);
	tcase_add_test(tc, bytes_are_bounded_and_the_highest_block_goes_first);
	suite_add_tcase(s, tc);
	return s;
}
