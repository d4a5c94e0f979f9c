/*
 * The coins cache against the plain model, through reorganisations, flushes,
 * interrupted flushes, kills and prefetches that come late.
 */
#include "coinmodel.h"
#include "suites.h"

#include <cairn/base/endian.h>
#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>
#include <cairn/base/thread.h>
#include <cairn/chain/coins.h>
#include <cairn/store/kv.h>

#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A view over a database in a scratch folder. */
struct bed {
	char *dir, *db;
	struct kv *kv;
	struct coinview *v;
	struct coinview_cfg cfg;
	struct coin_marker at;
	struct coin_recovery rec;
	int syncs; /* atomic: calls of the sync function */
};

static struct bed bed;

static int on_sync(void *arg)
{
	struct bed *b = arg;

	__atomic_add_fetch(&b->syncs, 1, __ATOMIC_RELAXED);
	return 0;
}

static void bed_open(void)
{
	ck_assert_int_eq(coins_db_open(&bed.kv, bed.db, 1 << 20), 0);
	ck_assert_int_eq(
	    coinview_open(&bed.v, &bed.at, &bed.rec, bed.kv, &bed.cfg), 0);
	coinview_set_sync(bed.v, on_sync, &bed);
}

static void bed_close(void)
{
	coinview_close(bed.v);
	kv_close(bed.kv);
	bed.v = NULL;
	bed.kv = NULL;
}

static void setup(void)
{
	char *log;

	memset(&bed, 0, sizeof bed);
	bed.dir = scratch_new();
	bed.db = path_join(bed.dir, "coins");
	log = path_join(bed.dir, "log");
	ck_assert_int_eq(log_open_file(log), 0);
	free(log);
	signal(SIGXFSZ, SIG_IGN);
	bed.cfg =
	    (struct coinview_cfg){.budget = 1 << 20, .max_unflushed = 100};
	bed_open();
}

static void teardown(void)
{
	if (bed.v)
		bed_close();
	log_close();
	scratch_free(bed.dir);
	free(bed.db);
}

static void reopen(const struct coinview_cfg *cfg)
{
	bed_close();
	if (cfg)
		bed.cfg = *cfg;
	bed_open();
}

static struct coin_marker mark(int32_t height)
{
	struct coin_marker m = {.height = height};

	le32_put(m.hash.b, (uint32_t)height + 1);
	return m;
}

static void add(int k, uint32_t seed, bool fresh)
{
	uint8_t op[36], script[MODEL_SCRIPT];
	struct coin c = model_coin(seed, script);

	model_outpoint(op, k);
	ck_assert_int_eq(coinview_add(bed.v, op, &c, fresh), 0);
}

static void spend(int k, uint32_t seed)
{
	uint8_t op[36];
	struct coin c;

	model_outpoint(op, k);
	ck_assert_int_eq(coinview_spend(bed.v, &c, op), seed ? 0 : E_NOTFOUND);
	if (seed)
		model_same(&c, seed);
}

static void expect(int k, uint32_t seed)
{
	uint8_t op[36];
	struct coin c;

	model_outpoint(op, k);
	ck_assert_int_eq(coinview_get(bed.v, &c, op), seed ? 0 : E_NOTFOUND);
	if (seed)
		model_same(&c, seed);
}

static void boundary(int32_t height)
{
	struct coin_marker m = mark(height);

	ck_assert_int_eq(coinview_boundary(bed.v, &m), 0);
}

static void flush(int32_t height)
{
	struct coin_marker m = mark(height);

	ck_assert_int_eq(coinview_flush(bed.v, &m), 0);
}

static size_t disk_coins(void)
{
	struct coin_snapshot *s;
	uint8_t op[36];
	struct coin c;
	size_t n = 0;

	ck_assert_int_eq(coin_snapshot_open(&s, bed.v), 0);
	while (coin_snapshot_next(s, op, &c) == 1)
		n++;
	coin_snapshot_close(s);
	return n;
}

