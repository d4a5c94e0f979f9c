/*
 * Compact blocks (BIP 152). Any thread. The views validate once; iterators read
 * the same bytes again and check nothing that was checked. Matching short ids
 * with transactions is left to whoever keeps some.
 */
#include <cairn/wire/cmpctblock.h>

#include <cairn/base/must.h>
#include <cairn/crypto/sha256.h>
#include <cairn/crypto/siphash.h>

#define TX_MIN        10u
#define PREFILLED_MIN (1u + TX_MIN)
#define INDEX_MAX     0xffffu
#define SHORT_ID_MASK 0xffffffffffffu

/* Transactions one behind the other, n of them; prefilled ones each behind a
 * difference of indexes. */
static bool scan_txs(struct rd *r, uint32_t n, bool prefilled)
{
	struct tx_view tx;

	for (uint32_t i = 0; i < n; i++) {
		if (prefilled && rd_compact(r) > INDEX_MAX)
			rd_fail(r);
		if (!rd_ok(r) || !tx_view_parse(&tx, r))
			return false;
	}
	return rd_ok(r);
}

bool cmpctblock_view_parse(struct cmpctblock_view *v, struct slice body)
{
	struct cmpctblock_view t;
	struct rd r;

	rd_init(&r, body);
	t.header = rd_take(&r, HEADER_SIZE);
	t.nonce = rd_u64(&r);
	t.n_short = rd_count(&r, CMPCT_SHORT_ID_SIZE);
	t.short_ids = rd_take(&r, (size_t)t.n_short * CMPCT_SHORT_ID_SIZE);
	t.n_prefilled = rd_count(&r, PREFILLED_MIN);
	t.prefilled = r.p;
	if (!rd_ok(&r) || t.n_short + t.n_prefilled > CMPCT_TX_MAX ||
	    !scan_txs(&r, t.n_prefilled, true))
		return false;
	t.end = r.p;
	*v = t;
	return true;
}

bool prefilled_next(struct prefilled_iter *it, struct prefilled *t)
{
	if (it->left == 0)
		return false;
	it->left--;
	t->index = it->next + rd_compact(&it->r);
	it->next = t->index + 1;
	return tx_view_parse(&t->tx, &it->r);
}

bool cmpctblock_is_sane(const struct cmpctblock_view *v)
{
	struct prefilled_iter it;
	struct prefilled t;
	uint32_t i = 0;

	if (le32_get(v->header + 72) == 0 || v->n_short + v->n_prefilled == 0)
		return false;
	prefilleds(&it, v);
	while (prefilled_next(&it, &t)) {
		if ((t.tx.n_in == 0 && t.tx.n_out == 0) ||
		    t.index > INDEX_MAX || t.index > v->n_short + i)
			return false;
		i++;
	}
	return true;
}

void cmpct_key(uint64_t key[2], const uint8_t *header, uint64_t nonce)
{
	uint8_t in[HEADER_SIZE + 8], out[32];

	memcpy(in, header, HEADER_SIZE);
	le64_put(in + HEADER_SIZE, nonce);
	sha256_once(out, in, sizeof in);
	key[0] = le64_get(out);
	key[1] = le64_get(out + 8);
}

uint64_t cmpct_short_id_of(const uint64_t key[2], const struct hash256 *wtxid)
{
	return siphash(key, wtxid->b, 32) & SHORT_ID_MASK;
}

size_t cmpctblock_size(uint32_t n_short, uint32_t n_prefilled,
		       size_t prefilled_bytes)
{
	return HEADER_SIZE + 8 + compact_size(n_short) +
	       (size_t)n_short * CMPCT_SHORT_ID_SIZE +
	       compact_size(n_prefilled) + prefilled_bytes;
}

uint8_t *cmpctblock_head_put(uint8_t *p, const uint8_t *header, uint64_t nonce,
			     uint32_t n_short)
{
	p = bytes_put(p, header, HEADER_SIZE);
	p = le64_put(p, nonce);
	return compact_put(p, n_short);
}

