/*
 * Rules of single transactions: each with a transaction that breaks only it, at
 * the edge where it has one; Bitcoin Core's own list of transactions that fail;
 * subsidy, finality, relative locks, legacy sigops.
 */
#include "../testdata.h"
#include "model.h"
#include "suites.h"
#include "txmake.h"

#include <cairn/base/mem.h>
#include <cairn/base/rand.h>
#include <cairn/base/text.h>
#include <cairn/consensus/check.h>
#include <cairn/params/params.h>
#include <cairn/wire/txparts.h>

#include <stdio.h>
#include <stdlib.h>

#define FINAL 0xffffffffu

static const uint8_t zeros[1000000];

static struct slice script_of(size_t n)
{
	return slice_of(zeros, n);
}

static struct verdict check_one_in(struct txmake *t, uint32_t id,
				   uint32_t index, size_t script)
{
	struct tx_view v;

	txmake_begin(t, 1, 1);
	txmake_in(t, id, index, script_of(script), FINAL);
	txmake_outs(t, 1);
	txmake_out(t, 1, script_of(1));
	txmake_end(t, &v, 0);
	return tx_check(&v);
}

static struct verdict check_outs(struct txmake *t, const int64_t *values,
				 uint32_t n)
{
	struct tx_view v;
	uint32_t i;

	txmake_begin(t, 1, 1);
	txmake_in(t, 7, 0, script_of(0), FINAL);
	txmake_outs(t, n);
	for (i = 0; i < n; i++)
		txmake_out(t, values[i], script_of(1));
	txmake_end(t, &v, 0);
	return tx_check(&v);
}

START_TEST(tx_check_refuses_empty_lists)
{
	struct tx_view none = {.base_size = 10};
	struct verdict v = tx_check(&none);
	struct txmake t;

	assert_refused(&v, INV_CONSENSUS, "bad-txns-vin-empty", "no inputs");
	txmake_init(&t);
	v = check_outs(&t, NULL, 0);
	assert_refused(&v, INV_CONSENSUS, "bad-txns-vout-empty", "no outputs");
	txmake_fini(&t);
}
END_TEST

START_TEST(tx_check_allows_a_million_bytes_without_witness)
{
	struct txmake t;
	struct verdict v;

	txmake_init(&t);
	/* 4 + 1 + 36 + 5 + script + 4 + 1 + 8 + 1 + 1 + 4. */
	v = check_one_in(&t, 7, 0, 1000000 - 65);
	ck_assert_uint_eq(t.n, 1000000);
	assert_valid(&v, "one million");
	v = check_one_in(&t, 7, 0, 1000000 - 64);
	assert_refused(&v, INV_CONSENSUS, "bad-txns-oversize", "one more");
	txmake_fini(&t);
}
END_TEST

START_TEST(tx_check_bounds_amounts)
{
	static const struct {
		int64_t values[3];
		uint32_t n;
		const char *reject;
	} rows[] = {
	    {{0}, 1, NULL},
	    {{MAX_MONEY}, 1, NULL},
	    {{MAX_MONEY, 0}, 2, NULL},
	    {{MAX_MONEY - 1, 1}, 2, NULL},
	    {{-1}, 1, "bad-txns-vout-negative"},
	    {{INT64_MIN}, 1, "bad-txns-vout-negative"},
	    {{MAX_MONEY + 1}, 1, "bad-txns-vout-toolarge"},
	    {{INT64_MAX}, 1, "bad-txns-vout-toolarge"},
	    {{MAX_MONEY, 1}, 2, "bad-txns-txouttotal-toolarge"},
	    {{1, MAX_MONEY}, 2, "bad-txns-txouttotal-toolarge"},
	    /* The sum speaks before the next output does. */
	    {{MAX_MONEY, 1, -1}, 3, "bad-txns-txouttotal-toolarge"},
	};
	struct txmake t;
	size_t i;

	txmake_init(&t);
	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct verdict v = check_outs(&t, rows[i].values, rows[i].n);
		char what[16];

		snprintf(what, sizeof what, "row %zu", i);
		if (rows[i].reject)
			assert_refused(&v, INV_CONSENSUS, rows[i].reject, what);
		else
			assert_valid(&v, what);
	}
	txmake_fini(&t);
}
END_TEST