static struct coinview_stats stats(void)
{
	struct coinview_stats s;

	coinview_stats(bed.v, &s);
	return s;
}

/* A full disk, played by a limit on the size of files. */
static void limit_files(rlim_t n)
{
	struct rlimit l;

	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &l), 0);
	l.rlim_cur = n;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &l), 0);
}

/*
 * One claim each.
 */

START_TEST(coinview_opens_empty_with_no_block)
{
	ck_assert_int_eq(bed.at.height, -1);
	ck_assert(!bed.rec.needed);
	expect(0, 0);
	spend(0, 0);
	ck_assert_uint_eq(disk_coins(), 0);
	ck_assert_uint_eq(stats().coins, 0);
}
END_TEST

START_TEST(coinview_keeps_coins_and_marker_over_a_flush_and_a_restart)
{
	add(1, 11, true);
	add(2, 22, true);
	boundary(0);
	flush(0);
	ck_assert_int_eq(bed.syncs, 1);
	reopen(NULL);
	ck_assert_int_eq(bed.at.height, 0);
	ck_assert_uint_eq(le32_get(bed.at.hash.b), 1);
	ck_assert(!bed.rec.needed);
	expect(1, 11);
	expect(2, 22);
	expect(3, 0);
}
END_TEST

START_TEST(coinview_without_a_flush_restarts_where_it_was)
{
	add(1, 11, true);
	flush(0);
	add(2, 22, true);
	spend(1, 11);
	boundary(1);
	reopen(NULL);
	ck_assert_int_eq(bed.at.height, 0);
	expect(1, 11);
	expect(2, 0);
}
END_TEST

START_TEST(coinview_fresh_coin_spent_before_a_flush_leaves_nothing)
{
	struct coinview_stats s;

	add(1, 11, true);
	spend(1, 11);
	s = stats();
	ck_assert_uint_eq(s.coins, 0);
	expect(1, 0);
	spend(1, 0);
	flush(0);
	ck_assert_uint_eq(disk_coins(), 0);
}
END_TEST

START_TEST(coinview_spent_coin_of_a_lower_level_is_deleted_there)
{
	add(1, 11, true);
	add(2, 22, true);
	flush(0);
	spend(1, 11);
	expect(1, 0);
	spend(1, 0);
	flush(1);
	expect(1, 0);
	ck_assert_uint_eq(disk_coins(), 1);
	reopen(NULL);
	expect(1, 0);
	expect(2, 22);
}
END_TEST

/* A claim of freshness that a lower level contradicts must not hide it: the
 * coin would come back from there once the new one is spent. */
START_TEST(coinview_fresh_is_refused_where_a_lower_level_knows_the_outpoint)
{
	add(1, 11, true);
	flush(0);
	spend(1, 11);
	add(1, 12, true); /* active had a tombstone */
	spend(1, 12);
	expect(1, 0);
	flush(1);
	expect(1, 0);
	ck_assert_uint_eq(disk_coins(), 0);
}
END_TEST

START_TEST(coinview_overwritten_coin_is_deleted_when_spent)
{
	add(1, 11, true);
	flush(0);
	add(1, 12, false);
	expect(1, 12);
	spend(1, 12);
	expect(1, 0);
	flush(1);
	ck_assert_uint_eq(disk_coins(), 0);
}
END_TEST

