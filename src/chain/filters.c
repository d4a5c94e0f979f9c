/*
 * Basic block filters of the best chain: built while a block is connected, when
 * its spent scripts are at hand, or from disk afterwards where the index was
 * switched on late. Chain thread, save the readers at the end. A filter's
 * header needs the one before it, so the index always ends at one block,
 * `best`.
 */
#include "internal.h"

#include <cairn/base/buf.h>
#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>
#include <cairn/base/must.h>
#include <cairn/chain/undo.h>
#include <cairn/filter/gcs.h>
#include <cairn/store/datadir.h>
#include <cairn/store/filterdb.h>
#include <cairn/wire/cfilter.h>

#include <stdlib.h>

/* A header at a multiple of 1,000, kept in memory. */
struct kept {
	const struct hnode *node;
	struct hash256 header;
};

struct filters {
	struct filterdb *db;
	struct hnode *best;    /* atomic; NULL: none */
	struct hash256 header; /* of best */
	bool ready;            /* atomic: best is the published tip; not
				  touched while a step is under way */
	bool was_behind;       /* said so in the log */
	pthread_mutex_t mu;    /* of what follows */
	struct kept *kept;     /* height 1,000 * (i + 1) */
	size_t n_kept, cap_kept;
};

static void set_best(struct filters *f, struct hnode *n)
{
	__atomic_store_n(&f->best, n, __ATOMIC_RELEASE);
}

static struct hnode *get_best(const struct filters *f)
{
	return __atomic_load_n(&f->best, __ATOMIC_ACQUIRE);
}

static void keep_header(struct filters *f, const struct hnode *n,
			const struct hash256 *header)
{
	size_t i = (size_t)n->height / CFCHECKPT_INTERVAL;

	if (n->height == 0 || n->height % CFCHECKPT_INTERVAL != 0)
		return;
	pthread_mutex_lock(&f->mu);
	arr_grow(&f->kept, &f->cap_kept, i, sizeof *f->kept);
	f->kept[i - 1] = (struct kept){n, *header};
	f->n_kept = i;
	pthread_mutex_unlock(&f->mu);
}

/* The headers of the chain that ends in best. */
static int load_kept(struct filters *f)
{
	struct filter_record r;
	int32_t h;
	int rc = 0;

	for (h = CFCHECKPT_INTERVAL; rc == 0 && h <= f->best->height;
	     h += CFCHECKPT_INTERVAL) {
		const struct hnode *n = hnode_ancestor(f->best, h);

		rc = filterdb_get(f->db, &r, &n->hash);
		if (rc == 0)
			keep_header(f, n, &r.header);
	}
	return rc;
}

static int load_best(struct chain *c, struct filters *f)
{
	struct filter_record r;
	struct hash256 hash;
	struct hnode *n;
	int rc;

	if (!filterdb_best(f->db, &hash))
		return 0;
	n = htree_find(c->tree, &hash);
	/* Gone from the index with the last moments of a crash. */
	if (!n)
		return 0;
	rc = filterdb_get(f->db, &r, &hash);
	if (rc)
		return rc == E_NOTFOUND ? E_CORRUPT : rc;
	f->header = r.header;
	set_best(f, n);
	return load_kept(f);
}

int filters_open(struct chain *c)
{
	struct filters *f;
	char *path;
	int rc;

	if (!c->cfg.block_filter_index)
		return 0;
	path = path_join(c->cfg.data_dir, DATADIR_FILTER);
	f = xcalloc(1, sizeof *f);
	must(pthread_mutex_init(&f->mu, NULL) == 0);
	rc = dir_make(path);
	if (rc == 0)
		rc = filterdb_open(&f->db, path);
	free(path);
	if (rc == 0)
		rc = load_best(c, f);
	c->filters = f;
	return rc;
}

void filters_close(struct chain *c)
{
	struct filters *f = c->filters;

	if (!f)
		return;
	filterdb_close(f->db);
	pthread_mutex_destroy(&f->mu);
	free(f->kept);
	free(f);
	c->filters = NULL;
}

static bool is_next(const struct filters *f, const struct hnode *n)
{
	return f->best == n->prev;
}

bool filters_wants(const struct chain *c, const struct hnode *n)
{
	return c->filters && is_next(c->filters, n);
}

/* The index goes on to n with this filter. */
static int store(struct filters *f, struct hnode *n, const struct buf *filter)
{
	struct slice s = buf_payload(filter);
	struct hash256 hash, header;
	int rc;

	filter_hash(&hash, s);
	filter_header(&header, &hash, &f->header);
	rc = filterdb_put(f->db, &n->hash, n->height, &header, &hash, s);
	if (rc == 0)
		rc = filterdb_set_best(f->db, &n->hash);
	if (rc)
		return rc;
	f->header = header;
	set_best(f, n);
	keep_header(f, n, &header);
	return 0;
}

int filters_connected(struct chain *c, struct hnode *n,
		      const struct buf *filter)
{
	return store(c->filters, n, filter);
}

/* Back to n, whose filter is stored; NULL: to before genesis. */
static int rewind_to(struct filters *f, struct hnode *n)
{
	struct filter_record r;
	int rc = 0;

	if (n)
		rc = filterdb_get(f->db, &r, &n->hash);
	if (rc == 0 && n)
		rc = filterdb_set_best(f->db, &n->hash);
	if (rc)
		return rc == E_NOTFOUND ? E_CORRUPT : rc;
	if (n)
		f->header = r.header;
	else
		memset(&f->header, 0, sizeof f->header);
	set_best(f, n);
	pthread_mutex_lock(&f->mu);
	f->n_kept = n ? (size_t)n->height / CFCHECKPT_INTERVAL : 0;
	pthread_mutex_unlock(&f->mu);
	return 0;
}

