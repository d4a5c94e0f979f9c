/*
 * Transactions of blocks that were taken off, in the order of their blocks,
 * until the new tip is published and they are offered to the pool. Chain
 * thread.
 */
#ifndef CAIRN_SRC_CHAIN_TAKENOFF_H
#define CAIRN_SRC_CHAIN_TAKENOFF_H

#include <cairn/base/hmap.h>
#include <cairn/wire/block.h>

struct buf;

/* Bitcoin Core's bound: bytes in memory. */
#define TAKENOFF_BYTES 20000000u

struct takenoff_tx {
	struct takenoff_tx *next, *prev;
	struct hash256 txid;
	struct buf *buf;
};

struct takenoff {
	struct takenoff_tx *first, *last; /* lowest block first */
	struct hmap by_txid;
	size_t bytes;
};

void takenoff_init(struct takenoff *t);
void takenoff_fini(struct takenoff *t);
/* The block below all that was taken off before: its transactions, the coinbase
 * too, since others may spend it. Those without memory are left out. */
void takenoff_add(struct takenoff *t, const struct block_view *b);
/* A block was connected: its transactions need not come back. */
void takenoff_drop_block(struct takenoff *t, const struct block_view *b);
/* The first in order, or NULL; takenoff_tx_free it. */
struct takenoff_tx *takenoff_pop(struct takenoff *t);
/* The last one, when there are more bytes than the bound, or NULL: likewise. */
struct takenoff_tx *takenoff_pop_surplus(struct takenoff *t);
void takenoff_tx_free(struct takenoff_tx *x);

#endif
