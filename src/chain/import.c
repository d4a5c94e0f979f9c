/*
 * Import: a thread reads foreign block files and hands batches to the loop,
 * which adds the headers, submits the blocks and says what each one was; the
 * thread waits for that, and for the pipeline when it is full. Blocks whose
 * parent has not come yet are remembered by their place in the file and read
 * again when it has. The scanner is in blockscan.c; rules are nobody's here.
 */
#include <cairn/chain/import.h>

#include "blockscan.h"
#include "internal.h"

#include <cairn/base/buf.h>
#include <cairn/base/clock.h>
#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>
#include <cairn/base/must.h>
#include <cairn/crypto/sha256.h>

#include <stdlib.h>

#define BATCH_ITEMS 64
#define BATCH_BYTES (4u << 20)
#define FULL_BLOCKS 1024
#define FULL_BYTES  (12u << 20)
#define HELD_MAX    200000
#define LOG_NS      10000000000u

enum fate { FATE_NEW, FATE_KNOWN, FATE_ORPHAN, FATE_REFUSED };

/* A block on disk. */
struct place {
	size_t file;
	uint64_t off;
	uint32_t n;
};

struct item {
	struct buf *buf; /* the loop takes it when it is new */
	struct hash256 hash, parent;
	struct place at;
	enum fate fate;
};

/* A block that waits for its parent, or to be read again. */
struct held {
	struct held *next;
	struct hash256 parent;
	struct place at;
};

struct import {
	struct chain *c;
	char **paths;
	size_t n_paths;
	int32_t *own; /* NULL, or the paths' numbers among our own files */
	import_done_fn done;
	void *arg;
	pthread_t thread;
	pthread_mutex_t mu;
	pthread_cond_t cond;

	/* Under mu. */
	size_t out_blocks, out_bytes; /* handed over, not answered */
	bool batch_done, stop;
	bool broken; /* the chain takes no more */
	uint64_t bytes_read, bytes_all;
	struct import_result r;

	/* The loop's while a batch is with it, else the thread's. */
	struct item batch[BATCH_ITEMS];
	size_t n_batch, batch_bytes;

	/* The thread's. */
	struct hmap held; /* parent's hash: list, as they came */
	size_t n_held;
	struct held *ready, *ready_last;
	struct blockscan again; /* the file of ready blocks read last */
	size_t again_file;
	bool again_open;
	uint64_t log_ns;
};

static bool has_ended(struct import *i)
{
	bool end;

	pthread_mutex_lock(&i->mu);
	end = i->stop || i->broken;
	pthread_mutex_unlock(&i->mu);
	return end;
}

/* The first file that could not be read is told; the others are still read. */
static void file_failed(struct import *i, int rc, const char *path)
{
	pthread_mutex_lock(&i->mu);
	if (!i->r.rc) {
		i->r.rc = rc;
		i->r.path = path;
	}
	pthread_mutex_unlock(&i->mu);
}

/*
 * On the loop.
 */

struct submission {
	struct import *i;
	size_t bytes;
};

/* The chain takes no more; mu is held. */
static void chain_ended(struct import *i, int rc)
{
	if (i->broken)
		return;
	i->broken = true;
	i->r.rc = rc;
	i->r.path = NULL;
}

static void on_answer(void *arg, const struct block_result *res)
{
	struct submission *s = arg;
	struct import *i = s->i;

	pthread_mutex_lock(&i->mu);
	i->out_blocks--;
	i->out_bytes -= s->bytes;
	if (res->verdict.kind == V_UNKNOWN) {
		chain_ended(i, res->verdict.rc);
	} else if (res->verdict.kind == V_INVALID) {
		i->r.refused++;
	} else if (res->outcome == BLOCK_KNOWN) {
		i->r.known++;
	} else {
		i->r.blocks++;
	}
	pthread_cond_signal(&i->cond);
	pthread_mutex_unlock(&i->mu);
	free(s);
}

static enum fate accept(struct import *i, struct hnode **node, bool *is_new,
			const struct item *it)
{
	struct chain *c = i->c;
	struct verdict v;

	*is_new = false;
	v = htree_accept_hashed(c->tree, node, is_new, buf_payload(it->buf).p,
				&it->hash, clock_now(c->cfg.clock), true);
	if (v.kind == V_INVALID && v.reason == INV_MISSING_PREV)
		return FATE_ORPHAN;
	if (!verdict_ok(&v))
		return FATE_REFUSED;
	return hnode_status(*node) & HN_DATA ? FATE_KNOWN : FATE_NEW;
}

