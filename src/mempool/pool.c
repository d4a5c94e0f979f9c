/*
 * The pool's entries and how they are found: by txid, by wtxid, by what they
 * spend, by age; what all of it takes of memory. Puts entries in and takes them
 * out, and keeps them linked with their relatives. Judges nothing. Chain
 * thread.
 */
#include "inner.h"

#include <cairn/base/buf.h>
#include <cairn/base/mem.h>
#include <cairn/base/must.h>

#include <stdlib.h>
#include <string.h>

static bool older(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->tx.time_s != y->tx.time_s)
		return x->tx.time_s < y->tx.time_s;
	return memcmp(x->tx.txid.b, y->tx.txid.b, 32) < 0;
}

static void age_moved(void *item, size_t at)
{
	((struct entry *)item)->by_age = at;
}

static size_t age_place(const void *item)
{
	return ((const struct entry *)item)->by_age;
}

static const struct heap_kind heap_of_age = {older, age_moved, age_place};

struct mempool *mempool_new(const struct mempool_cfg *cfg,
			    const struct mempool_ops *ops, void *arg)
{
	struct mempool *m = xcalloc(1, sizeof *m);

	m->cfg = *cfg;
	m->ops = *ops;
	m->arg = arg;
	m->ix = xcalloc(1, sizeof *m->ix);
	table_init(&m->ix->txids, sizeof(struct hash256));
	table_init(&m->ix->wtxids, sizeof(struct hash256));
	table_init(&m->ix->spends, OUTPOINT_SIZE);
	table_init(&m->ix->deltas, sizeof(struct hash256));
	heap_init(&m->ix->worst, &heap_of_worst);
	heap_init(&m->ix->best, &heap_of_best);
	heap_init(&m->ix->by_age, &heap_of_age);
	m->ix->sequence = 1;
	return m;
}

void entry_free(struct entry *e)
{
	buf_unref(e->tx.buf);
	free(e);
}

static void release_all(struct pool_index *ix)
{
	struct delta *d;
	size_t i;

	for (i = 0; i < ix->by_age.n; i++)
		entry_free(ix->by_age.v[i]);
	for (i = 0; i < ix->worst.n; i++) {
		struct cluster *c = ix->worst.v[i];

		free(c->chunks);
		free(c);
	}
	i = 0;
	while ((d = table_next(&ix->deltas, &i)))
		free(d);
}

void mempool_free(struct mempool *m)
{
	if (!m)
		return;
	release_all(m->ix);
	table_fini(&m->ix->txids);
	table_fini(&m->ix->wtxids);
	table_fini(&m->ix->spends);
	table_fini(&m->ix->deltas);
	heap_fini(&m->ix->worst);
	heap_fini(&m->ix->best);
	heap_fini(&m->ix->by_age);
	free(m->ix->walk);
	free(m->ix);
	free(m);
}

void walk_drop(struct mempool *m)
{
	free(m->ix->walk);
	m->ix->walk = NULL;
}

int64_t pool_usage(const struct mempool *m)
{
	const struct pool_index *ix = m->ix;
	const struct table *tables[] = {&ix->txids, &ix->wtxids, &ix->spends,
					&ix->deltas};
	const struct heap *heaps[] = {&ix->worst, &ix->best, &ix->by_age};
	size_t n = ix->held;

	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		n += mem_cost(table_memory(tables[i]));
	for (size_t i = 0; i < sizeof heaps / sizeof *heaps; i++)
		n += mem_cost(heap_memory(heaps[i]));
	n += ix->deltas.n * mem_cost(sizeof(struct delta));
	n += ix->walk ? mem_cost(ix->by_age.n * sizeof(*ix->walk)) : 0;
	return (int64_t)n;
}

static size_t entry_cost(const struct entry *e)
{
	return mem_cost(sizeof *e) +
	       mem_cost(sizeof *e->tx.buf + BUF_HEADROOM + e->tx.buf->cap);
}

struct entry *entry_new(struct mempool *m, const struct mempool_tx *t)
{
	struct entry *e = xmalloc(sizeof *e);

	*e = (struct entry){.tx = *t};
	buf_ref(t->buf);
	e->tx.weight = policy_weight(tx_weight(&t->view), t->sigops,
				     m->cfg.policy.bytes_per_sigop);
	e->tx.delta = pool_delta(m, &t->txid);
	return e;
}

void entry_enter(struct mempool *m, struct entry *e)
{
	struct pool_index *ix = m->ix;
	struct txin_view in;
	struct tx_iter it;

	walk_drop(m);
	table_put(&ix->txids, &e->tx.txid, e);
	table_put(&ix->wtxids, &e->tx.wtxid, e);
	txins(&it, &e->tx.view);
	while (txin_next(&it, &in))
		table_put(&ix->spends, in.prevout, e);
	heap_put(&ix->by_age, e);
	ix->held += entry_cost(e);
	ix->vsize += e->tx.vsize;
	ix->fee += e->tx.fee;
	ix->unbroadcast += e->tx.unbroadcast;
}

/* Out of all that entry_enter put it into, and freed. */
static void leave(struct mempool *m, struct entry *e)
{
	struct pool_index *ix = m->ix;
	struct txin_view in;
	struct tx_iter it;

	walk_drop(m);
	table_del(&ix->txids, &e->tx.txid);
	table_del(&ix->wtxids, &e->tx.wtxid);
	txins(&it, &e->tx.view);
	while (txin_next(&it, &in))
		table_del(&ix->spends, in.prevout);
	heap_del(&ix->by_age, e);
	ix->held -= entry_cost(e);
	ix->vsize -= e->tx.vsize;
	ix->fee -= e->tx.fee;
	ix->unbroadcast -= e->tx.unbroadcast;
	ix->sequence++;
	entry_free(e);
}

void sweep_add(struct sweep *s, struct cluster *c, uint64_t set)
{
	if (!c->leaving && set) {
		arr_grow(&s->c, &s->cap, s->n + 1, sizeof(*s->c));
		s->c[s->n++] = c;
	}
	c->leaving |= set;
}

void sweep_entry(struct sweep *s, const struct entry *e)
{
	sweep_add(s, e->cluster,
		  e->cluster->descendants[e->slot] | slot_bit(e->slot));
}

/* Those of one cluster: told of and unlinked while all are whole. */
static void sweep_cluster(struct mempool *m, struct cluster *c,
			  enum mempool_reason why)
{
	uint64_t set = c->leaving;

	c->leaving = 0;
	cluster_unlist(m, c);
	for (uint32_t i = c->n; i-- > 0;) {
		if (!(set & slot_bit(i)))
			continue;
		if (m->ops.removed)
			m->ops.removed(m->arg, &c->tx[i]->tx, why);
		leave(m, c->tx[i]);
	}
	cluster_split(m, c, c->used & ~set);
}

void sweep_run(struct sweep *s, struct mempool *m, enum mempool_reason why)
{
	for (size_t i = 0; i < s->n; i++)
		sweep_cluster(m, s->c[i], why);
	free(s->c);
	*s = (struct sweep){.n = 0};
}

void pool_remove(struct mempool *m, struct entry *e, enum mempool_reason why)
{
	pool_remove_all(m, &e, 1, why);
}

void pool_remove_all(struct mempool *m, struct entry *const *e, size_t n,
		     enum mempool_reason why)
{
	struct sweep s = {.n = 0};

	for (size_t i = 0; i < n; i++)
		sweep_entry(&s, e[i]);
	sweep_run(&s, m, why);
}