/* n inputs, all different but for one pair where pair is true. */
static struct verdict check_many(struct txmake *t, uint32_t n, bool pair,
				 struct rand *r)
{
	uint32_t from = (uint32_t)rand_below(r, n), to, i;
	struct tx_view v;

	to = (from + 1 + (uint32_t)rand_below(r, n - 1)) % n;
	txmake_begin(t, 1, n);
	for (i = 0; i < n; i++) {
		uint32_t k = pair && i == to ? from : i;

		/* Neighbours share a txid: the index must count too. */
		txmake_in(t, 1 + k / 2, k % 2, script_of(0), FINAL);
	}
	txmake_outs(t, 1);
	txmake_out(t, 1, script_of(1));
	txmake_end(t, &v, 0);
	return tx_check(&v);
}

/* n inputs whose outpoints differ only where no number taken from their front
 * and index tells them apart; with pair the last is the first. */
static struct verdict check_colliding(uint32_t n, bool pair)
{
	uint8_t(*op)[OUTPOINT_SIZE] = calloc(n, sizeof *op);
	struct txin_view *in = calloc(n, sizeof *in);
	struct txout_view out = {1, slice_of(NULL, 0)};
	struct tx_msg m = {.n_in = n, .n_out = 1, .in = in, .out = &out};
	struct verdict verdict;
	struct tx_view v;
	struct rd r;
	uint8_t *raw;

	ck_assert(op && in);
	for (uint32_t i = 0; i < n; i++) {
		le32_put(op[i] + 28, pair && i == n - 1 ? 0 : i);
		in[i] = (struct txin_view){.prevout = op[i], .sequence = 1};
	}
	raw = malloc(tx_size(&m));
	ck_assert_ptr_nonnull(raw);
	rd_init(&r, slice_of(raw, (size_t)(tx_put(raw, &m) - raw)));
	ck_assert(tx_view_parse(&v, &r));
	verdict = tx_check(&v);
	free(raw);
	free(in);
	free(op);
	return verdict;
}

START_TEST(tx_check_finds_a_repeat_among_outpoints_made_to_collide)
{
	static const uint32_t many[] = {24, 25, 60, 5000, 24000};
	struct verdict v;
	char what[24];

	for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
		snprintf(what, sizeof what, "%u inputs", many[i]);
		v = check_colliding(many[i], false);
		assert_valid(&v, what);
		v = check_colliding(many[i], true);
		assert_refused(&v, INV_CONSENSUS, "bad-txns-inputs-duplicate",
			       what);
	}
}
END_TEST

START_TEST(tx_check_finds_a_repeated_input_at_any_number)
{
	struct txmake t;
	struct verdict v;
	struct rand r;
	char what[24];
	uint32_t n;

	txmake_init(&t);
	rand_seed(&r, 21);
	for (n = 2; n < 70; n++) {
		snprintf(what, sizeof what, "%u inputs", n);
		v = check_many(&t, n, false, &r);
		assert_valid(&v, what);
		v = check_many(&t, n, true, &r);
		assert_refused(&v, INV_CONSENSUS, "bad-txns-inputs-duplicate",
			       what);
	}
	v = check_many(&t, 24000, false, &r);
	assert_valid(&v, "24000 inputs");
	v = check_many(&t, 24000, true, &r);
	assert_refused(&v, INV_CONSENSUS, "bad-txns-inputs-duplicate",
		       "24000 inputs");
	txmake_fini(&t);
}
END_TEST

