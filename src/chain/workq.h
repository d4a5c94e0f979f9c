/*
 * A queue of linked work with two lanes, taken in batches: one lock and at most
 * one wake-up for many small blocks. Any number of putters and takers.
 */
#ifndef CAIRN_SRC_CHAIN_WORKQ_H
#define CAIRN_SRC_CHAIN_WORKQ_H

#include <cairn/base/attr.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* First member of everything that is queued. */
struct work {
	struct work *next;
	size_t weight; /* bytes, to share work out evenly */
};

struct worklist {
	struct work *first, *last;
};

void worklist_add(struct worklist *l, struct work *w);
/* Move all of from to the end of l. */
void worklist_join(struct worklist *l, struct worklist *from);
/* The first, or NULL. */
struct work *worklist_pop(struct worklist *l);

/* Whoever takes both lanes serves the control lane first. */
enum work_lane { LANE_CONTROL, LANE_BLOCK, LANES };

struct workq {
	pthread_mutex_t mu;
	pthread_cond_t cond;
	struct worklist lane[LANES];
	bool closed;
	bool woken; /* the next take does not wait */
};

#define WORKQ_FOREVER UINT64_MAX

void workq_init(struct workq *q);
void workq_fini(struct workq *q);
/* Move all of l into a lane. False when closed: l is then untouched. */
bool workq_put(struct workq *q, enum work_lane lane, struct worklist *l);
/* Let a take that waits, or the next one, return without anything. */
void workq_wake(struct workq *q);
/* Append all that is queued to lane[], waiting up to wait_ns for something.
 * False once the queue is closed and empty. */
bool workq_take(struct workq *q, struct worklist lane[LANES], uint64_t wait_ns);
/* Wait for blocks and take some: at least one, then up to max_n and max_weight.
 * False once the queue is closed and empty. */
bool workq_take_some(struct workq *q, struct worklist *l, size_t max_n,
		     size_t max_weight);
/* No more puts. */
void workq_close(struct workq *q);

#endif
