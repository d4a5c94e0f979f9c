/*
 * Reading coins ahead of their use: the chain thread lists what no generation
 * holds, any thread reads the database, the chain thread takes in what is still
 * true. Does not keep misses and never replaces what the cache holds.
 */
#include <cairn/chain/coins.h>

#include "coinview_gen.h"
#include "coinview_int.h"

#include <cairn/base/err.h>
#include <cairn/base/mem.h>

#include <stdlib.h>

#define AHEAD 16u /* outpoints whose memory is asked for at once */

struct want {
	uint8_t outpoint[36];
	uint32_t hash;
	uint8_t *value; /* NULL: not read, or not there */
	size_t n;
};

struct coin_prefetch {
	const struct coinview *v; /* for add; read uses kv only */
	struct kv *kv;
	uint64_t epoch; /* of the view when it was made */
	struct want *wants;
	size_t n, cap;
	int rc;
};

static struct coin_prefetch empty(const struct coinview *v)
{
	return (struct coin_prefetch){.v = v, .kv = v->kv, .epoch = v->epoch};
}

struct coin_prefetch *coin_prefetch_new(struct coinview *v)
{
	struct coin_prefetch *p = xmalloc(sizeof *p);

	*p = empty(v);
	return p;
}

static void want_add(struct coin_prefetch *p, uint32_t hash,
		     const uint8_t *outpoint)
{
	struct want *w;

	if (coinview_find(p->v, hash, outpoint))
		return;
	arr_grow(&p->wants, &p->cap, p->n + 1, sizeof *p->wants);
	w = &p->wants[p->n++];
	memcpy(w->outpoint, outpoint, 36);
	w->hash = hash;
	w->value = NULL;
	w->n = 0;
}

void coin_prefetch_add(struct coin_prefetch *p, const uint8_t *outpoint)
{
	want_add(p, coinview_hash(p->v, outpoint), outpoint);
}

size_t coin_prefetch_len(const struct coin_prefetch *p)
{
	return p->n;
}

void coin_prefetch_read(struct coin_prefetch *p)
{
	size_t i;

	for (i = 0; i < p->n; i++) {
		struct want *w = &p->wants[i];
		int rc = coinview_read(p->kv, &w->value, &w->n, w->outpoint);

		if (rc && rc != E_NOTFOUND) {
			p->rc = rc;
			return;
		}
	}
}

static int merge(struct coinview *v, struct coin_prefetch *p)
{
	/* A generation was dropped since reading began: what was read may be
	 * what it has deleted since. */
	bool stale = p->epoch != v->epoch;
	int rc = p->rc;
	size_t i;

	for (i = 0; i < p->n; i++) {
		struct want *w = &p->wants[i];

		if (rc == 0 && !stale && w->value &&
		    !coinview_find(v, w->hash, w->outpoint))
			rc = coinview_keep(v, w->hash, w->outpoint,
					   slice_of(w->value, w->n));
		free(w->value);
	}
	free(p->wants);
	return rc;
}

int coin_prefetch_merge(struct coinview *v, struct coin_prefetch *p)
{
	int rc = merge(v, p);

	free(p);
	return rc;
}

void coinview_touch(const struct coinview *v, const uint8_t *outpoint)
{
	gen_touch_slot(v->active, coinview_hash(v, outpoint));
}

/* Look a few outpoints up at once: their slots first, then their entries, so
 * that the misses of one wait together with those of the others. */
static void list_some(struct coin_prefetch *p, const uint8_t *const *ops,
		      size_t n)
{
	const struct coinview *v = p->v;
	const struct gen *gens[4] = {v->active, v->frozen, v->young, v->old};
	uint32_t hash[AHEAD];
	size_t i, g;

	for (i = 0; i < n; i++) {
		hash[i] = coinview_hash(v, ops[i]);
		for (g = 0; g < 4; g++) {
			if (gens[g])
				gen_touch_slot(gens[g], hash[i]);
		}
	}
	for (i = 0; i < n; i++) {
		for (g = 0; g < 4; g++) {
			if (gens[g])
				gen_touch_entry(gens[g], hash[i]);
		}
	}
	for (i = 0; i < n; i++)
		want_add(p, hash[i], ops[i]);
}

int coinview_prefetch(struct coinview *v, const uint8_t *const *outpoints,
		      size_t n)
{
	struct coin_prefetch p = empty(v);
	size_t i;

	for (i = 0; i < n; i += AHEAD)
		list_some(&p, outpoints + i, n - i < AHEAD ? n - i : AHEAD);
	coin_prefetch_read(&p);
	return merge(v, &p);
}
