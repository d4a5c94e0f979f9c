/*
 * The script threads, and the list of batches that are under way. Whoever has
 * time takes the next chunk of the oldest batch that has one left; the lock is
 * held to take it and to note how it ended. Of a batch that fails, only chunks
 * before the lowest failure so far are still taken, so that the first failing
 * input is found whatever the threads do. Judges no block.
 */
#include "script_batch.h"

#include <cairn/base/mem.h>
#include <cairn/base/must.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct script_pool {
	struct script_pool_cfg cfg;
	pthread_t *threads;
	pthread_mutex_t mu;
	pthread_cond_t work;               /* chunks to be taken, or quit */
	pthread_cond_t ended;              /* a batch is done */
	struct script_batch *first, *last; /* with chunks to be taken */
	bool quit;
};

/* A chunk in somebody's hands. */
struct turn {
	struct script_batch *b;
	size_t chunk;
};

static bool is_done(const struct script_batch *b)
{
	return b->taken == b->n_chunks && b->ended == b->n_chunks;
}

static void list_add(struct script_pool *p, struct script_batch *b)
{
	b->next = NULL;
	if (p->last)
		p->last->next = b;
	else
		p->first = b;
	p->last = b;
}

static void list_del(struct script_pool *p, struct script_batch *b)
{
	struct script_batch *before = NULL, *x = p->first;

	for (; x && x != b; x = x->next)
		before = x;
	if (!x)
		return;
	if (before)
		before->next = b->next;
	else
		p->first = b->next;
	if (p->last == b)
		p->last = before;
}

/* Nobody shall begin what is left of b. */
static void skip_rest(struct script_pool *p, struct script_batch *b)
{
	b->ended += b->n_chunks - b->taken;
	b->taken = b->n_chunks;
	list_del(p, b);
}

/* The lock is held. */
static bool take(struct script_pool *p, struct turn *t)
{
	struct script_batch *b = p->first;

	if (!b)
		return false;
	t->b = b;
	t->chunk = b->taken++;
	if (b->taken == b->n_chunks)
		list_del(p, b);
	return true;
}

/* The lock is held. True when the batch is done by that. */
static bool note(struct script_pool *p, const struct turn *t,
		 const struct script_fault *fault)
{
	struct script_batch *b = t->b;

	b->ended++;
	if (fault && t->chunk < b->failed) {
		b->failed = t->chunk;
		b->fault = *fault;
		/* They are taken in order: all before it are. */
		skip_rest(p, b);
	}
	return is_done(b);
}

/* From lock to lock: a chunk that is taken keeps its batch. */
static void run(struct script_pool *p, const struct turn *t)
{
	struct script_fault f;
	bool ok, done;

	pthread_mutex_unlock(&p->mu);
	if (p->cfg.begin)
		p->cfg.begin(p->cfg.begin_arg, t->b->node);
	ok = script_chunk_run(t->b, &t->b->chunks[t->chunk], &f);
	pthread_mutex_lock(&p->mu);
	done = note(p, t, ok ? NULL : &f);
	if (!done)
		return;
	pthread_cond_broadcast(&p->ended);
	/* The batch may be gone as soon as the lock is. */
	pthread_mutex_unlock(&p->mu);
	if (p->cfg.done.run)
		p->cfg.done.run(p->cfg.done.arg);
	pthread_mutex_lock(&p->mu);
}

static void thread_main(void *arg)
{
	struct script_pool *p = arg;
	struct turn t;

	pthread_mutex_lock(&p->mu);
	while (!p->quit) {
		if (take(p, &t))
			run(p, &t);
		else
			pthread_cond_wait(&p->work, &p->mu);
	}
	pthread_mutex_unlock(&p->mu);
}

struct script_pool *script_pool_new(const struct script_pool_cfg *cfg)
{
	struct script_pool *p = xcalloc(1, sizeof *p);
	char name[32];

	p->cfg = *cfg;
	must(pthread_mutex_init(&p->mu, NULL) == 0);
	must(pthread_cond_init(&p->work, NULL) == 0);
	must(pthread_cond_init(&p->ended, NULL) == 0);
	p->threads = xcalloc(cfg->threads + 1, sizeof *p->threads);
	for (unsigned i = 0; i < cfg->threads; i++) {
		snprintf(name, sizeof name, "script-%u", i);
		thread_start(&p->threads[i], name, thread_main, p);
	}
	return p;
}

void script_pool_free(struct script_pool *p)
{
	if (!p)
		return;
	must(!p->first);
	pthread_mutex_lock(&p->mu);
	p->quit = true;
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->mu);
	for (unsigned i = 0; i < p->cfg.threads; i++)
		pthread_join(p->threads[i], NULL);
	pthread_cond_destroy(&p->ended);
	pthread_cond_destroy(&p->work);
	pthread_mutex_destroy(&p->mu);
	free(p->threads);
	free(p);
}

unsigned script_pool_threads(const struct script_pool *p)
{
	return p->cfg.threads;
}

void script_pool_submit(struct script_pool *p, struct script_batch *b)
{
	size_t wake =
	    b->n_chunks < p->cfg.threads ? b->n_chunks : p->cfg.threads;

	if (b->n_chunks == 0)
		return;
	pthread_mutex_lock(&p->mu);
	list_add(p, b);
	while (wake--)
		pthread_cond_signal(&p->work);
	pthread_mutex_unlock(&p->mu);
}

bool script_pool_help(struct script_pool *p)
{
	struct turn t;
	bool taken;

	pthread_mutex_lock(&p->mu);
	taken = take(p, &t);
	if (taken)
		run(p, &t);
	pthread_mutex_unlock(&p->mu);
	return taken;
}

bool script_pool_done(struct script_pool *p, const struct script_batch *b)
{
	bool done;

	pthread_mutex_lock(&p->mu);
	done = is_done(b);
	pthread_mutex_unlock(&p->mu);
	return done;
}

void script_pool_join(struct script_pool *p, const struct script_batch *b)
{
	struct turn t;

	pthread_mutex_lock(&p->mu);
	while (!is_done(b)) {
		if (take(p, &t))
			run(p, &t);
		else
			pthread_cond_wait(&p->ended, &p->mu);
	}
	pthread_mutex_unlock(&p->mu);
}

void script_pool_cancel(struct script_pool *p, struct script_batch *b)
{
	pthread_mutex_lock(&p->mu);
	skip_rest(p, b);
	while (!is_done(b))
		pthread_cond_wait(&p->ended, &p->mu);
	pthread_mutex_unlock(&p->mu);
}
