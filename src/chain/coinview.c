/*
 * The coins cache: look-ups through the generations down to the database, and
 * the changes of a block. Chain thread. Does not write to the database (the
 * flusher does), and does not judge: whether a coin may be spent is the
 * caller's question.
 */
#include <cairn/chain/coins.h>

#include "coinview_gen.h"
#include "coinview_int.h"

#include <cairn/base/err.h>
#include <cairn/base/must.h>
#include <cairn/store/kv.h>

#include <stdlib.h>

__extension__ typedef unsigned __int128 u128;

static uint64_t mul_fold(uint64_t a, uint64_t b)
{
	u128 v = (u128)a * b;

	return (uint64_t)v ^ (uint64_t)(v >> 64);
}

/* Salted, over all 36 bytes: whoever makes transactions cannot aim at a slot.
 */
uint32_t coinview_hash(const struct coinview *v, const uint8_t *outpoint)
{
	uint64_t a = mul_fold(le64_get(outpoint) ^ v->salt[0],
			      le64_get(outpoint + 8) ^ v->salt[1]);
	uint64_t b = mul_fold(le64_get(outpoint + 16) ^ v->salt[2],
			      le64_get(outpoint + 24) ^ v->salt[3]);
	uint64_t h =
	    mul_fold(a ^ le32_get(outpoint + 32) ^ v->salt[1], b ^ v->salt[0]);

	return (uint32_t)(h >> 32);
}

void coinview_key(uint8_t key[COIN_KEY], const uint8_t *outpoint)
{
	key[0] = 'C';
	memcpy(key + 1, outpoint, 32);
	be32_put(key + 33, le32_get(outpoint + 32));
}

uint8_t *coinview_find(const struct coinview *v, uint32_t hash,
		       const uint8_t *outpoint)
{
	uint8_t *e = gen_find(v->active, hash, outpoint);

	if (!e && v->frozen)
		e = gen_find(v->frozen, hash, outpoint);
	if (!e)
		e = gen_find(v->young, hash, outpoint);
	if (!e)
		e = gen_find(v->old, hash, outpoint);
	return e;
}

static bool decode(struct coin *c, uint8_t *scratch, struct slice value)
{
	const uint8_t *end = value.p + value.n;

	return coin_get(c, scratch, value.p, end) == end;
}

int coinview_read(struct kv *kv, uint8_t **give, size_t *n,
		  const uint8_t *outpoint)
{
	uint8_t key[COIN_KEY], scratch[COIN_SCRATCH];
	struct coin c;
	uint8_t *value;
	size_t len;
	int rc;

	coinview_key(key, outpoint);
	rc = kv_get(kv, &value, &len, slice_of(key, sizeof key));
	if (rc)
		return rc;
	if (len > COIN_MAX || !decode(&c, scratch, slice_of(value, len))) {
		free(value);
		return E_CORRUPT;
	}
	*give = value;
	*n = len;
	return 0;
}

int coinview_keep(struct coinview *v, uint32_t hash, const uint8_t *outpoint,
		  struct slice value)
{
	uint8_t *e = gen_put(v->young, hash, outpoint, 0, value.n);

	if (!e)
		return E_NOMEM;
	bytes_put(e + ENTRY_HEAD, value.p, value.n);
	return 0;
}

static void held_drop(struct coinview *v)
{
	free(v->held);
	v->held = NULL;
}

/* Give out the coin of an entry that lives; every value was checked when it
 * came in. */
static int give_coin(struct coinview *v, struct coin *out, struct slice value)
{
	return decode(out, v->scratch, value) ? 0 : E_CORRUPT;
}

/* Read a coin that no generation holds; *value lies in v->held. */
static int read_held(struct coinview *v, struct slice *value,
		     const uint8_t *outpoint)
{
	size_t n;
	int rc = coinview_read(v->kv, &v->held, &n, outpoint);

	if (rc == 0)
		*value = slice_of(v->held, n);
	return rc;
}

int coinview_get(struct coinview *v, struct coin *out, const uint8_t *outpoint)
{
	uint32_t hash = coinview_hash(v, outpoint);
	struct slice value;
	const uint8_t *e;
	int rc;

	held_drop(v);
	e = coinview_find(v, hash, outpoint);
	if (e && entry_is_tomb(e))
		return E_NOTFOUND;
	if (e)
		return give_coin(v, out, entry_value(e));
	rc = read_held(v, &value, outpoint);
	if (rc == 0)
		rc = coinview_keep(v, hash, outpoint, value);
	return rc ? rc : give_coin(v, out, value);
}

