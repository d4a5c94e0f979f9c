/*
 * The orphanage: transactions by wtxid, by the outpoints that they spend, and
 * by the peers that announced them. Loop only. Asks nobody for parents.
 */
#include "txorphans.h"

#include <cairn/base/buf.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>
#include <cairn/base/must.h>

#include <stdlib.h>
#include <string.h>

/* One input: its outpoint as a key, and who else spends the same. */
struct orphan_link {
	struct hash256 key;
	struct orphan *tx;
	struct orphan_link *same;
};

struct orphan_ann {
	struct orphan *tx;
	struct orphan_peer *peer;
	struct orphan_ann *tx_next;
	struct orphan_ann *prev, *next; /* of the peer's list */
	uint64_t sequence;
	bool reconsider;
};

/* Two outpoints differ in this too: nobody finds two txids that differ in four
 * bytes alone. */
static void outpoint_key(struct hash256 *key, const struct hash256 *txid,
			 uint32_t index)
{
	*key = *txid;
	le32_put(key->b, le32_get(key->b) ^ index);
}

/* The peer's lists. */

static struct orphan_list *list_of(struct orphan_ann *a)
{
	return a->reconsider ? &a->peer->ready : &a->peer->waiting;
}

/* In order of age; the newest is put in most often. */
static void list_add(struct orphan_ann *a)
{
	struct orphan_list *l = list_of(a);
	struct orphan_ann *after = l->last;

	while (after && after->sequence > a->sequence)
		after = after->prev;
	a->prev = after;
	a->next = after ? after->next : l->first;
	if (a->prev)
		a->prev->next = a;
	else
		l->first = a;
	if (a->next)
		a->next->prev = a;
	else
		l->last = a;
}

static void list_del(struct orphan_ann *a)
{
	struct orphan_list *l = list_of(a);

	if (a->prev)
		a->prev->next = a->next;
	else
		l->first = a->next;
	if (a->next)
		a->next->prev = a->prev;
	else
		l->last = a->prev;
}

static void set_reconsider(struct orphan_ann *a, bool on)
{
	list_del(a);
	a->reconsider = on;
	a->tx->reconsider = on;
	list_add(a);
}

/* The index of outpoints. */

static void links_add(struct orphans *o, struct orphan *t)
{
	struct txin_view in;
	struct tx_iter it;
	struct orphan_link *l = xcalloc(t->view.n_in + 1, sizeof *l);

	t->links = l;
	txins(&it, &t->view);
	for (; txin_next(&it, &in); l++) {
		outpoint_key(&l->key, outpoint_txid(in.prevout),
			     outpoint_index(in.prevout));
		l->tx = t;
		l->same = hmap_get(&o->by_outpoint, &l->key);
		hmap_put(&o->by_outpoint, &l->key, l);
	}
}

static void link_del(struct orphans *o, struct orphan_link *l)
{
	struct orphan_link *first = hmap_del(&o->by_outpoint, &l->key);
	struct orphan_link **at = &first;

	while (*at != l)
		at = &(*at)->same;
	*at = l->same;
	/* Put back under the key that is first now: the old one may go. */
	if (first)
		hmap_put(&o->by_outpoint, &first->key, first);
}

/* Announcements and transactions. */

static void peer_joins(struct orphans *o, struct orphan_peer *p)
{
	p->next = o->peers;
	p->link = &o->peers;
	if (o->peers)
		o->peers->link = &p->next;
	o->peers = p;
	o->n_peers++;
}

static void peer_leaves(struct orphans *o, struct orphan_peer *p)
{
	*p->link = p->next;
	if (p->next)
		p->next->link = p->link;
	o->n_peers--;
}

static void ann_add(struct orphans *o, struct orphan *t, struct orphan_peer *p)
{
	struct orphan_ann *a = xcalloc(1, sizeof *a);

	if (p->n++ == 0)
		peer_joins(o, p);
	p->weight += t->weight;
	p->score += t->score + 1;
	a->tx = t;
	a->peer = p;
	a->sequence = o->sequence++;
	a->tx_next = t->anns;
	t->anns = a;
	list_add(a);
	o->n_anns++;
}

