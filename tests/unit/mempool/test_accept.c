/* What a single transaction is told that is offered to the pool. */
#include "desk.h"
#include "suites.h"

#include <cairn/base/err.h>
#include <cairn/consensus/check.h>
#include <cairn/script/flags.h>

#include <check.h>
#include <inttypes.h>
#include <stdio.h>

static struct desk d;
static struct slip f;

static void setup(void)
{
	desk_init(&d, NULL);
	slip_init(&f);
}

static void teardown(void)
{
	slip_fini(&f);
	desk_fini(&d);
}

/* One easy input of value 100,000, one easy output that leaves 1,000. */
static struct point simple(void)
{
	struct point p = desk_coin(&d, 100000, script_easy());

	slip_easy(&f, &p);
	slip_pay(&f, 99000, script_easy());
	return p;
}

START_TEST(a_transaction_is_taken_and_told_what_it_pays)
{
	const struct mempool_tx *t;

	simple();
	ck_assert_int_eq(desk_slip(&d, &f, 0), TX_ACCEPTED);
	ck_assert_int_eq(d.r.verdict.kind, V_VALID);
	ck_assert_int_eq(d.r.fee, 1000);
	ck_assert_int_eq(d.r.vsize, 96);
	ck_assert_int_eq(d.r.chunk_fee, 1000);
	ck_assert_int_eq(d.r.chunk_vsize, 96);
	ck_assert_uint_eq(d.added, 1);
	t = mempool_find(d.m, &d.r.txid);
	ck_assert_ptr_nonnull(t);
	ck_assert_int_eq(t->height, DESK_HEIGHT);
	ck_assert_int_eq(t->time_s, DESK_NOW);
	ck_assert(!t->spends_coinbase);
	ck_assert(!t->unbroadcast);
	ck_assert_uint_ne(t->sequence, 0);
	ck_assert_ptr_eq(mempool_find_wtxid(d.m, &d.r.wtxid), t);
}
END_TEST

START_TEST(a_test_changes_nothing)
{
	simple();
	ck_assert_int_eq(desk_slip(&d, &f, MEMPOOL_TEST), TX_ACCEPTED);
	ck_assert_uint_eq(desk_count(&d), 0);
	ck_assert_uint_eq(d.added, 0);
	ck_assert_int_eq(desk_slip(&d, &f, MEMPOOL_OURS), TX_ACCEPTED);
	ck_assert(mempool_find(d.m, &d.r.txid)->unbroadcast);
}
END_TEST

START_TEST(what_added_to_the_fee_counts)
{
	struct hash256 txid;

	simple();
	f.out[0].value = 100000;
	txid = slip_txid(&f);
	ck_assert_int_eq(desk_slip(&d, &f, 0), TX_RECONSIDERABLE);
	mempool_prioritise(d.m, &txid, 500);
	ck_assert_int_eq(desk_slip(&d, &f, 0), TX_ACCEPTED);
	ck_assert_int_eq(d.r.fee, 0);
	ck_assert_int_eq(d.r.chunk_fee, 500);
	ck_assert_int_eq(mempool_find(d.m, &txid)->delta, 500);
}
END_TEST

START_TEST(what_is_no_transaction_is_not_judged)
{
	struct buf *b = buf_new(9);

	b->n = 9;
	memset(buf_data(b), 0, 9);
	ck_assert_int_eq(desk_offer(&d, b, 0), TX_FAILED);
	ck_assert_int_eq(d.r.verdict.kind, V_UNKNOWN);
	ck_assert_int_eq(d.r.verdict.rc, E_PARSE);
	/* Bytes behind it. */
	simple();
	b = slip_buf(&f);
	ck_assert_int_eq(buf_reserve(&b, b->n + 1), 0);
	buf_data(b)[b->n++] = 0;
	ck_assert_int_eq(desk_offer(&d, b, 0), TX_FAILED);
}
END_TEST

START_TEST(rules_of_form_come_first)
{
	simple();
	f.out[0].value = -1;
	desk_slip(&d, &f, 0);
	desk_is(&d, TX_CONSENSUS, "bad-txns-vout-negative", "");
	ck_assert_int_eq(d.r.fee, -1);
	ck_assert_int_eq(d.r.vsize, -1);
	ck_assert_uint_eq(d.asked, 0);
}
END_TEST

