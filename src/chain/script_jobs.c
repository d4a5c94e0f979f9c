/*
 * Verifies all scripts of one block: the coins come from the undo record that
 * was just made, the inputs are cut into chunks, and the script threads take
 * them together with the chain thread, which waits for the last. The first
 * failing input in block order is the one that is told. Memory is one arena,
 * sized by the block.
 */
#include "internal.h"

#include <cairn/base/arena.h>
#include <cairn/base/err.h>
#include <cairn/base/must.h>
#include <cairn/base/text.h>
#include <cairn/chain/undo.h>
#include <cairn/consensus/flags.h>
#include <cairn/script/interp.h>

#include <inttypes.h>
#include <stdio.h>

/* Inputs verified in one go, and the fewest for which others are woken. A chunk
 * is reached by walking from the first input, so a long transaction has no more
 * than so many. */
#define CHUNKS_TX 64u
#define CHUNK     8u
#define WAKE_FROM 16u

struct chunk {
	uint32_t tx, first, n;
};

/* What the threads share; read-only but for the atomics and what mu guards. */
struct script_block {
	const struct block_view *b;
	unsigned flags;
	const struct sig_verifier *verifier;
	struct tx_sighash *shared; /* one a transaction */
	struct txout_view *spent;  /* one an input, in block order */
	struct chunk *chunks;
	size_t n_chunks;
	size_t next_tx, next_chunk; /* atomic: taken so far */
	size_t failed;              /* atomic: lowest chunk that failed */
	pthread_mutex_t mu;
	pthread_cond_t cond;
	unsigned running;
	struct script_failure why; /* of chunk failed */
};

/* The steps that all threads take part in. */
typedef void (*step_fn)(struct script_block *s);

struct helper {
	struct script_block *s;
	step_fn step;
};

/* First step: what the inputs of a transaction share is hashed once. */
static void step_shared(struct script_block *s)
{
	size_t i;

	while ((i = __atomic_fetch_add(&s->next_tx, 1, __ATOMIC_RELAXED)) <
	       s->b->n_tx)
		if (i > 0)
			tx_sighash_init(&s->shared[i], &s->b->tx[i],
					s->shared[i].spent);
}

static void note_failure(struct script_block *s, size_t chunk,
			 const struct script_failure *why)
{
	pthread_mutex_lock(&s->mu);
	if (chunk < s->failed) {
		__atomic_store_n(&s->failed, chunk, __ATOMIC_RELAXED);
		s->why = *why;
	}
	pthread_mutex_unlock(&s->mu);
}

/* Second step: the chunks in order; those behind a failed one do not matter. */
static void step_verify(struct script_block *s)
{
	struct script_failure why;
	size_t i;

	while ((i = __atomic_fetch_add(&s->next_chunk, 1, __ATOMIC_RELAXED)) <
		   s->n_chunks &&
	       i < __atomic_load_n(&s->failed, __ATOMIC_RELAXED)) {
		const struct chunk *k = &s->chunks[i];
		if (!script_verify_inputs(&why, &s->shared[k->tx], k->first,
					  k->n, s->flags, s->verifier))
			note_failure(s, i, &why);
	}
}

static void helper_run(void *arg)
{
	struct helper *h = arg;
	struct script_block *s = h->s;

	h->step(s);
	pthread_mutex_lock(&s->mu);
	if (--s->running == 0)
		pthread_cond_signal(&s->cond);
	pthread_mutex_unlock(&s->mu);
}

/* Run step here and on the script threads, and wait for all. */
static void together(struct chain *c, struct script_block *s, step_fn step)
{
	struct helper h = {s, step};
	unsigned n = c->script_pool ? pool_size(c->script_pool) : 0;

	s->running = n;
	for (unsigned i = 0; i < n; i++)
		must(
		    pool_submit(c->script_pool, (struct task){helper_run, &h}));
	step(s);
	pthread_mutex_lock(&s->mu);
	while (s->running)
		pthread_cond_wait(&s->cond, &s->mu);
	pthread_mutex_unlock(&s->mu);
}

static size_t count_inputs(const struct block_view *b)
{
	size_t n = 0;

	for (uint32_t i = 1; i < b->n_tx; i++)
		n += b->tx[i].n_in;
	return n;
}

/* The coins as outputs. A script that the record holds in a short form is kept
 * in the arena, any other where it stands. */
