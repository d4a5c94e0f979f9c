/*
 * Rules of a block: a byte of bits, then the block. Bit 0 puts the root of its
 * transactions into the header, bit 1 the commitment to its witnesses where the
 * coinbase has room for one, so that more than the first rule is reached; bit 6
 * puts the last transaction there twice, which leaves the root of an odd number
 * as it was; the others choose network and height. What is refused as mutated,
 * and only that, must be found mutated; a valid block's roots must be those
 * taken by hand.
 */
#include "fuzz.h"

#include <cairn/consensus/check.h>
#include <cairn/consensus/signet.h>
#include <cairn/crypto/sha256.h>
#include <cairn/params/params.h>

#define NONCE 32u

/* The root by the book, and whether two neighbours are the same, as where the
 * end is repeated; destroys the row. */
static struct hash256 root_of(struct hash256 *row, uint32_t n, bool *twins)
{
	struct hash256 pair[2];

	fuzz_check(n > 0);
	*twins = false;
	for (; n > 1; n = (n + 1) / 2) {
		for (uint32_t i = 0; i < n; i += 2) {
			pair[0] = row[i];
			pair[1] = row[i + 1 < n ? i + 1 : i];
			*twins |= i + 1 < n && hash256_eq(&pair[0], &pair[1]);
			sha256d(&row[i / 2], pair, sizeof pair);
		}
	}
	return row[0];
}

static struct hash256 *copy_of(const struct hash256 *leaves, uint32_t n)
{
	struct hash256 *row = malloc(n * sizeof *row);

	fuzz_check(row);
	memcpy(row, leaves, n * sizeof *row);
	return row;
}

static struct hash256 tree(const struct hash256 *leaves, uint32_t n,
			   bool *twins)
{
	struct hash256 *row = copy_of(leaves, n), root = root_of(row, n, twins);

	free(row);
	return root;
}

/* The output script that holds the commitment, or NULL. */
static const uint8_t *commitment_at(const struct block_view *b)
{
	int32_t i = witness_commitment_index(b);
	struct txout_view out;
	struct tx_iter it;

	if (i < 0)
		return NULL;
	txouts(&it, &b->tx[0]);
	while (txout_next(&it, &out) && i-- > 0)
		;
	fuzz_check(out.script.n >= 38);
	return out.script.p + 6;
}

static struct hash256 commitment_of(const struct block_view *b)
{
	struct tx_iter it, stack = {NULL, 0};
	uint8_t nonce[NONCE] = {0};
	struct hash256 root, out;
	struct slice item;
	bool twins;

	root = tree(b->wtxid, b->n_tx, &twins);

	txwits(&it, &b->tx[0]);
	if (txwit_next(&it, &stack) && witem_next(&stack, &item) &&
	    item.n == NONCE)
		memcpy(nonce, item.p, NONCE);
	witness_commitment(&out, &root, nonce);
	return out;
}

/* Bytes is what b was parsed from. */
static void mend(struct block_view *b, uint8_t *bytes, uint8_t bits)
{
	const uint8_t *at = bits & 2 && b->n_tx ? commitment_at(b) : NULL;
	struct hash256 h;
	bool twins;

	if (at) {
		h = commitment_of(b);
		memcpy(bytes + (at - b->header), h.b, sizeof h);
		block_hash_txs(b);
	}
	if (bits & 1 && b->n_tx) {
		h = tree(b->txid, b->n_tx, &twins);
		memcpy(bytes + 36, h.b, sizeof h);
	}
}

static void check_roots(const struct block_view *b, bool segwit)
{
	const uint8_t *at = commitment_at(b);
	struct hash256 h;
	bool twins;

	h = tree(b->txid, b->n_tx, &twins);
	fuzz_check(!twins);
	fuzz_check(memcmp(h.b, b->header + 36, 32) == 0);
	fuzz_check(!b->has_witness || (segwit && at));
	if (segwit && at) {
		h = commitment_of(b);
		fuzz_check(memcmp(h.b, at, 32) == 0);
	}
}

static void judge(const struct block_view *b, const struct params *p,
		  int32_t height)
{
	bool segwit = height >= p->deploy_height[DEPLOY_SEGWIT];
	struct block_context c = {height, (int64_t)le32_get(b->header + 68)};
	struct verdict v = block_check(b, p, true);

	fuzz_check(v.kind != V_INVALID || (v.reject[0] && v.detail[0]));
	if (verdict_ok(&v))
		v = block_check_context(b, &c, p);
	if (v.kind == V_INVALID && v.reason == INV_MUTATED)
		fuzz_check(block_is_mutated(b, segwit));
	if (verdict_ok(&v)) {
		fuzz_check(!block_is_mutated(b, segwit));
		fuzz_check(block_weight(b) <= MAX_BLOCK_WEIGHT);
		fuzz_check(block_legacy_sigops(b) <= 20000);
		check_roots(b, segwit);
	}
}

static void run(uint8_t *bytes, size_t n, uint8_t bits)
{
	static const int32_t heights[] = {0, 1, 227931, 481824};
	const struct params *p = params_get((enum chain_id)(bits >> 4 & 3));
	struct block_view b;
	struct verdict v;
	size_t trailing;

	if (block_view_parse(&b, &trailing, slice_of(bytes, n)) != 0)
		return;
	block_hash_txs(&b);
	mend(&b, bytes, bits);
	judge(&b, p, heights[bits >> 2 & 3]);
	if (b.n_tx > 0)
		signet_block_signed(&b, params_get(CHAIN_SIGNET));
	/* Work that is not done is told before anything else. */
	v = block_check(&b, p, false);
	fuzz_check(!verdict_ok(&v) || p->id != CHAIN_MAIN || b.n_tx > 0);
	block_view_fini(&b);
}

/* The block with its last transaction twice, in fresh memory; NULL where that
 * is not one of few in an odd number. */
static uint8_t *repeat(const uint8_t *bytes, size_t *n)
{
	uint8_t *out = NULL, *p;
	struct block_view b;
	const struct tx_view *last;
	size_t trailing;

	if (block_view_parse(&b, &trailing, slice_of(bytes, *n)) != 0)
		return NULL;
	if (b.n_tx % 2 && b.n_tx < 252) {
		last = &b.tx[b.n_tx - 1];
		out = fuzz_new(b.size + last->size);
		memcpy(out, bytes, b.size);
		out[HEADER_SIZE]++;
		p = out + b.size;
		memcpy(p, last->p, last->size);
		*n = b.size + last->size;
	}
	block_view_fini(&b);
	return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *bytes, *more = NULL;
	size_t n = size - 1;

	if (size < 1)
		return 0;
	bytes = fuzz_new(n);
	if (n)
		memcpy(bytes, data + 1, n);
	if (data[0] & 64)
		more = repeat(bytes, &n);
	run(more ? more : bytes, n, data[0]);
	free(more);
	free(bytes);
	return 0;
}