START_TEST(coinview_restored_coin_reaches_the_disk_again)
{
	add(1, 11, true);
	flush(0);
	spend(1, 11);
	flush(1);
	add(1, 11, false);
	flush(0);
	reopen(NULL);
	expect(1, 11);
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
			add(i, seeds[i], round == 0);
			if (round)
				flush(round);
			if (round == 2)
				reopen(NULL);
			ck_assert_int_eq(coinview_spend(bed.v, &c, op), 0);
			ck_assert_int_eq(coinview_add(bed.v, other, &c, false),
					 0);
			expect(50 + i, seeds[i]);
			expect(i, 0);
			spend(50 + i, seeds[i]);
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
	expect(1, 0);
	ck_assert_int_eq(coinview_force(bed.v, op, &c), 0);
	ck_assert_int_eq(coinview_force(bed.v, op, &c), 0);
	expect(1, 5);
	flush(0);
	ck_assert_int_eq(coinview_force(bed.v, op, NULL), 0);
	expect(1, 0);
	flush(1);
	ck_assert_uint_eq(disk_coins(), 0);
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
	flush(0);
	reopen(NULL);
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

	reopen(&cfg);
	for (h = 0; h < 200; h++) {
		add(h % MODEL_OUTPOINTS, (uint32_t)h + 1, false);
		boundary(h);
		ck_assert_uint_le(stats().unflushed, 10);
	}
	ck_assert_uint_ge(stats().flushes, 15);
	reopen(NULL);
	/* Whatever was not yet written is at most the bound. */
	ck_assert_int_ge(bed.rec.needed ? bed.rec.to.height : bed.at.height,
			 189);
}
END_TEST

START_TEST(coinview_want_flush_flushes_at_the_next_boundary)
{
	add(1, 11, true);
	boundary(0);
	ck_assert_uint_eq(stats().unflushed, 1);
	coinview_want_flush(bed.v);
	add(2, 22, true);
	boundary(1);
	flush(1);
	ck_assert_uint_eq(stats().flushes, 1);
	ck_assert_uint_eq(stats().unflushed, 0);
}
END_TEST

START_TEST(coinview_flush_of_nothing_writes_nothing)
{
	add(1, 11, true);
	flush(0);
	ck_assert_uint_eq(stats().flushes, 1);
	flush(0);
	ck_assert_uint_eq(stats().flushes, 1);
	/* A marker that moved is something. */
	flush(1);
	ck_assert_uint_eq(stats().flushes, 2);
	reopen(NULL);
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
	struct coin_marker m = mark(1);

	add(1, 11, true);
	flush(0);
	coinview_set_sync(bed.v, sync_fails, NULL);
	add(2, 22, true);
	ck_assert_int_eq(coinview_flush(bed.v, &m), E_NOSPACE);
	coinview_set_sync(bed.v, on_sync, &bed);
	ck_assert_int_eq(coinview_flush(bed.v, &m), E_NOSPACE);
	ck_assert_int_eq(coinview_boundary(bed.v, &m), E_NOSPACE);
	/* What is in memory can still be read. */
	expect(1, 11);
	expect(2, 22);
	reopen(NULL);
	ck_assert_int_eq(bed.at.height, 0);
	ck_assert(!bed.rec.needed);
	expect(2, 0);
}
END_TEST

START_TEST(coinview_interrupt_ends_flushing)
{
	struct coin_marker m = mark(1);

	add(1, 11, true);
	flush(0);
	coinview_interrupt(bed.v);
	add(2, 22, true);
	ck_assert_int_eq(coinview_flush(bed.v, &m), E_STOPPING);
	ck_assert_int_eq(coinview_boundary(bed.v, &m), E_STOPPING);
	reopen(NULL);
	ck_assert_int_eq(bed.at.height, 0);
	expect(1, 11);
	expect(2, 0);
}
END_TEST

/*
 * Prefetch.
 */

static struct coin_prefetch *want(int k)
{
	struct coin_prefetch *p = coin_prefetch_new(bed.v);
	uint8_t op[36];

	model_outpoint(op, k);
	coin_prefetch_add(p, op);
	return p;
}