uint8_t *cmpct_short_id_put(uint8_t *p, uint64_t id)
{
	p = le32_put(p, (uint32_t)id);
	return le16_put(p, (uint16_t)(id >> 32));
}

size_t prefilled_size(uint32_t skipped, struct slice tx)
{
	return compact_size(skipped) + tx.n;
}

uint8_t *prefilled_put(uint8_t *p, uint32_t skipped, struct slice tx)
{
	p = compact_put(p, skipped);
	return bytes_put(p, tx.p, tx.n);
}

static struct slice coinbase(const struct block_view *b)
{
	return slice_of(b->tx[0].p, b->tx[0].size);
}

size_t cmpctblock_of_size(const struct block_view *b)
{
	must(b->n_tx > 0 && b->n_tx <= CMPCT_TX_MAX);
	return cmpctblock_size(b->n_tx - 1, 1, prefilled_size(0, coinbase(b)));
}

uint8_t *cmpctblock_of_put(uint8_t *p, const struct block_view *b,
			   uint64_t nonce)
{
	uint64_t key[2];

	must(b->n_tx > 0 && b->n_tx <= CMPCT_TX_MAX);
	cmpct_key(key, b->header, nonce);
	p = cmpctblock_head_put(p, b->header, nonce, b->n_tx - 1);
	for (uint32_t i = 1; i < b->n_tx; i++)
		p = cmpct_short_id_put(p, cmpct_short_id_of(key, &b->wtxid[i]));
	p = compact_put(p, 1);
	return prefilled_put(p, 0, coinbase(b));
}

/* Each index as the distance from the one before it, so they always rise. */
bool getblocktxn_view_parse(struct getblocktxn_view *v, struct slice body)
{
	struct getblocktxn_view t;
	const uint8_t *block;
	uint32_t next = 0;
	struct rd r;

	rd_init(&r, body);
	block = rd_take(&r, 32);
	t.n = rd_count(&r, 1);
	t.p = r.p;
	for (uint32_t i = 0; i < t.n && rd_ok(&r); i++) {
		next += rd_compact(&r);
		if (next++ > INDEX_MAX)
			rd_fail(&r);
	}
	if (!rd_ok(&r))
		return false;
	t.block = hash256_at(block);
	t.end = r.p;
	*v = t;
	return true;
}

static uint32_t distance(const uint16_t *index, uint32_t i)
{
	uint32_t next = i ? index[i - 1] + 1u : 0;

	must(index[i] >= next);
	return index[i] - next;
}

size_t getblocktxn_size(const uint16_t *index, uint32_t n)
{
	size_t size = 32 + compact_size(n);

	for (uint32_t i = 0; i < n; i++)
		size += compact_size(distance(index, i));
	return size;
}

uint8_t *getblocktxn_put(uint8_t *p, const struct hash256 *block,
			 const uint16_t *index, uint32_t n)
{
	p = bytes_put(p, block->b, 32);
	p = compact_put(p, n);
	for (uint32_t i = 0; i < n; i++)
		p = compact_put(p, distance(index, i));
	return p;
}

bool blocktxn_view_parse(struct blocktxn_view *v, struct slice body)
{
	struct blocktxn_view t;
	const uint8_t *block;
	struct rd r;

	rd_init(&r, body);
	block = rd_take(&r, 32);
	t.n = rd_count(&r, TX_MIN);
	t.p = r.p;
	if (!rd_ok(&r) || !scan_txs(&r, t.n, false))
		return false;
	t.block = hash256_at(block);
	t.end = r.p;
	*v = t;
	return true;
}

size_t blocktxn_size(uint32_t n, size_t tx_bytes)
{
	return 32 + compact_size(n) + tx_bytes;
}

uint8_t *blocktxn_head_put(uint8_t *p, const struct hash256 *block, uint32_t n)
{
	p = bytes_put(p, block->b, 32);
	return compact_put(p, n);
}
