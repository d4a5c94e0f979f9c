/*
 * The pool from inside: entries, their clusters, and what accept.c and its
 * neighbours may do to them. Judges nothing. Chain thread.
 */
#ifndef CAIRN_SRC_MEMPOOL_POOL_H
#define CAIRN_SRC_MEMPOOL_POOL_H

#include "linearize.h"

#include <cairn/mempool/mempool.h>

struct cluster;

struct entry {
	struct mempool_tx tx; /* first */
	struct cluster *cluster;
	size_t by_age; /* place among all, the oldest first */
	uint8_t slot;  /* bit in the cluster's sets */
};

/* Transactions that are related, 1..MEMPOOL_CLUSTER_MAX, in the order in which
 * they are mined: slot i is the i-th. A set is a mask of slots; walked from bit
 * 0 it gives parents before children. Any change makes a new cluster. */
struct cluster {
	/* Arrays of n, by slot. */
	struct entry **tx;
	uint64_t *parents, *children; /* direct */
	/* All of them, without itself. */
	uint64_t *ancestors, *descendants;
	struct lin_chunk *chunks; /* n_chunks; sizes are weights */
	uint32_t n, n_chunks;
	uint64_t used; /* all slots */
	int64_t weight;
	bool optimal;    /* no order is better */
	size_t by_worst; /* places in the pool's heaps */
	size_t by_best;
	/* Scratch of one call, zero between calls. */
	uint32_t mark;
	uint64_t leaving;
};

struct mempool {
	struct mempool_cfg cfg;
	struct mempool_ops ops;
	void *arg;
	struct mempool_tip tip;
	/* Private to pool.c and its neighbours: see inner.h. */
	struct pool_index *ix;
};

/* What is asked before it is done: transactions in, others out. */
struct pool_comer {
	const struct tx_view *tx; /* its parents are found by its inputs */
	const struct hash256 *txid;
	int64_t fee;    /* with what mempool_prioritise added */
	int64_t weight; /* as in struct mempool_tx */
};
#define POOL_COMERS_MAX MEMPOOL_PACKAGE_MAX
struct pool_change {
	struct entry *const *out; /* leave, each with all descendants */
	size_t n_out;
	/* Come, parents before children; may be parents of each other. What
	 * leaves is nobody's parent. At most POOL_COMERS_MAX. */
	const struct pool_comer *in;
	size_t n_in;
};
enum pool_fit {
	POOL_FITS,
	POOL_TOO_LARGE, /* a cluster would be over its limits */
	POOL_NOT_BETTER /* with out: the diagram of what is touched would not
			   be strictly better */
};
enum pool_fit pool_try(const struct mempool *m, const struct pool_change *c);

/* Put t, whose buf is kept, in; weight and delta are filled here. POOL_FITS was
 * said, or it comes back from a block and has children here: then the worst of
 * what would make the cluster too large leaves. NULL when it does not fit
 * without them. Links it with all relatives; calls added. */
struct entry *pool_insert(struct mempool *m, const struct mempool_tx *t);
/* Take e and all its descendants out; calls removed for each, children first.
 * Of several that may be related take pool_remove_all. */
void pool_remove(struct mempool *m, struct entry *e, enum mempool_reason why);
void pool_remove_all(struct mempool *m, struct entry *const *e, size_t n,
		     enum mempool_reason why);

struct entry *pool_find(const struct mempool *m, const struct hash256 *txid);
struct entry *pool_find_wtxid(const struct mempool *m,
			      const struct hash256 *wtxid);
struct entry *pool_spender(const struct mempool *m, const uint8_t *outpoint);
/* Added to the fee by mempool_prioritise, whether it is here or not. */
int64_t pool_delta(const struct mempool *m, const struct hash256 *txid);
/* The number of the next change: each arrival and each removal takes one. */
uint64_t pool_sequence(const struct mempool *m);

/* Rate asked now because the pool was full, satoshi per 1,000 vbytes: it falls
 * by half each 12 hours (3 or 6 while it is mostly empty), down to 0; and what
 * is asked in all, which is the policy's minimum at least. */
int64_t pool_full_rate(const struct mempool *m, int64_t now_s);
int64_t pool_min_rate(const struct mempool *m, int64_t now_s);
/* Drop the worst chunks until it fits in max_bytes, and ask more from now on
 * than they paid. */
void pool_make_room(struct mempool *m, int64_t now_s);

/* Whether e is still valid on m->tip by locks and maturity: for after a
 * reorganisation. accept.c */
bool accept_still_valid(struct mempool *m, const struct entry *e);

#endif
