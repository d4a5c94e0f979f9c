/* The coins cache, one claim a test; test_coinview_model.c compares it with a
 * model through anything that may happen. */
#include "coinbed.h"
#include "coinmodel.h"
#include "suites.h"

#include <cairn/base/endian.h>
#include <cairn/base/err.h>
#include <cairn/base/thread.h>
#include <cairn/store/kv.h>

#include <string.h>
#include <time.h>

/*
 * One claim each.
 */

START_TEST(coinview_opens_empty_with_no_block)
{
	ck_assert_int_eq(bed.at.height, -1);
	ck_assert(!bed.rec.needed);
	bed_expect(0, 0);
	bed_spend(0, 0);
	ck_assert_uint_eq(bed_disk_coins(), 0);
	ck_assert_uint_eq(bed_stats().coins, 0);
}
END_TEST

START_TEST(coinview_keeps_coins_and_marker_over_a_flush_and_a_restart)
{
	bed_add(1, 11, true);
	bed_add(2, 22, true);
	bed_boundary(0);
	bed_flush(0);
	ck_assert_int_eq(bed.syncs, 1);
	bed_reopen(NULL);
	ck_assert_int_eq(bed.at.height, 0);
	ck_assert_uint_eq(le32_get(bed.at.hash.b), 1);
	ck_assert(!bed.rec.needed);
	bed_expect(1, 11);
	bed_expect(2, 22);
	bed_expect(3, 0);
}
END_TEST

START_TEST(coinview_without_a_flush_restarts_where_it_was)
{
	bed_add(1, 11, true);
	bed_flush(0);
	bed_add(2, 22, true);
	bed_spend(1, 11);
	bed_boundary(1);
	bed_reopen(NULL);
	ck_assert_int_eq(bed.at.height, 0);
	bed_expect(1, 11);
	bed_expect(2, 0);
}
END_TEST

START_TEST(coinview_fresh_coin_spent_before_a_flush_leaves_nothing)
{
	struct coinview_stats s;

	bed_add(1, 11, true);
	bed_spend(1, 11);
	s = bed_stats();
	ck_assert_uint_eq(s.coins, 0);
	bed_expect(1, 0);
	bed_spend(1, 0);
	bed_flush(0);
	ck_assert_uint_eq(bed_disk_coins(), 0);
}
END_TEST

START_TEST(coinview_spent_coin_of_a_lower_level_is_deleted_there)
{
	bed_add(1, 11, true);
	bed_add(2, 22, true);
	bed_flush(0);
	bed_spend(1, 11);
	bed_expect(1, 0);
	bed_spend(1, 0);
	bed_flush(1);
	bed_expect(1, 0);
	ck_assert_uint_eq(bed_disk_coins(), 1);
	bed_reopen(NULL);
	bed_expect(1, 0);
	bed_expect(2, 22);
}
END_TEST

/* A claim of freshness that a lower level contradicts must not hide it: the
 * coin would come back from there once the new one is spent. */
START_TEST(coinview_fresh_is_refused_where_a_lower_level_knows_the_outpoint)
{
	bed_add(1, 11, true);
	bed_flush(0);
	bed_spend(1, 11);
	bed_add(1, 12, true); /* active had a tombstone */
	bed_spend(1, 12);
	bed_expect(1, 0);
	bed_flush(1);
	bed_expect(1, 0);
	ck_assert_uint_eq(bed_disk_coins(), 0);
}
END_TEST

START_TEST(coinview_overwritten_coin_is_deleted_when_spent)
{
	bed_add(1, 11, true);
	bed_flush(0);
	bed_add(1, 12, false);
	bed_expect(1, 12);
	bed_spend(1, 12);
	bed_expect(1, 0);
	bed_flush(1);
	ck_assert_uint_eq(bed_disk_coins(), 0);
}
END_TEST

START_TEST(coinview_restored_coin_reaches_the_disk_again)
{
	bed_add(1, 11, true);
	bed_flush(0);
	bed_spend(1, 11);
	bed_flush(1);
	bed_add(1, 11, false);
	bed_flush(0);
	bed_reopen(NULL);
	bed_expect(1, 11);
}
END_TEST

