/*
 * Transactions that are valid on the published tip and in no block yet.
 *
 * Owned by the chain thread, which calls everything here. Related transactions
 * form a cluster; a cluster is kept in the order in which it would be mined,
 * cut into chunks of falling fee rate. Mining takes the best chunks first, a
 * full pool drops the worst, a replacement must make the picture better.
 *
 * Every number is bounded: bytes of the pool by max_bytes, transactions and
 * bytes of a cluster by the policy, work for one transaction by the cluster.
 */
#ifndef CAIRN_MEMPOOL_MEMPOOL_H
#define CAIRN_MEMPOOL_MEMPOOL_H

#include <cairn/consensus/check.h>
#include <cairn/consensus/coin.h>
#include <cairn/mempool/policy.h>
#include <cairn/script/cache.h>
#include <cairn/wire/block.h>

struct buf;
struct mempool;
struct params;

/* One transaction of the pool. Read-only for others; lives until the pool says
 * removed. Ids are stable addresses. */
struct mempool_tx {
	struct hash256 txid, wtxid;
	struct buf *buf; /* payload: the transaction as on the wire */
	struct tx_view view;
	int64_t fee;       /* satoshi */
	int64_t delta;     /* added by mempool_prioritise, satoshi */
	int64_t vsize;     /* virtual bytes, counting sigops */
	int64_t weight;    /* the same in units: before it is rounded */
	uint32_t sigops;   /* cost */
	int32_t height;    /* of the published tip when it came */
	int64_t time_s;    /* when it came, by the node's clock */
	uint64_t sequence; /* order of arrival; 0: from a block taken off */
	struct seq_lock lock;
	bool spends_coinbase; /* directly */
	bool unbroadcast;     /* ours, and no peer has asked for it yet */
};

/* Why a transaction leaves, with Core's words. */
enum mempool_reason {
	MEMPOOL_EXPIRY,    /* "expiry": too old */
	MEMPOOL_SIZELIMIT, /* "sizelimit": the pool is full */
	MEMPOOL_REORG,     /* "reorg": not valid on the new chain */
	MEMPOOL_BLOCK,     /* "block": it is in a block */
	MEMPOOL_CONFLICT,  /* "conflict": a block spends the same */
	MEMPOOL_REPLACED,  /* "replaced": by one that pays more */
};

/* Upward calls. */
struct mempool_ops {
	/* The coin of the published tip's set: 0 with *out, borrowed until the
	 * next call; E_NOTFOUND; the disk's failure. */
	int (*coin)(void *arg, struct coin *out, const uint8_t *outpoint);
	/* Median time past of the block at height of the published chain. */
	int64_t (*mtp)(void *arg, int32_t height);
	/* Entered, and about to leave. May be NULL. No calls back into the
	 * pool but mempool_stats, whose sequence is this change's own. */
	void (*added)(void *arg, const struct mempool_tx *tx);
	void (*removed)(void *arg, const struct mempool_tx *tx,
			enum mempool_reason why);
};

struct mempool_cfg {
	const struct params *params;
	struct policy policy;
	int64_t max_bytes; /* of memory; -maxmempool */
	int64_t expiry_s;  /* -mempoolexpiry */
	/* What scripts are verified with, or both NULL; borrowed. */
	const struct sig_verifier *verifier;
	struct script_cache *verified; /* noted there once valid */
};

/* The published tip that transactions are judged on. */
struct mempool_tip {
	int32_t height;
	int64_t mtp;
	unsigned script_flags; /* consensus, of a block on it */
};

struct mempool *mempool_new(const struct mempool_cfg *cfg,
			    const struct mempool_ops *ops,
			    void *arg) must_check;
void mempool_free(struct mempool *m); /* NULL is fine; tells nobody */
const struct policy *mempool_policy(const struct mempool *m);

/* What came of an offered transaction, in net processing's terms (Core's
 * TxValidationResult). */
enum tx_outcome {
	TX_ACCEPTED,
	TX_CONSENSUS, /* breaks a rule of blocks */
	TX_INPUTS_NOT_STANDARD,
	TX_NOT_STANDARD,
	TX_MISSING_INPUTS,   /* an orphan, perhaps */
	TX_PREMATURE,        /* locked, or a coinbase too young */
	TX_WITNESS_MUTATED,  /* another witness may do */
	TX_WITNESS_STRIPPED, /* valid, but for the witness that is not there */
	TX_CONFLICT,         /* known, or in conflict with what is kept */
	TX_POLICY,           /* the pool's limits */
	TX_RECONSIDERABLE,   /* pays too little alone; a child may help */
	TX_FAILED,           /* could not tell: verdict.rc */
	/* Of a package only: */
	TX_KEPT,       /* is in the pool already; vsize and fee are its */
	TX_NOT_JUDGED, /* not come to, since another failed or the package */
};

struct mempool_result {
	enum tx_outcome outcome;
	struct verdict verdict; /* Core's reject reason and detail */
	/* With TX_ACCEPTED; with another where it came so far, else -1. */
	int64_t vsize, fee;
	/* With TX_ACCEPTED: fee by which it was judged, over chunk_vsize: its
	 * own, or that of all with which it was judged together. */
	int64_t chunk_fee, chunk_vsize;
	struct hash256 txid, wtxid; /* always */
	struct hash256 other; /* TX_CONFLICT: wtxid of the one with the same
				 txid, where that is why; else zero */
	/* Replaced transactions' ids: give, free() them. */
	struct hash256 *replaced;
	size_t n_replaced;
};
void mempool_result_fini(struct mempool_result *r);

