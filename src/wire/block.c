/*
 * Blocks: header, transactions and one index allocation for their views and
 * hashes; merkle roots. Any thread, usually a worker. Whether a block is a good
 * one is decided in consensus.
 */
#include <cairn/wire/block.h>

#include <cairn/base/err.h>
#include <cairn/crypto/sha256.h>

#include <stdlib.h>

#define TX_MIN     10u
#define HASH_BATCH 512u

/* The views, the txids and the wtxids lie in this order in one allocation. */
static bool index_new(struct block_view *b)
{
	size_t each = sizeof *b->tx + 2 * sizeof *b->txid;
	size_t n = b->n_tx;
	struct tx_view *tx = malloc(n ? n * each : 1);

	if (!tx)
		return false;
	b->tx = tx;
	b->txid = (struct hash256 *)(void *)(tx + n);
	b->wtxid = b->txid + n;
	return true;
}

static bool parse_txs(struct block_view *b, struct rd *r)
{
	uint32_t base = HEADER_SIZE + (uint32_t)compact_size(b->n_tx);
	bool wit = false;

	for (uint32_t i = 0; i < b->n_tx; i++) {
		if (!tx_view_parse(&b->tx[i], r))
			return false;
		base += b->tx[i].base_size;
		wit |= tx_has_witness(&b->tx[i]);
	}
	b->base_size = base;
	b->has_witness = wit;
	return true;
}

int block_view_parse(struct block_view *v, size_t *trailing, struct slice body)
{
	struct block_view b = {0};
	struct rd r;

	rd_init(&r, body);
	b.header = rd_take(&r, HEADER_SIZE);
	b.n_tx = rd_count(&r, TX_MIN);
	if (!rd_ok(&r) || rd_left(&r) > TX_SPAN_MAX)
		return E_PARSE;
	if (!index_new(&b))
		return E_NOMEM;
	if (!parse_txs(&b, &r)) {
		free(b.tx);
		return E_PARSE;
	}
	b.size = (uint32_t)(r.p - body.p);
	b.raw = slice_of(body.p, b.size);
	*trailing = rd_left(&r);
	*v = b;
	return 0;
}

void block_view_fini(struct block_view *v)
{
	free(v->tx);
	*v = (struct block_view){0};
}

/* The wtxids in one go, so that the lanes are filled to the end. The list of
 * messages lies where the txids will be: they have the room and are not there
 * yet. */
static void hash_whole(struct hash256 *txid, struct hash256 *wtxid,
		       const struct tx_view *tx, uint32_t n)
{
	struct slice *in = (struct slice *)(void *)txid;

	_Static_assert(sizeof *in <= sizeof *txid, "room for the slices");
	for (uint32_t i = 0; i < n; i++)
		in[i] = slice_of(tx[i].p, tx[i].size);
	sha256d_many(wtxid, in, n);
}

/* Transactions with a witness, waiting for their txid. */
struct base_batch {
	uint32_t n;
	uint32_t at[HASH_BATCH]; /* index among all */
	struct slice in[3 * HASH_BATCH];
	struct hash256 out[HASH_BATCH];
};

static void base_batch_run(struct base_batch *b, struct hash256 *txid)
{
	sha256d_many_parts(b->out, b->in, 3, b->n);
	for (uint32_t i = 0; i < b->n; i++)
		txid[b->at[i]] = b->out[i];
	b->n = 0;
}

void txs_hash(struct hash256 *txid, struct hash256 *wtxid,
	      const struct tx_view *tx, uint32_t n)
{
	struct base_batch b;

	hash_whole(txid, wtxid, tx, n);
	b.n = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (!tx_has_witness(&tx[i])) {
			txid[i] = wtxid[i];
			continue;
		}
		tx_base_parts(&b.in[3 * b.n], &tx[i]);
		b.at[b.n++] = i;
		if (b.n == HASH_BATCH)
			base_batch_run(&b, txid);
	}
	base_batch_run(&b, txid);
}

void block_hash_txs(struct block_view *v)
{
	txs_hash(v->txid, v->wtxid, v->tx, v->n_tx);
	if (v->n_tx)
		memset(&v->wtxid[0], 0, sizeof v->wtxid[0]);
}

uint8_t *block_put_base(uint8_t *p, const struct block_view *v)
{
	p = bytes_put(p, v->header, HEADER_SIZE);
	p = compact_put(p, v->n_tx);
	for (uint32_t i = 0; i < v->n_tx; i++)
		p = tx_put_base(p, &v->tx[i]);
	return p;
}

/* Two equal hashes side by side, in any row, mean that a list with a repeated
 * tail has the same root (CVE-2012-2459). */
static bool row_has_twins(const struct hash256 *row, uint32_t n)
{
	bool twins = false;

	for (uint32_t i = 0; i + 1 < n; i += 2)
		twins |= hash256_eq(&row[i], &row[i + 1]);
	return twins;
}

/* Hash a row into up, which may be the row; the last of an odd one is paired
 * with itself. Returns the length of up. */
static uint32_t row_up(struct hash256 *up, const struct hash256 *row,
		       uint32_t n)
{
	struct hash256 pair[2];
	uint32_t half = n / 2;

	pair[0] = pair[1] = row[n - 1];
	sha256d64(up->b, row->b, half);
	if (n & 1)
		sha256d64(up[half++].b, pair[0].b, 1);
	return half;
}

void merkle_root(struct hash256 *root, bool *mutated,
		 const struct hash256 *leaves, uint32_t n,
		 struct hash256 *scratch)
{
	bool twins = false;

	while (n > 1) {
		if (mutated)
			twins |= row_has_twins(leaves, n);
		n = row_up(scratch, leaves, n);
		leaves = scratch;
	}
	if (mutated)
		*mutated = twins;
	if (n)
		*root = leaves[0];
	else
		memset(root, 0, sizeof *root);
}
