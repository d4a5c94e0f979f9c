/*
 * Rows of the messages that are vectors. Inputs are built here; sizes are those
 * of the benchmarks they are compared with (btcd's wire package). Decode...
 * fills the view and touches every field of every element; its twin ..._parse
 * only fills the view.
 */
#include "bench.h"
#include "touch.h"

#include <cairn/base/buf.h>
#include <cairn/wire/addr.h>
#include <cairn/wire/cfilter.h>
#include <cairn/wire/header.h>
#include <cairn/wire/inv.h>
#include <cairn/wire/locator.h>
#include <cairn/wire/merkleblock.h>

#include <stdlib.h>

/* Fresh memory for an input of n bytes and an output of as many. */
static uint8_t *input_new(struct bench *b, size_t n)
{
	b->data = malloc(2 * n);
	b->bytes = n;
	if (!b->data)
		b->why = "out of memory";
	return b->data;
}

static void input_free(struct bench *b)
{
	free(b->data);
}

static struct slice body_of(const struct bench *b)
{
	return slice_of(b->data, b->bytes);
}

static uint64_t header_touch(const struct header *h)
{
	return (uint32_t)h->version + touch_32(h->prev.b) +
	       touch_32(h->merkle.b) + h->time + h->bits + h->nonce;
}

static bool headers_setup(struct bench *b)
{
	uint8_t *h = calloc(b->row->arg, HEADER_SIZE);
	uint8_t *p = h ? input_new(b, headers_size(b->row->arg)) : NULL;

	if (p) {
		bench_fill(h, b->row->arg * HEADER_SIZE, 2);
		headers_put(p, h, HEADER_SIZE, b->row->arg);
	}
	free(h);
	return p != NULL;
}

static uint64_t headers_decode(struct bench *b, uint64_t n)
{
	struct headers_view v;
	struct header h;
	uint64_t sum = 0;
	bool over;

	for (; n > 0; n--) {
		if (!headers_view_parse(&v, &over, body_of(b)))
			abort();
		for (const uint8_t *p = v.first; p; p = headers_next(&v, p)) {
			header_get(&h, p);
			sum += header_touch(&h);
		}
	}
	return sum;
}

static uint64_t headers_parse(struct bench *b, uint64_t n)
{
	struct slice body = body_of(b);
	struct headers_view v;
	bool over;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		bench_barrier(body.p);
		if (!headers_view_parse(&v, &over, body))
			abort();
		sum += v.n;
	}
	return sum;
}

static bool inv_setup(struct bench *b)
{
	uint8_t *p = input_new(b, inv_size(b->row->arg));
	struct hash256 h;

	if (!p)
		return false;
	p = inv_count_put(p, b->row->arg);
	for (uint32_t i = 0; i < b->row->arg; i++) {
		bench_fill(h.b, 32, i);
		p = inv_item_put(p, INV_TX, &h);
	}
	return true;
}

static uint64_t inv_decode(struct bench *b, uint64_t n)
{
	struct inv_view v;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		if (!inv_view_parse(&v, body_of(b)))
			abort();
		sum += touch_hashes(inv_hash(&v, 0)->b, INV_ITEM_SIZE, v.n);
	}
	return sum;
}

static uint64_t inv_parse(struct bench *b, uint64_t n)
{
	struct slice body = body_of(b);
	struct inv_view v;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		bench_barrier(body.p);
		if (!inv_view_parse(&v, body))
			abort();
		sum += v.n;
	}
	return sum;
}

/* All entries are 127.0.0.1. */
static bool addr_setup(struct bench *b)
{
	struct addr_entry *e = calloc(b->row->arg, sizeof *e);
	uint8_t *p = e ? input_new(b, addr_size(b->row->arg)) : NULL;

	for (uint32_t i = 0; p && i < b->row->arg; i++) {
		e[i].time_s = 1700000000 + i;
		e[i].services = 1;
		e[i].addr = (struct netaddr){
		    .net = NET_IPV4, .n = 4, .port = 8333, .b = {127, 0, 0, 1}};
	}
	if (p)
		addr_put(p, e, b->row->arg);
	free(e);
	return p != NULL;
}

