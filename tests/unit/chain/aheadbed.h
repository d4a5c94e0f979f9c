/*
 * A node with a gate in front of its scripts (gate.h) and blocks of the test's
 * own (line.h): for tests of connecting ahead of script verification. One bed a
 * test.
 */
#ifndef CAIRN_TESTS_UNIT_CHAIN_AHEADBED_H
#define CAIRN_TESTS_UNIT_CHAIN_AHEADBED_H

#include "gate.h"
#include "line.h"
#include "rig.h"

#include "../../../src/chain/internal.h"

#define BASE 130 /* blocks that are connected before a test begins */

/* Two chunks: with one of them in a thread's hands the other is free. */
extern const struct line_block bed_plain;

struct bed {
	struct rig r; /* first: hooks get it */
	struct gate gate;
	struct line line;
	struct block_result res[LINE_MAX];
	pthread_mutex_t busy; /* held while the chain thread shall stand */
	bool stands;
	uint32_t most_unflushed; /* blocks, when any was verified */
};

void bed_init(struct bed *t, unsigned workers);
void bed_fini(struct bed *t);
/* The headers of l from a height on. */
void bed_headers(struct bed *t, const struct line *l, int32_t from);
struct hnode *bed_node(struct bed *t, const struct line *l, int32_t h);
/* Blocks of l from a height on; their answers come into res by height. */
void bed_send(struct bed *t, const struct line *l, int32_t from);
/* The same, all in the chain thread's queue before it looks at the first. */
void bed_send_at_once(struct bed *t, const struct line *l, int32_t from);
/* Connect what the bed's line has so far. */
void bed_grow_up(struct bed *t);
void bed_until_tip(struct bed *t, const struct hnode *n);
/* Until the last block of l is stored. */
void bed_until_data(struct bed *t, const struct line *l);

struct look {
	struct chain *c;
	struct ahead ahead;
	struct hnode *here, *tip;
	bool empty;
};
/* What a task of the chain thread sees; asserts that nothing is ahead. */
struct look bed_seen(struct bed *t);
/* The coins are those of a node that was given the blocks of l one by one. */
void bed_assert_coins(struct bed *t, const struct line *l);
/* A thread's main: opens the gate after a tenth of a second. */
void bed_open_later(void *gate);

#endif
