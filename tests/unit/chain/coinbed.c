/* The test bed of the coins cache. */
#include "coinbed.h"
#include "coinmodel.h"
#include "suites.h"

#include <cairn/base/endian.h>
#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/base/log.h>
#include <cairn/store/kv.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct bed bed;

int bed_sync(void *arg)
{
	struct bed *b = arg;

	__atomic_add_fetch(&b->syncs, 1, __ATOMIC_RELAXED);
	return 0;
}

void bed_open(void)
{
	ck_assert_int_eq(coins_db_open(&bed.kv, bed.db, 1 << 20), 0);
	ck_assert_int_eq(
	    coinview_open(&bed.v, &bed.at, &bed.rec, bed.kv, &bed.cfg), 0);
	coinview_set_sync(bed.v, bed_sync, &bed);
}

void bed_close(void)
{
	coinview_close(bed.v);
	kv_close(bed.kv);
	bed.v = NULL;
	bed.kv = NULL;
}

void bed_setup(void)
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

void bed_teardown(void)
{
	if (bed.v)
		bed_close();
	log_close();
	scratch_free(bed.dir);
	free(bed.db);
}

void bed_reopen(const struct coinview_cfg *cfg)
{
	bed_close();
	if (cfg)
		bed.cfg = *cfg;
	bed_open();
}

void limit_files(rlim_t n)
{
	struct rlimit l;

	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &l), 0);
	l.rlim_cur = n;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &l), 0);
}

struct coin_marker bed_mark(int32_t height)
{
	struct coin_marker m = {.height = height};

	le32_put(m.hash.b, (uint32_t)height + 1);
	return m;
}

void bed_add(int k, uint32_t seed, bool fresh)
{
	uint8_t op[36], script[MODEL_SCRIPT];
	struct coin c = model_coin(seed, script);

	model_outpoint(op, k);
	ck_assert_int_eq(coinview_add(bed.v, op, &c, fresh), 0);
}

void bed_spend(int k, uint32_t seed)
{
	uint8_t op[36];
	struct coin c;

	model_outpoint(op, k);
	ck_assert_int_eq(coinview_spend(bed.v, &c, op), seed ? 0 : E_NOTFOUND);
	if (seed)
		model_same(&c, seed);
}

void bed_expect(int k, uint32_t seed)
{
	uint8_t op[36];
	struct coin c;

	model_outpoint(op, k);
	ck_assert_int_eq(coinview_get(bed.v, &c, op), seed ? 0 : E_NOTFOUND);
	if (seed)
		model_same(&c, seed);
}

void bed_boundary(int32_t height)
{
	struct coin_marker m = bed_mark(height);

	ck_assert_int_eq(coinview_boundary(bed.v, &m), 0);
}

void bed_flush(int32_t height)
{
	struct coin_marker m = bed_mark(height);

	ck_assert_int_eq(coinview_flush(bed.v, &m), 0);
}

size_t bed_disk_coins(void)
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

struct coinview_stats bed_stats(void)
{
	struct coinview_stats s;

	coinview_stats(bed.v, &s);
	return s;
}
