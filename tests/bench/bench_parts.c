/*
 * Rows of the smallest things: integers, strings, outpoints, inputs, outputs,
 * headers. An op takes a few nanoseconds, so each run reads or writes a batch
 * of 1,000 that lie one behind the other, have one form and differ in their
 * values; what is read is used, and memory is unknown after each. The twins
 * ..._parse only fill the view; an integer has none, as its value is the view.
 */
#include "bench.h"
#include "touch.h"

#include <cairn/wire/header.h>
#include <cairn/wire/txparts.h>

#include <stdlib.h>

#define BATCH 1000u

/* v is used here, and memory may have changed. */
#define use(v) __asm__ volatile("" : : "r"(v) : "memory")

struct batch {
	uint8_t *in;  /* the encoded batch */
	uint8_t *out; /* room for as much */
	size_t n;
	uint64_t value[BATCH];
	struct slice str[BATCH];
	struct txin_view txin[BATCH];
	struct txout_view txout[BATCH];
	struct header header[BATCH];
};

/* Room for a batch of elements of size bytes, filled with noise. */
static struct batch *batch_new(struct bench *b, size_t size)
{
	struct batch *t = calloc(1, sizeof *t);

	b->why = "out of memory";
	if (!t)
		return NULL;
	t->n = size * BATCH;
	t->in = malloc(2 * t->n);
	if (!t->in) {
		free(t);
		return NULL;
	}
	t->out = t->in + t->n;
	bench_fill(t->in, 2 * t->n, 7);
	b->data = t;
	b->bytes = t->n;
	return t;
}

static void fini(struct bench *b)
{
	struct batch *t = b->data;

	free(t->in);
	free(t);
}

/* Integers of arg bytes, over all that take so many. */
static bool varint_setup(struct bench *b)
{
	struct batch *t = batch_new(b, b->row->arg);
	uint8_t *p;

	if (!t)
		return false;
	p = t->in;
	for (uint32_t i = 0; i < BATCH; i++) {
		uint64_t r = 0x9e3779b97f4a7c15u * (i + 1);
		t->value[i] = b->row->arg == 1   ? (r >> 32) % 0xfd
			      : b->row->arg == 3 ? 0xfd + (r >> 32) % 0xff03
			      : b->row->arg == 5 ? 0x10000 | r >> 32
						 : r | UINT64_C(1) << 63;
		p = compact_put(p, t->value[i]);
	}
	return p == t->in + t->n;
}

static uint64_t varint_read(struct bench *b, uint64_t n)
{
	const struct batch *t = b->data;
	uint64_t sum = 0, v;
	struct rd r;

	for (; n > 0; n--) {
		rd_init(&r, slice_of(t->in, t->n));
		for (uint32_t i = 0; i < BATCH; i++) {
			v = rd_compact_any(&r);
			use(v);
		}
		sum += rd_ok(&r);
	}
	return sum;
}

static uint64_t varint_write(struct bench *b, uint64_t n)
{
	const struct batch *t = b->data;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		uint8_t *p = t->out;
		for (uint32_t i = 0; i < BATCH; i++) {
			p = compact_put(p, t->value[i]);
			use(p);
		}
		sum += t->out[n % t->n];
	}
	return sum;
}

/* Strings of arg bytes. */
static bool varstr_setup(struct bench *b)
{
	struct batch *t = batch_new(b, b->row->arg + 1);

	if (!t)
		return false;
	for (uint32_t i = 0; i < BATCH; i++) {
		uint8_t *p = t->in + i * (b->row->arg + 1);
		*p = (uint8_t)b->row->arg;
		t->str[i] = slice_of(p + 1, b->row->arg);
	}
	return true;
}

static uint64_t varstr_read(struct bench *b, uint64_t n)
{
	const struct batch *t = b->data;
	uint64_t sum = 0;
	struct slice s;
	struct rd r;

	for (; n > 0; n--) {
		rd_init(&r, slice_of(t->in, t->n));
		for (uint32_t i = 0; i < BATCH; i++) {
			s = rd_varbytes(&r);
			use(touch_slice(s));
		}
		sum += rd_ok(&r);
	}
	return sum;
}

static uint64_t varstr_parse(struct bench *b, uint64_t n)
{
	const struct batch *t = b->data;
	uint64_t sum = 0;
	struct slice s;
	struct rd r;

	for (; n > 0; n--) {
		rd_init(&r, slice_of(t->in, t->n));
		for (uint32_t i = 0; i < BATCH; i++) {
			s = rd_varbytes(&r);
			use(s.p + s.n);
		}
		sum += rd_ok(&r);
	}
	return sum;
}