START_TEST(a_coinbase_belongs_in_a_block)
{
	struct point none = {.index = UINT32_MAX};

	slip_from(&f, &none, 0);
	slip_sig(&f, script_easy());
	slip_pay(&f, 1000, script_easy());
	desk_slip(&d, &f, 0);
	desk_is(&d, TX_CONSENSUS, "coinbase", "");
}
END_TEST

START_TEST(only_standard_forms_are_taken)
{
	struct policy any = policy_default;

	simple();
	f.version = 4;
	desk_slip(&d, &f, 0);
	desk_is(&d, TX_NOT_STANDARD, "version", "");
	desk_fini(&d);
	any.require_standard = false;
	desk_init(&d, &any);
	desk_coin(&d, 100000, script_easy());
	ck_assert_int_eq(desk_slip(&d, &f, 0), TX_ACCEPTED);
}
END_TEST

START_TEST(sixty_five_bytes_are_the_least)
{
	struct point p = desk_coin(&d, 100000, script_easy());

	slip_easy(&f, &p);
	slip_pay(&f, 99000, script_anchor());
	desk_slip(&d, &f, 0);
	desk_is(&d, TX_NOT_STANDARD, "tx-size-small", "");
	/* 64 bytes it were; a script of OP_RETURN and four bytes makes 65. */
	f.out[0].script = slice_of((const uint8_t *)"\x6a\x03\x61\x61\x61", 5);
	f.out[0].value = 0;
	ck_assert_int_eq(desk_slip(&d, &f, 0), TX_ACCEPTED);
}
END_TEST

START_TEST(it_must_be_final_in_the_next_block)
{
	simple();
	f.lock_time = DESK_HEIGHT + 1;
	desk_slip(&d, &f, 0);
	desk_is(&d, TX_PREMATURE, "non-final", "");
	f.lock_time = DESK_MTP;
	desk_slip(&d, &f, 0);
	desk_is(&d, TX_PREMATURE, "non-final", "");
	f.lock_time = DESK_MTP - 1;
	ck_assert_int_eq(desk_slip(&d, &f, MEMPOOL_TEST), TX_ACCEPTED);
	f.lock_time = DESK_HEIGHT;
	ck_assert_int_eq(desk_slip(&d, &f, 0), TX_ACCEPTED);
}
END_TEST

START_TEST(what_is_here_is_not_taken_twice)
{
	struct point p = desk_coin(&d, 100000, script_anchor());
	struct hash256 wtxid;

	slip_from(&f, &p, 0);
	slip_pay(&f, 99000, script_easy());
	ck_assert_int_eq(desk_slip(&d, &f, 0), TX_ACCEPTED);
	wtxid = d.r.wtxid;
	desk_slip(&d, &f, 0);
	desk_is(&d, TX_CONFLICT, "txn-already-in-mempool", "");
	ck_assert(hash256_is_zero(&d.r.other));
	slip_item(&f, script_none());
	desk_slip(&d, &f, 0);
	desk_is(&d, TX_CONFLICT, "txn-same-nonwitness-data-in-mempool", "");
	ck_assert(hash256_eq(&d.r.other, &wtxid));
}
END_TEST

START_TEST(an_input_must_be_somewhere)
{
	struct point p = simple();

	d.n_coins = 0;
	desk_slip(&d, &f, 0);
	desk_is(&d, TX_MISSING_INPUTS, "bad-txns-inputs-missingorspent", "");
	/* A transaction of the pool that has no such output. */
	d.n_coins = 1;
	ck_assert_int_eq(desk_slip(&d, &f, 0), TX_ACCEPTED);
	p = slip_point(&f, 0);
	p.index = 1;
	slip_fini(&f);
	slip_init(&f);
	slip_easy(&f, &p);
	slip_pay(&f, 98000, script_easy());
	desk_slip(&d, &f, 0);
	desk_is(&d, TX_MISSING_INPUTS, "bad-txns-inputs-missingorspent", "");
}
END_TEST

START_TEST(one_that_is_in_a_block_is_known)
{
	struct point made;

	simple();
	slip_pay(&f, 500, script_easy());
	f.out[0].value = 98000;
	made = slip_point(&f, 1);
	/* Its input is spent, its second output is there. */
	d.coins[0].at = made;
	desk_slip(&d, &f, 0);
	desk_is(&d, TX_CONFLICT, "txn-already-known", "");
}
END_TEST

