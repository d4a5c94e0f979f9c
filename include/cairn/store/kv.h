/*
 * A key-value database (LevelDB, in one file). Any thread reads; the owner says
 * who writes. Its error strings become E_NOSPACE, E_IO or E_CORRUPT.
 */
#ifndef CAIRN_STORE_KV_H
#define CAIRN_STORE_KV_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>

struct kv;
struct kv_batch;
struct kv_iter;

struct kv_cfg {
	size_t cache;	     /* block cache bytes */
	size_t write_buffer; /* bytes */
	bool create;
};

int kv_open(struct kv **give, const char *path, const struct kv_cfg *cfg)
    must_check;
void kv_close(struct kv *kv);

/* The value into a malloc'ed copy that the caller frees; E_NOTFOUND. */
int kv_get(struct kv *kv, uint8_t **give, size_t *n, struct slice key) must_check;

struct kv_batch *kv_batch_new(void) must_check;
void kv_batch_free(struct kv_batch *b);
void kv_batch_clear(struct kv_batch *b);
void kv_batch_put(struct kv_batch *b, struct slice key, struct slice value);
void kv_batch_del(struct kv_batch *b, struct slice key);
/* Bytes gathered so far, roughly. */
size_t kv_batch_size(const struct kv_batch *b);
/* Write atomically; sync: on disk when it returns. */
int kv_write(struct kv *kv, struct kv_batch *b, bool sync) must_check;

/* An iterator over the state at its creation. One thread. */
struct kv_iter *kv_iter_new(struct kv *kv) must_check;
void kv_iter_free(struct kv_iter *it);
void kv_iter_seek(struct kv_iter *it, struct slice key);
/* The pair under the iterator, borrowed until it moves; false at the end. */
bool kv_iter_at(struct kv_iter *it, struct slice *key, struct slice *value);
void kv_iter_next(struct kv_iter *it);
/* 0, or what stopped the walk. */
int kv_iter_rc(struct kv_iter *it) must_check;

uint64_t kv_disk_size(struct kv *kv, struct slice from, struct slice to);

/* Map a LevelDB error text; exposed for its test. */
int kv_rc_of(const char *text);

#endif
