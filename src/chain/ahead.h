/*
 * Connecting ahead of script verification. A block that is connected (its coins
 * are spent and made, every rule but scripts holds) stands in a queue until its
 * scripts are verified; then it is published. Whatever leaves the chain thread
 * follows the published tip: the undo record, the filter, status, events and
 * answers wait in the queue. Chain thread.
 *
 * The queue holds more than one block only while the published tip is more than
 * AHEAD_NEAR blocks behind the best header. It is drained, so that coins and
 * published tip are one, before a block is taken off, before a task of
 * chain_run, and before coins are flushed.
 *
 * Bounds: a block is added while the queue has less than AHEAD_BLOCKS blocks
 * and AHEAD_BYTES bytes (bodies with their views, undo records, filters, script
 * batches, and what the coins cache has grown by). So at most AHEAD_BYTES and
 * one block more are held, and an answer to a job is late by the scripts of so
 * much at most.
 */
#ifndef CAIRN_SRC_CHAIN_AHEAD_H
#define CAIRN_SRC_CHAIN_AHEAD_H

#include <stdbool.h>
#include <stddef.h>

#define AHEAD_NEAR   3
#define AHEAD_BLOCKS 64u
#define AHEAD_BYTES  (4u << 20)

struct ahead_block;
struct block_work;
struct chain;
struct hnode;

struct ahead {
	struct ahead_block *first, *last;
	size_t n, bytes;
	size_t most_n, most_bytes; /* held at any time */
};

/* The block below the queue: the last one whose scripts are verified. */
struct hnode *ahead_base(const struct chain *c);
/* No room for one more. */
bool ahead_full(const struct chain *c);
/* One block on, n over here; its scripts are begun. False when it is invalid
 * (then the queue is empty) or after chain_fatal. */
bool ahead_connect(struct chain *c, struct hnode *n);
/* Publish what is verified. When a script has failed the coins go back below
 * its block, which is marked, and the queue is empty. */
void ahead_poll(struct chain *c);
/* The same until the oldest, or all, of them are verified. */
void ahead_wait(struct chain *c);
void ahead_drain(struct chain *c);
/* Verify a few scripts; false when there are none to be taken. */
bool ahead_help(struct chain *c);
/* Answer a job behind all blocks that are in the queue now. Takes bw. */
void ahead_answer(struct chain *c, struct block_work *take);
/* The end: publish what is verified, give the rest up and take it back. After
 * chain_fatal the coins stay as they are. */
void ahead_stop(struct chain *c);

#endif
