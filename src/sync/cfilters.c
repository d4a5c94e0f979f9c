/*
 * Compact filters (BIP157) on both sides: answers to getcfilters, getcfheaders
 * and getcfcheckpt when we offer them, and filter checkpoints asked of peers
 * that do, noted in the chain store and compared with our own. Loop only.
 */
#include "internal.h"

#include <cairn/wire/cfilter.h>

#include <stdlib.h>

/* Core's PrepareBlockFilterRequest: the stop block, or NULL when the peer asked
 * for what it may not (then disconnected). */
static const struct hnode *filter_request(struct sp *sp, uint8_t type,
					  uint32_t start,
					  const struct hash256 *stop_hash,
					  uint32_t max)
{
	struct sync *s = sp->s;
	const struct hnode *stop;

	if (type != FILTER_BASIC ||
	    !(sync_services(s) & NODE_COMPACT_FILTERS)) {
		peer_disconnect(sp->peer,
				"filters of this type are not offered");
		return NULL;
	}
	stop = htree_find(sync_tree(s), stop_hash);
	if (!stop || !block_may_serve(s, stop)) {
		peer_disconnect(sp->peer, "filters of an unknown block asked");
		return NULL;
	}
	if (start > (uint32_t)stop->height ||
	    (uint32_t)stop->height - start >= max) {
		peer_disconnect(sp->peer, "filter range out of bounds");
		return NULL;
	}
	return stop;
}

void on_getcfilters(struct sp *sp, const struct net_msg *m)
{
	struct getcf_view v;
	const struct hnode *stop;

	if (!getcf_view_parse(&v, m->body))
		return;
	stop = filter_request(sp, v.filter_type, v.start_height, v.stop,
			      CFILTERS_MAX);
	if (!stop)
		return;
	must(sp->serve.kind == SERVE_NONE);
	sp->serve.kind = SERVE_FILTERS;
	sp->serve.stop = stop;
	sp->serve.height = (int32_t)v.start_height;
	peer_pause(sp->peer);
	serve_continue(sp);
}

void on_getcfheaders(struct sp *sp, const struct net_msg *m)
{
	struct sync *s = sp->s;
	struct getcf_view v;
	const struct hnode *stop;
	struct hash256 prev = {{0}}, hash;
	uint8_t *body, *p;
	uint32_t n;
	bool ok = true;

	if (!getcf_view_parse(&v, m->body))
		return;
	stop = filter_request(sp, v.filter_type, v.start_height, v.stop,
			      CFHEADERS_MAX);
	if (!stop)
		return;
	n = (uint32_t)stop->height - v.start_height + 1;
	if (v.start_height > 0)
		ok = chain_filter_header(
		    s->chain, &prev,
		    hnode_ancestor(stop, (int32_t)v.start_height - 1));
	body = xmalloc(cfheaders_size(n));
	p = cfheaders_head_put(body, FILTER_BASIC, &stop->hash, &prev, n);
	for (uint32_t i = 0; ok && i < n; i++) {
		ok = chain_filter_hash(
		    s->chain, &hash,
		    hnode_ancestor(stop, (int32_t)(v.start_height + i)));
		p = bytes_put(p, &hash, sizeof hash);
	}
	if (ok)
		peer_send(sp->peer, MSG_CFHEADERS,
			  slice_of(body, (size_t)(p - body)));
	free(body);
}

void on_getcfcheckpt(struct sp *sp, const struct net_msg *m)
{
	struct getcfcheckpt_view v;
	const struct hnode *stop;
	struct hash256 header;
	uint8_t *body, *p;
	uint32_t n;
	bool ok = true;

	if (!getcfcheckpt_view_parse(&v, m->body))
		return;
	stop = filter_request(sp, v.filter_type, 0, v.stop, UINT32_MAX);
	if (!stop)
		return;
	n = (uint32_t)stop->height / CFCHECKPT_INTERVAL;
	body = xmalloc(cfcheckpt_size(n));
	p = cfcheckpt_head_put(body, FILTER_BASIC, &stop->hash, n);
	for (uint32_t i = 1; ok && i <= n; i++) {
		ok = chain_filter_header(
		    sp->s->chain, &header,
		    hnode_ancestor(stop, (int32_t)i * CFCHECKPT_INTERVAL));
		p = bytes_put(p, &header, sizeof header);
	}
	if (ok)
		peer_send(sp->peer, MSG_CFCHECKPT,
			  slice_of(body, (size_t)(p - body)));
	free(body);
}

/* Ask once per interval of the chain that we and the peer share. */
void cfcheckpt_tick(struct sp *sp)
{
	struct sync *s = sp->s;
	const struct hnode *stop;
	uint8_t body[GETCFCHECKPT_SIZE];

	if (!s->cfg.ask_checkpoints || !sp->best_known ||
	    !(peer_services(sp->peer) & NODE_COMPACT_FILTERS))
		return;
	stop = hnode_fork(sp->best_known, htree_best(sync_tree(s)));
	if (stop->height / CFCHECKPT_INTERVAL <= sp->cf_asked)
		return;
	sp->cf_asked = stop->height / CFCHECKPT_INTERVAL;
	getcfcheckpt_put(body, FILTER_BASIC, &stop->hash);
	peer_send(sp->peer, MSG_GETCFCHECKPT, slice_of(body, sizeof body));
}

/* A peer whose filter headers are not those of the chain we validated. */
static void liar(struct sp *sp, int32_t height)
{
	log_warn(LOG_NET, "peer=%llu sent a false filter checkpoint height=%d",
		 (unsigned long long)sp->id, height);
	peer_misbehaving(sp->peer, "false filter checkpoint");
}

void on_cfcheckpt(struct sp *sp, const struct net_msg *m)
{
	struct sync *s = sp->s;
	struct cfcheckpt_view v;
	const struct hnode *stop;
	int32_t differs;

	if (!cfcheckpt_view_parse(&v, m->body) || sp->cf_asked == 0 ||
	    v.filter_type != FILTER_BASIC)
		return;
	stop = htree_find(sync_tree(s), v.stop);
	if (!stop)
		return;
	if (v.n != (uint32_t)stop->height / CFCHECKPT_INTERVAL) {
		peer_misbehaving(sp->peer, "cfcheckpt of the wrong length");
		return;
	}
	differs = chain_cfcheckpt_note(s->chain, sp->id, stop, v.headers, v.n);
	log_debug(LOG_NET, "cfcheckpt n=%u stop=%d differs=%d peer=%llu", v.n,
		  stop->height, differs, (unsigned long long)sp->id);
	if (differs >= 0)
		liar(sp, differs);
}

/* Our own chain has grown: claims that it now contradicts are lies. */
void cfcheckpt_refute(struct sync *s)
{
	struct cfcheckpt_row row;

	for (size_t i = 0; chain_cfcheckpt_at(s->chain, &row, i); i++) {
		if (row.state != CFC_REFUTED)
			continue;
		for (size_t k = 0; k < row.n_peers; k++) {
			struct sp *sp = sp_find(s, row.peers[k]);
			if (sp && peer_get_state(sp->peer) == PEER_READY)
				liar(sp, row.height);
		}
	}
}
