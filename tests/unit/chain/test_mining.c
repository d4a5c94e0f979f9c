/* Block templates: what is in them, and that the rules accept them. */
#include "../testdata.h"
#include "rig.h"
#include "suites.h"

#include <cairn/base/endian.h>
#include <cairn/base/err.h>
#include <cairn/chain/mining.h>
#include <cairn/consensus/check.h>
#include <cairn/wire/block.h>

static struct slice coinbase_script(const struct block_view *v)
{
	struct tx_iter it;
	struct txin_view in;

	txins(&it, &v->tx[0]);
	ck_assert(txin_next(&it, &in));
	ck_assert_uint_eq(in.sequence, 0xfffffffeu);
	return in.script;
}

static int64_t reward(const struct block_view *v)
{
	struct tx_iter it;
	struct txout_view out;

	txouts(&it, &v->tx[0]);
	ck_assert(txout_next(&it, &out));
	return out.value;
}

static void parse(struct block_view *v, const struct buf *b)
{
	size_t trailing;

	ck_assert_int_eq(block_view_parse(v, &trailing, buf_payload(b)), 0);
	ck_assert_uint_eq(trailing, 0);
}

START_TEST(coinbase_states_its_height_as_bitcoin_core_writes_it)
{
	static const uint8_t at_1[] = {0x51, 0x00};
	static const uint8_t at_16[] = {0x60, 0x00};
	static const uint8_t at_17[] = {0x01, 0x11};
	static const uint8_t at_128[] = {0x02, 0x80, 0x00};
	static const struct {
		int32_t height;
		struct slice script;
	} want[] = {{1, {at_1, 2}},
		    {16, {at_16, 2}},
		    {17, {at_17, 2}},
		    {128, {at_128, 3}}};
	struct block_view v;
	struct buf *b;
	struct rig r;
	size_t i;

	rig_init(&r, CHAIN_REGTEST, NULL);
	rig_start(&r);
	for (i = 0; i < 4; i++) {
		rig_mine(
		    &r, 1,
		    (unsigned)(want[i].height - 1 - chain_tip(r.c)->height));
		b = rig_make(&r, 1, NULL, 0);
		parse(&v, b);
		ck_assert(slice_eq(coinbase_script(&v), want[i].script));
		ck_assert_uint_eq(v.tx[0].lock_time,
				  (uint32_t)want[i].height - 1);
		ck_assert_int_eq(v.tx[0].version, 2);
		ck_assert_int_eq(witness_commitment_index(&v), 1);
		block_view_fini(&v);
		buf_unref(b);
	}
	rig_fini(&r);
}
END_TEST

struct proposal {
	struct rig *r;
	struct buf *b;
	struct verdict v;
};

static void propose(void *arg)
{
	struct proposal *p = arg;

	p->v = chain_test_block(p->r->c, p->b);
}

static struct verdict tested(struct rig *r, struct buf *b)
{
	struct proposal p = {.r = r, .b = b};

	rig_run(r, propose, &p);
	return p.v;
}

START_TEST(template_collects_the_fees_of_its_transactions)
{
	struct block_result res;
	struct block_view v;
	struct buf *tx, *b;
	struct hash256 before, after;
	struct rig r;

	rig_init(&r, CHAIN_REGTEST, NULL);
	rig_start(&r);
	rig_mine(&r, 1, 101);
	tx = rig_spend(&r, 1, 7, 4);
	ck_assert_ptr_nonnull(tx);
	b = rig_make(&r, 2, &tx, 1);
	parse(&v, b);
	ck_assert_uint_eq(v.n_tx, 2);
	/* Four fifths go to the outputs. */
	ck_assert_int_eq(reward(&v), 50 * COIN + 10 * COIN);
	block_view_fini(&v);
	/* Testing it changes nothing. */
	before = rig_coins(&r, NULL);
	ck_assert_int_eq(tested(&r, b).kind, V_VALID);
	after = rig_coins(&r, NULL);
	ck_assert_mem_eq(before.b, after.b, 32);
	res = rig_block(&r, buf_payload(b));
	ck_assert_int_eq(res.outcome, BLOCK_CONNECTED);
	/* Now it is not on the tip. */
	ck_assert_str_eq(tested(&r, b).reject, "inconclusive-not-best-prevblk");
	buf_unref(tx);
	buf_unref(b);
	rig_fini(&r);
}
END_TEST

