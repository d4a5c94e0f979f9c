/*
 * Rows of what is done with a block before its coins are looked at, on the
 * block that Bitcoin Core's benchmarks use, and of scripts that outlive their
 * message. CheckBlock has a parsed block with its txids, as Core's has (they
 * are made while it is read there); DeserializeAndCheckBlock has only bytes.
 */
#include "bench.h"
#include "touch.h"

#include <cairn/base/buf.h>
#include <cairn/base/rd.h>
#include <cairn/base/small_bytes.h>
#include <cairn/consensus/check.h>
#include <cairn/crypto/sha256.h>
#include <cairn/params/params.h>

#include <stdlib.h>

#define CORES  "prevouts/mainnet/mainnet-413567.bin"
#define SEGWIT "blocks/mainnet/mainnet-574200.bin"

struct checked {
	struct buf *in;
	struct block_view block;
	struct hash256 *scratch;
};

static void fini(struct bench *b)
{
	struct checked *c = b->data;

	block_view_fini(&c->block);
	buf_unref(c->in);
	free(c->scratch);
	free(c);
}

static bool setup(struct bench *b)
{
	struct checked *c = calloc(1, sizeof *c);
	size_t trailing;

	if (!c)
		return false;
	c->in = bench_file(b);
	if (!c->in ||
	    block_view_parse(&c->block, &trailing, buf_payload(c->in)) != 0) {
		buf_unref(c->in);
		free(c);
		return false;
	}
	block_hash_txs(&c->block);
	c->scratch = malloc((c->block.n_tx + 1) / 2 * sizeof *c->scratch);
	b->data = c;
	b->bytes = c->in->n;
	return c->scratch != NULL;
}

static uint64_t check(const struct block_view *v)
{
	struct verdict verdict = block_check(v, params_get(CHAIN_MAIN), false);

	if (!verdict_ok(&verdict))
		abort();
	return v->n_tx;
}

static uint64_t check_run(struct bench *b, uint64_t n)
{
	const struct checked *c = b->data;
	uint64_t sum = 0;

	for (; n > 0; n--)
		sum += check(&c->block);
	return sum;
}

/* Parse, txids and wtxids, every context-free rule (the first root among them),
 * the witness root. */
static uint64_t whole_run(struct bench *b, uint64_t n)
{
	struct checked *c = b->data;
	struct hash256 root;
	struct block_view v;
	size_t trailing;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		if (block_view_parse(&v, &trailing, buf_payload(c->in)) != 0)
			abort();
		block_hash_txs(&v);
		sum += check(&v);
		merkle_root(&root, NULL, v.wtxid, v.n_tx, c->scratch);
		sum += root.b[0];
		block_view_fini(&v);
	}
	return sum;
}

/* 900 values that fit inside and 100 of 100 elements, each behind its length,
 * read one after another into the same object. An element is a byte, or four
 * that are decoded one by one. */
#define VECTORS 1000u
#define FIT     28u
#define NOT_FIT 100u

static bool vectors_setup(struct bench *b)
{
	uint32_t size = b->row->arg;
	size_t n = (900 * (FIT * size + 1)) + 100 * (NOT_FIT * size + 3);
	struct buf *buf = buf_new(n);
	uint8_t *p;

	b->why = "out of memory";
	if (!buf)
		return false;
	bench_fill(buf_data(buf), n, 9);
	p = buf_data(buf);
	for (uint32_t i = 0; i < VECTORS; i++) {
		uint32_t elements = i < 900 ? FIT : NOT_FIT;
		p = compact_put(p, elements * size) + elements * size;
	}
	buf->n = (size_t)(p - buf_data(buf));
	b->data = buf;
	b->bytes = buf->n;
	return true;
}

static void vectors_fini(struct bench *b)
{
	buf_unref(b->data);
}

static uint64_t vectors_run(struct bench *b, uint64_t n)
{
	struct small_bytes s;
	struct slice v;
	struct rd r;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		small_bytes_init(&s);
		rd_init(&r, buf_payload(b->data));
		for (uint32_t i = 0; i < VECTORS; i++) {
			v = rd_varbytes(&r);
			if (small_bytes_set(&s, v) != 0)
				abort();
			sum += touch_slice(small_bytes_slice(&s));
		}
		small_bytes_fini(&s);
	}
	return sum;
}

static uint64_t elements_run(struct bench *b, uint64_t n)
{
	struct small_bytes s;
	struct slice v;
	struct rd r;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		small_bytes_init(&s);
		rd_init(&r, buf_payload(b->data));
		for (uint32_t i = 0; i < VECTORS; i++) {
			uint8_t *p;
			v = rd_varbytes(&r);
			if (small_bytes_resize(&s, v.n) != 0)
				abort();
			p = small_bytes_p(&s);
			for (size_t at = 0; at < v.n; at += 4) {
				uint32_t x = le32_get(v.p + at);
				memcpy(p + at, &x, sizeof x);
			}
			bench_barrier(p);
			sum += small_bytes_n(&s);
		}
		small_bytes_fini(&s);
	}
	return sum;
}

#define ROW(name, run, file)                                                   \
	{                                                                      \
		name, setup, run, fini, 0, file, 0, NULL                       \
	}

static const struct bench_row rows[] = {
    ROW("CheckBlock/413567", check_run, CORES),
    ROW("DeserializeAndCheckBlock/413567", whole_run, CORES),
    ROW("DeserializeAndCheckBlock/574200", whole_run, SEGWIT),
    {"SmallBytesDeserialize/trivial", vectors_setup, vectors_run, vectors_fini,
     1, NULL, VECTORS, "vector"},
    {"SmallBytesDeserialize/nontrivial", vectors_setup, elements_run,
     vectors_fini, 4, NULL, VECTORS, "vector"},
};
BENCH_ROWS(rows);