START_TEST(prefetch_brings_coins_into_the_cache)
{
	uint8_t op[MODEL_OUTPOINTS][36];
	const uint8_t *ops[MODEL_OUTPOINTS];
	int k;

	for (k = 0; k < MODEL_OUTPOINTS; k++) {
		model_outpoint(op[k], k);
		ops[k] = op[k];
		if (k % 2)
			add(k, (uint32_t)k, true);
	}
	flush(0);
	reopen(NULL);
	ck_assert_int_eq(coinview_prefetch(bed.v, ops, MODEL_OUTPOINTS), 0);
	/* Misses are not kept. */
	ck_assert_uint_eq(stats().coins, MODEL_OUTPOINTS / 2);
	for (k = 0; k < MODEL_OUTPOINTS; k++)
		expect(k, k % 2 ? (uint32_t)k : 0);
	ck_assert_int_eq(coinview_prefetch(bed.v, ops, 0), 0);
}
END_TEST

START_TEST(prefetch_lists_only_what_the_cache_does_not_hold)
{
	struct coin_prefetch *p;

	add(1, 11, true);
	add(2, 22, true);
	flush(0);
	reopen(NULL);
	expect(1, 11);
	spend(2, 22);
	p = want(1);
	ck_assert_uint_eq(coin_prefetch_len(p), 0);
	ck_assert_int_eq(coin_prefetch_merge(bed.v, p), 0);
	p = want(2);
	ck_assert_uint_eq(coin_prefetch_len(p), 0);
	ck_assert_int_eq(coin_prefetch_merge(bed.v, p), 0);
	p = want(3);
	ck_assert_uint_eq(coin_prefetch_len(p), 1);
	ck_assert_int_eq(coin_prefetch_merge(bed.v, p), 0);
}
END_TEST

START_TEST(prefetch_never_overwrites_what_changed_meanwhile)
{
	struct coin_prefetch *p;

	add(1, 11, true);
	flush(0);
	reopen(NULL);
	p = want(1);
	coin_prefetch_read(p);
	spend(1, 11);
	ck_assert_int_eq(coin_prefetch_merge(bed.v, p), 0);
	expect(1, 0);
}
END_TEST

/* The read saw the coin; then the coin was spent, the spend written and the
 * generation that knew of it dropped. */
START_TEST(prefetch_delayed_across_the_flush_that_deletes_its_coin_is_dropped)
{
	struct coin_prefetch *p;
	int h;

	add(1, 11, true);
	flush(0);
	reopen(NULL);
	p = want(1);
	coin_prefetch_read(p);
	spend(1, 11);
	flush(1);
	/* Boundaries move frozen on until it is gone. */
	for (h = 2; h < 6; h++)
		boundary(h);
	ck_assert_int_eq(coin_prefetch_merge(bed.v, p), 0);
	expect(1, 0);
	spend(1, 0);
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

	reopen(&cfg);
	for (h = 0; h < 400; h++) {
		for (i = 0; i < 100; i++) {
			le32_put(op, made++);
			ck_assert_int_eq(coinview_add(bed.v, op, &c, true), 0);
		}
		boundary(h);
		/* A block is 100 coins of 72 bytes and what a growing table
		 * adds: slots for twice as many. */
		ck_assert_uint_le(stats().bytes, cfg.budget + (96 << 10));
	}
	ck_assert_uint_gt(stats().flushes, 4);
	flush(h);
	for (i = 0; i < made; i++) {
		le32_put(op, i);
		ck_assert_int_eq(coinview_get(bed.v, &got, op), 0);
	}
	boundary(h + 1);
	boundary(h + 2);
	ck_assert_uint_le(stats().bytes, cfg.budget + (96 << 10));
	ck_assert_uint_eq(disk_coins(), made);
}
END_TEST

