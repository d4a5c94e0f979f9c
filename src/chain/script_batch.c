/*
 * The scripts of one block, made ready to be verified by many threads: the
 * coins come from the undo record that was just made, the inputs are cut into
 * chunks of about the same work. Also verifies a chunk, on any thread. Memory
 * is one arena, sized by the block. Does not know which thread has what.
 */
#include "script_batch.h"

#include <cairn/base/err.h>
#include <cairn/base/mem.h>
#include <cairn/chain/htree.h>
#include <cairn/chain/undo.h>
#include <cairn/consensus/flags.h>

#include <stdlib.h>

/* Inputs that are worth a thread's turn. A part of a long transaction is
 * reached by walking from its first input, so it has no more than PARTS. */
#define CHUNK 8u
#define LONG  64u
#define PARTS 64u

/* What the block needs. */
struct layout {
	size_t inputs, chunks, longs;
};

static uint32_t part_size(const struct tx_view *tx)
{
	uint32_t n = tx->n_in / PARTS;

	return n < CHUNK ? CHUNK : n;
}

static void chunk_part(struct script_batch *s, uint32_t tx, uint32_t at)
{
	uint32_t n_in = s->b->tx[tx].n_in, step = part_size(&s->b->tx[tx]);

	for (uint32_t i = 0; i < n_in; i += step) {
		uint32_t left = n_in - i;
		s->chunks[s->n_chunks++] =
		    (struct chunk){.tx = tx,
				   .at = at,
				   .first = i,
				   .n = left < step ? left : step};
	}
}

/* Whole transactions from tx on: as many as fill a chunk. Gives the next. */
static uint32_t chunk_whole(struct script_batch *s, uint32_t tx, uint32_t at)
{
	struct chunk k = {.tx = tx, .at = at};
	uint32_t inputs = 0;

	while (tx < s->b->n_tx && inputs < CHUNK && s->b->tx[tx].n_in < LONG) {
		inputs += s->b->tx[tx++].n_in;
		k.n_tx++;
	}
	s->chunks[s->n_chunks++] = k;
	return tx;
}

static struct script_tx_key key_of(const struct script_batch *s, uint32_t tx,
				   const struct txout_view *spent)
{
	struct script_tx_key key;

	script_tx_key(&key, s->memory.cache, &s->b->wtxid[tx], spent,
		      s->b->tx[tx].n_in, s->flags);
	return key;
}

/* What the parts of a long transaction share is hashed here, once. */
static void cut_long(struct script_batch *s, uint32_t tx,
		     const struct txout_view *spent)
{
	struct long_tx *l = &s->longs[s->n_longs];

	if (s->memory.cache) {
		l->key = key_of(s, tx, spent);
		if (script_cache_has_tx(s->memory.cache, &l->key))
			return;
	}
	tx_sighash_init(&l->shared, &s->b->tx[tx], spent);
	chunk_part(s, tx, (uint32_t)s->n_longs++);
}

static void cut(struct script_batch *s)
{
	uint32_t tx = 1, coin = 0, next;

	while (tx < s->b->n_tx) {
		const struct tx_view *t = &s->b->tx[tx];

		next = tx + 1;
		if (t->n_in >= LONG) {
			cut_long(s, tx, s->spent + coin);
		} else {
			next = chunk_whole(s, tx, coin);
		}
		for (; tx < next; tx++)
			coin += s->b->tx[tx].n_in;
	}
}

static struct layout measure(const struct block_view *b)
{
	struct layout l = {0, 0, 0};

	for (uint32_t i = 1; i < b->n_tx; i++) {
		l.inputs += b->tx[i].n_in;
		if (b->tx[i].n_in >= LONG) {
			l.longs++;
			l.chunks += b->tx[i].n_in / part_size(&b->tx[i]) + 1;
		}
	}
	/* A chunk of whole ones is full, or stands before a long one or the
	 * end. */
	l.chunks += l.inputs / CHUNK + l.longs + 1;
	return l;
}

/* The coins as outputs. A script that the record holds in a short form is kept
 * in the arena, any other where it stands. */
