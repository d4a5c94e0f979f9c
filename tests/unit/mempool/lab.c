/* Transactions and pools for the tests of this folder. */
#include "lab.h"

#include <cairn/base/buf.h>
#include <cairn/base/endian.h>
#include <cairn/base/rd.h>

#include <check.h>
#include <stdlib.h>
#include <string.h>

static void on_added(void *arg, const struct mempool_tx *tx)
{
	struct lab *lab = arg;

	ck_assert_ptr_nonnull(tx->buf);
	ck_assert_uint_eq(pool_sequence(lab->m), 1 + lab->changes++);
	lab->added++;
}

static void on_removed(void *arg, const struct mempool_tx *tx,
		       enum mempool_reason why)
{
	struct lab *lab = arg;

	ck_assert_ptr_nonnull(tx->buf);
	ck_assert_uint_eq(pool_sequence(lab->m), 1 + lab->changes++);
	lab->removed[why]++;
}

void lab_init(struct lab *lab, int64_t max_bytes)
{
	const struct mempool_ops ops = {.added = on_added,
					.removed = on_removed};
	const struct mempool_cfg cfg = {
	    .policy = {.min_relay_rate = 100,
		       .incremental_rate = 100,
		       .bytes_per_sigop = 20,
		       .cluster_count = 64,
		       .cluster_vbytes = 101000},
	    .max_bytes = max_bytes,
	    .expiry_s = 1000,
	};
	const struct mempool_tip tip = {.height = 100, .mtp = 1000000};

	memset(lab, 0, sizeof *lab);
	lab->m = mempool_new(&cfg, &ops, lab);
	mempool_set_tip(lab->m, &tip);
	lab->empty = pool_usage(lab->m);
}

void lab_fini(struct lab *lab)
{
	mempool_free(lab->m);
}

static uint8_t *put_in(uint8_t *p, const struct lab_out *in)
{
	memcpy(p, in->txid.b, 32);
	p = le32_put(p + 32, in->index);
	*p++ = 0;
	return le32_put(p, 0xffffffff);
}

static uint8_t *put_compact(uint8_t *p, size_t n)
{
	*p++ = 0xfd;
	return le16_put(p, (uint16_t)n);
}

/* Counts in three bytes where needed, so that sizes are easy to say. */
static uint8_t *put_count(uint8_t *p, size_t n)
{
	if (n >= 0xfd)
		return put_compact(p, n);
	*p++ = (uint8_t)n;
	return p;
}

static struct buf *make(const struct lab_out *in, size_t n_in, uint32_t n_out,
			uint32_t pad)
{
	struct buf *b = buf_new(32 + 41 * n_in + 9 * n_out + pad);
	uint8_t *p = buf_data(b);

	p = put_count(le32_put(p, 2), n_in);
	for (size_t i = 0; i < n_in; i++)
		p = put_in(p, &in[i]);
	p = put_count(p, n_out);
	for (uint32_t i = 0; i < n_out; i++) {
		p = le64_put(p, 1000 + i);
		p = put_count(p, i == 0 ? pad : 0);
		memset(p, 0x51, i == 0 ? pad : 0);
		p += i == 0 ? pad : 0;
	}
	p = le32_put(p, 0);
	b->n = (size_t)(p - buf_data(b));
	return b;
}

struct mempool_tx lab_tx(struct lab *lab, const struct lab_out *in, size_t n_in,
			 uint32_t n_out, uint32_t pad, int64_t fee)
{
	struct lab_out coin = {.index = ++lab->made};
	struct mempool_tx t = {.fee = fee,
			       .sigops = 4,
			       .height = 100,
			       .time_s = 5000,
			       .lock = seq_lock_none(),
			       .sequence = pool_sequence(lab->m)};
	struct rd rd;

	memset(&coin.txid, 0xee, sizeof coin.txid);
	t.buf = n_in ? make(in, n_in, n_out, pad) : make(&coin, 1, n_out, pad);
	rd_init(&rd, buf_payload(t.buf));
	ck_assert(tx_view_parse(&t.view, &rd));
	tx_txid(&t.txid, &t.view);
	tx_wtxid(&t.wtxid, &t.view);
	t.weight = policy_weight(tx_weight(&t.view), t.sigops, 20);
	t.vsize = weight_vsize(t.weight);
	return t;
}