START_TEST(outputs_are_looked_for_up_to_a_bound)
{
	struct point p = simple();

	for (int i = 0; i < 500; i++)
		slip_pay(&f, 330, script_easy());
	d.n_coins = 0;
	desk_slip(&d, &f, 0);
	desk_is(&d, TX_MISSING_INPUTS, "bad-txns-inputs-missingorspent", "");
	ck_assert_uint_eq(d.asked, 1 + 64);
	(void)p;
}
END_TEST

START_TEST(relative_locks_hold_in_the_next_block)
{
	struct point p = desk_coin(&d, 100000, script_easy());

	desk_coin_at(&d, DESK_HEIGHT - 3, false);
	slip_easy(&f, &p);
	slip_pay(&f, 99000, script_easy());
	f.in[0].sequence = 5;
	desk_slip(&d, &f, 0);
	desk_is(&d, TX_PREMATURE, "non-BIP68-final", "");
	f.in[0].sequence = 4;
	ck_assert_int_eq(desk_slip(&d, &f, MEMPOOL_TEST), TX_ACCEPTED);
	/* Four blocks lie between, of 600 seconds each: 4 times 512 fit. */
	f.in[0].sequence = 1u << 22 | 5;
	desk_slip(&d, &f, 0);
	desk_is(&d, TX_PREMATURE, "non-BIP68-final", "");
	f.in[0].sequence = 1u << 22 | 4;
	ck_assert_int_eq(desk_slip(&d, &f, 0), TX_ACCEPTED);
}
END_TEST

START_TEST(a_parent_in_the_pool_is_taken_to_be_in_the_next_block)
{
	struct point p;

	simple();
	ck_assert_int_eq(desk_slip(&d, &f, 0), TX_ACCEPTED);
	p = slip_point(&f, 0);
	slip_fini(&f);
	slip_init(&f);
	slip_easy(&f, &p);
	slip_pay(&f, 98000, script_easy());
	f.in[0].sequence = 1;
	desk_slip(&d, &f, 0);
	desk_is(&d, TX_PREMATURE, "non-BIP68-final", "");
	f.in[0].sequence = 1u << 22 | 1;
	desk_slip(&d, &f, 0);
	desk_is(&d, TX_PREMATURE, "non-BIP68-final", "");
	f.in[0].sequence = 0;
	ck_assert_int_eq(desk_slip(&d, &f, 0), TX_ACCEPTED);
}
END_TEST

START_TEST(a_coinbase_must_be_old_enough)
{
	struct point p = desk_coin(&d, 100000, script_easy());

	desk_coin_at(&d, DESK_HEIGHT + 2 - COINBASE_MATURITY, true);
	slip_easy(&f, &p);
	slip_pay(&f, 99000, script_easy());
	desk_slip(&d, &f, 0);
	desk_is(&d, TX_PREMATURE, "bad-txns-premature-spend-of-coinbase",
		"tried to spend coinbase at depth 99");
	desk_coin_at(&d, DESK_HEIGHT + 1 - COINBASE_MATURITY, true);
	ck_assert_int_eq(desk_slip(&d, &f, 0), TX_ACCEPTED);
	ck_assert(mempool_find(d.m, &d.r.txid)->spends_coinbase);
}
END_TEST

START_TEST(no_more_goes_out_than_comes_in)
{
	simple();
	f.out[0].value = 100001;
	desk_slip(&d, &f, 0);
	desk_is(&d, TX_CONSENSUS, "bad-txns-in-belowout",
		"value in (0.001) < value out (0.00100001)");
}
END_TEST

START_TEST(inputs_must_spend_in_standard_ways)
{
	static const uint8_t op_1 = 0x51;
	struct point p = desk_coin(&d, 100000, slice_of(&op_1, 1));

	slip_from(&f, &p, 0);
	slip_pay(&f, 99000, script_easy());
	desk_slip(&d, &f, 0);
	desk_is(&d, TX_INPUTS_NOT_STANDARD, "bad-txns-nonstandard-inputs",
		"input 0 script unknown");
}
END_TEST

