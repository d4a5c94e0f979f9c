/*
 * A key-value database (LevelDB, in one file). Any thread reads; the owner says
 * who writes. Its error strings become E_NOSPACE, E_IO or E_CORRUPT. Every
 * function may block on the disk: never called on the loop after start.
 */
#ifndef CAIRN_STORE_KV_H
#define CAIRN_STORE_KV_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>

struct kv;
struct kv_batch;
struct kv_iter;

/* Sizes are bounds: nothing of them is set aside before it is used. A field
 * that is 0 takes the default in brackets. */
struct kv_cfg {
	size_t cache;        /* bytes of the block cache (256 KiB) */
	size_t write_buffer; /* bytes gathered before a table is made (1 MiB) */
	size_t max_file_size; /* bytes of a table (2 MiB) */
	int bloom_bits;       /* per key, for databases that are asked for
				 what they do not hold (none) */
	int max_open_files;   /* tables kept open (64) */
	bool create;          /* make the database when it is not there */
};

/* Open the database in folder path, whose parent exists. Gives it. E_NOTFOUND
 * when absent and create is false, E_LOCKED when this or another process has it
 * open, E_CORRUPT, E_NOSPACE, E_IO. Start only. */
int kv_open(struct kv **give, const char *path,
	    const struct kv_cfg *cfg) must_check;
/* Iterators are freed before. NULL is fine. */
void kv_close(struct kv *kv);

/* The value into a malloc'ed copy that the caller frees; E_NOTFOUND, E_CORRUPT,
 * E_IO. Any thread. */
int kv_get(struct kv *kv, uint8_t **give, size_t *n,
	   struct slice key) must_check;

/* Changes gathered in memory, applied in order by kv_write. One thread. */
struct kv_batch *kv_batch_new(void) must_check;
void kv_batch_free(struct kv_batch *b);
void kv_batch_clear(struct kv_batch *b);
void kv_batch_put(struct kv_batch *b, struct slice key, struct slice value);
void kv_batch_del(struct kv_batch *b, struct slice key);
/* Bytes of keys and values gathered so far. */
size_t kv_batch_size(const struct kv_batch *b);
/* Write atomically, after everything written before it; sync: on disk when it
 * returns. The batch keeps its contents. A failure is final: it is returned by
 * every later call and nothing more is written. Any thread. */
int kv_write(struct kv *kv, struct kv_batch *b, bool sync) must_check;

/* An iterator over the state at its creation, before the first key until it is
 * sought. One thread at a time. */
struct kv_iter *kv_iter_new(struct kv *kv) must_check;
void kv_iter_free(struct kv_iter *it);
/* Move to the first key that is not below key. */
void kv_iter_seek(struct kv_iter *it, struct slice key);
/* The pair under the iterator, borrowed until it moves; false at the end. */
bool kv_iter_at(struct kv_iter *it, struct slice *key, struct slice *value);
void kv_iter_next(struct kv_iter *it);
/* 0, or what stopped the walk: asked once kv_iter_at said false. */
int kv_iter_rc(struct kv_iter *it) must_check;

/* Rough bytes on disk of the keys from (inclusive) to to (exclusive); what has
 * not reached a table yet is not counted. Any thread. */
uint64_t kv_disk_size(struct kv *kv, struct slice from, struct slice to);

/* Map a LevelDB error text (borrowed, not NULL); exposed for its test. */
int kv_rc_of(const char *text);

#endif
