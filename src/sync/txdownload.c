/*
 * Which transactions peers say they have, and whom they are asked of: delays by
 * how much a peer is preferred and how busy it is, one peer at a time for each
 * transaction. Loop only. Judges no transaction.
 */
#include "internal.h"

#include <stdlib.h>

#define DELAY_US   2000000 /* for each reason not to ask at once */
#define EXPIRY_US  60000000
#define GETDATA_TX 1000u

/* How long to wait before this peer is asked, so that a better one may come
 * first. */
static int64_t ask_delay(const struct sp *sp, bool by_txid)
{
	int64_t us = 0;

	if (!sp_is_preferred(sp))
		us += DELAY_US;
	if (by_txid && sp->s->tx.n_wtxid_peers > 0)
		us += DELAY_US;
	if (sp->tx.req.in_flight >= TX_IN_FLIGHT && !sp_may(sp, PERM_RELAY))
		us += DELAY_US;
	return us;
}

static void announced(struct sp *sp, const struct hash256 *hash, bool wtxid,
		      int64_t delay_us)
{
	struct sync *s = sp->s;

	txrequest_announced(&s->tx.req, &sp->tx.req, hash, wtxid,
			    sp_is_preferred(sp),
			    clock_now_us(s->cfg.clock) + delay_us);
}

static int cmp_hash(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct hash256));
}

size_t tx_parents(const struct tx_view *tx, struct hash256 **give)
{
	struct hash256 *p = xmalloc(((size_t)tx->n_in + 1) * sizeof *p);
	size_t n = 0, k = 0;
	struct txin_view in;
	struct tx_iter it;

	txins(&it, tx);
	while (txin_next(&it, &in))
		p[n++] = *outpoint_txid(in.prevout);
	qsort(p, n, sizeof *p, cmp_hash);
	for (size_t i = 0; i < n; i++)
		if (k == 0 || !hash256_eq(&p[k - 1], &p[i]))
			p[k++] = p[i];
	*give = p;
	return k;
}

size_t tx_parents_missing(const struct sync *s, struct hash256 *parents,
			  size_t n)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (!tx_have(s, &parents[i], false, false))
			parents[k++] = parents[i];
	return k;
}

bool tx_orphan_candidate(struct sp *sp, const struct hash256 *parents, size_t n,
			 const struct hash256 *wtxid)
{
	const struct orphan *t = orphans_find(&sp->s->tx.orphans, wtxid);

	if (t && orphans_has_from(t, &sp->tx.orphans))
		return false;
	if (sp->tx.req.total + n > TX_ANNOUNCED_MAX && !sp_may(sp, PERM_RELAY))
		return false;
	for (size_t i = 0; i < n; i++)
		announced(sp, &parents[i], false, ask_delay(sp, true));
	return true;
}

/* Another peer has an orphan that we keep: it may have the parents too. They
 * may be thousands, so that nobody makes us look twice for one orphan. */
static void orphan_announced(struct sp *sp, struct orphan *t, bool again)
{
	struct sync *s = sp->s;
	struct hash256 *parents;
	size_t n;

	if (again || orphans_has_from(t, &sp->tx.orphans))
		return;
	n = tx_parents(&t->view, &parents);
	n = tx_parents_missing(s, parents, n);
	if (n && tx_orphan_candidate(sp, parents, n, &t->wtxid))
		orphans_announced(&s->tx.orphans, t, &sp->tx.orphans);
	free(parents);
}

bool tx_inv(struct sp *sp, uint32_t type, const struct hash256 *hash)
{
	struct sync *s = sp->s;
	bool wtxid = type == INV_WTX, again;
	struct orphan *t;

	/* Of the other kind than was agreed on: passed over. */
	if (type == (sp->tx.wtxid ? INV_TX : INV_WTX))
		return true;
	if (tx_refuses(sp)) {
		peer_disconnect(sp->peer,
				"transaction inv sent in violation of "
				"protocol");
		return false;
	}
	again = txset_has(&sp->tx.known, hash);
	txset_add(&sp->tx.known, hash);
	if (!s->loaded || chain_in_ibd(s->chain))
		return true;
	t = wtxid ? orphans_find(&s->tx.orphans, hash) : NULL;
	if (t)
		orphan_announced(sp, t, again);
	else if (!tx_have(s, hash, wtxid, true) &&
		 (sp->tx.req.total < TX_ANNOUNCED_MAX ||
		  sp_may(sp, PERM_RELAY)))
		announced(sp, hash, wtxid, ask_delay(sp, !wtxid));
	return true;
}

void tx_notfound(struct sp *sp, const struct hash256 *hash)
{
	txrequest_answered(&sp->s->tx.req, &sp->tx.req, hash);
}

/* One getdata of at most GETDATA_TX. */
static void ask_some(struct sp *sp, const struct txr_want *w, size_t n)
{
	uint8_t *body = xmalloc(inv_size((uint32_t)n));
	uint8_t *p = inv_count_put(body, (uint32_t)n);
	uint32_t by_txid = sp_serves_witness(sp) ? INV_WITNESS_TX : INV_TX;
	int64_t expiry_us = clock_now_us(sp->s->cfg.clock) + EXPIRY_US;

	for (size_t i = 0; i < n; i++) {
		p = inv_item_put(p, w[i].wtxid ? INV_WTX : by_txid, &w[i].hash);
		txrequest_asked(&sp->s->tx.req, &sp->tx.req, &w[i].hash,
				expiry_us);
	}
	peer_send(sp->peer, MSG_GETDATA, slice_of(body, (size_t)(p - body)));
	free(body);
}

/* Those that are still wanted, at the front of w. */
static size_t still_wanted(struct sync *s, struct txr_want *w, size_t n)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		if (hmap_get(&s->tx.judging, &w[i].hash))
			continue; /* the verdict decides */
		if (tx_have(s, &w[i].hash, w[i].wtxid, false))
			txrequest_forget(&s->tx.req, &w[i].hash);
		else
			w[k++] = w[i];
	}
	return k;
}

void tx_ask(struct sp *sp)
{
	struct txr_want *w;
	size_t n = txrequest_due(&sp->tx.req, &w);

	n = n ? still_wanted(sp->s, w, n) : 0;
	for (size_t i = 0; i < n; i += GETDATA_TX)
		ask_some(sp, w + i, n - i < GETDATA_TX ? n - i : GETDATA_TX);
	free(w);
}

void tx_ask_all(struct sync *s)
{
	txrequest_advance(&s->tx.req, clock_now_us(s->cfg.clock));
	for (struct sp *sp = s->peers; sp; sp = sp->next)
		if (sp->tx.req.best)
			tx_ask(sp);
}
