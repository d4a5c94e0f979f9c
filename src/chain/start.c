/*
 * From an opened folder to a published tip: read the index into the tree,
 * finish what an interrupted flush left, take the coins' block as the tip and
 * connect again what was connected before the stop. Chain thread, before the
 * loop may use the tree; stops between records when asked to. Also the way
 * down.
 */
#include "internal.h"

#include <cairn/base/buf.h>
#include <cairn/base/clock.h>
#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>
#include <cairn/base/must.h>
#include <cairn/store/datadir.h>
#include <cairn/store/index.h>
#include <cairn/store/kv.h>

#include <stdio.h>
#include <stdlib.h>

#define INDEX_VERSION 1
#define INDEX_CACHE   (1u << 20)
#define INDEX_BUFFER  (2u << 20)
#define STAGE_EVERY   20000      /* records */
#define MAX_UNFLUSHED 4096       /* blocks: bounds the replay after a kill */
#define QUICK_FLUSH   (8u << 20) /* bytes of blocks */
#define MIN_COINS     (4u << 20) /* bytes */
#define GENESIS_AT    8u         /* behind the head of the first record */

/* Where the last record of each kind of file ends. */
struct ends {
	struct blockfile_pos blk, rev;
};

static void stage(struct chain *c, const char *text, double progress)
{
	struct chain_event e = {
	    .type = CHAIN_EV_STAGE, .text = text, .progress = progress};

	outbox_event(c, &e);
	outbox_flush(c);
}

static int failed(struct chain *c, int rc, const char *what)
{
	if (rc && rc != E_STOPPING)
		chain_fatal(c, rc, what);
	return rc;
}

static void note_end(struct blockfile_pos *end, const struct blockfile_pos *pos)
{
	if (pos->file > end->file ||
	    (pos->file == end->file &&
	     pos->off + pos->size > end->off + end->size))
		*end = *pos;
}

static int check_version(struct chain *c)
{
	uint8_t version[1];
	size_t n;
	int rc =
	    index_meta_get(c->index_kv, "version", version, sizeof version, &n);

	if (rc == E_NOTFOUND) {
		version[0] = INDEX_VERSION;
		index_meta_put(c->batch, "version", slice_of(version, 1));
		return 0;
	}
	if (rc == 0 && version[0] > INDEX_VERSION)
		rc = E_VERSION;
	return rc;
}

static int open_index(struct chain *c)
{
	struct kv_cfg cfg = {
	    .cache = INDEX_CACHE, .write_buffer = INDEX_BUFFER, .create = true};
	char *path = path_join(c->cfg.data_dir, DATADIR_INDEX);
	int rc = dir_make(path);

	if (rc == 0)
		rc = kv_open(&c->index_kv, path, &cfg);
	if (rc == 0)
		rc = check_version(c);
	free(path);
	return rc;
}

/* What of a status still stands after a restart. */
static uint32_t status_loaded(const struct index_record *r,
			      const struct hnode *prev)
{
	uint32_t st = r->status & (HN_FAILED | HN_CHECKSUM);

	if (r->data.file >= 0)
		st |=
		    r->status & (HN_DATA | HN_WITNESS | HN_CONNECTED | HN_UNDO);
	if (prev && hnode_failed(prev))
		st |= HN_FAILED_PARENT;
	return st;
}

static void set_node(struct hnode *n, const struct index_record *r)
{
	n->n_tx = r->n_tx;
	n->data_file = r->data.file;
	n->data_off = r->data.off;
	n->data_size = r->data.size;
	n->undo_file = r->undo.file;
	n->undo_off = r->undo.off;
	n->undo_size = r->undo.size;
	n->checksum = r->checksum;
	/* Ties after a restart: the tip's chain first (set_tip), the others in
	 * their order of arrival. */
	n->seq = r->seq > 0 ? r->seq : 1;
	hnode_set(n, status_loaded(r, n->prev));
}

