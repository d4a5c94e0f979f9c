/*
 * Reading for peers: a batch of blocks or filters on a reader's thread, sent in
 * order when it comes back to the loop. A batch is bounded by count and bytes;
 * the job holds no pointer to the peer, which may be gone when it returns.
 */
#include "internal.h"

#include <cairn/base/buf.h>
#include <cairn/wire/block.h>
#include <cairn/wire/cfilter.h>
#include <cairn/wire/cmpctblock.h>
#include <cairn/wire/frame.h>

#include <stdlib.h>

/* Whoever asks for a deeper one has no pool that would help it (Core's rule).
 */
#define CMPCT_DEPTH 5

#define JOB_ITEMS 64
#define JOB_BYTES (1u << 20)

struct read_item {
	struct hnode *node;
	bool strip;         /* send without witnesses */
	bool compact;       /* send by cmpctblock */
	uint64_t nonce;     /* of that */
	bool last_of_batch; /* the hash that a getblocks answer ended with */
	struct buf *buf;
	uint32_t checksum;
};

struct read_job {
	struct sync *s;
	uint64_t peer;
	enum msg_type type;
	size_t n;
	int rc;
	struct read_item item[JOB_ITEMS];
};

/* Replace the block by its form without witnesses. */
static int strip_witness(struct read_item *it)
{
	struct block_view v;
	size_t trailing;
	struct buf *b;
	int rc = block_view_parse(&v, &trailing, buf_payload(it->buf));

	if (rc)
		return rc;
	if (v.has_witness) {
		b = buf_new(v.base_size);
		if (b) {
			block_put_base(buf_data(b), &v);
			b->n = v.base_size;
			buf_unref(it->buf);
			it->buf = b;
			it->checksum = frame_checksum(buf_payload(b));
		} else {
			rc = E_NOMEM;
		}
	}
	block_view_fini(&v);
	return rc;
}

/* Replace the block by its compact form, or leave one of too many
 * transactions. */
static int make_compact(struct read_item *it)
{
	struct block_view v;
	size_t trailing;
	struct buf *b;
	int rc = block_view_parse(&v, &trailing, buf_payload(it->buf));

	if (rc)
		return rc;
	it->compact = v.n_tx > 0 && v.n_tx <= CMPCT_TX_MAX;
	if (it->compact) {
		block_hash_txs(&v);
		b = buf_new(cmpctblock_of_size(&v));
		if (b) {
			uint8_t *p = buf_data(b);
			b->n =
			    (size_t)(cmpctblock_of_put(p, &v, it->nonce) - p);
			buf_unref(it->buf);
			it->buf = b;
			it->checksum = frame_checksum(buf_payload(b));
		} else {
			rc = E_NOMEM;
		}
	}
	block_view_fini(&v);
	return rc;
}

/* Reader: one block, with the checksum kept in the index if it is known. */
static int read_block(struct sync *s, struct read_item *it)
{
	int rc = chain_read_block(s->chain, &it->buf, it->node);

	if (rc)
		return rc;
	if (hnode_status(it->node) & HN_CHECKSUM) {
		it->checksum = it->node->checksum;
	} else {
		it->checksum = frame_checksum(buf_payload(it->buf));
		chain_note_checksum(s->chain, it->node, it->checksum);
	}
	return it->strip     ? strip_witness(it)
	       : it->compact ? make_compact(it)
			     : 0;
}

/* Reader: one filter as a whole cfilter message. */
static int read_filter(struct sync *s, struct read_item *it)
{
	struct buf *filter, *b;
	int rc = chain_filter_read(s->chain, &filter, it->node);

	if (rc)
		return rc;
	b = buf_new(cfilter_size(filter->n));
	if (b) {
		uint8_t *end =
		    cfilter_put(buf_data(b), FILTER_BASIC, &it->node->hash,
				buf_payload(filter));
		b->n = (size_t)(end - buf_data(b));
		it->checksum = frame_checksum(buf_payload(b));
	}
	buf_unref(filter);
	it->buf = b;
	return b ? 0 : E_NOMEM;
}

static void send_continuation(struct sp *sp)
{
	uint8_t body[9 + INV_ITEM_SIZE];
	uint8_t *p = inv_count_put(body, 1);

	p = inv_item_put(p, INV_BLOCK, &chain_tip(sp->s->chain)->hash);
	peer_send(sp->peer, MSG_INV, slice_of(body, (size_t)(p - body)));
	sp->has_continuation = false;
}

