/* The gate: see its header. */
#include "gate.h"

#include "suites.h"

#include <cairn/chain/htree.h>

#include <stdbool.h>
#include <string.h>
#include <time.h>

#define DEADLINE_S 60

void gate_init(struct gate *g)
{
	memset(g, 0, sizeof *g);
	pthread_mutex_init(&g->mu, NULL);
	pthread_cond_init(&g->cond, NULL);
	g->from = INT32_MAX;
}

void gate_fini(struct gate *g)
{
	pthread_cond_destroy(&g->cond);
	pthread_mutex_destroy(&g->mu);
}

static void set_from(struct gate *g, int32_t from)
{
	pthread_mutex_lock(&g->mu);
	g->from = from;
	pthread_cond_broadcast(&g->cond);
	pthread_mutex_unlock(&g->mu);
}

void gate_close(struct gate *g, int32_t from)
{
	set_from(g, from);
}

void gate_open(struct gate *g)
{
	set_from(g, INT32_MAX);
}

static bool is_pool_thread(void)
{
	char name[16];

	pthread_getname_np(pthread_self(), name, sizeof name);
	return strncmp(name, "script-", 7) == 0;
}

void gate_pass(struct gate *g, const struct hnode *n)
{
	bool pool = is_pool_thread();

	pthread_mutex_lock(&g->mu);
	if (n->height < GATE_HEIGHTS)
		g->begun[n->height]++;
	if (n->height > g->highest)
		g->highest = n->height;
	g->held += pool;
	pthread_cond_broadcast(&g->cond);
	while (n->height >= g->from && (pool || g->held == 0))
		pthread_cond_wait(&g->cond, &g->mu);
	g->held -= pool;
	pthread_mutex_unlock(&g->mu);
}

static struct timespec deadline(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += DEADLINE_S;
	return t;
}

void gate_until(struct gate *g, int32_t height)
{
	struct timespec t = deadline();
	int rc = 0;

	pthread_mutex_lock(&g->mu);
	while (rc == 0 && g->highest < height)
		rc = pthread_cond_timedwait(&g->cond, &g->mu, &t);
	pthread_mutex_unlock(&g->mu);
	ck_assert_msg(rc == 0, "no scripts at height %d begun", (int)height);
}

void gate_until_held(struct gate *g, unsigned n)
{
	struct timespec t = deadline();
	int rc = 0;

	pthread_mutex_lock(&g->mu);
	while (rc == 0 && g->held < n)
		rc = pthread_cond_timedwait(&g->cond, &g->mu, &t);
	pthread_mutex_unlock(&g->mu);
	ck_assert_msg(rc == 0, "%u threads are not held", n);
}

unsigned gate_held(struct gate *g)
{
	unsigned n;

	pthread_mutex_lock(&g->mu);
	n = g->held;
	pthread_mutex_unlock(&g->mu);
	return n;
}

unsigned gate_begun(struct gate *g, int32_t height)
{
	unsigned n;

	pthread_mutex_lock(&g->mu);
	n = g->begun[height];
	pthread_mutex_unlock(&g->mu);
	return n;
}
