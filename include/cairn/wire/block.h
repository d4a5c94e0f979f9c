/*
 * Blocks as views with one index allocation: a view, a txid and a wtxid per
 * transaction. Borrows the body; the view must not outlive it.
 */
#ifndef CAIRN_WIRE_BLOCK_H
#define CAIRN_WIRE_BLOCK_H

#include <cairn/base/attr.h>
#include <cairn/wire/header.h>
#include <cairn/wire/tx.h>

struct block_view {
	struct slice raw;      /* as on the wire; trailing bytes excluded */
	const uint8_t *header; /* 80 bytes */
	uint32_t n_tx;
	struct tx_view *tx; /* n_tx views: the index allocation */
	struct hash256
	    *txid; /* n_tx, in the same allocation; see block_hash_txs */
	struct hash256 *wtxid; /* n_tx */
	uint32_t base_size, size;
	bool has_witness; /* any transaction has one */
};

/* Parse body. 0; E_PARSE when malformed; E_NOMEM. trailing receives the number
 * of bytes behind the block (Core ignores them on the wire). On success the
 * index belongs to v: block_view_fini releases it. txid and wtxid are not
 * filled. */
int block_view_parse(struct block_view *v, size_t *trailing,
		     struct slice body) must_check;
void block_view_fini(struct block_view *v);

/* Fill txid and wtxid of every transaction with the parallel lanes. The
 * coinbase's wtxid is all zero, as the witness commitment wants it. */
void block_hash_txs(struct block_view *v);

/* Txids and wtxids of n transactions with the parallel lanes. Both arrays have
 * room for n, and txid is aligned as a pointer is. */
void txs_hash(struct hash256 *txid, struct hash256 *wtxid,
	      const struct tx_view *tx, uint32_t n);

static inline uint32_t block_weight(const struct block_view *v)
{
	return v->base_size * 3 + v->size;
}

/* tx_script_sum over all transactions. */
static inline uint64_t block_script_sum(const struct block_view *v,
					uint32_t (*count)(struct slice script))
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < v->n_tx; i++)
		sum += tx_script_sum(&v->tx[i], count);
	return sum;
}

/* Write the block without witnesses (base_size bytes). */
uint8_t *block_put_base(uint8_t *p, const struct block_view *v);

/* Merkle root of n leaves; *mutated, where it is asked for (not NULL), tells
 * the ambiguity of CVE-2012-2459. scratch has room for (n + 1) / 2 hashes; it
 * may be leaves, which are then destroyed. n == 0 gives zero and touches
 * neither. */
void merkle_root(struct hash256 *root, bool *mutated,
		 const struct hash256 *leaves, uint32_t n,
		 struct hash256 *scratch);

#endif
