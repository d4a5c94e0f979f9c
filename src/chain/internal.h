/*
 * What the files of the pipeline share: struct chain, one section per thread,
 * and the functions of each file. Inside src/chain only.
 */
#ifndef CAIRN_SRC_CHAIN_INTERNAL_H
#define CAIRN_SRC_CHAIN_INTERNAL_H

#include "ahead.h"
#include "takenoff.h"
#include "workq.h"

#include <cairn/base/hmap.h>
#include <cairn/chain/chain.h>
#include <cairn/consensus/spend.h>
#include <cairn/consensus/versionbits.h>
#include <cairn/consensus/work.h>
#include <cairn/params/params.h>
#include <cairn/script/cache.h>
#include <cairn/store/blockfile.h>
#include <cairn/wire/block.h>

struct cfcheckpts;
struct commit;
struct filters;
struct index_record;
struct kv;
struct kv_batch;
struct script_batch;
struct script_memory;
struct script_pool;
struct undo_writer;

/* Core's MIN_BLOCKS_TO_KEEP: an unrequested block may be so far ahead. */
#define UNREQUESTED_AHEAD 288

/* A block on its way. The loop makes it, each stage passes it on, the loop
 * answers and frees it. */
struct block_work {
	struct work w; /* first */
	struct block_job job;
	uint64_t ticket; /* order of submission, kept through all stages */
	struct block_view view;
	bool accepted; /* prepare found nothing against it */
	bool blame;    /* the header has to be marked failed */
	struct blockfile_pos pos;
	struct verdict verdict;
	enum block_outcome outcome;
	struct block_work *twin; /* loop: same node, waits for this answer */
};

/* A block that is stored and not connected. */
struct pending {
	struct hnode *node;
	uint64_t peer;
	struct buf *buf;         /* the body, or NULL: read it back */
	struct block_view view;  /* with buf */
	size_t bytes;            /* that the body takes in memory */
	bool unlinked;           /* an ancestor's data are missing */
	struct pending *sibling; /* unlinked: waits for the same parent */
};

struct pendings {
	struct hmap by_hash;   /* of the block */
	struct hmap by_parent; /* hash of the parent: list of unlinked */
	size_t bytes;          /* of all bodies */
};

/* A block with its parsed view and hashes, borrowed or owned. */
struct body {
	struct buf *buf;
	struct block_view view;
};

struct out; /* an event or answer on its way to the loop */

struct outbox {
	pthread_mutex_t mu;
	struct out *first, *last;
	bool posted;  /* the loop has a task to come and look */
	size_t bytes; /* of bodies in events not yet delivered */
	/* Chain thread: gathered before they are put. */
	struct out *mine_first, *mine_last;
	size_t mine_n;
	uint64_t mine_since; /* ns */
};

struct chain {
	struct chain_cfg cfg; /* with own copies of the strings */
	struct chain_ops ops;
	void *ops_arg;
	struct htree *tree;
	pthread_t thread, writer, *workers;
	struct workq q;       /* to the chain thread */
	struct workq prepare; /* to the workers */
	struct workq append;  /* to the writer */
	struct outbox out;
	bool started;
	/* What was verified; looked up with hints about keys, and wholly. */
	struct script_cache *verified;
	struct cached_verifier verify_far, verify_near, verify_pool;

	/* Made by the chain thread while loading, then fixed. */
	struct kv *index_kv, *coins_kv;
	struct blockfile *blk, *rev;
	struct coinview *coins;
	struct filters *filters; /* NULL without the index */

	/* Atomics. */
	struct hnode *tip;         /* published; NULL before LOADED */
	struct hnode *best_header; /* most work that the chain thread knows */
	bool ibd, stopping, loaded;
	bool at_boundary; /* the chain thread may wait for the flusher */
	size_t backlog_blocks, backlog_bytes;
	int io_rc; /* first failure of a write; sticky */

	/* Loop. */
	struct hmap inflight; /* node's hash: struct block_work */
	uint64_t next_ticket;
	struct cfcheckpts *cfc;
	size_t txs_n, txs_bytes; /* handed over and not answered */

	/* Writer. */
	uint64_t append_ticket;   /* the next one in order */
	struct block_work **ring; /* arrived early, by ticket */
	size_t ring_cap;

