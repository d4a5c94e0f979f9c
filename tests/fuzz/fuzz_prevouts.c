/*
 * Coins beside a block, as cairn-util verify-block reads them: 3 bytes of a
 * length, a block, and the coins without their first 36 bytes, which name the
 * block. Who spends what is not there is found by a plain search as well.
 */
#include "fuzz.h"

#include <cairn-util.h>

#include <cairn/base/buf.h>
#include <cairn/base/endian.h>
#include <cairn/crypto/sha256.h>
#include <cairn/script/template.h>

#define HEIGHT     700000
#define INPUTS_MAX 300u

/* The output that op names, of a transaction before tx; false when there is
 * none. */
static bool made_before(struct txout_view *out, const struct block_view *b,
			uint32_t tx, const uint8_t *op)
{
	uint32_t n = outpoint_index(op);
	struct tx_iter it;

	for (uint32_t i = b->n_tx; i-- > 0;) {
		if (!hash256_eq(&b->txid[i], outpoint_txid(op)))
			continue;
		if (i >= tx || n >= b->tx[i].n_out)
			return false;
		txouts(&it, &b->tx[i]);
		for (uint32_t k = 0; k <= n; k++)
			txout_next(&it, out);
		return !script_is_unspendable(out->script);
	}
	return true;
}

static bool is_spent(const uint8_t **ops, uint32_t n, const uint8_t *op)
{
	for (uint32_t i = 0; i < n; i++)
		if (memcmp(ops[i], op, OUTPOINT_SIZE) == 0)
			return true;
	return false;
}

static uint32_t first_missing(const struct block_view *b)
{
	const uint8_t *ops[INPUTS_MAX];
	struct txout_view out;
	struct txin_view in;
	struct tx_iter it;
	uint32_t n = 0;

	for (uint32_t i = 1; i < b->n_tx; i++) {
		txins(&it, &b->tx[i]);
		while (txin_next(&it, &in)) {
			if (is_spent(ops, n, in.prevout) ||
			    !made_before(&out, b, i, in.prevout))
				return i;
			ops[n++] = in.prevout;
		}
	}
	return UINT32_MAX;
}

static uint32_t count_inputs(const struct block_view *b)
{
	uint32_t n = 0;

	for (uint32_t i = 1; i < b->n_tx && n <= INPUTS_MAX; i++)
		n += b->tx[i].n_in > INPUTS_MAX ? INPUTS_MAX : b->tx[i].n_in;
	return n;
}

static struct buf *file_of(const struct hash256 *block, struct slice rest)
{
	struct buf *file = buf_new(36 + rest.n);
	uint8_t *p;

	fuzz_check(file);
	p = bytes_put(buf_data(file), "PVO1", 4);
	p = bytes_put(p, block->b, 32);
	bytes_put(p, rest.p, rest.n);
	file->n = 36 + rest.n;
	return file;
}

static void judge(const struct block_view *b, struct slice rest)
{
	struct util_prevouts pv = {0};
	struct hash256 hash;
	const char *why;

	sha256d(&hash, b->header, HEADER_SIZE);
	why = util_prevouts_parse(&pv, file_of(&hash, rest), &hash);
	if (!why)
		why = util_prevouts_match(&pv, b, HEIGHT);
	if (!why) {
		fuzz_check(pv.n == count_inputs(b));
		fuzz_check(pv.missing == first_missing(b));
		for (uint32_t i = 0; i < pv.n; i++)
			fuzz_touch(pv.at[i].coin.script);
	}
	util_prevouts_fini(&pv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct block_view b;
	size_t trailing, n;
	struct slice body;
	struct rd r;

	rd_init(&r, slice_of(data, size));
	n = rd_u16(&r);
	n |= (size_t)rd_u8(&r) << 16;
	body = rd_bytes(&r, n);
	if (!rd_ok(&r) || block_view_parse(&b, &trailing, body) != 0)
		return 0;
	block_hash_txs(&b);
	if (count_inputs(&b) <= INPUTS_MAX)
		judge(&b, slice_of(r.p, rd_left(&r)));
	block_view_fini(&b);
	return 0;
}
