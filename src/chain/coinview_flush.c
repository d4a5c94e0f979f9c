/*
 * The flusher: a thread that writes one frozen generation at a time to the
 * database, in sorted batches. It reads the generation while the chain thread
 * reads it too; nobody writes to it. Does not retry and does not decide when.
 */
#include <cairn/chain/coins.h>

#include "coinview_gen.h"
#include "coinview_int.h"

#include <cairn/base/err.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>
#include <cairn/base/must.h>
#include <cairn/base/thread.h>
#include <cairn/store/kv.h>

#include <stdlib.h>

#define SORT_SMALL 24u /* below: compare, do not count */

uint8_t *marker_put(uint8_t *p, const struct coin_marker *m)
{
	p = bytes_put(p, m->hash.b, 32);
	return le32_put(p, (uint32_t)m->height);
}

/*
 * Sorting. An item is the first 4 bytes of the txid above the unit number of
 * the entry; items that agree in those bytes are put in order by their entries.
 */

static uint32_t item_prefix(uint64_t item)
{
	return (uint32_t)(item >> 32);
}

static bool key_less(const struct gen *g, uint64_t a, uint64_t b)
{
	const uint8_t *ea, *eb;
	int d;

	if (item_prefix(a) != item_prefix(b))
		return item_prefix(a) < item_prefix(b);
	ea = gen_at(g, (uint32_t)a);
	eb = gen_at(g, (uint32_t)b);
	d = memcmp(ea, eb, 32);
	return d ? d < 0 : le32_get(ea + 32) < le32_get(eb + 32);
}

static void swap(uint64_t *a, uint64_t *b)
{
	uint64_t t = *a;

	*a = *b;
	*b = t;
}

static void sift(const struct gen *g, uint64_t *p, size_t i, size_t n)
{
	for (;;) {
		size_t k = 2 * i + 1;

		if (k >= n)
			return;
		if (k + 1 < n && key_less(g, p[k], p[k + 1]))
			k++;
		if (!key_less(g, p[i], p[k]))
			return;
		swap(&p[i], &p[k]);
		i = k;
	}
}

/* In place, and never quadratic whatever the txids are. */
static void heap_sort(const struct gen *g, uint64_t *p, size_t n)
{
	size_t i;

	for (i = n / 2; i-- > 0;)
		sift(g, p, i, n);
	for (i = n; i-- > 1;) {
		swap(&p[0], &p[i]);
		sift(g, p, 0, i);
	}
}

/* Sort by the byte of the prefix that shift names, then each part by the next:
 * in place, for random bytes faster than by comparing. */
static void radix_sort(const struct gen *g, uint64_t *p, size_t n,
		       unsigned shift)
{
	size_t at[256] = {0}, end[256], i, sum = 0;
	unsigned d;

	if (n <= SORT_SMALL || shift < 32) {
		heap_sort(g, p, n);
		return;
	}
	for (i = 0; i < n; i++)
		at[p[i] >> shift & 0xff]++;
	for (d = 0; d < 256; d++) {
		size_t count = at[d];

		at[d] = sum;
		end[d] = sum += count;
	}
	for (d = 0; d < 256; d++) {
		while (at[d] < end[d]) {
			size_t from = at[d];
			unsigned k = p[from] >> shift & 0xff;

			swap(&p[from], &p[at[k]++]);
		}
	}
	for (d = 0; d < 256; d++) {
		i = d ? end[d - 1] : 0;
		radix_sort(g, p + i, end[d] - i, shift - 8);
	}
}

/* The entries of g in the order of database keys: g->n items, gives them. */
static uint64_t *sorted(const struct gen *g)
{
	uint64_t *items = malloc((g->n ? g->n : 1) * sizeof *items);
	size_t n = 0, i;

	if (!items)
		return NULL;
	for (i = 0; gen_item(g, &i, &items[n]);)
		n++;
	must(n == g->n);
	radix_sort(g, items, n, 56);
	return items;
}

/*
 * Writing.
 */

struct flush {
	struct coinview *v;
	const struct gen *g;
	struct kv_batch *b;
	uint64_t *items;
	size_t n, next; /* entries, and those that batches have taken */
	bool final;     /* ends with the marker; not in the midst of recovery */
};

/* Fill the batch with the next entries in order. */
static void fill(struct flush *f)
{
	uint8_t key[COIN_KEY];

	kv_batch_clear(f->b);
	while (f->next < f->n && kv_batch_size(f->b) < f->v->cfg.batch) {
		const uint8_t *e = gen_at(f->g, (uint32_t)f->items[f->next++]);

		coinview_key(key, e);
		if (entry_is_tomb(e))
			kv_batch_del(f->b, slice_of(key, sizeof key));
		else
			kv_batch_put(f->b, slice_of(key, sizeof key),
				     entry_value(e));
	}
}

