/*
 * Basic filters on disk: a flat file of filters, and per block hash a record of
 * position, filter hash and filter header (so stale blocks keep theirs). The
 * headers of the active chain are also held in an array by height, in memory.
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
	uint64_t off;
	uint32_t size;
};

int filterdb_open(struct filterdb **give, const char *dir) must_check;
void filterdb_close(struct filterdb *f);
/* Store one filter. Chain thread. */
int filterdb_put(struct filterdb *f, const struct hash256 *block, int32_t height,
		 const struct hash256 *header, const struct hash256 *hash,
		 struct slice filter) must_check;
/* Any thread. E_NOTFOUND. */
int filterdb_get(struct filterdb *f, struct filter_record *r,
		 const struct hash256 *block) must_check;
int filterdb_read(struct filterdb *f, struct buf **give,
		  const struct filter_record *r) must_check;
/* The block that the index has reached, as kept on disk; false when none. */
bool filterdb_best(struct filterdb *f, struct hash256 *block);
int filterdb_set_best(struct filterdb *f, const struct hash256 *block) must_check;
int filterdb_sync(struct filterdb *f) must_check;
uint64_t filterdb_disk_size(struct filterdb *f);

#endif
