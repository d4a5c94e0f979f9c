/* Transactions with wanted parents, put into a copy of the pool. */
#include "pool_rows.h"

#include <cairn/base/buf.h>
#include <cairn/base/mem.h>
#include <check.h>

struct pool_copy *rows_new(size_t n)
{
	struct pool_copy *p = xcalloc(1, sizeof *p);

	p->rows = xcalloc(n + 1, sizeof *p->rows);
	hmap_init(&p->by_txid);
	return p;
}

static uint8_t *put_in(uint8_t *p, const struct hash256 *txid)
{
	p = bytes_put(p, txid, 32);
	p = le32_put(p, 0);
	p = compact_put(p, 0);
	return le32_put(p, 0xffffffffu);
}

size_t rows_add(struct pool_copy *p, const int *parents, size_t pad)
{
	struct pool_row *r = &p->rows[p->n];
	struct hash256 own = {{(uint8_t)(p->n + 1), (uint8_t)(p->n >> 8), 7}};
	struct buf *b = buf_new(pad + 64 * 41 + 100);
	struct tx_view tx;
	struct rd rd;
	uint8_t *q;
	size_t n = 0;

	ck_assert_ptr_nonnull(b);
	while (parents[n] >= 0)
		n++;
	q = le32_put(buf_data(b), 2);
	q = compact_put(q, n + 1);
	for (size_t i = 0; i < n; i++)
		q = put_in(q, &p->rows[parents[i]].txid);
	q = put_in(q, &own);
	q = compact_put(q, 1);
	q = le64_put(q, 1000);
	q = compact_put(q, pad);
	memset(q, 0x51, pad);
	q = le32_put(q + pad, 0);
	b->n = (size_t)(q - buf_data(b));
	rd_init(&rd, buf_payload(b));
	ck_assert(tx_view_parse(&tx, &rd));
	tx_txid(&r->txid, &tx);
	r->wtxid = r->txid;
	r->buf = b;
	r->weight = r->weight_bip141 = tx_weight(&tx);
	r->chunk_weight = r->weight;
	r->vsize = (r->weight + 3) / 4;
	return p->n++;
}
