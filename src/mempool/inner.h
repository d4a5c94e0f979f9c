/*
 * What the files of the pool share and nobody else sees: its tables and heaps,
 * and drafts of clusters. Chain thread.
 */
#ifndef CAIRN_SRC_MEMPOOL_INNER_H
#define CAIRN_SRC_MEMPOOL_INNER_H

#include "heap.h"
#include "pool.h"
#include "table.h"

/* What was given by mempool_prioritise. */
struct delta {
	struct hash256 txid;
	int64_t fee;
};

struct pool_index {
	struct table txids, wtxids; /* to entries */
	struct table spends;        /* outpoints, to the entry that spends */
	struct table deltas;
	struct heap worst; /* clusters, what pays worst first */
	struct heap best;  /* clusters, what pays best first */
	struct heap by_age;
	/* All entries as mempool_next walks them; NULL until it does, dropped
	 * by any change. */
	const struct mempool_tx **walk;
	size_t held; /* bytes of entries, their buffers and clusters */
	int64_t vsize, fee;
	size_t unbroadcast, not_optimal; /* the latter: clusters */
	uint64_t sequence;
	/* The rate that rises when the pool is full, satoshi per 1,000 vbytes,
	 * and since when it falls: it does once a block came. */
	double min_rate;
	int64_t min_rate_s;
	bool block_since;
};

/* What is added to a fee counts in the order of the pool up to this bound, so
 * that the fees of all that is ever looked at together add up in 64 bits. */
#define DELTA_MAX (INT64_C(1) << 45)
static inline int64_t order_fee(int64_t fee, int64_t delta)
{
	if (delta > DELTA_MAX)
		delta = DELTA_MAX;
	if (delta < -DELTA_MAX)
		delta = -DELTA_MAX;
	return fee + delta;
}
static inline int64_t entry_fee(const struct entry *e)
{
	return order_fee(e->tx.fee, e->tx.delta);
}

/* What malloc takes for n bytes. */
static inline size_t mem_cost(size_t n)
{
	if (n == 0)
		return 0;
	return n <= 24 ? 32 : (n + 8 + 15) / 16 * 16;
}

static inline uint64_t slot_bit(uint32_t slot)
{
	return UINT64_C(1) << slot;
}
/* The lowest slot of a set that is not empty. */
static inline uint32_t slot_of(uint64_t set)
{
	return (uint32_t)__builtin_ctzll(set);
}
static inline uint32_t slots_in(uint64_t set)
{
	return (uint32_t)__builtin_popcountll(set);
}
/* The n lowest slots; n <= 64. */
static inline uint64_t slots_below(uint32_t n)
{
	return n == 64 ? UINT64_MAX : slot_bit(n) - 1;
}
/* Place of a slot among those of set. */
static inline uint32_t slot_rank(uint64_t set, uint32_t slot)
{
	return slots_in(set & (slot_bit(slot) - 1));
}

static inline const struct lin_chunk *cluster_worst(const struct cluster *c)
{
	return &c->chunks[c->n_chunks - 1];
}
static inline int chunk_cmp(const struct lin_chunk *a,
			    const struct lin_chunk *b)
{
	return lin_rate_cmp(a->fee, a->size, b->fee, b->size);
}

/* A chunk of a cluster, and its first slot. */
struct chunk_at {
	const struct cluster *c;
	uint32_t chunk, slot;
};
/* Whether a is mined before b, which is another: by rate; of those that pay
 * alike the one up to which a cluster has less that does; then by the highest
 * txid. */
bool chunk_before(const struct chunk_at *a, const struct chunk_at *b);

/* A cluster before it is made, in any order. e[i] is NULL for a transaction
 * that is only thought of. */
struct draft {
	struct entry *e[MEMPOOL_CLUSTER_MAX];
	struct lin_tx tx[MEMPOOL_CLUSTER_MAX];
	uint32_t n;
};
/* Add the slots of set, with their parents in set. There is room. */
void draft_add(struct draft *d, const struct cluster *c, uint64_t set);
/* Make the cluster, put it into the heaps and its entries into it. */
void cluster_make(struct mempool *m, const struct draft *d);
/* Take it out of the heaps and totals, while its entries are whole. */
void cluster_unlist(struct mempool *m, struct cluster *c);
void cluster_free(struct cluster *c); /* unlisted */
/* What is connected with slot in set. */
uint64_t cluster_part(const struct cluster *c, uint64_t set, uint32_t slot);
/* Of c, which is unlisted, the slots of set are left: what of them is connected
 * makes new clusters. c is freed. */
void cluster_split(struct mempool *m, struct cluster *c, uint64_t set);
/* Order anew, after fees have changed. c is freed. */
void cluster_renew(struct mempool *m, struct cluster *c);
extern const struct heap_kind heap_of_worst, heap_of_best;

/* A copy of t that keeps its buf; in no table and no cluster. */
struct entry *entry_new(struct mempool *m, const struct mempool_tx *t);
void entry_free(struct entry *e);
/* Into tables, totals and the heap by age. */
void entry_enter(struct mempool *m, struct entry *e);

/* Transactions of several clusters that leave together, each cluster once. */
struct sweep {
	struct cluster **c;
	size_t n, cap;
};
void sweep_add(struct sweep *s, struct cluster *c, uint64_t set);
/* e with its descendants. */
void sweep_entry(struct sweep *s, const struct entry *e);
/* They leave, children first; s is empty then, nothing to release. */
void sweep_run(struct sweep *s, struct mempool *m, enum mempool_reason why);

/* All entries in the order in which they are mined; free() it. At least one. */
const struct mempool_tx **walk_new(const struct mempool *m);
/* The walk of mempool_next is no longer true. */
void walk_drop(struct mempool *m);
/* Bytes of memory of all that is held. */
int64_t pool_usage(const struct mempool *m);
/* Whether a cluster of n and weight would be within the policy's limits. */
static inline bool cluster_allowed(const struct mempool *m, size_t n,
				   int64_t weight)
{
	const struct policy *p = &m->cfg.policy;

	return n <= p->cluster_count && n <= MEMPOOL_CLUSTER_MAX &&
	       weight <= p->cluster_vbytes * (int64_t)WITNESS_SCALE;
}
void delta_clear(struct mempool *m, const struct hash256 *txid);

#endif
