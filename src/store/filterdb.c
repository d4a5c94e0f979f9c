/*
 * Filters in one flat file, their records in a database. The chain thread puts,
 * any thread reads, the flusher syncs. Does not build or chain filters, and
 * does not know which blocks are on the best chain.
 */
#include <cairn/store/filterdb.h>

#include <cairn/base/buf.h>
#include <cairn/base/endian.h>
#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/base/mem.h>
#include <cairn/base/must.h>
#include <cairn/crypto/sha256.h>
#include <cairn/store/kv.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* 'f', block hash: filter hash, filter header, le32 height, le32 size, le64
 * offset. "end": le64 offset behind the last filter. "best": block hash. */
#define RECORD_TAG  'f'
#define RECORD_KEY  (1 + 32)
#define RECORD_SIZE (32 + 32 + 4 + 4 + 8)

#define FILTER_MAX 4000000u /* a filter travels in one message */

struct filterdb {
	struct kv *kv;
	int fd;
	pthread_mutex_t mu; /* of best and of end */
	uint64_t end;
	struct hash256 best;
	bool has_best;
	int failed;                  /* atomic: first failure of a write */
	struct kv_batch *put, *mark; /* chain thread; syncing thread */
};

static const struct kv_cfg cfg = {.create = true, .bloom_bits = 10};

/* A fixed-size value; E_NOTFOUND, E_CORRUPT for another size. */
static int get_fixed(struct kv *kv, uint8_t *p, size_t size, struct slice key)
{
	uint8_t *v;
	size_t n;
	int rc = kv_get(kv, &v, &n, key);

	if (rc)
		return rc;
	if (n == size)
		memcpy(p, v, n);
	free(v);
	return n == size ? 0 : E_CORRUPT;
}

static int load(struct filterdb *f)
{
	uint8_t end[8];
	int rc = get_fixed(f->kv, end, sizeof end, slice_of("end", 3));

	if (rc == 0)
		f->end = le64_get(end);
	if (rc && rc != E_NOTFOUND)
		return rc;
	rc = get_fixed(f->kv, f->best.b, 32, slice_of("best", 4));
	f->has_best = rc == 0;
	return rc == E_NOTFOUND ? 0 : rc;
}

static int open_file(struct filterdb *f, const char *dir)
{
	char *path = path_join(dir, "filters.dat");
	int rc = 0;

	f->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (f->fd < 0)
		rc = file_error(errno);
	free(path);
	return rc ? rc : dir_sync(dir);
}

int filterdb_open(struct filterdb **give, const char *dir)
{
	struct filterdb *f = xcalloc(1, sizeof *f);
	char *db = path_join(dir, "db");
	int rc;

	f->fd = -1;
	must(pthread_mutex_init(&f->mu, NULL) == 0);
	f->put = kv_batch_new();
	f->mark = kv_batch_new();
	rc = dir_make(dir);
	if (rc == 0)
		rc = kv_open(&f->kv, db, &cfg);
	if (rc == 0)
		rc = open_file(f, dir);
	if (rc == 0)
		rc = load(f);
	free(db);
	if (rc) {
		filterdb_close(f);
		return rc;
	}
	*give = f;
	return 0;
}

void filterdb_close(struct filterdb *f)
{
	if (!f)
		return;
	kv_batch_free(f->mark);
	kv_batch_free(f->put);
	kv_close(f->kv);
	if (f->fd >= 0)
		close(f->fd);
	pthread_mutex_destroy(&f->mu);
	free(f);
}

static struct slice record_key(uint8_t key[RECORD_KEY],
			       const struct hash256 *block)
{
	key[0] = RECORD_TAG;
	memcpy(key + 1, block->b, 32);
	return slice_of(key, RECORD_KEY);
}

static int put_record(struct filterdb *f, const struct hash256 *block,
		      const struct filter_record *r)
{
	uint8_t key[RECORD_KEY], value[RECORD_SIZE], end[8];
	uint8_t *p = value;

	p = bytes_put(p, r->hash.b, 32);
	p = bytes_put(p, r->header.b, 32);
	p = le32_put(p, (uint32_t)r->height);
	p = le32_put(p, r->size);
	le64_put(p, r->off);
	le64_put(end, r->off + r->size);
	kv_batch_clear(f->put);
	kv_batch_put(f->put, record_key(key, block),
		     slice_of(value, sizeof value));
	kv_batch_put(f->put, slice_of("end", 3), slice_of(end, sizeof end));
	return kv_write(f->kv, f->put, false);
}

