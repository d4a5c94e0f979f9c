/*
 * The node's behaviour: construction, one struct per ready peer, the table of
 * message handlers, the tick, and what the chain's events lead to. Loop only.
 * What each message does stands in the files named in internal.h.
 */
#include <cairn/sync/sync.h>

#include "internal.h"

#include <stdlib.h>

#define PROGRESS_EVERY_S 10

typedef void (*on_msg_fn)(struct sp *sp, const struct net_msg *m);

/* Without NODE_BLOOM these requests end the connection, as in Core. */
static void on_bloom_request(struct sp *sp, const struct net_msg *m)
{
	(void)m;
	peer_disconnect(sp->peer, "bloom filters are not offered");
}

static const on_msg_fn handlers[MSG_COUNT] = {
    [MSG_BLOCK] = on_block,
    [MSG_BLOCKTXN] = on_blocktxn,
    [MSG_CFCHECKPT] = on_cfcheckpt,
    [MSG_CMPCTBLOCK] = on_cmpctblock,
    [MSG_FILTERADD] = on_bloom_request,
    [MSG_FILTERCLEAR] = on_bloom_request,
    [MSG_FILTERLOAD] = on_bloom_request,
    [MSG_GETBLOCKS] = on_getblocks,
    [MSG_GETBLOCKTXN] = on_getblocktxn,
    [MSG_GETCFCHECKPT] = on_getcfcheckpt,
    [MSG_GETCFHEADERS] = on_getcfheaders,
    [MSG_GETCFILTERS] = on_getcfilters,
    [MSG_GETDATA] = on_getdata,
    [MSG_GETHEADERS] = on_getheaders,
    [MSG_HEADERS] = on_headers,
    [MSG_INV] = on_inv,
    [MSG_MEMPOOL] = on_mempool,
    [MSG_NOTFOUND] = on_notfound,
    [MSG_TX] = on_tx,
};

struct sync *sync_new(const struct sync_cfg *cfg)
{
	struct sync *s = xcalloc(1, sizeof *s);

	s->cfg = *cfg;
	s->stall_timeout_s = STALL_MIN_S;
	s->avg_block = FLIGHT_BYTES / FLIGHT_MIN;
	hmap_init(&s->flights);
	txrelay_init(s);
	return s;
}

void sync_attach(struct sync *s, struct chain *chain, struct net *net)
{
	s->chain = chain;
	s->net = net;
}

static void sp_free(struct sp *sp)
{
	struct sync *s = sp->s;

	if (sp->sync_started)
		s->n_sync_started--;
	flight_forget_peer(sp);
	txrelay_gone(sp);
	bandwidth_gone(sp);
	serve_fini(sp);
	presync_free(sp->presync);
	*sp->link = sp->next;
	if (sp->next)
		sp->next->link = sp->link;
	free(sp->flight);
	free(sp->heights);
	free(sp);
}

void sync_free(struct sync *s)
{
	size_t i = 0;
	struct flight *f;

	if (!s)
		return;
	while (s->peers)
		sp_free(s->peers);
	while ((f = hmap_next(&s->flights, &i))) {
		must(!f->from[0]); /* the peers are gone, and their partials */
		free(f);
	}
	txrelay_fini(s);
	hmap_fini(&s->flights);
	free(s->hashes);
	free(s->fresh);
	free(s);
}

struct sp *sp_of(const struct peer *p)
{
	return peer_data(p);
}

struct sp *sp_find(struct sync *s, uint64_t id)
{
	struct peer *p = s->net ? net_peer(s->net, id) : NULL;

	return p ? sp_of(p) : NULL;
}

bool sp_serves_blocks(const struct sp *sp)
{
	return peer_services(sp->peer) & (NODE_NETWORK | NODE_NETWORK_LIMITED);
}

bool sp_serves_witness(const struct sp *sp)
{
	return peer_services(sp->peer) & NODE_WITNESS;
}

/* Keeps the last 288 blocks only. */
bool sp_is_limited(const struct sp *sp)
{
	uint64_t sv = peer_services(sp->peer);

	return !(sv & NODE_NETWORK) && (sv & NODE_NETWORK_LIMITED);
}

bool sp_may(const struct sp *sp, uint32_t perm)
{
	return peer_perms(sp->peer) & perm;
}

/* Core's fPreferredDownload: peers that we or the operator chose. */
bool sp_is_preferred(const struct sp *sp)
{
	enum peer_conn c = peer_conn_type(sp->peer);

	bool ours = !peer_is_inbound(sp->peer) || sp_may(sp, PERM_NOBAN);

	return ours && c != CONN_FEELER && c != CONN_ADDR_FETCH &&
	       sp_serves_blocks(sp);
}

size_t sync_preferred(const struct sync *s)
{
	size_t n = 0;

	for (const struct sp *sp = s->peers; sp; sp = sp->next)
		n += sp_is_preferred(sp);
	return n;
}

void sync_on_ready(struct sync *s, struct peer *p)
{
	struct sp *sp = xcalloc(1, sizeof *sp);

	sp->s = s;
	sp->peer = p;
	sp->id = peer_id(p);
	sp->next = s->peers;
	sp->link = &s->peers;
	if (s->peers)
		s->peers->link = &sp->next;
	s->peers = sp;
	peer_set_data(p, sp);
	bandwidth_ready(sp);
	txrelay_ready(sp);
	headers_start(sp);
	behind_check(sp, sync_now(s));
}