START_TEST(coinview_keeps_written_coins_in_memory_while_the_budget_allows)
{
	struct coinview_cfg cfg = {.budget = 4 << 20, .max_unflushed = 10};
	uint8_t op[36] = {0}, script[25];
	struct coin c = model_coin(1, script);
	uint32_t made = 0, i;
	int h;

	reopen(&cfg);
	for (h = 0; h < 100; h++) {
		for (i = 0; i < 50; i++) {
			le32_put(op, made++);
			ck_assert_int_eq(coinview_add(bed.v, op, &c, true), 0);
		}
		boundary(h);
	}
	flush(h);
	for (i = 0; i < 10; i++)
		boundary(h + 1 + (int)i);
	ck_assert_uint_ge(stats().flushes, 10);
	ck_assert_uint_eq(stats().coins, made);
}
END_TEST

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
	struct coinview_cfg cfg = {.budget = 1u << 30, .max_unflushed = 1000};
	uint8_t op[36] = {0}, script[25];
	struct coin c = model_coin(1, script);
	double start = cpu_s();
	uint32_t i;

	reopen(&cfg);
	for (i = 0; i < 300000; i++) {
		le32_put(op, i);
		ck_assert(coinview_add(bed.v, op, &c, true) == 0);
	}
	flush(0);
	for (i = 1; stats().bytes > 33u << 20 && i < 400; i++)
		boundary((int)i);
	ck_assert_uint_eq(stats().coins, 300000);
	ck_assert_msg(cpu_s() - start < 10, "%f s", cpu_s() - start);
}
END_TEST

/* As after a reorganisation: forth and back between two flushes. */
START_TEST(coinview_flush_back_to_its_own_block_needs_no_recovery)
{
	struct coinview_cfg cfg = {
	    .budget = 1 << 20, .max_unflushed = 1000, .batch = 60};
	struct coin_marker k = mark(0);
	int i;

	reopen(&cfg);
	for (i = 0; i < MODEL_OUTPOINTS; i++)
		add(i, (uint32_t)i + 1, true);
	flush(0);
	for (i = 0; i < MODEL_OUTPOINTS; i++)
		spend(i, (uint32_t)i + 1);
	boundary(1);
	for (i = 0; i < MODEL_OUTPOINTS; i++)
		add(i, (uint32_t)i + 1, false);
	boundary(0);
	/* The log already holds what the first flush wrote. */
	limit_files(12000);
	ck_assert_int_eq(coinview_flush(bed.v, &k), E_NOSPACE);
	limit_files(RLIM_INFINITY);
	reopen(NULL);
	ck_assert(!bed.rec.needed);
	ck_assert_int_eq(bed.at.height, 0);
	for (i = 0; i < MODEL_OUTPOINTS; i++)
		expect(i, (uint32_t)i + 1);
	add(200 % MODEL_OUTPOINTS, 7, false);
	flush(1);
	reopen(NULL);
	ck_assert(!bed.rec.needed);
	ck_assert_int_eq(bed.at.height, 1);
}
END_TEST

START_TEST(coinview_empty_takes_little_memory)
{
	struct coinview_cfg cfg = {.budget = 450u << 20, .max_unflushed = 500};

	reopen(&cfg);
	ck_assert_uint_le(stats().bytes, 64 << 10);
}
END_TEST

/*
 * The property: whatever happens in whatever order, the cache answers as the
 * model does, and what is on disk is a state of the model or said to be none.
 */

struct delayed {
	struct coin_prefetch *p;
	pthread_t thread;
	bool running;
};

static void read_prefetch(void *arg)
{
	coin_prefetch_read(arg);
}

static void delayed_start(struct delayed *d, struct rand *r)
{
	uint8_t op[36];
	int n = (int)rand_below(r, 40);

	d->p = coin_prefetch_new(bed.v);
	while (n--) {
		model_outpoint(op, (int)rand_below(r, MODEL_OUTPOINTS));
		coin_prefetch_add(d->p, op);
	}
	d->running = rand_below(r, 2) == 0;
	if (d->running)
		thread_start(&d->thread, "read", read_prefetch, d->p);
	else
		coin_prefetch_read(d->p);
}

static void delayed_end(struct delayed *d)
{
	if (!d->p)
		return;
	if (d->running)
		pthread_join(d->thread, NULL);
	ck_assert_int_eq(coin_prefetch_merge(bed.v, d->p), 0);
	d->p = NULL;
}

static void nap(struct rand *r, uint64_t max_us)
{
	struct timespec t = {.tv_nsec = (long)rand_below(r, max_us) * 1000};

	nanosleep(&t, NULL);
}

