/*
 * The pool's bounds: in bytes of memory and in age. When it is full the worst
 * chunk of all leaves, and what comes from then on is asked for more than that
 * chunk paid; once a block came this falls by half in a time that is shorter
 * the emptier the pool is. Chain thread.
 */
#include "inner.h"

#include <math.h>

#define HALF_LIFE_S (12 * 60 * 60)
#define UPDATE_S    10 /* not more often */

static double half_life(const struct mempool *m)
{
	int64_t usage = pool_usage(m);

	if (usage < m->cfg.max_bytes / 4)
		return HALF_LIFE_S / 4;
	if (usage < m->cfg.max_bytes / 2)
		return HALF_LIFE_S / 2;
	return HALF_LIFE_S;
}

static void fall(const struct mempool *m, int64_t now_s)
{
	struct pool_index *ix = m->ix;
	double s = (double)(now_s - ix->min_rate_s);

	if (!ix->block_since || now_s <= ix->min_rate_s + UPDATE_S)
		return;
	ix->min_rate *= exp2(-s / half_life(m));
	ix->min_rate_s = now_s;
	if (ix->min_rate < (double)m->cfg.policy.incremental_rate / 2)
		ix->min_rate = 0;
}

int64_t pool_full_rate(const struct mempool *m, int64_t now_s)
{
	const struct policy *p = &m->cfg.policy;
	int64_t rate = 0;

	if (m->ix->min_rate > 0)
		fall(m, now_s);
	if (m->ix->min_rate > 0) {
		rate = (int64_t)llround(m->ix->min_rate);
		if (m->ix->block_since && rate < p->incremental_rate)
			rate = p->incremental_rate;
	}
	return rate;
}

int64_t pool_min_rate(const struct mempool *m, int64_t now_s)
{
	int64_t rate = pool_full_rate(m, now_s);
	int64_t relay = m->cfg.policy.min_relay_rate;

	return rate > relay ? rate : relay;
}

/* What paid so little is not wanted again at once: a little more is asked. */
static void rise(struct mempool *m, const struct lin_chunk *gone)
{
	int64_t rate = rate_of(gone->fee, weight_vsize(gone->size)) +
		       m->cfg.policy.incremental_rate;

	if ((double)rate <= m->ix->min_rate)
		return;
	m->ix->min_rate = (double)rate;
	m->ix->block_since = false;
}

void pool_make_room(struct mempool *m, int64_t now_s)
{
	struct cluster *c;

	(void)now_s;
	while ((c = heap_top(&m->ix->worst)) &&
	       pool_usage(m) > m->cfg.max_bytes) {
		struct lin_chunk worst = *cluster_worst(c);
		struct sweep s = {.n = 0};

		rise(m, &worst);
		sweep_add(&s, c, c->used & ~slots_below(c->n - worst.n));
		sweep_run(&s, m, MEMPOOL_SIZELIMIT);
	}
}

void mempool_expire(struct mempool *m, int64_t now_s)
{
	int64_t limit = now_s - m->cfg.expiry_s;
	struct entry *e;

	while ((e = heap_top(&m->ix->by_age)) && e->tx.time_s < limit)
		pool_remove(m, e, MEMPOOL_EXPIRY);
	pool_make_room(m, now_s);
}
