/*
 * The block index: one record per header, in a database of its own. Knows
 * bytes, not rules.
 */
#ifndef CAIRN_STORE_INDEX_H
#define CAIRN_STORE_INDEX_H

#include <cairn/base/attr.h>
#include <cairn/store/blockfile.h>

struct kv;
struct kv_batch;
struct kv_iter;

/* What is kept of a block. Positions without data have file -1; off and size
 * are then not kept. */
struct index_record {
	uint8_t header[80];
	struct hash256 hash;
	int32_t height;  /* 0 or more */
	uint32_t status; /* chain/htree.h's bits */
	uint32_t n_tx;
	int32_t seq;
	struct blockfile_pos data, undo;
	uint32_t checksum;
};

/* Gather a record, replacing an earlier one of the same height and hash. Keys
 * sort by height, so that parents come first. */
void index_put(struct kv_batch *b, const struct index_record *r);
/* Walk all records by height: start with index_first, end with kv_iter_free.
 * 1, 0 at the end, or a failure (E_IO; E_CORRUPT for a record that cannot be).
 */
struct kv_iter *index_first(struct kv *kv) must_check;
int index_next(struct kv_iter *it, struct index_record *r) must_check;

/* Named values beside the records: "tip", "version", ... A name has 1 to 31
 * characters. */
void index_meta_put(struct kv_batch *b, const char *name, struct slice v);
/* At most max bytes into p, *n receives the length. E_NOTFOUND, E_LIMIT when
 * longer, E_IO, E_CORRUPT. */
int index_meta_get(struct kv *kv, const char *name, uint8_t *p, size_t max,
		   size_t *n) must_check;

#endif