static uint64_t addr_decode(struct bench *b, uint64_t n)
{
	struct addr_view v;
	struct addr_entry e;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		if (!addr_view_parse(&v, body_of(b)))
			abort();
		while (addr_next(&v, &e))
			sum += e.time_s + e.services + e.addr.port +
			       e.addr.net + le32_get(e.addr.b);
	}
	return sum;
}

static uint64_t addr_parse(struct bench *b, uint64_t n)
{
	struct slice body = body_of(b);
	struct addr_view v;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		bench_barrier(body.p);
		if (!addr_view_parse(&v, body))
			abort();
		sum += v.n;
	}
	return sum;
}

static bool locator_setup(struct bench *b)
{
	static const struct hash256 stop;
	struct hash256 *h = calloc(b->row->arg, sizeof *h);
	uint8_t *p = h ? input_new(b, locator_size(b->row->arg)) : NULL;

	if (p) {
		bench_fill(h->b, b->row->arg * sizeof *h, 3);
		locator_put(p, 70016, h, b->row->arg, &stop);
	}
	free(h);
	return p != NULL;
}

static uint64_t locator_decode(struct bench *b, uint64_t n)
{
	struct locator_view v;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		if (!locator_view_parse(&v, body_of(b)))
			abort();
		sum += v.version + touch_32(v.stop->b);
		sum += touch_hashes(v.hashes, 32, v.n);
	}
	return sum;
}

static uint64_t locator_parse(struct bench *b, uint64_t n)
{
	struct slice body = body_of(b);
	struct locator_view v;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		bench_barrier(body.p);
		if (!locator_view_parse(&v, body))
			abort();
		sum += v.n;
	}
	return sum;
}

/* A header, a count, 105 hashes, 14 bytes of flags. */
static bool merkleblock_setup(struct bench *b)
{
	uint8_t *p = input_new(b, merkleblock_size(105, 14));
	uint8_t noise[HEADER_SIZE + 105 * 32 + 14];
	struct merkleblock_view v = {
	    .header = noise,
	    .n_tx = 1000,
	    .n_hashes = 105,
	    .hashes = noise + HEADER_SIZE,
	    .flags = slice_of(noise + HEADER_SIZE + 105 * 32, 14)};

	if (!p)
		return false;
	bench_fill(noise, sizeof noise, 6);
	merkleblock_put(p, &v);
	return true;
}

static uint64_t merkleblock_decode(struct bench *b, uint64_t n)
{
	struct merkleblock_view v;
	struct header h;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		if (!merkleblock_view_parse(&v, body_of(b)))
			abort();
		header_get(&h, v.header);
		sum += header_touch(&h) + v.n_tx + touch_slice(v.flags);
		sum += touch_hashes(v.hashes, 32, v.n_hashes);
	}
	return sum;
}

static uint64_t merkleblock_parse(struct bench *b, uint64_t n)
{
	struct slice body = body_of(b);
	struct merkleblock_view v;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		bench_barrier(body.p);
		if (!merkleblock_view_parse(&v, body))
			abort();
		sum += v.n_hashes;
	}
	return sum;
}

static bool cfcheckpt_setup(struct bench *b)
{
	static const struct hash256 stop;
	uint32_t n = b->row->arg;
	uint8_t *p = input_new(b, cfcheckpt_size(n));

	if (!p)
		return false;
	p = cfcheckpt_head_put(p, FILTER_BASIC, &stop, n);
	bench_fill(p, (size_t)n * 32, 4);
	return true;
}

static uint64_t cfcheckpt_decode(struct bench *b, uint64_t n)
{
	struct cfcheckpt_view v;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		if (!cfcheckpt_view_parse(&v, body_of(b)))
			abort();
		sum += v.filter_type + touch_32(v.stop->b);
		sum += touch_hashes(v.headers, 32, v.n);
	}
	return sum;
}