static uint64_t varstr_write(struct bench *b, uint64_t n)
{
	const struct batch *t = b->data;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		uint8_t *p = t->out;
		for (uint32_t i = 0; i < BATCH; i++) {
			p = varbytes_put(p, t->str[i]);
			use(p);
		}
		sum += t->out[n % t->n];
	}
	return sum;
}

static bool outpoint_setup(struct bench *b)
{
	struct batch *t = batch_new(b, OUTPOINT_SIZE);

	for (uint32_t i = 0; t && i < BATCH; i++)
		t->txin[i].prevout = t->in + i * OUTPOINT_SIZE;
	return t != NULL;
}

static uint64_t outpoint_read(struct bench *b, uint64_t n)
{
	const struct batch *t = b->data;
	const uint8_t *op;
	uint64_t sum = 0;
	struct rd r;

	for (; n > 0; n--) {
		rd_init(&r, slice_of(t->in, t->n));
		for (uint32_t i = 0; i < BATCH; i++) {
			op = rd_take(&r, OUTPOINT_SIZE);
			if (op)
				use(touch_32(op) + outpoint_index(op));
		}
		sum += rd_ok(&r);
	}
	return sum;
}

static uint64_t outpoint_parse(struct bench *b, uint64_t n)
{
	const struct batch *t = b->data;
	uint64_t sum = 0;
	struct rd r;

	for (; n > 0; n--) {
		rd_init(&r, slice_of(t->in, t->n));
		for (uint32_t i = 0; i < BATCH; i++)
			use(rd_take(&r, OUTPOINT_SIZE));
		sum += rd_ok(&r);
	}
	return sum;
}

static uint64_t outpoint_write(struct bench *b, uint64_t n)
{
	const struct batch *t = b->data;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		uint8_t *p = t->out;
		for (uint32_t i = 0; i < BATCH; i++) {
			p = bytes_put(p, t->txin[i].prevout, OUTPOINT_SIZE);
			use(p);
		}
		sum += t->out[n % t->n];
	}
	return sum;
}

#define SCRIPT_IN  7u  /* of the first coinbases */
#define SCRIPT_OUT 67u /* a key of 65 bytes and its check */

static bool txin_setup(struct bench *b)
{
	size_t size = OUTPOINT_SIZE + 1 + SCRIPT_IN + 4;
	struct batch *t = batch_new(b, size);

	for (uint32_t i = 0; t && i < BATCH; i++) {
		uint8_t *p = t->in + i * size;
		p[OUTPOINT_SIZE] = SCRIPT_IN;
		t->txin[i] = (struct txin_view){
		    p, slice_of(p + OUTPOINT_SIZE + 1, SCRIPT_IN), i};
		le32_put(p + size - 4, i);
	}
	return t != NULL;
}

static uint64_t txin_read(struct bench *b, uint64_t n)
{
	const struct batch *t = b->data;
	struct txin_view in;
	uint64_t sum = 0;
	struct rd r;

	for (; n > 0; n--) {
		rd_init(&r, slice_of(t->in, t->n));
		for (uint32_t i = 0; i < BATCH; i++) {
			txin_get(&in, &r);
			if (in.prevout)
				use(touch_32(in.prevout) +
				    outpoint_index(in.prevout) +
				    touch_slice(in.script) + in.sequence);
		}
		sum += rd_ok(&r);
	}
	return sum;
}

static uint64_t txin_parse(struct bench *b, uint64_t n)
{
	const struct batch *t = b->data;
	struct txin_view in;
	uint64_t sum = 0;
	struct rd r;

	for (; n > 0; n--) {
		rd_init(&r, slice_of(t->in, t->n));
		for (uint32_t i = 0; i < BATCH; i++) {
			txin_get(&in, &r);
			use(&in);
		}
		sum += rd_ok(&r);
	}
	return sum;
}

static uint64_t txin_write(struct bench *b, uint64_t n)
{
	const struct batch *t = b->data;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		uint8_t *p = t->out;
		for (uint32_t i = 0; i < BATCH; i++) {
			p = txin_put(p, &t->txin[i]);
			use(p);
		}
		sum += t->out[n % t->n];
	}
	return sum;
}

static bool txout_setup(struct bench *b)
{
	size_t size = 8 + 1 + SCRIPT_OUT;
	struct batch *t = batch_new(b, size);

	for (uint32_t i = 0; t && i < BATCH; i++) {
		uint8_t *p = t->in + i * size;
		le64_put(p, 5000000000u + i);
		p[8] = SCRIPT_OUT;
		t->txout[i] = (struct txout_view){5000000000 + i,
						  slice_of(p + 9, SCRIPT_OUT)};
	}
	return t != NULL;
}