static void link_loaded(struct chain *c, struct hnode *n)
{
	uint64_t before = n->prev ? hnode_chain_tx(n->prev) : 0;

	if (!(hnode_status(n) & HN_DATA))
		return;
	if (n->prev && !before) {
		pending_load(c, n);
		pending_unlink(c, pending_find(c, n));
		return;
	}
	__atomic_store_n(&n->chain_tx, before + n->n_tx, __ATOMIC_RELEASE);
	if (n->seq >= c->next_seq && n->seq < INT32_MAX)
		c->next_seq = n->seq + 1;
}

static int load_record(struct chain *c, struct ends *ends,
		       const struct index_record *r)
{
	struct hnode *n = htree_load(c->tree, r->header);

	if (!n || n->height != r->height)
		return E_CORRUPT;
	set_node(n, r);
	link_loaded(c, n);
	note_end(&ends->blk, &r->data);
	note_end(&ends->rev, &r->undo);
	receive_headers(c, &n, 1);
	return 0;
}

static int load_records(struct chain *c, struct ends *ends)
{
	struct kv_iter *it = index_first(c->index_kv);
	struct index_record r;
	size_t n = 0;
	int rc;

	while ((rc = index_next(it, &r)) > 0) {
		rc = chain_stopping(c) ? E_STOPPING : load_record(c, ends, &r);
		if (rc)
			break;
		if (++n % STAGE_EVERY == 0)
			stage(c, "Loading block index…", 0);
	}
	kv_iter_free(it);
	log_info(LOG_BLOCKSTORAGE, "index loaded headers=%zu", n);
	return rc;
}

static int load_index(struct chain *c)
{
	struct ends ends = {{-1, 0, 0}, {-1, 0, 0}};
	const uint8_t *magic = c->cfg.params->magic;
	const char *dir = c->cfg.blocks_dir;
	int rc = open_index(c);

	stage(c, "Loading block index…", 0);
	if (rc == 0)
		rc = load_records(c, &ends);
	if (rc == 0)
		rc = dir_make(dir);
	/* What the index does not know yet stays where it is. */
	if (rc == 0 && c->reindexing)
		rc = blockfile_find_end(&ends.blk.file, &ends.blk.size, dir,
					BLOCKFILE_BLK);
	if (rc == 0)
		rc =
		    blockfile_open(&c->blk, dir, BLOCKFILE_BLK, magic,
				   ends.blk.file, ends.blk.off + ends.blk.size);
	if (rc == 0)
		rc =
		    blockfile_open(&c->rev, dir, BLOCKFILE_REV, magic,
				   ends.rev.file, ends.rev.off + ends.rev.size);
	return failed(c, rc, "The block index could not be read");
}

/* The files that are read again begin with it. */
static bool genesis_is_there(struct chain *c, struct blockfile_pos *pos)
{
	struct slice raw = c->cfg.params->genesis_block;
	struct buf *b;
	bool same;

	*pos = (struct blockfile_pos){0, GENESIS_AT, (uint32_t)raw.n};
	if (!c->reindexing || blockfile_read(c->blk, &b, pos) != 0)
		return false;
	same = memcmp(buf_payload(b).p, raw.p, raw.n) == 0;
	buf_unref(b);
	return same;
}

static int append_genesis(struct chain *c, struct blockfile_pos *pos)
{
	struct slice raw = c->cfg.params->genesis_block;
	struct buf *b = buf_new(raw.n);
	int rc;

	if (!b)
		return E_NOMEM;
	b->n = raw.n;
	memcpy(buf_data(b), raw.p, raw.n);
	chain_stamp_record(b, c->cfg.params);
	rc = blockfile_append(c->blk, pos, b);
	buf_unref(b);
	return rc;
}