static int take_coins(struct script_block *s, struct arena *a,
		      struct slice undo, size_t n)
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
			uint8_t *p = arena_alloc(a, coin.script.n);
			if (!p)
				return E_NOMEM;
			memcpy(p, coin.script.p, coin.script.n);
			coin.script.p = p;
		}
		s->spent[i] = (struct txout_view){.value = coin.value,
						  .script = coin.script};
	}
	return 0;
}

/* Which inputs belong to which transaction, and the chunks. */
static void lay_out(struct script_block *s)
{
	const struct block_view *b = s->b;
	uint32_t step;
	size_t at = 0;

	for (uint32_t i = 1; i < b->n_tx; i++) {
		s->shared[i].spent = s->spent + at;
		at += b->tx[i].n_in;
		step = b->tx[i].n_in / CHUNKS_TX;
		step = step < CHUNK ? CHUNK : step;
		for (uint32_t k = 0; k < b->tx[i].n_in; k += step) {
			uint32_t left = b->tx[i].n_in - k;
			s->chunks[s->n_chunks++] =
			    (struct chunk){i, k, left < step ? left : step};
		}
	}
}

static int prepare(struct script_block *s, struct arena *a, struct slice undo,
		   size_t inputs)
{
	const struct block_view *b = s->b;
	int rc;

	s->shared = arena_alloc(a, b->n_tx * sizeof *s->shared);
	s->spent = arena_alloc(a, inputs * sizeof *s->spent);
	s->chunks =
	    arena_alloc(a, (inputs / CHUNK + b->n_tx) * sizeof *s->chunks);
	if (!s->shared || !s->spent || !s->chunks)
		return E_NOMEM;
	rc = take_coins(s, a, undo, inputs);
	if (rc == 0)
		lay_out(s);
	return rc;
}

/* The input's outpoint. */
static const uint8_t *prevout_of(const struct tx_view *tx, uint32_t input)
{
	struct txin_view in = {.prevout = NULL};
	struct tx_iter it;

	txins(&it, tx);
	do
		must(txin_next(&it, &in));
	while (input--);
	return in.prevout;
}

static struct verdict outcome(const struct script_block *s)
{
	char reject[VERDICT_REJECT], txid[HASH256_STR], wtxid[HASH256_STR];
	char spent[HASH256_STR];
	const uint8_t *op;
	uint32_t tx;

	if (s->failed == SIZE_MAX)
		return verdict_valid();
	tx = s->chunks[s->failed].tx;
	op = prevout_of(&s->b->tx[tx], s->why.input);
	snprintf(reject, sizeof reject, "block-script-verify-flag-failed (%s)",
		 script_err_text(s->why.err));
	return verdict_invalidf(
	    INV_CONSENSUS, reject,
	    "input %" PRIu32 " of %s (wtxid %s), spending %s:%" PRIu32,
	    s->why.input, hash256_fmt(txid, &s->b->txid[tx]),
	    hash256_fmt(wtxid, &s->b->wtxid[tx]),
	    hash256_fmt(spent, outpoint_txid(op)), outpoint_index(op));
}

struct verdict scripts_verify(struct chain *c, const struct hnode *n,
			      const struct block_view *b, struct slice undo)
{
	struct script_block s = {.b = b, .failed = SIZE_MAX};
	size_t inputs = count_inputs(b);
	struct arena a;
	struct verdict v;
	int rc;

	if (inputs == 0)
		return verdict_valid();
	s.flags = script_flags(c->cfg.params, n->height, &n->hash);
	s.verifier = verified_verifier(c, n);
	/* Per input an output and an expanded script, per transaction the
	 * shared hashes, and the chunks: a few hundred bytes each. */
	arena_init(&a, 65536 + inputs * 160 + b->n_tx * 512);
	rc = prepare(&s, &a, undo, inputs);
	pthread_mutex_init(&s.mu, NULL);
	pthread_cond_init(&s.cond, NULL);
	if (rc == 0 && inputs < WAKE_FROM) {
		step_shared(&s);
		step_verify(&s);
	} else if (rc == 0) {
		together(c, &s, step_shared);
		together(c, &s, step_verify);
	}
	v = rc ? verdict_unknown(rc) : outcome(&s);
	pthread_cond_destroy(&s.cond);
	pthread_mutex_destroy(&s.mu);
	arena_fini(&a);
	return v;
}

void scripts_init(struct chain *c)
{
	if (c->cfg.workers > 1)
		c->script_pool = pool_new("script", c->cfg.workers - 1);
}

void scripts_fini(struct chain *c)
{
	pool_free(c->script_pool);
}
