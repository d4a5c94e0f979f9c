/*
 * Basic filters on disk: a flat file of filters, and per block hash a record of
 * position, filter hash and filter header (so stale blocks keep theirs).
 */
#ifndef CAIRN_STORE_FILTERDB_H
#define CAIRN_STORE_FILTERDB_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>

struct buf;
struct filterdb;

struct filter_record {
	struct hash256 hash;   /* of the filter */
	struct hash256 header; /* of the chain of filters */
	int32_t height;        /* of the block */
	uint32_t size;
	uint64_t off;
};

/* Open or make the filters in folder dir, whose parent exists. Gives it. What
 * kv_open returns, or -errno. Start only. */
int filterdb_open(struct filterdb **give, const char *dir) must_check;
/* NULL is fine. No call is under way. */
void filterdb_close(struct filterdb *f);
/* Store one filter; again for the same block is fine. E_NOSPACE, E_IO: final,
 * as kv_write. Chain thread. */
int filterdb_put(struct filterdb *f, const struct hash256 *block,
		 int32_t height, const struct hash256 *header,
		 const struct hash256 *hash, struct slice filter) must_check;
/* The record of a block. E_NOTFOUND, E_CORRUPT, E_IO. Any thread. */
int filterdb_get(struct filterdb *f, struct filter_record *r,
		 const struct hash256 *block) must_check;
/* The filter of a record: gives a buffer. Its double SHA-256 is compared with
 * r->hash (E_CORRUPT). E_NOMEM, E_IO. Any thread. */
int filterdb_read(struct filterdb *f, struct buf **give,
		  const struct filter_record *r) must_check;
/* The block that the index has reached: the last one set, and across a restart
 * the last one synced. False when none. Chain thread. */
bool filterdb_best(struct filterdb *f, struct hash256 *block);
/* Note the block that the index has reached; on disk with the next sync. Chain
 * thread. */
int filterdb_set_best(struct filterdb *f,
		      const struct hash256 *block) must_check;
/* Put everything on disk: filters, then records, then the best block. A failure
 * is final. Any thread, one at a time. */
int filterdb_sync(struct filterdb *f) must_check;
/* Rough bytes on disk. Any thread. */
uint64_t filterdb_disk_size(struct filterdb *f);

#endif