static void tx_free(struct orphans *o, struct orphan *t)
{
	for (uint32_t i = 0; i < t->view.n_in; i++)
		link_del(o, &t->links[i]);
	hmap_del(&o->by_wtxid, &t->wtxid);
	o->weight -= t->weight;
	o->score -= t->score;
	buf_unref(t->buf);
	free(t->links);
	free(t);
}

/* Also frees the transaction when nobody else has announced it. */
static void ann_free(struct orphans *o, struct orphan_ann *a)
{
	struct orphan *t = a->tx;
	struct orphan_peer *p = a->peer;
	struct orphan_ann **at = &t->anns;

	while (*at != a)
		at = &(*at)->tx_next;
	*at = a->tx_next;
	list_del(a);
	if (a->reconsider)
		t->reconsider = false;
	p->weight -= t->weight;
	p->score -= t->score + 1;
	if (--p->n == 0)
		peer_leaves(o, p);
	o->n_anns--;
	free(a);
	if (!t->anns)
		tx_free(o, t);
}

static void drop(struct orphans *o, struct orphan *t)
{
	bool last;

	do {
		last = t->anns->tx_next == NULL;
		ann_free(o, t->anns);
	} while (!last);
}

/* The limits. */

static bool too_much(const struct orphans *o)
{
	size_t peers = o->n_peers ? o->n_peers : 1;

	return o->n_anns + o->score > ORPHAN_SCORE_MAX ||
	       o->weight > (int64_t)peers * ORPHAN_WEIGHT_PER_PEER;
}

/* How much of its share a peer uses, in millionths: of the weight or of the
 * score, whichever is more. score_max is a peer's share of it. */
static uint64_t usage(const struct orphan_peer *p, uint32_t score_max)
{
	uint64_t w = (uint64_t)p->weight * 1000000 / ORPHAN_WEIGHT_PER_PEER;
	uint64_t s = (uint64_t)p->score * 1000000 / score_max;

	return w > s ? w : s;
}

/* Who uses most; the newer connection among equals. */
static struct orphan_peer *worst(const struct orphans *o, uint32_t score_max)
{
	struct orphan_peer *w = o->peers;

	for (struct orphan_peer *p = w->next; p; p = p->next) {
		uint64_t a = usage(p, score_max), b = usage(w, score_max);
		if (a > b || (a == b && p->id > w->id))
			w = p;
	}
	return w;
}

static struct orphan_ann *oldest(const struct orphan_peer *p)
{
	return p->waiting.first ? p->waiting.first : p->ready.first;
}

/* Ends: each turn drops an announcement, and nothing is within the limits. A
 * peer is left alone once another uses more. */
static void limit(struct orphans *o)
{
	size_t before = o->by_wtxid.n;
	uint32_t score_max =
	    ORPHAN_SCORE_MAX / (uint32_t)(o->n_peers ? o->n_peers : 1);

	if (!too_much(o))
		return;
	while (o->peers && too_much(o))
		ann_free(o, oldest(worst(o, score_max)));
	log_debug(LOG_MEMPOOL, "orphanage overflow, removed=%zu left=%zu",
		  before - o->by_wtxid.n, o->by_wtxid.n);
}

void orphans_init(struct orphans *o)
{
	memset(o, 0, sizeof *o);
	hmap_init(&o->by_wtxid);
	hmap_init(&o->by_outpoint);
}

void orphans_fini(struct orphans *o)
{
	must(o->n_anns == 0);
	hmap_fini(&o->by_wtxid);
	hmap_fini(&o->by_outpoint);
}

struct orphan *orphans_find(const struct orphans *o,
			    const struct hash256 *wtxid)
{
	return hmap_get(&o->by_wtxid, wtxid);
}

bool orphans_has_from(const struct orphan *t, const struct orphan_peer *p)
{
	const struct orphan_ann *a = t->anns;

	while (a && a->peer != p)
		a = a->tx_next;
	return a != NULL;
}

static struct orphan *tx_new(struct orphans *o, struct buf *keep,
			     const struct tx_view *view)
{
	struct orphan *t = xcalloc(1, sizeof *t);

	t->buf = buf_ref(keep);
	t->view = *view;
	t->weight = tx_weight(view);
	t->score = view->n_in / 10;
	o->weight += t->weight;
	o->score += t->score;
	links_add(o, t);
	return t;
}