static void submit(struct import *i, struct item *it, struct hnode *node)
{
	struct submission *s = xmalloc(sizeof *s);
	struct block_job job = {.node = node,
				.peer = PEER_NONE,
				.buf = it->buf,
				.requested = true,
				.done = on_answer,
				.arg = s};

	if (i->own) {
		job.on_disk = true;
		job.file = i->own[it->at.file];
		job.off = (uint32_t)it->at.off;
	}
	s->i = i;
	s->bytes = it->buf->n;
	it->buf = NULL;
	pthread_mutex_lock(&i->mu);
	i->out_blocks++;
	i->out_bytes += s->bytes;
	pthread_mutex_unlock(&i->mu);
	chain_submit_block(i->c, &job);
}

/* Headers first: a block's header is noted before the block is submitted. */
static void run_batch(void *arg)
{
	struct import *i = arg;
	struct hnode *nodes[BATCH_ITEMS] = {NULL}, *fresh[BATCH_ITEMS];
	size_t k, n_fresh = 0;
	bool is_new;

	for (k = 0; k < i->n_batch; k++) {
		struct item *it = &i->batch[k];

		it->fate = accept(i, &nodes[k], &is_new, it);
		if (is_new)
			fresh[n_fresh++] = nodes[k];
	}
	if (n_fresh)
		chain_note_headers(i->c, fresh, n_fresh);
	for (k = 0; k < i->n_batch; k++)
		if (i->batch[k].fate == FATE_NEW)
			submit(i, &i->batch[k], nodes[k]);
	pthread_mutex_lock(&i->mu);
	i->batch_done = true;
	pthread_cond_signal(&i->cond);
	pthread_mutex_unlock(&i->mu);
}

static void finish(void *arg)
{
	struct import *i = arg;

	i->done(i->arg, &i->r);
}

/*
 * On the thread.
 */

static void hold(struct import *i, const struct item *it)
{
	struct held *h, *last;

	if (i->n_held == HELD_MAX)
		return;
	h = xmalloc(sizeof *h);
	h->next = NULL;
	h->parent = it->parent;
	h->at = it->at;
	i->n_held++;
	last = hmap_get(&i->held, &h->parent);
	if (!last) {
		hmap_put(&i->held, &h->parent, h);
		return;
	}
	/* Siblings are few: forks. */
	while (last->next)
		last = last->next;
	last->next = h;
}

/* The children of hash may be read again. */
static void wake(struct import *i, const struct hash256 *hash)
{
	struct held *list = hmap_del(&i->held, hash);

	if (!list)
		return;
	if (i->ready_last)
		i->ready_last->next = list;
	else
		i->ready = list;
	for (; list; list = list->next) {
		i->n_held--;
		i->ready_last = list;
	}
}

static void wait_for_room(struct import *i)
{
	pthread_mutex_lock(&i->mu);
	while (!i->stop && !i->broken &&
	       (i->out_blocks > FULL_BLOCKS || i->out_bytes > FULL_BYTES))
		pthread_cond_wait(&i->cond, &i->mu);
	i->batch_done = false;
	pthread_mutex_unlock(&i->mu);
}

static void count(struct import *i, enum fate fate)
{
	pthread_mutex_lock(&i->mu);
	if (fate == FATE_KNOWN)
		i->r.known++;
	else if (fate == FATE_REFUSED)
		i->r.refused++;
	pthread_mutex_unlock(&i->mu);
}

static void hand_over(struct import *i)
{
	size_t k;

	if (i->n_batch == 0)
		return;
	wait_for_room(i);
	i->c->ops.post(i->c->ops_arg, (struct task){run_batch, i});
	pthread_mutex_lock(&i->mu);
	while (!i->batch_done)
		pthread_cond_wait(&i->cond, &i->mu);
	pthread_mutex_unlock(&i->mu);
	for (k = 0; k < i->n_batch; k++) {
		struct item *it = &i->batch[k];

		if (it->fate == FATE_ORPHAN)
			hold(i, it);
		else if (it->fate != FATE_REFUSED)
			wake(i, &it->hash);
		count(i, it->fate);
		buf_unref(it->buf);
	}
	i->n_batch = 0;
	i->batch_bytes = 0;
}

