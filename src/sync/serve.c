/*
 * Answers about the published chain: getheaders and getblocks at once, getdata
 * and filters through the readers while the peer is paused, so that replies
 * keep the order of requests. Loop only; the reading is in serve_read.c.
 */
#include "internal.h"

#include <cairn/wire/header.h>
#include <cairn/wire/locator.h>

#include <stdlib.h>

#define GETBLOCKS_MAX 500

/* On the published chain, or a connected stale block of the last month. */
bool block_may_serve(const struct sync *s, const struct hnode *n)
{
	const struct hnode *best = htree_best(sync_tree(s));

	if (chain_has(s->chain, n))
		return true;
	return (hnode_status(n) & HN_CONNECTED) &&
	       !(hnode_status(n) & HN_FAILED_ANY) &&
	       (int64_t)best->time - (int64_t)n->time < STALE_RELAY_AGE_S &&
	       best->height - n->height <
		   STALE_RELAY_AGE_S / s->cfg.params->target_spacing_s;
}

/* Last block of the locator on the published chain; genesis without any. */
static const struct hnode *locator_fork(struct sync *s,
					const struct locator_view *v)
{
	const struct hnode *tip = chain_tip(s->chain);

	for (uint32_t i = 0; i < v->n; i++) {
		struct hnode *n = htree_find(sync_tree(s), locator_at(v, i));
		if (!n)
			continue;
		if (chain_has(s->chain, n))
			return n;
		if (hnode_is_ancestor(tip, n))
			return tip;
	}
	return htree_genesis(sync_tree(s));
}

/* The locator, or false when it is malformed or too long (then disconnected).
 */
static bool locator_take(struct sp *sp, struct locator_view *v,
			 const struct net_msg *m)
{
	if (!locator_view_parse(v, m->body))
		return false;
	if (v->n > LOCATOR_MAX) {
		peer_disconnect(sp->peer, "locator too long");
		return false;
	}
	return true;
}

static void send_headers(struct sp *sp, const struct hnode *const *run,
			 uint32_t n)
{
	uint8_t *h = xmalloc((size_t)n * HEADER_SIZE + 1);
	uint8_t *body = xmalloc(headers_size(n));
	uint8_t *end;

	for (uint32_t i = 0; i < n; i++)
		hnode_header_put(h + (size_t)i * HEADER_SIZE, run[i]);
	end = headers_put(body, h, HEADER_SIZE, n);
	peer_send(sp->peer, MSG_HEADERS, slice_of(body, (size_t)(end - body)));
	free(body);
	free(h);
}

/* The single header that a locator-less request names by its stop hash. */
static void getheaders_one(struct sp *sp, const struct locator_view *v)
{
	const struct hnode *n = htree_find(sync_tree(sp->s), v->stop);

	if (!n || !block_may_serve(sp->s, n))
		return;
	sp->best_sent = n;
	send_headers(sp, &n, 1);
}

/* Headers behind from on the chain ending in tip, up to stop. */
static void getheaders_run(struct sp *sp, const struct hnode *from,
			   const struct hash256 *stop)
{
	const struct hnode *tip = chain_tip(sp->s->chain);
	const struct hnode **run;
	int32_t last = from->height + (int32_t)HEADERS_MAX;
	const struct hnode *at, *end;
	struct hnode *s = htree_find(sync_tree(sp->s), stop);

	if (last > tip->height)
		last = tip->height;
	if (s && s->height > from->height && s->height < last &&
	    chain_has(sp->s->chain, s))
		last = s->height;
	run = xmalloc(((size_t)(last - from->height) + 1) *
		      sizeof(struct hnode *));
	end = hnode_ancestor(tip, last);
	at = end;
	for (int32_t h = last; h > from->height; h--, at = at->prev)
		run[h - from->height - 1] = at;
	sp->best_sent = end;
	send_headers(sp, run, (uint32_t)(last - from->height));
	free(run);
}

