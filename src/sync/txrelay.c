/*
 * Relay of transactions: life of its state, what the chain's events mean for
 * it, the tick. Loop only. The steps are in the other tx*.c files, in the order
 * of a transaction's way: txdownload, txjudge, txreject, txannounce, txserve.
 */
#include "internal.h"

#include <stdlib.h>

#define SECOND_US 1000000
/* An own transaction that nobody has asked for is announced again after 10 to
 * 15 minutes. */
#define REBROADCAST_US      (600 * (int64_t)SECOND_US)
#define REBROADCAST_MORE_US (300 * (uint64_t)SECOND_US)

bool inv_is_tx(uint32_t type)
{
	return type == INV_TX || type == INV_WTX || type == INV_WITNESS_TX;
}

bool tx_refuses(const struct sp *sp)
{
	enum peer_conn c = peer_conn_type(sp->peer);

	return c == CONN_BLOCK_ONLY || c == CONN_FEELER ||
	       (sp->s->cfg.blocks_only && !sp_may(sp, PERM_RELAY));
}

bool tx_have(const struct sync *s, const struct hash256 *hash, bool wtxid,
	     bool reconsiderable)
{
	const struct txrelay *t = &s->tx;

	/* By wtxid alone, whatever kind the hash is of: an orphan with the same
	 * txid may have another witness. */
	if (orphans_find(&t->orphans, hash))
		return true;
	if (reconsiderable && txset_has(&t->reconsiderable, hash))
		return true;
	if (txset_has(&t->confirmed, hash) || txset_has(&t->rejects, hash))
		return true;
	return wtxid ? txpool_wtxid(&t->pool, hash) != NULL
		     : txpool_txid(&t->pool, hash) != NULL;
}

static void bucket_init(struct txbucket *b, double rate, double factor)
{
	/* As Bitcoin Core fills them: 30 seconds' worth and 12 MB at first, 20
	 * kB each second. */
	*b = (struct txbucket){.rate = rate * factor,
			       .count = rate * 30,
			       .count_max = rate * 30,
			       .bytes_rate = 20000 * factor,
			       .bytes = 12000000};
}

void txrelay_init(struct sync *s)
{
	struct txrelay *t = &s->tx;
	double rate = s->cfg.tx_send_rate ? s->cfg.tx_send_rate : 14;

	rand_init(&t->rand);
	txpool_init(&t->pool);
	txrequest_init(&t->req);
	orphans_init(&t->orphans);
	txset_init(&t->rejects, TX_REJECTS_MAX);
	txset_init(&t->reconsiderable, TX_REJECTS_MAX);
	txset_init(&t->confirmed, TX_CONFIRMED_MAX);
	hmap_init(&t->judging);
	bucket_init(&t->inbound, rate, 1);
	bucket_init(&t->outbound, rate, 2.5);
	hmap_init(&t->block.by_txid);
	hmap_init(&t->block.by_wtxid);
	t->min_rate = s->cfg.min_relay_rate;
}

/* After all peers are gone. Jobs that are still with the chain are answered
 * before it stops, so none is left. */
void txrelay_fini(struct sync *s)
{
	struct txrelay *t = &s->tx;

	txpool_fini(&t->pool);
	txrequest_fini(&t->req);
	orphans_fini(&t->orphans);
	txset_fini(&t->rejects);
	txset_fini(&t->reconsiderable);
	txset_fini(&t->confirmed);
	hmap_fini(&t->judging);
	free(t->inbound.wait);
	free(t->outbound.wait);
	txblock_fini(&t->block);
	hmap_fini(&t->block.by_txid);
	hmap_fini(&t->block.by_wtxid);
}

void txrelay_ready(struct sp *sp)
{
	struct txpeer *t = &sp->tx;
	struct peer_info i;

	peer_get_info(sp->peer, &i);
	t->relays = i.relay_txs;
	t->wtxid = i.wtxid_relay;
	t->req.id = sp->id;
	t->orphans.id = sp->id;
	t->last_inv_sequence = 1;
	txset_init(&t->known, TX_KNOWN_MAX);
	sp->s->tx.n_wtxid_peers += t->wtxid;
	tx_feefilter_ready(sp);
	tx_announce_ready(sp);
}

void txrelay_gone(struct sp *sp)
{
	struct txrelay *t = &sp->s->tx;

	t->n_wtxid_peers -= sp->tx.wtxid;
	orphans_peer_gone(&t->orphans, &sp->tx.orphans);
	txrequest_peer_gone(&t->req, &sp->tx.req);
	txset_fini(&sp->tx.known);
	free(sp->tx.to_send);
}