	/* Records for the index, on their way from chain thread to writer. */
	pthread_mutex_t batch_mu;
	struct kv_batch *batch;
	uint64_t batch_since; /* ns; 0: empty */
	bool batch_asked;     /* a commit is on its way */

	/* Chain thread. */
	struct worklist control, blocks;
	struct hnode *here;      /* the coins' block */
	struct hnode *saved_tip; /* as the index knows it */
	struct hnode **nodes;    /* all known, parents first */
	size_t n_nodes, cap_nodes;
	struct hnode **heap; /* candidates, best first; may hold stale ones */
	size_t n_heap, cap_heap;
	struct hnode **dirty; /* records to be written again */
	size_t n_dirty, cap_dirty;
	struct pendings pend;
	int32_t next_seq, precious_seq;
	struct u256 precious_work;
	struct hnode *assume_valid; /* once its header is known */
	struct hnode *bad;          /* the last block found invalid, and why */
	struct verdict bad_verdict;
	bool in_task;        /* a task of chain_run is running */
	bool halted;         /* -stopatheight was reached */
	struct vb_caches vb; /* for block templates */
	bool reindexing;     /* atomic: the block files are being read again */
	bool replaying;      /* at start: no events, no scripts again */
	uint64_t log_ns, flush_ns;
	struct script_pool *scripts;
	struct ahead ahead; /* connected blocks whose scripts are under way */
	struct mempool *pool;
	struct takenoff off; /* not offered back to the pool yet */
	int fatal_rc;        /* what stopped us; nothing is flushed any more */
	char *fatal_text;
};

static inline struct hnode *hnode_mut(const struct hnode *n)
{
	/* Nodes are the tree's and mutable; their links are const so that
	 * readers cannot write by accident. */
	return (struct hnode *)(uintptr_t)n;
}

static inline void hnode_set(struct hnode *n, uint32_t bits)
{
	__atomic_fetch_or(&n->status, bits, __ATOMIC_RELEASE);
}

static inline void hnode_unset(struct hnode *n, uint32_t bits)
{
	__atomic_fetch_and(&n->status, ~bits, __ATOMIC_RELEASE);
}

static inline bool hnode_failed(const struct hnode *n)
{
	return (hnode_status(n) & HN_FAILED_ANY) != 0;
}

static inline uint64_t hnode_chain_tx(const struct hnode *n)
{
	return __atomic_load_n(&n->chain_tx, __ATOMIC_ACQUIRE);
}

static inline bool chain_stopping(const struct chain *c)
{
	return __atomic_load_n(&c->stopping, __ATOMIC_ACQUIRE);
}

/* chain.c */
/* The chain cannot go on: say so once and refuse all further work. what names
 * what could not be done ("coins could not be written"), or is the whole
 * sentence with its full stop. Chain thread. */
void chain_fatal(struct chain *c, int rc, const char *what);
/* Take what has arrived, waiting up to wait_ns, and run tasks and notes.
 * Chain thread, between blocks. */
void chain_serve(struct chain *c, uint64_t wait_ns);
/* Queue control work for the chain thread; false when it is down. */
bool chain_control(struct chain *c, void (*run)(struct chain *c, void *arg),
		   void *arg);
/* Say what became of a job; takes bw. Chain thread. */
void block_answer(struct chain *c, struct block_work *take);

/* outbox.c */
void outbox_init(struct outbox *o);
void outbox_fini(struct outbox *o);
/* Hand an event to the loop; keeps e->buf. Chain thread. */
void outbox_event(struct chain *c, const struct chain_event *e);
/* Answer a job; takes bw. Chain thread. */
void outbox_answer(struct chain *c, struct block_work *take);
/* The same from the loop itself: answered in a later turn. */
void outbox_answer_later(struct chain *c, struct block_work *take);
/* Put what was gathered. Chain thread, before it waits. */
void outbox_flush(struct chain *c);
/* The same if it has waited long enough. */
void outbox_tick(struct chain *c);

/* verified.c: what was verified before. */
void verified_init(struct chain *c);
void verified_fini(struct chain *c);
/* What the scripts of a block are verified with. */
struct script_memory verified_for(const struct chain *c, const struct hnode *n);

