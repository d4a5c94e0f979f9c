/*
 * Rules of the coins that a block spends, each at its edge: amounts, fees,
 * maturity, relative locks, the sum of sigops, what the coinbase takes; and
 * which of two broken rules is told.
 */
#include "suites.h"
#include "txmake.h"

#include <cairn/consensus/spend.h>
#include <cairn/params/params.h>
#include <cairn/script/op.h>

#define HEIGHT 1000
#define MTP    1500000000
#define FINAL  0xffffffffu

static const uint8_t p2pkh[25] = {OP_DUP, OP_HASH160, 20};

static const struct hash256 txid = {{0xab}};
#define TXID "00000000000000000000000000000000000000000000000000000000000000ab"

static struct coin coin_of(int64_t value, int32_t height, bool coinbase)
{
	return (struct coin){value, height, coinbase,
			     slice_of(p2pkh, sizeof p2pkh)};
}

/* A block at HEIGHT of a network where every rule holds, and a transaction. */
struct bed {
	struct block_spend b;
	struct txmake mem;
	struct tx_view tx;
};

static void bed_init(struct bed *t)
{
	block_spend_init(&t->b, params_get(CHAIN_REGTEST), HEIGHT, MTP);
	txmake_init(&t->mem);
}

static void bed_fini(struct bed *t)
{
	txmake_fini(&t->mem);
}

/* Inputs with these coins and one sequence, one output. */
static struct verdict spend_n(struct bed *t, const struct coin *coins,
			      uint32_t n, uint32_t sequence, int64_t out,
			      int64_t coin_mtp)
{
	struct tx_iter ins, stack = {NULL, 0};
	struct txin_view in;
	struct tx_spend s;

	txmake_begin(&t->mem, 2, n);
	for (uint32_t i = 0; i < n; i++)
		txmake_in(&t->mem, i + 1, 0, slice_of(NULL, 0), sequence);
	txmake_outs(&t->mem, 1);
	txmake_out(&t->mem, out, slice_of(NULL, 0));
	txmake_end(&t->mem, &t->tx, 0);
	tx_spend_init(&s);
	txins(&ins, &t->tx);
	for (uint32_t i = 0; txin_next(&ins, &in); i++)
		tx_spend_coin(&s, &t->b, &t->tx, &in, &stack, &coins[i],
			      coin_mtp);
	return block_spend_tx(&t->b, &t->tx, &txid, &s);
}

static struct verdict spend(struct bed *t, struct coin coin, int64_t out)
{
	return spend_n(t, &coin, 1, FINAL, out, 0);
}

static void refused(const struct verdict *v, const char *reject)
{
	ck_assert_int_eq(v->kind, V_INVALID);
	ck_assert_int_eq(v->reason, INV_CONSENSUS);
	ck_assert_str_eq(v->reject, reject);
}

START_TEST(coinbases_are_spent_a_hundred_blocks_later)
{
	struct verdict v;
	struct bed t;

	bed_init(&t);
	v = spend(&t, coin_of(5, HEIGHT - 99, true), 5);
	refused(&v, "bad-txns-premature-spend-of-coinbase");
	v = spend(&t, coin_of(5, HEIGHT - 100, true), 5);
	ck_assert(verdict_ok(&v));
	v = spend(&t, coin_of(5, HEIGHT, false), 5);
	ck_assert(verdict_ok(&v));
	bed_fini(&t);
}
END_TEST

START_TEST(values_of_coins_are_in_range_one_by_one_and_together)
{
	struct coin two[2] = {coin_of(MAX_MONEY, 1, false),
			      coin_of(0, 1, false)};
	struct verdict v;
	struct bed t;

	bed_init(&t);
	v = spend(&t, coin_of(MAX_MONEY + 1, 1, false), 0);
	refused(&v, "bad-txns-inputvalues-outofrange");
	v = spend(&t, coin_of(-1, 1, false), 0);
	refused(&v, "bad-txns-inputvalues-outofrange");
	v = spend_n(&t, two, 2, FINAL, MAX_MONEY, 0);
	ck_assert(verdict_ok(&v));
	two[1].value = 1;
	v = spend_n(&t, two, 2, FINAL, MAX_MONEY, 0);
	refused(&v, "bad-txns-inputvalues-outofrange");
	two[0].value = two[1].value = INT64_MAX;
	v = spend_n(&t, two, 2, FINAL, 0, 0);
	refused(&v, "bad-txns-inputvalues-outofrange");
	bed_fini(&t);
}
END_TEST

