/*
 * The chain: from block bytes to a published tip. One chain thread owns coins,
 * candidates and block status; workers prepare blocks; a writer appends; a
 * flusher writes coins in the background. Jobs go in by value, events come back
 * on the loop in order.
 */
#ifndef CAIRN_CHAIN_CHAIN_H
#define CAIRN_CHAIN_CHAIN_H

#include <cairn/base/thread.h>
#include <cairn/chain/coins.h>
#include <cairn/chain/htree.h>
#include <cairn/mempool/mempool.h>

struct buf;
struct chain;
struct clock;
struct sig_verifier;

/* No peer stands behind it. */
#define PEER_NONE UINT64_MAX

/* What became of a submitted block. */
enum block_outcome {
	BLOCK_REFUSED,   /* verdict says why; nothing stored */
	BLOCK_STORED,    /* data kept; not (yet) on the published chain, also
			    when an ancestor turned out to be invalid */
	BLOCK_CONNECTED, /* the published tip includes it */
	BLOCK_KNOWN,     /* had its data already */
	BLOCK_FAILED,    /* stored, then itself found invalid: verdict */
	BLOCK_IGNORED,   /* valid alone, but not asked for and not wanted now:
			    nothing stored, nobody to blame */
};

struct block_result {
	struct hnode *node;
	struct verdict verdict;
	enum block_outcome outcome;
	uint64_t peer; /* as given in the job */
	bool requested;
};

typedef void (*block_done_fn)(void *arg, const struct block_result *r);

/* One block handed over. buf's payload is the block as on the wire, with the
 * 8-byte record head in front of it already stamped by the caller of
 * chain_stamp_record or by the frame reader. */
struct block_job {
	struct hnode *node;
	struct buf *buf;
	uint32_t checksum;   /* of the v1 frame */
	bool check_checksum; /* verify it (came from a socket); a mismatch gives
				V_INVALID, INV_NONE, "bad-checksum": dropped */
	bool have_checksum;  /* checksum is known and may be kept */
	bool requested;      /* asked for, or forced by RPC or import */
	bool on_disk; /* the payload lies in our own file, there: it is not
			 written again */
	int32_t file;
	uint32_t off;
	uint64_t peer;      /* or PEER_NONE */
	block_done_fn done; /* on the loop; NULL: only the events below */
	void *arg;
};

enum chain_event_type {
	CHAIN_EV_STAGE,     /* text: what start is doing, for RPC's -28 */
	CHAIN_EV_LOADED,    /* the loop may use the tree and submit now */
	CHAIN_EV_CONNECTED, /* node was connected; buf is its block or NULL */
	CHAIN_EV_DISCONNECTED, /* node was disconnected */
	CHAIN_EV_TIP,          /* node is the published tip, fork the point
				  where it left the former one */
	CHAIN_EV_INVALID,     /* node was marked failed by verdict, from peer */
	CHAIN_EV_REVALIDATED, /* node and its line were reconsidered */
	CHAIN_EV_TX_ADDED,    /* tx entered the pool; buf is it */
	CHAIN_EV_TX_REMOVED,  /* tx left it, because of reason */
	CHAIN_EV_FATAL,       /* the node must stop: text (a sentence), rc; with
				 rc 0 as it was told to, by stop_at_height */
	CHAIN_EV_STOPPED,     /* the chain thread is down after chain_stop */
};

/* A transaction of the pool, for the loop. */
struct chain_tx {
	struct hash256 txid, wtxid;
	int64_t fee, vsize;         /* satoshi, virtual bytes */
	uint64_t sequence;          /* the pool's, once this is done */
	enum mempool_reason reason; /* with TX_REMOVED */
	bool ours;                  /* came by RPC */
	bool from_block;            /* with TX_ADDED: was in one taken off */
};

struct chain_event {
	enum chain_event_type type;
	struct hnode *node;
	const struct hnode *fork;
	struct verdict verdict;
	struct chain_tx tx;
	uint64_t peer;   /* who sent the block, for INVALID */
	struct buf *buf; /* borrowed */
	const char *text;
	double progress; /* 0..1 with STAGE */
	int rc;
};

/* What came of a submitted transaction. On the loop; r is borrowed. */
typedef void (*tx_done_fn)(void *arg, const struct mempool_result *r);

/* One transaction handed over: buf's payload is all of it. */
struct tx_job {
	struct buf *buf;
	unsigned flags; /* of mempool_accept */
	tx_done_fn done;
	void *arg;
};

