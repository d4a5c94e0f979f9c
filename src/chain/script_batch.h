/*
 * A batch from inside: what the pool hands out and what it notes. Made by
 * script_batch.c, read-only from then on but for what the pool's lock guards.
 */
#ifndef CAIRN_SRC_CHAIN_SCRIPT_BATCH_H
#define CAIRN_SRC_CHAIN_SCRIPT_BATCH_H

#include "script_pool.h"

#include <cairn/base/arena.h>
#include <cairn/wire/block.h>

/* Consecutive transactions with some CHUNK inputs together, or a part of a long
 * one. */
struct chunk {
	uint32_t tx, n_tx; /* n_tx 0: part of one */
	uint32_t at;       /* whole ones: first coin; a part: which long one */
	uint32_t first, n; /* a part's inputs */
};

/* A long transaction: what its parts share, and what it is kept as. */
struct long_tx {
	struct tx_sighash shared;
	struct script_tx_key key;
};

struct script_batch {
	const struct hnode *node;
	const struct block_view *b;
	unsigned flags;
	struct arena mem;
	struct txout_view *spent; /* one an input, in block order */
	struct script_memory memory;
	struct long_tx *longs;
	size_t n_longs;
	struct chunk *chunks;
	size_t n_chunks;

	/* The pool's, under its lock. */
	struct script_batch *next;
	size_t taken, ended;       /* chunks */
	size_t failed;             /* lowest chunk that failed, or SIZE_MAX */
	struct script_fault fault; /* of that one */
};

/* Verify a chunk. False with what failed first in it. */
bool script_chunk_run(const struct script_batch *b, const struct chunk *k,
		      struct script_fault *f);

#endif
