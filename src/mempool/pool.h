/*
 * The pool from inside: entries, their clusters, and what accept.c and its
 * neighbours may do to them. Judges nothing. Chain thread.
 */
#ifndef CAIRN_SRC_MEMPOOL_POOL_H
#define CAIRN_SRC_MEMPOOL_POOL_H

#include "linearize.h"

#include <cairn/base/hmap.h>
#include <cairn/mempool/mempool.h>

struct cluster;

struct entry {
	struct mempool_tx tx; /* first */
	struct cluster *cluster;
	uint8_t slot; /* bit in the cluster's sets */
};

/* Transactions that are related, at most MEMPOOL_CLUSTER_MAX. */
struct cluster {
	struct entry *tx[MEMPOOL_CLUSTER_MAX]; /* by slot; NULL: free */
	uint64_t used;
	/* By slot: all ancestors and descendants, without itself. */
	uint64_t parents[MEMPOOL_CLUSTER_MAX], children[MEMPOOL_CLUSTER_MAX];
	uint64_t ancestors[MEMPOOL_CLUSTER_MAX],
	    descendants[MEMPOOL_CLUSTER_MAX];
	uint8_t order[MEMPOOL_CLUSTER_MAX]; /* slots, as they are mined */
	struct lin_chunk chunks[MEMPOOL_CLUSTER_MAX];
	uint32_t n, n_chunks;
	int64_t vsize;
	size_t at; /* place in the pool's list of clusters */
};

struct mempool {
	struct mempool_cfg cfg;
	struct mempool_ops ops;
	void *arg;
	struct mempool_tip tip;
	/* Private to pool.c and its neighbours: see there. */
	struct pool_index *ix;
};

/* What is asked before it is done: one or more transactions in, others out. */
struct pool_change {
	const struct entry *const *out; /* leave, each with all descendants */
	size_t n_out;
	/* One that comes: its fee (with delta) and size; its parents are found
	 * by its inputs. */
	const struct tx_view *tx;
	int64_t fee, vsize;
};
enum pool_fit {
	POOL_FITS,
	POOL_TOO_LARGE, /* a cluster would be over its limits */
	POOL_NOT_BETTER /* with out: the diagram of what is touched would not
			   be strictly better */
};
enum pool_fit pool_try(const struct mempool *m, const struct pool_change *c);
/* The chunk that c->tx would be mined in. After POOL_FITS. */
void pool_try_chunk(const struct mempool *m, const struct pool_change *c,
		    int64_t *fee, int64_t *vsize);

/* Put t, whose buf is kept, in; POOL_FITS was said, or it comes back from a
 * block: then children that would make the cluster too large leave, and NULL is
 * given when that does not help. Links it with all relatives; calls added. */
struct entry *pool_insert(struct mempool *m, const struct mempool_tx *t);
/* Take e and all its descendants out; calls removed for each, children first.
 */
void pool_remove(struct mempool *m, struct entry *e, enum mempool_reason why);
/* Take e alone out, whose parents are gone: it is in a block. */
void pool_remove_mined(struct mempool *m, struct entry *e);

struct entry *pool_find(const struct mempool *m, const struct hash256 *txid);
struct entry *pool_find_wtxid(const struct mempool *m,
			      const struct hash256 *wtxid);
struct entry *pool_spender(const struct mempool *m, const uint8_t *outpoint);
/* Added to the fee by mempool_prioritise, whether it is here or not. */
int64_t pool_delta(const struct mempool *m, const struct hash256 *txid);
/* The output of a transaction in the pool. */
bool pool_output(const struct mempool *m, struct txout_view *out,
		 const uint8_t *outpoint);
/* The number of the next arrival. */
uint64_t pool_sequence(struct mempool *m);

/* Rate asked now, satoshi per 1,000 vbytes: after the pool was full it falls by
 * half each 12 hours (3 or 6 while it is mostly empty), down to 0; what is
 * asked is the policy's minimum at least. */
int64_t pool_min_rate(struct mempool *m, int64_t now_s);
/* Drop the worst chunks until it fits in max_bytes, and ask more from now on
 * than they paid. */
void pool_make_room(struct mempool *m, int64_t now_s);

/* Whether e is still valid on m->tip by locks and maturity: for after a
 * reorganisation. accept.c */
bool accept_still_valid(struct mempool *m, const struct entry *e);

#endif
