/*
 * Blocks that are stored and not connected: who sent them, which of them wait
 * for a parent's data, and, as far as a bound of bytes allows, their bodies, so
 * that they need not be read back. Chain thread. Knows nothing of work or
 * rules.
 */
#include "internal.h"

#include <cairn/base/buf.h>
#include <cairn/base/mem.h>

#include <stdlib.h>

#define BODIES_MAX (64u << 20)
/* Blocks of side branches stay here until they win, so their number is bounded
 * by work only. Beyond this a sender is forgotten: it goes unpunished. */
#define SENDERS_MAX 100000

void pendings_init(struct pendings *p)
{
	hmap_init(&p->by_hash);
	hmap_init(&p->by_parent);
	p->bytes = 0;
}

static void drop_body(struct pendings *ps, struct pending *p)
{
	if (!p->buf)
		return;
	block_view_fini(&p->view);
	buf_unref(p->buf);
	p->buf = NULL;
	ps->bytes -= p->bytes;
	p->bytes = 0;
}

void pendings_fini(struct pendings *ps)
{
	struct pending *p;
	size_t i = 0;

	while ((p = hmap_next(&ps->by_hash, &i))) {
		drop_body(ps, p);
		free(p);
	}
	hmap_fini(&ps->by_hash);
	hmap_fini(&ps->by_parent);
}

static struct pending *entry_new(struct chain *c, struct hnode *n)
{
	struct pending *p = xcalloc(1, sizeof *p);

	p->node = n;
	p->peer = PEER_NONE;
	hmap_put(&c->pend.by_hash, &n->hash, p);
	return p;
}

/* The body that will be needed last. */
static struct pending *furthest(struct chain *c)
{
	struct pending *p, *far = NULL;
	size_t i = 0;

	while ((p = hmap_next(&c->pend.by_hash, &i)))
		if (p->buf && (!far || p->node->height > far->node->height))
			far = p;
	return far;
}

void pending_add(struct chain *c, struct block_work *bw)
{
	struct pending *p = entry_new(c, bw->job.node);

	if (c->pend.by_hash.n <= SENDERS_MAX)
		p->peer = bw->job.peer;
	p->buf = bw->job.buf;
	p->view = bw->view;
	p->bytes =
	    p->buf->n + (size_t)p->view.n_tx * (sizeof(*p->view.tx) + 64);
	bw->job.buf = NULL;
	bw->view = (struct block_view){0};
	c->pend.bytes += p->bytes;
	/* One body is always kept: it is about to be connected. */
	while (c->pend.bytes > BODIES_MAX && c->pend.bytes > p->bytes)
		drop_body(&c->pend, furthest(c));
}

void pending_load(struct chain *c, struct hnode *n)
{
	entry_new(c, n);
}

struct pending *pending_find(struct chain *c, const struct hnode *n)
{
	return hmap_get(&c->pend.by_hash, &n->hash);
}

void pending_unlink(struct chain *c, struct pending *p)
{
	const struct hash256 *parent = &p->node->prev->hash;

	p->unlinked = true;
	p->sibling = hmap_get(&c->pend.by_parent, parent);
	hmap_put(&c->pend.by_parent, parent, p);
}

struct pending *pending_take_children(struct chain *c,
				      const struct hnode *parent)
{
	struct pending *list = hmap_del(&c->pend.by_parent, &parent->hash), *p;
	struct pending *turned = NULL;

	/* Arrived last comes first in the list: turn it round. */
	while ((p = list)) {
		list = p->sibling;
		p->unlinked = false;
		p->sibling = turned;
		turned = p;
	}
	return turned;
}

uint64_t pending_drop(struct chain *c, const struct hnode *n)
{
	struct pending *p = hmap_get(&c->pend.by_hash, &n->hash);
	uint64_t peer;

	/* One that waits for its parent is still in a list. */
	if (!p || p->unlinked)
		return p ? p->peer : PEER_NONE;
	hmap_del(&c->pend.by_hash, &n->hash);
	peer = p->peer;
	drop_body(&c->pend, p);
	free(p);
	return peer;
}

void pending_forget_body(struct chain *c, struct pending *p)
{
	drop_body(&c->pend, p);
}