static void add(struct import *i, struct buf *b, struct place at)
{
	struct item *it = &i->batch[i->n_batch++];

	it->buf = b;
	it->at = at;
	it->at.n = (uint32_t)b->n;
	sha256d(&it->hash, buf_payload(b).p, HEADER_SIZE);
	it->parent = *header_prev(buf_payload(b).p);
	i->batch_bytes += b->n;
	if (i->n_batch == BATCH_ITEMS || i->batch_bytes >= BATCH_BYTES)
		hand_over(i);
}

static int open_again(struct import *i, size_t file)
{
	int rc;

	if (i->again_open && i->again_file == file)
		return 0;
	if (i->again_open)
		blockscan_close(&i->again);
	rc = blockscan_open(&i->again, i->paths[file], i->c->cfg.params);
	i->again_open = rc == 0;
	i->again_file = file;
	return rc;
}

static void read_ready(struct import *i)
{
	while (i->ready && !has_ended(i)) {
		struct held *h = i->ready;
		struct buf *b;
		int rc = open_again(i, h->at.file);

		if (rc == 0)
			rc = blockscan_at(&i->again, &b, h->at.off, h->at.n);
		i->ready = h->next;
		if (!i->ready)
			i->ready_last = NULL;
		if (rc == 0)
			add(i, b, h->at);
		else
			file_failed(i, rc, i->paths[h->at.file]);
		free(h);
		/* Their fate decides whether there are more. */
		if (!i->ready)
			hand_over(i);
	}
}

static void log_progress(struct import *i, size_t file)
{
	uint64_t now = mono_ns(), blocks, bytes;

	if (now - i->log_ns < LOG_NS)
		return;
	i->log_ns = now;
	pthread_mutex_lock(&i->mu);
	blocks = i->r.blocks;
	bytes = i->bytes_read;
	pthread_mutex_unlock(&i->mu);
	log_info(LOG_BLOCKSTORAGE, "import file=%s blocks=%llu done=%.1f%%",
		 i->paths[file], (unsigned long long)blocks,
		 i->bytes_all ? 100.0 * (double)bytes / (double)i->bytes_all
			      : 100.0);
}

static int read_file(struct import *i, struct blockscan *s, size_t file)
{
	struct place at = {.file = file};
	uint64_t before = s->pos;
	struct buf *b;
	int rc = 0;

	while (!has_ended(i) && (rc = blockscan_next(s, &b, &at.off)) > 0) {
		pthread_mutex_lock(&i->mu);
		i->bytes_read += s->pos - before;
		pthread_mutex_unlock(&i->mu);
		before = s->pos;
		log_progress(i, file);
		/* What was found must not wait for the end of the junk. */
		if (rc == SCAN_MORE)
			hand_over(i);
		else
			add(i, b, at);
		read_ready(i);
	}
	hand_over(i);
	read_ready(i);
	pthread_mutex_lock(&i->mu);
	i->bytes_read += s->size - before;
	pthread_mutex_unlock(&i->mu);
	return rc;
}

static void import_file(struct import *i, size_t file)
{
	struct blockscan s;
	int rc = blockscan_open(&s, i->paths[file], i->c->cfg.params);

	if (rc) {
		log_warn(LOG_BLOCKSTORAGE, "import cannot open file=%s: %s",
			 i->paths[file], err_str(rc));
		file_failed(i, rc, i->paths[file]);
		return;
	}
	log_info(LOG_BLOCKSTORAGE, "import file=%s bytes=%llu%s",
		 i->paths[file], (unsigned long long)s.size,
		 s.obfuscated ? " obfuscated" : "");
	rc = read_file(i, &s, file);
	blockscan_close(&s);
	if (rc < 0)
		file_failed(i, rc, i->paths[file]);
	pthread_mutex_lock(&i->mu);
	i->r.files++;
	pthread_mutex_unlock(&i->mu);
}

static void wait_for_answers(struct import *i)
{
	pthread_mutex_lock(&i->mu);
	while (i->out_blocks)
		pthread_cond_wait(&i->cond, &i->mu);
	i->r.orphans = i->n_held;
	if (i->stop && !i->r.rc)
		i->r.rc = E_STOPPING;
	pthread_mutex_unlock(&i->mu);
}