/* Come back after the view was closed with a flush unfinished or not: gives the
 * block that the cache is at then. */
static int come_back(const struct model *m)
{
	int to = bed.at.height < 0 ? 0 : model_block_of(&bed.at);

	if (!bed.rec.needed)
		return to;
	ck_assert_mem_eq(&bed.rec.from, &bed.at, sizeof bed.at);
	model_replay(m, bed.v, to, model_block_of(&bed.rec.to));
	return model_block_of(&bed.rec.to);
}

/* Stop in the middle of things, by an interrupt at some time or at once. */
static int crash(const struct model *m, struct rand *r)
{
	if (rand_below(r, 2)) {
		nap(r, 400);
		coinview_interrupt(bed.v);
	}
	reopen(NULL);
	return come_back(m);
}

/* A flush for which the disk has so many bytes left; true when it was cut off.
 */
static bool cut_flush(const struct coin_marker *k, rlim_t room)
{
	int rc;

	limit_files(room);
	rc = coinview_flush(bed.v, k);
	limit_files(RLIM_INFINITY);
	ck_assert(rc == 0 || rc == E_NOSPACE);
	return rc != 0;
}

/* From where a restart came out back to step i of the walk. */
static void catch_up(const struct model *m, int at, int to)
{
	int path[4096];
	int n = 0, b = to;
	struct coin_marker k;

	while (at != b) {
		if (m->blocks[at].height >= m->blocks[b].height) {
			model_move(m, bed.v, at, m->blocks[at].parent);
			at = m->blocks[at].parent;
			k = model_marker(m, at);
			ck_assert_int_eq(coinview_boundary(bed.v, &k), 0);
		} else {
			ck_assert_int_lt(n, 4096);
			path[n++] = b;
			b = m->blocks[b].parent;
		}
	}
	while (n-- > 0) {
		model_move(m, bed.v, at, path[n]);
		at = path[n];
		k = model_marker(m, at);
		ck_assert_int_eq(coinview_boundary(bed.v, &k), 0);
	}
}

static struct coinview_cfg random_cfg(struct rand *r)
{
	static const size_t budgets[] = {0, 40 << 10, 80 << 10, 1 << 20};
	struct coinview_cfg cfg = {
	    .budget = budgets[rand_below(r, 4)],
	    .max_unflushed = 1 + (uint32_t)rand_below(r, 30),
	    .batch = rand_below(r, 3) ? 60 : 400,
	};

	return cfg;
}

#define PROPERTY_STEPS 400

START_TEST(coinview_is_the_plain_map_whatever_happens)
{
	struct delayed late = {.p = NULL};
	struct coinview_cfg cfg;
	struct coin_marker k;
	struct model m;
	struct rand r;
	int i, at = 0;

	rand_seed(&r, 1000 + (uint64_t)_i);
	model_init(&m, (uint64_t)_i, PROPERTY_STEPS);
	cfg = random_cfg(&r);
	reopen(&cfg);
	for (i = 0; i < m.n_walk; i++) {
		if (!late.p && rand_below(&r, 3) == 0)
			delayed_start(&late, &r);
		model_move(&m, bed.v, at, m.walk[i]);
		at = m.walk[i];
		k = model_marker(&m, at);
		if (rand_below(&r, 8) == 0)
			coinview_want_flush(bed.v);
		ck_assert_int_eq(coinview_boundary(bed.v, &k), 0);
		ck_assert_uint_le(stats().unflushed, cfg.max_unflushed);
		if (late.p && rand_below(&r, 4) == 0)
			delayed_end(&late);
		if (rand_below(&r, 10) == 0)
			model_check(&m, bed.v, at);
		if (rand_below(&r, 25) == 0) {
			ck_assert_int_eq(coinview_flush(bed.v, &k), 0);
			model_check_disk(&m, bed.v, at);
		}
		if (rand_below(&r, 20) == 0) {
			delayed_end(&late);
			at = crash(&m, &r);
			model_check(&m, bed.v, at);
			catch_up(&m, at, m.walk[i]);
			at = m.walk[i];
			model_check(&m, bed.v, at);
		}
	}
	delayed_end(&late);
	model_check(&m, bed.v, at);
	k = model_marker(&m, at);
	ck_assert_int_eq(coinview_flush(bed.v, &k), 0);
	model_check_disk(&m, bed.v, at);
	model_fini(&m);
}
END_TEST

