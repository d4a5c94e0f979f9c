/*
 * Rows of the coins cache: look-ups in memory and in the database, the changes
 * of a block, and a flush. The database lies below $TMPDIR or /tmp and in the
 * page cache.
 */
#include "bench.h"

#include <cairn/base/endian.h>
#include <cairn/base/file.h>
#include <cairn/base/mem.h>
#include <cairn/base/rand.h>
#include <cairn/chain/coins.h>
#include <cairn/script/template.h>
#include <cairn/store/kv.h>

#include <stdlib.h>

#define BUDGET      ((size_t)1 << 30)
#define POOL        262144u
#define BATCH       32u
#define READ_BATCH  256u
#define FLUSH_COINS 50000u

struct coins {
	char *dir, *db;
	struct kv *kv;
	struct coinview *v;
	uint32_t n;     /* outpoints 0..n-1 are unspent */
	uint32_t first; /* of the outpoints that a block's row spends */
	int32_t height;
	uint8_t (*pool)[36]; /* POOL of them at random, made beforehand */
};

static void outpoint(uint8_t op[36], uint32_t i)
{
	struct rand r;
	int k;

	/* As txids are: all bytes random. */
	rand_seed(&r, i);
	for (k = 0; k < 32; k += 8)
		le64_put(op + k, rand_u64(&r));
	le32_put(op + 32, i & 1);
}

static void add(struct coins *s, uint32_t i)
{
	uint8_t op[36], script[25] = "\x76\xa9\x14";
	struct coin c = {.value = 5000000000 - (int64_t)i,
			 .height = 800000,
			 .script = slice_of(script, sizeof script)};

	outpoint(op, i);
	memcpy(script + 3, op, 20);
	script[23] = 0x88;
	script[24] = 0xac;
	if (coinview_add(s->v, op, &c, true) != 0)
		abort();
}

static bool open_view(struct coins *s, size_t budget)
{
	struct coinview_cfg cfg = {.budget = budget, .max_unflushed = 1u << 30};
	struct coin_recovery rec;
	struct coin_marker at;

	return coinview_open(&s->v, &at, &rec, s->kv, &cfg) == 0;
}

static void boundary(struct coins *s, bool flush)
{
	struct coin_marker at = {.height = s->height};
	int rc;

	le32_put(at.hash.b, (uint32_t)++s->height);
	rc = flush ? coinview_flush(s->v, &at) : coinview_boundary(s->v, &at);
	if (rc)
		abort();
}

static void make_pool(struct coins *s)
{
	struct rand r;
	uint32_t i;

	rand_seed(&r, 1);
	s->pool = xcalloc(POOL, sizeof *s->pool);
	for (i = 0; s->n && i < POOL; i++)
		outpoint(s->pool[i], (uint32_t)rand_below(&r, s->n));
}

/* row->arg coins, in memory only. */
static bool setup(struct bench *b)
{
	const char *tmp = getenv("TMPDIR");
	struct coins *s = xcalloc(1, sizeof *s);

	s->dir = path_join(tmp ? tmp : "/tmp", "cairn-bench-XXXXXX");
	b->data = s;
	b->why = "no scratch folder";
	if (!mkdtemp(s->dir))
		return false;
	s->db = path_join(s->dir, "coins");
	b->why = "no database";
	if (coins_db_open(&s->kv, s->db, 450u << 20) != 0 ||
	    !open_view(s, BUDGET))
		return false;
	while (s->n < b->row->arg)
		add(s, s->n++);
	make_pool(s);
	return true;
}

/* The same on disk, with nothing in memory and no room there. */
static bool setup_disk(struct bench *b)
{
	struct coins *s;

	if (!setup(b))
		return false;
	s = b->data;
	boundary(s, true);
	coinview_close(s->v);
	return open_view(s, 0);
}

static void fini(struct bench *b)
{
	struct coins *s = b->data;

	coinview_close(s->v);
	kv_close(s->kv);
	if (dir_remove(s->dir) != 0)
		b->why = "scratch folder left behind";
	free(s->pool);
	free(s->db);
	free(s->dir);
	free(s);
}

static uint64_t get(struct coins *s, const uint8_t *op)
{
	struct coin c;

	if (coinview_get(s->v, &c, op) != 0)
		abort();
	return (uint64_t)c.value + c.script.n;
}

