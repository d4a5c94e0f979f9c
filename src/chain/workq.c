/*
 * The two-lane work queue. The lock is held for a few instructions only; lists
 * are moved whole, so a taker that lags behind pays once for many items. Bounds
 * nothing: who submits blocks asks chain_backlog first.
 */
#include "workq.h"

#include <cairn/base/must.h>

#include <string.h>
#include <time.h>

#define NS_PER_S 1000000000u

void worklist_add(struct worklist *l, struct work *w)
{
	w->next = NULL;
	if (l->last)
		l->last->next = w;
	else
		l->first = w;
	l->last = w;
}

void worklist_join(struct worklist *l, struct worklist *from)
{
	if (!from->first)
		return;
	if (l->last)
		l->last->next = from->first;
	else
		l->first = from->first;
	l->last = from->last;
	from->first = from->last = NULL;
}

struct work *worklist_pop(struct worklist *l)
{
	struct work *w = l->first;

	if (!w)
		return NULL;
	l->first = w->next;
	if (!l->first)
		l->last = NULL;
	w->next = NULL;
	return w;
}

void workq_init(struct workq *q)
{
	pthread_condattr_t attr;

	memset(q, 0, sizeof *q);
	must(pthread_mutex_init(&q->mu, NULL) == 0);
	must(pthread_condattr_init(&attr) == 0);
	must(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0);
	must(pthread_cond_init(&q->cond, &attr) == 0);
	pthread_condattr_destroy(&attr);
}

void workq_fini(struct workq *q)
{
	must(!q->lane[LANE_CONTROL].first && !q->lane[LANE_BLOCK].first);
	pthread_cond_destroy(&q->cond);
	pthread_mutex_destroy(&q->mu);
}

bool workq_put(struct workq *q, enum work_lane lane, struct worklist *l)
{
	bool open;

	if (!l->first)
		return true;
	pthread_mutex_lock(&q->mu);
	open = !q->closed;
	if (open) {
		worklist_join(&q->lane[lane], l);
		pthread_cond_signal(&q->cond);
	}
	pthread_mutex_unlock(&q->mu);
	return open;
}

void workq_wake(struct workq *q)
{
	pthread_mutex_lock(&q->mu);
	q->woken = true;
	pthread_cond_signal(&q->cond);
	pthread_mutex_unlock(&q->mu);
}

static bool is_empty(const struct workq *q)
{
	return !q->lane[LANE_CONTROL].first && !q->lane[LANE_BLOCK].first;
}

static struct timespec deadline_in(uint64_t ns)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	ns += (uint64_t)t.tv_nsec;
	t.tv_sec += (time_t)(ns / NS_PER_S);
	t.tv_nsec = (long)(ns % NS_PER_S);
	return t;
}

bool workq_take(struct workq *q, struct worklist lane[LANES], uint64_t wait_ns)
{
	struct timespec until;
	bool timed = wait_ns != WORKQ_FOREVER, more;
	int rc = 0;

	if (timed && wait_ns)
		until = deadline_in(wait_ns);
	pthread_mutex_lock(&q->mu);
	while (wait_ns && rc == 0 && is_empty(q) && !q->closed && !q->woken)
		rc = timed ? pthread_cond_timedwait(&q->cond, &q->mu, &until)
			   : pthread_cond_wait(&q->cond, &q->mu);
	more = !q->closed || !is_empty(q);
	q->woken = false;
	worklist_join(&lane[LANE_CONTROL], &q->lane[LANE_CONTROL]);
	worklist_join(&lane[LANE_BLOCK], &q->lane[LANE_BLOCK]);
	pthread_mutex_unlock(&q->mu);
	return more;
}

bool workq_take_some(struct workq *q, struct worklist *l, size_t max_n,
		     size_t max_weight)
{
	struct worklist *from = &q->lane[LANE_BLOCK];
	size_t n = 0, weight = 0;

	pthread_mutex_lock(&q->mu);
	while (!from->first && !q->closed)
		pthread_cond_wait(&q->cond, &q->mu);
	while (from->first && n < max_n && (n == 0 || weight < max_weight)) {
		weight += from->first->weight;
		worklist_add(l, worklist_pop(from));
		n++;
	}
	/* A put of many wakes one taker; it passes the rest on. */
	if (from->first)
		pthread_cond_signal(&q->cond);
	pthread_mutex_unlock(&q->mu);
	return n > 0;
}

void workq_close(struct workq *q)
{
	pthread_mutex_lock(&q->mu);
	q->closed = true;
	pthread_cond_broadcast(&q->cond);
	pthread_mutex_unlock(&q->mu);
}
