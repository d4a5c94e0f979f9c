/*
 * Announcing transactions: what is new waits in a queue for each kind of peers,
 * which moves on as fast as the rate that is allowed; from there it goes to
 * each peer's list, and out by inv at random times, so that nobody can tell
 * from when they come who had them first. Loop only.
 */
#include "internal.h"

#include <stdlib.h>

#define INBOUND_US  5000000 /* mean time between two of these inv */
#define OUTBOUND_US 2000000
/* Even without tokens this many are taken at a time (5 seconds' worth), so that
 * the queue is not sorted for one of them. */
#define FLOOR_S     5
#define BYTES_FLOOR (-50000.0)

int64_t tx_delay(struct sync *s, int64_t mean_us)
{
	return (int64_t)rand_exp(&s->tx.rand, (uint64_t)mean_us);
}

static bool wants(const struct sp *sp, bool inbound)
{
	return sp->tx.relays && peer_is_inbound(sp->peer) == inbound;
}

static void bucket_fill(struct txbucket *b, int64_t now_us)
{
	double s = (double)(now_us - b->at_us) / 1e6;

	if (b->at_us && s > 0) {
		b->count += b->rate * s;
		if (b->count > b->count_max)
			b->count = b->count_max;
		b->bytes += b->bytes_rate * s;
		if (b->bytes > 50e6)
			b->bytes = 50e6;
	}
	b->at_us = now_us;
}

static void bucket_add(struct txbucket *b, const struct hash256 *wtxid)
{
	if (b->n == TX_BACKLOG_MAX)
		return;
	arr_grow(&b->wait, &b->cap, b->n + 1, sizeof *b->wait);
	b->wait[b->n++] = *wtxid;
}

/* Of those that wait, sorted, the ones that may go now: gives how many are at
 * the front. The others stay. */
static size_t bucket_take(struct txbucket *b, struct ptx *const *tx, size_t n)
{
	double floor = -FLOOR_S * b->count_max / 30;
	size_t i = 0;
	bool more = true;

	while (i < n && more) {
		b->bytes -= (double)tx[i]->view.size;
		b->count -= 1;
		more = b->bytes > BYTES_FLOOR && b->count > floor;
		i++;
	}
	b->n = 0;
	for (size_t k = i; k < n; k++)
		bucket_add(b, &tx[k]->wtxid);
	return i;
}

static void queue_for(struct sp *sp, struct ptx *const *tx, size_t n)
{
	struct txpeer *t = &sp->tx;

	for (size_t i = 0; i < n && t->n_to_send < TX_TO_SEND_MAX; i++) {
		arr_grow(&t->to_send, &t->cap_to_send, t->n_to_send + 1,
			 sizeof *t->to_send);
		t->to_send[t->n_to_send++] = tx[i]->wtxid;
	}
}

static void bucket_run(struct sync *s, struct txbucket *b, bool inbound)
{
	bool anybody = false;
	struct ptx **tx;
	size_t n;

	if (b->n == 0 || b->count <= 0 || b->bytes <= 0)
		return;
	tx = xmalloc(b->n * sizeof(struct ptx *));
	n = txpool_sort(&s->tx.pool, tx, b->wait, b->n);
	n = bucket_take(b, tx, n);
	for (struct sp *sp = s->peers; sp; sp = sp->next) {
		if (!wants(sp, inbound))
			continue;
		anybody = true;
		queue_for(sp, tx, n);
	}
	if (!anybody)
		b->n = 0;
	free(tx);
}

static void buckets_run(struct sync *s, int64_t now_us)
{
	bucket_fill(&s->tx.inbound, now_us);
	bucket_fill(&s->tx.outbound, now_us);
	bucket_run(s, &s->tx.inbound, true);
	bucket_run(s, &s->tx.outbound, false);
}

void sync_announce_tx(struct sync *s, const struct hash256 *id)
{
	const struct ptx *t = txpool_wtxid(&s->tx.pool, id);

	if (!t)
		t = txpool_txid(&s->tx.pool, id);
	if (t)
		tx_announce(s, &t->wtxid);
}

static struct sync_pace pace_of(const struct txbucket *b)
{
	return (struct sync_pace){
	    .backlog = b->n, .count = b->count, .bytes = b->bytes};
}

void sync_pace(const struct sync *s, struct sync_pace *inbound,
	       struct sync_pace *outbound)
{
	*inbound = pace_of(&s->tx.inbound);
	*outbound = pace_of(&s->tx.outbound);
}

static void send_inv(struct sp *sp, uint8_t *body, uint32_t n)
{
	uint8_t head[9];
	size_t size = (size_t)(inv_count_put(head, n) - head);

	if (n == 0)
		return;
	/* The count takes its place right in front of the items. */
	memcpy(body + 9 - size, head, size);
	peer_send(sp->peer, MSG_INV,
		  slice_of(body + 9 - size, size + (size_t)n * INV_ITEM_SIZE));
}

