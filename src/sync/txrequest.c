/*
 * Announcements of transactions and the choice among those who made them. For
 * every hash at most one peer is chosen (may be asked, or was and has not
 * answered); when it drops out the best of the others follows; when nobody is
 * left the hash is forgotten. Loop only. Sends nothing.
 */
#include "txrequest.h"

#include <cairn/base/mem.h>
#include <cairn/base/must.h>
#include <cairn/base/rand.h>
#include <cairn/crypto/siphash.h>

#include <stdlib.h>
#include <string.h>

enum ann_state {
	ANN_DELAYED, /* until its time */
	ANN_READY,
	ANN_BEST,  /* the ready one that is to be asked */
	ANN_ASKED, /* until its time */
	ANN_DONE,  /* has answered or let the time pass */
};

struct txr_tx {
	struct hash256 hash; /* of one kind or the other */
	struct txr_ann *anns;
	size_t n_open; /* not DONE */
};

struct txr_ann {
	struct txr_tx *tx;
	struct txr_peer *peer;
	struct txr_ann *tx_next;
	struct txr_ann *next, **link;           /* of the peer's */
	struct txr_ann *best_next, **best_link; /* of its best; NULL: not */
	uint64_t sequence, priority;
	int64_t at_us;  /* DELAYED, ASKED */
	size_t heap_at; /* DELAYED, ASKED */
	enum ann_state state;
	bool wtxid;
};

/* The heap of those that wait. */

static void heap_set(struct txrequest *r, size_t i, struct txr_ann *a)
{
	r->heap[i] = a;
	a->heap_at = i;
}

