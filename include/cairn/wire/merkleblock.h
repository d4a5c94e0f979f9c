/*
 * merkleblock (BIP 37): a header and the part of the merkle tree that proves
 * some transactions. The same bytes are the proof of gettxoutproof. The view
 * borrows body; any thread.
 */
#ifndef CAIRN_WIRE_MERKLEBLOCK_H
#define CAIRN_WIRE_MERKLEBLOCK_H

#include <cairn/wire/header.h>

/* Transactions that a block can have at most: its weight of 4,000,000 over the
 * 240 that a transaction of 60 bytes weighs. */
#define MERKLEBLOCK_TX_MAX 16666u
/* Levels above the leaves of such a tree. */
#define MERKLEBLOCK_DEPTH 15u

struct merkleblock_view {
	const uint8_t *header; /* 80 bytes */
	uint32_t n_tx;         /* in the block, as claimed; not judged */
	uint32_t n_hashes;
	const uint8_t *hashes; /* n_hashes of 32 bytes, depth first */
	struct slice flags;    /* bits, the lowest of each byte first */
};

/* False when malformed; bytes behind it are ignored. Whether the tree proves
 * anything is said by the walk. */
bool merkleblock_view_parse(struct merkleblock_view *v, struct slice body);

static inline const struct hash256 *
merkleblock_hash(const struct merkleblock_view *v, uint32_t i)
{
	return hash256_at(v->hashes + (size_t)i * 32);
}

size_t merkleblock_size(uint32_t n_hashes, size_t flags_n);
uint8_t *merkleblock_put(uint8_t *p, const struct merkleblock_view *v);

/* One walk along the tree. */
struct merkle_walk {
	const struct merkleblock_view *v;
	uint32_t bits, hashes; /* used so far */
	uint32_t pos;          /* of the node at hand in its row */
	uint8_t height, top;   /* its row and the root's, leaves are row 0 */
	bool going, bad;
	struct hash256 left[MERKLEBLOCK_DEPTH + 1]; /* waiting, by row */
	struct hash256 root;
};

/* A transaction that the tree says matched. */
struct merkle_leaf {
	const struct hash256 *txid; /* borrowed from the message */
	uint32_t index;             /* in the block */
};

/*
 * The matched transactions in the order of the block:
 *	merkle_walk_init(&w, v);
 *	while (merkle_walk_next(&w, &leaf))
 *	if (merkle_walk_end(&w, &root) && root is the header's)
 * Leaves prove nothing before the end was reached and the root compared. A walk
 * takes at most 2 * n_tx steps and allocates nothing.
 */
void merkle_walk_init(struct merkle_walk *w, const struct merkleblock_view *v);
bool merkle_walk_next(struct merkle_walk *w, struct merkle_leaf *leaf);
/* True with the root when the whole tree was walked and was well formed:
 * between 1 and MERKLEBLOCK_TX_MAX transactions, no more hashes than those, all
 * bits (but the padding) and all hashes used, no two equal children
 * (CVE-2012-2459). root is untouched otherwise. */
bool merkle_walk_end(const struct merkle_walk *w, struct hash256 *root);

/* What to prove: n transactions (1 to MERKLEBLOCK_TX_MAX) and, for each, a byte
 * that is not zero where it is to be in the tree. */
struct merkle_pick {
	const struct hash256 *txid;
	const uint8_t *match;
	uint32_t n;
};
/* Exact size of the merkleblock that proves the picked ones. */
size_t merkle_pick_size(const struct merkle_pick *m);
/* Write it; returns the byte after. scratch has room for n hashes. */
uint8_t *merkle_pick_put(uint8_t *p, const uint8_t *header,
			 const struct merkle_pick *m, struct hash256 *scratch);

#endif
