/*
 * Rows that write transactions and blocks from values: every field and script
 * of a decoded transaction is put one by one, nothing is copied whole. The
 * values are made once and the memory for the result is given; _fresh asks for
 * the size and a buffer first. The twins _raw are how the node serves a block
 * or a transaction: the bytes it came as.
 */
#include "bench.h"

#include <cairn/base/buf.h>
#include <cairn/wire/block.h>
#include <cairn/wire/txparts.h>

#include <stdlib.h>

#define LARGEST "blocks/mainnet/mainnet-540107.bin"
#define MEGATX  "txs/megatx.bin"

/* Transactions by value, with all their lists in memory of their own. */
struct values {
	struct buf *in;
	uint8_t *out; /* room for as many bytes */
	struct header header;
	bool is_block;
	uint32_t n_tx;
	struct tx_msg *tx;
	struct txin_view *ins;
	struct txout_view *outs;
	uint32_t *n_items;
	struct slice *items;
};

static void values_free(struct values *v)
{
	buf_unref(v->in);
	free(v->out);
	free(v->tx);
	free(v->ins);
	free(v->outs);
	free(v->n_items);
	free(v->items);
	free(v);
}

static void fini(struct bench *b)
{
	values_free(b->data);
}

/* How far the lists are filled. */
struct fill {
	size_t ins, outs, stacks, items;
};

/* An input takes 41 bytes, an output 9, an item 1: the lists cannot overflow.
 */
static bool lists_new(struct values *v, uint32_t n_tx)
{
	size_t n = v->in->n;

	v->n_tx = n_tx;
	v->tx = calloc(n_tx, sizeof *v->tx);
	v->ins = calloc(n / 41 + 1, sizeof *v->ins);
	v->outs = calloc(n / 9 + 1, sizeof *v->outs);
	v->n_items = calloc(n / 41 + 1, sizeof *v->n_items);
	v->items = calloc(n + 1, sizeof *v->items);
	v->out = malloc(n);
	return v->tx && v->ins && v->outs && v->n_items && v->items && v->out;
}

static void add_witness(struct values *v, struct fill *f, struct tx_msg *m,
			const struct tx_view *t)
{
	struct tx_iter it, stack;

	m->n_items = v->n_items + f->stacks;
	m->items = v->items + f->items;
	txwits(&it, t);
	while (txwit_next(&it, &stack)) {
		while (witem_next(&stack, &v->items[f->items])) {
			v->n_items[f->stacks]++;
			f->items++;
		}
		f->stacks++;
	}
}

static void add_tx(struct values *v, struct fill *f, struct tx_msg *m,
		   const struct tx_view *t)
{
	struct tx_iter it;

	*m = (struct tx_msg){.version = t->version,
			     .n_in = t->n_in,
			     .n_out = t->n_out,
			     .in = v->ins + f->ins,
			     .out = v->outs + f->outs,
			     .lock_time = t->lock_time};
	txins(&it, t);
	while (txin_next(&it, &v->ins[f->ins]))
		f->ins++;
	txouts(&it, t);
	while (txout_next(&it, &v->outs[f->outs]))
		f->outs++;
	if (tx_has_witness(t))
		add_witness(v, f, m, t);
}

static bool values_of_block(struct values *v)
{
	struct block_view block;
	struct fill f = {0};
	size_t trailing;
	bool ok;

	if (block_view_parse(&block, &trailing, buf_payload(v->in)) != 0)
		return false;
	ok = lists_new(v, block.n_tx);
	for (uint32_t i = 0; ok && i < block.n_tx; i++)
		add_tx(v, &f, &v->tx[i], &block.tx[i]);
	header_get(&v->header, block.header);
	v->is_block = true;
	block_view_fini(&block);
	return ok;
}

static bool values_of_tx(struct values *v)
{
	struct fill f = {0};
	struct tx_view t;
	struct rd r;

	rd_init(&r, buf_payload(v->in));
	if (!tx_view_parse(&t, &r) || !lists_new(v, 1))
		return false;
	add_tx(v, &f, &v->tx[0], &t);
	return true;
}

static uint8_t *values_put(uint8_t *p, const struct values *v)
{
	if (v->is_block) {
		p = header_put(p, &v->header);
		p = compact_put(p, v->n_tx);
	}
	for (uint32_t i = 0; i < v->n_tx; i++)
		p = tx_put(p, &v->tx[i]);
	return p;
}

/* in is taken. Ready when the values are written as they came. */
static bool start(struct bench *b, struct buf *in, bool is_block)
{
	struct values *v = calloc(1, sizeof *v);

	if (!v || !in) {
		free(v);
		buf_unref(in);
		return false;
	}
	v->in = in;
	if (!(is_block ? values_of_block(v) : values_of_tx(v)) ||
	    values_put(v->out, v) != v->out + in->n ||
	    memcmp(v->out, buf_data(in), in->n) != 0) {
		b->why = "does not read back";
		values_free(v);
		return false;
	}
	b->data = v;
	b->bytes = in->n;
	return true;
}

static bool small_setup(struct bench *b)
{
	return start(b, bench_small_tx(b), false);
}

static bool large_setup(struct bench *b)
{
	return start(b, bench_file(b), false);
}

static bool block_setup(struct bench *b)
{
	return start(b, bench_file(b), true);
}

static uint64_t put(struct bench *b, uint64_t n)
{
	const struct values *v = b->data;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		uint8_t *p = values_put(v->out, v);
		bench_barrier(p);
		sum += p[-1];
	}
	return sum;
}

/* The size first, then one buffer, as a message is made. */
static uint64_t put_fresh(struct bench *b, uint64_t n)
{
	const struct values *v = b->data;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		struct buf *out = buf_new(tx_size(&v->tx[0]));
		if (!out)
			abort();
		tx_put(buf_data(out), &v->tx[0]);
		bench_barrier(out);
		sum += buf_data(out)[0];
		buf_unref(out);
	}
	return sum;
}

static uint64_t copy(struct bench *b, uint64_t n)
{
	struct values *v = b->data;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		uint8_t *p = bytes_put(v->out, buf_data(v->in), v->in->n);
		bench_barrier(p);
		sum += p[-1];
	}
	return sum;
}

#define ROW(name, setup, run, file)                                            \
	{                                                                      \
		name, setup, run, fini, 0, file, 0, NULL                       \
	}

static const struct bench_row rows[] = {
    ROW("SerializeTx", small_setup, put, NULL),
    ROW("SerializeTx_fresh", small_setup, put_fresh, NULL),
    ROW("SerializeTxSmall", small_setup, put, NULL),
    ROW("SerializeTxLarge", large_setup, put, MEGATX),
    ROW("SerializeTxLarge_raw", large_setup, copy, MEGATX),
    ROW("SerializeBlock/540107", block_setup, put, LARGEST),
    ROW("SerializeBlock/540107_raw", block_setup, copy, LARGEST),
};
BENCH_ROWS(rows);
