/*
 * The life of the coins cache: opened over a database, cut into generations at
 * block boundaries, kept within its budget, closed. Chain thread. Does not look
 * coins up (coinview.c) and does not write them (coinview_flush.c).
 */
#include <cairn/chain/coins.h>

#include "coinview_gen.h"
#include "coinview_int.h"

#include <cairn/base/err.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>
#include <cairn/base/must.h>
#include <cairn/base/rand.h>
#include <cairn/store/kv.h>

#include <stdlib.h>

/* Coins that are moved into young at a boundary: this many, and two for each
 * entry that active has gained, so that frozen is gone before active is half as
 * large. */
#define MOVE_LEAST 1000u
/* Before the next freeze ends it: at most this many; the rest is forgotten. */
#define MOVE_MOST 100000u

#define BATCH_BYTES (2u << 20)

#define CACHE_MIN  (1u << 20)
#define CACHE_MAX  (64u << 20)
#define BUFFER_MAX (16u << 20)
#define TABLE_MAX  (32u << 20)

static size_t clamp(size_t v, size_t low, size_t high)
{
	return v < low ? low : v > high ? high : v;
}

int coins_db_open(struct kv **give, const char *dir, size_t dbcache)
{
	struct kv_cfg cfg = {
	    .cache = clamp(dbcache / 8, CACHE_MIN, CACHE_MAX),
	    .write_buffer = clamp(dbcache / 32, CACHE_MIN, BUFFER_MAX),
	    .max_file_size = TABLE_MAX,
	    .bloom_bits = 10,
	    .max_open_files = 1000,
	    .create = true,
	};

	return kv_open(give, dir, &cfg);
}

static const uint8_t *marker_get(struct coin_marker *m, const uint8_t *p)
{
	memcpy(m->hash.b, p, 32);
	m->height = (int32_t)le32_get(p + 32);
	return p + MARKER_SIZE;
}

/* A value of exactly size bytes at p: 0, E_NOTFOUND, or a failure. */
static int read_mark(struct kv *kv, const char *key, uint8_t *p, size_t size)
{
	uint8_t *value;
	size_t n;
	int rc = kv_get(kv, &value, &n, slice_of(key, 1));

	if (rc)
		return rc;
	if (n == size)
		memcpy(p, value, n);
	free(value);
	return n == size ? 0 : E_CORRUPT;
}

static int read_marks(struct coin_marker *at, struct coin_recovery *rec,
		      struct kv *kv)
{
	uint8_t mark[UNFINISHED_SIZE];
	int rc = read_mark(kv, MARKER_KEY, mark, MARKER_SIZE);

	memset(rec, 0, sizeof *rec);
	memset(at, 0, sizeof *at);
	at->height = -1;
	if (rc == 0)
		marker_get(at, mark);
	else if (rc != E_NOTFOUND)
		return rc;
	rc = read_mark(kv, UNFINISHED_KEY, mark, UNFINISHED_SIZE);
	if (rc)
		return rc == E_NOTFOUND ? 0 : rc;
	marker_get(&rec->to, marker_get(&rec->from, mark));
	/* Back where it came from, by way of other blocks: every coin written
	 * is as it was, so the mix is no mix. */
	rec->needed = !hash256_eq(&rec->from.hash, &rec->to.hash);
	return 0;
}

/* Generations differ in where they put a hash. */
static struct gen *next_gen(struct coinview *v)
{
	v->mix = v->mix * 747796405u + 2891336453u;
	return gen_new(v->mix ^ v->mix >> 16);
}

int coinview_open(struct coinview **give, struct coin_marker *at,
		  struct coin_recovery *rec, struct kv *kv,
		  const struct coinview_cfg *cfg)
{
	struct coinview *v;
	int rc = read_marks(at, rec, kv);

	if (rc)
		return rc;
	v = xcalloc(1, sizeof *v);
	v->kv = kv;
	v->cfg = *cfg;
	if (v->cfg.max_unflushed == 0)
		v->cfg.max_unflushed = 1;
	if (v->cfg.batch == 0)
		v->cfg.batch = BATCH_BYTES;
	rand_os(v->salt, sizeof v->salt);
	rand_os(&v->mix, sizeof v->mix);
	v->active = next_gen(v);
	v->young = next_gen(v);
	v->old = next_gen(v);
	v->disk = *at;
	v->recovering = rec->needed;
	v->rec_to = rec->to;
	flusher_start(v);
	*give = v;
	return 0;
}

void coinview_close(struct coinview *v)
{
	if (!v)
		return;
	coinview_interrupt(v);
	flusher_stop(v);
	gen_free(v->active);
	gen_free(v->frozen);
	gen_free(v->young);
	gen_free(v->old);
	free(v->held);
	free(v);
}

void coinview_set_sync(struct coinview *v, coinview_sync_fn fn, void *arg)
{
	v->sync = fn;
	v->sync_arg = arg;
}

void coinview_want_flush(struct coinview *v)
{
	v->wanted = true;
}

static size_t dirty_bytes(const struct coinview *v)
{
	return gen_bytes(v->active) + (v->frozen ? gen_bytes(v->frozen) : 0);
}

static size_t all_bytes(const struct coinview *v)
{
	return dirty_bytes(v) + gen_bytes(v->young) + gen_bytes(v->old);
}