static void job_send(struct sp *sp, struct read_job *j)
{
	for (size_t i = 0; i < j->n; i++) {
		struct read_item *it = &j->item[i];
		if (!it->buf) {
			log_error(LOG_BLOCKSTORAGE,
				  "cannot read height=%d for peer=%llu: %s",
				  it->node->height, (unsigned long long)sp->id,
				  err_str(j->rc));
			peer_disconnect(sp->peer,
					"cannot read what it asked for");
			return;
		}
		peer_send_buf(sp->peer, it->compact ? MSG_CMPCTBLOCK : j->type,
			      it->buf, it->checksum);
		if (it->last_of_batch)
			send_continuation(sp);
	}
}

/* Loop: send what was read, go on. */
static void job_back(void *arg)
{
	struct read_job *j = arg;
	struct sp *sp = sp_find(j->s, j->peer);

	if (sp) {
		sp->serve.reading = false;
		job_send(sp, j);
	}
	for (size_t i = 0; i < j->n; i++)
		buf_unref(j->item[i].buf);
	free(j);
	if (sp)
		serve_continue(sp);
}

static void job_run(void *arg)
{
	struct read_job *j = arg;

	for (size_t i = 0; i < j->n && j->rc == 0; i++)
		j->rc = j->type == MSG_BLOCK ? read_block(j->s, &j->item[i])
					     : read_filter(j->s, &j->item[i]);
	j->s->cfg.post(j->s->cfg.post_arg, (struct task){job_back, j});
}

static struct read_job *job_new(struct sp *sp, enum msg_type type)
{
	struct read_job *j = xcalloc(1, sizeof *j);

	j->s = sp->s;
	j->peer = sp->id;
	j->type = type;
	return j;
}

/* Start the read, unless nothing of it can be served. */
static void job_start(struct sp *sp, struct read_job *j)
{
	if (j->n &&
	    pool_submit(sp->s->cfg.readers, (struct task){job_run, j})) {
		sp->serve.reading = true;
		return;
	}
	free(j);
}

/* One item of a getdata; blocks that may not be served are passed over
 * silently, as in Core. */
static void add_block(struct sp *sp, struct read_job *j, uint32_t type,
		      const struct hash256 *hash, size_t *bytes)
{
	struct sync *s = sp->s;
	struct hnode *n = htree_find(sync_tree(s), hash);

	if (!n || !block_may_serve(s, n) || !(hnode_status(n) & HN_DATA))
		return;
	j->item[j->n++] = (struct read_item){
	    .node = n,
	    .strip = type == INV_BLOCK,
	    .compact = type == INV_CMPCT_BLOCK && near_now(s) &&
		       n->height >= chain_tip(s->chain)->height - CMPCT_DEPTH,
	    .nonce = rand_u64(&s->tx.rand),
	    .last_of_batch =
		sp->has_continuation && hash256_eq(hash, &sp->continuation),
	};
	*bytes += n->data_size;
}

void serve_blocks_read(struct sp *sp)
{
	struct serve *sv = &sp->serve;
	struct read_job *j = job_new(sp, MSG_BLOCK);
	struct inv_view v = {.n = sv->n, .p = sv->items};
	size_t bytes = 0;

	while (sv->next < sv->n && j->n < JOB_ITEMS && bytes < JOB_BYTES &&
	       !inv_is_tx(inv_type(&v, sv->next))) {
		uint32_t type = inv_type(&v, sv->next);
		const struct hash256 *h = inv_hash(&v, sv->next);
		sv->next++;
		if (type == INV_FILTERED_BLOCK) {
			free(j);
			serve_fini(sp);
			peer_disconnect(sp->peer,
					"bloom filters are not offered");
			return;
		}
		if (type == INV_BLOCK || type == INV_WITNESS_BLOCK ||
		    type == INV_CMPCT_BLOCK)
			add_block(sp, j, type, h, &bytes);
	}
	job_start(sp, j);
}

void serve_filters_read(struct sp *sp)
{
	struct serve *sv = &sp->serve;
	struct read_job *j = job_new(sp, MSG_CFILTER);

	while (sv->height <= sv->stop->height && j->n < JOB_ITEMS) {
		const struct hnode *n = hnode_ancestor(sv->stop, sv->height++);
		j->item[j->n++].node = htree_find(sync_tree(sp->s), &n->hash);
	}
	job_start(sp, j);
}
