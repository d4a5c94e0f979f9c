/*
 * Compact blocks (BIP 152). A cmpctblock is taken for the header it holds; the
 * block is put together from the pool or, where that lacks something, asked for
 * whole. getblocktxn is answered through the readers while the peer is paused.
 * Loop only, but for the part marked as the reader's.
 */
#include "internal.h"

#include <cairn/base/buf.h>
#include <cairn/consensus/work.h>
#include <cairn/wire/cmpctblock.h>
#include <cairn/wire/frame.h>

#include <stdlib.h>

/* Blocks deeper than this are sent whole, so that whoever makes us read much
 * has to receive much (Core's rule). */
#define BLOCKTXN_DEPTH 10
/* Tries to put one block together from what inbound peers sent. */
#define REBUILDS_MAX 3u

static bool speaks_compact(const struct sp *sp)
{
	struct peer_info i;

	peer_get_info(sp->peer, &i);
	return i.cmpct;
}

/* A header that came this way may be passed on before its block was checked
 * (BIP 152), so only what the header itself breaks is held against the peer. */
static void punish_header(struct sp *sp, const struct verdict *v)
{
	log_debug(LOG_NET, "invalid header by cmpctblock peer=%llu reason=%s",
		  (unsigned long long)sp->id, v->reject);
	if (v->reason == INV_HEADER || v->reason == INV_PREV ||
	    v->reason == INV_MISSING_PREV)
		punish(sp->s, sp->peer, v);
}

static bool enough_work(const struct sync *s, const struct hnode *prev,
			const uint8_t *header)
{
	struct u256 need = antidos_work(s);
	struct u256 work = work_of_bits(le32_get(header + 72));

	work = u256_add(&prev->work, &work);
	return u256_cmp(&work, &need) >= 0;
}

/* The header's node, in the tree from now on; NULL when it is refused, does not
 * connect or lies under too little work. */
static struct hnode *take_header(struct sp *sp, const uint8_t *header)
{
	struct sync *s = sp->s;
	const struct hnode *prev =
	    htree_find(sync_tree(s), header_prev(header));
	struct hnode *n = NULL;
	struct verdict v;

	if (!prev) {
		if (!chain_in_ibd(s->chain))
			headers_ask(sp, htree_best(sync_tree(s)));
		return NULL;
	}
	if (!enough_work(s, prev, header)) {
		log_debug(LOG_NET, "ignoring low-work cmpctblock peer=%llu",
			  (unsigned long long)sp->id);
		return NULL;
	}
	v = sync_add_header(s, &n, header, true);
	if (verdict_ok(&v))
		return n;
	punish_header(sp, &v);
	return NULL;
}

static bool asked_of(const struct sp *sp, const struct hnode *n)
{
	const struct flight *f = flight_find(sp->s, &n->hash);

	return f && (f->from[0] == sp || f->from[1] == sp);
}

/* A rebuilt block while it is judged. */
struct rebuilt {
	struct sync *s;
	uint64_t peer;
};

/* What is wrong with it is not held against the peer, which may have passed it
 * on unchecked (BIP 152). */
static void rebuilt_done(void *arg, const struct block_result *r)
{
	struct rebuilt *b = arg;
	struct sync *s = b->s;
	struct sp *sp = sp_find(s, b->peer);
	struct flight *f = flight_find(s, &r->node->hash);

	free(b);
	if (f && f->arrived)
		flight_drop(s, f);
	if (!sp)
		return;
	peer_release(sp->peer);
	if (r->outcome == BLOCK_CONNECTED && !chain_in_ibd(s->chain))
		bandwidth_prefer(sp);
	download_all(s);
}

/* At the tip, where the pool has what a block is made of. It takes a walk over
 * the pool, so a peer gets the next one only for a header with more work. */
static bool worth_rebuilding(const struct sp *sp, const struct hnode *n)
{
	const struct sync *s = sp->s;
	const struct hnode *tip = chain_tip(s->chain);
	const struct flight *f = hmap_get(&s->flights, &n->hash);

	return !chain_in_ibd(s->chain) && n->height <= tip->height + 2 &&
	       u256_cmp(&n->work, &tip->work) > 0 &&
	       u256_cmp(&n->work, &sp->rebuilt_work) > 0 &&
	       !(hnode_status(n) & HN_FAILED_ANY) && !(f && f->arrived);
}

/* Many connections must not keep the loop at one block: those that came to us,
 * but for the ones we chose to send blocks so, share a few tries. */
static bool may_try(struct sp *sp, const struct hnode *n)
{
	struct sync *s = sp->s;

	if (s->rebuilt_of != n)
		s->rebuilt_n = 0;
	s->rebuilt_of = n;
	if (sp->high_bandwidth || !peer_is_inbound(sp->peer))
		return true;
	return s->rebuilt_n++ < REBUILDS_MAX;
}

static bool rebuild(struct sp *sp, struct hnode *n,
		    const struct cmpctblock_view *v)
{
	struct sync *s = sp->s;
	struct rebuilt *b;
	struct block_job job = {.node = n,
				.requested = true,
				.peer = PEER_NONE,
				.done = rebuilt_done};

	if (!worth_rebuilding(sp, n) || !cmpctblock_is_sane(v) ||
	    !may_try(sp, n))
		return false;
	sp->rebuilt_work = n->work;
	job.buf = block_rebuild(s, v, n);
	if (!job.buf)
		return false;
	chain_stamp_record(job.buf, s->cfg.params);
	b = xcalloc(1, sizeof *b);
	b->s = s;
	b->peer = sp->id;
	job.arg = b;
	flight_rebuilt(s, n);
	peer_note_block(sp->peer, sync_now(s));
	peer_hold(sp->peer);
	chain_submit_block(s->chain, &job);
	return true;
}

void on_cmpctblock(struct sp *sp, const struct net_msg *m)
{
	struct sync *s = sp->s;
	struct cmpctblock_view v;
	struct hnode *n;

	if (!s->loaded || sync_reads_own(s) || s->cfg.blocks_only ||
	    !speaks_compact(sp) || !cmpctblock_view_parse(&v, m->body))
		return;
	n = take_header(sp, v.header);
	if (!n)
		return;
	availability_set(sp, &n->hash);
	if (hnode_status(n) & HN_DATA)
		return;
	if (asked_of(sp, n) && !cmpctblock_is_sane(&v)) {
		peer_misbehaving(sp->peer, "invalid compact block");
		return;
	}
	if (!rebuild(sp, n, &v))
		download_more(sp);
}

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
