/*
 * The blocks that are on their way: whom each was asked of, in order, and what
 * the cmpctblock of each led to. Loop only. Whom to ask and when to give up is
 * decided in download.c and compact.c.
 */
#include "internal.h"

#include <stdlib.h>

struct flight *flight_find(struct sync *s, const struct hash256 *hash)
{
	return hmap_get(&s->flights, hash);
}

int flight_slot(const struct flight *f, const struct sp *sp)
{
	for (int i = 0; f && i < FLIGHT_FROM; i++)
		if (f->from[i] == sp)
			return i;
	return -1;
}

size_t flight_count(const struct flight *f)
{
	size_t n = 0;

	while (f && n < FLIGHT_FROM && f->from[n])
		n++;
	return n;
}

void flight_drop(struct sync *s, struct flight *f)
{
	for (int i = 0; i < FLIGHT_FROM; i++)
		partial_free(f->part[i]);
	hmap_del(&s->flights, &f->node->hash);
	free(f);
}

/* Take n off the peer's own list. */
static void sp_unlist(struct sp *sp, const struct hnode *n)
{
	for (size_t i = 0; i < sp->n_flight; i++) {
		if (sp->flight[i] != n)
			continue;
		sp->n_flight--;
		memmove(sp->flight + i, sp->flight + i + 1,
			(sp->n_flight - i) * sizeof(struct hnode *));
		if (i == 0)
			sp->downloading_since_s = sync_now(sp->s);
		return;
	}
}

static void flight_unlist(struct flight *f)
{
	for (int i = 0; i < FLIGHT_FROM; i++) {
		if (f->from[i])
			sp_unlist(f->from[i], f->node);
		f->from[i] = NULL;
		partial_free(f->part[i]);
		f->part[i] = NULL;
	}
}

void flight_arrived(struct sp *sp, struct flight *f)
{
	flight_unlist(f);
	f->arrived = true;
	sp->stalling_since_s = 0;
}

static void sp_list(struct sp *sp, struct hnode *n)
{
	if (sp->n_flight == 0)
		sp->downloading_since_s = sync_now(sp->s);
	arr_grow(&sp->flight, &sp->cap_flight, sp->n_flight + 1,
		 sizeof(struct hnode *));
	sp->flight[sp->n_flight++] = n;
}

/* The request for n, made if there is none. */
static struct flight *flight_of(struct sync *s, struct hnode *n)
{
	struct flight *f = flight_find(s, &n->hash);

	if (!f) {
		f = xcalloc(1, sizeof *f);
		f->node = n;
		f->since_s = sync_now(s);
		hmap_put(&s->flights, &n->hash, f);
	}
	return f;
}

void flight_rebuilt(struct sync *s, struct hnode *n)
{
	struct flight *f = flight_of(s, n);

	flight_unlist(f);
	f->arrived = true;
}

void flight_broken(struct sp *sp, struct flight *f)
{
	f->arrived = false;
	f->from[0] = sp;
	sp_list(sp, f->node);
}

/* sp is no longer asked; who was asked first stays first. */
static void flight_leave(struct flight *f, const struct sp *sp)
{
	int k = flight_slot(f, sp);

	if (k < 0)
		return;
	partial_free(f->part[k]);
	for (; k < FLIGHT_FROM - 1; k++) {
		f->from[k] = f->from[k + 1];
		f->part[k] = f->part[k + 1];
	}
	f->from[k] = NULL;
	f->part[k] = NULL;
}

void flight_end(struct sp *sp, struct flight *f)
{
	sp_unlist(sp, f->node);
	flight_leave(f, sp);
	if (!f->from[0])
		flight_drop(sp->s, f);
}

/* The peer is gone: what only it was asked for is free again. */
void flight_forget_peer(struct sp *sp)
{
	while (sp->n_flight) {
		const struct hnode *n = sp->flight[sp->n_flight - 1];
		struct flight *f = flight_find(sp->s, &n->hash);
		sp->n_flight--;
		if (!f)
			continue;
		flight_leave(f, sp);
		if (!f->from[0] && !f->arrived)
			flight_drop(sp->s, f);
	}
}

struct flight *flight_add(struct sp *sp, struct hnode *n)
{
	struct flight *f = flight_of(sp->s, n);

	must(flight_count(f) < FLIGHT_FROM);
	f->from[flight_count(f)] = sp;
	sp_list(sp, n);
	return f;
}
