/*
 * Headers: when and whom to ask, what to make of the answer, pre-sync below the
 * minimum work, and what a peer is known to have. Loop only. Does not ask for
 * blocks (download.c).
 */
#include "internal.h"

#include <cairn/consensus/work.h>
#include <cairn/crypto/sha256.h>
#include <cairn/wire/header.h>
#include <cairn/wire/locator.h>

#include <stdlib.h>

#define HEADERS_DEADLINE_BASE_S (15 * 60)
#define HEADERS_PER_S           1000

static void getheaders_send(struct sp *sp, const struct hash256 *loc,
			    uint32_t n)
{
	static const struct hash256 zero;
	uint8_t body[4 + 9 + (LOCATOR_MAX + 1) * 32];
	uint8_t *end = locator_put(body, PROTOCOL_VERSION, loc, n, &zero);

	peer_send(sp->peer, MSG_GETHEADERS,
		  slice_of(body, (size_t)(end - body)));
	sp->getheaders_s = sync_now(sp->s);
}

/* Ask for what follows from, unless an earlier question is still open. */
bool headers_ask(struct sp *sp, const struct hnode *from)
{
	struct hash256 loc[LOCATOR_MAX];
	int64_t now = sync_now(sp->s);

	if (sync_reads_own(sp->s))
		return false;
	if (sp->getheaders_s && now - sp->getheaders_s <= HEADERS_RESPONSE_S)
		return false;
	getheaders_send(sp, loc, hnode_locator(loc, from));
	return true;
}

/* One peer at first, all once our best header is from the last day. */
void headers_start(struct sp *sp)
{
	struct sync *s = sp->s;
	const struct hnode *best = htree_best(sync_tree(s));
	int64_t now = sync_now(s);
	bool recent = (int64_t)best->time > now - DAY_S;
	bool ours = sp_is_preferred(sp) || sync_preferred(s) == 0;

	if (sp->sync_started || !sp_serves_blocks(sp) ||
	    peer_conn_type(sp->peer) == CONN_ADDR_FETCH)
		return;
	if (!recent && (s->n_sync_started > 0 || !ours))
		return;
	if (!headers_ask(sp, best->prev ? best->prev : best))
		return;
	sp->sync_started = true;
	s->n_sync_started++;
	sp->headers_deadline_s =
	    now + HEADERS_DEADLINE_BASE_S +
	    (now - (int64_t)best->time) / 600 / HEADERS_PER_S;
	log_debug(LOG_NET, "initial getheaders height=%d peer=%llu",
		  best->height, (unsigned long long)sp->id);
}

/* What the peer is known to have. */
static void availability_node(struct sp *sp, struct hnode *n)
{
	if (!sp->best_known || u256_cmp(&n->work, &sp->best_known->work) >= 0)
		sp->best_known = n;
}

void availability_update(struct sp *sp)
{
	struct hnode *n;

	if (!sp->has_unknown)
		return;
	n = htree_find(sync_tree(sp->s), &sp->unknown);
	if (!n)
		return;
	sp->has_unknown = false;
	availability_node(sp, n);
}

void availability_set(struct sp *sp, const struct hash256 *hash)
{
	struct hnode *n = htree_find(sync_tree(sp->s), hash);

	availability_update(sp);
	if (n) {
		availability_node(sp, n);
	} else {
		sp->unknown = *hash;
		sp->has_unknown = true;
	}
}

/* BIP130: once the peer's chain is worth following, ask for headers. */
static void maybe_sendheaders(struct sp *sp)
{
	if (sp->sent_sendheaders || !sp->best_known ||
	    peer_version(sp->peer) < SENDHEADERS_VERSION ||
	    u256_cmp(&sp->best_known->work, htree_min_work(sync_tree(sp->s))) <=
		0)
		return;
	sp->sent_sendheaders = true;
	peer_send(sp->peer, MSG_SENDHEADERS, slice_of(NULL, 0));
}

