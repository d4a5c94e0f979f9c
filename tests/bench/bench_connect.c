/*
 * Rows of a whole block with 5,000 signatures: judged by the node on one and on
 * two threads, everything but its proof of work, and beside it the library
 * alone, which verifies the same signatures on as many threads. A block that is
 * only judged leaves no trace, so that it can be judged again.
 */
#include "connect.h"

#include "bench.h"

#include <cairn/base/buf.h>
#include <cairn/base/mem.h>
#include <cairn/script/op.h>
#include <cairn/wire/block.h>

#include <secp256k1.h>
#include <secp256k1_extrakeys.h>
#include <secp256k1_schnorrsig.h>
#include <stdlib.h>

#define MATURE     101
#define HINTS_ONLY 8192
#define SIGS       (SPEND_TXS * SPEND_INS)

/* A row's arg: how many of five inputs are Schnorr, threads, who verifies. The
 * node has room for hints about keys and no more, as a cached block would not
 * be verified again; or no cache at all; or room for everything. */
enum kind { BARE, NODE, NODE_NO_CACHE, NODE_AGAIN };
#define ARG(schnorr, threads, kind)                                            \
	((unsigned)(kind) << 16 | (threads) << 8 | (schnorr))
#define ARG_SCHNORR(arg) ((arg)&0xff)
#define ARG_THREADS(arg) ((arg) >> 8 & 0xff)
#define ARG_KIND(arg)    ((enum kind)((arg) >> 16))

struct state {
	struct lab lab;
	struct spends *spends;
	struct buf *block;
	struct verdict verdict;
	struct pool *pool; /* for the library alone: the other threads */
	pthread_mutex_t mu;
	pthread_cond_t cond;
	unsigned running;
	size_t next; /* atomic: signatures taken */
};

/* The coinbase of a block: its id and its value. */
static void read_coinbase(uint8_t txid[32], int64_t *value, struct buf *block)
{
	struct txout_view out = {0};
	struct block_view v;
	struct tx_iter it;
	size_t trailing;

	if (block_view_parse(&v, &trailing, buf_payload(block)) != 0)
		abort();
	tx_txid((struct hash256 *)(void *)txid, &v.tx[0]);
	txouts(&it, &v.tx[0]);
	txout_next(&it, &out);
	*value = out.value;
	block_view_fini(&v);
}

/* Blocks that anyone may spend, until the first one is mature. */
static bool mine_first(struct state *s, uint8_t txid[32], int64_t *value)
{
	static const uint8_t anyone = OP_1;
	bool ok = true;

	for (int i = 0; ok && i < MATURE; i++) {
		struct buf *b =
		    lab_make(&s->lab, slice_of(&anyone, 1), NULL, 0);

		ok = lab_connect(&s->lab, b);
		if (i == 0)
			read_coinbase(txid, value, b);
		buf_unref(b);
	}
	return ok;
}

static bool make_block(struct state *s, unsigned schnorr)
{
	static const uint8_t anyone = OP_1;
	struct buf *first, *b;
	uint8_t txid[32] = {0};
	int64_t value = 0;
	bool ok;

	if (!mine_first(s, txid, &value))
		return false;
	s->spends = spends_new(&first, txid, value, schnorr);
	b = lab_make(&s->lab, slice_of(&anyone, 1), &first, 1);
	ok = lab_connect(&s->lab, b);
	buf_unref(b);
	buf_unref(first);
	if (ok)
		s->block = lab_make(&s->lab, slice_of(&anyone, 1),
				    s->spends->txs, SPEND_TXS);
	return ok;
}

static bool setup(struct bench *b)
{
	uint32_t arg = b->row->arg;
	static const int64_t cache[] = {
	    [NODE] = HINTS_ONLY, [NODE_NO_CACHE] = 0, [NODE_AGAIN] = 32 << 20};
	struct chain_cfg cfg = {.workers = ARG_THREADS(arg),
				.sig_cache = cache[ARG_KIND(arg)]};
	struct state *s = xcalloc(1, sizeof *s);

	b->data = s;
	b->why = "no chain in a scratch folder";
	if (!lab_open(&s->lab, &cfg))
		return false;
	if (!make_block(s, ARG_SCHNORR(arg)))
		return false;
	pthread_mutex_init(&s->mu, NULL);
	pthread_cond_init(&s->cond, NULL);
	if (ARG_KIND(arg) == BARE && ARG_THREADS(arg) > 1)
		s->pool = pool_new("bare", ARG_THREADS(arg) - 1);
	b->bytes = s->block->n;
	return true;
}

