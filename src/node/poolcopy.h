/*
 * What the pool of unconfirmed transactions is at one moment, in small rows: a
 * command copies them on the chain thread and does the rest elsewhere, so that
 * the chain never waits for the size of an answer. Relations are worked out
 * from the transactions themselves, by whoever owns the copy.
 */
#ifndef CAIRN_NODE_POOLCOPY_H
#define CAIRN_NODE_POOLCOPY_H

#include <cairn/base/hmap.h>
#include <cairn/mempool/mempool.h>

struct pool_row {
	struct hash256 txid, wtxid;
	struct buf *buf; /* a reference; its payload is the transaction */
	int64_t fee, delta, vsize, time_s;
	int64_t weight; /* sigops counted */
	int64_t chunk_fee, chunk_weight;
	uint32_t chunk_first; /* row of its chunk */
	int32_t height;
	uint32_t weight_bip141;
	bool unbroadcast, signals_rbf;
};

enum pool_relation { POOL_PARENTS, POOL_CHILDREN };

struct pool_copy {
	struct pool_row *rows; /* as they are mined */
	size_t n;
	struct hmap by_txid;
	/* Relatives of row i: to[r][at[r][i]] up to to[r][at[r][i + 1]]. */
	uint32_t *at[2], *to[2];
	uint32_t *seen, walk; /* rows that the current walk came by */
};

/* Copy all, or the cluster of tx. Chain thread. */
struct pool_copy *poolcopy_all(const struct mempool *m) must_check;
struct pool_copy *poolcopy_cluster(const struct mempool *m,
				   const struct mempool_tx *tx) must_check;
/* NULL is fine. */
void poolcopy_free(struct pool_copy *p);

/* Everything below by the copy's owner, any thread. First: fill in chunks and
 * relations. */
void poolcopy_relate(struct pool_copy *p);
/* Its row's number, or n. */
size_t poolcopy_find(const struct pool_copy *p, const struct hash256 *txid);
/* Parents or children of row i. */
const uint32_t *poolcopy_next_to(const struct pool_copy *p, size_t i,
				 enum pool_relation r, size_t *n);
/* All ancestors or descendants, without itself; gives how many. */
size_t poolcopy_walk(struct pool_copy *p, uint32_t out[MEMPOOL_CLUSTER_MAX],
		     size_t i, enum pool_relation r);

#endif