/* The genesis block is a record like any other. Nobody appends yet. */
static int store_genesis(struct chain *c)
{
	struct hnode *n = htree_genesis(c->tree);
	struct blockfile_pos pos;
	int rc = 0;

	if (hnode_status(n) & HN_DATA)
		return 0;
	if (!genesis_is_there(c, &pos))
		rc = append_genesis(c, &pos);
	if (rc)
		return failed(c, rc, "The first block cannot be stored");
	n->n_tx = 1;
	n->data_file = pos.file;
	n->data_off = pos.off;
	n->data_size = pos.size;
	n->undo_file = -1;
	__atomic_store_n(&n->chain_tx, 1, __ATOMIC_RELEASE);
	hnode_set(n, HN_DATA | HN_UNDO | HN_CONNECTED);
	if (c->n_nodes == 0)
		receive_headers(c, &n, 1);
	index_dirty(c, n);
	return 0;
}

static struct hnode *node_of(struct chain *c, const struct coin_marker *m)
{
	struct hnode *n;

	if (m->height < 0)
		return htree_genesis(c->tree);
	n = htree_find(c->tree, &m->hash);
	return n && n->height == m->height && hnode_chain_tx(n) ? n : NULL;
}

static int sync_for_coins(void *arg)
{
	return index_commit_wait(arg);
}

static size_t dbcache(const struct chain *c)
{
	return c->cfg.dbcache > 0 ? (size_t)c->cfg.dbcache : 0;
}

/* The coins database is opened while the index is read: each of them waits for
 * the disk several times. */
struct coins_opening {
	struct chain *c;
	pthread_t thread;
	int rc;
};

static void open_coins_db(void *arg)
{
	struct coins_opening *o = arg;
	char *path = path_join(o->c->cfg.data_dir, DATADIR_COINS);

	o->rc = dir_make(path);
	if (o->rc == 0)
		o->rc = coins_db_open(&o->c->coins_kv, path, dbcache(o->c));
	free(path);
}

static int open_coins(struct chain *c, struct coin_marker *at,
		      struct coin_recovery *rec)
{
	/* The rest is the databases' own. */
	struct coinview_cfg cfg = {.budget = dbcache(c) / 4 * 3,
				   .max_unflushed = c->cfg.max_unflushed};
	int rc;

	if (cfg.budget < MIN_COINS)
		cfg.budget = MIN_COINS;
	if (cfg.max_unflushed == 0)
		cfg.max_unflushed = MAX_UNFLUSHED;
	rc = coinview_open(&c->coins, at, rec, c->coins_kv, &cfg);
	if (rc == 0)
		coinview_set_sync(c->coins, sync_for_coins, c);
	return failed(c, rc, "The coins database could not be opened");
}

/* The last run's tip wins every tie with what arrived before the restart. */
static void wins_ties(const struct hnode *n)
{
	for (; n; n = n->prev)
		hnode_mut(n)->seq = 0;
}

static void set_tip(struct chain *c, struct hnode *n)
{
	c->here = n;
	wins_ties(n);
	best_header_recompute(c);
}

static int load_coins(struct chain *c)
{
	struct coin_recovery rec = {.needed = false};
	struct coin_marker at;
	struct hnode *from, *to;
	int rc = open_coins(c, &at, &rec);

	if (rc)
		return rc;
	from = node_of(c, rec.needed ? &rec.from : &at);
	to = rec.needed ? node_of(c, &rec.to) : from;
	if (!from || !to)
		return failed(c, E_CORRUPT,
			      "The coins are at a block that the block index "
			      "does not have");
	set_tip(c, to);
	if (rec.needed)
		rc = replay_coins(c, from, to);
	return failed(c, rc, "An interrupted flush could not be finished");
}

/* Blocks that were stored before their witness was a matter of rules cannot
 * stand for it. The sentence is bitcoind's, which tools look for. */
static int check_witness_data(struct chain *c)
{
	int32_t from = c->cfg.params->deploy_height[DEPLOY_SEGWIT];
	const struct hnode *n;
	char what[128];

	for (n = c->here; n->prev && n->height >= from; n = n->prev) {
		if (hnode_status(n) & HN_WITNESS)
			continue;
		snprintf(what, sizeof what,
			 "Witness data for blocks after height %d requires "
			 "validation. Please restart with -reindex.",
			 (int)from);
		return failed(c, E_INVALID, what);
	}
	return 0;
}