struct u256 antidos_work(const struct sync *s)
{
	const struct hnode *tip = chain_tip(s->chain);
	struct u256 one = work_of_bits(tip->bits), near = tip->work;
	const struct u256 *min = htree_min_work(sync_tree(s));

	for (int i = 0; i < 144; i++) {
		if (u256_cmp(&near, &one) < 0) {
			near = (struct u256){{0}};
			break;
		}
		near = u256_sub(&near, &one);
	}
	return u256_cmp(&near, min) > 0 ? near : *min;
}

void punish(struct sync *s, struct peer *p, const struct verdict *v)
{
	(void)s;
	if (!p || v->kind != V_INVALID)
		return;
	switch (v->reason) {
	case INV_CONSENSUS:
	case INV_MUTATED:
	case INV_HEADER:
	case INV_PREV:
	case INV_MISSING_PREV:
		peer_misbehaving(p, v->reject);
		break;
	case INV_CACHED:
		if (!peer_is_inbound(p))
			peer_misbehaving(p, v->reject);
		break;
	case INV_NONE:
	case INV_TIME_FUTURE:
	case INV_LOW_WORK:
		break;
	}
}

/* One headers message while it is worked on. */
struct batch {
	const uint8_t *h;
	size_t stride;
	const struct hash256 *hashes;
	uint32_t n;
	bool full;
	bool trusted; /* lies under enough work: pre-sync has shown it */
	struct presync *spent; /* has ended; the headers may be its own */
};

static const uint8_t *batch_at(const struct batch *b, uint32_t i)
{
	return b->h + (size_t)i * b->stride;
}

/* Proof of work as claimed, and one after another: before anything is kept. */
static bool batch_sane(struct sp *sp, const struct batch *b)
{
	const struct params *p = sp->s->cfg.params;

	for (uint32_t i = 0; i < b->n; i++) {
		const uint8_t *h = batch_at(b, i);
		if (!pow_ok(&b->hashes[i], le32_get(h + 72), p)) {
			peer_misbehaving(sp->peer,
					 "header with invalid proof of work");
			return false;
		}
	}
	for (uint32_t i = 1; i < b->n; i++) {
		if (!hash256_eq(header_prev(batch_at(b, i)),
				&b->hashes[i - 1])) {
			peer_misbehaving(sp->peer,
					 "non-continuous headers sequence");
			return false;
		}
	}
	return true;
}

void scratch_need(struct sync *s, size_t n)
{
	if (n <= s->cap_hashes)
		return;
	s->hashes = xrealloc(s->hashes, n * sizeof *s->hashes);
	s->fresh = xrealloc(s->fresh, n * sizeof(struct hnode *));
	s->cap_hashes = n;
}

/* Nothing can follow but freeing it, when b needs its headers no longer. */
static void presync_end(struct sp *sp, struct batch *b, enum presync_rc rc)
{
	if (rc != PRESYNC_DONE)
		log_debug(LOG_NET, "headers presync ended peer=%llu height=%d",
			  (unsigned long long)sp->id,
			  presync_height(sp->presync));
	must(!b->spent);
	b->spent = sp->presync;
	sp->presync = NULL;
}

/* Feed the pre-sync. False when nothing may be kept; otherwise b holds what is
 * to be accepted. What it refuses is dropped whole: to judge it as if fresh
 * would keep the headers before the one at fault. */
static bool presync_step(struct sp *sp, struct batch *b)
{
	struct presync_out out = {NULL, 0};
	struct hash256 loc[LOCATOR_MAX];
	enum presync_rc rc = presync_feed(sp->presync, &out, b->h, b->stride,
					  b->hashes, b->n, b->full);

	if (rc == PRESYNC_MORE || rc == PRESYNC_DONE)
		sp->getheaders_s = 0;
	if (rc == PRESYNC_MORE)
		getheaders_send(sp, loc, presync_locator(sp->presync, loc));
	else
		presync_end(sp, b, rc);
	if (out.n == 0)
		return false;
	b->h = out.headers;
	b->stride = HEADER_SIZE;
	b->n = out.n;
	b->trusted = true;
	scratch_need(sp->s, out.n);
	sha256d80(sp->s->hashes, out.headers, HEADER_SIZE, out.n);
	b->hashes = sp->s->hashes;
	return true;
}

