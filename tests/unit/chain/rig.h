/*
 * A chain with a loop of the test's own: tasks that the chain posts are run by
 * the test's thread whenever it waits for something. One rig a test.
 */
#ifndef CAIRN_TESTS_UNIT_CHAIN_RIG_H
#define CAIRN_TESTS_UNIT_CHAIN_RIG_H

#include <cairn/base/buf.h>
#include <cairn/base/clock.h>
#include <cairn/base/thread.h>
#include <cairn/chain/chain.h>
#include <cairn/params/params.h>

struct gate;

struct rig_event {
	enum chain_event_type type;
	struct hnode *node;
	const struct hnode *fork;
	struct verdict verdict;
	uint64_t peer;
	bool body; /* came with its block */
	int rc;
};

struct rig {
	/* Set before rig_start to differ from the defaults. */
	struct params params;
	struct chain_cfg cfg;

	struct chain *c;
	struct clock clock;
	struct queue tasks;
	char *dir, *blocks_dir;
	bool own_dir;
	struct rig_event *events;
	size_t n_events, cap_events;
	bool loaded, fatal, stopped;
	char fatal_text[256];
	size_t unanswered;
	struct hash256 script_fails; /* the hook's block; zero: none */
	int script_calls;            /* atomic */
	struct gate *gate;           /* in front of scripts; may be NULL */
};

/* Defaults for a network in dir, or in a fresh scratch folder when NULL. */
void rig_init(struct rig *r, enum chain_id id, const char *dir);
/* Start and wait for LOADED or FATAL. */
void rig_start(struct rig *r);
/* Stop cleanly, and free; the folder too if it was the rig's. */
void rig_stop(struct rig *r);
void rig_fini(struct rig *r);
/* Stop and start again on the same folder. */
void rig_restart(struct rig *r);

/* Run tasks until *flag, failing after a minute. */
void rig_until(struct rig *r, const bool *flag);
/* Run what is there. */
void rig_poll(struct rig *r);
/* Until every job is answered. */
void rig_settle(struct rig *r);
/* Run fn(arg) on the chain thread and wait. */
void rig_run(struct rig *r, task_fn fn, void *arg);

/* Add the header of a block; fails the test unless it is accepted. */
struct hnode *rig_header(struct rig *r, struct slice block);
/* The same, telling the verdict. */
struct verdict rig_try_header(struct rig *r, struct hnode **node,
			      struct slice block);
/* Hand a block over and wait for its answer. */
struct block_result rig_block(struct rig *r, struct slice block);
struct block_result rig_block_from(struct rig *r, struct slice block,
				   uint64_t peer, bool requested);
/* Hand over without waiting; out (may be NULL) is filled when it is answered.
 */
void rig_send(struct rig *r, struct slice block, struct block_result *out);
/* The same where the header is known, and may have failed since. */
void rig_send_of(struct rig *r, struct hnode *n, struct slice block,
		 struct block_result *out);

/* A block on the tip that pays to an anyone-can-spend script that salt makes
 * unique, with transactions; mined, not submitted. */
struct buf *rig_make(struct rig *r, unsigned salt, struct buf *const *txs,
		     size_t n);
/* The same with a coinbase output of so many bytes. */
struct buf *rig_make_large(struct rig *r, unsigned salt, size_t bytes);
/* n such blocks, submitted one after another: each has to connect. */
struct hnode *rig_mine(struct rig *r, unsigned salt, unsigned n);

/* A transaction that spends the coinbase of the chain's block at height into n
 * outputs of various scripts; NULL when that is spent already. */
struct buf *rig_spend(struct rig *r, int32_t height, unsigned salt, unsigned n);

/* Invalidate and so on, on the chain thread. */
struct verdict rig_invalidate(struct rig *r, struct hnode *n);
struct verdict rig_reconsider(struct rig *r, struct hnode *n);
struct verdict rig_precious(struct rig *r, struct hnode *n);

/* A hash over all coins, flushed before; count may be NULL. */
struct hash256 rig_coins(struct rig *r, size_t *count);
/* The same with the block that they belong to: the tip may move at any time. */
struct hash256 rig_coins_at(struct rig *r, struct hnode **node);

/* One coin as rig_coins hashes it. */
struct sha256;
void rig_put_coin(struct sha256 *h, const uint8_t *outpoint,
		  const struct coin *coin);

/* How many events of a type there were; the i-th of them. */
size_t rig_count(const struct rig *r, enum chain_event_type type);

/* Blocks of a file in the data folder, in blk framing. */
struct blockfile_data {
	struct buf *raw;
	struct slice *blocks;
	size_t n;
};
void blocks_read(struct blockfile_data *d, const char *name);
void blocks_fini(struct blockfile_data *d);
void block_hash(struct hash256 *out, struct slice block);

#endif