static int take_coins(struct script_batch *s, struct slice undo, size_t n)
{
	struct undo_reader r;
	struct coin coin;
	bool bad = false;

	if (!undo_reader_init(&r, undo))
		return E_CORRUPT;
	for (size_t i = 0; i < n; i++) {
		if (!undo_next(&r, &coin, &bad))
			return E_CORRUPT;
		if (coin.script.p >= r.scratch &&
		    coin.script.p < r.scratch + sizeof r.scratch) {
			uint8_t *p = arena_alloc(&s->mem, coin.script.n);
			if (!p)
				return E_NOMEM;
			memcpy(p, coin.script.p, coin.script.n);
			coin.script.p = p;
		}
		s->spent[i] = (struct txout_view){.value = coin.value,
						  .script = coin.script};
	}
	return r.left ? E_CORRUPT : 0;
}

static int lay_out(struct script_batch *s, const struct layout *l,
		   struct slice undo)
{
	int rc;

	s->spent = arena_alloc(&s->mem, l->inputs * sizeof *s->spent);
	s->longs = arena_alloc(&s->mem, l->longs * sizeof *s->longs);
	s->chunks = arena_alloc(&s->mem, l->chunks * sizeof *s->chunks);
	if (!s->spent || !s->longs || !s->chunks)
		return E_NOMEM;
	rc = take_coins(s, undo, l->inputs);
	if (rc == 0)
		cut(s);
	return rc;
}

int script_batch_new(struct script_batch **give, const struct hnode *n,
		     const struct block_view *b, struct slice undo,
		     const struct params *params,
		     const struct script_memory *memory)
{
	struct layout l = measure(b);
	struct script_batch *s;
	int rc;

	s = xcalloc(1, sizeof *s);
	s->node = n;
	s->b = b;
	s->flags = script_flags(params, n->height, &n->hash);
	if (memory)
		s->memory = *memory;
	s->failed = SIZE_MAX;
	/* An output and an expanded script for an input, and the chunks: a few
	 * hundred bytes each. */
	arena_init(&s->mem, 65536 + l.inputs * 128 + l.longs * 1024);
	rc = l.inputs ? lay_out(s, &l, undo) : 0;
	if (rc)
		script_batch_free(s);
	else
		*give = s;
	return rc;
}

void script_batch_free(struct script_batch *s)
{
	if (!s)
		return;
	arena_fini(&s->mem);
	free(s);
}

size_t script_batch_bytes(const struct script_batch *s)
{
	return sizeof *s + s->mem.used;
}

bool script_batch_ok(const struct script_batch *s, struct script_fault *f)
{
	if (s->failed == SIZE_MAX)
		return true;
	*f = s->fault;
	return false;
}

/* Behind a verifier that answers late nobody knows yet. */
static void remember(const struct script_batch *s,
		     const struct script_tx_key *key)
{
	const struct sig_verifier *v = s->memory.verifier;

	if (!v || !v->late)
		script_cache_put_tx(s->memory.cache, key);
}

static bool run_tx(const struct script_batch *s, uint32_t i,
		   const struct txout_view *spent, struct script_failure *why)
{
	const struct tx_view *tx = &s->b->tx[i];
	struct script_tx_key key;
	struct tx_sighash shared;

	if (s->memory.cache) {
		key = key_of(s, i, spent);
		if (script_cache_has_tx(s->memory.cache, &key))
			return true;
	}
	tx_sighash_init(&shared, tx, spent);
	if (!script_verify_inputs(why, &shared, 0, tx->n_in, s->flags,
				  s->memory.verifier))
		return false;
	if (s->memory.cache)
		remember(s, &key);
	return true;
}

static bool run_whole(const struct script_batch *s, const struct chunk *k,
		      struct script_fault *f)
{
	const struct txout_view *spent = s->spent + k->at;

	for (uint32_t i = k->tx; i < k->tx + k->n_tx; i++) {
		f->tx = i;
		if (!run_tx(s, i, spent, &f->why))
			return false;
		spent += s->b->tx[i].n_in;
	}
	return true;
}

void script_batch_remember(const struct script_batch *s)
{
	for (size_t i = 0; s->memory.cache && i < s->n_longs; i++)
		remember(s, &s->longs[i].key);
}

bool script_chunk_run(const struct script_batch *s, const struct chunk *k,
		      struct script_fault *f)
{
	if (k->n_tx)
		return run_whole(s, k, f);
	f->tx = k->tx;
	return script_verify_inputs(&f->why, &s->longs[k->at].shared, k->first,
				    k->n, s->flags, s->memory.verifier);
}