/* unconfirmed.c: the pool. Chain thread. */
void unconfirmed_init(struct chain *c);
void unconfirmed_fini(struct chain *c);
/* A block was connected, or taken off. */
void unconfirmed_connected(struct chain *c, const struct block_view *b);
void unconfirmed_taken_off(struct chain *c, const struct block_view *b);
/* The published tip has come to where the coins are, or stays there: the pool
 * follows. */
void unconfirmed_follow(struct chain *c);
/* The same, but what was taken off is not offered back. */
void unconfirmed_give_up(struct chain *c);

/* submit.c */
/* The loop got the answer: let a waiting twin go on. */
void submit_answered(struct chain *c, struct block_work *bw);
void block_work_free(struct block_work *bw);

/* prepare.c, append.c: thread mains. */
void prepare_main(void *chain);
void append_main(void *chain);

/* commit.c: the block index on disk. */
void index_record_of(struct index_record *r, const struct hnode *n);
/* n's record has to be written again. Chain thread. */
void index_dirty(struct chain *c, struct hnode *n);
/* Move all dirty records into the shared batch. Chain thread. */
void index_seal(struct chain *c);
/* Ask for a commit if the batch is large or old. Chain thread. */
void index_tick(struct chain *c);
/* How long until the batch is old; WORKQ_FOREVER when empty. Chain thread. */
uint64_t index_wait_ns(struct chain *c);
/* Have the writer commit what is sealed, and wait. Any thread but the writer.
 */
int index_commit_wait(struct chain *c) must_check;
/* The writer's part. */
void index_commit_run(struct chain *c, struct work *commit);

/* pending.c */
void pendings_init(struct pendings *p);
void pendings_fini(struct pendings *p);
/* A block was stored; moves buf and view out of bw if there is room. */
void pending_add(struct chain *c, struct block_work *bw);
/* One found at start, without a body. */
void pending_load(struct chain *c, struct hnode *n);
struct pending *pending_find(struct chain *c, const struct hnode *n);
/* Wait for the parent's data. */
void pending_unlink(struct chain *c, struct pending *p);
/* Take the list of those that waited for parent. */
struct pending *pending_take_children(struct chain *c,
				      const struct hnode *parent);
/* Connected or failed: forget it. Gives the peer, or PEER_NONE. */
uint64_t pending_drop(struct chain *c, const struct hnode *n);
/* Its body is not needed soon. */
void pending_forget_body(struct chain *c, struct pending *p);

/* body.c */
/* The block of n: from memory or from disk. */
int body_get(struct chain *c, struct body *b, const struct hnode *n) must_check;
void body_fini(struct body *b);
/* Parse and hash buf; keeps it. */
int body_parse(struct body *b, struct buf *buf) must_check;

/* receive.c */
/* A block's data are on disk: link it and what waited for it. */
void receive_block(struct chain *c, struct block_work *bw);
/* Headers noted by the loop. */
void receive_headers(struct chain *c, struct hnode *const *nodes, size_t n);
/* n's data are there: count transactions and make candidates, downwards. */
void receive_link(struct chain *c, struct hnode *n);

/* candidates.c */
void candidate_push(struct chain *c, struct hnode *n);
/* The best one that is better than here, or NULL. */
struct hnode *candidate_best(struct chain *c);
/* All nodes that could replace here: after failures or reconsideration. */
void candidates_rebuild(struct chain *c);
void best_header_recompute(struct chain *c);

/* scripts.c */
void scripts_init(struct chain *c);
/* Begin with the scripts of a block that is connected, n: gives a batch that is
 * under way, or NULL in it when they are passed over. Borrows b and undo, the
 * coins it spent, until the batch is freed. */
int scripts_begin(struct chain *c, struct script_batch **give,
		  const struct hnode *n, const struct block_view *b,
		  struct slice undo) must_check;
/* What came of a batch that is done. */
struct verdict scripts_end(struct chain *c, const struct hnode *n,
			   const struct block_view *b,
			   const struct script_batch *s);
/* All at once. */
struct verdict scripts_verify(struct chain *c, const struct hnode *n,
			      const struct block_view *b, struct slice undo);