START_TEST(coinview_gives_out_a_coin_that_can_be_added_back)
{
	static const uint32_t seeds[] = {11, 22 * 7, 25};
	uint8_t op[36], other[36];
	struct coin c;
	int round, i;

	for (i = 0; i < 3; i++) {
		/* Fresh, in frozen or young, and read from disk. */
		for (round = 0; round < 3; round++) {
			model_outpoint(op, i);
			model_outpoint(other, 50 + i);
			bed_add(i, seeds[i], round == 0);
			if (round)
				bed_flush(round);
			if (round == 2)
				bed_reopen(NULL);
			ck_assert_int_eq(coinview_spend(bed.v, &c, op), 0);
			ck_assert_int_eq(coinview_add(bed.v, other, &c, false),
					 0);
			bed_expect(50 + i, seeds[i]);
			bed_expect(i, 0);
			bed_spend(50 + i, seeds[i]);
		}
	}
}
END_TEST

START_TEST(coinview_force_takes_any_state)
{
	uint8_t op[36], script[MODEL_SCRIPT];
	struct coin c = model_coin(5, script);

	model_outpoint(op, 1);
	ck_assert_int_eq(coinview_force(bed.v, op, NULL), 0);
	bed_expect(1, 0);
	ck_assert_int_eq(coinview_force(bed.v, op, &c), 0);
	ck_assert_int_eq(coinview_force(bed.v, op, &c), 0);
	bed_expect(1, 5);
	bed_flush(0);
	ck_assert_int_eq(coinview_force(bed.v, op, NULL), 0);
	bed_expect(1, 0);
	bed_flush(1);
	ck_assert_uint_eq(bed_disk_coins(), 0);
}
END_TEST

START_TEST(coinview_holds_the_longest_script)
{
	static uint8_t script[COIN_SCRIPT_MAX];
	struct coin c = {.value = 1, .script = slice_of(script, sizeof script)};
	uint8_t op[36];
	struct coin got;
	int k;

	memset(script, 0x51, sizeof script);
	for (k = 0; k < MODEL_OUTPOINTS; k++) {
		model_outpoint(op, k);
		ck_assert_int_eq(coinview_add(bed.v, op, &c, true), 0);
	}
	bed_flush(0);
	bed_reopen(NULL);
	for (k = 0; k < MODEL_OUTPOINTS; k++) {
		model_outpoint(op, k);
		ck_assert_int_eq(coinview_spend(bed.v, &got, op), 0);
		ck_assert(slice_eq(got.script, c.script));
	}
}
END_TEST

START_TEST(coinview_says_corrupt_for_a_value_that_is_no_coin)
{
	struct kv_batch *b = kv_batch_new();
	uint8_t op[36], key[COIN_KEY];
	struct coin c;
	const uint8_t *ops[1] = {op};

	model_outpoint(op, 1);
	key[0] = 'C';
	memcpy(key + 1, op, 32);
	be32_put(key + 33, le32_get(op + 32));
	kv_batch_put(b, slice_of(key, sizeof key), slice_of("\x01", 1));
	ck_assert_int_eq(kv_write(bed.kv, b, false), 0);
	kv_batch_free(b);
	ck_assert_int_eq(coinview_get(bed.v, &c, op), E_CORRUPT);
	ck_assert_int_eq(coinview_spend(bed.v, &c, op), E_CORRUPT);
	ck_assert_int_eq(coinview_prefetch(bed.v, ops, 1), E_CORRUPT);
}
END_TEST

START_TEST(coinview_refuses_markers_that_cannot_be)
{
	static const char *const keys[] = {"M", "F"};
	struct kv_batch *b = kv_batch_new();

	kv_batch_put(b, slice_of(keys[_i], 1), slice_of("short", 5));
	ck_assert_int_eq(kv_write(bed.kv, b, false), 0);
	kv_batch_free(b);
	coinview_close(bed.v);
	bed.v = NULL;
	ck_assert_int_eq(
	    coinview_open(&bed.v, &bed.at, &bed.rec, bed.kv, &bed.cfg),
	    E_CORRUPT);
	ck_assert_ptr_null(bed.v);
	kv_close(bed.kv);
}
END_TEST

START_TEST(coinview_flushes_after_max_unflushed_blocks_by_itself)
{
	struct coinview_cfg cfg = {.budget = 1 << 20, .max_unflushed = 10};
	int h;

	bed_reopen(&cfg);
	for (h = 0; h < 200; h++) {
		bed_add(h % MODEL_OUTPOINTS, (uint32_t)h + 1, false);
		bed_boundary(h);
		ck_assert_uint_le(bed_stats().unflushed, 10);
	}
	ck_assert_uint_ge(bed_stats().flushes, 15);
	bed_reopen(NULL);
	/* Whatever was not yet written is at most the bound. */
	ck_assert_int_ge(bed.rec.needed ? bed.rec.to.height : bed.at.height,
			 189);
}
END_TEST

