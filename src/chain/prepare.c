/*
 * The workers: whatever can be said about a block without coins. Checksum,
 * parse, hashes, the rules of a block alone and in its place; then the writer
 * has it. Any number of threads; blocks leave in any order and the writer puts
 * them back into that of their tickets. Stores nothing and marks nothing.
 */
#include "internal.h"

#include <cairn/base/buf.h>
#include <cairn/base/endian.h>
#include <cairn/base/err.h>
#include <cairn/consensus/check.h>
#include <cairn/consensus/deploy.h>
#include <cairn/crypto/sha256.h>

/* A worker takes so much at once: many small blocks, or one that is large. */
#define TAKE_BLOCKS 32
#define TAKE_BYTES  (128u << 10)

static void refuse(struct block_work *bw, struct verdict v)
{
	bw->outcome = BLOCK_REFUSED;
	bw->verdict = v;
}

static bool checksum_ok(const struct block_work *bw)
{
	struct slice s = buf_payload(bw->job.buf);
	struct hash256 h;

	sha256d(&h, s.p, s.n);
	return le32_get(h.b) == bw->job.checksum;
}

/* Bytes behind the block belong to no record: copy what comes before them. */
static int trim(struct chain *c, struct block_work *bw)
{
	struct buf *b = buf_new(bw->view.size);
	size_t none;

	if (!b)
		return E_NOMEM;
	b->n = bw->view.size;
	memcpy(buf_data(b), buf_payload(bw->job.buf).p, b->n);
	chain_stamp_record(b, c->cfg.params);
	block_view_fini(&bw->view);
	buf_unref(bw->job.buf);
	bw->job.buf = b;
	/* It was the checksum of more than this. */
	bw->job.have_checksum = false;
	bw->job.check_checksum = false;
	return block_view_parse(&bw->view, &none, buf_payload(b));
}

/* False when the job is refused. */
static bool parse(struct chain *c, struct block_work *bw)
{
	size_t trailing = 0;
	uint8_t header[HEADER_SIZE];
	int rc =
	    block_view_parse(&bw->view, &trailing, buf_payload(bw->job.buf));

	if (rc == 0 && trailing)
		rc = trim(c, bw);
	if (rc) {
		refuse(bw,
		       rc == E_PARSE
			   ? verdict_invalid(INV_NONE, "block-malformed", NULL)
			   : verdict_unknown(rc));
		return false;
	}
	hnode_header_put(header, bw->job.node);
	if (memcmp(header, bw->view.header, HEADER_SIZE) != 0) {
		refuse(bw, verdict_invalid(INV_MUTATED, "bad-blk-header",
					   "not the block of this header"));
		return false;
	}
	block_hash_txs(&bw->view);
	return true;
}

/* Core's measure against floods of blocks that nobody asked for. What is ahead
 * in the pipeline counts as connected. */
static bool is_unwanted(struct chain *c, const struct hnode *n)
{
	const struct hnode *tip = chain_tip(c);
	size_t ahead = __atomic_load_n(&c->backlog_blocks, __ATOMIC_RELAXED);

	if (u256_cmp(&n->work, &tip->work) < 0)
		return true;
	if (n->height > tip->height + UNREQUESTED_AHEAD + (int32_t)ahead - 1)
		return true;
	return u256_cmp(&n->work, &c->cfg.min_work) < 0;
}

/* What is known of the block already. False when that decides. */
static bool check_place(struct chain *c, struct block_work *bw)
{
	const struct hnode *n = bw->job.node;
	bool segwit = deploy_active(c->cfg.params, DEPLOY_SEGWIT, n->height);

	if (hnode_failed(n)) {
		refuse(bw, hnode_failed_verdict(n));
	} else if (n->prev && hnode_failed(n->prev)) {
		refuse(bw, verdict_invalid(INV_PREV, "bad-prevblk", NULL));
	} else if (hnode_status(n) & HN_DATA) {
		bw->outcome = BLOCK_KNOWN;
	} else if (!bw->job.requested && is_unwanted(c, n)) {
		if (block_is_mutated(&bw->view, segwit))
			refuse(bw, verdict_invalid(INV_MUTATED, "bad-mutated",
						   NULL));
		else
			bw->outcome = BLOCK_IGNORED;
	} else {
		return true;
	}
	return false;
}

static struct verdict check_context(struct chain *c,
				    const struct block_work *bw)
{
	const struct hnode *n = bw->job.node;
	struct block_context ctx = {.height = n->height,
				    .mtp_prev = n->prev ? n->prev->mtp : 0};

	return block_check_context(&bw->view, &ctx, c->cfg.params);
}

static void prepare(struct chain *c, struct block_work *bw)
{
	struct verdict v;

	if (chain_stopping(c)) {
		refuse(bw, verdict_unknown(E_STOPPING));
		return;
	}
	if (bw->job.check_checksum && !checksum_ok(bw)) {
		refuse(bw, verdict_invalid(INV_NONE, "bad-checksum", NULL));
		return;
	}
	if (!parse(c, bw))
		return;
	v = block_check(&bw->view, c->cfg.params, false);
	if (!verdict_ok(&v)) {
		/* Never held against the header: the data may be wrong in a way
		 * that nobody has thought of yet. */
		refuse(bw, v);
		return;
	}
	if (!check_place(c, bw))
		return;
	v = check_context(c, bw);
	if (!verdict_ok(&v)) {
		refuse(bw, v);
		bw->blame = v.kind == V_INVALID && v.reason != INV_MUTATED;
		return;
	}
	bw->accepted = true;
}

void prepare_main(void *arg)
{
	struct chain *c = arg;
	struct worklist in = {NULL, NULL}, done = {NULL, NULL};
	struct work *w;

	while (workq_take_some(&c->prepare, &in, TAKE_BLOCKS, TAKE_BYTES)) {
		while ((w = worklist_pop(&in))) {
			prepare(c, (struct block_work *)w);
			worklist_add(&done, w);
		}
		/* The writer outlives the workers. */
		workq_put(&c->append, LANE_BLOCK, &done);
	}
}
