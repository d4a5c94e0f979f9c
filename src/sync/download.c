/*
 * Which block is asked of whom: a window that moves along each peer's best
 * chain, a bounded number in flight per peer, a second peer for the block that
 * holds the window up, and timeouts. Loop only. Does not look into blocks
 * (blocks.c).
 */
#include "internal.h"

#define BATCH_MAX 256

/* More small blocks than large ones may be on the way. */
static size_t flight_limit(const struct sync *s)
{
	size_t n = FLIGHT_BYTES / (s->avg_block ? s->avg_block : 1);

	return n < FLIGHT_MIN ? FLIGHT_MIN : n > FLIGHT_MAX ? FLIGHT_MAX : n;
}

static uint32_t block_type(const struct sp *sp)
{
	return sp_serves_witness(sp) ? INV_WITNESS_BLOCK : INV_BLOCK;
}

static void send_getdata(struct sp *sp, uint32_t type, struct hnode *const *n,
			 size_t count)
{
	uint8_t body[9 + BATCH_MAX * INV_ITEM_SIZE];
	uint8_t *p = inv_count_put(body, (uint32_t)count);

	for (size_t i = 0; i < count; i++)
		p = inv_item_put(p, type, &n[i]->hash);
	peer_send(sp->peer, MSG_GETDATA, slice_of(body, (size_t)(p - body)));
	log_debug(LOG_NET, "getdata blocks=%zu from=%d peer=%llu", count,
		  n[0]->height, (unsigned long long)sp->id);
}

void block_getdata(struct sp *sp, struct hnode *n)
{
	send_getdata(sp, block_type(sp), &n, 1);
}

static void ask(struct sp *sp, uint32_t type, struct hnode *const *n,
		size_t count)
{
	for (size_t i = 0; i < count; i++)
		flight_add(sp, n[i]);
	send_getdata(sp, type, n, count);
}

bool block_ask(struct sp *sp, struct hnode *n)
{
	struct flight *f = flight_find(sp->s, &n->hash);

	if (f &&
	    (f->arrived || flight_count(f) >= 2 || flight_slot(f, sp) >= 0))
		return false;
	ask(sp, block_type(sp), &n, 1);
	return true;
}

/* Where this peer's chain leaves what we have. False: nothing to gain. */
static bool common_update(struct sp *sp)
{
	struct sync *s = sp->s;
	const struct hnode *tip = chain_tip(s->chain), *fork;

	availability_update(sp);
	if (!sp->best_known ||
	    u256_cmp(&sp->best_known->work, &tip->work) < 0 ||
	    u256_cmp(&sp->best_known->work, htree_min_work(sync_tree(s))) < 0)
		return false;
	fork = hnode_fork(sp->best_known, tip);
	if (!sp->common || u256_cmp(&fork->work, &sp->common->work) > 0 ||
	    !hnode_is_ancestor(sp->common, sp->best_known))
		sp->common = fork;
	return sp->common != sp->best_known;
}

/* What one walk along the window finds. */
struct search {
	struct hnode *want[BATCH_MAX];
	size_t n, max;
	struct flight *waiting; /* first block that is on its way already */
	bool window_end;
};

/* Judge one block of the walk. False ends it. */
static bool search_node(struct sp *sp, struct search *w, const struct hnode *n,
			int32_t window_end)
{
	struct sync *s = sp->s;
	uint32_t st = hnode_status(n);
	struct flight *f;

	if (st & HN_FAILED_ANY)
		return false;
	if ((st & HN_DATA) || chain_has(s->chain, n)) {
		if (sp->common == n->prev && (st & HN_DATA))
			sp->common = n;
		return true;
	}
	f = flight_find(s, &n->hash);
	if (f) {
		if (!w->waiting)
			w->waiting = f;
		return true;
	}
	if (n->height > window_end) {
		w->window_end = true;
		return false;
	}
	if (sp_is_limited(sp) && sp->best_known->height - n->height >= 286)
		return true;
	/* The tree hands nodes out as const to readers; this one is asked for.
	 */
	w->want[w->n++] = htree_find(sync_tree(s), &n->hash);
	return w->n < w->max;
}

static void search_window(struct sp *sp, struct search *w)
{
	const struct hnode *at = sp->common, *run[128];
	int32_t end = at->height + DOWNLOAD_WINDOW;
	int32_t last =
	    sp->best_known->height < end + 1 ? sp->best_known->height : end + 1;

	for (int32_t h = at->height; h < last;) {
		int32_t k = last - h < 128 ? last - h : 128;
		run[k - 1] = hnode_ancestor(sp->best_known, h + k);
		for (int32_t i = k - 1; i > 0; i--)
			run[i - 1] = run[i]->prev;
		for (int32_t i = 0; i < k; i++)
			if (!search_node(sp, w, run[i], end))
				return;
		h += k;
	}
}

/* Nothing left for this peer because one block holds the window up: ask it for
 * that block too, and start the clock of the one that keeps us waiting. */
static void help_stalled(struct sp *sp, struct flight *f)
{
	struct sp *slow = f->from[0];
	int64_t now = sync_now(sp->s);

	if (f->arrived || !slow || flight_slot(f, sp) >= 0)
		return;
	if (!slow->stalling_since_s)
		slow->stalling_since_s = now;
	if (now - f->since_s >= 1 && block_ask(sp, f->node))
		log_debug(LOG_NET,
			  "second request height=%d slow=%llu peer=%llu",
			  f->node->height, (unsigned long long)slow->id,
			  (unsigned long long)sp->id);
}