static bool is_ours(struct sync *s, const struct hnode *n)
{
	const struct hnode *best = htree_best(sync_tree(s));

	return n && (hnode_is_ancestor(n, best) || chain_has(s->chain, n));
}

static struct u256 claimed_work(const struct hnode *start,
				const struct batch *b)
{
	struct u256 sum = start->work;
	uint32_t bits = 0;
	struct u256 one = {{0}};

	for (uint32_t i = 0; i < b->n; i++) {
		uint32_t nb = le32_get(batch_at(b, i) + 72);
		if (nb != bits) {
			bits = nb;
			one = work_of_bits(bits);
		}
		sum = u256_add(&sum, &one);
	}
	return sum;
}

/* Below the threshold nothing is kept: begin a pre-sync when more is to come.
 */
static bool low_work(struct sp *sp, const struct hnode *start, struct batch *b)
{
	struct u256 need = antidos_work(sp->s);
	struct u256 have = claimed_work(start, b);

	if (u256_cmp(&have, &need) >= 0)
		return false;
	if (!b->full) {
		log_debug(
		    LOG_NET, "ignoring low-work chain peer=%llu height=%d",
		    (unsigned long long)sp->id, start->height + (int32_t)b->n);
		return true;
	}
	presync_free(sp->presync);
	sp->presync =
	    presync_new(sp->s->cfg.params, start, &need, sync_now(sp->s));
	return !presync_step(sp, b);
}

/* Accept all; the last node, or NULL when one was refused (and punished). */
static struct hnode *batch_accept(struct sp *sp, const struct batch *b)
{
	struct sync *s = sp->s;
	struct hnode *n = NULL;
	size_t fresh = 0;
	struct verdict v = verdict_valid();

	for (uint32_t i = 0; i < b->n && verdict_ok(&v); i++) {
		bool is_new = false;
		v = htree_accept_hashed(sync_tree(s), &n, &is_new,
					batch_at(b, i), &b->hashes[i],
					sync_now(s), true);
		if (verdict_ok(&v) && is_new)
			s->fresh[fresh++] = n;
	}
	if (fresh)
		chain_note_headers(s->chain, s->fresh, fresh);
	if (verdict_ok(&v))
		return n;
	log_debug(LOG_NET, "invalid header peer=%llu reason=%s",
		  (unsigned long long)sp->id, v.reject);
	punish(s, sp->peer, &v);
	return NULL;
}

/* In initial download an outbound peer with too little work is of no use. */
static void drop_poor_peer(struct sp *sp)
{
	if (!chain_in_ibd(sp->s->chain) || !sp->best_known ||
	    u256_cmp(&sp->best_known->work, htree_min_work(sync_tree(sp->s))) >=
		0)
		return;
	if (peer_conn_type(sp->peer) == CONN_OUTBOUND ||
	    peer_conn_type(sp->peer) == CONN_BLOCK_ONLY)
		peer_disconnect(sp->peer,
				"headers chain has insufficient work");
}

static void batch_unconnected(struct sp *sp, const struct batch *b)
{
	headers_ask(sp, htree_best(sync_tree(sp->s)));
	availability_set(sp, &b->hashes[b->n - 1]);
}

static void batch_process(struct sp *sp, struct batch *b)
{
	struct sync *s = sp->s;
	struct hnode *start, *last;
	bool resumed = sp->presync != NULL;

	if (resumed && !presync_step(sp, b))
		return;
	start = htree_find(sync_tree(s), header_prev(b->h));
	if (!start) {
		batch_unconnected(sp, b);
		return;
	}
	sp->getheaders_s = b->trusted && sp->presync ? sp->getheaders_s : 0;
	last = htree_find(sync_tree(s), &b->hashes[b->n - 1]);
	if (!b->trusted && !is_ours(s, last) && low_work(sp, start, b))
		return;
	last = batch_accept(sp, b);
	if (!last)
		return;
	if (b->full && !sp->presync)
		headers_ask(sp, last);
	availability_set(sp, &last->hash);
	behind_protect(sp);
	behind_check(sp, sync_now(s));
	maybe_sendheaders(sp);
	if (!b->full)
		drop_poor_peer(sp);
	download_direct(sp, last);
	download_all(s);
}