START_TEST(outputs_take_no_more_than_inputs)
{
	struct verdict v;
	struct bed t;

	bed_init(&t);
	v = spend(&t, coin_of(7, 1, false), 8);
	refused(&v, "bad-txns-in-belowout");
	v = spend(&t, coin_of(7, 1, false), 7);
	ck_assert(verdict_ok(&v));
	ck_assert_int_eq(t.b.fees, 0);
	bed_fini(&t);
}
END_TEST

START_TEST(fees_add_up_to_no_more_than_all_money)
{
	struct verdict v;
	struct bed t;

	bed_init(&t);
	v = spend(&t, coin_of(MAX_MONEY, 1, false), 0);
	ck_assert(verdict_ok(&v));
	ck_assert_int_eq(t.b.fees, MAX_MONEY);
	v = spend(&t, coin_of(1, 1, false), 0);
	refused(&v, "bad-txns-accumulated-fee-outofrange");
	bed_fini(&t);
}
END_TEST

START_TEST(relative_locks_by_height_are_over_at_their_height)
{
	struct coin c = coin_of(1, HEIGHT - 9, false);
	struct verdict v;
	struct bed t;

	bed_init(&t);
	v = spend_n(&t, &c, 1, 9, 1, 0);
	ck_assert(verdict_ok(&v));
	v = spend_n(&t, &c, 1, 10, 1, 0);
	refused(&v, "bad-txns-nonfinal");
	/* Not before BIP 68 is active. */
	t.b.bip68 = false;
	v = spend_n(&t, &c, 1, 10, 1, 0);
	ck_assert(verdict_ok(&v));
	bed_fini(&t);
}
END_TEST

START_TEST(relative_locks_by_time_are_over_at_their_time)
{
	struct coin c = coin_of(1, 1, false);
	uint32_t sequence = 1u << 22 | 3;
	struct verdict v;
	struct bed t;

	bed_init(&t);
	v = spend_n(&t, &c, 1, sequence, 1, MTP - 3 * 512);
	ck_assert(verdict_ok(&v));
	v = spend_n(&t, &c, 1, sequence, 1, MTP - 3 * 512 + 1);
	refused(&v, "bad-txns-nonfinal");
	bed_fini(&t);
}
END_TEST

START_TEST(the_first_broken_rule_is_told)
{
	struct coin two[2] = {coin_of(MAX_MONEY + 1, 1, false),
			      coin_of(1, HEIGHT, true)};
	struct verdict v;
	struct bed t;

	bed_init(&t);
	v = spend_n(&t, two, 2, 2000, 5, 0);
	refused(&v, "bad-txns-inputvalues-outofrange");
	two[0].value = 1;
	v = spend_n(&t, two, 2, 2000, 5, 0);
	refused(&v, "bad-txns-premature-spend-of-coinbase");
	two[1].coinbase = false;
	v = spend_n(&t, two, 2, 2000, 5, 0);
	refused(&v, "bad-txns-in-belowout");
	v = spend_n(&t, two, 2, 2000, 2, 0);
	refused(&v, "bad-txns-nonfinal");
	bed_fini(&t);
}
END_TEST

/* A transaction without coins, whose one output has n OP_CHECKSIG. */
static void with_checksigs(struct bed *t, size_t n, int64_t value)
{
	static uint8_t script[20001];

	ck_assert_uint_le(n, sizeof script);
	memset(script, OP_CHECKSIG, n);
	txmake_begin(&t->mem, 1, 1);
	txmake_in(&t->mem, 1, 0, slice_of(NULL, 0), FINAL);
	txmake_outs(&t->mem, 1);
	txmake_out(&t->mem, value, slice_of(script, n));
	txmake_end(&t->mem, &t->tx, 0);
}

START_TEST(sigops_of_a_block_cost_no_more_than_eighty_thousand)
{
	struct verdict v;
	struct bed t;

	bed_init(&t);
	with_checksigs(&t, 19999, 0);
	v = block_spend_tx(&t.b, &t.tx, &txid, NULL);
	ck_assert(verdict_ok(&v));
	ck_assert_uint_eq(t.b.sigops, 4 * 19999);
	with_checksigs(&t, 1, 0);
	v = block_spend_tx(&t.b, &t.tx, &txid, NULL);
	ck_assert(verdict_ok(&v));
	v = block_spend_tx(&t.b, &t.tx, &txid, NULL);
	refused(&v, "bad-blk-sigops");
	bed_fini(&t);
}
END_TEST