static void clean_del(struct coinview *v, uint32_t hash,
		      const uint8_t *outpoint)
{
	gen_del(v->young, hash, outpoint);
	gen_del(v->old, hash, outpoint);
}

static int put_tomb(struct coinview *v, uint32_t hash, const uint8_t *outpoint)
{
	if (!gen_put(v->active, hash, outpoint, ENTRY_TOMB, 0))
		return E_NOMEM;
	clean_del(v, hash, outpoint);
	return 0;
}

int coinview_spend(struct coinview *v, struct coin *out,
		   const uint8_t *outpoint)
{
	uint32_t hash = coinview_hash(v, outpoint);
	struct slice value;
	const uint8_t *e;
	int rc;

	held_drop(v);
	e = gen_find(v->active, hash, outpoint);
	if (e && !entry_is_tomb(e) && (e[ENTRY_FLAGS] & ENTRY_FRESH)) {
		rc = give_coin(v, out, entry_value(e));
		gen_del(v->active, hash, outpoint);
		return rc;
	}
	if (!e)
		e = coinview_find(v, hash, outpoint);
	if (e && entry_is_tomb(e))
		return E_NOTFOUND;
	if (e)
		value = entry_value(e);
	else if ((rc = read_held(v, &value, outpoint)) != 0)
		return rc;
	rc = put_tomb(v, hash, outpoint);
	/* The removed entry's bytes stay until the next coin is put. */
	return rc ? rc : give_coin(v, out, value);
}

/* Whether a coin that is added and spent again before the next freeze may
 * vanish without a trace: nothing below active may then hold it. The disk, and
 * what is only a copy of it, is the caller's word. */
static bool is_fresh(const struct coinview *v, uint32_t hash,
		     const uint8_t *outpoint, bool fresh_ok)
{
	const uint8_t *e = gen_find(v->active, hash, outpoint);

	if (e)
		return e[ENTRY_FLAGS] & ENTRY_FRESH;
	if (!fresh_ok)
		return false;
	return !v->frozen || !gen_find(v->frozen, hash, outpoint);
}

static int put_coin(struct coinview *v, uint32_t hash, const uint8_t *outpoint,
		    const struct coin *c, uint8_t flags)
{
	size_t n = coin_size(c);
	uint8_t tmp[COIN_MAX];
	uint8_t *e;

	must(n <= sizeof tmp);
	/* Written first: c may lie in what gen_put is about to reuse. */
	coin_put(tmp, c);
	e = gen_put(v->active, hash, outpoint, flags, n);
	if (!e)
		return E_NOMEM;
	memcpy(e + ENTRY_HEAD, tmp, n);
	if (!(flags & ENTRY_FRESH))
		clean_del(v, hash, outpoint);
	held_drop(v);
	return 0;
}

int coinview_add(struct coinview *v, const uint8_t *outpoint,
		 const struct coin *c, bool fresh_ok)
{
	uint32_t hash = coinview_hash(v, outpoint);
	bool fresh = is_fresh(v, hash, outpoint, fresh_ok);

	return put_coin(v, hash, outpoint, c, fresh ? ENTRY_FRESH : 0);
}

int coinview_force(struct coinview *v, const uint8_t *outpoint,
		   const struct coin *c)
{
	uint32_t hash = coinview_hash(v, outpoint);

	if (c)
		return put_coin(v, hash, outpoint, c, 0);
	held_drop(v);
	return put_tomb(v, hash, outpoint);
}

void coinview_stats(const struct coinview *v, struct coinview_stats *s)
{
	const struct gen *gens[4] = {v->active, v->frozen, v->young, v->old};
	int i;

	memset(s, 0, sizeof *s);
	for (i = 0; i < 4; i++) {
		if (!gens[i])
			continue;
		s->coins += gens[i]->n - gens[i]->tombs;
		s->bytes += gen_bytes(gens[i]);
	}
	s->unflushed = v->active_blocks + v->frozen_blocks;
	s->stalls = v->stalls;
	s->flushes = v->flushes;
}