/* Headers whose counts take more than a byte, one after another in memory of
 * our own. */
static uint8_t *headers_flat(const struct headers_view *v)
{
	uint8_t *flat = xmalloc((size_t)v->n * HEADER_SIZE), *p = flat;

	for (const uint8_t *h = v->first; h; h = headers_next(v, h))
		p = bytes_put(p, h, HEADER_SIZE);
	return flat;
}

/* Nothing more to come: an answer, not an announcement. */
static void headers_end(struct sp *sp)
{
	presync_free(sp->presync);
	sp->presync = NULL;
	sp->getheaders_s = 0;
}

static void headers_work(struct sp *sp, const struct headers_view *v)
{
	uint8_t *flat = v->stride ? NULL : headers_flat(v);
	struct batch b = {.h = flat ? flat : v->first,
			  .stride = flat ? HEADER_SIZE : v->stride,
			  .n = v->n,
			  .full = v->n == HEADERS_MAX};

	scratch_need(sp->s, b.n);
	sha256d80(sp->s->hashes, b.h, b.stride, b.n);
	b.hashes = sp->s->hashes;
	if (batch_sane(sp, &b))
		batch_process(sp, &b);
	presync_free(b.spent);
	free(flat);
}

void on_headers(struct sp *sp, const struct net_msg *m)
{
	struct headers_view v;
	bool over = false;

	if (!headers_view_parse(&v, &over, m->body)) {
		if (over)
			peer_misbehaving(sp->peer, "headers message too large");
		return;
	}
	if (v.n == 0)
		headers_end(sp);
	else if (!sync_reads_own(sp->s))
		headers_work(sp, &v);
}

/* A block announced by inv: find out by headers what leads to it. */
static void inv_asks_headers(struct sp *sp, const struct hash256 *hash)
{
	struct sync *s = sp->s;

	if (!sp->sync_started &&
	    (sp->inv_asked || hash256_eq(hash, &s->last_inv_trigger)))
		return;
	headers_ask(sp, htree_best(sync_tree(s)));
	if (!sp->sync_started) {
		sp->inv_asked = true;
		s->last_inv_trigger = *hash;
	}
}

void on_inv(struct sp *sp, const struct net_msg *m)
{
	struct inv_view v;
	const struct hash256 *want = NULL;

	if (!inv_view_parse(&v, m->body))
		return;
	if (v.n > INV_MAX) {
		peer_misbehaving(sp->peer, "inv message too large");
		return;
	}
	for (uint32_t i = 0; i < v.n; i++) {
		const struct hash256 *h = inv_hash(&v, i);
		uint32_t type = inv_type(&v, i);
		if (type == INV_BLOCK) {
			availability_set(sp, h);
			if (!htree_find(sync_tree(sp->s), h))
				want = h;
		} else if (inv_is_tx(type) && !tx_inv(sp, type, h)) {
			return;
		}
	}
	tx_ask_all(sp->s);
	if (want)
		inv_asks_headers(sp, want);
	/* It may have what is missing on the way to a header we know. */
	download_more(sp);
}

void headers_tick(struct sp *sp, int64_t now_s)
{
	struct sync *s = sp->s;
	const struct hnode *best = htree_best(sync_tree(s));
	bool recent = (int64_t)best->time > now_s - DAY_S;
	size_t others = sync_preferred(s) - sp_is_preferred(sp);

	headers_start(sp);
	maybe_sendheaders(sp);
	if (sp->sync_started && !recent && now_s > sp->headers_deadline_s &&
	    s->n_sync_started == 1 && others > 0) {
		peer_disconnect(sp->peer, "timeout downloading headers");
		return;
	}
	behind_check(sp, now_s);
}