struct entry *lab_put(struct lab *lab, const struct lab_out *in, size_t n_in,
		      uint32_t n_out, uint32_t pad, int64_t fee)
{
	struct mempool_tx t = lab_tx(lab, in, n_in, n_out, pad, fee);
	struct entry *e = pool_insert(lab->m, &t);

	buf_unref(t.buf);
	return e;
}

struct lab_out lab_out(const struct entry *e, uint32_t index)
{
	return (struct lab_out){e->tx.txid, index};
}

struct entry *lab_child(struct lab *lab, const struct entry *e, uint32_t index,
			uint32_t n_out, int64_t fee)
{
	struct lab_out in = lab_out(e, index);

	return lab_put(lab, &in, 1, n_out, 0, fee);
}

void lab_mine(struct lab *lab, const struct mempool_tx *tx, size_t n,
	      int64_t now_s)
{
	struct mempool_tx coinbase = lab_tx(lab, NULL, 0, 1, 0, 0);
	struct block_view b = {.n_tx = (uint32_t)n + 1};

	b.tx = calloc(n + 1, sizeof *b.tx);
	b.txid = calloc(n + 1, sizeof *b.txid);
	b.tx[0] = coinbase.view;
	b.txid[0] = coinbase.txid;
	for (size_t i = 0; i < n; i++) {
		b.tx[i + 1] = tx[i].view;
		b.txid[i + 1] = tx[i].txid;
	}
	mempool_block_connected(lab->m, &b, now_s);
	buf_unref(coinbase.buf);
	free(b.tx);
	free(b.txid);
}

void lab_rebuild(struct lab *copy, const struct lab *lab)
{
	const struct mempool_tx *tx;
	struct hash256 txid;
	int64_t delta;
	size_t i = 0;

	lab_init(copy, lab->m->cfg.max_bytes);
	copy->m->cfg = lab->m->cfg;
	copy->made = lab->made;
	while (mempool_delta_next(lab->m, &i, &txid, &delta))
		mempool_prioritise(copy->m, &txid, delta);
	i = 0;
	while ((tx = mempool_next(lab->m, &i)))
		ck_assert_ptr_nonnull(pool_insert(copy->m, tx));
}

struct lin_chunk *lab_chunks(const struct lab *lab, uint32_t *n)
{
	const struct heap *h = &lab->m->ix->best;
	struct lin_chunk *all = malloc((h->n * 64 + 1) * sizeof *all);

	*n = 0;
	for (size_t i = 0; i < h->n; i++) {
		const struct cluster *c = h->v[i];

		memcpy(all + *n, c->chunks, c->n_chunks * sizeof *all);
		*n += c->n_chunks;
	}
	qsort(all, *n, sizeof *all, lab_chunk_order);
	return all;
}

int lab_chunk_order(const void *a, const void *b)
{
	const struct lin_chunk *x = a, *y = b;
	int cmp = chunk_cmp(y, x);

	return cmp ? cmp : (x->size > y->size) - (x->size < y->size);
}

void lab_lock(struct mempool_tx *t, uint32_t height)
{
	/* The first input's sequence: version, count, outpoint, no script. */
	memset(buf_data(t->buf) + 4 + 1 + 36 + 1, 0, 4);
	t->view.lock_time = height;
}

size_t lab_related(const struct mempool_tx *tx, enum lab_kin kin,
		   const struct mempool_tx **out)
{
	const struct entry *e = (const struct entry *)(const void *)tx;
	const struct cluster *c = e->cluster;
	const uint64_t *const sets[] = {c->parents, c->children, c->ancestors,
					c->descendants};
	size_t n = 0;

	for (uint64_t set = sets[kin][e->slot]; set; set &= set - 1)
		out[n++] = &c->tx[slot_of(set)]->tx;
	return n;
}
