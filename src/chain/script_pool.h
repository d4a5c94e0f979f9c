/*
 * Scripts of whole blocks, verified on many threads. A batch is one block's,
 * cut into chunks; batches of several blocks may be under way, and chunks of
 * the oldest are taken first, by the pool's threads and by whoever helps.
 */
#ifndef CAIRN_SRC_CHAIN_SCRIPT_POOL_H
#define CAIRN_SRC_CHAIN_SCRIPT_POOL_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>
#include <cairn/base/thread.h>
#include <cairn/script/cache.h>

struct block_view;
struct hnode;
struct params;

struct script_pool;
struct script_batch;

struct script_pool_cfg {
	unsigned threads; /* 0: those who help do it all */
	/* Run on whichever thread finishes a batch. May not block. */
	struct task done;
	/* A test's way to delay: called on the thread that is about to verify a
	 * chunk. NULL: none. */
	void (*begin)(void *arg, const struct hnode *n);
	void *begin_arg;
};

struct script_pool *
script_pool_new(const struct script_pool_cfg *cfg) must_check;
/* No batch may be under way. NULL is fine. */
void script_pool_free(struct script_pool *p);
unsigned script_pool_threads(const struct script_pool *p);

/* What signatures are asked of (NULL: the library at once), and where whole
 * transactions are looked up and kept (NULL: nowhere). */
struct script_memory {
	const struct sig_verifier *verifier;
	struct script_cache *cache;
};

/* The scripts of block n: b, with the coins of its undo record, both borrowed
 * until the batch is freed, as is what memory names, which any number of
 * threads may use. memory may be NULL. One without inputs is done at once.
 * E_NOMEM; E_CORRUPT when the record does not fit. */
int script_batch_new(struct script_batch **give, const struct hnode *n,
		     const struct block_view *b, struct slice undo,
		     const struct params *params,
		     const struct script_memory *memory) must_check;
/* Not under way any more. NULL is fine. */
void script_batch_free(struct script_batch *b);
/* Memory that it takes. */
size_t script_batch_bytes(const struct script_batch *b);

/* The rest belongs to one thread, the batches' owner. */

/* b is under way until it is done. */
void script_pool_submit(struct script_pool *p, struct script_batch *b);
/* Verify one chunk of the oldest batch that has one. False when none is left to
 * be taken. */
bool script_pool_help(struct script_pool *p);
bool script_pool_done(struct script_pool *p, const struct script_batch *b);
/* Help until b is done, and wait for what others have of it. */
void script_pool_join(struct script_pool *p, const struct script_batch *b);
/* Give up what nobody has begun; waits for what is begun. b is done then, and
 * has no result. */
void script_pool_cancel(struct script_pool *p, struct script_batch *b);

/* The result of a batch that is done: false with the first input, in block
 * order, that fails. The same whoever verified what. */
struct script_fault {
	uint32_t tx; /* its place in the block */
	struct script_failure why;
};
bool script_batch_ok(const struct script_batch *b, struct script_fault *f);
/* Keep what was verified in parts: only when all of the batch is right. */
void script_batch_remember(const struct script_batch *b);

#endif
