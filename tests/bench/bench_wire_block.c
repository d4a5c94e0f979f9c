/*
 * Rows of the codec: transactions, blocks, their hashes and roots. Blocks come
 * from the data folder. A row Deserialize... parses into views and touches
 * every field; its twin ..._parse only fills the views, and ..._walk is the
 * wall in front of that: a walk from length to length that checks nothing and
 * notes only where transactions begin.
 */
#include "bench.h"
#include "touch.h"

#include <cairn/base/buf.h>
#include <cairn/crypto/sha256.h>
#include <cairn/params/params.h>
#include <cairn/wire/block.h>

#include <stdlib.h>

static bool file_setup(struct bench *b)
{
	struct buf *buf = bench_file(b);

	if (!buf)
		return false;
	b->data = buf;
	b->bytes = buf->n;
	return true;
}

static void file_fini(struct bench *b)
{
	buf_unref(b->data);
}

static bool small_setup(struct bench *b)
{
	struct buf *buf = bench_small_tx(b);

	b->data = buf;
	b->bytes = buf ? buf->n : 0;
	return buf != NULL;
}

/* The coinbase of mainnet's first block: 204 bytes. */
static bool genesis_setup(struct bench *b)
{
	struct slice block = params_get(CHAIN_MAIN)->genesis_block;
	struct buf *buf = buf_new(block.n - 81);

	b->why = "out of memory";
	if (!buf)
		return false;
	buf->n = block.n - 81;
	memcpy(buf_data(buf), block.p + 81, buf->n);
	b->data = buf;
	b->bytes = buf->n;
	return true;
}

static uint64_t touch_tx(const struct tx_view *v)
{
	uint64_t sum = (uint32_t)v->version + v->lock_time + v->base_size;
	struct tx_iter it, stack;
	struct txin_view in;
	struct txout_view out;
	struct slice item;

	txins(&it, v);
	while (txin_next(&it, &in))
		sum += touch_32(in.prevout) + outpoint_index(in.prevout) +
		       touch_slice(in.script) + in.sequence;
	txouts(&it, v);
	while (txout_next(&it, &out))
		sum += (uint64_t)out.value + touch_slice(out.script);
	if (!tx_has_witness(v))
		return sum;
	txwits(&it, v);
	while (txwit_next(&it, &stack)) {
		while (witem_next(&stack, &item))
			sum += touch_slice(item);
	}
	return sum;
}

static uint64_t touch_block(const struct block_view *v)
{
	const uint8_t *h = v->header;
	uint64_t sum = le32_get(h) + touch_32(h + 4) + touch_32(h + 36) +
		       le32_get(h + 68) + le64_get(h + 72);

	for (uint32_t i = 0; i < v->n_tx; i++)
		sum += touch_tx(&v->tx[i]);
	return sum;
}

static void parse_tx(struct tx_view *v, const struct bench *b)
{
	struct rd r;

	rd_init(&r, buf_payload(b->data));
	if (!tx_view_parse(v, &r))
		abort();
}

static void parse_block(struct block_view *v, const struct bench *b)
{
	size_t trailing;

	if (block_view_parse(v, &trailing, buf_payload(b->data)) != 0)
		abort();
}

static uint64_t tx_parse(struct bench *b, uint64_t n)
{
	struct tx_view v;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		parse_tx(&v, b);
		sum += v.base_size;
	}
	return sum;
}

static uint64_t tx_decode(struct bench *b, uint64_t n)
{
	struct tx_view v;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		parse_tx(&v, b);
		sum += touch_tx(&v);
	}
	return sum;
}

static uint64_t tx_hash(struct bench *b, uint64_t n)
{
	struct hash256 h;
	struct tx_view v;
	uint64_t sum = 0;

	parse_tx(&v, b);
	for (; n > 0; n--) {
		tx_txid(&h, &v);
		sum += h.b[0];
	}
	return sum;
}

static uint64_t block_parse(struct bench *b, uint64_t n)
{
	struct block_view v;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		parse_block(&v, b);
		sum += v.base_size;
		block_view_fini(&v);
	}
	return sum;
}

static uint64_t block_decode(struct bench *b, uint64_t n)
{
	struct block_view v;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		parse_block(&v, b);
		sum += touch_block(&v);
		block_view_fini(&v);
	}
	return sum;
}

static const uint8_t *walk_bytes(const uint8_t *p, size_t more)
{
	struct tx_iter it = {.p = p};
	uint32_t n = tx_iter_compact(&it);

	return it.p + n + more;
}

static const uint8_t *walk_tx(const uint8_t *p)
{
	bool witness = p[4] == 0;
	struct tx_iter it = {.p = p + (witness ? 6 : 4)};
	uint32_t n_in = tx_iter_compact(&it), n;

	for (n = n_in; n > 0; n--) {
		__builtin_prefetch(it.p + 320);
		it.p = walk_bytes(it.p + OUTPOINT_SIZE, 4);
	}
	for (n = tx_iter_compact(&it); n > 0; n--)
		it.p = walk_bytes(it.p + 8, 0);
	for (; witness && n_in > 0; n_in--)
		for (n = tx_iter_compact(&it); n > 0; n--)
			it.p = walk_bytes(it.p, 0);
	return it.p + 4;
}

