/*
 * The block index on disk. The chain thread writes changed records into one
 * shared batch; the writer takes the batch, makes block, undo and filter files
 * last, and writes it with a sync: what the index names is on disk before it.
 * The coins' flusher waits for such a commit before its first batch. A failure
 * is kept and returned for good: nothing is retried over a disk that dropped
 * pages.
 */
#include "internal.h"

#include <cairn/base/clock.h>
#include <cairn/base/err.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>
#include <cairn/base/must.h>
#include <cairn/store/index.h>
#include <cairn/store/kv.h>

#include <stdlib.h>

#define COMMIT_BYTES (1u << 20)
#define COMMIT_NS    2000000000u

/* One request; with a waiter it lives on the waiter's stack. */
struct commit {
	struct work w; /* first */
	bool wait;
	bool done;
	int rc;
	pthread_mutex_t mu;
	pthread_cond_t cond;
};

void index_record_of(struct index_record *r, const struct hnode *n)
{
	uint32_t st = hnode_status(n);

	memset(r, 0, sizeof *r);
	hnode_header_put(r->header, n);
	r->hash = n->hash;
	r->height = n->height;
	r->status = st;
	r->n_tx = n->n_tx;
	r->seq = n->seq;
	r->data.file = st & HN_DATA ? n->data_file : -1;
	r->data.off = n->data_off;
	r->data.size = n->data_size;
	r->undo.file = st & HN_UNDO ? n->undo_file : -1;
	r->undo.off = n->undo_off;
	r->undo.size = n->undo_size;
	r->checksum = n->checksum;
}

void index_dirty(struct chain *c, struct hnode *n)
{
	if (c->n_dirty && c->dirty[c->n_dirty - 1] == n)
		return;
	arr_grow(&c->dirty, &c->cap_dirty, c->n_dirty + 1, sizeof(n));
	c->dirty[c->n_dirty++] = n;
}

void index_seal(struct chain *c)
{
	struct index_record r;
	size_t i;

	if (c->n_dirty == 0 && c->saved_tip == c->tip)
		return;
	pthread_mutex_lock(&c->batch_mu);
	for (i = 0; i < c->n_dirty; i++) {
		index_record_of(&r, c->dirty[i]);
		index_put(c->batch, &r);
	}
	if (c->saved_tip != c->tip)
		index_meta_put(c->batch, "tip", slice_of(c->tip->hash.b, 32));
	if (!c->batch_since)
		c->batch_since = mono_ns();
	pthread_mutex_unlock(&c->batch_mu);
	c->saved_tip = c->tip;
	c->n_dirty = 0;
}

static bool commit_put(struct chain *c, struct commit *m)
{
	struct worklist one = {&m->w, &m->w};

	m->w.next = NULL;
	return workq_put(&c->append, LANE_CONTROL, &one);
}

void index_tick(struct chain *c)
{
	struct commit *m;
	bool due;

	index_seal(c);
	pthread_mutex_lock(&c->batch_mu);
	due = c->batch_since && !c->batch_asked &&
	      (kv_batch_size(c->batch) > COMMIT_BYTES ||
	       mono_ns() - c->batch_since > COMMIT_NS);
	if (due)
		c->batch_asked = true;
	pthread_mutex_unlock(&c->batch_mu);
	if (!due)
		return;
	m = xcalloc(1, sizeof *m);
	must(commit_put(c, m));
}

uint64_t index_wait_ns(struct chain *c)
{
	uint64_t since, age;
	bool asked;

	pthread_mutex_lock(&c->batch_mu);
	since = c->batch_since;
	asked = c->batch_asked;
	pthread_mutex_unlock(&c->batch_mu);
	if (!since || asked)
		return WORKQ_FOREVER;
	age = mono_ns() - since;
	return age < COMMIT_NS ? COMMIT_NS - age + 1000000 : 1;
}

int index_commit_wait(struct chain *c)
{
	struct commit m = {.wait = true};

	must(pthread_mutex_init(&m.mu, NULL) == 0);
	must(pthread_cond_init(&m.cond, NULL) == 0);
	if (commit_put(c, &m)) {
		pthread_mutex_lock(&m.mu);
		while (!m.done)
			pthread_cond_wait(&m.cond, &m.mu);
		pthread_mutex_unlock(&m.mu);
	} else {
		m.rc = E_STOPPING;
	}
	pthread_cond_destroy(&m.cond);
	pthread_mutex_destroy(&m.mu);
	return m.rc;
}

static int write_batch(struct chain *c, struct kv_batch *b)
{
	int rc = blockfile_sync(c->blk);

	if (rc == 0)
		rc = blockfile_sync(c->rev);
	if (rc == 0 && c->filters)
		rc = filters_sync(c);
	if (rc == 0)
		rc = kv_write(c->index_kv, b, true);
	return rc;
}

static int run(struct chain *c)
{
	struct kv_batch *b = kv_batch_new(), *full;
	bool any;
	int rc;

	pthread_mutex_lock(&c->batch_mu);
	full = c->batch;
	c->batch = b;
	any = c->batch_since != 0;
	c->batch_since = 0;
	c->batch_asked = false;
	pthread_mutex_unlock(&c->batch_mu);
	rc = __atomic_load_n(&c->io_rc, __ATOMIC_ACQUIRE);
	if (rc == 0 && any) {
		rc = write_batch(c, full);
		if (rc)
			__atomic_store_n(&c->io_rc, rc, __ATOMIC_RELEASE);
		log_debug(LOG_BLOCKSTORAGE, "index commit bytes=%zu rc=%d",
			  kv_batch_size(full), rc);
	}
	kv_batch_free(full);
	return rc;
}

void index_commit_run(struct chain *c, struct work *w)
{
	struct commit *m = (struct commit *)w;
	int rc = run(c);

	if (!m->wait) {
		free(m);
		/* The chain thread asks for io_rc whenever it wakes. */
		if (rc)
			chain_control(c, NULL, NULL);
		return;
	}
	pthread_mutex_lock(&m->mu);
	m->rc = rc;
	m->done = true;
	pthread_cond_signal(&m->cond);
	pthread_mutex_unlock(&m->mu);
}