START_TEST(witnesses_must_be_within_their_limits)
{
	static const uint8_t item[81], op_1 = 0x51;
	struct point p = desk_coin(&d, 100000, script_easy());

	slip_from(&f, &p, 0);
	slip_item(&f, slice_of(item, 81));
	slip_item(&f, slice_of(&op_1, 1));
	slip_pay(&f, 99000, script_easy());
	desk_slip(&d, &f, 0);
	desk_is(&d, TX_WITNESS_MUTATED, "bad-witness-nonstandard", "");
}
END_TEST

START_TEST(dust_is_made_for_nothing_or_not_at_all)
{
	simple();
	slip_pay(&f, 1, script_easy());
	f.out[0].value = 99998;
	desk_slip(&d, &f, 0);
	desk_is(&d, TX_NOT_STANDARD, "dust",
		"tx with dust output must be 0-fee");
	/* Without a fee it is not wanted alone. */
	f.out[0].value = 99999;
	desk_slip(&d, &f, 0);
	desk_is(&d, TX_RECONSIDERABLE, "min relay fee not met", "0 < 14");
	/* Nor with a fee that is taken off again. */
	f.out[0].value = 99000;
	desk_slip(&d, &f, 0);
	mempool_prioritise(d.m, &d.r.txid, -999);
	desk_slip(&d, &f, 0);
	desk_is(&d, TX_NOT_STANDARD, "dust",
		"tx with dust output must be 0-fee");
	f.out[0].value = 99999;
	desk_slip(&d, &f, 0);
	/* Nor with one that was added. */
	mempool_prioritise(d.m, &d.r.txid, 1000);
	desk_slip(&d, &f, 0);
	desk_is(&d, TX_NOT_STANDARD, "dust",
		"tx with dust output must be 0-fee");
}
END_TEST

/* A bare multisig of one key that nobody has: 20 sigops, 80 of cost. */
static struct slice script_sigops(void)
{
	static uint8_t s[37] = {0x51, 0x21, 0x02, [35] = 0x51, [36] = 0xae};

	memset(s + 3, 1, 32);
	return slice_of(s, sizeof s);
}

START_TEST(sigops_have_a_limit)
{
	struct point p = desk_coin(&d, 100000000, script_easy());

	slip_easy(&f, &p);
	for (int i = 0; i < 200; i++)
		slip_pay(&f, 10000, script_sigops());
	ck_assert_int_eq(desk_slip(&d, &f, MEMPOOL_TEST), TX_ACCEPTED);
	ck_assert_int_eq(d.r.vsize, 16000 * 20 / 4);
	slip_pay(&f, 10000, script_sigops());
	desk_slip(&d, &f, 0);
	desk_is(&d, TX_NOT_STANDARD, "bad-txns-too-many-sigops", "16080");
}
END_TEST

START_TEST(a_minimum_is_paid)
{
	simple();
	f.out[0].value = 100000 - 9;
	desk_slip(&d, &f, 0);
	desk_is(&d, TX_RECONSIDERABLE, "min relay fee not met", "9 < 10");
	ck_assert_int_eq(d.r.fee, 9);
	ck_assert_int_eq(d.r.chunk_fee, 9);
	ck_assert_int_eq(d.r.chunk_vsize, 96);
	/* From a block it is taken all the same. */
	ck_assert_int_eq(desk_slip(&d, &f, MEMPOOL_TEST | MEMPOOL_TAKEN_OFF),
			 TX_ACCEPTED);
	f.out[0].value = 100000 - 10;
	ck_assert_int_eq(desk_slip(&d, &f, 0), TX_ACCEPTED);
}
END_TEST