#define MEMPOOL_TEST 1u /* judge only: nothing changes */
/* From a block taken off: no fee is asked, and it may have children here. */
#define MEMPOOL_TAKEN_OFF 2u
#define MEMPOOL_OURS      4u /* by RPC: marked unbroadcast */
/* Offer a transaction, whose payload is the whole of tx; keeps it. The pool
 * makes room afterwards and may drop this very one: TX_RECONSIDERABLE,
 * "mempool full". */
void mempool_accept(struct mempool *m, struct mempool_result *r, struct buf *tx,
		    unsigned flags, int64_t now_s);

/* Core's package rules: at most so many, a child with its unconfirmed parents
 * (submitpackage), or any (testmempoolaccept, with MEMPOOL_TEST). */
#define MEMPOOL_PACKAGE_MAX    25u
#define MEMPOOL_PACKAGE_WEIGHT 404000u
/* Offer n together, parents first; r[i] for each, the ids also where it is not
 * judged. The verdict is about the package (package-not-sorted, ...) or, with
 * INV_NONE, says that one of r tells: "transaction failed", "unspent-dust". Of
 * one that is here with another witness: TX_CONFLICT, other. max_rate: satoshi
 * per 1,000 vbytes that none of them may pay more than ("max feerate
 * exceeded"), 0: any. */
struct verdict mempool_accept_package(struct mempool *m,
				      struct mempool_result *r,
				      struct buf *const *txs, size_t n,
				      int64_t max_rate, unsigned flags,
				      int64_t now_s);

/* The published chain moves. Every block on it, once connected: its
 * transactions leave, and those that they contradict. */
void mempool_block_connected(struct mempool *m, const struct block_view *b,
			     int64_t now_s);
/* The tip that everything is judged on from now. Before the first accept. */
void mempool_set_tip(struct mempool *m, const struct mempool_tip *tip);
/* After blocks were taken off and tip was set: offer back what they held
 * (mempool_accept with MEMPOOL_TAKEN_OFF, in block order; what is refused:
 * mempool_forget), then drop what the new tip does not allow and make room. */
void mempool_forget(struct mempool *m, const struct tx_view *tx,
		    const struct hash256 *txid);
void mempool_reorg_end(struct mempool *m, int64_t now_s);

/* Drop what is older than expiry_s, and make room. */
void mempool_expire(struct mempool *m, int64_t now_s);
/* Add to what tx is taken to pay; may be before it comes. */
void mempool_prioritise(struct mempool *m, const struct hash256 *txid,
			int64_t delta);
/* Walk what was added by mempool_prioritise and is not zero, in any order; *i
 * from 0. False at the end. */
bool mempool_delta_next(const struct mempool *m, size_t *i,
			struct hash256 *txid, int64_t *delta);
/* A peer has asked for it; it is to be sent again until one does. */
void mempool_broadcast(struct mempool *m, const struct hash256 *txid);
void mempool_unbroadcast(struct mempool *m, const struct hash256 *txid);

/* Look. Borrowed until the next change. */
const struct mempool_tx *mempool_find(const struct mempool *m,
				      const struct hash256 *txid);
const struct mempool_tx *mempool_find_wtxid(const struct mempool *m,
					    const struct hash256 *wtxid);
/* Who spends this outpoint, or NULL. */
const struct mempool_tx *mempool_spender(const struct mempool *m,
					 const uint8_t *outpoint);
/* Walk, parents before children and high fee rates first, the transactions of a
 * chunk one after another; *i from 0. */
const struct mempool_tx *mempool_next(const struct mempool *m, size_t *i);
/* All that are related to tx, with itself, in the order in which they are
 * mined: at most MEMPOOL_CLUSTER_MAX. Gives how many. */
#define MEMPOOL_CLUSTER_MAX 64u
size_t mempool_cluster(const struct mempool *m, const struct mempool_tx *tx,
		       const struct mempool_tx **out);
/* The chunk that it is mined with. */
void mempool_chunk(const struct mempool *m, const struct mempool_tx *tx,
		   int64_t *fee, int64_t *vsize, int64_t *weight);

struct mempool_stats {
	size_t n;
	int64_t vsize;     /* of all */
	int64_t fee;       /* satoshi */
	int64_t usage;     /* bytes of memory */
	int64_t max_bytes; /* that it may use */
	bool optimal;      /* no cluster could be in a better order */
	int64_t min_rate;  /* that is asked now: satoshi per 1,000 vbytes */
	size_t unbroadcast;
	uint64_t sequence; /* of the next change */
};
void mempool_stats(const struct mempool *m, struct mempool_stats *s,
		   int64_t now_s);

/* Choose for a block: best chunks first while they fit. Gives an array of n,
 * in an order that is valid; free() it. */
struct mempool_want {
	uint32_t weight;  /* units that may be used */
	uint32_t sigops;  /* cost that may be used */
	int64_t min_rate; /* -blockmintxfee */
};
size_t mempool_select(const struct mempool *m, const struct mempool_tx ***give,
		      const struct mempool_want *want);

#endif
