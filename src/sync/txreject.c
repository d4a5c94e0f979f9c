/*
 * What follows when a transaction was refused: it is remembered so that nobody
 * is asked for it again, or kept as an orphan whose parents are asked for, or
 * offered once more together with a child that pays for it. The rules are
 * Bitcoin Core's. Loop only. Punishes nobody.
 */
#include "internal.h"

#include <cairn/base/buf.h>
#include <cairn/crypto/sha256.h>

#include <stdlib.h>

#define CANDIDATES_MAX 128u
#define CHILDREN_MAX   100u

static void refuse(struct txrelay *t, const struct hash256 *hash)
{
	txset_add(&t->rejects, hash);
	txrequest_forget(&t->req, hash);
}

/* Which package of two this is, whatever came of it. */
static void package_id(struct hash256 *id, const struct hash256 *parent,
		       const struct hash256 *child)
{
	uint8_t b[64];

	memcpy(b, parent->b, 32);
	memcpy(b + 32, child->b, 32);
	sha256d(id, b, sizeof b);
}

/* Only children from the same peer: others cannot get in its way. */
bool tx_package_find(struct sp *sp, struct txpackage *give, struct buf *parent,
		     const struct hash256 *txid, const struct hash256 *wtxid)
{
	struct txrelay *t = &sp->s->tx;
	struct orphan *child[CHILDREN_MAX];
	size_t n = orphans_children(&sp->tx.orphans, txid, child, CHILDREN_MAX);

	for (size_t i = 0; i < n; i++) {
		struct hash256 id;
		package_id(&id, wtxid, &child[i]->wtxid);
		if (txset_has(&t->reconsiderable, &id) ||
		    txset_has(&t->rejects, &child[i]->txid))
			continue;
		give->id = id;
		give->tx[0] = buf_ref(parent);
		give->tx[1] = buf_ref(child[i]->buf);
		return true;
	}
	return false;
}

/* With one parent that pays too little the package of both may do; with one
 * that was refused for good, or with two, nothing will. */
static bool hopeless(const struct txrelay *t, const struct hash256 *parents,
		     size_t n)
{
	size_t poor = 0;

	for (size_t i = 0; i < n; i++) {
		if (txset_has(&t->rejects, &parents[i]))
			return true;
		poor += txset_has(&t->reconsiderable, &parents[i]) &&
			!txpool_txid(&t->pool, &parents[i]);
		if (poor > 1)
			return true;
	}
	return false;
}

/* The sender, and who else announced it. */
static size_t candidates(struct sync *s, uint64_t *ids, const struct txjob *j)
{
	const struct txrequest *r = &s->tx.req;
	size_t n = 0;

	ids[n++] = j->peer;
	n += txrequest_candidates(r, &j->txid, ids + n, CANDIDATES_MAX - n);
	if (tx_has_witness(&j->view))
		n += txrequest_candidates(r, &j->wtxid, ids + n,
					  CANDIDATES_MAX - n);
	return n;
}

/* Keep j's transaction for all who may give its n missing parents. */
static void keep_orphan(struct sync *s, const struct txjob *j,
			const struct hash256 *parents, size_t n)
{
	uint64_t ids[CANDIDATES_MAX];
	size_t n_ids = candidates(s, ids, j);

	for (size_t i = 0; i < n_ids; i++) {
		struct sp *sp = sp_find(s, ids[i]);
		if (sp && tx_orphan_candidate(sp, parents, n, &j->wtxid))
			orphans_add(&s->tx.orphans, &sp->tx.orphans, j->buf,
				    &j->view, &j->txid, &j->wtxid);
	}
	txrequest_forget(&s->tx.req, &j->txid);
	txrequest_forget(&s->tx.req, &j->wtxid);
}

static void missing_inputs(struct sync *s, const struct txjob *j)
{
	struct txrelay *t = &s->tx;
	struct sp *sp = sp_find(s, j->peer);
	struct hash256 *parents;
	size_t n;

	if (j->again || txset_has(&t->rejects, &j->wtxid))
		return;
	n = tx_parents(&j->view, &parents);
	if (hopeless(t, parents, n)) {
		log_debug(LOG_MEMPOOL,
			  "not keeping orphan with rejected parents peer=%llu",
			  (unsigned long long)j->peer);
		refuse(t, &j->txid);
		refuse(t, &j->wtxid);
	} else {
		n = tx_parents_missing(s, parents, n);
		keep_orphan(s, j, parents, n);
		for (size_t i = 0; sp && i < n; i++)
			txset_add(&sp->tx.known, &parents[i]);
	}
	free(parents);
}

static bool pays_too_little(struct sync *s, struct txpackage *give,
			    const struct txjob *j)
{
	struct sp *sp = sp_find(s, j->peer);

	txset_add(&s->tx.reconsiderable, &j->wtxid);
	txrequest_forget(&s->tx.req, &j->wtxid);
	return sp && !j->again &&
	       tx_package_find(sp, give, j->buf, &j->txid, &j->wtxid);
}

void sync_orphans(const struct sync *s,
		  void (*each)(void *arg, const struct sync_orphan *o),
		  void *arg)
{
	const struct orphan *t;
	size_t i = 0;

	while ((t = hmap_next(&s->tx.orphans.by_wtxid, &i))) {
		const struct orphan_ann *at = NULL;
		uint64_t ids[CANDIDATES_MAX];
		struct sync_orphan o = {.txid = &t->txid,
					.wtxid = &t->wtxid,
					.buf = t->buf,
					.weight = t->weight,
					.peers = ids};
		while (o.n_peers < CANDIDATES_MAX &&
		       orphans_announcer(t, &at, &ids[o.n_peers]))
			o.n_peers++;
		each(arg, &o);
	}
}

bool tx_rejected(struct sync *s, struct txpackage *give, const struct txjob *j,
		 enum tx_outcome why)
{
	struct txrelay *t = &s->tx;
	bool try_package = false;

	if (why == TX_MISSING_INPUTS) {
		missing_inputs(s, j);
		return false;
	}
	if (why == TX_RECONSIDERABLE)
		try_package = pays_too_little(s, give, j);
	else if (why != TX_WITNESS_STRIPPED)
		refuse(t, &j->wtxid);
	/* What it spends is committed to by its txid: no other witness will
	 * make it standard. */
	if (why == TX_INPUTS_NOT_STANDARD && tx_has_witness(&j->view))
		refuse(t, &j->txid);
	orphans_drop(&t->orphans, &j->wtxid);
	return try_package;
}
