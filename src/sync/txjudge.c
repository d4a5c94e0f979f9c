/*
 * A transaction has arrived: hand it to the chain and act on the verdict, with
 * it try orphans again. A peer's next message waits until its transaction was
 * judged, so one of each peer is with the chain at a time. Loop only, but for
 * the part marked as the chain's. An invalid transaction is not held against
 * its sender (as in Bitcoin Core): rules of relay differ from node to node.
 */
#include "internal.h"

#include <cairn/base/buf.h>

#include <stdlib.h>

static void job_free(struct txjob *j)
{
	buf_unref(j->buf);
	free(j);
}

/* Whole in a buffer of its own: what came with others is copied. */
static struct buf *tx_buf(const struct net_msg *m, size_t n)
{
	struct buf *b;

	if (m->buf && m->body.n == n)
		return buf_ref(m->buf);
	b = buf_new(n);
	if (b) {
		memcpy(buf_data(b), m->body.p, n);
		b->n = n;
	}
	return b;
}

/* What lies in its buffer was parsed when it came. */
static void job_parse(struct txjob *j)
{
	struct rd r;
	bool ok;

	rd_init(&r, buf_payload(j->buf));
	ok = tx_view_parse(&j->view, &r);
	must(ok);
	tx_txid(&j->txid, &j->view);
	if (tx_has_witness(&j->view))
		tx_wtxid(&j->wtxid, &j->view);
	else
		j->wtxid = j->txid;
}

/* NULL when it cannot be read: the message is then ignored. */
static struct txjob *job_of_message(struct sp *sp, const struct net_msg *m)
{
	struct txjob *j;
	struct tx_view v;
	struct rd r;

	rd_init(&r, m->body);
	if (!tx_view_parse(&v, &r))
		return NULL;
	j = xcalloc(1, sizeof *j);
	j->s = sp->s;
	j->peer = sp->id;
	j->buf = tx_buf(m, v.size);
	if (!j->buf) {
		free(j);
		return NULL;
	}
	job_parse(j);
	return j;
}

static struct txjob *job_of_orphan(struct sp *sp, const struct orphan *t)
{
	struct txjob *j = xcalloc(1, sizeof *j);

	j->s = sp->s;
	j->peer = sp->id;
	j->buf = buf_ref(t->buf);
	j->view = t->view;
	j->txid = t->txid;
	j->wtxid = t->wtxid;
	j->again = true;
	return j;
}

static void tx_done(void *arg, const struct mempool_result *r);

/* Hand over; takes j. */
static void submit(struct sp *sp, struct txjob *j)
{
	struct tx_job job = {.buf = buf_ref(j->buf), .done = tx_done, .arg = j};

	must(!sp->tx.busy);
	sp->tx.busy = true;
	peer_hold(sp->peer);
	hmap_put(&sp->s->tx.judging, &j->wtxid, j);
	chain_submit_tx(sp->s->chain, &job);
}

/* Try the next orphan of those that are this peer's to try. */
static void work(struct sp *sp)
{
	struct orphan *t;

	if (sp->tx.busy)
		return;
	while ((t = orphans_ready(&sp->tx.orphans))) {
		if (hmap_get(&sp->s->tx.judging, &t->wtxid))
			continue;
		submit(sp, job_of_orphan(sp, t));
		return;
	}
}

void tx_work_all(struct sync *s)
{
	if (s->tx.orphans.n_anns == 0)
		return;
	for (struct sp *sp = s->peers; sp; sp = sp->next)
		work(sp);
}

/* What was being judged for this peer is done with. */
static void go_on(struct sync *s, uint64_t peer)
{
	struct sp *sp = sp_find(s, peer);

	if (sp) {
		sp->tx.busy = false;
		work(sp);
		peer_release(sp->peer);
	}
	tx_work_all(s);
	tx_ask_all(s);
}

static void accepted(struct txjob *j)
{
	struct sync *s = j->s;
	struct sp *sp = sp_find(s, j->peer);

	log_debug(LOG_MEMPOOL, "accepted transaction peer=%llu pool=%zu",
		  (unsigned long long)j->peer, s->tx.pool.by_txid.n);
	/* The pool's event came before and has done the rest. */
	tx_announce(s, &j->wtxid);
	if (sp && !j->again)
		sp->tx.last_tx_s = sync_now(s);
}

/* A parent that pays too little with a child that may pay for it. */
struct pkg {
	struct sync *s;
	uint64_t peer;
	struct hash256 id;
	struct txjob *job[2];
	struct mempool_result r[2];
	struct verdict v;
};

static void pkg_free(struct pkg *k)
{
	for (size_t i = 0; i < 2; i++) {
		mempool_result_fini(&k->r[i]);
		job_free(k->job[i]);
	}
	free(k);
}

static bool was_refused(enum tx_outcome o)
{
	return o != TX_ACCEPTED && o != TX_FAILED && o != TX_KEPT &&
	       o != TX_NOT_JUDGED;
}