START_TEST(coinview_want_flush_flushes_at_the_next_boundary)
{
	bed_add(1, 11, true);
	bed_boundary(0);
	ck_assert_uint_eq(bed_stats().unflushed, 1);
	coinview_want_flush(bed.v);
	bed_add(2, 22, true);
	bed_boundary(1);
	bed_flush(1);
	ck_assert_uint_eq(bed_stats().flushes, 1);
	ck_assert_uint_eq(bed_stats().unflushed, 0);
}
END_TEST

START_TEST(coinview_flush_of_nothing_writes_nothing)
{
	bed_add(1, 11, true);
	bed_flush(0);
	ck_assert_uint_eq(bed_stats().flushes, 1);
	bed_flush(0);
	ck_assert_uint_eq(bed_stats().flushes, 1);
	/* A marker that moved is something. */
	bed_flush(1);
	ck_assert_uint_eq(bed_stats().flushes, 2);
	bed_reopen(NULL);
	ck_assert_int_eq(bed.at.height, 1);
}
END_TEST

static int sync_fails(void *arg)
{
	(void)arg;
	return E_NOSPACE;
}

START_TEST(coinview_returns_a_failure_for_good_and_writes_nothing_after)
{
	struct coin_marker m = bed_mark(1);

	bed_add(1, 11, true);
	bed_flush(0);
	coinview_set_sync(bed.v, sync_fails, NULL);
	bed_add(2, 22, true);
	ck_assert_int_eq(coinview_flush(bed.v, &m), E_NOSPACE);
	coinview_set_sync(bed.v, bed_sync, &bed);
	ck_assert_int_eq(coinview_flush(bed.v, &m), E_NOSPACE);
	ck_assert_int_eq(coinview_boundary(bed.v, &m), E_NOSPACE);
	/* What is in memory can still be read. */
	bed_expect(1, 11);
	bed_expect(2, 22);
	bed_reopen(NULL);
	ck_assert_int_eq(bed.at.height, 0);
	ck_assert(!bed.rec.needed);
	bed_expect(2, 0);
}
END_TEST

START_TEST(coinview_interrupt_ends_flushing)
{
	struct coin_marker m = bed_mark(1);

	bed_add(1, 11, true);
	bed_flush(0);
	coinview_interrupt(bed.v);
	bed_add(2, 22, true);
	ck_assert_int_eq(coinview_flush(bed.v, &m), E_STOPPING);
	ck_assert_int_eq(coinview_boundary(bed.v, &m), E_STOPPING);
	bed_reopen(NULL);
	ck_assert_int_eq(bed.at.height, 0);
	bed_expect(1, 11);
	bed_expect(2, 0);
}
END_TEST

/* A flush that waits until it is let go. */
static bool gate_open;

static int sync_waits(void *arg)
{
	struct timespec t = {.tv_nsec = 1000000};

	while (!__atomic_load_n(&gate_open, __ATOMIC_ACQUIRE))
		nanosleep(&t, NULL);
	return bed_sync(arg);
}

static void freeze_and_hold(int32_t height)
{
	__atomic_store_n(&gate_open, false, __ATOMIC_RELEASE);
	coinview_set_sync(bed.v, sync_waits, &bed);
	coinview_want_flush(bed.v);
	bed_boundary(height);
}

static void let_go(void)
{
	__atomic_store_n(&gate_open, true, __ATOMIC_RELEASE);
}

START_TEST(coinview_goes_on_over_a_generation_that_is_being_written)
{
	bed_add(1, 11, true);
	bed_add(2, 22, true);
	bed_add(3, 33, true);
	bed_flush(0);
	bed_spend(3, 33);
	bed_add(4, 44, true);
	freeze_and_hold(1);
	bed_expect(1, 11);
	bed_expect(3, 0);
	bed_expect(4, 44);
	bed_spend(1, 11);
	bed_spend(4, 44);
	bed_expect(4, 0);
	bed_add(3, 34, false);
	bed_add(5, 55, true);
	bed_boundary(2);
	ck_assert_uint_eq(bed_stats().flushes, 1);
	ck_assert_uint_eq(bed_stats().unflushed, 2);
	let_go();
	bed_flush(2);
	bed_expect(1, 0);
	bed_expect(2, 22);
	bed_expect(3, 34);
	bed_expect(4, 0);
	bed_expect(5, 55);
	ck_assert_uint_eq(bed_disk_coins(), 3);
	bed_reopen(NULL);
	bed_expect(3, 34);
	bed_expect(4, 0);
}
END_TEST

