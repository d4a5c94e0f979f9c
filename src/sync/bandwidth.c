/*
 * Which peers announce blocks by cmpctblock (BIP 152): the last three that
 * brought one that was new, as Bitcoin Core chooses them. Loop only.
 */
#include "internal.h"

#define COMPACT_VERSION 2

static void send_cmpct(struct sp *sp, bool high)
{
	uint8_t body[16];
	uint8_t *end = sendcmpct_put(body, high, COMPACT_VERSION);

	peer_send(sp->peer, MSG_SENDCMPCT,
		  slice_of(body, (size_t)(end - body)));
	sp->high_bandwidth = high;
}

void bandwidth_ready(struct sp *sp)
{
	if (peer_version(sp->peer) >= SENDCMPCT_VERSION)
		send_cmpct(sp, false);
}

static void list_del(struct sync *s, size_t i)
{
	s->n_fast--;
	for (; i < s->n_fast; i++)
		s->fast[i] = s->fast[i + 1];
}

void bandwidth_gone(struct sp *sp)
{
	struct sync *s = sp->s;

	for (size_t i = 0; i < s->n_fast; i++)
		if (s->fast[i] == sp)
			list_del(s, i--);
}

/* Who is to give way to sp: the oldest, but not the last one that we dialled
 * for one that dialled us. */
static size_t oldest(const struct sync *s, const struct sp *sp)
{
	size_t ours = 0;

	for (size_t i = 0; i < s->n_fast; i++)
		ours += !peer_is_inbound(s->fast[i]->peer);
	return peer_is_inbound(sp->peer) && ours == 1 &&
	       !peer_is_inbound(s->fast[0]->peer);
}

void bandwidth_prefer(struct sp *sp)
{
	struct sync *s = sp->s;
	struct peer_info i;
	bool known = sp->high_bandwidth;

	peer_get_info(sp->peer, &i);
	if (s->cfg.blocks_only || !i.cmpct)
		return;
	if (known) {
		bandwidth_gone(sp);
	} else {
		if (s->n_fast == FAST_MAX) {
			size_t out = oldest(s, sp);
			send_cmpct(s->fast[out], false);
			list_del(s, out);
		}
		send_cmpct(sp, true);
	}
	s->fast[s->n_fast++] = sp;
}