static void heap_up(struct txrequest *r, size_t i, struct txr_ann *a)
{
	while (i > 0 && r->heap[(i - 1) / 2]->at_us > a->at_us) {
		heap_set(r, i, r->heap[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	heap_set(r, i, a);
}

static void heap_down(struct txrequest *r, size_t i, struct txr_ann *a)
{
	for (;;) {
		size_t c = i * 2 + 1;
		if (c >= r->n_heap)
			break;
		if (c + 1 < r->n_heap &&
		    r->heap[c + 1]->at_us < r->heap[c]->at_us)
			c++;
		if (r->heap[c]->at_us >= a->at_us)
			break;
		heap_set(r, i, r->heap[c]);
		i = c;
	}
	heap_set(r, i, a);
}

static void heap_add(struct txrequest *r, struct txr_ann *a)
{
	arr_grow(&r->heap, &r->cap_heap, r->n_heap + 1,
		 sizeof(struct txr_ann *));
	r->n_heap++;
	heap_up(r, r->n_heap - 1, a);
}

static void heap_del(struct txrequest *r, const struct txr_ann *a)
{
	size_t i = a->heap_at;
	struct txr_ann *last = r->heap[--r->n_heap];

	if (last == a)
		return;
	if (last->at_us < a->at_us)
		heap_up(r, i, last);
	else
		heap_down(r, i, last);
}

/* States. */

static bool waits(const struct txr_ann *a)
{
	return a->state == ANN_DELAYED || a->state == ANN_ASKED;
}

static void best_add(struct txr_ann *a)
{
	struct txr_peer *p = a->peer;

	a->best_next = p->best;
	a->best_link = &p->best;
	if (p->best)
		p->best->best_link = &a->best_next;
	p->best = a;
}

static void best_del(struct txr_ann *a)
{
	*a->best_link = a->best_next;
	if (a->best_next)
		a->best_next->best_link = a->best_link;
	a->best_link = NULL;
}

static void leave_state(struct txrequest *r, struct txr_ann *a)
{
	if (waits(a))
		heap_del(r, a);
	if (a->state == ANN_BEST)
		best_del(a);
	a->peer->in_flight -= a->state == ANN_ASKED;
	a->tx->n_open -= a->state != ANN_DONE;
}

static void enter_state(struct txrequest *r, struct txr_ann *a,
			enum ann_state to, int64_t at_us)
{
	a->state = to;
	a->at_us = at_us;
	if (waits(a))
		heap_add(r, a);
	if (to == ANN_BEST)
		best_add(a);
	a->peer->in_flight += to == ANN_ASKED;
	a->tx->n_open += to != ANN_DONE;
}

static void change(struct txrequest *r, struct txr_ann *a, enum ann_state to,
		   int64_t at_us)
{
	leave_state(r, a);
	enter_state(r, a, to, at_us);
}

/* Choose the best of those that are ready, unless one was asked. True when the
 * choice is a new one. */
static bool choose(struct txrequest *r, struct txr_tx *t)
{
	struct txr_ann *top = NULL, *old = NULL;

	for (struct txr_ann *a = t->anns; a; a = a->tx_next) {
		if (a->state == ANN_ASKED)
			return false;
		if (a->state == ANN_BEST)
			old = a;
		if ((a->state == ANN_READY || a->state == ANN_BEST) &&
		    (!top || a->priority > top->priority))
			top = a;
	}
	if (top == old)
		return false;
	if (old)
		change(r, old, ANN_READY, 0);
	change(r, top, ANN_BEST, 0);
	return true;
}

/* Life and death. */

static struct txr_tx *tx_need(struct txrequest *r, const struct hash256 *hash)
{
	struct txr_tx *t = hmap_get(&r->txs, hash);

	if (!t) {
		t = xcalloc(1, sizeof *t);
		t->hash = *hash;
		hmap_put(&r->txs, &t->hash, t);
	}
	return t;
}

static struct txr_ann *ann_find(const struct txr_tx *t,
				const struct txr_peer *p)
{
	struct txr_ann *a = t ? t->anns : NULL;

	while (a && a->peer != p)
		a = a->tx_next;
	return a;
}

static void ann_free(struct txrequest *r, struct txr_ann *a)
{
	struct txr_ann **at = &a->tx->anns;

	leave_state(r, a);
	while (*at != a)
		at = &(*at)->tx_next;
	*at = a->tx_next;
	*a->link = a->next;
	if (a->next)
		a->next->link = a->link;
	a->peer->total--;
	free(a);
}

static void tx_free(struct txrequest *r, struct txr_tx *t)
{
	while (t->anns)
		ann_free(r, t->anns);
	hmap_del(&r->txs, &t->hash);
	free(t);
}

/* After a change: forget what nobody can give any more, else choose. */
static bool settle(struct txrequest *r, struct txr_tx *t)
{
	if (t->n_open)
		return choose(r, t);
	tx_free(r, t);
	return false;
}

void txrequest_init(struct txrequest *r)
{
	memset(r, 0, sizeof *r);
	hmap_init(&r->txs);
	rand_os(r->key, sizeof r->key);
}

void txrequest_fini(struct txrequest *r)
{
	must(r->txs.n == 0 && r->n_heap == 0);
	hmap_fini(&r->txs);
	free(r->heap);
}

/* Preferred peers before others; chance among equals, so that nobody can make
 * himself the first to be asked. */
static uint64_t priority_of(const struct txrequest *r,
			    const struct hash256 *hash, uint64_t peer,
			    bool preferred)
{
	uint8_t b[40];

	memcpy(b, hash->b, 32);
	memcpy(b + 32, &peer, 8);
	return siphash(r->key, b, sizeof b) >> 1 | (uint64_t)preferred << 63;
}

void txrequest_announced(struct txrequest *r, struct txr_peer *p,
			 const struct hash256 *hash, bool wtxid, bool preferred,
			 int64_t at_us)
{
	struct txr_tx *t = tx_need(r, hash);
	struct txr_ann *a;

	if (ann_find(t, p))
		return;
	a = xcalloc(1, sizeof *a);
	a->tx = t;
	a->peer = p;
	a->wtxid = wtxid;
	a->sequence = r->sequence++;
	a->priority = priority_of(r, hash, p->id, preferred);
	a->tx_next = t->anns;
	t->anns = a;
	a->next = p->first;
	a->link = &p->first;
	if (p->first)
		p->first->link = &a->next;
	p->first = a;
	p->total++;
	enter_state(r, a, ANN_DELAYED, at_us);
}

bool txrequest_advance(struct txrequest *r, int64_t now_us)
{
	bool news = false;

	while (r->n_heap && r->heap[0]->at_us <= now_us) {
		struct txr_ann *a = r->heap[0];
		struct txr_tx *t = a->tx;
		change(r, a, a->state == ANN_ASKED ? ANN_DONE : ANN_READY, 0);
		news |= settle(r, t);
	}
	return news;
}

static int cmp_sequence(const void *a, const void *b)
{
	const struct txr_ann *x = *(struct txr_ann *const *)a;
	const struct txr_ann *y = *(struct txr_ann *const *)b;

	return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

size_t txrequest_due(const struct txr_peer *p, struct txr_want **give)
{
	struct txr_ann **list;
	size_t n = 0, i = 0;

	*give = NULL;
	for (struct txr_ann *a = p->best; a; a = a->best_next)
		n++;
	if (n == 0)
		return 0;
	list = xmalloc(n * sizeof(struct txr_ann *));
	for (struct txr_ann *a = p->best; a; a = a->best_next)
		list[i++] = a;
	qsort(list, n, sizeof(struct txr_ann *), cmp_sequence);
	*give = xmalloc(n * sizeof **give);
	for (i = 0; i < n; i++)
		(*give)[i] =
		    (struct txr_want){list[i]->tx->hash, list[i]->wtxid};
	free(list);
	return n;
}

void txrequest_asked(struct txrequest *r, struct txr_peer *p,
		     const struct hash256 *hash, int64_t expiry_us)
{
	struct txr_ann *a = ann_find(hmap_get(&r->txs, hash), p);

	if (a && a->state == ANN_BEST)
		change(r, a, ANN_ASKED, expiry_us);
}

void txrequest_answered(struct txrequest *r, struct txr_peer *p,
			const struct hash256 *hash)
{
	struct txr_tx *t = hmap_get(&r->txs, hash);
	struct txr_ann *a = ann_find(t, p);

	if (!a)
		return;
	change(r, a, ANN_DONE, 0);
	settle(r, t);
}

void txrequest_forget(struct txrequest *r, const struct hash256 *hash)
{
	struct txr_tx *t = hmap_get(&r->txs, hash);

	if (t)
		tx_free(r, t);
}

void txrequest_peer_gone(struct txrequest *r, struct txr_peer *p)
{
	while (p->first) {
		struct txr_tx *t = p->first->tx;
		ann_free(r, p->first);
		settle(r, t);
	}
}

size_t txrequest_candidates(const struct txrequest *r,
			    const struct hash256 *hash, uint64_t *ids,
			    size_t max)
{
	const struct txr_tx *t = hmap_get(&r->txs, hash);
	size_t n = 0;

	for (struct txr_ann *a = t ? t->anns : NULL; a && n < max;
	     a = a->tx_next)
		if (a->state != ANN_DONE)
			ids[n++] = a->peer->id;
	return n;
}