static int fail(struct filterdb *f, int rc)
{
	__atomic_store_n(&f->failed, rc, __ATOMIC_RELEASE);
	return rc;
}

int filterdb_put(struct filterdb *f, const struct hash256 *block,
		 int32_t height, const struct hash256 *header,
		 const struct hash256 *hash, struct slice filter)
{
	struct filter_record r = {.hash = *hash, .header = *header};
	int rc = __atomic_load_n(&f->failed, __ATOMIC_ACQUIRE);

	if (rc)
		return rc;
	must(filter.n > 0 && filter.n <= FILTER_MAX);
	r.height = height;
	r.size = (uint32_t)filter.n;
	r.off = f->end;
	rc = pwrite_all(f->fd, filter.p, filter.n, r.off);
	if (rc == 0)
		rc = put_record(f, block, &r);
	if (rc)
		return fail(f, rc);
	pthread_mutex_lock(&f->mu);
	f->end = r.off + r.size;
	pthread_mutex_unlock(&f->mu);
	return 0;
}

int filterdb_get(struct filterdb *f, struct filter_record *r,
		 const struct hash256 *block)
{
	uint8_t key[RECORD_KEY], value[RECORD_SIZE];
	int rc = get_fixed(f->kv, value, sizeof value, record_key(key, block));

	if (rc)
		return rc;
	memcpy(r->hash.b, value, 32);
	memcpy(r->header.b, value + 32, 32);
	r->height = (int32_t)le32_get(value + 64);
	r->size = le32_get(value + 68);
	r->off = le64_get(value + 72);
	return 0;
}

int filterdb_read(struct filterdb *f, struct buf **give,
		  const struct filter_record *r)
{
	struct hash256 got;
	struct buf *b;
	int rc;

	if (r->size > FILTER_MAX)
		return E_CORRUPT;
	b = buf_new(r->size);
	if (!b)
		return E_NOMEM;
	rc = pread_all(f->fd, buf_data(b), r->size, r->off);
	if (rc == 0) {
		b->n = r->size;
		sha256d(&got, buf_data(b), b->n);
		rc = hash256_eq(&got, &r->hash) ? 0 : E_CORRUPT;
	}
	if (rc) {
		buf_unref(b);
		return rc;
	}
	*give = b;
	return 0;
}

bool filterdb_best(struct filterdb *f, struct hash256 *block)
{
	bool has;

	pthread_mutex_lock(&f->mu);
	has = f->has_best;
	if (has)
		*block = f->best;
	pthread_mutex_unlock(&f->mu);
	return has;
}

int filterdb_set_best(struct filterdb *f, const struct hash256 *block)
{
	pthread_mutex_lock(&f->mu);
	f->best = *block;
	f->has_best = true;
	pthread_mutex_unlock(&f->mu);
	return __atomic_load_n(&f->failed, __ATOMIC_ACQUIRE);
}

int filterdb_sync(struct filterdb *f)
{
	struct hash256 best;
	bool has = filterdb_best(f, &best);
	int rc = __atomic_load_n(&f->failed, __ATOMIC_ACQUIRE);

	if (rc)
		return rc;
	/* Every filter up to best was put before best was set, and best was
	 * read before the file is synced. */
	rc = fd_sync(f->fd);
	if (rc)
		return fail(f, rc);
	kv_batch_clear(f->mark);
	if (has)
		kv_batch_put(f->mark, slice_of("best", 4),
			     slice_of(best.b, 32));
	rc = kv_write(f->kv, f->mark, true);
	return rc ? fail(f, rc) : 0;
}

uint64_t filterdb_disk_size(struct filterdb *f)
{
	static const uint8_t from[1] = {0}, to[1] = {0xff};
	uint64_t n;

	pthread_mutex_lock(&f->mu);
	n = f->end;
	pthread_mutex_unlock(&f->mu);
	return n + kv_disk_size(f->kv, slice_of(from, 1), slice_of(to, 1));
}