void on_getheaders(struct sp *sp, const struct net_msg *m)
{
	struct sync *s = sp->s;
	struct locator_view v;

	if (!locator_take(sp, &v, m))
		return;
	/* Too little work to be of use: say so without leaving it waiting. */
	if (u256_cmp(&chain_tip(s->chain)->work, htree_min_work(sync_tree(s))) <
	    0) {
		send_headers(sp, NULL, 0);
		return;
	}
	if (v.n == 0)
		getheaders_one(sp, &v);
	else
		getheaders_run(sp, locator_fork(s, &v), v.stop);
}

void on_getblocks(struct sp *sp, const struct net_msg *m)
{
	struct sync *s = sp->s;
	struct locator_view v;
	const struct hnode *from, *at;
	uint8_t body[9 + GETBLOCKS_MAX * INV_ITEM_SIZE], *p;
	int32_t last;
	struct hnode *stop;

	if (!locator_take(sp, &v, m))
		return;
	from = locator_fork(s, &v);
	last = from->height + GETBLOCKS_MAX;
	if (last > chain_tip(s->chain)->height)
		last = chain_tip(s->chain)->height;
	stop = htree_find(sync_tree(s), v.stop);
	if (stop && stop->height > from->height && stop->height <= last &&
	    chain_has(s->chain, stop))
		last = stop->height - 1;
	if (last <= from->height)
		return;
	p = inv_count_put(body, (uint32_t)(last - from->height));
	for (int32_t h = from->height + 1; h <= last; h++) {
		at = chain_at(s->chain, h);
		p = inv_item_put(p, INV_BLOCK, &at->hash);
		if (h - from->height == GETBLOCKS_MAX) {
			sp->continuation = at->hash;
			sp->has_continuation = true;
		}
	}
	peer_send(sp->peer, MSG_INV, slice_of(body, (size_t)(p - body)));
}

void on_getdata(struct sp *sp, const struct net_msg *m)
{
	struct inv_view v;

	if (!inv_view_parse(&v, m->body))
		return;
	if (v.n > INV_MAX) {
		peer_misbehaving(sp->peer, "getdata message too large");
		return;
	}
	if (v.n == 0)
		return;
	must(sp->serve.kind == SERVE_NONE);
	sp->serve.kind = SERVE_ITEMS;
	sp->serve.items = xmalloc((size_t)v.n * INV_ITEM_SIZE);
	memcpy(sp->serve.items, v.p, (size_t)v.n * INV_ITEM_SIZE);
	sp->serve.n = v.n;
	sp->serve.next = 0;
	peer_pause(sp->peer);
	serve_continue(sp);
}

void serve_fini(struct sp *sp)
{
	free(sp->serve.items);
	sp->serve = (struct serve){.kind = SERVE_NONE};
}

/* One step of the open request. True: there may be another; a loop takes them,
 * as their number is the peer's choice. */
static bool serve_step(struct sp *sp)
{
	struct serve *sv = &sp->serve;

	if (sv->kind == SERVE_NONE || sv->reading)
		return false;
	while (sv->kind == SERVE_ITEMS && sv->next < sv->n &&
	       !peer_send_full(sp->peer) &&
	       inv_is_tx(le32_get(sv->items + sv->next * INV_ITEM_SIZE)))
		serve_txs(sp);
	if (peer_send_full(sp->peer))
		return false;
	if (sv->kind == SERVE_ITEMS && sv->next < sv->n) {
		serve_blocks_read(sp);
		return true;
	}
	if (sv->kind == SERVE_FILTERS && sv->height <= sv->stop->height) {
		serve_filters_read(sp);
		return true;
	}
	if (sv->kind == SERVE_TXN && sv->items) {
		serve_txn_read(sp);
		return true;
	}
	serve_fini(sp);
	peer_resume(sp->peer);
	return false;
}

/* Go on with the open request unless a read is out or the queue is full. */
void serve_continue(struct sp *sp)
{
	while (serve_step(sp))
		;
}