START_TEST(coinview_fresh_is_not_believed_where_frozen_holds_the_coin)
{
	bed_add(1, 11, true);
	freeze_and_hold(0);
	bed_add(1, 12, true);
	bed_spend(1, 12);
	bed_expect(1, 0);
	let_go();
	bed_flush(1);
	bed_expect(1, 0);
	ck_assert_uint_eq(bed_disk_coins(), 0);
}
END_TEST

static void open_gate_later(void *arg)
{
	nanosleep(arg, NULL);
	let_go();
}

START_TEST(coinview_counts_a_stall_when_the_flush_holds_it_up)
{
	struct coinview_cfg cfg = {.budget = 1 << 20, .max_unflushed = 4};
	struct timespec t = {.tv_nsec = 20000000};
	pthread_t helper;
	int h;

	bed_reopen(&cfg);
	bed_add(1, 11, true);
	freeze_and_hold(0);
	for (h = 1; h < 3; h++) {
		bed_add(h + 1, 22, true);
		bed_boundary(h);
		ck_assert_uint_eq(bed_stats().stalls, 0);
	}
	/* The next would be the fifth on the way. */
	thread_start(&helper, "gate", open_gate_later, &t);
	bed_boundary(3);
	pthread_join(helper, NULL);
	ck_assert_uint_eq(bed_stats().stalls, 1);
	ck_assert_uint_le(bed_stats().unflushed, 4);
}
END_TEST

/*
 * Budget.
 */

START_TEST(coinview_keeps_its_budget)
{
	struct coinview_cfg cfg = {.budget = 512 << 10, .max_unflushed = 1000};
	uint8_t op[36] = {0}, script[25];
	struct coin c = model_coin(1, script), got;
	uint32_t made = 0, i;
	int h;

	bed_reopen(&cfg);
	for (h = 0; h < 400; h++) {
		for (i = 0; i < 100; i++) {
			le32_put(op, made++);
			ck_assert_int_eq(coinview_add(bed.v, op, &c, true), 0);
		}
		bed_boundary(h);
		/* A block is 100 coins of 72 bytes and what a growing table
		 * adds: slots for twice as many. */
		ck_assert_uint_le(bed_stats().bytes, cfg.budget + (96 << 10));
	}
	ck_assert_uint_gt(bed_stats().flushes, 4);
	bed_flush(h);
	for (i = 0; i < made; i++) {
		le32_put(op, i);
		ck_assert_int_eq(coinview_get(bed.v, &got, op), 0);
	}
	bed_boundary(h + 1);
	bed_boundary(h + 2);
	ck_assert_uint_le(bed_stats().bytes, cfg.budget + (96 << 10));
	ck_assert_uint_eq(bed_disk_coins(), made);
}
END_TEST

START_TEST(coinview_keeps_written_coins_in_memory_while_the_budget_allows)
{
	struct coinview_cfg cfg = {.budget = 4 << 20, .max_unflushed = 10};
	uint8_t op[36] = {0}, script[25];
	struct coin c = model_coin(1, script);
	uint32_t made = 0, i;
	int h;

	bed_reopen(&cfg);
	for (h = 0; h < 100; h++) {
		for (i = 0; i < 50; i++) {
			le32_put(op, made++);
			ck_assert_int_eq(coinview_add(bed.v, op, &c, true), 0);
		}
		bed_boundary(h);
	}
	bed_flush(h);
	for (i = 0; i < 10; i++)
		bed_boundary(h + 1 + (int)i);
	ck_assert_uint_ge(bed_stats().flushes, 10);
	ck_assert_uint_eq(bed_stats().coins, made);
}
END_TEST

#define BIG 600000
#ifdef CAIRN_DEBUG
#define BIG_S 100 /* sanitized builds are slow */
#else
#define BIG_S 10
#endif

static double cpu_s(void)
{
	struct timespec t;

	ck_assert_int_eq(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t), 0);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Entries leave a generation in the order of its slots. Were that the order in
 * the next one too, they would pile up at its beginning: minutes instead of a
 * fraction of a second for these. */
START_TEST(coinview_moves_a_large_generation_in_linear_time)
{
	struct coinview_cfg cfg = {.budget = 1u << 30, .max_unflushed = 10000};
	uint8_t op[36] = {0}, script[25];
	struct coin c = model_coin(1, script);
	double start = cpu_s();
	uint32_t i;

	bed_reopen(&cfg);
	for (i = 0; i < BIG; i++) {
		le32_put(op, i);
		ck_assert(coinview_add(bed.v, op, &c, true) == 0);
	}
	bed_flush(0);
	for (i = 1; i <= BIG / 1000 + 1; i++)
		bed_boundary((int)i);
	ck_assert_uint_eq(bed_stats().coins, BIG);
	ck_assert_msg(cpu_s() - start < BIG_S, "%f s", cpu_s() - start);
}
END_TEST