START_TEST(a_pool_that_was_full_asks_for_more)
{
	char detail[64];
	struct mempool_stats s;
	struct point p;
	bool full = false;

	desk_fini(&d);
	desk_init_sized(&d, NULL, 40000);
	for (int i = 0; i < 100 && !full; i++) {
		p = desk_coin(&d, 100000, script_easy());
		desk_offer(&d, desk_pay(&p, 2, 3000 - i, NULL), 0);
		full = d.r.outcome != TX_ACCEPTED;
	}
	/* It paid less than those that are there, and had to leave. */
	desk_is(&d, TX_RECONSIDERABLE, "mempool full", "");
	ck_assert_int_eq(d.r.chunk_fee, d.r.fee);
	ck_assert_uint_eq(d.removed, 1);
	ck_assert_uint_eq(d.added - d.removed, desk_count(&d));
	mempool_stats(d.m, &s, DESK_NOW);
	ck_assert_int_gt(s.min_rate, 10000);
	p = desk_coin(&d, 100000, script_easy());
	desk_offer(&d, desk_pay(&p, 2, 900, NULL), 0);
	snprintf(detail, sizeof detail, "900 < %" PRId64,
		 rate_fee(s.min_rate, 96));
	desk_is(&d, TX_RECONSIDERABLE, "mempool min fee not met", detail);
	ck_assert_int_eq(
	    desk_offer(&d, desk_pay(&p, 2, rate_fee(s.min_rate, 96), NULL), 0),
	    TX_ACCEPTED);
}
END_TEST

START_TEST(clusters_have_a_limit)
{
	struct policy p = policy_default;
	struct point at, next;

	desk_fini(&d);
	p.cluster_count = 3;
	desk_init(&d, &p);
	at = desk_coin(&d, 100000, script_easy());
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(
		    desk_offer(&d, desk_pay(&at, 2, 1000, &next), 0),
		    TX_ACCEPTED);
		at = next;
	}
	desk_offer(&d, desk_pay(&at, 2, 1000, &next), 0);
	desk_is(&d, TX_POLICY, "too-large-cluster", "");
	/* From a block, too. */
	desk_offer(&d, desk_pay(&at, 2, 1000, &next), MEMPOOL_TAKEN_OFF);
	desk_is(&d, TX_POLICY, "too-large-cluster", "");
	ck_assert_uint_eq(desk_count(&d), 3);
}
END_TEST

START_TEST(scripts_must_hold_under_the_rules_of_relay)
{
	static const uint8_t op_2 = 0x52, nop10[] = {0x51, 0xb9};
	struct point p = desk_coin(&d, 100000, script_easy());
	uint8_t wsh[34];
	struct sha256 h;

	slip_from(&f, &p, 0);
	slip_item(&f, slice_of(&op_2, 1));
	slip_pay(&f, 99000, script_easy());
	desk_slip(&d, &f, 0);
	ck_assert_str_eq(d.r.verdict.reject,
			 "mempool-script-verify-flag-failed (Witness program "
			 "hash mismatch)");
	ck_assert_int_eq(d.r.outcome, TX_NOT_STANDARD);
	ck_assert_ptr_nonnull(strstr(d.r.verdict.detail, "input 0 of "));
	ck_assert_ptr_nonnull(strstr(d.r.verdict.detail,
				     "spending 0000000000000000000000000000000"
				     "000000000000000000000000000000001:0"));
	/* Valid in a block, but not passed on. */
	wsh[0] = 0;
	wsh[1] = 32;
	sha256_init(&h);
	sha256_put(&h, nop10, 2);
	sha256_end(&h, wsh + 2);
	d.coins[0].coin.script = slice_of(wsh, 34);
	f.items[0] = slice_of(nop10, 2);
	desk_slip(&d, &f, 0);
	ck_assert_str_eq(d.r.verdict.reject,
			 "mempool-script-verify-flag-failed (NOPx reserved for "
			 "soft-fork upgrades)");
	ck_assert_uint_eq(desk_count(&d), 0);
}
END_TEST

START_TEST(one_without_its_witness_was_stripped)
{
	struct point p = desk_coin(&d, 100000, script_easy());

	slip_from(&f, &p, 0);
	slip_pay(&f, 99000, script_easy());
	desk_slip(&d, &f, 0);
	desk_is(&d, TX_WITNESS_STRIPPED,
		"mempool-script-verify-flag-failed (Witness program was passed "
		"an empty witness)",
		NULL);
}
END_TEST

