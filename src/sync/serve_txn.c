/*
 * getblocktxn (BIP 152) is answered through the readers while the peer is
 * paused. Loop only, but for the part marked as the reader's. Blocks by getdata
 * are serve_read.c's.
 */
#include "internal.h"

#include <cairn/base/buf.h>
#include <cairn/wire/cmpctblock.h>
#include <cairn/wire/frame.h>

#include <stdlib.h>

/* Blocks deeper than this are sent whole, so that whoever makes us read much
 * has to receive much (Core's rule). */
#define BLOCKTXN_DEPTH 10

/* One getblocktxn while it is with a reader. */
struct txn_job {
	struct sync *s;
	uint64_t peer;
	struct hnode *node;
	uint8_t *body; /* the request; ours */
	size_t n;
	int rc; /* E_RANGE: an index that the block does not have */
	struct buf *out;
	uint32_t checksum;
};

/* Reader: room for the transactions that the request names. */
static int answer_new(struct buf **out, const struct getblocktxn_view *v,
		      const struct block_view *b)
{
	struct index_iter it;
	size_t bytes = 0;
	uint32_t i;

	getblocktxn_indexes(&it, v);
	while (getblocktxn_next(&it, &i)) {
		if (i >= b->n_tx)
			return E_RANGE;
		bytes += b->tx[i].size;
	}
	*out = buf_new(blocktxn_size(v->n, bytes));
	return *out ? 0 : E_NOMEM;
}

static int answer_make(struct buf **out, const struct getblocktxn_view *v,
		       const struct block_view *b)
{
	struct index_iter it;
	uint8_t *p;
	uint32_t i;
	int rc = answer_new(out, v, b);

	if (rc)
		return rc;
	p = blocktxn_head_put(buf_data(*out), v->block, v->n);
	getblocktxn_indexes(&it, v);
	while (getblocktxn_next(&it, &i))
		p = bytes_put(p, b->tx[i].p, b->tx[i].size);
	(*out)->n = (size_t)(p - buf_data(*out));
	return 0;
}

static int answer_read(struct txn_job *j)
{
	struct getblocktxn_view v;
	struct block_view b;
	struct buf *block;
	size_t trailing;
	bool parsed = getblocktxn_view_parse(&v, slice_of(j->body, j->n));
	int rc = chain_read_block(j->s->chain, &block, j->node);

	must(parsed); /* it was when it came */
	if (rc)
		return rc;
	rc = block_view_parse(&b, &trailing, buf_payload(block));
	if (rc == 0) {
		rc = answer_make(&j->out, &v, &b);
		block_view_fini(&b);
	}
	buf_unref(block);
	if (rc == 0)
		j->checksum = frame_checksum(buf_payload(j->out));
	return rc;
}

static void answer_send(struct sp *sp, const struct txn_job *j)
{
	if (j->rc == 0) {
		peer_send_buf(sp->peer, MSG_BLOCKTXN, j->out, j->checksum);
	} else if (j->rc == E_RANGE) {
		peer_misbehaving(sp->peer,
				 "getblocktxn with out-of-bounds tx indices");
	} else {
		log_error(LOG_BLOCKSTORAGE,
			  "cannot read height=%d for peer=%llu: %s",
			  j->node->height, (unsigned long long)sp->id,
			  err_str(j->rc));
		peer_disconnect(sp->peer, "cannot read what it asked for");
	}
}

static void txn_back(void *arg)
{
	struct txn_job *j = arg;
	struct sp *sp = sp_find(j->s, j->peer);

	if (sp) {
		sp->serve.reading = false;
		answer_send(sp, j);
	}
	buf_unref(j->out);
	free(j->body);
	free(j);
	if (sp)
		serve_continue(sp);
}

/* Reader. */
static void txn_run(void *arg)
{
	struct txn_job *j = arg;

	j->rc = answer_read(j);
	j->s->cfg.post(j->s->cfg.post_arg, (struct task){txn_back, j});
}

void serve_txn_read(struct sp *sp)
{
	struct serve *sv = &sp->serve;
	struct txn_job *j = xcalloc(1, sizeof *j);

	j->s = sp->s;
	j->peer = sp->id;
	j->node = sv->node;
	j->body = sv->items;
	j->n = sv->n;
	sv->items = NULL;
	if (pool_submit(sp->s->cfg.readers, (struct task){txn_run, j})) {
		sv->reading = true;
		return;
	}
	free(j->body);
	free(j);
}

/* The whole block instead, as if getdata had asked for it. */
static void serve_whole(struct sp *sp, const struct hash256 *hash)
{
	struct serve *sv = &sp->serve;

	sv->kind = SERVE_ITEMS;
	sv->items = xmalloc(INV_ITEM_SIZE);
	inv_item_put(sv->items, INV_WITNESS_BLOCK, hash);
	sv->n = 1;
	sv->next = 0;
}

void on_getblocktxn(struct sp *sp, const struct net_msg *m)
{
	struct sync *s = sp->s;
	struct serve *sv = &sp->serve;
	struct getblocktxn_view v;
	struct hnode *n;

	if (!s->loaded || !getblocktxn_view_parse(&v, m->body))
		return;
	if (v.n == 0) {
		peer_disconnect(sp->peer, "getblocktxn without indexes");
		return;
	}
	n = htree_find(sync_tree(s), v.block);
	if (!n || !(hnode_status(n) & HN_DATA))
		return;
	must(sv->kind == SERVE_NONE);
	if (n->height < chain_tip(s->chain)->height - BLOCKTXN_DEPTH) {
		serve_whole(sp, v.block);
	} else {
		sv->kind = SERVE_TXN;
		sv->node = n;
		sv->n = (uint32_t)(v.end - m->body.p);
		sv->items = xmalloc(sv->n);
		memcpy(sv->items, m->body.p, sv->n);
	}
	peer_pause(sp->peer);
	serve_continue(sp);
}