/* Cut off after any number of batches, and again while that is repaired: by
 * moves that themselves flush, and by the flush that would have ended it. */
START_TEST(coinview_recovers_from_a_flush_cut_off_anywhere)
{
	struct coinview_cfg cfg = {
	    .budget = 1 << 20, .max_unflushed = 1000, .batch = 60};
	int i, at = 0, cuts = 0, twice = 0;
	struct coin_marker k;
	struct model m;
	struct rand r;

	rand_seed(&r, 77);
	model_init(&m, 5, 1200);
	reopen(&cfg);
	for (i = 0; i < m.n_walk; i++) {
		model_move(&m, bed.v, at, m.walk[i]);
		at = m.walk[i];
		k = model_marker(&m, at);
		ck_assert_int_eq(coinview_boundary(bed.v, &k), 0);
		if (i % 10 || !cut_flush(&k, 200 + rand_below(&r, 2000)))
			continue;
		/* A small budget writes halves of the way. */
		cfg.budget = rand_below(&r, 2) ? 0 : 1 << 20;
		reopen(&cfg);
		cuts += bed.rec.needed;
		at = come_back(&m);
		model_check(&m, bed.v, at);
		k = model_marker(&m, at);
		if (cut_flush(&k, 200 + rand_below(&r, 500))) {
			reopen(NULL);
			twice += bed.rec.needed;
			at = come_back(&m);
			model_check(&m, bed.v, at);
		}
		cfg.budget = 1 << 20;
		reopen(&cfg);
		at = come_back(&m);
		catch_up(&m, at, m.walk[i]);
		at = m.walk[i];
	}
	ck_assert_int_gt(cuts, 20);
	ck_assert_int_gt(twice, 5);
	k = model_marker(&m, at);
	ck_assert_int_eq(coinview_flush(bed.v, &k), 0);
	model_check_disk(&m, bed.v, at);
	model_fini(&m);
}
END_TEST

/*
 * A process that is killed.
 */

#define KILL_STEPS 20000

/* In the process that is killed; the variable says "seed:folder". */
START_TEST(child_walks_until_it_is_killed)
{
	const char *arg = getenv(COINVIEW_CHILD);
	struct coin_marker k;
	struct model m;
	int i, at = 0;
	char *end;

	model_init(&m, strtoull(arg, &end, 10), KILL_STEPS);
	bed.db = end + 1;
	bed.cfg = (struct coinview_cfg){
	    .budget = 1 << 20, .max_unflushed = 16, .batch = 60};
	bed_open();
	for (i = 0; i < m.n_walk; i++) {
		model_move(&m, bed.v, at, m.walk[i]);
		at = m.walk[i];
		k = model_marker(&m, at);
		ck_assert_int_eq(coinview_boundary(bed.v, &k), 0);
	}
	bed_close();
	model_fini(&m);
}
END_TEST

Suite *coinview_child_suite(void)
{
	Suite *s = suite_create("child");
	TCase *t = tcase_create("child");

	tcase_add_test(t, child_walks_until_it_is_killed);
	suite_add_tcase(s, t);
	return s;
}

static pid_t child_start(uint64_t seed)
{
	char self[] = "/proc/self/exe";
	char *argv[] = {self, NULL};
	char *env = xasprintf(COINVIEW_CHILD "=%llu:%s",
			      (unsigned long long)seed, bed.db);
	char *envp[] = {env, NULL};
	pid_t pid;

	ck_assert_int_eq(posix_spawn(&pid, self, NULL, NULL, argv, envp), 0);
	free(env);
	return pid;
}

