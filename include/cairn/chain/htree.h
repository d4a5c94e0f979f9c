/*
 * The header tree: every known header that passed its rules, linked to its
 * parent. The loop is the only thread that looks hashes up or adds nodes; a
 * node, once returned, is read by any thread, never moves and is never freed
 * before exit.
 */
#ifndef CAIRN_CHAIN_HTREE_H
#define CAIRN_CHAIN_HTREE_H

#include <cairn/base/attr.h>
#include <cairn/consensus/verdict.h>
#include <cairn/consensus/work.h>
#include <cairn/wire/header.h>

struct params;

/* Status bits; written by the chain thread only (atomic or, release). */
#define HN_DATA          (1u << 0) /* block data stored: data_* are set */
#define HN_UNDO          (1u << 1) /* undo data stored: undo_* are set */
#define HN_FAILED        (1u << 2) /* this block broke a rule */
#define HN_FAILED_PARENT (1u << 3) /* an ancestor did */
#define HN_CONNECTED     (1u << 4) /* was connected once: all rules held */
#define HN_CHECKSUM      (1u << 5) /* checksum is set */
#define HN_WITNESS                                                             \
	(1u << 6) /* the data were checked with the witness                    \
		     commitment rule */
#define HN_FAILED_ANY (HN_FAILED | HN_FAILED_PARENT)

struct hnode {
	/* Set by the loop before the node is published, then immutable. */
	struct hash256 hash;
	const struct hnode *prev; /* NULL for genesis */
	const struct hnode *skip; /* an ancestor further down; NULL for genesis.
				     Its height depends on height only */
	struct u256 work;         /* of the chain ending here */
	struct hash256 merkle;
	int32_t height;
	int32_t version;
	uint32_t time, bits, nonce;
	uint32_t time_max; /* largest time of the chain ending here */
	uint32_t mtp; /* median time past of this node and its 10 parents */

	/* Set by the chain thread before the status bit that says so. */
	uint32_t status;   /* atomic: hnode_status */
	uint32_t n_tx;     /* with HN_DATA */
	uint64_t chain_tx; /* transactions up to here; 0 until every ancestor
			      has data */
	int32_t data_file, undo_file;
	uint32_t data_off,
	    data_size; /* payload, behind the 8-byte record head */
	uint32_t undo_off, undo_size;
	uint32_t checksum; /* of the v1 frame, with HN_CHECKSUM */
	int32_t seq;       /* order of arrival, for ties; smaller wins */
};

struct htree;

/* A tree with the genesis block of p (borrowed for the tree's life). */
struct htree *htree_new(const struct params *p) must_check;
/* Frees all nodes: at exit only. */
void htree_free(struct htree *t);

const struct params *htree_params(const struct htree *t);
struct hnode *htree_genesis(const struct htree *t);
/* The node with this hash, or NULL. Loop. */
struct hnode *htree_find(const struct htree *t, const struct hash256 *hash);
size_t htree_count(const struct htree *t);

/* Check 80 bytes by every rule of a header and add it. On valid *node is the
 * new or known node (*is_new tells which). Invalid as Core, in this order:
 * duplicate-invalid (INV_CACHED), high-hash (INV_HEADER), prev-blk-not-found
 * (INV_MISSING_PREV), bad-prevblk (INV_PREV), contextual rules (see
 * header_check_context), too-little-chainwork (INV_LOW_WORK) when the chain up
 * to this header is below min_work and it is not forced. Loop. */
struct verdict htree_accept(struct htree *t, struct hnode **node, bool *is_new,
			    const uint8_t header[80], int64_t now_s,
			    bool force_low_work);
/* The same with the hash already computed (batches hash with the lanes). */
struct verdict htree_accept_hashed(struct htree *t, struct hnode **node,
				   bool *is_new, const uint8_t header[80],
				   const struct hash256 *hash, int64_t now_s,
				   bool force_low_work);
/* Add a node read back from our own index: rules are not checked again, but its
 * link, and proof of work, are. NULL when the parent is missing or the record
 * wrong; the node that is there when it is known. Before the loop runs. */
struct hnode *htree_load(struct htree *t, const uint8_t header[80]);

/* Header with most work that is not failed, the earliest of equals. Loop. */
struct hnode *htree_best(const struct htree *t);
/* After failures or reconsideration: find the best header again. A node below a
 * failed one counts as failed whether or not it is marked yet. O(nodes). Loop.
 */
void htree_recompute_best(struct htree *t);

/* Minimum chain work, for htree_accept and sync (params' or the option's). */
void htree_set_min_work(struct htree *t, const struct u256 *w);
const struct u256 *htree_min_work(const struct htree *t);

/* Walk all nodes in the order of arrival (parents first): *i from 0; NULL at
 * the end. Loop. */
struct hnode *htree_next(const struct htree *t, size_t *i);

static inline uint32_t hnode_status(const struct hnode *n)
{
	return __atomic_load_n(&n->status, __ATOMIC_ACQUIRE);
}

/* Any thread: */
/* The ancestor at height (n itself included), NULL above or below 0. O(log). */
const struct hnode *hnode_ancestor(const struct hnode *n, int32_t height);
/* The last node that both chains share. */
const struct hnode *hnode_fork(const struct hnode *a, const struct hnode *b);
/* a is an ancestor of b, or b itself. */
bool hnode_is_ancestor(const struct hnode *a, const struct hnode *b);
/* The 80 bytes again. */
void hnode_header_put(uint8_t out[80], const struct hnode *n);
/* Core's verdict about what was found invalid before. */
struct verdict hnode_failed_verdict(const struct hnode *n);
/* Locator hashes of the chain ending in n, at most LOCATOR_MAX: gives how many.
 */
uint32_t hnode_locator(struct hash256 *out, const struct hnode *n);
/* Above 0 when a is to be preferred: more work, then the smaller seq, then the
 * hash that is smaller as bytes (Core compares addresses there); 0 only for the
 * same node. Chain thread, which owns seq. */
int hnode_cmp_work(const struct hnode *a, const struct hnode *b);

/* The chain_reader over struct hnode, for consensus/headers.h. */
struct chain_reader;
extern const struct chain_reader hnode_reader;

#endif