static void fini(struct bench *b)
{
	struct state *s = b->data;

	pool_free(s->pool);
	pthread_mutex_destroy(&s->mu);
	pthread_cond_destroy(&s->cond);
	buf_unref(s->block);
	spends_free(s->spends);
	lab_close(&s->lab);
	free(s);
}

static void judge(void *arg)
{
	struct state *s = arg;

	s->verdict = chain_test_block(s->lab.c, s->block);
}

static uint64_t connect(struct bench *b, uint64_t n)
{
	struct state *s = b->data;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		lab_run(&s->lab, judge, s);
		if (!verdict_ok(&s->verdict))
			abort();
		sum++;
	}
	return sum;
}

static bool bare_ecdsa(const struct signature *s)
{
	const secp256k1_context *ctx = secp256k1_context_static;
	secp256k1_ecdsa_signature sig;
	secp256k1_pubkey pk;

	return secp256k1_ec_pubkey_parse(ctx, &pk, s->key, 33) &&
	       secp256k1_ecdsa_signature_parse_der(ctx, &sig, s->sig, s->n) &&
	       secp256k1_ecdsa_verify(ctx, &sig, s->hash, &pk);
}

static bool bare_schnorr(const struct signature *s)
{
	const secp256k1_context *ctx = secp256k1_context_static;
	secp256k1_xonly_pubkey pk;

	return secp256k1_xonly_pubkey_parse(ctx, &pk, s->key + 1) &&
	       secp256k1_schnorrsig_verify(ctx, s->sig, s->hash, 32, &pk);
}

/* Take signatures one by one until there are none left. */
static void bare_some(struct state *s)
{
	size_t i;

	while ((i = __atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED)) < SIGS) {
		const struct signature *g = &s->spends->sigs[i];

		if (!(g->schnorr ? bare_schnorr(g) : bare_ecdsa(g)))
			abort();
	}
}

static void bare_helper(void *arg)
{
	struct state *s = arg;

	bare_some(s);
	pthread_mutex_lock(&s->mu);
	s->running--;
	pthread_cond_signal(&s->cond);
	pthread_mutex_unlock(&s->mu);
}

static void bare_block(struct state *s)
{
	s->next = 0;
	s->running = s->pool ? pool_size(s->pool) : 0;
	for (unsigned i = s->running; i > 0; i--)
		if (!pool_submit(s->pool, (struct task){bare_helper, s}))
			abort();
	bare_some(s);
	pthread_mutex_lock(&s->mu);
	while (s->running)
		pthread_cond_wait(&s->cond, &s->mu);
	pthread_mutex_unlock(&s->mu);
}

static uint64_t bare(struct bench *b, uint64_t n)
{
	uint64_t sum = 0;

	for (; n > 0; n--) {
		bare_block(b->data);
		sum++;
	}
	return sum;
}

#define ROW(name_, run_, schnorr, threads, kind)                               \
	{                                                                      \
		.name = name_, .setup = setup, .run = run_, .fini = fini,      \
		.arg = ARG(schnorr, threads, kind), .unit = "block"            \
	}
#define ROWS(form, schnorr, threads)                                           \
	ROW("ConnectBlock" form "/" #threads, connect, schnorr, threads##u,    \
	    NODE),                                                             \
	    ROW("ConnectBlock" form "_no_cache/" #threads, connect, schnorr,   \
		threads##u, NODE_NO_CACHE),                                    \
	    ROW("BareBlock" form "/" #threads, bare, schnorr, threads##u,      \
		BARE)

static const struct bench_row rows[] = {
    ROWS("AllEcdsa", 0u, 1),
    ROWS("AllEcdsa", 0u, 2),
    ROWS("AllSchnorr", 5u, 1),
    ROWS("AllSchnorr", 5u, 2),
    ROWS("Mixed", 1u, 1),
    ROWS("Mixed", 1u, 2),
    ROW("ConnectBlockMixed_again/1", connect, 1u, 1u, NODE_AGAIN),
};
BENCH_ROWS(rows);