static void settle(struct txjob *j, enum tx_outcome outcome)
{
	struct txpackage none;
	bool more = false;

	if (outcome == TX_ACCEPTED)
		accepted(j);
	else if (was_refused(outcome))
		more = tx_rejected(j->s, &none, j, outcome);
	must(!more); /* one of a package leads to no other */
}

/* Loop: child first, so that it is no orphan any more when its parent is
 * announced. */
static void pkg_back(void *arg)
{
	struct pkg *k = arg;
	struct sync *s = k->s;
	uint64_t peer = k->peer;

	hmap_del(&s->tx.judging, &k->job[0]->wtxid);
	log_debug(LOG_MEMPOOL, "package of two peer=%llu %s",
		  (unsigned long long)peer,
		  verdict_ok(&k->v) ? "accepted" : "rejected");
	if (k->v.kind == V_INVALID)
		txset_add(&s->tx.reconsiderable, &k->id);
	for (size_t i = 2; i-- > 0;)
		settle(k->job[i], k->r[i].outcome);
	pkg_free(k);
	go_on(s, peer);
}

/* Chain. */
static void pkg_run(void *arg)
{
	struct pkg *k = arg;
	struct buf *bufs[2] = {k->job[0]->buf, k->job[1]->buf};

	k->v = mempool_accept_package(chain_mempool(k->s->chain), k->r, bufs, 2,
				      0, 0, clock_now(k->s->cfg.clock));
	k->s->cfg.post(k->s->cfg.post_arg, (struct task){pkg_back, k});
}

static struct txjob *job_of_buf(struct sp *sp, struct buf *take)
{
	struct txjob *j = xcalloc(1, sizeof *j);

	j->s = sp->s;
	j->peer = sp->id;
	j->buf = take;
	j->again = true;
	job_parse(j);
	return j;
}

/* Hand both over; takes what p holds. False when the chain is stopping. */
static bool submit_package(struct sp *sp, struct txpackage *take)
{
	struct pkg *k = xcalloc(1, sizeof *k);

	k->s = sp->s;
	k->peer = sp->id;
	k->id = take->id;
	for (size_t i = 0; i < 2; i++) {
		k->job[i] = job_of_buf(sp, take->tx[i]);
		k->r[i].outcome = TX_FAILED; /* unless it is judged */
	}
	if (!chain_run(sp->s->chain, (struct task){pkg_run, k})) {
		pkg_free(k);
		return false;
	}
	sp->tx.busy = true;
	hmap_put(&sp->s->tx.judging, &k->job[0]->wtxid, k->job[0]);
	return true;
}

/* The chain's answer; the peer may be gone. */
static void tx_done(void *arg, const struct mempool_result *r)
{
	struct txjob *j = arg;
	struct sync *s = j->s;
	uint64_t peer = j->peer;
	struct txpackage pkg;
	bool try_package = false;

	hmap_del(&s->tx.judging, &j->wtxid);
	if (r->outcome == TX_ACCEPTED)
		accepted(j);
	else if (was_refused(r->outcome))
		try_package = tx_rejected(s, &pkg, j, r->outcome);
	job_free(j);
	/* The peer is here: the child was found among its orphans. It is held
	 * until the package was judged. */
	if (!try_package || !submit_package(sp_find(s, peer), &pkg))
		go_on(s, peer);
}

/* What came of j before it is handed over: known already, or refused before
 * for a fee that a child may pay. Takes j. */
static void judge(struct sp *sp, struct txjob *j)
{
	struct sync *s = sp->s;
	struct txpackage pkg;

	if (tx_have(s, &j->wtxid, true, false) ||
	    hmap_get(&s->tx.judging, &j->wtxid)) {
		if (sp_may(sp, PERM_FORCE_RELAY))
			sync_announce_tx(s, &j->txid);
		job_free(j);
	} else if (txset_has(&s->tx.reconsiderable, &j->wtxid)) {
		if (tx_package_find(sp, &pkg, j->buf, &j->txid, &j->wtxid) &&
		    submit_package(sp, &pkg))
			peer_hold(sp->peer);
		job_free(j);
	} else {
		submit(sp, j);
	}
}

/* Who leaves and comes again may each time hand one over to a chain thread that
 * is busy elsewhere. */
static bool chain_has_enough(const struct sync *s)
{
	size_t n, bytes;

	chain_tx_backlog(s->chain, &n, &bytes);
	return n >= TX_JUDGING_MAX || bytes >= TX_JUDGING_BYTES;
}

void on_tx(struct sp *sp, const struct net_msg *m)
{
	struct sync *s = sp->s;
	struct txpeer *t = &sp->tx;
	struct txjob *j;

	if (tx_refuses(sp)) {
		peer_disconnect(sp->peer, "transaction sent in violation of "
					  "protocol");
		return;
	}
	if (!s->loaded || chain_in_ibd(s->chain) || chain_has_enough(s))
		return;
	j = job_of_message(sp, m);
	if (!j)
		return;
	txset_add(&t->known, t->wtxid ? &j->wtxid : &j->txid);
	txrequest_answered(&s->tx.req, &t->req, &j->txid);
	if (tx_has_witness(&j->view))
		txrequest_answered(&s->tx.req, &t->req, &j->wtxid);
	judge(sp, j);
}
