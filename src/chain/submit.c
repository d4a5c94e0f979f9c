/*
 * Blocks come in and answers go out on the loop. Two submissions of one block
 * are not in the pipeline at once: the second waits for the first one's answer,
 * so a bad copy cannot stand in for a good one and nothing is stored twice.
 * Decides nothing about blocks.
 */
#include "internal.h"

#include <cairn/base/buf.h>
#include <cairn/base/endian.h>
#include <cairn/base/err.h>
#include <cairn/base/mem.h>
#include <cairn/base/must.h>

#include <stdlib.h>

void chain_stamp_record(struct buf *b, const struct params *p)
{
	uint8_t *head = buf_data(b) - 8;

	memcpy(head, p->magic, 4);
	le32_put(head + 4, (uint32_t)b->n);
}

void block_work_free(struct block_work *bw)
{
	block_view_fini(&bw->view);
	buf_unref(bw->job.buf);
	free(bw);
}

static void start(struct chain *c, struct block_work *bw)
{
	struct worklist one = {&bw->w, &bw->w};

	bw->ticket = c->next_ticket++;
	if (workq_put(&c->prepare, LANE_BLOCK, &one))
		return;
	/* The ticket is not missed: the writer is going down too. */
	bw->outcome = BLOCK_REFUSED;
	bw->verdict = verdict_unknown(E_STOPPING);
	outbox_answer_later(c, bw);
}

void chain_submit_block(struct chain *c, struct block_job *take)
{
	struct block_work *bw = xcalloc(1, sizeof *bw), *first;

	bw->job = *take;
	take->buf = NULL;
	bw->w.weight = bw->job.buf->n;
	__atomic_fetch_add(&c->backlog_blocks, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&c->backlog_bytes, bw->w.weight, __ATOMIC_RELAXED);
	first = hmap_get(&c->inflight, &bw->job.node->hash);
	if (first) {
		while (first->twin)
			first = first->twin;
		first->twin = bw;
		return;
	}
	hmap_put(&c->inflight, &bw->job.node->hash, bw);
	start(c, bw);
}

static void tell(struct block_work *bw)
{
	struct block_result r = {.node = bw->job.node,
				 .verdict = bw->verdict,
				 .outcome = bw->outcome,
				 .peer = bw->job.peer,
				 .requested = bw->job.requested};

	if (bw->job.done)
		bw->job.done(bw->job.arg, &r);
}

void submit_answered(struct chain *c, struct block_work *bw)
{
	struct block_work *twin = bw->twin;

	must(hmap_del(&c->inflight, &bw->job.node->hash) == bw);
	__atomic_fetch_sub(&c->backlog_blocks, 1, __ATOMIC_RELAXED);
	__atomic_fetch_sub(&c->backlog_bytes, bw->w.weight, __ATOMIC_RELAXED);
	if (twin) {
		hmap_put(&c->inflight, &twin->job.node->hash, twin);
		start(c, twin);
	}
	tell(bw);
	block_work_free(bw);
}

void chain_backlog(struct chain *c, size_t *blocks, size_t *bytes)
{
	*blocks = __atomic_load_n(&c->backlog_blocks, __ATOMIC_RELAXED);
	*bytes = __atomic_load_n(&c->backlog_bytes, __ATOMIC_RELAXED);
}