void sync_on_closed(struct sync *s, struct peer *p)
{
	struct sp *sp = sp_of(p);

	if (!sp)
		return;
	peer_set_data(p, NULL);
	sp_free(sp);
	/* What it was asked for may now come from others. */
	for (sp = s->peers; sp; sp = sp->next)
		headers_start(sp);
	download_all(s);
	tx_ask_all(s);
}

void sync_on_message(struct sync *s, struct peer *p, const struct net_msg *m)
{
	struct sp *sp = sp_of(p);
	on_msg_fn fn = handlers[m->type];

	(void)s;
	if (sp && fn)
		fn(sp, m);
}

void sync_on_drained(struct sync *s, struct peer *p)
{
	struct sp *sp = sp_of(p);

	(void)s;
	if (sp)
		serve_continue(sp);
}

/* While behind the best header: height, rate and the time that is left. */
static void progress_line(struct sync *s, int64_t now_s)
{
	const struct hnode *tip = chain_tip(s->chain);
	const struct hnode *best = htree_best(sync_tree(s));
	int64_t dt = now_s - s->progress_s;
	int32_t done = tip->height - s->progress_height;

	if (dt >= 0 && dt < PROGRESS_EVERY_S)
		return;
	if (s->progress_s && best->height > tip->height + 2 && done > 0 &&
	    dt > 0)
		log_info(LOG_NET,
			 "syncing height=%d headers=%d blocks_per_s=%lld "
			 "eta_s=%lld peers=%zu",
			 tip->height, best->height, (long long)(done / dt),
			 (long long)((best->height - tip->height) * dt / done),
			 net_count(s->net, true, true));
	s->progress_s = now_s;
	s->progress_height = tip->height;
}

void sync_on_tick(struct sync *s, int64_t now_s)
{
	struct sp *next;

	if (!s->loaded)
		return;
	for (struct sp *sp = s->peers; sp; sp = next) {
		next = sp->next;
		headers_tick(sp, now_s);
		download_tick(sp, now_s);
		cfcheckpt_tick(sp);
	}
	txrelay_tick(s);
	progress_line(s, now_s);
}

uint64_t sync_services(struct sync *s)
{
	uint64_t sv = NODE_NETWORK | NODE_WITNESS | NODE_NETWORK_LIMITED;

	if (s->cfg.serve_filters && s->loaded && chain_filters_ready(s->chain))
		sv |= NODE_COMPACT_FILTERS;
	return sv;
}

bool sync_near_tip(struct sync *s)
{
	return s->loaded && chain_tip(s->chain)->time >= sync_now(s) - DAY_S;
}

int32_t sync_height(struct sync *s)
{
	return s->loaded ? chain_tip(s->chain)->height : 0;
}

static void on_tip(struct sync *s, const struct chain_event *e)
{
	if (!chain_in_ibd(s->chain))
		announce_tip(s, e->node, e->fork);
	download_all(s);
	cfcheckpt_refute(s);
}

void sync_on_chain_event(struct sync *s, const struct chain_event *e)
{
	txrelay_event(s, e);
	switch (e->type) {
	case CHAIN_EV_LOADED:
		s->loaded = true;
		break;
	case CHAIN_EV_TIP:
		on_tip(s, e);
		break;
	case CHAIN_EV_INVALID:
		htree_recompute_best(sync_tree(s));
		if (e->peer != PEER_NONE && s->net)
			punish(s, net_peer(s->net, e->peer), &e->verdict);
		break;
	case CHAIN_EV_REVALIDATED:
		htree_recompute_best(sync_tree(s));
		download_all(s);
		break;
	case CHAIN_EV_STAGE:
	case CHAIN_EV_CONNECTED:
	case CHAIN_EV_DISCONNECTED:
	case CHAIN_EV_FATAL:
	case CHAIN_EV_STOPPED:
	case CHAIN_EV_TX_ADDED:
	case CHAIN_EV_TX_REMOVED:
		break;
	}
}

struct verdict sync_add_header(struct sync *s, struct hnode **node,
			       const uint8_t header[80], bool force_low_work)
{
	bool is_new = false;
	struct verdict v = htree_accept(sync_tree(s), node, &is_new, header,
					sync_now(s), force_low_work);

	if (verdict_ok(&v) && is_new)
		chain_note_headers(s->chain, node, 1);
	return v;
}

void sync_peer_info(const struct sync *s, const struct peer *p,
		    struct sync_peer_info *i)
{
	struct sp *sp = sp_of(p);

	(void)s;
	*i = (struct sync_peer_info){
	    .synced_headers = -1, .synced_blocks = -1, .presynced_headers = -1};
	if (!sp)
		return;
	availability_update(sp);
	if (sp->best_known)
		i->synced_headers = sp->best_known->height;
	if (sp->common)
		i->synced_blocks = sp->common->height;
	if (sp->presync && !presync_in_redownload(sp->presync))
		i->presynced_headers = presync_height(sp->presync);
	sp->heights =
	    xrealloc(sp->heights, (sp->n_flight + 1) * sizeof(int32_t));
	for (size_t k = 0; k < sp->n_flight; k++)
		sp->heights[k] = sp->flight[k]->height;
	i->last_inv_sequence = sp->tx.last_inv_sequence;
	i->inv_to_send = sp->tx.n_to_send;
	i->last_tx_s = sp->tx.last_tx_s;
	i->high_bandwidth = sp->high_bandwidth;
	i->inflight = sp->heights;
	i->n_inflight = sp->n_flight;
}

bool sync_fetch_block(struct sync *s, uint64_t peer, struct hnode *n)
{
	struct sp *sp = sp_find(s, peer);

	return sp && block_ask(sp, n);
}