static uint64_t cfcheckpt_parse(struct bench *b, uint64_t n)
{
	struct slice body = body_of(b);
	struct cfcheckpt_view v;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		bench_barrier(body.p);
		if (!cfcheckpt_view_parse(&v, body))
			abort();
		sum += v.n;
	}
	return sum;
}

/* The same message written into a fresh buffer each time. */
static uint64_t cfcheckpt_encode(struct bench *b, uint64_t n)
{
	struct cfcheckpt_view v;
	uint64_t sum = 0;

	if (!cfcheckpt_view_parse(&v, body_of(b)))
		abort();
	for (; n > 0; n--) {
		struct buf *out = buf_new(cfcheckpt_size(v.n));
		uint8_t *p;
		if (!out)
			abort();
		p = cfcheckpt_head_put(buf_data(out), v.filter_type, v.stop,
				       v.n);
		p = bytes_put(p, v.headers, (size_t)v.n * 32);
		out->n = (size_t)(p - buf_data(out));
		bench_barrier(out);
		sum += out->n;
		buf_unref(out);
	}
	return sum;
}

/* Into a buffer that the caller has: the input's upper half. */
static uint64_t cfcheckpt_into(struct bench *b, uint64_t n)
{
	uint8_t *out = (uint8_t *)b->data + b->bytes;
	struct cfcheckpt_view v;
	uint64_t sum = 0;

	if (!cfcheckpt_view_parse(&v, body_of(b)))
		abort();
	for (; n > 0; n--) {
		uint8_t *p =
		    cfcheckpt_head_put(out, v.filter_type, v.stop, v.n);
		p = bytes_put(p, v.headers, (size_t)v.n * 32);
		bench_barrier(p);
		sum += (uint64_t)(p - out);
	}
	return sum;
}

#define ROW(name, kind, what, arg)                                             \
	{                                                                      \
		name, kind##_setup, kind##_##what, input_free, arg, NULL, 0,   \
		    NULL                                                       \
	}

static const struct bench_row rows[] = {
    ROW("DecodeHeaders", headers, decode, 2000),
    ROW("DecodeHeaders_parse", headers, parse, 2000),
    ROW("DecodeInv", inv, decode, 50000),
    ROW("DecodeInv_parse", inv, parse, 50000),
    ROW("DecodeNotFound", inv, decode, 50000),
    ROW("DecodeNotFound_parse", inv, parse, 50000),
    ROW("DecodeAddr", addr, decode, 1000),
    ROW("DecodeAddr_parse", addr, parse, 1000),
    ROW("DecodeGetHeaders", locator, decode, 500),
    ROW("DecodeGetHeaders_parse", locator, parse, 500),
    ROW("DecodeGetBlocks", locator, decode, 500),
    ROW("DecodeGetBlocks_parse", locator, parse, 500),
    ROW("DecodeMerkleBlock", merkleblock, decode, 0),
    ROW("DecodeMerkleBlock_parse", merkleblock, parse, 0),
    ROW("MsgCFCheckptDecode/1000", cfcheckpt, decode, 1000),
    ROW("MsgCFCheckptDecode/1000_parse", cfcheckpt, parse, 1000),
    ROW("MsgCFCheckptDecode/10000", cfcheckpt, decode, 10000),
    ROW("MsgCFCheckptDecode/10000_parse", cfcheckpt, parse, 10000),
    ROW("MsgCFCheckptDecode/100000", cfcheckpt, decode, 100000),
    ROW("MsgCFCheckptDecode/100000_parse", cfcheckpt, parse, 100000),
    ROW("MsgCFCheckptEncode/1000", cfcheckpt, encode, 1000),
    ROW("MsgCFCheckptEncode/1000_into", cfcheckpt, into, 1000),
    ROW("MsgCFCheckptEncode/10000", cfcheckpt, encode, 10000),
    ROW("MsgCFCheckptEncode/10000_into", cfcheckpt, into, 10000),
    ROW("MsgCFCheckptEncode/100000", cfcheckpt, encode, 100000),
    ROW("MsgCFCheckptEncode/100000_into", cfcheckpt, into, 100000),
};
BENCH_ROWS(rows);
