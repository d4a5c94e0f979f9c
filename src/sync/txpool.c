/*
 * The loop's copy of the pool: kept by events, found by both ids, sorted for
 * announcing. Loop only. Judges nothing.
 */
#include "txpool.h"

#include <cairn/base/buf.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>

#include <stdlib.h>

void txpool_init(struct txpool *p)
{
	*p = (struct txpool){.sequence = 1};
	hmap_init(&p->by_txid);
	hmap_init(&p->by_wtxid);
}

static void ptx_free(struct ptx *t)
{
	buf_unref(t->buf);
	free(t);
}

void txpool_fini(struct txpool *p)
{
	struct ptx *t;
	size_t i = 0;

	while ((t = hmap_next(&p->by_txid, &i)))
		ptx_free(t);
	hmap_fini(&p->by_txid);
	hmap_fini(&p->by_wtxid);
}

static void take_out(struct txpool *p, const struct hash256 *txid)
{
	struct ptx *t = hmap_del(&p->by_txid, txid);

	if (!t)
		return;
	hmap_del(&p->by_wtxid, &t->wtxid);
	ptx_free(t);
}

static struct ptx *put_in(struct txpool *p, const struct chain_event *e)
{
	struct ptx *t = xcalloc(1, sizeof *t);
	struct rd r;

	rd_init(&r, buf_payload(e->buf));
	/* The chain has parsed it; a copy that cannot be read is of no use. */
	if (!tx_view_parse(&t->view, &r)) {
		free(t);
		return NULL;
	}
	t->txid = e->tx.txid;
	t->wtxid = e->tx.wtxid;
	t->buf = buf_ref(e->buf);
	t->fee = e->tx.fee;
	t->vsize = e->tx.vsize > 0 ? e->tx.vsize : 1;
	/* What was in a block is no secret: whoever asks may have it. */
	t->sequence = e->tx.from_block ? 0 : p->sequence - 1;
	t->unbroadcast = e->tx.ours;
	hmap_put(&p->by_txid, &t->txid, t);
	hmap_put(&p->by_wtxid, &t->wtxid, t);
	return t;
}

struct ptx *txpool_follow(struct txpool *p, const struct chain_event *e)
{
	take_out(p, &e->tx.txid);
	if (e->type != CHAIN_EV_TX_ADDED) {
		p->sequence++;
		return NULL;
	}
	p->sequence = e->tx.sequence;
	return e->buf ? put_in(p, e) : NULL;
}

/* High rates first, and as they came among equals. */
static int cmp_rate(const void *a, const void *b)
{
	const struct ptx *x = *(struct ptx *const *)a;
	const struct ptx *y = *(struct ptx *const *)b;
	__extension__ __int128 l = x->fee, r = y->fee;

	l *= y->vsize;
	r *= x->vsize;
	if (l != r)
		return l > r ? -1 : 1;
	return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

/* Place t behind its parents. As deep as a chain of the pool is long: its
 * clusters are bounded. */
static void place(struct txpool *p, struct ptx **out, size_t *n, struct ptx *t)
{
	struct txin_view in;
	struct tx_iter it;

	t->batch = 0;
	txins(&it, &t->view);
	while (txin_next(&it, &in)) {
		struct ptx *up = txpool_txid(p, outpoint_txid(in.prevout));
		if (up && up->batch == p->batch)
			place(p, out, n, up);
	}
	out[(*n)++] = t;
}

size_t txpool_sort(struct txpool *p, struct ptx **out,
		   const struct hash256 *wtxids, size_t n)
{
	struct ptx **found;
	size_t n_found = 0, n_out = 0;

	if (n == 0)
		return 0;
	found = xmalloc(n * sizeof(struct ptx *));
	p->batch++;
	for (size_t i = 0; i < n; i++) {
		struct ptx *t = txpool_wtxid(p, &wtxids[i]);
		if (!t || t->batch == p->batch)
			continue;
		t->batch = p->batch;
		found[n_found++] = t;
	}
	qsort(found, n_found, sizeof(struct ptx *), cmp_rate);
	for (size_t i = 0; i < n_found; i++)
		if (found[i]->batch == p->batch)
			place(p, out, &n_out, found[i]);
	free(found);
	return n_out;
}