START_TEST(tx_check_bounds_the_coinbase_script)
{
	struct txmake t;
	struct verdict v;

	txmake_init(&t);
	v = check_one_in(&t, 0, 0xffffffffu, 1);
	assert_refused(&v, INV_CONSENSUS, "bad-cb-length", "1 byte");
	v = check_one_in(&t, 0, 0xffffffffu, 2);
	assert_valid(&v, "2 bytes");
	v = check_one_in(&t, 0, 0xffffffffu, 100);
	assert_valid(&v, "100 bytes");
	v = check_one_in(&t, 0, 0xffffffffu, 101);
	assert_refused(&v, INV_CONSENSUS, "bad-cb-length", "101 bytes");
	/* Not a coinbase: either half of the outpoint is not null. */
	v = check_one_in(&t, 0, 0xfffffffeu, 1);
	assert_valid(&v, "other index");
	v = check_one_in(&t, 1, 0xffffffffu, 1);
	assert_valid(&v, "other txid");
	txmake_fini(&t);
}
END_TEST

START_TEST(tx_check_refuses_a_null_prevout_among_inputs)
{
	struct txmake t;
	struct tx_view view;
	struct verdict v;

	txmake_init(&t);
	txmake_begin(&t, 1, 2);
	txmake_in(&t, 7, 0, script_of(0), FINAL);
	txmake_in(&t, 0, 0xffffffffu, script_of(2), FINAL);
	txmake_outs(&t, 1);
	txmake_out(&t, 1, script_of(1));
	txmake_end(&t, &view, 0);
	v = tx_check(&view);
	assert_refused(&v, INV_CONSENSUS, "bad-txns-prevout-null", "second");
	txmake_fini(&t);
}
END_TEST

/* In the order of the file. */
static const char *const badtx[] = {
    "bad-txns-vout-empty",
    "bad-txns-vout-negative",
    "bad-txns-vout-toolarge",
    "bad-txns-txouttotal-toolarge",
    "bad-txns-inputs-duplicate",
    "bad-cb-length",
    "bad-cb-length",
    "bad-txns-prevout-null",
    "bad-txns-prevout-null",
};

START_TEST(tx_check_refuses_bitcoin_core_s_bad_transactions)
{
	const char *at, *start;
	char *text;
	size_t i, n;

	if (td_missing())
		return;
	text = td_read_text("vectors/core/tx_invalid.json");
	/* Each stands as "<hex>", "BADTX"] */
	at = strstr(text, "\", \"BADTX\"]");
	for (i = 0; at; i++, at = strstr(at + 1, "\", \"BADTX\"]")) {
		struct tx_view view;
		struct verdict v;
		struct rd r;
		uint8_t *bytes;

		for (start = at; start[-1] != '"'; start--)
			;
		bytes = td_hex(start, (size_t)(at - start), &n);
		rd_init(&r, slice_of(bytes, n));
		ck_assert(tx_view_parse(&view, &r));
		v = tx_check(&view);
		ck_assert_uint_lt(i, sizeof badtx / sizeof *badtx);
		assert_refused(&v, INV_CONSENSUS, badtx[i], "BADTX");
		free(bytes);
	}
	ck_assert_uint_eq(i, sizeof badtx / sizeof *badtx);
	free(text);
}
END_TEST

START_TEST(block_subsidy_sums_to_the_known_supply)
{
	const struct params *p = params_get(CHAIN_MAIN);
	int64_t sum = 0;
	int32_t h;

	for (h = 0; h < 210000 * 70; h += 1000) {
		int64_t s = block_subsidy(h, p);

		ck_assert_int_eq(s, block_subsidy(h + 999, p));
		sum += s * 1000;
	}
	ck_assert_int_eq(sum, 2099999997690000);
	ck_assert(sum <= MAX_MONEY);
}
END_TEST

