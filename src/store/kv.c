/*
 * LevelDB behind a small interface: the only file that knows it. Any thread;
 * the library locks for itself. Does not retry a failed write: the first
 * failure is kept and returned from then on, because what a log holds after a
 * torn record is never read again.
 */
#include <cairn/store/kv.h>

#include "kv_check.h"

#include <cairn/base/err.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>
#include <cairn/base/must.h>

#include <leveldb/c.h>
#include <stdlib.h>

#define CACHE_DEFAULT        (256u << 10)
#define WRITE_BUFFER_DEFAULT (1u << 20)
#define MAX_FILE_DEFAULT     (2u << 20)
#define OPEN_FILES_DEFAULT   64

struct kv {
	leveldb_t *db;
	leveldb_options_t *opt;
	leveldb_cache_t *cache;
	leveldb_filterpolicy_t *bloom;
	leveldb_readoptions_t *get, *walk;
	leveldb_writeoptions_t *plain, *synced;
	int failed; /* atomic: first failure of a write */
};

struct kv_batch {
	leveldb_writebatch_t *wb;
	size_t bytes;
};

struct kv_iter {
	leveldb_iterator_t *it;
};

static bool starts(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

static bool ends(const char *s, const char *with)
{
	size_t n = strlen(s), m = strlen(with);

	return n >= m && memcmp(s + n - m, with, m) == 0;
}

/* A full disk shows itself in the system's phrase at the end of the text, the
 * rest in LevelDB's own word at its beginning. */
int kv_rc_of(const char *text)
{
	if (ends(text, "No space left on device") ||
	    ends(text, "Disk quota exceeded") || ends(text, "File too large"))
		return E_NOSPACE;
	if (starts(text, "IO error: lock "))
		return E_LOCKED;
	if (ends(text, "does not exist (create_if_missing is false)"))
		return E_NOTFOUND;
	/* "NotFound" is a table or manifest that is gone, never a key. */
	if (starts(text, "Corruption: ") || starts(text, "NotFound: "))
		return E_CORRUPT;
	if (starts(text, "Invalid argument: "))
		return E_INVALID;
	return E_IO;
}

/* Turn a text of LevelDB's into a code; takes it. */
static int rc_take(char *text, const char *what)
{
	int rc;

	if (!text)
		return 0;
	rc = kv_rc_of(text);
	log_error(LOG_LEVELDB, "database %s failed: %s", what, text);
	leveldb_free(text);
	return rc;
}

static void set_options(struct kv *kv, const struct kv_cfg *cfg)
{
	leveldb_options_t *o = kv->opt = leveldb_options_create();
	size_t file = cfg->max_file_size;
	size_t buffer = cfg->write_buffer;
	int files = cfg->max_open_files;

	kv->cache =
	    leveldb_cache_create_lru(cfg->cache ? cfg->cache : CACHE_DEFAULT);
	leveldb_options_set_cache(o, kv->cache);
	if (cfg->bloom_bits > 0) {
		kv->bloom = leveldb_filterpolicy_create_bloom(cfg->bloom_bits);
		leveldb_options_set_filter_policy(o, kv->bloom);
	}
	leveldb_options_set_create_if_missing(o, cfg->create);
	leveldb_options_set_write_buffer_size(o, buffer ? buffer
							: WRITE_BUFFER_DEFAULT);
	leveldb_options_set_max_file_size(o, file ? file : MAX_FILE_DEFAULT);
	leveldb_options_set_max_open_files(o,
					   files ? files : OPEN_FILES_DEFAULT);
	/* Hashes and compressed coins do not compress again. */
	leveldb_options_set_compression(o, leveldb_no_compression);
}

static void set_modes(struct kv *kv)
{
	kv->get = leveldb_readoptions_create();
	leveldb_readoptions_set_verify_checksums(kv->get, 1);
	kv->walk = leveldb_readoptions_create();
	leveldb_readoptions_set_verify_checksums(kv->walk, 1);
	/* A walk over everything would push out what look-ups need. */
	leveldb_readoptions_set_fill_cache(kv->walk, 0);
	kv->plain = leveldb_writeoptions_create();
	kv->synced = leveldb_writeoptions_create();
	leveldb_writeoptions_set_sync(kv->synced, 1);
}

int kv_open(struct kv **give, const char *path, const struct kv_cfg *cfg)
{
	struct kv *kv = xcalloc(1, sizeof *kv);
	char *err = NULL;
	int rc;

	set_options(kv, cfg);
	set_modes(kv);
	rc = kv_check_tables(path);
	if (rc == 0) {
		kv->db = leveldb_open(kv->opt, path, &err);
		rc = rc_take(err, "open");
	}
	if (rc) {
		kv_close(kv);
		return rc;
	}
	*give = kv;
	return 0;
}

void kv_close(struct kv *kv)
{
	if (!kv)
		return;
	if (kv->db)
		leveldb_close(kv->db);
	leveldb_writeoptions_destroy(kv->synced);
	leveldb_writeoptions_destroy(kv->plain);
	leveldb_readoptions_destroy(kv->walk);
	leveldb_readoptions_destroy(kv->get);
	leveldb_options_destroy(kv->opt);
	if (kv->bloom)
		leveldb_filterpolicy_destroy(kv->bloom);
	leveldb_cache_destroy(kv->cache);
	free(kv);
}

static const char *chars(struct slice s)
{
	return (const char *)s.p;
}

int kv_get(struct kv *kv, uint8_t **give, size_t *n, struct slice key)
{
	char *err = NULL;
	size_t len = 0;
	char *v = leveldb_get(kv->db, kv->get, chars(key), key.n, &len, &err);
	int rc = rc_take(err, "read");

	if (rc)
		return rc;
	if (!v)
		return E_NOTFOUND;
	/* LevelDB's copy is malloc'ed: it is the caller's as it is. */
	*give = (uint8_t *)v;
	*n = len;
	return 0;
}

struct kv_batch *kv_batch_new(void)
{
	struct kv_batch *b = xmalloc(sizeof *b);

	b->wb = leveldb_writebatch_create();
	b->bytes = 0;
	return b;
}

void kv_batch_free(struct kv_batch *b)
{
	if (!b)
		return;
	leveldb_writebatch_destroy(b->wb);
	free(b);
}

void kv_batch_clear(struct kv_batch *b)
{
	leveldb_writebatch_clear(b->wb);
	b->bytes = 0;
}

void kv_batch_put(struct kv_batch *b, struct slice key, struct slice value)
{
	leveldb_writebatch_put(b->wb, chars(key), key.n, chars(value), value.n);
	b->bytes += key.n + value.n;
}

void kv_batch_del(struct kv_batch *b, struct slice key)
{
	leveldb_writebatch_delete(b->wb, chars(key), key.n);
	b->bytes += key.n;
}

size_t kv_batch_size(const struct kv_batch *b)
{
	return b->bytes;
}

int kv_write(struct kv *kv, struct kv_batch *b, bool sync)
{
	char *err = NULL;
	int rc = __atomic_load_n(&kv->failed, __ATOMIC_ACQUIRE);
	int none = 0;

	if (rc)
		return rc;
	leveldb_write(kv->db, sync ? kv->synced : kv->plain, b->wb, &err);
	rc = rc_take(err, "write");
	if (rc)
		__atomic_compare_exchange_n(&kv->failed, &none, rc, false,
					    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	return rc;
}

struct kv_iter *kv_iter_new(struct kv *kv)
{
	struct kv_iter *it = xmalloc(sizeof *it);

	it->it = leveldb_create_iterator(kv->db, kv->walk);
	return it;
}

void kv_iter_free(struct kv_iter *it)
{
	if (!it)
		return;
	leveldb_iter_destroy(it->it);
	free(it);
}

void kv_iter_seek(struct kv_iter *it, struct slice key)
{
	leveldb_iter_seek(it->it, chars(key), key.n);
}

bool kv_iter_at(struct kv_iter *it, struct slice *key, struct slice *value)
{
	const char *k, *v;
	size_t kn, vn;

	if (!leveldb_iter_valid(it->it))
		return false;
	k = leveldb_iter_key(it->it, &kn);
	v = leveldb_iter_value(it->it, &vn);
	*key = slice_of(k, kn);
	*value = slice_of(v, vn);
	return true;
}

void kv_iter_next(struct kv_iter *it)
{
	must(leveldb_iter_valid(it->it));
	leveldb_iter_next(it->it);
}

int kv_iter_rc(struct kv_iter *it)
{
	char *err = NULL;

	leveldb_iter_get_error(it->it, &err);
	return rc_take(err, "walk");
}

uint64_t kv_disk_size(struct kv *kv, struct slice from, struct slice to)
{
	const char *start = chars(from), *limit = chars(to);
	uint64_t size = 0;

	leveldb_approximate_sizes(kv->db, 1, &start, &from.n, &limit, &to.n,
				  &size);
	return size;
}
