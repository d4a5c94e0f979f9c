/*
 * The row AssembleBlock, with the work of Bitcoin Core's benchmark of that
 * name: on a regtest chain of 200 blocks 101 transactions in the pool, each
 * spends a coinbase that pays to a script which is true; they are chosen, put
 * into a block, and the block is found valid but for its proof of work.
 */
#include "bench.h"
#include "connect.h"

#include <cairn/base/buf.h>
#include <cairn/base/endian.h>
#include <cairn/base/mem.h>
#include <cairn/chain/mining.h>
#include <cairn/crypto/sha256.h>
#include <cairn/script/op.h>

#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 200, SPENT = 101, SCRIPT_SIZE = 34 };

struct state {
	struct lab lab;
	uint8_t script[SCRIPT_SIZE];
	struct buf *txs[SPENT];
	uint64_t n, sum;
	bool ok;
};

static uint8_t *put(uint8_t *p, const void *from, size_t n)
{
	memcpy(p, from, n);
	return p + n;
}

static void script_true(uint8_t script[SCRIPT_SIZE])
{
	static const uint8_t yes = OP_1;

	script[0] = OP_0;
	script[1] = 32;
	sha256_once(script + 2, &yes, 1);
}

/* Spend the coinbase of a block. */
static struct buf *spend(const struct state *s, const struct buf *block)
{
	static const uint8_t head[] = {2, 0, 0, 0, 0, 1, 1};
	static const uint8_t tail[] = {1, 1, OP_1, 0, 0, 0, 0};
	struct block_view v;
	struct hash256 txid;
	struct buf *b = buf_new(128);
	uint8_t *p = buf_data(b);
	size_t trailing;

	if (block_view_parse(&v, &trailing, buf_payload(block)) != 0)
		abort();
	tx_txid(&txid, &v.tx[0]);
	block_view_fini(&v);
	p = put(p, head, sizeof head);
	p = put(p, txid.b, sizeof txid);
	p = le32_put(p, 0);
	*p++ = 0;
	p = le32_put(p, 0xffffffff);
	*p++ = 1;
	p = le64_put(p, 1337);
	*p++ = SCRIPT_SIZE;
	p = put(p, s->script, SCRIPT_SIZE);
	p = put(p, tail, sizeof tail);
	b->n = (size_t)(p - buf_data(b));
	return b;
}

static bool mine(struct state *s)
{
	bool ok = true;

	for (int i = 0; ok && i < BLOCKS; i++) {
		struct buf *b = lab_make(
		    &s->lab, slice_of(s->script, SCRIPT_SIZE), NULL, 0);

		ok = lab_connect(&s->lab, b);
		if (i < SPENT)
			s->txs[i] = spend(s, b);
		buf_unref(b);
	}
	return ok;
}

static void offer(void *arg)
{
	struct state *s = arg;

	s->ok = true;
	for (int i = 0; i < SPENT; i++) {
		struct mempool_result r;

		mempool_accept(chain_mempool(s->lab.c), &r, s->txs[i], 0,
			       clock_now(&s->lab.clock));
		s->ok &= r.outcome == TX_ACCEPTED;
		mempool_result_fini(&r);
	}
}

static void assemble_one(struct state *s)
{
	static const struct mempool_want want = {
	    .weight = MAX_BLOCK_WEIGHT - 8000,
	    .sigops = MAX_BLOCK_SIGOPS_COST - 400,
	    .min_rate = 1};
	const struct mempool_tx **tx;
	struct buf *txs[SPENT], *block;
	struct verdict v;
	size_t n;

	n = mempool_select(chain_mempool(s->lab.c), &tx, &want);
	for (size_t i = 0; i < n; i++)
		txs[i] = tx[i]->buf;
	free(tx);
	if (chain_make_block(s->lab.c, &block, slice_of(s->script, SCRIPT_SIZE),
			     txs, n) != 0)
		abort();
	v = chain_test_block(s->lab.c, block);
	s->ok &= verdict_ok(&v) && n == SPENT;
	s->sum += block->n;
	buf_unref(block);
}

static void assemble(void *arg)
{
	struct state *s = arg;

	for (; s->n > 0; s->n--)
		assemble_one(s);
}

static uint64_t run(struct bench *b, uint64_t n)
{
	struct state *s = b->data;

	s->n = n;
	lab_run(&s->lab, assemble, s);
	if (!s->ok)
		abort();
	return s->sum;
}

static bool setup(struct bench *b)
{
	const struct chain_cfg cfg = {.workers = 1,
				      .sig_cache = 32 << 20,
				      .policy = policy_default,
				      .mempool_bytes = 300000000,
				      .mempool_expiry_s = 336 * 3600};
	struct state *s = xcalloc(1, sizeof *s);

	b->data = s;
	b->why = "no chain in a scratch folder";
	script_true(s->script);
	if (!lab_open(&s->lab, &cfg))
		return false;
	if (!mine(s))
		return false;
	b->why = "not every transaction is accepted";
	lab_run(&s->lab, offer, s);
	return s->ok;
}

static void fini(struct bench *b)
{
	struct state *s = b->data;

	for (int i = 0; i < SPENT; i++)
		buf_unref(s->txs[i]);
	lab_close(&s->lab);
	free(s);
}

static const struct bench_row rows[] = {
    {.name = "AssembleBlock", .setup = setup, .run = run, .fini = fini},
};
BENCH_ROWS(rows);
