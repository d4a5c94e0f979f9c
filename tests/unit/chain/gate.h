/*
 * A gate in front of script verification: while it is closed for a height and
 * all above, threads of the pool that have taken scripts of such a block stand
 * still. Notes who came. Any thread.
 */
#ifndef CAIRN_TESTS_UNIT_CHAIN_GATE_H
#define CAIRN_TESTS_UNIT_CHAIN_GATE_H

#include <pthread.h>
#include <stdint.h>

#define GATE_HEIGHTS 1024

struct hnode;

struct gate {
	pthread_mutex_t mu;
	pthread_cond_t cond;
	int32_t from;
	unsigned held;                /* threads that stand still */
	int32_t highest;              /* that anybody began with */
	unsigned begun[GATE_HEIGHTS]; /* turns, by height */
};

/* Open. */
void gate_init(struct gate *g);
void gate_fini(struct gate *g);
void gate_close(struct gate *g, int32_t from);
void gate_open(struct gate *g);
/* The hook: a thread takes scripts of n. The chain thread, which helps, goes on
 * once another one stands still, so that something is held for sure. */
void gate_pass(struct gate *g, const struct hnode *n);
/* Wait until scripts of a block at or above height were begun. */
void gate_until(struct gate *g, int32_t height);
/* Wait until so many threads stand still. */
void gate_until_held(struct gate *g, unsigned n);
/* Threads that stand still now. */
unsigned gate_held(struct gate *g);
/* Turns taken at a height so far. */
unsigned gate_begun(struct gate *g, int32_t height);

#endif
