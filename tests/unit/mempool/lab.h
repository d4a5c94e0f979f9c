/*
 * Transactions made for tests of the pool, and a pool that counts what it says.
 * Nobody judges them: fees are what a test says, scripts are empty.
 */
#ifndef TESTS_UNIT_MEMPOOL_LAB_H
#define TESTS_UNIT_MEMPOOL_LAB_H

#include "../../../src/mempool/inner.h"

struct lab {
	struct mempool *m;
	size_t added, removed[MEMPOOL_REPLACED + 1];
	uint64_t changes; /* all of them: each is told with its number */
	int64_t empty;    /* usage of a pool with nothing in it */
	uint32_t made;    /* makes transactions differ */
};

/* A pool that holds max_bytes, with the default policy. */
void lab_init(struct lab *lab, int64_t max_bytes);
void lab_fini(struct lab *lab);

struct lab_out {
	struct hash256 txid;
	uint32_t index;
};
/* A transaction that spends in[0..n_in) and has n_out outputs, padded by so
 * many bytes; its buf is the caller's. With no inputs it spends a coin that
 * nobody else does. */
struct mempool_tx lab_tx(struct lab *lab, const struct lab_out *in, size_t n_in,
			 uint32_t n_out, uint32_t pad, int64_t fee);
/* The same put in, and the caller's reference given up. */
struct entry *lab_put(struct lab *lab, const struct lab_out *in, size_t n_in,
		      uint32_t n_out, uint32_t pad, int64_t fee);
/* One that spends output index of e. */
struct entry *lab_child(struct lab *lab, const struct entry *e, uint32_t index,
			uint32_t n_out, int64_t fee);
struct lab_out lab_out(const struct entry *e, uint32_t index);

/* Not in a block of this height or before; its ids stay as they are. */
void lab_lock(struct mempool_tx *t, uint32_t height);
/* A block, connected at now_s, that holds n transactions besides a coinbase. */
void lab_mine(struct lab *lab, const struct mempool_tx *tx, size_t n,
	      int64_t now_s);
/* A pool with the same entries, put in anew; its lab has the same policy. */
void lab_rebuild(struct lab *copy, const struct lab *lab);
/* All chunks of a pool, as they are mined; free() them. */
struct lin_chunk *lab_chunks(const struct lab *lab, uint32_t *n);
int lab_chunk_order(const void *a, const void *b); /* for qsort */

/* Everything that must hold of a pool in any state, asked anew of every entry:
 * sets, orders, chunks, heaps, tables, totals. */
void lab_check(const struct lab *lab);

/* Relatives of tx in the pool by the sets of its cluster, without itself, each
 * after its own parents: at most MEMPOOL_CLUSTER_MAX. Gives how many. */
enum lab_kin { LAB_PARENTS, LAB_CHILDREN, LAB_ANCESTORS, LAB_DESCENDANTS };
size_t lab_related(const struct mempool_tx *tx, enum lab_kin kin,
		   const struct mempool_tx **out);

#endif
