/*
 * The block index: one record per header, in a database of its own. Knows bytes,
 * not rules.
 */
#ifndef CAIRN_STORE_INDEX_H
#define CAIRN_STORE_INDEX_H

#include <cairn/base/attr.h>
#include <cairn/store/blockfile.h>

struct kv;
struct kv_batch;
struct kv_iter;

struct index_record {
	uint8_t header[80];
	struct hash256 hash;
	int32_t height;
	uint32_t status; /* chain/htree.h's bits */
	uint32_t n_tx;
	int32_t seq;
	struct blockfile_pos data, undo;
	uint32_t checksum;
};

/* Keys sort by height, so that parents come first. */
void index_put(struct kv_batch *b, const struct index_record *r);
/* Walk all records by height: start with index_first. 1, 0 at the end, or a
 * failure (E_CORRUPT for a record that cannot be). */
struct kv_iter *index_first(struct kv *kv) must_check;
int index_next(struct kv_iter *it, struct index_record *r) must_check;

/* Named values beside the records: "tip", "version", ... */
void index_meta_put(struct kv_batch *b, const char *name, struct slice v);
int index_meta_get(struct kv *kv, const char *name, uint8_t *p, size_t max,
		   size_t *n) must_check;

#endif