/* As after a reorganisation: forth and back between two flushes. */
START_TEST(coinview_flush_back_to_its_own_block_needs_no_recovery)
{
	struct coinview_cfg cfg = {
	    .budget = 1 << 20, .max_unflushed = 1000, .batch = 60};
	struct coin_marker k = bed_mark(0);
	int i;

	bed_reopen(&cfg);
	for (i = 0; i < MODEL_OUTPOINTS; i++)
		bed_add(i, (uint32_t)i + 1, true);
	bed_flush(0);
	for (i = 0; i < MODEL_OUTPOINTS; i++)
		bed_spend(i, (uint32_t)i + 1);
	bed_boundary(1);
	for (i = 0; i < MODEL_OUTPOINTS; i++)
		bed_add(i, (uint32_t)i + 1, false);
	bed_boundary(0);
	/* The log already holds what the first flush wrote. */
	limit_files(12000);
	ck_assert_int_eq(coinview_flush(bed.v, &k), E_NOSPACE);
	limit_files(RLIM_INFINITY);
	bed_reopen(NULL);
	ck_assert(!bed.rec.needed);
	ck_assert_int_eq(bed.at.height, 0);
	for (i = 0; i < MODEL_OUTPOINTS; i++)
		bed_expect(i, (uint32_t)i + 1);
	bed_add(200 % MODEL_OUTPOINTS, 7, false);
	bed_flush(1);
	bed_reopen(NULL);
	ck_assert(!bed.rec.needed);
	ck_assert_int_eq(bed.at.height, 1);
}
END_TEST

START_TEST(coinview_empty_takes_little_memory)
{
	struct coinview_cfg cfg = {.budget = 450u << 20, .max_unflushed = 500};

	bed_reopen(&cfg);
	ck_assert_uint_le(bed_stats().bytes, 64 << 10);
}
END_TEST

static TCase *claims(void)
{
	TCase *t = tcase_create("claims");

	tcase_add_checked_fixture(t, bed_setup, bed_teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, coinview_opens_empty_with_no_block);
	tcase_add_test(
	    t, coinview_keeps_coins_and_marker_over_a_flush_and_a_restart);
	tcase_add_test(t, coinview_without_a_flush_restarts_where_it_was);
	tcase_add_test(t,
		       coinview_fresh_coin_spent_before_a_flush_leaves_nothing);
	tcase_add_test(t,
		       coinview_spent_coin_of_a_lower_level_is_deleted_there);
	tcase_add_test(
	    t,
	    coinview_fresh_is_refused_where_a_lower_level_knows_the_outpoint);
	tcase_add_test(t, coinview_overwritten_coin_is_deleted_when_spent);
	tcase_add_test(t, coinview_restored_coin_reaches_the_disk_again);
	tcase_add_test(t, coinview_gives_out_a_coin_that_can_be_added_back);
	tcase_add_test(t, coinview_force_takes_any_state);
	tcase_add_test(t, coinview_holds_the_longest_script);
	tcase_add_test(t, coinview_says_corrupt_for_a_value_that_is_no_coin);
	tcase_add_loop_test(t, coinview_refuses_markers_that_cannot_be, 0, 2);
	tcase_add_test(t,
		       coinview_flushes_after_max_unflushed_blocks_by_itself);
	tcase_add_test(t, coinview_want_flush_flushes_at_the_next_boundary);
	tcase_add_test(t, coinview_flush_of_nothing_writes_nothing);
	tcase_add_test(
	    t, coinview_returns_a_failure_for_good_and_writes_nothing_after);
	tcase_add_test(t, coinview_interrupt_ends_flushing);
	tcase_add_test(
	    t, coinview_goes_on_over_a_generation_that_is_being_written);
	tcase_add_test(
	    t, coinview_fresh_is_not_believed_where_frozen_holds_the_coin);
	tcase_add_test(t, coinview_counts_a_stall_when_the_flush_holds_it_up);
	tcase_add_test(t, coinview_keeps_its_budget);
	tcase_add_test(
	    t, coinview_keeps_written_coins_in_memory_while_the_budget_allows);
	tcase_add_test(t, coinview_moves_a_large_generation_in_linear_time);
	tcase_add_test(t,
		       coinview_flush_back_to_its_own_block_needs_no_recovery);
	tcase_add_test(t, coinview_empty_takes_little_memory);
	return t;
}

Suite *coinview_suite(void)
{
	Suite *s = suite_create("coinview");

	suite_add_tcase(s, claims());
	return s;
}
