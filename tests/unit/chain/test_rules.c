/* Rules that need coins, one by one, where the shared vectors say nothing. */
#include "rig.h"
#include "suites.h"

#include "../../../src/chain/internal.h"

#include <cairn/base/endian.h>
#include <cairn/chain/mining.h>
#include <cairn/consensus/check.h>

/* Where a transaction of rig_spend has its sequence and first value. */
#define SEQUENCE_AT (4 + 1 + 36 + 1)
#define VALUE_AT    (SEQUENCE_AT + 4 + 1)

/* A node on regtest with a clock of its own and n blocks. */
static void start(struct rig *r, unsigned n)
{
	rig_init(r, CHAIN_REGTEST, NULL);
	clock_set_mock(&r->clock, 1700000000);
	rig_start(r);
	rig_mine(r, 1, n);
}

static struct block_result with_tx(struct rig *r, struct buf *tx)
{
	struct buf *b = rig_make(r, 2, &tx, 1);
	struct block_result res = rig_block(r, buf_payload(b));

	buf_unref(b);
	return res;
}

static void assert_failed(const struct block_result *res, const char *reject)
{
	ck_assert_int_eq(res->outcome, BLOCK_FAILED);
	ck_assert_str_eq(res->verdict.reject, reject);
}

START_TEST(relative_lock_by_height_counts_from_the_coin)
{
	struct block_result res;
	struct buf *tx;
	struct rig r;

	/* The coin of height 1 is 110 blocks deep in block 111. */
	start(&r, 110);
	tx = rig_spend(&r, 1, 1, 1);
	le32_put(buf_data(tx) + SEQUENCE_AT, 111);
	res = with_tx(&r, tx);
	assert_failed(&res, "bad-txns-nonfinal");
	le32_put(buf_data(tx) + SEQUENCE_AT, 110);
	ck_assert_int_eq(with_tx(&r, tx).outcome, BLOCK_CONNECTED);
	buf_unref(tx);
	rig_fini(&r);
}
END_TEST

START_TEST(relative_lock_does_not_bind_version_one)
{
	struct buf *tx;
	struct rig r;

	start(&r, 110);
	tx = rig_spend(&r, 1, 1, 1);
	le32_put(buf_data(tx), 1);
	le32_put(buf_data(tx) + SEQUENCE_AT, 1000);
	ck_assert_int_eq(with_tx(&r, tx).outcome, BLOCK_CONNECTED);
	buf_unref(tx);
	rig_fini(&r);
}
END_TEST

START_TEST(relative_lock_by_time_counts_median_times)
{
	struct block_result res;
	struct buf *tx;
	struct rig r;

	/* Time before the coin's block is ours too, not genesis'. */
	start(&r, 131);
	tx = rig_spend(&r, 20, 1, 1);
	/* Four units of 512 seconds. */
	le32_put(buf_data(tx) + SEQUENCE_AT, (1u << 22) | 4);
	res = with_tx(&r, tx);
	assert_failed(&res, "bad-txns-nonfinal");
	clock_set_mock(&r.clock, 1700000000 + 3000);
	rig_mine(&r, 3, 11);
	ck_assert_int_eq(with_tx(&r, tx).outcome, BLOCK_CONNECTED);
	buf_unref(tx);
	rig_fini(&r);
}
END_TEST

START_TEST(outputs_may_not_exceed_inputs)
{
	struct block_result res;
	struct buf *tx;
	struct rig r;

	start(&r, 101);
	tx = rig_spend(&r, 1, 1, 1);
	le64_put(buf_data(tx) + VALUE_AT, 50 * COIN + 1);
	res = with_tx(&r, tx);
	assert_failed(&res, "bad-txns-in-belowout");
	le64_put(buf_data(tx) + VALUE_AT, 50 * COIN);
	ck_assert_int_eq(with_tx(&r, tx).outcome, BLOCK_CONNECTED);
	buf_unref(tx);
	rig_fini(&r);
}
END_TEST

START_TEST(transaction_with_unspent_outputs_may_not_come_again)
{
	struct block_result res;
	struct buf *tx;
	struct rig r;

	start(&r, 101);
	tx = rig_spend(&r, 1, 1, 2);
	ck_assert_int_eq(with_tx(&r, tx).outcome, BLOCK_CONNECTED);
	res = with_tx(&r, tx);
	assert_failed(&res, "bad-txns-BIP30");
	buf_unref(tx);
	rig_fini(&r);
}
END_TEST

/* b with the coinbase of `of`, which is its only transaction. */
static void take_coinbase(struct buf *b, const struct buf *of,
			  const struct params *p)
{
	struct block_view v;
	struct hash256 txid;
	size_t trailing;

	ck_assert_int_eq(block_view_parse(&v, &trailing, buf_payload(of)), 0);
	tx_txid(&txid, &v.tx[0]);
	block_view_fini(&v);
	ck_assert_uint_eq(b->n, of->n);
	memcpy(buf_data(b) + 80, buf_payload(of).p + 80, of->n - 80);
	memcpy(buf_data(b) + 36, txid.b, 32);
	ck_assert(mine_block(b, p, UINT64_MAX));
}

START_TEST(coinbase_may_not_come_again_before_heights_are_stated)
{
	struct block_result res;
	struct buf *first, *second;
	struct rig r;

	rig_init(&r, CHAIN_REGTEST, NULL);
	r.params.deploy_height[DEPLOY_BIP34] = 1000;
	r.params.deploy_height[DEPLOY_SEGWIT] = 1000;
	rig_start(&r);
	first = rig_make(&r, 1, NULL, 0);
	ck_assert_int_eq(rig_block(&r, buf_payload(first)).outcome,
			 BLOCK_CONNECTED);
	second = rig_make(&r, 1, NULL, 0);
	take_coinbase(second, first, &r.params);
	res = rig_block(&r, buf_payload(second));
	assert_failed(&res, "bad-txns-BIP30");
	/* Nothing of the first one's coin is lost. */
	rig_mine(&r, 2, 1);
	buf_unref(first);
	buf_unref(second);
	rig_fini(&r);
}
END_TEST

Suite *rules_suite(void)
{
	Suite *s = suite_create("rules");
	TCase *tc = tcase_create("coins");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, relative_lock_by_height_counts_from_the_coin);
	tcase_add_test(tc, relative_lock_does_not_bind_version_one);
	tcase_add_test(tc, relative_lock_by_time_counts_median_times);
	tcase_add_test(tc, outputs_may_not_exceed_inputs);
	tcase_add_test(tc, transaction_with_unspent_outputs_may_not_come_again);
	tcase_add_test(tc,
		       coinbase_may_not_come_again_before_heights_are_stated);
	suite_add_tcase(s, tc);
	return s;
}
