/*
 * Compact blocks (BIP 152) as they come. A cmpctblock is taken for the header
 * it holds; the block is put together from the pool, and what that lacks asked
 * for by getblocktxn. Where that fails it is asked for whole. Loop only.
 * Serving is in serve_txn.c and serve_read.c, putting together in rebuild.c.
 */
#include "internal.h"

#include <cairn/base/buf.h>
#include <cairn/consensus/work.h>
#include <cairn/wire/cmpctblock.h>
#include <cairn/wire/frame.h>

#include <stdlib.h>

/* Tries to put one block together from what inbound peers sent. */
#define REBUILDS_MAX 3u
/* Those of one peer that we dialled or chose, until the tip is another. */
#define WALKS_MAX 16u

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

static void submit(struct sp *sp, struct hnode *n, struct buf *block)
{
	struct sync *s = sp->s;
	struct rebuilt *b = xcalloc(1, sizeof *b);
	struct block_job job = {.node = n,
				.buf = block,
				.requested = true,
				.peer = PEER_NONE,
				.done = rebuilt_done,
				.arg = b};

	chain_stamp_record(block, s->cfg.params);
	b->s = s;
	b->peer = sp->id;
	flight_rebuilt(s, n);
	peer_note_block(sp->peer, sync_now(s));
	peer_hold(sp->peer);
	chain_submit_block(s->chain, &job);
}

/* What sp has sent for slot k of the flight is all there will be. */
static void fill(struct sp *sp, struct flight *f, int k,
		 const struct blocktxn_view *v)
{
	struct hnode *n = f->node;
	struct buf *block;

	switch (partial_fill(f->part[k], &block, sp->s, n, v)) {
	case FILL_OK:
		submit(sp, n, block);
		break;
	case FILL_COUNT:
		flight_end(sp, f);
		peer_misbehaving(sp->peer,
				 "invalid compact block or transactions of it");
		break;
	case FILL_MUTATED:
		/* The used partial stays: this peer has had its try. */
		if (k == 0)
			block_getdata(sp, n);
		else
			flight_end(sp, f);
		break;
	}
}

static void ask_missing(struct sp *sp, const struct flight *f,
			const struct partial *p)
{
	uint32_t n = partial_missing(p);
	uint16_t *index = xmalloc(n * sizeof *index);
	uint8_t *body, *end;

	partial_indexes(p, index);
	body = xmalloc(getblocktxn_size(index, n));
	end = getblocktxn_put(body, &f->node->hash, index, n);
	peer_send(sp->peer, MSG_GETBLOCKTXN,
		  slice_of(body, (size_t)(end - body)));
	log_debug(LOG_NET, "getblocktxn txs=%u height=%d peer=%llu", n,
		  f->node->height, (unsigned long long)sp->id);
	free(body);
	free(index);
}

/* Whether the k-th to be asked for one block may be: the first is; others when
 * they are to announce blocks so, and an inbound peer does not take the last
 * place while none that we dialled has one. */
static bool may_ask(const struct sp *sp, const struct flight *f, int k)
{
	bool outbound = false;

	for (int i = 0; i < FLIGHT_FROM; i++)
		outbound |= f->from[i] && !peer_is_inbound(f->from[i]->peer);
	return k == 0 ||
	       (sp->high_bandwidth && (outbound || k < FLIGHT_FROM - 1));
}

/* A try takes a walk over the pool, and many connections must not keep the loop
 * at one block. Those that came to us, but for the ones we chose to send blocks
 * so, share a few tries for a block, and each has the next one only for a
 * header with more work. */
static bool may_walk(struct sp *sp, const struct hnode *n)
{
	struct sync *s = sp->s;
	const struct hnode *tip = chain_tip(s->chain);

	if (sp->high_bandwidth || !peer_is_inbound(sp->peer)) {
		if (sp->walks_tip != tip)
			sp->walks = 0;
		sp->walks_tip = tip;
		return sp->walks++ < WALKS_MAX;
	}
	if (u256_cmp(&n->work, &sp->rebuilt_work) <= 0)
		return false;
	sp->rebuilt_work = n->work;
	if (s->rebuilt_of != n)
		s->rebuilt_n = 0;
	s->rebuilt_of = n;
	return s->rebuilt_n++ < REBUILDS_MAX;
}

