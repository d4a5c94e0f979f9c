/*
 * Threads, a blocking task queue, and a pool over one. A task is a function and
 * its argument by value: the only form in which work crosses threads.
 */
#ifndef CAIRN_BASE_THREAD_H
#define CAIRN_BASE_THREAD_H

#include <cairn/base/attr.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

typedef void (*task_fn)(void *arg);

struct task {
	task_fn run;
	void *arg;
};

/* Start a named thread (15 characters are kept). Aborts when it cannot. */
void thread_start(pthread_t *t, const char *name, task_fn run, void *arg);

/* First in, first out; any number of putters and getters. Unbounded: the
 * callers bound what they put (windows, budgets), and say where. */
struct queue {
	pthread_mutex_t mu;
	pthread_cond_t cond;
	struct task *ring;
	size_t cap, head, n;
	bool closed;
};

void queue_init(struct queue *q);
void queue_fini(struct queue *q);
/* False when the queue is closed; the task is then not kept. Never blocks on
 * more than the lock. */
bool queue_put(struct queue *q, struct task t);
/* Wait for a task; false once the queue is closed and empty. */
bool queue_get(struct queue *q, struct task *t);
/* The same without waiting: false when nothing is there. */
bool queue_try_get(struct queue *q, struct task *t);
/* No more puts; getters drain what is left, then see false. */
void queue_close(struct queue *q);
size_t queue_len(struct queue *q);

/* n threads over one queue. */
struct pool;
struct pool *pool_new(const char *name, unsigned n) must_check;
bool pool_submit(struct pool *p, struct task t);
unsigned pool_size(const struct pool *p);
size_t pool_backlog(struct pool *p);
/* Finish what is queued, join the threads, free. NULL is fine. */
void pool_free(struct pool *p);

#endif
