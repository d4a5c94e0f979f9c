/*
 * A block has arrived: find its header, decide whether it is wanted, hand it to
 * the chain, and act on the answer. Loop only. The bytes are checked by the
 * chain's workers; only a block that nobody asked for is looked at here, before
 * its header may enter the tree.
 */
#include "internal.h"

#include <cairn/base/buf.h>
#include <cairn/consensus/check.h>
#include <cairn/consensus/deploy.h>
#include <cairn/crypto/sha256.h>
#include <cairn/wire/block.h>
#include <cairn/wire/frame.h>

#define UNREQUESTED_AHEAD 288

static void avg_update(struct sync *s, size_t n)
{
	s->avg_block = (uint32_t)((s->avg_block * 7ull + n) / 8);
}

/* Bytes that are no block, or not the ones that were sent. */
static bool is_broken(const struct block_result *r)
{
	return r->verdict.kind == V_INVALID && r->verdict.reason == INV_NONE;
}

/* Without blame, but not for ever. */
static void broken_block(struct sp *sp, struct flight *f)
{
	if (f)
		flight_broken(sp, f);
	if (++sp->broken_blocks >= BROKEN_BLOCKS_MAX)
		peer_disconnect(sp->peer, "sends broken blocks");
}

/* The chain's answer; the peer may be gone. */
static void block_done(void *arg, const struct block_result *r)
{
	struct sync *s = arg;
	struct peer *p = s->net ? net_peer(s->net, r->peer) : NULL;
	struct flight *f = flight_find(s, &r->node->hash);
	struct sp *sp = p ? sp_of(p) : NULL;

	if (f && !f->arrived)
		f = NULL;
	if (is_broken(r) && sp)
		broken_block(sp, f);
	else if (f)
		flight_drop(s, f);
	if (r->outcome == BLOCK_CONNECTED && s->stall_timeout_s > STALL_MIN_S)
		s->stall_timeout_s--;
	if (r->verdict.kind == V_INVALID) {
		log_debug(LOG_NET,
			  "block refused height=%d peer=%llu reason=%s",
			  r->node->height, (unsigned long long)r->peer,
			  r->verdict.reject);
		punish(s, p, &r->verdict);
	}
	if (!p)
		return;
	peer_release(p);
	if (!sp)
		return;
	if (r->outcome == BLOCK_CONNECTED && !chain_in_ibd(s->chain))
		bandwidth_prefer(sp);
	download_more(sp);
}

static void hand_over(struct sp *sp, const struct net_msg *m, struct hnode *n,
		      bool requested)
{
	struct block_job job = {
	    .node = n,
	    .buf = buf_ref(m->buf),
	    .checksum = m->frame_sum,
	    .check_checksum = !m->sum_checked,
	    .have_checksum = true,
	    .requested = requested,
	    .peer = sp->id,
	    .done = block_done,
	    .arg = sp->s,
	};

	peer_hold(sp->peer);
	chain_submit_block(sp->s->chain, &job);
}

/* What nobody asked for is judged by itself before its header may enter the
 * tree: the data that the header commits to, then every rule that needs no
 * chain. With the parent unknown there is nothing to gain from it. */
static struct verdict block_alone(struct sp *sp, struct block_view *v)
{
	const struct params *p = sp->s->cfg.params;
	const struct hnode *prev =
	    htree_find(sync_tree(sp->s), header_prev(v->header));

	if (!prev)
		return verdict_valid();
	block_hash_txs(v);
	if (block_is_mutated(v,
			     deploy_active(p, DEPLOY_SEGWIT, prev->height + 1)))
		return verdict_invalid(INV_MUTATED, "mutated block", NULL);
	return block_check(v, p, false);
}

/* False when the block goes no further: dropped without blame when it is not
 * whole as a message, its sender punished when it breaks a rule. */
static bool unrequested_block_ok(struct sp *sp, const struct net_msg *m)
{
	struct block_view b;
	struct verdict v;
	size_t trailing;

	if (!m->sum_checked && frame_checksum(m->body) != m->frame_sum)
		return false;
	if (block_view_parse(&b, &trailing, m->body) != 0)
		return false;
	v = block_alone(sp, &b);
	block_view_fini(&b);
	if (!verdict_ok(&v))
		punish(sp->s, sp->peer, &v);
	return verdict_ok(&v);
}

/* Worth storing though nobody asked (design: the pipeline's last rule). */
static bool block_wanted(const struct sync *s, const struct hnode *n)
{
	const struct hnode *tip = chain_tip(s->chain);

	return u256_cmp(&n->work, &tip->work) >= 0 &&
	       u256_cmp(&n->work, htree_min_work(sync_tree(s))) >= 0 &&
	       n->height <= tip->height + UNREQUESTED_AHEAD;
}

/* Bring the header of an unrequested block into the tree. */
static struct hnode *unrequested_header(struct sp *sp, const uint8_t *h)
{
	struct sync *s = sp->s;
	struct hnode *n = NULL,
		     *prev = htree_find(sync_tree(s), header_prev(h));
	struct u256 need = antidos_work(s), work = {{0}};
	struct verdict v;

	if (prev) {
		work = work_of_bits(le32_get(h + 72));
		work = u256_add(&prev->work, &work);
	}
	v = sync_add_header(s, &n, h, u256_cmp(&work, &need) >= 0);
	if (verdict_ok(&v))
		return n;
	log_debug(LOG_NET, "unrequested block refused peer=%llu reason=%s",
		  (unsigned long long)sp->id, v.reject);
	punish(s, sp->peer, &v);
	return NULL;
}

static void unrequested(struct sp *sp, const struct net_msg *m)
{
	struct sync *s = sp->s;
	struct hnode *n;

	if (!unrequested_block_ok(sp, m))
		return;
	n = unrequested_header(sp, m->body.p);
	if (!n)
		return;
	availability_set(sp, &n->hash);
	if (hnode_status(n) & HN_DATA)
		return;
	if (!block_wanted(s, n)) {
		log_debug(LOG_NET,
			  "unrequested block dropped height=%d peer=%llu",
			  n->height, (unsigned long long)sp->id);
		return;
	}
	hand_over(sp, m, n, false);
}

/* While others are asked for it too, a bad copy must not end what they are
 * about to send: it is looked at first, as one that nobody asked for. */
static bool may_stand_in(struct sp *sp, struct flight *f,
			 const struct net_msg *m)
{
	bool asked = flight_slot(f, sp) >= 0;

	if ((asked && flight_count(f) == 1) || unrequested_block_ok(sp, m))
		return true;
	if (asked)
		flight_end(sp, f);
	return false;
}

void on_block(struct sp *sp, const struct net_msg *m)
{
	struct sync *s = sp->s;
	struct hash256 hash;
	struct flight *f;

	if (!s->loaded || sync_reads_own(s) || m->body.n < HEADER_SIZE + 1)
		return;
	sha256d(&hash, m->body.p, HEADER_SIZE);
	f = flight_find(s, &hash);
	if (!f) {
		unrequested(sp, m);
		return;
	}
	if (f->arrived) {
		peer_note_block(sp->peer, sync_now(s));
		return; /* the second of two answers */
	}
	if (!may_stand_in(sp, f, m))
		return;
	peer_note_block(sp->peer, sync_now(s));
	avg_update(s, m->body.n);
	flight_arrived(sp, f);
	hand_over(sp, m, f->node, true);
	download_more(sp);
}
