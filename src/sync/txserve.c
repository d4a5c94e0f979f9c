/*
 * Giving transactions to peers that ask: those of the pool that the peer may
 * know of, and those of the last block. Others are not found, so that nobody
 * learns what is here before it is announced. Loop only.
 */
#include "internal.h"

#include <cairn/base/buf.h>
#include <cairn/wire/frame.h>

#include <stdlib.h>

/* Items of one notfound. */
#define NOTFOUND_BATCH 1000u

void txblock_fini(struct txblock *b)
{
	if (!b->buf)
		return;
	hmap_fini(&b->by_txid);
	hmap_fini(&b->by_wtxid);
	block_view_fini(&b->view);
	buf_unref(b->buf);
	*b = (struct txblock){.buf = NULL};
	hmap_init(&b->by_txid);
	hmap_init(&b->by_wtxid);
}

void txblock_set(struct sync *s, const struct hnode *n, struct buf *block)
{
	struct txblock *b = &s->tx.block;
	size_t trailing;

	txblock_fini(b);
	if (block_view_parse(&b->view, &trailing, buf_payload(block)) != 0)
		return;
	b->node = n;
	b->buf = buf_ref(block);
	block_hash_txs(&b->view);
	for (uint32_t i = 0; i < b->view.n_tx; i++) {
		hmap_put(&b->by_txid, &b->view.txid[i], &b->view.tx[i]);
		if (i > 0) /* the coinbase has none of its own */
			hmap_put(&b->by_wtxid, &b->view.wtxid[i],
				 &b->view.tx[i]);
	}
}

/* A peer has taken an own transaction: it needs no further announcing. */
struct broadcast_job {
	struct chain *chain;
	struct hash256 txid;
};

/* Chain. */
static void broadcast_run(void *arg)
{
	struct broadcast_job *j = arg;

	mempool_broadcast(chain_mempool(j->chain), &j->txid);
	free(j);
}

static void note_broadcast(struct sync *s, struct ptx *t)
{
	struct broadcast_job *j;

	if (!t->unbroadcast)
		return;
	t->unbroadcast = false;
	j = xcalloc(1, sizeof *j);
	j->chain = s->chain;
	j->txid = t->txid;
	if (!chain_run(s->chain, (struct task){broadcast_run, j}))
		free(j);
}

static void send_base(struct sp *sp, const struct tx_view *tx)
{
	uint8_t *body = xmalloc(tx->base_size);

	tx_put_base(body, tx);
	peer_send(sp->peer, MSG_TX, slice_of(body, tx->base_size));
	free(body);
}

static void send_pool_tx(struct sp *sp, struct ptx *t, bool witness)
{
	if (!witness && tx_has_witness(&t->view)) {
		send_base(sp, &t->view);
	} else {
		if (!t->has_checksum)
			t->checksum = frame_checksum(buf_payload(t->buf));
		t->has_checksum = true;
		peer_send_buf(sp->peer, MSG_TX, t->buf, t->checksum);
	}
	note_broadcast(sp->s, t);
}

static void send_mined_tx(struct sp *sp, const struct tx_view *tx, bool witness)
{
	if (!witness && tx_has_witness(tx))
		send_base(sp, tx);
	else
		peer_send(sp->peer, MSG_TX, slice_of(tx->p, tx->size));
}

/* False when the peer may not have it. */
static bool serve_tx(struct sp *sp, uint32_t type, const struct hash256 *hash)
{
	struct txrelay *r = &sp->s->tx;
	bool wtxid = type == INV_WTX;
	struct ptx *t =
	    wtxid ? txpool_wtxid(&r->pool, hash) : txpool_txid(&r->pool, hash);
	const struct tx_view *mined;

	if (t && t->sequence < sp->tx.last_inv_sequence) {
		send_pool_tx(sp, t, type != INV_TX);
		return true;
	}
	mined = hmap_get(wtxid ? &r->block.by_wtxid : &r->block.by_txid, hash);
	if (mined)
		send_mined_tx(sp, mined, type != INV_TX);
	return mined != NULL;
}

static void send_notfound(struct sp *sp, uint8_t *body, uint32_t n)
{
	uint8_t *items = body + 9, head[9];
	size_t size = (size_t)(inv_count_put(head, n) - head);

	if (n == 0)
		return;
	memcpy(items - size, head, size);
	peer_send(sp->peer, MSG_NOTFOUND,
		  slice_of(items - size, size + (size_t)n * INV_ITEM_SIZE));
}

void serve_txs(struct sp *sp)
{
	struct serve *sv = &sp->serve;
	struct inv_view v = {.n = sv->n, .p = sv->items};
	uint8_t body[9 + NOTFOUND_BATCH * INV_ITEM_SIZE];
	uint32_t missing = 0;

	while (sv->next < sv->n && inv_is_tx(inv_type(&v, sv->next)) &&
	       missing < NOTFOUND_BATCH && !peer_send_full(sp->peer)) {
		uint32_t type = inv_type(&v, sv->next);
		const struct hash256 *hash = inv_hash(&v, sv->next);
		sv->next++;
		/* Who wants no transactions is given none, without a word. */
		if (!sp->tx.relays || serve_tx(sp, type, hash))
			continue;
		inv_item_put(body + 9 + (size_t)missing++ * INV_ITEM_SIZE, type,
			     hash);
	}
	send_notfound(sp, body, missing);
}