/* connect.c */
/* Judge b on the coins of its parent, by every rule but scripts, and apply it.
 * undo, which is empty, gets the coins spent; *filter, unless it is NULL, the
 * basic filter. V_INVALID leaves the coins as they were; V_UNKNOWN leaves them
 * undefined: fatal. */
struct verdict connect_block(struct chain *c, struct hnode *n,
			     const struct block_view *b,
			     struct undo_writer *undo, struct buf **filter);
/* Take the block applied last off again. */
int connect_take_back(struct chain *c, const struct block_view *b,
		      struct slice undo) must_check;
/* b, which is off the coins, has broken a rule by v: the verdict that is told,
 * since a rule that comes first may not have been asked. */
struct verdict connect_first_fault(struct chain *c, const struct hnode *n,
				   const struct block_view *b,
				   struct verdict v);

/* disconnect.c */
/* Take b, which is here, off the coins. */
int disconnect_block(struct chain *c, const struct hnode *n,
		     const struct block_view *b) must_check;
/* Bring coins that an interrupted flush left between two blocks to `to`. */
int replay_coins(struct chain *c, const struct hnode *from,
		 const struct hnode *to) must_check;

/* undofile.c */
int undo_store(struct chain *c, struct hnode *n,
	       struct slice record) must_check;
int undo_load(struct chain *c, struct buf **give,
	      const struct hnode *n) must_check;

/* reorg.c */
/* Connect what is best until nothing better is known. Chain thread. */
void activate(struct chain *c);
/* One block off; here moves. False after chain_fatal. */
bool disconnect_tip(struct chain *c);
/* A part of it: one block on, or to a better branch, or a look at what has
 * become of those ahead. False when nothing better is known. */
bool activate_step(struct chain *c);
/* The last block whose scripts are verified becomes what everybody sees... */
void show_tip(struct chain *c);
/* ...and a boundary at which coins may be flushed. */
void publish(struct chain *c);
/* n, with body b, is connected for good: tell, and publish it if it is the
 * best. */
void block_connected(struct chain *c, struct hnode *n, const struct body *b);
/* n broke a rule: mark it and all behind it, tell the loop. */
void mark_failed(struct chain *c, struct hnode *n, const struct verdict *v,
		 uint64_t peer);
/* The same for a stored block: its sender is named. */
void found_invalid(struct chain *c, struct hnode *n, const struct verdict *v);

/* start.c */
/* 0, E_STOPPING or the failure that chain_fatal has told. */
int chain_load(struct chain *c) must_check;
/* The coins, flushed if that is quick; chain thread, workers joined. */
void chain_unload(struct chain *c);
/* Block files and databases, which others may read until chain_free. */
void chain_close_files(struct chain *c);

/* reindex.c */
/* Before anything is opened: remove what -reindex makes again, or find out that
 * an earlier one has not ended; sets reindexing. */
int reindex_begin(struct chain *c) must_check;
/* The coins, which nobody has opened. */
int reindex_remove_coins(struct chain *c) must_check;
/* For chain_control, when all block files have been read. */
void reindex_end(struct chain *c, void *arg);

/* filters.c. Chain thread unless stated. */
int filters_open(struct chain *c) must_check;
void filters_close(struct chain *c);
/* Whether connecting n should collect its filter. */
bool filters_wants(const struct chain *c, const struct hnode *n);
/* n was connected: store its filter. */
int filters_connected(struct chain *c, struct hnode *n,
		      const struct buf *filter) must_check;
int filters_disconnected(struct chain *c, const struct hnode *n) must_check;
/* One block of catching up; false when nothing is left. */
bool filters_catch_up(struct chain *c);
bool filters_behind(const struct chain *c);
/* A new tip is published: say whether the index covers it. */
void filters_published(struct chain *c);
/* Make filters last. Writer. */
int filters_sync(struct chain *c) must_check;
/* Our own filter header of n, a node at a multiple of 1,000; from memory. Any
 * thread. */
bool filters_checkpoint(struct chain *c, struct hash256 *header,
			const struct hnode *n);

/* cfcheckpt.c */
struct cfcheckpts *cfcheckpts_new(void) must_check;
void cfcheckpts_free(struct cfcheckpts *f);

#endif