START_TEST(coinview_comes_back_after_a_kill_at_any_time)
{
	uint64_t seed = 500 + (uint64_t)_i;
	struct coin_marker k;
	struct model m;
	struct rand r;
	int status, at;
	pid_t pid;

	rand_seed(&r, seed);
	bed_close();
	bed.cfg = (struct coinview_cfg){
	    .budget = 1 << 20, .max_unflushed = 16, .batch = 200};
	pid = child_start(seed);
	nap(&r, 60000);
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
	model_init(&m, seed, KILL_STEPS);
	bed_open();
	at = come_back(&m);
	model_check(&m, bed.v, at);
	k = model_marker(&m, at);
	ck_assert_int_eq(coinview_flush(bed.v, &k), 0);
	model_check_disk(&m, bed.v, at);
	model_fini(&m);
}
END_TEST

START_TEST(coinview_on_a_full_disk_fails_for_good_and_recovers_with_space)
{
	struct coinview_cfg cfg = {
	    .budget = 1 << 20, .max_unflushed = 1000, .batch = 200};
	struct coin_marker k;
	struct model m;
	int at = 0, i;

	reopen(&cfg);
	model_init(&m, 9, 300);
	for (i = 0; i < m.n_walk; i++) {
		model_move(&m, bed.v, at, m.walk[i]);
		at = m.walk[i];
	}
	k = model_marker(&m, at);
	ck_assert(cut_flush(&k, 1500));
	/* There is space again, but what was torn is not written on. */
	ck_assert_int_eq(coinview_flush(bed.v, &k), E_NOSPACE);
	reopen(NULL);
	ck_assert(bed.rec.needed);
	ck_assert_int_eq(bed.rec.from.height, -1);
	ck_assert_int_eq(model_block_of(&bed.rec.to), at);
	model_replay(&m, bed.v, 0, at);
	ck_assert_int_eq(coinview_flush(bed.v, &k), 0);
	model_check_disk(&m, bed.v, at);
	model_fini(&m);
}
END_TEST

static TCase *claims(void)
{
	TCase *t = tcase_create("claims");

	tcase_add_checked_fixture(t, setup, teardown);
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
	tcase_add_test(t, coinview_keeps_its_budget);
	tcase_add_test(
	    t, coinview_keeps_written_coins_in_memory_while_the_budget_allows);
	tcase_add_test(t, coinview_moves_a_large_generation_in_linear_time);
	tcase_add_test(t,
		       coinview_flush_back_to_its_own_block_needs_no_recovery);
	tcase_add_test(t, coinview_empty_takes_little_memory);
	return t;
}

static TCase *prefetching(void)
{
	TCase *t = tcase_create("prefetch");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, prefetch_brings_coins_into_the_cache);
	tcase_add_test(t, prefetch_lists_only_what_the_cache_does_not_hold);
	tcase_add_test(t, prefetch_never_overwrites_what_changed_meanwhile);
	tcase_add_test(
	    t,
	    prefetch_delayed_across_the_flush_that_deletes_its_coin_is_dropped);
	return t;
}

static TCase *properties(void)
{
	TCase *t = tcase_create("properties");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, coinview_is_the_plain_map_whatever_happens, 0,
			    16);
	tcase_add_test(t, coinview_recovers_from_a_flush_cut_off_anywhere);
	tcase_add_loop_test(t, coinview_comes_back_after_a_kill_at_any_time, 0,
			    12);
	tcase_add_test(
	    t, coinview_on_a_full_disk_fails_for_good_and_recovers_with_space);
	return t;
}

Suite *coinview_suite(void)
{
	Suite *s = suite_create("coinview");

	suite_add_tcase(s, claims());
	suite_add_tcase(s, prefetching());
	suite_add_tcase(s, properties());
	return s;
}