/* Announce n, but for what the peer knows or would not keep. */
static void announce(struct sp *sp, struct ptx *const *tx, size_t n, bool again)
{
	struct txpeer *t = &sp->tx;
	int64_t rate = peer_fee_filter(sp->peer);
	uint8_t *body =
	    xmalloc(9 + (n < INV_MAX ? n : INV_MAX) * INV_ITEM_SIZE);
	uint32_t k = 0;

	for (size_t i = 0; i < n; i++) {
		const struct hash256 *id =
		    t->wtxid ? &tx[i]->wtxid : &tx[i]->txid;
		if (tx[i]->fee < rate_fee(rate, tx[i]->vsize) ||
		    (!again && txset_has(&t->known, id)))
			continue;
		txset_add(&t->known, id);
		inv_item_put(body + 9 + (size_t)k++ * INV_ITEM_SIZE,
			     t->wtxid ? INV_WTX : INV_TX, id);
		if (k == INV_MAX) {
			send_inv(sp, body, k);
			k = 0;
		}
	}
	send_inv(sp, body, k);
	free(body);
}

/* The whole pool, for a peer that has asked for it (BIP 35). */
static void announce_all(struct sp *sp)
{
	struct txpool *pool = &sp->s->tx.pool;
	size_t n = pool->by_wtxid.n, k = 0, i = 0;
	struct hash256 *ids = xmalloc((n + 1) * sizeof *ids);
	struct ptx **tx = xmalloc((n + 1) * sizeof(struct ptx *)), *t;

	while ((t = hmap_next(&pool->by_wtxid, &i)))
		ids[k++] = t->wtxid;
	n = txpool_sort(pool, tx, ids, k);
	announce(sp, tx, n, true);
	free(tx);
	free(ids);
}

static void announce_queued(struct sp *sp)
{
	struct txpeer *t = &sp->tx;
	struct ptx **tx = xmalloc(t->n_to_send * sizeof(struct ptx *));
	size_t n = txpool_sort(&sp->s->tx.pool, tx, t->to_send, t->n_to_send);

	announce(sp, tx, n, false);
	free(tx);
}

static void trickle(struct sp *sp)
{
	struct txpeer *t = &sp->tx;

	if (t->sent_all)
		announce_all(sp);
	else if (t->n_to_send)
		announce_queued(sp);
	else
		return;
	/* It may ask for all that was here when this was sent. */
	t->last_inv_sequence = sp->s->tx.pool.sequence;
	t->sent_all = false;
	free(t->to_send);
	t->to_send = NULL;
	t->n_to_send = t->cap_to_send = 0;
}

void tx_announce(struct sync *s, const struct hash256 *wtxid)
{
	bucket_add(&s->tx.inbound, wtxid);
	bucket_add(&s->tx.outbound, wtxid);
	buckets_run(s, clock_now_us(s->cfg.clock));
	/* Nothing is hidden from who is trusted. */
	for (struct sp *sp = s->peers; sp; sp = sp->next)
		if (sp->tx.relays && sp_may(sp, PERM_NOBAN))
			trickle(sp);
}

/* Inbound peers share one time, so that many connections tell no more than one.
 */
static int64_t next_inv(struct sp *sp, int64_t now_us)
{
	struct txrelay *t = &sp->s->tx;

	if (!peer_is_inbound(sp->peer))
		return now_us + tx_delay(sp->s, OUTBOUND_US);
	if (t->next_inbound_us < now_us)
		t->next_inbound_us = now_us + tx_delay(sp->s, INBOUND_US);
	return t->next_inbound_us;
}

void tx_announce_ready(struct sp *sp)
{
	sp->tx.next_inv_us = next_inv(sp, clock_now_us(sp->s->cfg.clock));
}

void tx_announce_tick(struct sync *s, int64_t now_us)
{
	buckets_run(s, now_us);
	for (struct sp *sp = s->peers; sp; sp = sp->next) {
		bool due = sp->tx.next_inv_us < now_us;
		if (sp->tx.relays && (due || sp_may(sp, PERM_NOBAN)))
			trickle(sp);
		if (due)
			sp->tx.next_inv_us = next_inv(sp, now_us);
	}
}

/* BIP 35. As nodes that offer no bloom filters: for those alone to whom it was
 * granted. */
void on_mempool(struct sp *sp, const struct net_msg *m)
{
	(void)m;
	if (sp_may(sp, PERM_MEMPOOL))
		sp->tx.sent_all = sp->tx.relays;
	else if (!sp_may(sp, PERM_NOBAN))
		peer_disconnect(sp->peer,
				"mempool request without bloom filters");
}