/* The coins of a transaction with three inputs, and the kind of each script. */
static uint64_t caching(struct bench *b, uint64_t n)
{
	struct coins *s = b->data;
	struct script_info info;
	uint8_t op[3][36];
	uint64_t sum = 0, i;
	struct coin c;
	int k;

	for (k = 0; k < 3; k++)
		outpoint(op[k], (uint32_t)k);
	for (i = 0; i < n; i++) {
		for (k = 0; k < 3; k++) {
			if (coinview_get(s->v, &c, op[k]) != 0)
				abort();
			script_classify(&info, c.script);
			sum += (uint64_t)info.type + (uint64_t)c.value;
		}
	}
	return sum;
}

static const uint8_t *pick(const struct coins *s, uint64_t i)
{
	return s->pool[i % POOL];
}

static uint64_t lookup_batched(struct bench *b, uint64_t n)
{
	struct coins *s = b->data;
	const uint8_t *ptr[BATCH];
	uint64_t sum = 0, i;
	uint32_t k;

	for (i = 0; i < n; i++) {
		for (k = 0; k < BATCH; k++)
			ptr[k] = pick(s, i * BATCH + k);
		if (coinview_prefetch(s->v, ptr, BATCH) != 0)
			abort();
		for (k = 0; k < BATCH; k++)
			sum += get(s, ptr[k]);
	}
	return sum;
}

static uint64_t lookup_single(struct bench *b, uint64_t n)
{
	struct coins *s = b->data;
	uint64_t sum = 0, i;

	for (i = 0; i < n; i++)
		sum += get(s, pick(s, i));
	return sum;
}

/* Read from the database; each boundary forgets what was read. */
static uint64_t read_disk(struct bench *b, uint64_t n)
{
	struct coins *s = b->data;
	const uint8_t *ptr[READ_BATCH];
	uint64_t sum = 0, i;
	uint32_t k;

	for (i = 0; i < n; i++) {
		for (k = 0; k < READ_BATCH; k++)
			ptr[k] = pick(s, i * READ_BATCH + k);
		if (coinview_prefetch(s->v, ptr, READ_BATCH) != 0)
			abort();
		for (k = 0; k < READ_BATCH; k++)
			sum += get(s, ptr[k]);
		boundary(s, false);
		boundary(s, false);
	}
	return sum;
}

/* A block spends the oldest 1,000 coins and makes as many. */
static uint64_t change(struct bench *b, uint64_t n)
{
	struct coins *s = b->data;
	uint64_t sum = 0, i;
	uint8_t op[36];
	struct coin c;
	uint32_t k;

	for (i = 0; i < n; i++) {
		for (k = 0; k < 1000; k++) {
			outpoint(op, s->first++);
			if (coinview_spend(s->v, &c, op) != 0)
				abort();
			sum += (uint64_t)c.value;
			add(s, s->n++);
		}
	}
	return sum;
}

/* New coins, sorted and written. */
static uint64_t flush(struct bench *b, uint64_t n)
{
	struct coins *s = b->data;
	uint64_t i;
	uint32_t k;

	for (i = 0; i < n; i++) {
		for (k = 0; k < FLUSH_COINS; k++)
			add(s, s->n++);
		boundary(s, true);
	}
	return s->n;
}

static const struct bench_row rows[] = {
    {.name = "CoinsCaching",
     .setup = setup,
     .run = caching,
     .fini = fini,
     .arg = 4},
    {.name = "CoinsLookup_1M_batched",
     .setup = setup,
     .run = lookup_batched,
     .fini = fini,
     .arg = 1000000,
     .per = BATCH,
     .unit = "coin"},
    {.name = "CoinsLookup_1M_single",
     .setup = setup,
     .run = lookup_single,
     .fini = fini,
     .arg = 1000000,
     .unit = "coin"},
    {.name = "CoinsRead_1M_disk",
     .setup = setup_disk,
     .run = read_disk,
     .fini = fini,
     .arg = 1000000,
     .per = READ_BATCH,
     .unit = "coin"},
    {.name = "CoinsChange_100k",
     .setup = setup,
     .run = change,
     .fini = fini,
     .arg = 100000,
     .per = 1000,
     .unit = "coin"},
    {.name = "CoinsFlush_50k",
     .setup = setup,
     .run = flush,
     .fini = fini,
     .per = FLUSH_COINS,
     .unit = "coin"},
};
BENCH_ROWS(rows);