static void on_added(struct sync *s, const struct chain_event *e)
{
	struct txrelay *t = &s->tx;
	struct ptx *tx = txpool_follow(&t->pool, e);

	if (!tx)
		return;
	txrequest_forget(&t->req, &tx->txid);
	txrequest_forget(&t->req, &tx->wtxid);
	orphans_parent_came(&t->orphans, &tx->view, &tx->txid, &t->rand);
	orphans_drop(&t->orphans, &tx->wtxid);
	if (tx->unbroadcast)
		tx_announce(s, &tx->wtxid);
	tx_work_all(s);
}

/* What a block holds is neither asked for nor kept as an orphan. */
static void note_mined(struct sync *s, const struct block_view *b)
{
	struct txrelay *t = &s->tx;

	orphans_block(&t->orphans, b);
	for (uint32_t i = 0; i < b->n_tx; i++) {
		const struct tx_view *tx = &b->tx[i];
		orphans_parent_came(&t->orphans, tx, &b->txid[i], &t->rand);
		txset_add(&t->confirmed, &b->txid[i]);
		txrequest_forget(&t->req, &b->txid[i]);
		if (!tx_has_witness(tx) || i == 0)
			continue;
		txset_add(&t->confirmed, &b->wtxid[i]);
		txrequest_forget(&t->req, &b->wtxid[i]);
	}
}

static void on_connected(struct sync *s, const struct chain_event *e)
{
	if (!e->buf || chain_in_ibd(s->chain))
		return;
	txblock_set(s, e->node, e->buf);
	if (s->tx.block.buf)
		note_mined(s, &s->tx.block.view);
}

void txrelay_event(struct sync *s, const struct chain_event *e)
{
	struct txrelay *t = &s->tx;

	if (e->type == CHAIN_EV_TX_ADDED) {
		on_added(s, e);
	} else if (e->type == CHAIN_EV_TX_REMOVED) {
		txpool_follow(&t->pool, e);
	} else if (e->type == CHAIN_EV_CONNECTED) {
		on_connected(s, e);
	} else if (e->type == CHAIN_EV_DISCONNECTED) {
		txset_clear(&t->confirmed);
	} else if (e->type == CHAIN_EV_TIP && !chain_in_ibd(s->chain)) {
		/* What was refused may be valid now. */
		txset_clear(&t->rejects);
		txset_clear(&t->reconsiderable);
		tx_work_all(s);
		/* Out of initial download: peers may tell of theirs now. */
		tx_feefilter_tick(s, clock_now_us(s->cfg.clock));
	}
}

/* Own transactions again, until a peer has asked for them. The chain thread
 * knows which: some were noted so after they came. */
struct again_job {
	struct sync *s;
	struct hash256 *wtxids;
	size_t n, cap;
};

/* Loop. */
static void again_back(void *arg)
{
	struct again_job *j = arg;

	for (size_t i = 0; i < j->n; i++) {
		struct ptx *t = txpool_wtxid(&j->s->tx.pool, &j->wtxids[i]);
		if (!t)
			continue;
		t->unbroadcast = true;
		tx_announce(j->s, &t->wtxid);
	}
	free(j->wtxids);
	free(j);
}

/* Chain. */
static void again_run(void *arg)
{
	struct again_job *j = arg;
	struct mempool *m = chain_mempool(j->s->chain);
	const struct mempool_tx *t;
	struct mempool_stats st;
	size_t i = 0;

	mempool_stats(m, &st, clock_now(j->s->cfg.clock));
	while (j->n < st.unbroadcast && (t = mempool_next(m, &i))) {
		if (!t->unbroadcast)
			continue;
		arr_grow(&j->wtxids, &j->cap, j->n + 1, sizeof *j->wtxids);
		j->wtxids[j->n++] = t->wtxid;
	}
	j->s->cfg.post(j->s->cfg.post_arg, (struct task){again_back, j});
}

static void rebroadcast(struct sync *s, int64_t now_us)
{
	struct txrelay *t = &s->tx;
	bool first = t->next_rebroadcast_us == 0;
	struct again_job *j;

	if (now_us < t->next_rebroadcast_us)
		return;
	t->next_rebroadcast_us =
	    now_us + REBROADCAST_US +
	    (int64_t)rand_below(&t->rand, REBROADCAST_MORE_US);
	if (first || t->pool.by_txid.n == 0)
		return;
	j = xcalloc(1, sizeof *j);
	j->s = s;
	if (!chain_run(s->chain, (struct task){again_run, j}))
		free(j);
}

void sync_forward(struct sync *s, int64_t seconds)
{
	s->tx.next_rebroadcast_us -= seconds * SECOND_US;
	if (s->loaded)
		rebroadcast(s, clock_now_us(s->cfg.clock));
}

void txrelay_tick(struct sync *s)
{
	int64_t now_us = clock_now_us(s->cfg.clock);

	tx_ask_all(s);
	tx_work_all(s);
	rebroadcast(s, now_us);
	tx_announce_tick(s, now_us);
	tx_feefilter_tick(s, now_us);
}