START_TEST(block_subsidy_halves_at_its_heights)
{
	const struct params *p = params_get(CHAIN_MAIN);

	ck_assert_int_eq(block_subsidy(209999, p), 50 * COIN);
	ck_assert_int_eq(block_subsidy(210000, p), 25 * COIN);
	ck_assert_int_eq(block_subsidy(210000 * 33 - 1, p), 1);
	ck_assert_int_eq(block_subsidy(210000 * 33, p), 0);
	ck_assert_int_eq(block_subsidy(INT32_MAX, p), 0);
	p = params_get(CHAIN_REGTEST);
	ck_assert_int_eq(block_subsidy(149, p), 50 * COIN);
	ck_assert_int_eq(block_subsidy(150, p), 25 * COIN);
	/* From 64 halvings on a shift would be undefined. */
	ck_assert_int_eq(block_subsidy(150 * 64, p), 0);
	ck_assert_int_eq(block_subsidy(150 * 65, p), 0);
}
END_TEST

static const struct {
	uint32_t lock_time, sequence;
	int32_t height;
	int64_t time_s;
	bool final;
} finals[] = {
    {0, 0, 0, 0, true},
    {100, 0, 100, 0, false},
    {100, 0, 101, 0, true},
    {100, FINAL, 100, 0, true},
    {100, FINAL - 1, 100, 0, false},
    {499999999, 0, 499999999, 2000000000, false},
    {500000000, 0, 600000000, 500000000, false},
    {500000000, 0, 0, 500000001, true},
    {FINAL, 0, 0, 4294967295, false},
    {FINAL, 0, 0, 4294967296, true},
    {FINAL, FINAL, 0, 0, true},
};

START_TEST(tx_is_final_compares_height_or_time)
{
	struct txmake t;
	struct tx_view v;

	txmake_init(&t);
	txmake_begin(&t, 1, 2);
	txmake_in(&t, 7, 0, script_of(0), FINAL);
	txmake_in(&t, 8, 0, script_of(0), finals[_i].sequence);
	txmake_outs(&t, 1);
	txmake_out(&t, 1, script_of(1));
	txmake_end(&t, &v, finals[_i].lock_time);
	ck_assert_int_eq(tx_is_final(&v, finals[_i].height, finals[_i].time_s),
			 finals[_i].final);
	txmake_fini(&t);
}
END_TEST

#define TIME_LOCK    (1u << 22)
#define DISABLE_LOCK (1u << 31)

/* One input of a coin at height 1000 whose parent block has time 1,000,000. */
static const struct {
	int32_t version;
	uint32_t sequence;
	int32_t height;
	int64_t time_s;
} locks[] = {
    {2, 0, 999, -1},
    {2, 1, 1000, -1},
    {2, 0xffff, 66534, -1},
    /* Bits beyond the mask mean nothing. */
    {2, 0x10000 | 5, 1004, -1},
    {2, TIME_LOCK, -1, 999999},
    {2, TIME_LOCK | 1, -1, 1000511},
    {2, TIME_LOCK | 0xffff, -1, 1000000 + 65535LL * 512 - 1},
    {2, DISABLE_LOCK, -1, -1},
    {2, DISABLE_LOCK | TIME_LOCK | 9, -1, -1},
    {2, FINAL, -1, -1},
    {1, 5, -1, -1},
    {1, TIME_LOCK | 5, -1, -1},
    {0, 5, -1, -1},
    /* Versions are compared unsigned. */
    {-1, 5, 1004, -1},
    {INT32_MIN, 5, 1004, -1},
};

START_TEST(seq_lock_add_reads_sequences_as_bip68_says)
{
	struct seq_lock l = seq_lock_none();

	seq_lock_add(&l, locks[_i].version, locks[_i].sequence, 1000, 1000000);
	ck_assert_int_eq(l.height, locks[_i].height);
	ck_assert_int_eq(l.time_s, locks[_i].time_s);
	ck_assert_int_eq(seq_is_time(locks[_i].version, locks[_i].sequence),
			 locks[_i].time_s != -1);
}
END_TEST

