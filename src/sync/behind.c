/*
 * Outbound peers whose chain has less work than ours: asked once, then let go,
 * so that a slot is not spent on a peer that does not follow. Loop only. Core's
 * ConsiderEviction. Does not judge what a peer sends.
 */
#include "internal.h"

#define BEHIND_TIMEOUT_S (20 * 60)
#define PROTECT_MAX      4

void behind_protect(struct sp *me)
{
	const struct sync *s = me->s;
	size_t n = 0;

	if (peer_conn_type(me->peer) != CONN_OUTBOUND || !me->best_known ||
	    u256_cmp(&me->best_known->work, &chain_tip(s->chain)->work) < 0)
		return;
	for (const struct sp *sp = s->peers; sp; sp = sp->next)
		n += sp->protected;
	me->protected = me->protected || n < PROTECT_MAX;
}

static void behind_reset(struct sp *sp, int64_t deadline_s)
{
	sp->behind_deadline_s = deadline_s;
	sp->behind_of = chain_tip(sp->s->chain);
	sp->behind_asked = false;
}

/* An outbound peer whose chain stays behind what ours was is asked once, then
 * let go (Core's ConsiderEviction). */
void behind_check(struct sp *sp, int64_t now_s)
{
	const struct hnode *tip = chain_tip(sp->s->chain);
	enum peer_conn c = peer_conn_type(sp->peer);

	if ((c != CONN_OUTBOUND && c != CONN_BLOCK_ONLY) || sp->protected ||
	    !sp->sync_started)
		return;
	availability_update(sp);
	if (sp->best_known && u256_cmp(&sp->best_known->work, &tip->work) >= 0)
		behind_reset(sp, 0);
	else if (!sp->behind_deadline_s ||
		 (sp->best_known &&
		  u256_cmp(&sp->best_known->work, &sp->behind_of->work) >= 0)) {
		behind_reset(sp, now_s + BEHIND_TIMEOUT_S);
	} else if (now_s > sp->behind_deadline_s && sp->behind_asked) {
		peer_disconnect(sp->peer, "its chain stays behind ours");
	} else if (now_s > sp->behind_deadline_s) {
		sp->behind_asked = true;
		sp->behind_deadline_s = now_s + HEADERS_RESPONSE_S;
		sp->getheaders_s = 0;
		headers_ask(sp, sp->behind_of->prev ? sp->behind_of->prev
						    : sp->behind_of);
	}
}