/* A block was found invalid and the coins had not left it yet: they do now. */
static int leave_failed(struct chain *c)
{
	while (hnode_failed(c->here)) {
		if (chain_stopping(c))
			return E_STOPPING;
		if (!disconnect_tip(c))
			return c->fatal_rc;
		publish(c);
		if (c->fatal_rc)
			return c->fatal_rc;
	}
	best_header_recompute(c);
	return 0;
}

/* The tip of the last run as the index saw it. */
static struct hnode *last_tip(struct chain *c)
{
	struct hash256 hash;
	size_t n;

	if (index_meta_get(c->index_kv, "tip", hash.b, 32, &n) || n != 32)
		return NULL;
	return htree_find(c->tree, &hash);
}

/* Connect again what was connected and had not reached the coins database. */
static int reconnect(struct chain *c)
{
	const struct hnode *goal = last_tip(c);
	int32_t first = c->here->height;
	uint64_t told = 0;

	if (goal)
		wins_ties(goal);
	candidates_rebuild(c);
	while (goal && hnode_cmp_work(c->here, goal) < 0) {
		const struct hnode *was = c->here;

		if (chain_stopping(c))
			return E_STOPPING;
		if (mono_ns() - told > 100000000u) {
			told = mono_ns();
			stage(c, "Replaying blocks…",
			      (double)(was->height - first) /
				  (goal->height - first + 1));
		}
		if (!activate_step(c))
			break;
	}
	ahead_drain(c);
	return c->fatal_rc;
}

int chain_load(struct chain *c)
{
	struct coins_opening coins = {.c = c};
	int rc;

	c->replaying = true;
	c->next_seq = 2;
	c->flush_ns = mono_ns();
	rc = failed(c, reindex_begin(c),
		    "What the blocks are indexed by could not be removed");
	if (rc == 0 && c->cfg.rebuild == REBUILD_COINS)
		rc = failed(c, reindex_remove_coins(c),
			    "The coins could not be removed");
	if (rc)
		return rc;
	thread_start(&coins.thread, "coins-open", open_coins_db, &coins);
	rc = load_index(c);
	must(pthread_join(coins.thread, NULL) == 0);
	if (rc == 0)
		rc = failed(c, coins.rc,
			    "The coins database could not be opened");
	if (rc == 0)
		rc = store_genesis(c);
	if (rc == 0)
		rc = load_coins(c);
	if (rc == 0)
		rc = failed(c, filters_open(c),
			    "The filter index could not be opened");
	if (rc == 0)
		rc = check_witness_data(c);
	if (rc == 0)
		rc = leave_failed(c);
	if (rc == 0) {
		show_tip(c);
		unconfirmed_follow(c);
		rc = reconnect(c);
	}
	htree_recompute_best(c->tree);
	c->replaying = false;
	return rc;
}

/* Whether what the coins database lacks is quickly written. */
static bool is_quick(const struct chain *c)
{
	const struct hnode *n = c->here;
	struct coinview_stats s;
	uint64_t bytes = 0;

	coinview_stats(c->coins, &s);
	for (; s.unflushed > 0 && n->prev; s.unflushed--, n = n->prev)
		bytes += n->data_size;
	return bytes <= QUICK_FLUSH;
}

void chain_unload(struct chain *c)
{
	struct coin_marker m;
	int rc = 0;

	if (c->coins && !c->fatal_rc && c->tip && is_quick(c)) {
		m.hash = c->here->hash;
		m.height = c->here->height;
		rc = coinview_flush(c->coins, &m);
	}
	if (rc && rc != E_STOPPING)
		log_warn(LOG_COINDB, "coins not written at stop: %s",
			 err_str(rc));
	coinview_close(c->coins);
	c->coins = NULL;
	if (!c->fatal_rc)
		c->fatal_rc = E_STOPPING;
}

void chain_close_files(struct chain *c)
{
	filters_close(c);
	kv_close(c->coins_kv);
	kv_close(c->index_kv);
	blockfile_close(c->rev);
	blockfile_close(c->blk);
}
