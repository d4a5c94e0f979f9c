/*
 * Telling peers of a new published tip: by cmpctblock to those that want it so
 * (BIP 152), by headers to those that asked for them (BIP 130) when that
 * connects to what they have, else by inv of the tip. Loop
 * only.
 */
#include "internal.h"

#include <cairn/wire/cmpctblock.h>
#include <cairn/wire/header.h>

#include <stdlib.h>

static bool peer_has(const struct sp *sp, const struct hnode *n)
{
	return (sp->best_known && hnode_is_ancestor(n, sp->best_known)) ||
	       (sp->best_sent && hnode_is_ancestor(n, sp->best_sent));
}

static void announce_inv(struct sp *sp, const struct hnode *tip)
{
	uint8_t body[9 + INV_ITEM_SIZE];
	uint8_t *p = inv_count_put(body, 1);

	if (peer_has(sp, tip))
		return;
	p = inv_item_put(p, INV_BLOCK, &tip->hash);
	peer_send(sp->peer, MSG_INV, slice_of(body, (size_t)(p - body)));
}

/* Headers from the first one that the peer lacks and can connect. False when
 * none of them connects. */
static bool announce_headers(struct sp *sp, const struct hnode *const *run,
			     size_t n)
{
	uint8_t h[ANNOUNCE_MAX * HEADER_SIZE];
	uint8_t body[9 + ANNOUNCE_MAX * 81];
	uint8_t *end;
	size_t i = 0;

	while (i < n && peer_has(sp, run[i]))
		i++;
	if (i == n)
		return true;
	if (run[i]->prev && !peer_has(sp, run[i]->prev))
		return false;
	for (size_t k = i; k < n; k++)
		hnode_header_put(h + (k - i) * HEADER_SIZE, run[k]);
	end = headers_put(body, h, HEADER_SIZE, (uint32_t)(n - i));
	peer_send(sp->peer, MSG_HEADERS, slice_of(body, (size_t)(end - body)));
	sp->best_sent = run[n - 1];
	return true;
}

/* The tip by cmpctblock, if its header alone is new to the peer, and connects,
 * and its block is at hand. */
static bool announce_compact(struct sp *sp, const struct hnode *tip)
{
	struct txblock *b = &sp->s->tx.block;
	uint8_t *body, *end;

	if (b->node != tip || b->view.n_tx > CMPCT_TX_MAX || !tip->prev ||
	    peer_has(sp, tip) || !peer_has(sp, tip->prev))
		return false;
	body = xmalloc(cmpctblock_of_size(&b->view));
	end = cmpctblock_of_put(body, &b->view, rand_u64(&sp->s->tx.rand));
	peer_send(sp->peer, MSG_CMPCTBLOCK,
		  slice_of(body, (size_t)(end - body)));
	free(body);
	sp->best_sent = tip;
	return true;
}

void announce_tip(struct sync *s, const struct hnode *tip,
		  const struct hnode *fork)
{
	const struct hnode *run[ANNOUNCE_MAX];
	size_t n = 0;
	bool many = tip->height - fork->height > ANNOUNCE_MAX;

	for (const struct hnode *at = tip; at != fork && n < ANNOUNCE_MAX;
	     at = at->prev)
		n++;
	for (const struct hnode *at = tip; n > 0 && at != fork; at = at->prev) {
		run[--n] = at;
		if (n == 0)
			break;
	}
	n = (size_t)(many ? ANNOUNCE_MAX : tip->height - fork->height);
	for (struct sp *sp = s->peers; sp; sp = sp->next) {
		struct peer_info i;
		peer_get_info(sp->peer, &i);
		availability_update(sp);
		if (i.cmpct_hb_from && announce_compact(sp, tip))
			continue;
		if (many || !i.send_headers || !announce_headers(sp, run, n))
			announce_inv(sp, tip);
	}
}