/* Core's rule of whom to load from. */
static bool may_download(const struct sp *sp)
{
	const struct sync *s = sp->s;
	bool ours =
	    sp_is_preferred(sp) || sync_preferred(s) == 0 || s->flights.n == 0;

	if (!sp_serves_blocks(sp) || !sp_serves_witness(sp) ||
	    peer_conn_type(sp->peer) == CONN_ADDR_FETCH || sync_reads_own(s))
		return false;
	return (ours && !sp_is_limited(sp)) || !chain_in_ibd(s->chain);
}

void download_more(struct sp *sp)
{
	struct sync *s = sp->s;
	struct search w = {.n = 0};
	size_t limit = flight_limit(s), blocks, bytes;

	/* Refill in batches: at most half of the limit is on its way. */
	if (!s->loaded || sp->n_flight > limit / 2 || !may_download(sp))
		return;
	chain_backlog(s->chain, &blocks, &bytes);
	if (bytes > BACKLOG_BYTES || blocks > BACKLOG_BLOCKS)
		return;
	if (!common_update(sp))
		return;
	w.max = limit - sp->n_flight;
	if (w.max > BATCH_MAX)
		w.max = BATCH_MAX;
	search_window(sp, &w);
	if (w.n)
		ask(sp, block_type(sp), w.want, w.n);
	else if (w.window_end && w.waiting)
		help_stalled(sp, w.waiting);
}

bool near_now(const struct sync *s)
{
	return chain_tip(s->chain)->time >
	       sync_now(s) - 20 * s->cfg.params->target_spacing_s;
}

/* Blocks on the way from the published chain to last that nobody was asked for,
 * the lowest first. 0 as well when there are more than max, or the way is long.
 */
static size_t way_to(struct sync *s, struct hnode **want, size_t max,
		     const struct hnode *last)
{
	size_t n = 0, steps = 0;

	for (; !chain_has(s->chain, last); last = last->prev) {
		if (++steps > DOWNLOAD_WINDOW)
			return 0;
		if ((hnode_status(last) & HN_DATA) ||
		    flight_find(s, &last->hash))
			continue;
		if (n == max)
			return 0;
		want[n++] = htree_find(sync_tree(s), &last->hash);
	}
	for (size_t i = 0; i < n / 2; i++) {
		struct hnode *x = want[i];
		want[i] = want[n - 1 - i];
		want[n - 1 - i] = x;
	}
	return n;
}

static bool nothing_in_flight(const struct sync *s)
{
	const struct flight *f;
	size_t i = 0;

	while ((f = hmap_next(&s->flights, &i)))
		if (!f->arrived)
			return false;
	return true;
}

/* One block on the tip that is the only one on its way comes by cmpctblock, of
 * who can: the pool may have most of it. */
static uint32_t best_type(const struct sp *sp, const struct hnode *n)
{
	struct peer_info i;

	peer_get_info(sp->peer, &i);
	return !sp->s->cfg.blocks_only && i.cmpct && nothing_in_flight(sp->s) &&
		       (hnode_status(n->prev) & HN_CONNECTED)
		   ? INV_CMPCT_BLOCK
		   : block_type(sp);
}

void download_direct(struct sp *sp, const struct hnode *last)
{
	struct sync *s = sp->s;
	struct hnode *want[FLIGHT_MIN + 1];
	size_t n;

	if (!near_now(s) || !sp_serves_witness(sp) ||
	    sp->n_flight >= FLIGHT_MIN ||
	    (hnode_status(last) & HN_FAILED_ANY) ||
	    u256_cmp(&last->work, &chain_tip(s->chain)->work) < 0)
		return;
	n = way_to(s, want, FLIGHT_MIN + 1, last);
	if (n > FLIGHT_MIN - sp->n_flight)
		n = FLIGHT_MIN - sp->n_flight;
	if (n)
		ask(sp, n == 1 ? best_type(sp, want[0]) : block_type(sp), want,
		    n);
}

void download_all(struct sync *s)
{
	for (struct sp *sp = s->peers; sp; sp = sp->next)
		download_more(sp);
}

/* The peer does not have what it announced. */
void on_notfound(struct sp *sp, const struct net_msg *m)
{
	struct inv_view v;

	if (!inv_view_parse(&v, m->body) || v.n > INV_MAX)
		return;
	for (uint32_t i = 0; i < v.n; i++) {
		struct flight *f;
		if (inv_is_tx(inv_type(&v, i))) {
			tx_notfound(sp, inv_hash(&v, i));
			continue;
		}
		f = flight_find(sp->s, inv_hash(&v, i));
		if (f && !f->arrived && flight_slot(f, sp) >= 0)
			flight_end(sp, f);
	}
	tx_ask_all(sp->s);
}

void download_tick(struct sp *sp, int64_t now_s)
{
	struct sync *s = sp->s;
	size_t others = 0;
	int64_t limit;

	if (sp->stalling_since_s &&
	    now_s - sp->stalling_since_s > s->stall_timeout_s) {
		if (s->stall_timeout_s < STALL_MAX_S)
			s->stall_timeout_s *= 2;
		peer_disconnect(sp->peer, "stalls block download");
		return;
	}
	for (const struct sp *o = s->peers; o; o = o->next)
		others += o != sp && o->n_flight > 0;
	limit = 600 + 300 * (int64_t)others;
	if (sp->n_flight && now_s - sp->downloading_since_s > limit) {
		peer_disconnect(sp->peer, "timeout downloading a block");
		return;
	}
	download_more(sp);
}
