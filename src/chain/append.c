/*
 * The block writer: puts prepared blocks back into the order of their
 * submission, appends the accepted ones to the blk files, save those that lie
 * there already, and passes all of them on to the chain thread. Also the only
 * thread that commits to the block index (commit.c), because it alone knows
 * what has been appended. After a failed write nothing more is appended: the
 * node is about to stop.
 */
#include "internal.h"

#include <cairn/base/buf.h>
#include <cairn/base/err.h>
#include <cairn/base/mem.h>

#include <stdlib.h>

#define RING_FIRST 64
/* The chain thread need not wait for the rest of a long list. */
#define PASS_BLOCKS 16
#define PASS_BYTES  (512u << 10)

struct passing {
	struct worklist list;
	size_t n, bytes;
};

static void pass_on(struct chain *c, struct passing *p)
{
	/* The chain thread closes its queue only after ours is empty. */
	workq_put(&c->q, LANE_BLOCK, &p->list);
	p->n = 0;
	p->bytes = 0;
}

static void append(struct chain *c, struct block_work *bw)
{
	int rc = __atomic_load_n(&c->io_rc, __ATOMIC_ACQUIRE);

	if (!bw->accepted)
		return;
	if (rc == 0 && chain_stopping(c))
		rc = E_STOPPING;
	if (rc == 0 && bw->job.on_disk) {
		bw->pos = (struct blockfile_pos){bw->job.file, bw->job.off,
						 (uint32_t)bw->job.buf->n};
	} else if (rc == 0) {
		rc = blockfile_append(c->blk, &bw->pos, bw->job.buf);
		if (rc)
			__atomic_store_n(&c->io_rc, rc, __ATOMIC_RELEASE);
	}
	if (rc) {
		bw->accepted = false;
		bw->outcome = BLOCK_REFUSED;
		bw->verdict = verdict_unknown(rc);
	}
}

/* Make room for a ticket that is `ahead` of the one we wait for. */
static void ring_grow(struct chain *c, uint64_t ahead)
{
	size_t cap = c->ring_cap ? c->ring_cap : RING_FIRST, i;
	struct block_work **ring;

	while (cap <= ahead)
		cap *= 2;
	if (cap == c->ring_cap)
		return;
	ring = xcalloc(cap, sizeof(*ring));
	for (i = 0; i < c->ring_cap; i++) {
		struct block_work *bw = c->ring[i];

		if (bw)
			ring[bw->ticket & (cap - 1)] = bw;
	}
	free(c->ring);
	c->ring = ring;
	c->ring_cap = cap;
}

static void keep(struct chain *c, struct block_work *bw)
{
	/* Bounded by the backlog, which who submits keeps in bounds. */
	ring_grow(c, bw->ticket - c->append_ticket);
	c->ring[bw->ticket & (c->ring_cap - 1)] = bw;
}

/* Handle all that are in order. */
static void drain(struct chain *c, struct passing *p)
{
	struct block_work **slot;

	for (;;) {
		slot = &c->ring[c->append_ticket & (c->ring_cap - 1)];
		if (!*slot)
			return;
		append(c, *slot);
		worklist_add(&p->list, &(*slot)->w);
		p->n++;
		p->bytes += (*slot)->w.weight;
		*slot = NULL;
		c->append_ticket++;
		if (p->n >= PASS_BLOCKS || p->bytes >= PASS_BYTES)
			pass_on(c, p);
	}
}

void append_main(void *arg)
{
	struct chain *c = arg;
	struct worklist in[LANES] = {{NULL, NULL}, {NULL, NULL}};
	struct passing p = {{NULL, NULL}, 0, 0};
	struct work *w;

	while (workq_take(&c->append, in, WORKQ_FOREVER)) {
		while ((w = worklist_pop(&in[LANE_BLOCK]))) {
			keep(c, (struct block_work *)w);
			drain(c, &p);
		}
		pass_on(c, &p);
		/* After the blocks: a commit is also the proof that what was
		 * queued before it has been passed on. */
		while ((w = worklist_pop(&in[LANE_CONTROL])))
			index_commit_run(c, w);
	}
}