int filters_disconnected(struct chain *c, const struct hnode *n)
{
	struct filters *f = c->filters;

	return f && f->best == n ? rewind_to(f, hnode_mut(n->prev)) : 0;
}

static void add_outputs(struct gcs_builder *g, const struct block_view *b)
{
	struct txout_view out;
	struct tx_iter it;
	uint32_t i;

	for (i = 0; i < b->n_tx; i++) {
		txouts(&it, &b->tx[i]);
		while (txout_next(&it, &out))
			gcs_add_script(g, out.script);
	}
}

static int add_spent(struct gcs_builder *g, struct slice record)
{
	struct undo_reader undo;
	struct coin coin;
	bool bad = false;

	if (!undo_reader_init(&undo, record))
		return E_CORRUPT;
	while (undo_next(&undo, &coin, &bad))
		gcs_add_script(g, coin.script);
	return bad ? E_CORRUPT : 0;
}

/* n's filter from what is on disk. */
static int build_from_disk(struct chain *c, struct hnode *n)
{
	struct gcs_builder g;
	struct buf *undo = NULL, *filter = NULL;
	struct body b;
	int rc = body_get(c, &b, n);

	if (rc)
		return rc;
	rc = undo_load(c, &undo, n);
	if (rc == 0) {
		gcs_builder_init(&g, &n->hash);
		add_outputs(&g, &b.view);
		rc = add_spent(&g, buf_payload(undo));
		if (rc == 0)
			rc = gcs_build(&filter, &g);
		if (rc == 0)
			rc = store(c->filters, n, filter);
		gcs_builder_fini(&g);
	}
	buf_unref(filter);
	buf_unref(undo);
	body_fini(&b);
	return rc;
}

static int catch_up(struct chain *c, struct filters *f)
{
	const struct hnode *n = f->best;
	int32_t next = n ? n->height + 1 : 0;

	/* The tip went elsewhere while the index was behind. */
	if (n && !hnode_is_ancestor(n, c->tip))
		return rewind_to(f, hnode_mut(hnode_fork(n, c->tip)));
	return build_from_disk(c, hnode_mut(hnode_ancestor(c->tip, next)));
}

void filters_published(struct chain *c)
{
	struct filters *f = c->filters;

	if (f)
		__atomic_store_n(&f->ready, f->best == c->tip,
				 __ATOMIC_RELEASE);
}

bool filters_behind(const struct chain *c)
{
	return c->filters && c->filters->db && c->tip &&
	       c->filters->best != c->tip;
}

bool filters_catch_up(struct chain *c)
{
	struct filters *f = c->filters;
	int rc;

	if (!filters_behind(c))
		return false;
	if (!f->was_behind)
		log_info(LOG_VALIDATION, "filters catch up from height=%d",
			 f->best ? f->best->height + 1 : 0);
	f->was_behind = true;
	rc = catch_up(c, f);
	if (rc)
		chain_fatal(c, rc, "a block filter could not be stored");
	if (rc || filters_behind(c))
		return rc == 0;
	f->was_behind = false;
	filters_published(c);
	log_info(LOG_VALIDATION, "filters complete height=%d", f->best->height);
	return false;
}

int filters_sync(struct chain *c)
{
	/* Without where start failed to open it: there is nothing to sync. */
	return c->filters->db ? filterdb_sync(c->filters->db) : 0;
}

bool filters_checkpoint(struct chain *c, struct hash256 *header,
			const struct hnode *n)
{
	struct filters *f = c->filters;
	size_t i = (size_t)n->height / CFCHECKPT_INTERVAL;
	bool found;

	if (!f || i == 0 || n->height % CFCHECKPT_INTERVAL != 0)
		return false;
	pthread_mutex_lock(&f->mu);
	found = i <= f->n_kept && f->kept[i - 1].node == n;
	if (found)
		*header = f->kept[i - 1].header;
	pthread_mutex_unlock(&f->mu);
	return found;
}

bool chain_filters_ready(struct chain *c)
{
	return c->filters &&
	       __atomic_load_n(&c->filters->ready, __ATOMIC_ACQUIRE);
}

int32_t chain_filters_height(struct chain *c)
{
	const struct hnode *n = c->filters ? get_best(c->filters) : NULL;

	return n ? n->height : -1;
}

static bool record_of(struct chain *c, struct filter_record *r,
		      const struct hnode *n)
{
	return c->filters && filterdb_get(c->filters->db, r, &n->hash) == 0;
}

bool chain_filter_header(struct chain *c, struct hash256 *header,
			 const struct hnode *n)
{
	struct filter_record r;

	if (!record_of(c, &r, n))
		return false;
	*header = r.header;
	return true;
}

bool chain_filter_hash(struct chain *c, struct hash256 *hash,
		       const struct hnode *n)
{
	struct filter_record r;

	if (!record_of(c, &r, n))
		return false;
	*hash = r.hash;
	return true;
}

int chain_filter_read(struct chain *c, struct buf **give, const struct hnode *n)
{
	struct filter_record r;

	if (!c->filters)
		return E_NOTFOUND;
	return filterdb_get(c->filters->db, &r, &n->hash) == 0
		   ? filterdb_read(c->filters->db, give, &r)
		   : E_NOTFOUND;
}
