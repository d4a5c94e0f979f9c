/*
 * mempool.dat: the pool in a file, in bitcoind's form. Number of the form (le64
 * 1 or 2; behind 2 a key of 8 bytes with its length, which everything further
 * on is mixed with by its place in the file), number of transactions (le64);
 * each with le64 time and le64 what was added to its fee; what was added to
 * others; ids of those that no peer has asked for yet. Any thread that may
 * block.
 */
#ifndef CAIRN_NODE_POOLFILE_H
#define CAIRN_NODE_POOLFILE_H

#include "poolcopy.h"

struct pool_delta {
	struct hash256 txid;
	int64_t delta;
};

/* All that goes into the file. */
struct pool_dump {
	struct pool_copy *copy;
	struct pool_delta *deltas; /* of transactions that are not in copy */
	size_t n, cap;
};

/* Chain thread. */
struct pool_dump *pooldump_take(const struct mempool *m) must_check;
/* NULL is fine. */
void pooldump_free(struct pool_dump *d);

/* Write to path by way of path.new. form: 1 or 2. Gives the file's size. 0,
 * -errno, E_NOSPACE, E_IO. */
int poolfile_write(const char *path, const struct pool_dump *d, unsigned form,
		   uint64_t *size) must_check;

enum pool_item_kind { POOL_ITEM_TX, POOL_ITEM_DELTA, POOL_ITEM_UNBROADCAST };

struct pool_item {
	enum pool_item_kind kind;
	struct buf *buf;     /* TX: give */
	struct hash256 txid; /* of others than TX */
	int64_t time_s, delta;
};

struct pool_reader;
/* 0, -errno, E_INVALID when it is no file, E_PARSE for another form, E_CORRUPT
 * where it ends early. */
int poolfile_open(struct pool_reader **give, const char *path) must_check;
/* Transactions that it says to hold. */
uint64_t poolfile_count(const struct pool_reader *r);
/* 1 with an item, 0 at the end; E_PARSE, E_CORRUPT, E_NOMEM, -errno. */
int poolfile_next(struct pool_reader *r, struct pool_item *item) must_check;
/* NULL is fine. */
void poolfile_close(struct pool_reader *r);

#endif