static void import_main(void *arg)
{
	struct import *i = arg;
	size_t k;

	i->log_ns = mono_ns();
	for (k = 0; k < i->n_paths && !has_ended(i); k++)
		import_file(i, k);
	wait_for_answers(i);
	if (i->own && !has_ended(i))
		(void)chain_control(i->c, reindex_end, NULL);
	log_info(
	    LOG_BLOCKSTORAGE,
	    "import done files=%llu blocks=%llu known=%llu "
	    "orphans=%llu refused=%llu rc=%d",
	    (unsigned long long)i->r.files, (unsigned long long)i->r.blocks,
	    (unsigned long long)i->r.known, (unsigned long long)i->r.orphans,
	    (unsigned long long)i->r.refused, i->r.rc);
	i->c->ops.post(i->c->ops_arg, (struct task){finish, i});
}

/* Sizes as far as they can be told; what cannot be opened is told later. */
static uint64_t size_of_all(const struct import *i)
{
	struct blockscan s;
	uint64_t sum = 0;
	size_t k;

	for (k = 0; k < i->n_paths; k++) {
		if (blockscan_open(&s, i->paths[k], i->c->cfg.params))
			continue;
		sum += s.size;
		blockscan_close(&s);
	}
	return sum;
}

/* Takes the paths. */
static struct import *start(struct chain *c, char **paths, size_t n,
			    int32_t *own, import_done_fn done, void *arg)
{
	struct import *i = xcalloc(1, sizeof *i);

	i->c = c;
	i->done = done;
	i->arg = arg;
	i->paths = paths;
	i->n_paths = n;
	i->own = own;
	hmap_init(&i->held);
	must(pthread_mutex_init(&i->mu, NULL) == 0);
	must(pthread_cond_init(&i->cond, NULL) == 0);
	i->bytes_all = size_of_all(i);
	thread_start(&i->thread, "import", import_main, i);
	return i;
}

struct import *import_start(struct chain *c, const char *const *paths, size_t n,
			    import_done_fn done, void *arg)
{
	char **copy = xcalloc(n ? n : 1, sizeof *copy);
	size_t k;

	for (k = 0; k < n; k++)
		copy[k] = xstrdup(paths[k]);
	return start(c, copy, n, NULL, done, arg);
}

struct import *import_own_files(struct chain *c, import_done_fn done, void *arg)
{
	size_t most = (size_t)blockfile_last(c->blk) + 1, n = 0, k;
	char **paths = xcalloc(most, sizeof *paths);
	int32_t *own = xcalloc(most, sizeof *own);

	/* A missing one is no reason not to read the others. */
	for (k = 0; k < most; k++) {
		paths[n] = blockfile_path(c->blk, (int32_t)k);
		own[n] = (int32_t)k;
		if (path_exists(paths[n]))
			n++;
		else
			free(paths[n]);
	}
	return start(c, paths, n, own, done, arg);
}

void import_stop(struct import *i)
{
	pthread_mutex_lock(&i->mu);
	i->stop = true;
	pthread_cond_signal(&i->cond);
	pthread_mutex_unlock(&i->mu);
}

void import_progress(struct import *i, uint64_t *blocks, double *done)
{
	pthread_mutex_lock(&i->mu);
	*blocks = i->r.blocks;
	*done =
	    i->bytes_all ? (double)i->bytes_read / (double)i->bytes_all : 1.0;
	pthread_mutex_unlock(&i->mu);
}

static void free_list(struct held *h)
{
	struct held *next;

	for (; h; h = next) {
		next = h->next;
		free(h);
	}
}

void import_free(struct import *i)
{
	struct held *h;
	size_t k = 0;

	if (!i)
		return;
	pthread_join(i->thread, NULL);
	while ((h = hmap_next(&i->held, &k)))
		free_list(h);
	free_list(i->ready);
	hmap_fini(&i->held);
	if (i->again_open)
		blockscan_close(&i->again);
	pthread_cond_destroy(&i->cond);
	pthread_mutex_destroy(&i->mu);
	for (k = 0; k < i->n_paths; k++)
		free(i->paths[k]);
	free(i->paths);
	free(i->own);
	free(i);
}