/* Upward calls, given at construction. */
struct chain_ops {
	/* Run a task on the loop, in the order posted. Any thread. */
	void (*post)(void *arg, struct task t);
	/* On the loop, in order. */
	void (*on_event)(void *arg, const struct chain_event *e);
};

/* Asked once every rule of a block holds, its scripts included: a test's way to
 * make a block fail there. Chain thread. */
typedef struct verdict (*script_check_fn)(void *arg, const struct hnode *node);

/* What is thrown away at start and made again from what is left. */
enum chain_rebuild {
	REBUILD_NOTHING,
	REBUILD_COINS, /* from the index and the blocks */
	REBUILD_ALL,   /* from the block files alone */
};

/* Called before some scripts of a block are verified, on the thread that does
 * it: a test's way to delay it. */
typedef void (*script_begin_fn)(void *arg, const struct hnode *node);

struct chain_cfg {
	const struct params *params;
	const char *blocks_dir; /* with blk and rev files */
	const char *data_dir;   /* network folder: coins, index, filters */
	int64_t dbcache;        /* bytes for coins and databases */
	int64_t sig_cache;      /* bytes for what was verified; 0: nothing */
	uint32_t max_unflushed; /* blocks that a kill may cost; 0: 4,096 */
	unsigned workers;       /* prepare threads */
	bool block_filter_index;
	struct policy policy;     /* of the pool */
	int64_t mempool_bytes;    /* -maxmempool */
	int64_t mempool_expiry_s; /* -mempoolexpiry */
	struct u256 min_work;
	struct hash256 assume_valid;
	const struct clock *clock;
	enum chain_rebuild rebuild;
	/* A test's verifier behind the caches; NULL: the library. Any thread.
	 */
	const struct sig_verifier *verifier;
	script_check_fn script_check; /* NULL: always valid */
	script_begin_fn script_begin; /* NULL: no delay */
	void *script_arg;
	int32_t stop_at_height; /* 0: never */
	int64_t max_tip_age_s;
};

struct chain *chain_new(const struct chain_cfg *cfg,
			const struct chain_ops *ops, void *arg) must_check;
/* Start the threads; loading goes on in the background and ends with LOADED or
 * FATAL. Loop. */
void chain_start(struct chain *c);
/* Ask for a clean stop: the running flush batch is committed, the rest is left
 * to replay. Ends with CHAIN_EV_STOPPED; jobs not begun are answered with
 * V_UNKNOWN, E_STOPPING. Loop. */
void chain_stop(struct chain *c);
/* After STOPPED. */
void chain_free(struct chain *c);

/* The index is not complete until the block files have been read: whoever waits
 * for LOADED starts import_own_files then. It stays so over restarts until that
 * came to its end. After LOADED. */
bool chain_reindexing(struct chain *c);

/* The header tree; the loop's after LOADED. */
struct htree *chain_tree(struct chain *c);
/* The published tip. Any thread; never NULL after LOADED. */
struct hnode *chain_tip(struct chain *c);
/* The node at height of the published chain, or NULL. Any thread. */
struct hnode *chain_at(struct chain *c, int32_t height);
/* node is on the published chain. Any thread. */
bool chain_has(struct chain *c, const struct hnode *node);
/* Core's initial block download: latches to false. Any thread. */
bool chain_in_ibd(struct chain *c);
/* 0..1, Core's GuessVerificationProgress. Any thread. */
double chain_progress(struct chain *c, const struct hnode *n);
/* Blocks handed over and not answered: number and bytes. Any thread. */
void chain_backlog(struct chain *c, size_t *blocks, size_t *bytes);
/* Bytes that blk and rev files take on disk. Any thread. */
uint64_t chain_disk_size(struct chain *c);

/* New nodes of the tree, parents first: every one, once, before a block of it
 * is submitted or a task names it. They are written to the index. Loop. */
void chain_note_headers(struct chain *c, struct hnode *const *nodes, size_t n);

/* Write magic and length into the 8 bytes before b's payload. Before hand-over.
 */
void chain_stamp_record(struct buf *b, const struct params *p);
/* Hand a block over; takes job->buf. Every job is answered once, never before
 * this returns, in the order of submission (a second submission of a block
 * whose first is not answered yet comes behind). After chain_stop and after
 * FATAL the answer is BLOCK_REFUSED with V_UNKNOWN. Loop. */
