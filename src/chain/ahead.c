/*
 * The queue of blocks whose scripts are under way: see ahead.h. Chain thread.
 * Verifying is the pool's (script_pool.c), judging coins is connect.c's, and
 * which block comes next is decided in reorg.c.
 */
#include "ahead.h"

#include "internal.h"
#include "script_pool.h"

#include <cairn/base/buf.h>
#include <cairn/base/err.h>
#include <cairn/base/mem.h>
#include <cairn/base/must.h>
#include <cairn/chain/undo.h>

#include <stdlib.h>

struct ahead_block {
	struct ahead_block *next, *prev;
	struct hnode *node;
	struct body body;
	struct undo_writer undo;
	struct buf *filter;           /* NULL: the index is not that far */
	struct script_batch *scripts; /* NULL: passed over */
	struct worklist answers;      /* jobs that wait for it */
	size_t bytes;
};

static struct slice undo_of(const struct ahead_block *a)
{
	return slice_of(a->undo.p, a->undo.n);
}

struct hnode *ahead_base(const struct chain *c)
{
	return c->ahead.first ? hnode_mut(c->ahead.first->node->prev) : c->here;
}

bool ahead_full(const struct chain *c)
{
	return c->ahead.n >= AHEAD_BLOCKS || c->ahead.bytes >= AHEAD_BYTES;
}

static void push(struct chain *c, struct ahead_block *a)
{
	struct ahead *q = &c->ahead;

	a->prev = q->last;
	if (q->last)
		q->last->next = a;
	else
		q->first = a;
	q->last = a;
	q->n++;
	q->bytes += a->bytes;
	q->most_n = q->n > q->most_n ? q->n : q->most_n;
	q->most_bytes = q->bytes > q->most_bytes ? q->bytes : q->most_bytes;
}

static struct ahead_block *pop(struct chain *c)
{
	struct ahead *q = &c->ahead;
	struct ahead_block *a = q->first;

	q->first = a->next;
	if (q->first)
		q->first->prev = NULL;
	else
		q->last = NULL;
	q->n--;
	q->bytes -= a->bytes;
	return a;
}

static void answer_all(struct chain *c, struct worklist *l)
{
	struct work *w;

	while ((w = worklist_pop(l)))
		block_answer(c, (struct block_work *)w);
}

static void block_free(struct ahead_block *a)
{
	script_batch_free(a->scripts);
	undo_writer_fini(&a->undo);
	buf_unref(a->filter);
	body_fini(&a->body);
	free(a);
}

/* Give all up, oldest first; their answers go out, their blocks are stored. */
static void drop_all(struct chain *c)
{
	while (c->ahead.first) {
		struct ahead_block *a = pop(c);

		if (a->scripts)
			script_pool_cancel(c->scripts, a->scripts);
		answer_all(c, &a->answers);
		block_free(a);
	}
}

/* Coins as they are below the queue. False after chain_fatal. */
static bool take_back(struct chain *c)
{
	struct ahead_block *a;
	int rc = 0;

	/* Nobody shall go on with what is of no use any more. */
	for (a = c->ahead.first; a; a = a->next)
		if (a->scripts)
			script_pool_cancel(c->scripts, a->scripts);
	for (a = c->ahead.last; a && rc == 0; a = a->prev) {
		rc = connect_take_back(c, &a->body.view, undo_of(a));
		if (rc == 0)
			c->here = hnode_mut(a->node->prev);
	}
	if (rc)
		chain_fatal(c, rc, "a block could not be taken back");
	return rc == 0;
}

/* The oldest block's scripts do not hold. */
static void refuse_oldest(struct chain *c, struct verdict v)
{
	struct ahead_block *bad = c->ahead.first;

	if (take_back(c)) {
		v = connect_first_fault(c, bad->node, &bad->body.view, v);
		if (v.kind == V_INVALID)
			found_invalid(c, bad->node, &v);
		else
			chain_fatal(c, v.rc, "a block could not be connected");
		candidates_rebuild(c);
	}
	drop_all(c);
}

/* What of a connected block leaves the chain thread. */
static int keep(struct chain *c, struct ahead_block *a)
{
	int rc = undo_store(c, a->node, undo_of(a));

	if (rc == 0 && a->filter)
		rc = filters_connected(c, a->node, a->filter);
	if (rc)
		return rc;
	hnode_set(a->node, HN_CONNECTED);
	index_dirty(c, a->node);
	pending_drop(c, a->node);
	return 0;
}