START_TEST(testing_a_block_finds_what_connecting_would)
{
	struct buf *tx, *both[2], *b;
	struct hash256 before, after;
	struct rig r;

	rig_init(&r, CHAIN_REGTEST, NULL);
	rig_start(&r);
	rig_mine(&r, 1, 101);
	before = rig_coins(&r, NULL);
	/* The coinbase of height 50 is too young. */
	tx = rig_spend(&r, 50, 7, 1);
	b = rig_make(&r, 2, &tx, 1);
	ck_assert_str_eq(tested(&r, b).reject,
			 "bad-txns-premature-spend-of-coinbase");
	buf_unref(b);
	buf_unref(tx);
	/* Spent twice: the first spend is undone too. */
	both[0] = rig_spend(&r, 1, 7, 3);
	both[1] = rig_spend(&r, 1, 8, 2);
	b = rig_make(&r, 2, both, 2);
	ck_assert_str_eq(tested(&r, b).reject,
			 "bad-txns-inputs-missingorspent");
	after = rig_coins(&r, NULL);
	ck_assert_mem_eq(before.b, after.b, 32);
	buf_unref(b);
	buf_unref(both[0]);
	buf_unref(both[1]);
	rig_fini(&r);
}
END_TEST

struct making {
	struct rig *r;
	struct buf *tx;
	int rc;
};

static void make_bad(void *arg)
{
	struct making *m = arg;
	struct buf *none;

	m->rc =
	    chain_make_block(m->r->c, &none, slice_of("\x51", 1), &m->tx, 1);
}

START_TEST(template_refuses_a_malformed_transaction)
{
	struct making m;
	struct rig r;

	rig_init(&r, CHAIN_REGTEST, NULL);
	rig_start(&r);
	m.r = &r;
	m.tx = buf_new(5);
	m.tx->n = 5;
	memset(buf_data(m.tx), 0, 5);
	rig_run(&r, make_bad, &m);
	ck_assert_int_eq(m.rc, E_PARSE);
	buf_unref(m.tx);
	rig_fini(&r);
}
END_TEST

/* Take the witness out again, as an old miner would send the block. */
static struct buf *stripped(const struct buf *b)
{
	struct block_view v;
	struct buf *out;

	parse(&v, b);
	out = buf_new(v.base_size);
	block_put_base(buf_data(out), &v);
	out->n = v.base_size;
	block_view_fini(&v);
	return out;
}

START_TEST(missing_witness_nonce_is_added)
{
	struct buf *b, *old, *again, *same;
	struct rig r;

	rig_init(&r, CHAIN_REGTEST, NULL);
	rig_start(&r);
	b = rig_make(&r, 1, NULL, 0);
	old = stripped(b);
	ck_assert_uint_eq(old->n + 36, b->n);
	ck_assert_int_eq(block_add_witness_nonce(&again, old, 1, &r.params), 0);
	ck_assert(slice_eq(buf_payload(again), buf_payload(b)));
	ck_assert_int_eq(block_add_witness_nonce(&same, b, 1, &r.params), 0);
	ck_assert_ptr_eq(same, b);
	buf_unref(same);
	buf_unref(again);
	buf_unref(old);
	buf_unref(b);
	rig_fini(&r);
}
END_TEST

START_TEST(search_for_a_nonce_ends_after_its_tries)
{
	struct params hard = *params_get(CHAIN_MAIN);
	struct buf *b;
	struct rig r;

	rig_init(&r, CHAIN_REGTEST, NULL);
	rig_start(&r);
	b = rig_make(&r, 1, NULL, 0);
	ck_assert(mine_block(b, &r.params, 1000));
	/* Difficulty one takes four thousand million tries. */
	le32_put(buf_data(b) + 72, hard.pow_limit_bits);
	ck_assert(!mine_block(b, &hard, 1000));
	ck_assert(!mine_block(b, &hard, 0));
	buf_unref(b);
	rig_fini(&r);
}
END_TEST

Suite *mining_suite(void)
{
	Suite *s = suite_create("mining");
	TCase *tc = tcase_create("blocks");

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc,
		       coinbase_states_its_height_as_bitcoin_core_writes_it);
	tcase_add_test(tc, template_collects_the_fees_of_its_transactions);
	tcase_add_test(tc, testing_a_block_finds_what_connecting_would);
	tcase_add_test(tc, template_refuses_a_malformed_transaction);
	tcase_add_test(tc, missing_witness_nonce_is_added);
	tcase_add_test(tc, search_for_a_nonce_ends_after_its_tries);
	suite_add_tcase(s, tc);
	return s;
}