START_TEST(seq_lock_keeps_the_latest_of_all_inputs)
{
	struct seq_lock l = seq_lock_none();

	ck_assert(seq_lock_ok(&l, 0, 0));
	seq_lock_add(&l, 2, 10, 1000, 0);
	seq_lock_add(&l, 2, 5, 1000, 0);
	seq_lock_add(&l, 2, TIME_LOCK | 2, 0, 5000);
	seq_lock_add(&l, 2, TIME_LOCK | 1, 0, 5000);
	ck_assert_int_eq(l.height, 1009);
	ck_assert_int_eq(l.time_s, 6023);
	seq_lock_add(&l, 2, 10, 1001, 0);
	seq_lock_add(&l, 2, TIME_LOCK | 2, 0, 5001);
	ck_assert_int_eq(l.height, 1010);
	ck_assert_int_eq(l.time_s, 6024);
	ck_assert(seq_lock_ok(&l, 1011, 6025));
	ck_assert(!seq_lock_ok(&l, 1010, 6025));
	ck_assert(!seq_lock_ok(&l, 1011, 6024));
}
END_TEST

START_TEST(tx_legacy_sigops_counts_inputs_and_outputs)
{
	/* CHECKSIG, CHECKMULTISIG (20), a push that hides one. */
	static const uint8_t script[] = {0xac, 0x52, 0xae, 0x01, 0xac};
	struct txmake t;
	struct tx_view v;

	txmake_init(&t);
	txmake_begin(&t, 1, 2);
	txmake_in(&t, 7, 0, slice_of(script, sizeof script), FINAL);
	txmake_in(&t, 8, 0, slice_of(script, 1), FINAL);
	txmake_outs(&t, 2);
	txmake_out(&t, 1, slice_of(script, sizeof script));
	txmake_out(&t, 1, slice_of(script, 0));
	txmake_end(&t, &v, 0);
	ck_assert_uint_eq(tx_legacy_sigops(&v), 21 + 1 + 21);
	struct block_view b = {.tx = (struct tx_view[]){v, v, v}, .n_tx = 3};
	ck_assert_uint_eq(block_legacy_sigops(&b), 3 * 43);
	txmake_fini(&t);
}
END_TEST

#define ADD_ROWS(t, test, rows)                                                \
	tcase_add_loop_test(t, test, 0, sizeof rows / sizeof *rows)

Suite *check_suite(void)
{
	Suite *s = suite_create("check");
	TCase *c = tcase_create("tx_check"), *m = tcase_create("money"),
	      *l = tcase_create("locks");

	tcase_add_test(c, tx_check_refuses_empty_lists);
	tcase_add_test(c, tx_check_allows_a_million_bytes_without_witness);
	tcase_add_test(c, tx_check_bounds_amounts);
	tcase_add_test(c, tx_check_finds_a_repeated_input_at_any_number);
	tcase_add_test(c,
		       tx_check_finds_a_repeat_among_outpoints_made_to_collide);
	tcase_add_test(c, tx_check_bounds_the_coinbase_script);
	tcase_add_test(c, tx_check_refuses_a_null_prevout_among_inputs);
	tcase_add_test(c, tx_check_refuses_bitcoin_core_s_bad_transactions);
	tcase_add_test(c, tx_legacy_sigops_counts_inputs_and_outputs);
	suite_add_tcase(s, c);
	tcase_add_test(m, block_subsidy_sums_to_the_known_supply);
	tcase_add_test(m, block_subsidy_halves_at_its_heights);
	suite_add_tcase(s, m);
	ADD_ROWS(l, tx_is_final_compares_height_or_time, finals);
	ADD_ROWS(l, seq_lock_add_reads_sequences_as_bip68_says, locks);
	tcase_add_test(l, seq_lock_keeps_the_latest_of_all_inputs);
	suite_add_tcase(s, l);
	return s;
}
