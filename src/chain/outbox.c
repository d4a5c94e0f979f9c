/*
 * From the chain thread to the loop: events and answers, in order. They are
 * gathered for a moment and put together, and the loop is woken only when it is
 * not already on its way, so that a thousand small blocks cost few wake-ups.
 * Does not wait for the loop: when bodies pile up, events go without them.
 */
#include "internal.h"

#include <cairn/base/buf.h>
#include <cairn/base/clock.h>
#include <cairn/base/mem.h>
#include <cairn/base/must.h>

#include <stdlib.h>
#include <string.h>

#define GATHER_MAX 64
#define GATHER_NS  300000
#define BODIES_MAX                                                             \
	(64u << 20) /* bytes in events that the loop has not seen              \
		     */

struct out {
	struct out *next;
	struct block_work *answer; /* or NULL: an event */
	struct chain_event event;
};

void outbox_init(struct outbox *o)
{
	memset(o, 0, sizeof *o);
	must(pthread_mutex_init(&o->mu, NULL) == 0);
}

void outbox_fini(struct outbox *o)
{
	must(!o->first && !o->mine_first);
	pthread_mutex_destroy(&o->mu);
}

static void deliver(struct chain *c, struct out *out)
{
	struct block_work *bw = out->answer;
	struct buf *body = out->event.buf;

	if (bw) {
		submit_answered(c, bw);
	} else {
		c->ops.on_event(c->ops_arg, &out->event);
		if (body) {
			__atomic_fetch_sub(&c->out.bytes, body->n,
					   __ATOMIC_RELAXED);
			buf_unref(body);
		}
	}
	free(out);
}

/* The loop's task: everything that is there, also what came meanwhile. */
static void outbox_run(void *arg)
{
	struct chain *c = arg;
	struct outbox *o = &c->out;
	struct out *first, *next;

	pthread_mutex_lock(&o->mu);
	first = o->first;
	o->first = o->last = NULL;
	o->posted = false;
	pthread_mutex_unlock(&o->mu);
	for (; first; first = next) {
		next = first->next;
		deliver(c, first);
	}
}

static void put(struct chain *c, struct out *first, struct out *last)
{
	struct outbox *o = &c->out;
	bool wake;

	pthread_mutex_lock(&o->mu);
	if (o->last)
		o->last->next = first;
	else
		o->first = first;
	o->last = last;
	wake = !o->posted;
	o->posted = true;
	pthread_mutex_unlock(&o->mu);
	if (wake)
		c->ops.post(c->ops_arg, (struct task){outbox_run, c});
}

void outbox_flush(struct chain *c)
{
	struct outbox *o = &c->out;
	struct out *first = o->mine_first, *last = o->mine_last;

	if (!first)
		return;
	o->mine_first = o->mine_last = NULL;
	o->mine_n = 0;
	put(c, first, last);
}

void outbox_tick(struct chain *c)
{
	struct outbox *o = &c->out;

	if (o->mine_n >= GATHER_MAX ||
	    (o->mine_n && mono_ns() - o->mine_since > GATHER_NS))
		outbox_flush(c);
}

static void gather(struct chain *c, struct out *out)
{
	struct outbox *o = &c->out;

	if (o->mine_last)
		o->mine_last->next = out;
	else
		o->mine_first = out;
	o->mine_last = out;
	if (o->mine_n++ == 0)
		o->mine_since = mono_ns();
	/* A task answers by itself, and not before its events. */
	if (c->in_task)
		outbox_flush(c);
	else
		outbox_tick(c);
}

void outbox_event(struct chain *c, const struct chain_event *e)
{
	struct out *out = xcalloc(1, sizeof *out);
	size_t held = __atomic_load_n(&c->out.bytes, __ATOMIC_RELAXED);

	out->event = *e;
	if (e->buf && held > BODIES_MAX)
		out->event.buf = NULL;
	if (out->event.buf) {
		buf_ref(e->buf);
		__atomic_fetch_add(&c->out.bytes, e->buf->n, __ATOMIC_RELAXED);
	}
	gather(c, out);
}

void outbox_answer(struct chain *c, struct block_work *bw)
{
	struct out *out = xcalloc(1, sizeof *out);

	out->answer = bw;
	gather(c, out);
}

void outbox_answer_later(struct chain *c, struct block_work *bw)
{
	struct out *out = xcalloc(1, sizeof *out);

	out->answer = bw;
	put(c, out, out);
}
