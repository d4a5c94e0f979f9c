/*
 * Rows of the transaction pool, with the work of Bitcoin Core's benchmarks of
 * these names: 100 clusters of 60 random transactions that come and are all
 * evicted; seven of which some are evicted, then all.
 */
#include "../../src/mempool/pool.h"
#include "bench.h"

#include <cairn/base/buf.h>
#include <cairn/base/endian.h>
#include <cairn/base/rand.h>

#include <stdlib.h>
#include <string.h>

enum { CLUSTERS = 100, BASES = 10, CHILDREN = 50, INPUTS_MAX = 110 };

struct out {
	struct hash256 txid;
	uint32_t index;
};

struct pool_row {
	struct mempool *m;
	struct rand rand;
	struct mempool_tx tx[CLUSTERS * (BASES + CHILDREN)];
	size_t n;
};

/* Scripts of some bytes, as there. */
static struct buf *make(const struct out *in, uint32_t n_in, uint32_t n_out,
			uint32_t number)
{
	struct buf *b = buf_new(16 + 44 * n_in + 12 * n_out);
	uint8_t *p = buf_data(b);

	p = le32_put(p, 2);
	*p++ = (uint8_t)n_in;
	for (uint32_t i = 0; i < n_in; i++) {
		memcpy(p, in[i].txid.b, 32);
		p = le32_put(p + 32, in[i].index);
		*p++ = 2;
		p = le16_put(p, (uint16_t)number);
		p = le32_put(p, 0xffffffff);
	}
	*p++ = (uint8_t)n_out;
	for (uint32_t i = 0; i < n_out; i++) {
		p = le64_put(p, 1000000000);
		*p++ = 3;
		p = le16_put(p, (uint16_t)number);
		*p++ = 0x87;
	}
	b->n = (size_t)(le32_put(p, 0) - buf_data(b));
	return b;
}

static struct mempool_tx *add(struct pool_row *r, const struct out *in,
			      uint32_t n_in, uint32_t n_out)
{
	struct mempool_tx *t = &r->tx[r->n++];
	struct rd rd;

	*t = (struct mempool_tx){.sigops = 4, .height = 1};
	t->buf = make(in, n_in, n_out, (uint32_t)r->n);
	rd_init(&rd, buf_payload(t->buf));
	tx_view_parse(&t->view, &rd);
	tx_txid(&t->txid, &t->view);
	tx_wtxid(&t->wtxid, &t->view);
	t->weight = policy_weight(tx_weight(&t->view), t->sigops, 20);
	t->vsize = weight_vsize(t->weight);
	return t;
}

/* Ten of a coin each, then fifty that spend outputs of up to ten before: half
 * the time one, else some. */
static void add_cluster(struct pool_row *r)
{
	size_t first = r->n;
	uint32_t spent[BASES + CHILDREN] = {0};
	struct out in[INPUTS_MAX];

	for (uint32_t i = 0; i < BASES; i++) {
		in[0].index = (uint32_t)r->n;
		memset(in[0].txid.b, 0xcc, 32);
		add(r, in, 1, 2 + (uint32_t)rand_below(&r->rand, 10));
	}
	for (uint32_t i = 0; i < CHILDREN; i++) {
		uint32_t n = 0;

		for (uint64_t a = 1 + rand_below(&r->rand, 10); a > 0; a--) {
			uint32_t k = (uint32_t)rand_below(&r->rand, BASES + i);
			const struct mempool_tx *p = &r->tx[first + k];
			uint64_t take = 1;

			if (rand_below(&r->rand, 2))
				take += rand_below(&r->rand, p->view.n_out);
			for (; take > 0; take--)
				in[n++] = (struct out){p->txid, spent[k]++};
		}
		add(r, in, n, 2 + (uint32_t)rand_below(&r->rand, 10));
	}
}

static struct pool_row *row_new(void)
{
	static const struct mempool_ops none;
	const struct mempool_cfg cfg = {.policy = policy_default};
	struct pool_row *r = calloc(1, sizeof *r);

	rand_seed(&r->rand, 1);
	r->m = mempool_new(&cfg, &none, NULL);
	return r;
}

static void row_free(struct bench *b)
{
	struct pool_row *r = b->data;

	mempool_free(r->m);
	while (r->n > 0)
		buf_unref(r->tx[--r->n].buf);
	free(r);
}

static bool add_setup(struct bench *b)
{
	struct pool_row *r = row_new();

	for (int i = 0; i < CLUSTERS; i++)
		add_cluster(r);
	b->data = r;
	return true;
}

/* As the benchmark there: asked whether it may come, then put in. */
static uint64_t come(struct pool_row *r, struct mempool_tx *t, int64_t fee)
{
	struct pool_comer in = {&t->view, &t->txid, fee, t->weight};
	struct pool_change c = {.in = &in, .n_in = 1};

	t->fee = fee;
	if (pool_try(r->m, &c) != POOL_FITS)
		return 0;
	return pool_insert(r->m, t) != NULL;
}

static void trim(struct mempool *m, int64_t bytes)
{
	m->cfg.max_bytes = bytes;
	pool_make_room(m, 0);
}

static uint64_t add_run(struct bench *b, uint64_t n)
{
	struct pool_row *r = b->data;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		for (size_t i = 0; i < r->n; i++)
			sum +=
			    come(r, &r->tx[i],
				 1000 + (int64_t)rand_below(&r->rand, 10000));
		trim(r->m, 0);
	}
	return sum;
}

/* 2 <- 3; 4 <- 5, 6; 5, 6 <- 7; 1 alone. */
static bool evict_setup(struct bench *b)
{
	struct pool_row *r = row_new();
	struct out in[2];

	memset(in, 0xcc, sizeof in);
	for (uint32_t i = 0; i < 2; i++) {
		in[0].index = i;
		add(r, in, 1, 1);
	}
	add(r, &(struct out){r->tx[1].txid, 0}, 1, 1);
	in[0].index = 3;
	in[1].index = 4;
	add(r, in, 2, 2);
	for (uint32_t i = 0; i < 2; i++) {
		in[0] = (struct out){r->tx[3].txid, i};
		in[1].index = 5 + i;
		add(r, in, 2, 2);
	}
	in[0] = (struct out){r->tx[4].txid, 0};
	in[1] = (struct out){r->tx[5].txid, 0};
	add(r, in, 2, 2);
	b->data = r;
	return true;
}

static uint64_t evict_run(struct bench *b, uint64_t n)
{
	static const int64_t fees[] = {10000, 5000, 20000, 7000,
				       1000,  1100, 9000};
	struct pool_row *r = b->data;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		struct mempool_stats s;

		for (size_t i = 0; i < r->n; i++)
			sum += come(r, &r->tx[i], fees[i]);
		mempool_stats(r->m, &s, 0);
		trim(r->m, s.usage * 3 / 4);
		trim(r->m, r->tx[0].vsize);
	}
	return sum;
}

static const struct bench_row rows[] = {
    {.name = "MemPoolAddTransactions",
     .setup = add_setup,
     .run = add_run,
     .fini = row_free},
    {.name = "MempoolEviction",
     .setup = evict_setup,
     .run = evict_run,
     .fini = row_free},
};
BENCH_ROWS(rows);