/* Before the database is made a mix of two states it says so. */
static void mark_begin(struct flush *f)
{
	uint8_t mark[UNFINISHED_SIZE];

	marker_put(marker_put(mark, &f->v->disk), &f->v->frozen_at);
	kv_batch_put(f->b, slice_of(UNFINISHED_KEY, 1),
		     slice_of(mark, sizeof mark));
}

static void mark_end(struct flush *f)
{
	uint8_t mark[MARKER_SIZE];

	marker_put(mark, &f->v->frozen_at);
	kv_batch_del(f->b, slice_of(UNFINISHED_KEY, 1));
	kv_batch_put(f->b, slice_of(MARKER_KEY, 1),
		     slice_of(mark, sizeof mark));
}

static bool stopped(const struct coinview *v)
{
	return __atomic_load_n(&v->stop, __ATOMIC_ACQUIRE);
}

/* Write batch after batch. A flush that fits in one needs no first marker. In
 * recovery the marker of the flush that broke stays until the last one. */
static int write_batches(struct flush *f)
{
	bool first = true, last;
	int rc;

	do {
		if (stopped(f->v))
			return E_STOPPING;
		fill(f);
		last = f->next == f->n;
		if (first && !last && !f->v->recovering)
			mark_begin(f);
		if (last && f->final)
			mark_end(f);
		rc = kv_write(f->v->kv, f->b, last);
		first = false;
	} while (rc == 0 && !last);
	return rc;
}

static int flush_frozen(struct coinview *v)
{
	struct flush f = {.v = v, .g = v->frozen, .n = v->frozen->n};
	int rc = stopped(v) ? E_STOPPING : 0;

	if (rc == 0 && v->sync)
		rc = v->sync(v->sync_arg);
	if (rc)
		return rc;
	f.final =
	    !v->recovering || hash256_eq(&v->frozen_at.hash, &v->rec_to.hash);
	f.items = sorted(f.g);
	if (!f.items)
		return E_NOMEM;
	f.b = kv_batch_new();
	rc = write_batches(&f);
	kv_batch_free(f.b);
	free(f.items);
	log_debug(LOG_COINDB, "flushed height=%d coins=%zu rc=%d",
		  (int)v->frozen_at.height, f.n, rc);
	return rc;
}

/*
 * The thread. Between submit and done it is the only writer of nothing: it
 * reads the view's frozen generation and markers, which the chain thread leaves
 * alone.
 */

static void flusher_main(void *arg)
{
	struct coinview *v = arg;
	int rc;

	pthread_mutex_lock(&v->mu);
	for (;;) {
		while (!v->job && !v->quit)
			pthread_cond_wait(&v->cond, &v->mu);
		if (!v->job)
			break;
		v->job = false;
		pthread_mutex_unlock(&v->mu);
		rc = flush_frozen(v);
		pthread_mutex_lock(&v->mu);
		v->job_rc = rc;
		v->done = true;
		pthread_cond_broadcast(&v->cond);
	}
	pthread_mutex_unlock(&v->mu);
}

void flusher_start(struct coinview *v)
{
	must(pthread_mutex_init(&v->mu, NULL) == 0);
	must(pthread_cond_init(&v->cond, NULL) == 0);
	thread_start(&v->thread, "flusher", flusher_main, v);
}

void flusher_stop(struct coinview *v)
{
	pthread_mutex_lock(&v->mu);
	v->quit = true;
	pthread_cond_broadcast(&v->cond);
	pthread_mutex_unlock(&v->mu);
	pthread_join(v->thread, NULL);
	pthread_cond_destroy(&v->cond);
	pthread_mutex_destroy(&v->mu);
}

void flusher_submit(struct coinview *v)
{
	pthread_mutex_lock(&v->mu);
	v->job = true;
	v->done = false;
	pthread_cond_broadcast(&v->cond);
	pthread_mutex_unlock(&v->mu);
}

bool flusher_done(struct coinview *v, int *rc, bool wait)
{
	bool done;

	pthread_mutex_lock(&v->mu);
	while (wait && !v->done)
		pthread_cond_wait(&v->cond, &v->mu);
	done = v->done;
	*rc = v->job_rc;
	pthread_mutex_unlock(&v->mu);
	return done;
}

void coinview_interrupt(struct coinview *v)
{
	__atomic_store_n(&v->stop, true, __ATOMIC_RELEASE);
}