/* sp is asked for it in slot k, and has sent no cmpctblock of it before. */
static void start(struct sp *sp, struct flight *f, int k,
		  const struct cmpctblock_view *v)
{
	bool failed;

	if (!cmpctblock_is_sane(v)) {
		flight_end(sp, f);
		peer_misbehaving(sp->peer, "invalid compact block");
		return;
	}
	f->part[k] = partial_new(sp->s, v, may_walk(sp, f->node), &failed);
	if (failed && k == 0)
		block_getdata(sp, f->node);
	else if (!failed && partial_missing(f->part[k]) == 0)
		fill(sp, f, k, NULL);
	else if (!failed && may_ask(sp, f, k))
		ask_missing(sp, f, f->part[k]);
	else
		flight_end(sp, f);
}

/* No place to ask sp: only if nothing lacks. */
static void try_without(struct sp *sp, struct hnode *n,
			const struct cmpctblock_view *v)
{
	struct partial *p;
	struct buf *block;
	bool failed;

	if (!cmpctblock_is_sane(v))
		return;
	p = partial_new(sp->s, v, may_walk(sp, n), &failed);
	if (!failed && partial_missing(p) == 0 &&
	    partial_fill(p, &block, sp->s, n, NULL) == FILL_OK)
		submit(sp, n, block);
	partial_free(p);
}

/* Close to the tip, where the pool has what a block is made of. */
static void take_close(struct sp *sp, struct hnode *n,
		       const struct cmpctblock_view *v)
{
	struct flight *f = flight_find(sp->s, &n->hash);
	int k = flight_slot(f, sp);

	if (k < 0) {
		if (flight_count(f) == FLIGHT_FROM ||
		    sp->n_flight >= FLIGHT_MIN) {
			try_without(sp, n, v);
			return;
		}
		f = flight_add(sp, n);
		k = flight_slot(f, sp);
	}
	if (!f->part[k])
		start(sp, f, k, v);
}

/* What a cmpctblock of a header in the tree is good for. False when it is only
 * that header. */
static bool take_block(struct sp *sp, struct hnode *n,
		       const struct cmpctblock_view *v)
{
	struct sync *s = sp->s;
	const struct hnode *tip = chain_tip(s->chain);
	const struct flight *f = flight_find(s, &n->hash);
	bool asked = flight_slot(f, sp) >= 0;

	if (f && f->arrived)
		return true;
	if (!asked && !sp->high_bandwidth)
		return false;
	if (u256_cmp(&n->work, &tip->work) <= 0 ||
	    (asked && n->height > tip->height + 2)) {
		if (asked)
			block_getdata(sp, n);
		return asked;
	}
	if (!f && !near_now(s))
		return false;
	if (n->height <= tip->height + 2) {
		take_close(sp, n, v);
		return true;
	}
	download_direct(sp, n);
	return false;
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
	if (!(hnode_status(n) & HN_DATA) && !take_block(sp, n, &v))
		download_more(sp);
}

void on_blocktxn(struct sp *sp, const struct net_msg *m)
{
	struct sync *s = sp->s;
	struct blocktxn_view v;
	struct flight *f;
	int k;

	if (!s->loaded || sync_reads_own(s) ||
	    !blocktxn_view_parse(&v, m->body))
		return;
	f = flight_find(s, v.block);
	k = flight_slot(f, sp);
	if (k < 0 || !f->part[k])
		return;
	if (partial_used(f->part[k])) {
		flight_end(sp, f);
		peer_misbehaving(sp->peer, "transactions of a compact block "
					   "that had failed");
		return;
	}
	fill(sp, f, k, &v);
}