static uint64_t block_walk(struct bench *b, uint64_t n)
{
	static uint32_t offset[20000];
	const uint8_t *start = buf_data(b->data);
	uint64_t sum = 0;

	for (; n > 0; n--) {
		struct tx_iter it = {.p = start + HEADER_SIZE};
		uint32_t n_tx = tx_iter_compact(&it);
		const uint8_t *p = it.p;
		for (uint32_t i = 0; i < n_tx && i < 20000; i++) {
			offset[i] = (uint32_t)(p - start);
			p = walk_tx(p);
		}
		bench_barrier(p);
		sum += offset[n_tx - 1];
	}
	return sum;
}

/* Parse, all txids and wtxids, and the merkle root over the txids. */
static uint64_t block_hash(struct bench *b, uint64_t n)
{
	struct hash256 root;
	struct block_view v;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		parse_block(&v, b);
		block_hash_txs(&v);
		merkle_root(&root, NULL, v.txid, v.n_tx, v.txid);
		sum += root.b[0];
		block_view_fini(&v);
	}
	return sum;
}

/* 64 bytes for each of arg inputs, or 32 for each leaf, and as much again. */
static bool hashes_setup(struct bench *b)
{
	size_t n = (size_t)b->row->arg * 64;
	struct buf *buf = buf_new(2 * n);

	b->why = "out of memory";
	if (!buf)
		return false;
	bench_fill(buf_data(buf), n, 5);
	buf->n = n;
	b->data = buf;
	return true;
}

/* The root alone, as by the peer's row; ..WithMutation tells repetitions too.
 */
static uint64_t merkle_run(struct bench *b, uint64_t n)
{
	uint8_t *leaves = buf_data(b->data);
	uint8_t *scratch = leaves + (size_t)b->row->arg * 32;
	struct hash256 root;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		merkle_root(&root, NULL, hash256_at(leaves), b->row->arg,
			    (struct hash256 *)(void *)scratch);
		sum += root.b[0];
	}
	return sum;
}

static uint64_t merkle_mutation_run(struct bench *b, uint64_t n)
{
	uint8_t *leaves = buf_data(b->data);
	uint8_t *scratch = leaves + (size_t)b->row->arg * 32;
	struct hash256 root;
	uint64_t sum = 0;
	bool mutated;

	for (; n > 0; n--) {
		merkle_root(&root, &mutated, hash256_at(leaves), b->row->arg,
			    (struct hash256 *)(void *)scratch);
		sum += root.b[0] + mutated;
	}
	return sum;
}

/* In place, as the peer's row. */
static uint64_t d64_run(struct bench *b, uint64_t n)
{
	uint8_t *p = buf_data(b->data);
	uint64_t sum = 0;

	for (; n > 0; n--) {
		sha256d64(p, p, b->row->arg);
		sum += p[0];
	}
	return sum;
}

#define LARGEST "blocks/mainnet/mainnet-540107.bin"
#define MANY    "blocks/mainnet/mainnet-574200.bin"
#define CORES   "prevouts/mainnet/mainnet-413567.bin"
#define MEGATX  "txs/megatx.bin"

#define ROW(name, setup, run, file)                                            \
	{                                                                      \
		name, setup, run, file_fini, 0, file, 0, NULL                  \
	}

static const struct bench_row rows[] = {
    ROW("DeserializeTxSmall", small_setup, tx_decode, NULL),
    ROW("DeserializeTxSmall_parse", small_setup, tx_parse, NULL),
    ROW("DeserializeTxLarge", file_setup, tx_decode, MEGATX),
    ROW("DeserializeTxLarge_parse", file_setup, tx_parse, MEGATX),
    ROW("DeserializeBlock/540107", file_setup, block_decode, LARGEST),
    ROW("DeserializeBlock/540107_parse", file_setup, block_parse, LARGEST),
    ROW("DeserializeBlock/540107_walk", file_setup, block_walk, LARGEST),
    ROW("DeserializeBlock/413567", file_setup, block_decode, CORES),
    ROW("DeserializeBlock/413567_parse", file_setup, block_parse, CORES),
    ROW("DeserializeBlock/413567_walk", file_setup, block_walk, CORES),
    ROW("BlockHashes/413567", file_setup, block_hash, CORES),
    ROW("BlockHashes/540107", file_setup, block_hash, LARGEST),
    ROW("BlockHashes/574200", file_setup, block_hash, MANY),
    ROW("TxHash", genesis_setup, tx_hash, NULL),
    {"MerkleRoot/9001", hashes_setup, merkle_run, file_fini, 9001, NULL, 9001,
     "leaf"},
    {"MerkleRootWithMutation/9001", hashes_setup, merkle_mutation_run,
     file_fini, 9001, NULL, 9001, "leaf"},
    {"SHA256D64/1024", hashes_setup, d64_run, file_fini, 1024, NULL, 64 * 1024,
     "byte"},
};
BENCH_ROWS(rows);