static uint64_t txout_read(struct bench *b, uint64_t n)
{
	const struct batch *t = b->data;
	struct txout_view out;
	uint64_t sum = 0;
	struct rd r;

	for (; n > 0; n--) {
		rd_init(&r, slice_of(t->in, t->n));
		for (uint32_t i = 0; i < BATCH; i++) {
			txout_get(&out, &r);
			use((uint64_t)out.value + touch_slice(out.script));
		}
		sum += rd_ok(&r);
	}
	return sum;
}

static uint64_t txout_parse(struct bench *b, uint64_t n)
{
	const struct batch *t = b->data;
	struct txout_view out;
	uint64_t sum = 0;
	struct rd r;

	for (; n > 0; n--) {
		rd_init(&r, slice_of(t->in, t->n));
		for (uint32_t i = 0; i < BATCH; i++) {
			txout_get(&out, &r);
			use(&out);
		}
		sum += rd_ok(&r);
	}
	return sum;
}

static uint64_t txout_write(struct bench *b, uint64_t n)
{
	const struct batch *t = b->data;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		uint8_t *p = t->out;
		for (uint32_t i = 0; i < BATCH; i++) {
			p = txout_put(p, &t->txout[i]);
			use(p);
		}
		sum += t->out[n % t->n];
	}
	return sum;
}

static bool header_setup(struct bench *b)
{
	struct batch *t = batch_new(b, HEADER_SIZE);

	for (uint32_t i = 0; t && i < BATCH; i++)
		header_get(&t->header[i], t->in + i * HEADER_SIZE);
	return t != NULL;
}

/* Decoded into a struct, as the peer does. */
static uint64_t header_read(struct bench *b, uint64_t n)
{
	struct batch *t = b->data;

	for (uint64_t k = n; k > 0; k--) {
		for (uint32_t i = 0; i < BATCH; i++) {
			header_get(&t->header[i], t->in + i * HEADER_SIZE);
			use(&t->header[i]);
		}
	}
	return t->header[n % BATCH].nonce;
}

/* The view of a header is where it lies. */
static uint64_t header_parse(struct bench *b, uint64_t n)
{
	const struct batch *t = b->data;
	uint64_t sum = 0;
	struct rd r;

	for (; n > 0; n--) {
		rd_init(&r, slice_of(t->in, t->n));
		for (uint32_t i = 0; i < BATCH; i++)
			use(rd_take(&r, HEADER_SIZE));
		sum += rd_ok(&r);
	}
	return sum;
}

static uint64_t header_write(struct bench *b, uint64_t n)
{
	const struct batch *t = b->data;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		uint8_t *p = t->out;
		for (uint32_t i = 0; i < BATCH; i++) {
			p = header_put(p, &t->header[i]);
			use(p);
		}
		sum += t->out[n % t->n];
	}
	return sum;
}

#define ROW(name, kind, what, arg)                                             \
	{                                                                      \
		name, kind##_setup, kind##_##what, fini, arg, NULL, BATCH,     \
		    NULL                                                       \
	}

static const struct bench_row rows[] = {
    ROW("ReadVarInt1", varint, read, 1),
    ROW("ReadVarInt3", varint, read, 3),
    ROW("ReadVarInt5", varint, read, 5),
    ROW("ReadVarInt9", varint, read, 9),
    ROW("WriteVarInt1", varint, write, 1),
    ROW("WriteVarInt3", varint, write, 3),
    ROW("WriteVarInt5", varint, write, 5),
    ROW("WriteVarInt9", varint, write, 9),
    ROW("ReadVarStr4", varstr, read, 4),
    ROW("ReadVarStr4_parse", varstr, parse, 4),
    ROW("ReadVarStr10", varstr, read, 10),
    ROW("ReadVarStr10_parse", varstr, parse, 10),
    ROW("WriteVarStr4", varstr, write, 4),
    ROW("WriteVarStr10", varstr, write, 10),
    ROW("ReadOutPoint", outpoint, read, 0),
    ROW("ReadOutPoint_parse", outpoint, parse, 0),
    ROW("WriteOutPoint", outpoint, write, 0),
    ROW("ReadTxOut", txout, read, 0),
    ROW("ReadTxOut_parse", txout, parse, 0),
    ROW("WriteTxOut", txout, write, 0),
    ROW("ReadTxIn", txin, read, 0),
    ROW("ReadTxIn_parse", txin, parse, 0),
    ROW("WriteTxIn", txin, write, 0),
    ROW("ReadBlockHeader", header, read, 0),
    ROW("ReadBlockHeader_parse", header, parse, 0),
    ROW("WriteBlockHeader", header, write, 0),
};
BENCH_ROWS(rows);