START_TEST(signatures_are_verified_and_remembered)
{
	struct point p = desk_coin(&d, 100000, script_wpkh());
	struct txout_view spent = {100000, script_wpkh()};
	uint8_t room[2][80];
	struct script_tx_key key;
	unsigned flags =
	    SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS | SCRIPT_VERIFY_TAPROOT;

	slip_from(&f, &p, 0);
	slip_pay(&f, 99000, script_easy());
	slip_sign(&f, 0, room);
	room[0][10] ^= 1;
	desk_slip(&d, &f, 0);
	ck_assert_int_eq(d.r.outcome, TX_NOT_STANDARD);
	script_tx_key(&key, d.cache, &d.r.wtxid, &spent, 1, flags);
	ck_assert(!script_cache_has_tx(d.cache, &key));
	room[0][10] ^= 1;
	d.signatures = 0;
	ck_assert_int_eq(desk_slip(&d, &f, 0), TX_ACCEPTED);
	/* As relay and as a block. */
	ck_assert_uint_eq(d.signatures, 2);
	script_tx_key(&key, d.cache, &d.r.wtxid, &spent, 1, flags);
	ck_assert(script_cache_has_tx(d.cache, &key));
}
END_TEST

START_TEST(the_disks_failure_is_no_verdict)
{
	simple();
	d.fails = E_IO;
	ck_assert_int_eq(desk_slip(&d, &f, 0), TX_FAILED);
	ck_assert_int_eq(d.r.verdict.kind, V_UNKNOWN);
	ck_assert_int_eq(d.r.verdict.rc, E_IO);
	ck_assert_uint_eq(desk_count(&d), 0);
	ck_assert_uint_eq(d.added, 0);
	/* At the coin alone; and behind one that is not there. */
	d.fails_at = d.asked + 1;
	ck_assert_int_eq(desk_slip(&d, &f, 0), TX_FAILED);
	d.n_coins = 0;
	d.fails_at = d.asked + 2;
	ck_assert_int_eq(desk_slip(&d, &f, 0), TX_FAILED);
	ck_assert_int_eq(d.r.verdict.rc, E_IO);
}
END_TEST

START_TEST(coins_of_different_scripts_are_kept_apart)
{
	struct point p = desk_coin(&d, 100000, script_easy()),
		     q = desk_coin(&d, 100000, script_anchor());

	slip_easy(&f, &p);
	slip_from(&f, &q, 0);
	slip_pay(&f, 199000, script_easy());
	ck_assert_int_eq(desk_slip(&d, &f, 0), TX_ACCEPTED);
}
END_TEST

START_TEST(one_from_a_block_comes_before_what_came_since)
{
	struct point p = desk_coin(&d, 100000, script_easy()), a, b;
	struct buf *parent = desk_pay(&p, 2, 0, &a);
	struct buf *child;

	/* The child came while the parent was in a block. */
	d.coins[0].at = a;
	d.coins[0].coin.value = a.value;
	child = desk_pay(&a, 2, 1000, &b);
	ck_assert_int_eq(desk_offer(&d, child, 0), TX_ACCEPTED);
	d.coins[0].at = p;
	d.coins[0].coin.value = p.value;
	ck_assert_int_eq(desk_offer(&d, parent, MEMPOOL_TAKEN_OFF),
			 TX_ACCEPTED);
	ck_assert_uint_eq(mempool_find(d.m, &a.txid)->sequence, 0);
	ck_assert_uint_eq(desk_count(&d), 2);
}
END_TEST

/* Breaks all rules from the first on that one transaction can break. */
struct broken {
	const char *told;
	void (*mend)(void);
};
static void mend_value(void)
{
	f.out[0].value = 200000;
}
static void mend_version(void)
{
	f.version = 3;
}
static void mend_final(void)
{
	f.lock_time = 0;
}
static void mend_missing(void)
{
	d.n_coins = 2;
}
static void mend_lock(void)
{
	f.in[0].sequence = 0;
}
static void mend_young(void)
{
	desk_coin_at(&d, 100, true);
}
static void mend_amount(void)
{
	f.out[0].value = 100000 - 1;
}
static void mend_input(void)
{
	d.coins[0].coin.script = script_easy();
}
static void mend_witness(void)
{
	static const uint8_t op_2[2] = {0x52, 0x52};

	f.items[0] = slice_of(op_2, 1);
	f.items[1] = slice_of(op_2, 1);
}
static void mend_dust(void)
{
	f.out[1].value = 1000;
	f.out[0].value -= 1000;
}
static void mend_rate(void)
{
	f.out[0].value -= 20000;
}
static void mend_size(void)
{
	f.n_out = 2;
}

