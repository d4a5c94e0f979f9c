/*
 * The pool from a file: mempool.dat at start, any other for importmempool. One
 * batch is read on the pool of short reads, then offered on the chain thread,
 * which goes on with blocks after some milliseconds; then the next batch.
 * Whether the file is to be trusted is not asked.
 */
#include "pool_import.h"

#include "poolfile.h"

#include <cairn/base/buf.h>
#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>

#include <stdlib.h>

#define BATCH       256
#define BATCH_BYTES (4u << 20)
#define TURN_NS     20000000u

struct import_job {
	struct node *node;
	struct pool_import_cfg cfg;
	pool_import_fn done;
	void *arg;
	char *path;
	struct pool_reader *reader;
	struct pool_item batch[BATCH];
	size_t n, at;
	int rc; /* 1: more to come */
	size_t taken, failed, expired, known, unbroadcast;
};

static void on_end(void *arg)
{
	struct import_job *j = arg;

	if (j->rc == 0)
		log_info(0,
			 "mempool import path=%s taken=%zu failed=%zu "
			 "expired=%zu known=%zu unbroadcast=%zu",
			 j->path, j->taken, j->failed, j->expired, j->known,
			 j->unbroadcast);
	else if (j->rc != E_STOPPING)
		log_info(0, "mempool import path=%s: %s", j->path,
			 err_str(j->rc));
	j->done(j->arg, j->rc);
	free(j->path);
	free(j);
}

static bool stopping(const struct import_job *j)
{
	return __atomic_load_n(&j->node->pool_stop, __ATOMIC_RELAXED);
}

/* Whichever thread is at it. */
static void end(struct import_job *j, int rc)
{
	for (; j->at < j->n; j->at++)
		buf_unref(j->batch[j->at].buf);
	poolfile_close(j->reader);
	j->rc = rc;
	node_post(j->node, (struct task){on_end, j});
}

static void offer_tx(struct import_job *j, struct mempool *m,
		     const struct pool_item *item)
{
	int64_t now = clock_now(&j->node->clock);
	int64_t time_s = j->cfg.now ? now : item->time_s;
	struct mempool_result r = {0};
	struct hash256 txid;
	struct tx_view tx;
	struct rd rd;

	rd_init(&rd, buf_payload(item->buf));
	if (!tx_view_parse(&tx, &rd))
		return;
	tx_txid(&txid, &tx);
	if (item->delta && j->cfg.deltas)
		mempool_prioritise(m, &txid, item->delta);
	if (time_s <= now - j->node->pool.expiry_s) {
		j->expired++;
		return;
	}
	mempool_accept(m, &r, item->buf, 0, time_s);
	if (r.outcome == TX_ACCEPTED)
		j->taken++;
	else if (mempool_find(m, &txid))
		j->known++;
	else
		j->failed++;
	mempool_result_fini(&r);
}

static void offer(struct import_job *j, const struct pool_item *item)
{
	struct mempool *m = chain_mempool(j->node->chain);

	switch (item->kind) {
	case POOL_ITEM_TX:
		offer_tx(j, m, item);
		break;
	case POOL_ITEM_DELTA:
		if (j->cfg.deltas)
			mempool_prioritise(m, &item->txid, item->delta);
		break;
	case POOL_ITEM_UNBROADCAST:
		if (!j->cfg.unbroadcast)
			break;
		j->unbroadcast++;
		mempool_unbroadcast(m, &item->txid);
		break;
	}
}

static void read_batch(void *arg);

/* Chain thread: a turn's worth of the batch. */
static void offer_batch(void *arg)
{
	struct import_job *j = arg;
	uint64_t begun = mono_ns();

	while (j->at < j->n && mono_ns() - begun < TURN_NS && !stopping(j)) {
		offer(j, &j->batch[j->at]);
		buf_unref(j->batch[j->at++].buf);
	}
	if (stopping(j))
		end(j, E_STOPPING);
	else if (j->at < j->n) {
		if (!chain_run(j->node->chain, (struct task){offer_batch, j}))
			end(j, E_STOPPING);
	} else if (j->rc != 1) {
		end(j, j->rc);
	} else if (!pool_submit(j->node->readers,
				(struct task){read_batch, j})) {
		end(j, E_STOPPING);
	}
}

/* Read pool. */
static void read_batch(void *arg)
{
	struct import_job *j = arg;
	size_t bytes = 0;

	j->n = j->at = 0;
	while (j->n < BATCH && bytes < BATCH_BYTES) {
		j->rc = poolfile_next(j->reader, &j->batch[j->n]);
		if (j->rc != 1)
			break;
		bytes += j->batch[j->n].buf ? j->batch[j->n].buf->n : 0;
		j->n++;
	}
	if (!chain_run(j->node->chain, (struct task){offer_batch, j}))
		end(j, E_STOPPING);
}

static void open_file(void *arg)
{
	struct import_job *j = arg;
	int rc = poolfile_open(&j->reader, j->path);

	if (rc) {
		end(j, rc);
		return;
	}
	log_info(0, "mempool import path=%s n=%llu", j->path,
		 (unsigned long long)poolfile_count(j->reader));
	read_batch(j);
}

void pool_import(struct node *n, const char *path,
		 const struct pool_import_cfg *cfg, pool_import_fn done,
		 void *arg)
{
	struct import_job *j = xcalloc(1, sizeof *j);

	j->node = n;
	j->cfg = *cfg;
	j->done = done;
	j->arg = arg;
	j->path = xstrdup(path);
	if (!pool_submit(n->readers, (struct task){open_file, j}))
		end(j, E_STOPPING);
}