static void keep_oldest(struct chain *c)
{
	struct ahead_block *a = pop(c);
	int rc = keep(c, a);

	if (rc)
		chain_fatal(c, rc, "a block could not be connected");
	else
		block_connected(c, a->node, &a->body);
	answer_all(c, &a->answers);
	block_free(a);
	if (c->fatal_rc)
		drop_all(c);
}

/* The oldest block's scripts are done with. After chain_fatal the coins may be
 * anything: nothing is published any more. */
static void retire(struct chain *c)
{
	const struct ahead_block *a = c->ahead.first;
	struct verdict v;

	if (c->fatal_rc) {
		drop_all(c);
		return;
	}
	v = scripts_end(c, a->node, &a->body.view, a->scripts);
	if (verdict_ok(&v))
		keep_oldest(c);
	else
		refuse_oldest(c, v);
}

static bool is_done(struct chain *c, const struct ahead_block *a)
{
	return !a->scripts || script_pool_done(c->scripts, a->scripts);
}

void ahead_poll(struct chain *c)
{
	while (c->ahead.first && (c->fatal_rc || is_done(c, c->ahead.first)))
		retire(c);
}

void ahead_wait(struct chain *c)
{
	const struct ahead_block *a = c->ahead.first;

	if (!a)
		return;
	if (a->scripts && !c->fatal_rc)
		script_pool_join(c->scripts, a->scripts);
	retire(c);
}

void ahead_drain(struct chain *c)
{
	while (c->ahead.first)
		ahead_wait(c);
}

bool ahead_help(struct chain *c)
{
	return c->ahead.first && script_pool_help(c->scripts);
}

void ahead_answer(struct chain *c, struct block_work *bw)
{
	if (c->ahead.last)
		worklist_add(&c->ahead.last->answers, &bw->w);
	else
		block_answer(c, bw);
}

void ahead_stop(struct chain *c)
{
	ahead_poll(c);
	if (!c->fatal_rc)
		take_back(c);
	drop_all(c);
}

/* Filters are made in order only. */
static bool wants_filter(const struct chain *c, const struct hnode *n)
{
	return c->ahead.last ? c->ahead.last->filter != NULL
			     : filters_wants(c, n);
}

static size_t coins_bytes(const struct chain *c)
{
	struct coinview_stats s;

	coinview_stats(c->coins, &s);
	return s.bytes;
}

static size_t held_bytes(const struct ahead_block *a)
{
	const struct block_view *v = &a->body.view;
	size_t n = a->body.buf->n + a->undo.cap;

	n += (size_t)v->n_tx * (sizeof *v->tx + 2 * sizeof *v->txid);
	n += a->filter ? a->filter->n : 0;
	return n + (a->scripts ? script_batch_bytes(a->scripts) : 0);
}

/* Coins and scripts of a block whose body is there. */
static struct verdict apply(struct chain *c, struct ahead_block *a)
{
	size_t before = coins_bytes(c), after;
	struct verdict v =
	    connect_block(c, a->node, &a->body.view, &a->undo,
			  wants_filter(c, a->node) ? &a->filter : NULL);
	int rc;

	if (!verdict_ok(&v))
		return v;
	rc = scripts_begin(c, &a->scripts, a->node, &a->body.view, undo_of(a));
	if (rc)
		return verdict_unknown(rc);
	after = coins_bytes(c);
	a->bytes = held_bytes(a) + (after > before ? after - before : 0);
	return v;
}

/* Its coins are back; the blocks below it speak first. */
static void refuse_new(struct chain *c, struct hnode *n,
		       const struct verdict *v)
{
	ahead_drain(c);
	if (!c->fatal_rc && c->here == n->prev)
		found_invalid(c, n, v);
}

static struct ahead_block *block_new(struct hnode *n)
{
	struct ahead_block *a = xcalloc(1, sizeof *a);

	a->node = n;
	undo_writer_init(&a->undo);
	return a;
}

bool ahead_connect(struct chain *c, struct hnode *n)
{
	struct ahead_block *a = block_new(n);
	struct verdict v;
	int rc = body_get(c, &a->body, n);

	if (rc) {
		chain_fatal(c, rc, "a stored block could not be read");
		block_free(a);
		return false;
	}
	v = apply(c, a);
	if (verdict_ok(&v)) {
		push(c, a);
		c->here = n;
		return true;
	}
	if (v.kind == V_INVALID)
		refuse_new(c, n, &v);
	else
		chain_fatal(c, v.rc, "a block could not be connected");
	block_free(a);
	return false;
}