START_TEST(sigops_of_witness_programs_count_one_each)
{
	static const uint8_t p2wpkh[22] = {0, 20};
	struct coin c = coin_of(1, 1, false);
	struct verdict v;
	struct bed t;

	bed_init(&t);
	c.script = slice_of(p2wpkh, sizeof p2wpkh);
	t.b.sigops = MAX_BLOCK_SIGOPS_COST - 1;
	v = spend(&t, c, 1);
	ck_assert(verdict_ok(&v));
	v = spend(&t, c, 1);
	refused(&v, "bad-blk-sigops");
	bed_fini(&t);
}
END_TEST

START_TEST(coinbase_takes_no_more_than_subsidy_and_fees)
{
	int64_t subsidy = block_subsidy(HEIGHT, params_get(CHAIN_REGTEST));
	struct verdict v;
	struct bed t;

	bed_init(&t);
	v = spend(&t, coin_of(9, 1, false), 2);
	ck_assert(verdict_ok(&v));
	ck_assert_int_eq(t.b.fees, 7);
	with_checksigs(&t, 0, subsidy + 7);
	v = block_spend_end(&t.b, &t.tx);
	ck_assert(verdict_ok(&v));
	with_checksigs(&t, 0, subsidy + 8);
	v = block_spend_end(&t.b, &t.tx);
	refused(&v, "bad-cb-amount");
	bed_fini(&t);
}
END_TEST

START_TEST(details_are_those_of_bitcoin_core)
{
	struct coin c = coin_of(5, HEIGHT - 98, true);
	struct verdict v;
	struct bed t;

	bed_init(&t);
	v = tx_spend_missing(&txid);
	refused(&v, "bad-txns-inputs-missingorspent");
	ck_assert_str_eq(
	    v.detail,
	    "CheckTxInputs: inputs missing/spent in transaction " TXID);
	v = spend(&t, c, 5);
	ck_assert_str_eq(v.detail, "tried to spend coinbase at depth 98 in "
				   "transaction " TXID);
	c.height = HEIGHT;
	v = spend(&t, c, 5);
	ck_assert_str_eq(v.detail, "tried to spend coinbase at depth 0 in "
				   "transaction " TXID);
	v = spend(&t, coin_of(-1, HEIGHT, false), 0);
	ck_assert_str_eq(v.detail, " in transaction " TXID);
	v = spend(&t, coin_of(COIN, 1, false), 150 * COIN + 10);
	ck_assert_str_eq(v.detail, "value in (1.00) < value out (150.0000001) "
				   "in transaction " TXID);
	c = coin_of(1, HEIGHT, false);
	v = spend_n(&t, &c, 1, 1, 1, 0);
	ck_assert_str_eq(v.detail,
			 "contains a non-BIP68-final transaction " TXID);
	with_checksigs(&t, 0, 6000000000);
	v = block_spend_end(&t.b, &t.tx);
	ck_assert_str_eq(
	    v.detail,
	    "coinbase pays too much (actual=6000000000 vs limit=78125000)");
	bed_fini(&t);
}
END_TEST

Suite *spend_suite(void)
{
	Suite *s = suite_create("spend");
	TCase *tc = tcase_create("spend");

	tcase_add_test(tc, coinbases_are_spent_a_hundred_blocks_later);
	tcase_add_test(tc,
		       values_of_coins_are_in_range_one_by_one_and_together);
	tcase_add_test(tc, outputs_take_no_more_than_inputs);
	tcase_add_test(tc, fees_add_up_to_no_more_than_all_money);
	tcase_add_test(tc, relative_locks_by_height_are_over_at_their_height);
	tcase_add_test(tc, relative_locks_by_time_are_over_at_their_time);
	tcase_add_test(tc, the_first_broken_rule_is_told);
	tcase_add_test(tc, sigops_of_a_block_cost_no_more_than_eighty_thousand);
	tcase_add_test(tc, sigops_of_witness_programs_count_one_each);
	tcase_add_test(tc, coinbase_takes_no_more_than_subsidy_and_fees);
	tcase_add_test(tc, details_are_those_of_bitcoin_core);
	suite_add_tcase(s, tc);
	return s;
}