void chain_submit_block(struct chain *c, struct block_job *take);

/* Offer a transaction to the pool; takes job->buf. Answered once, never before
 * this returns, in order; after chain_stop and FATAL with TX_FAILED. Events of
 * what it changes come before. Loop. */
void chain_submit_tx(struct chain *c, struct tx_job *take);
/* Transactions handed over and not answered: number and bytes. Loop. */
void chain_tx_backlog(struct chain *c, size_t *n, size_t *bytes);

/* Run a task on the chain thread, between blocks and with the coins at the
 * published tip: after the headers noted before it, not necessarily after the
 * blocks. False when stopping: it is not
 * run. Any thread. */
bool chain_run(struct chain *c, struct task t);

/* Chain thread only: */
/* 0, E_NOTFOUND, or the disk's failure. out borrows until the next call. After
 * FATAL and while stopping these return its code, or a verdict with it. */
int chain_coin_get(struct chain *c, struct coin *out,
		   const uint8_t *outpoint) must_check;
/* The pool; it stands on the published tip. */
struct mempool *chain_mempool(struct chain *c);
/* Core's invalidateblock / reconsiderblock / preciousblock; the new best chain
 * is connected before they return. */
struct verdict chain_invalidate(struct chain *c, struct hnode *n);
struct verdict chain_reconsider(struct chain *c, struct hnode *n);
struct verdict chain_precious(struct chain *c, struct hnode *n);
/* Flush all coins to disk and wait; then chain_coins_snapshot is exact. */
int chain_flush(struct chain *c) must_check;
/* A snapshot of the coins database with the node it belongs to, readable on any
 * thread until it is closed (coins.h). Flushes first. */
int chain_coins_snapshot(struct chain *c, struct coin_snapshot **give,
			 struct hnode **node) must_check;
/* Whether a block would be valid on the tip, without storing it (generateblock,
 * proposals): everything but proof of work. */
struct verdict chain_test_block(struct chain *c, const struct buf *block);

/* Any thread that may block (POOL): */
/* The whole block with its witnesses: gives a buffer. E_NOTFOUND without data.
 */
int chain_read_block(struct chain *c, struct buf **give,
		     const struct hnode *n) must_check;
/* The undo record: spent coins in block order (undo.h). */
int chain_read_undo(struct chain *c, struct buf **give,
		    const struct hnode *n) must_check;
/* Record the checksum of a block that came without, so it is computed once. */
void chain_note_checksum(struct chain *c, struct hnode *n, uint32_t checksum);

/* Filters (with block_filter_index). Any thread. */
/* The index covers the published tip: the service bit may be set. */
bool chain_filters_ready(struct chain *c);
/* Height up to which filters exist, -1 none. */
int32_t chain_filters_height(struct chain *c);
/* Filter header or filter hash of n; false when not indexed (also for stale
 * blocks that were connected once, as Core). May block. */
bool chain_filter_header(struct chain *c, struct hash256 *header,
			 const struct hnode *n);
bool chain_filter_hash(struct chain *c, struct hash256 *hash,
		       const struct hnode *n);
/* Gives the encoded filter. May block. */
int chain_filter_read(struct chain *c, struct buf **give,
		      const struct hnode *n) must_check;

/* What peers claim about filter headers, at every 1,000th height. Loop. */
enum cfcheckpt_state { CFC_CLAIMED, CFC_AGREED, CFC_VALIDATED, CFC_REFUTED };
struct cfcheckpt_row {
	int32_t height;
	struct hash256 block; /* at height on the chain it was claimed for */
	struct hash256 header;
	enum cfcheckpt_state state;
	size_t n_peers;    /* how many claimed it, up to 8 */
	uint64_t peers[8]; /* their ids */
};
/* Note peer's claim for the intervals of the chain ending in stop: n headers
 * from height 1,000 on. Gives the first height at which our own filter header
 * (or an earlier agreement with our own) differs, or -1. Bounded: kept per
 * height for the best chain only, at most 8 peers and 4 different claims a
 * height. */
int32_t chain_cfcheckpt_note(struct chain *c, uint64_t peer,
			     const struct hnode *stop, const uint8_t *headers,
			     uint32_t n);
/* Row i in order of height, then of claim; false at the end. */
bool chain_cfcheckpt_at(struct chain *c, struct cfcheckpt_row *row, size_t i);

#endif