bool orphans_add(struct orphans *o, struct orphan_peer *p, struct buf *keep,
		 const struct tx_view *view, const struct hash256 *txid,
		 const struct hash256 *wtxid)
{
	struct orphan *t = orphans_find(o, wtxid);

	if (tx_weight(view) > ORPHAN_WEIGHT_MAX)
		return false;
	if (t && orphans_has_from(t, p))
		return false;
	if (!t) {
		t = tx_new(o, keep, view);
		t->txid = *txid;
		t->wtxid = *wtxid;
		hmap_put(&o->by_wtxid, &t->wtxid, t);
	}
	ann_add(o, t, p);
	limit(o);
	return true;
}

void orphans_announced(struct orphans *o, struct orphan *t,
		       struct orphan_peer *p)
{
	if (orphans_has_from(t, p))
		return;
	ann_add(o, t, p);
	limit(o);
}

static void make_ready(struct orphan *t, struct rand *rand)
{
	struct orphan_ann *a;
	uint64_t n = 0;

	if (t->reconsider)
		return;
	for (a = t->anns; a; a = a->tx_next)
		n++;
	n = rand_below(rand, n);
	for (a = t->anns; n > 0; n--)
		a = a->tx_next;
	set_reconsider(a, true);
}

void orphans_parent_came(struct orphans *o, const struct tx_view *tx,
			 const struct hash256 *txid, struct rand *rand)
{
	if (o->n_anns == 0)
		return;
	for (uint32_t i = 0; i < tx->n_out; i++) {
		struct hash256 key;
		struct orphan_link *l;
		outpoint_key(&key, txid, i);
		l = hmap_get(&o->by_outpoint, &key);
		for (; l; l = l->same)
			make_ready(l->tx, rand);
	}
}

struct orphan *orphans_ready(struct orphan_peer *p)
{
	struct orphan_ann *a = p->ready.first;

	if (!a)
		return NULL;
	set_reconsider(a, false);
	return a->tx;
}

bool orphans_drop(struct orphans *o, const struct hash256 *wtxid)
{
	struct orphan *t = orphans_find(o, wtxid);

	if (t)
		drop(o, t);
	limit(o);
	return t != NULL;
}

static void drop_spenders(struct orphans *o, const uint8_t *outpoint)
{
	struct hash256 key;
	struct orphan_link *l;

	outpoint_key(&key, outpoint_txid(outpoint), outpoint_index(outpoint));
	while ((l = hmap_get(&o->by_outpoint, &key)))
		drop(o, l->tx);
}

void orphans_block(struct orphans *o, const struct block_view *b)
{
	size_t before = o->by_wtxid.n;
	struct txin_view in;
	struct tx_iter it;

	for (uint32_t i = 1; i < b->n_tx && o->n_anns; i++) {
		txins(&it, &b->tx[i]);
		while (txin_next(&it, &in))
			drop_spenders(o, in.prevout);
	}
	if (o->by_wtxid.n != before)
		log_debug(LOG_MEMPOOL,
			  "orphans in or against a block, removed=%zu",
			  before - o->by_wtxid.n);
	limit(o);
}

void orphans_peer_gone(struct orphans *o, struct orphan_peer *p)
{
	while (p->n)
		ann_free(o, oldest(p));
	limit(o);
}

size_t orphans_children(const struct orphan_peer *p, const struct hash256 *txid,
			struct orphan **out, size_t max)
{
	const struct orphan_list *lists[] = {&p->ready, &p->waiting};
	size_t n = 0;

	for (size_t i = 0; i < 2; i++)
		for (struct orphan_ann *a = lists[i]->last; a && n < max;
		     a = a->prev)
			if (tx_spends_from(&a->tx->view, txid))
				out[n++] = a->tx;
	return n;
}

bool orphans_announcer(const struct orphan *t, const struct orphan_ann **at,
		       uint64_t *id)
{
	*at = *at ? (*at)->tx_next : t->anns;
	if (*at)
		*id = (*at)->peer->id;
	return *at != NULL;
}