START_TEST(what_breaks_several_rules_is_told_the_first)
{
	static const uint8_t op_1 = 0x51;
	static const uint8_t big[200];
	static const struct broken all[] = {
	    {"bad-txns-vout-negative", mend_value},
	    {"version", mend_version},
	    {"non-final", mend_final},
	    {"bad-txns-inputs-missingorspent", mend_missing},
	    {"non-BIP68-final", mend_lock},
	    {"bad-txns-premature-spend-of-coinbase", mend_young},
	    {"bad-txns-in-belowout", mend_amount},
	    {"bad-txns-nonstandard-inputs", mend_input},
	    {"bad-witness-nonstandard", mend_witness},
	    {"dust", mend_dust},
	    {"min relay fee not met", mend_rate},
	    {"TRUC-violation", mend_size},
	};
	struct point p = desk_coin(&d, 50000, slice_of(&op_1, 1)), q;

	q = desk_coin(&d, 50000, script_easy());
	desk_coin_at(&d, DESK_HEIGHT, true);
	slip_from(&f, &p, 0xffff);
	slip_item(&f, slice_of(big, 81));
	slip_item(&f, slice_of(&op_1, 1));
	slip_easy(&f, &q);
	slip_pay(&f, -1, script_easy());
	slip_pay(&f, 0, script_easy());
	for (int i = 0; i < 1100; i++)
		slip_pay(&f, 0, script_none());
	f.version = 4;
	f.lock_time = DESK_HEIGHT + 1;
	d.n_coins = 1;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		desk_slip(&d, &f, 0);
		ck_assert_str_eq(d.r.verdict.reject, all[i].told);
		all[i].mend();
	}
	desk_slip(&d, &f, 0);
	ck_assert_str_eq(d.r.verdict.reject,
			 "mempool-script-verify-flag-failed (Witness program "
			 "hash mismatch)");
}
END_TEST

Suite *accept_suite(void)
{
	Suite *s = suite_create("accept");
	TCase *t = tcase_create("accept");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_transaction_is_taken_and_told_what_it_pays);
	tcase_add_test(t, a_test_changes_nothing);
	tcase_add_test(t, what_added_to_the_fee_counts);
	tcase_add_test(t, what_is_no_transaction_is_not_judged);
	tcase_add_test(t, rules_of_form_come_first);
	tcase_add_test(t, a_coinbase_belongs_in_a_block);
	tcase_add_test(t, only_standard_forms_are_taken);
	tcase_add_test(t, sixty_five_bytes_are_the_least);
	tcase_add_test(t, it_must_be_final_in_the_next_block);
	tcase_add_test(t, what_is_here_is_not_taken_twice);
	tcase_add_test(t, an_input_must_be_somewhere);
	tcase_add_test(t, one_that_is_in_a_block_is_known);
	tcase_add_test(t, outputs_are_looked_for_up_to_a_bound);
	tcase_add_test(t, relative_locks_hold_in_the_next_block);
	tcase_add_test(t,
		       a_parent_in_the_pool_is_taken_to_be_in_the_next_block);
	tcase_add_test(t, a_coinbase_must_be_old_enough);
	tcase_add_test(t, no_more_goes_out_than_comes_in);
	tcase_add_test(t, inputs_must_spend_in_standard_ways);
	tcase_add_test(t, witnesses_must_be_within_their_limits);
	tcase_add_test(t, dust_is_made_for_nothing_or_not_at_all);
	tcase_add_test(t, sigops_have_a_limit);
	tcase_add_test(t, a_minimum_is_paid);
	tcase_add_test(t, a_pool_that_was_full_asks_for_more);
	tcase_add_test(t, clusters_have_a_limit);
	tcase_add_test(t, scripts_must_hold_under_the_rules_of_relay);
	tcase_add_test(t, one_without_its_witness_was_stripped);
	tcase_add_test(t, signatures_are_verified_and_remembered);
	tcase_add_test(t, the_disks_failure_is_no_verdict);
	tcase_add_test(t, coins_of_different_scripts_are_kept_apart);
	tcase_add_test(t, one_from_a_block_comes_before_what_came_since);
	tcase_add_test(t, what_breaks_several_rules_is_told_the_first);
	suite_add_tcase(s, t);
	return s;
}