/* Old's coins are forgotten, young's become old. */
static void rotate(struct coinview *v)
{
	gen_free(v->old);
	v->old = v->young;
	v->young = next_gen(v);
}

/* Give up coins that are on disk, those kept longest first, until the budget
 * holds. Young is turned over when it has half of what is left for both. */
static void trim(struct coinview *v)
{
	size_t dirty = dirty_bytes(v), budget = v->cfg.budget;
	size_t share = dirty < budget ? (budget - dirty) / 2 : 0;

	if (gen_bytes(v->young) > share)
		rotate(v);
	if (all_bytes(v) > budget && v->old->n)
		rotate(v);
	if (all_bytes(v) > budget && v->old->n)
		rotate(v);
}

static void frozen_drop(struct coinview *v)
{
	gen_free(v->frozen);
	v->frozen = NULL;
	/* Whoever began to read before now may have read what frozen has since
	 * changed on disk. */
	v->epoch++;
}

/* Move what was written, and still lives, into young: n entries of it. */
static int move_some(struct coinview *v, size_t n)
{
	uint32_t hash;
	uint8_t *e;

	while (n--) {
		e = gen_next(v->frozen, &v->move_at, &hash);
		if (!e) {
			frozen_drop(v);
			return 0;
		}
		if (entry_is_tomb(e) || gen_find(v->active, hash, e))
			continue;
		if (coinview_keep(v, hash, e, entry_value(e)) != 0)
			return E_NOMEM;
	}
	return 0;
}

/* Take the flusher's result if there is one, or once there is one. */
static int collect(struct coinview *v, bool wait)
{
	int rc;

	if (!v->flushing || !flusher_done(v, &rc, wait))
		return v->rc;
	v->flushing = false;
	v->rc = rc;
	if (rc)
		return rc;
	v->flushes++;
	v->frozen_blocks = 0;
	v->move_at = 0;
	v->moved_of = v->active->n;
	if (!v->recovering || hash256_eq(&v->frozen_at.hash, &v->rec_to.hash)) {
		v->recovering = false;
		v->disk = v->frozen_at;
	}
	return 0;
}

/* Active becomes frozen and goes to the flusher, which is idle. */
static void freeze(struct coinview *v, const struct coin_marker *at)
{
	must(!v->flushing);
	if (v->frozen)
		frozen_drop(v);
	v->frozen = v->active;
	v->active = next_gen(v);
	v->frozen_at = *at;
	v->frozen_blocks = v->active_blocks;
	v->active_blocks = 0;
	v->flushing = true;
	v->wanted = false;
	flusher_submit(v);
}

static bool is_full(const struct coinview *v)
{
	return gen_bytes(v->active) >= v->cfg.budget / 2;
}

/* Half of each bound is active's: the other half is for the one being written.
 */
static bool wants_freeze(const struct coinview *v, uint32_t ahead)
{
	uint32_t half = v->cfg.max_unflushed / 2;

	return is_full(v) || v->wanted ||
	       v->active_blocks + ahead >= (half ? half : 1);
}

static bool must_freeze(const struct coinview *v, const struct coin_marker *at)
{
	/* The way from one state to the other is not a state to keep. */
	if (v->recovering)
		return is_full(v) || hash256_eq(&at->hash, &v->rec_to.hash);
	return wants_freeze(v, 0);
}

/* Neither bound is reached by both generations together. */
static bool may_grow(const struct coinview *v, uint32_t ahead)
{
	return dirty_bytes(v) < v->cfg.budget &&
	       v->active_blocks + v->frozen_blocks + ahead <
		   v->cfg.max_unflushed;
}

/* Keep what can be kept of a written generation, a bounded number at a time. */
static int move_on(struct coinview *v, bool all)
{
	size_t now = v->active->n;
	size_t gained = now > v->moved_of ? now - v->moved_of : 0;

	if (!v->frozen || v->flushing)
		return 0;
	v->moved_of = now;
	return move_some(v, all ? MOVE_MOST : MOVE_LEAST + 2 * gained);
}

int coinview_boundary(struct coinview *v, const struct coin_marker *at)
{
	int rc = collect(v, false);

	if (rc)
		return rc;
	v->active_blocks++;
	if (at && v->flushing && !may_grow(v, 0)) {
		v->stalls++;
		log_debug(LOG_COINDB, "stall height=%d bytes=%zu",
			  (int)at->height, dirty_bytes(v));
		rc = collect(v, true);
		if (rc)
			return rc;
	}
	if (!at || v->flushing || !must_freeze(v, at)) {
		rc = move_on(v, false);
	} else {
		rc = move_on(v, true);
		if (rc == 0)
			freeze(v, at);
	}
	trim(v);
	return rc;
}

bool coinview_due(const struct coinview *v, uint32_t ahead)
{
	return v->flushing ? !may_grow(v, ahead) : wants_freeze(v, ahead);
}

int coinview_flush(struct coinview *v, const struct coin_marker *at)
{
	int rc = collect(v, true);

	if (rc)
		return rc;
	if (v->active->n == 0 && !v->recovering &&
	    hash256_eq(&at->hash, &v->disk.hash) &&
	    at->height == v->disk.height)
		return 0;
	rc = move_on(v, true);
	if (rc)
		return rc;
	freeze(v, at);
	trim(v);
	return collect(v, true);
}
