/*
 * Threads, the task queue and the pool. The queue's lock is held for a few
 * instructions only and never while a task runs. Does not bound queues, does
 * not cancel threads, and leaves signals to the main thread.
 */
#include <cairn/base/thread.h>

#include <cairn/base/mem.h>
#include <cairn/base/must.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RING_FIRST 16

struct start {
	task_fn run;
	void *arg;
	char name[16];
};

static void *thread_main(void *p)
{
	struct start s = *(struct start *)p;

	free(p);
	pthread_setname_np(pthread_self(), s.name);
	s.run(s.arg);
	return NULL;
}

void thread_start(pthread_t *t, const char *name, task_fn run, void *arg)
{
	struct start *s = xmalloc(sizeof *s);
	sigset_t all, old;
	int rc;

	s->run = run;
	s->arg = arg;
	snprintf(s->name, sizeof s->name, "%s", name);
	/* The new thread inherits the mask: it gets only its own faults. */
	sigfillset(&all);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGFPE);
	sigdelset(&all, SIGILL);
	sigdelset(&all, SIGABRT);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(t, NULL, thread_main, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	must(rc == 0);
}

void queue_init(struct queue *q)
{
	memset(q, 0, sizeof *q);
	must(pthread_mutex_init(&q->mu, NULL) == 0);
	must(pthread_cond_init(&q->cond, NULL) == 0);
}

void queue_fini(struct queue *q)
{
	pthread_cond_destroy(&q->cond);
	pthread_mutex_destroy(&q->mu);
	free(q->ring);
	q->ring = NULL;
	q->cap = 0;
}

static void ring_grow(struct queue *q)
{
	size_t cap = q->cap ? q->cap * 2 : RING_FIRST;
	struct task *ring = xcalloc(cap, sizeof *ring);
	size_t i;

	for (i = 0; i < q->n; i++)
		ring[i] = q->ring[(q->head + i) & (q->cap - 1)];
	free(q->ring);
	q->ring = ring;
	q->cap = cap;
	q->head = 0;
}

bool queue_put(struct queue *q, struct task t)
{
	bool open;

	pthread_mutex_lock(&q->mu);
	open = !q->closed;
	if (open) {
		if (q->n == q->cap)
			ring_grow(q);
		q->ring[(q->head + q->n) & (q->cap - 1)] = t;
		q->n++;
		pthread_cond_signal(&q->cond);
	}
	pthread_mutex_unlock(&q->mu);
	return open;
}

/* Take the first task; the lock is held. */
static bool take(struct queue *q, struct task *t)
{
	if (q->n == 0)
		return false;
	*t = q->ring[q->head];
	q->head = (q->head + 1) & (q->cap - 1);
	q->n--;
	return true;
}

bool queue_get(struct queue *q, struct task *t)
{
	bool got;

	pthread_mutex_lock(&q->mu);
	while (q->n == 0 && !q->closed)
		pthread_cond_wait(&q->cond, &q->mu);
	got = take(q, t);
	pthread_mutex_unlock(&q->mu);
	return got;
}

bool queue_try_get(struct queue *q, struct task *t)
{
	bool got;

	pthread_mutex_lock(&q->mu);
	got = take(q, t);
	pthread_mutex_unlock(&q->mu);
	return got;
}

void queue_close(struct queue *q)
{
	pthread_mutex_lock(&q->mu);
	q->closed = true;
	pthread_cond_broadcast(&q->cond);
	pthread_mutex_unlock(&q->mu);
}

size_t queue_len(struct queue *q)
{
	size_t n;

	pthread_mutex_lock(&q->mu);
	n = q->n;
	pthread_mutex_unlock(&q->mu);
	return n;
}

struct pool {
	struct queue q;
	unsigned n;
	pthread_t *threads;
};

static void pool_main(void *arg)
{
	struct queue *q = arg;
	struct task t;

	while (queue_get(q, &t))
		t.run(t.arg);
}

struct pool *pool_new(const char *name, unsigned n)
{
	struct pool *p = xmalloc(sizeof *p);
	char full[32];
	unsigned i;

	must(n > 0);
	queue_init(&p->q);
	p->n = n;
	p->threads = xcalloc(n, sizeof *p->threads);
	for (i = 0; i < n; i++) {
		snprintf(full, sizeof full, "%.10s-%u", name, i);
		thread_start(&p->threads[i], full, pool_main, &p->q);
	}
	return p;
}

bool pool_submit(struct pool *p, struct task t)
{
	return queue_put(&p->q, t);
}

unsigned pool_size(const struct pool *p)
{
	return p->n;
}

size_t pool_backlog(struct pool *p)
{
	return queue_len(&p->q);
}

void pool_free(struct pool *p)
{
	unsigned i;

	if (!p)
		return;
	queue_close(&p->q);
	for (i = 0; i < p->n; i++)
		pthread_join(p->threads[i], NULL);
	queue_fini(&p->q);
	free(p->threads);
	free(p);
}
