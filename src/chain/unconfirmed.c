/*
 * The pool of unconfirmed transactions within the chain: offers to it, what
 * blocks take from it and reorganisations bring back, and word of its changes
 * to the loop. Chain thread, but for chain_submit_tx. Judges nothing itself.
 *
 * The pool stands on the published tip. In a reorganisation it waits until the
 * coins are there again; then what was taken off is offered, lowest block
 * first, and what the new tip does not allow leaves.
 */
#include "internal.h"

#include <cairn/base/buf.h>
#include <cairn/base/clock.h>
#include <cairn/base/err.h>
#include <cairn/base/mem.h>
#include <cairn/base/must.h>
#include <cairn/consensus/flags.h>

#include <stdlib.h>

static int coin_of(void *arg, struct coin *out, const uint8_t *outpoint)
{
	return chain_coin_get(arg, out, outpoint);
}

static int64_t mtp_at(void *arg, int32_t height)
{
	const struct chain *c = arg;

	return hnode_ancestor(c->here, height)->mtp;
}

static void tell(struct chain *c, enum chain_event_type type,
		 const struct mempool_tx *tx, enum mempool_reason why)
{
	struct chain_event e = {.type = type};
	struct mempool_stats s;

	mempool_stats(c->pool, &s, clock_now(c->cfg.clock));
	if (type == CHAIN_EV_TX_ADDED)
		e.buf = tx->buf;
	e.tx = (struct chain_tx){
	    .txid = tx->txid,
	    .wtxid = tx->wtxid,
	    .fee = sat_sum(tx->fee, tx->delta),
	    .vsize = tx->vsize,
	    .sequence = s.sequence + 1,
	    .reason = why,
	    .ours = tx->unbroadcast,
	    .from_block = tx->sequence == 0,
	};
	outbox_event(c, &e);
}

static void on_added(void *arg, const struct mempool_tx *tx)
{
	tell(arg, CHAIN_EV_TX_ADDED, tx, MEMPOOL_BLOCK);
}

static void on_removed(void *arg, const struct mempool_tx *tx,
		       enum mempool_reason why)
{
	tell(arg, CHAIN_EV_TX_REMOVED, tx, why);
}

void unconfirmed_init(struct chain *c)
{
	static const struct mempool_ops ops = {coin_of, mtp_at, on_added,
					       on_removed};
	struct mempool_cfg cfg = {
	    .params = c->cfg.params,
	    .policy = c->cfg.policy,
	    .max_bytes = c->cfg.mempool_bytes,
	    .expiry_s = c->cfg.mempool_expiry_s,
	    .verifier = &c->verify_pool.v,
	    .verified = c->verified,
	};

	c->pool = mempool_new(&cfg, &ops, c);
	takenoff_init(&c->off);
}

void unconfirmed_fini(struct chain *c)
{
	takenoff_fini(&c->off);
	mempool_free(c->pool);
}

struct mempool *chain_mempool(struct chain *c)
{
	return c->pool;
}

void unconfirmed_connected(struct chain *c, const struct block_view *b)
{
	takenoff_drop_block(&c->off, b);
	mempool_block_connected(c->pool, b, clock_now(c->cfg.clock));
}

/* What spends it cannot stay. */
static void forget(struct chain *c, const struct takenoff_tx *x)
{
	struct tx_view tx;
	struct rd r;

	rd_init(&r, buf_payload(x->buf));
	must(tx_view_parse(&tx, &r));
	mempool_forget(c->pool, &tx, &x->txid);
}

void unconfirmed_taken_off(struct chain *c, const struct block_view *b)
{
	struct takenoff_tx *x;

	if (c->replaying)
		return;
	takenoff_add(&c->off, b);
	while ((x = takenoff_pop_surplus(&c->off))) {
		forget(c, x);
		takenoff_tx_free(x);
	}
}

static void set_tip(struct chain *c)
{
	static const struct hash256 of_no_block;
	const struct hnode *tip = c->tip;
	struct mempool_tip t = {
	    .height = tip->height,
	    .mtp = tip->mtp,
	    .script_flags =
		script_flags(c->cfg.params, tip->height + 1, &of_no_block),
	};

	mempool_set_tip(c->pool, &t);
}

static void offer_back(struct chain *c, struct takenoff_tx *x, int64_t now)
{
	struct mempool_result r;

	mempool_accept(c->pool, &r, x->buf, MEMPOOL_TAKEN_OFF, now);
	if (r.outcome != TX_ACCEPTED)
		forget(c, x);
	mempool_result_fini(&r);
}

void unconfirmed_follow(struct chain *c)
{
	int64_t now = clock_now(c->cfg.clock);
	struct takenoff_tx *x;
	bool went_back = c->off.first != NULL;

	set_tip(c);
	while ((x = takenoff_pop(&c->off))) {
		offer_back(c, x, now);
		takenoff_tx_free(x);
	}
	if (went_back)
		mempool_reorg_end(c->pool, now);
}

void unconfirmed_give_up(struct chain *c)
{
	struct takenoff_tx *x;

	set_tip(c);
	while ((x = takenoff_pop(&c->off))) {
		forget(c, x);
		takenoff_tx_free(x);
	}
	mempool_reorg_end(c->pool, clock_now(c->cfg.clock));
}

/* A transaction on its way from the loop and back. */
struct tx_work {
	struct chain *c;
	struct tx_job job;
	struct mempool_result r;
};

/* Loop. */
static void answer(void *arg)
{
	struct tx_work *w = arg;

	w->c->txs_n--;
	w->c->txs_bytes -= w->job.buf->n;
	w->job.done(w->job.arg, &w->r);
	mempool_result_fini(&w->r);
	buf_unref(w->job.buf);
	free(w);
}

static void fail(struct tx_work *w, int rc)
{
	w->r.outcome = TX_FAILED;
	w->r.verdict = verdict_unknown(rc);
	w->r.vsize = w->r.fee = -1;
}

static void tx_run(void *arg)
{
	struct tx_work *w = arg;
	struct chain *c = w->c;

	if (c->fatal_rc)
		fail(w, c->fatal_rc);
	else if (chain_stopping(c))
		fail(w, E_STOPPING);
	else
		mempool_accept(c->pool, &w->r, w->job.buf, w->job.flags,
			       clock_now(c->cfg.clock));
	c->ops.post(c->ops_arg, (struct task){answer, w});
}

void chain_submit_tx(struct chain *c, struct tx_job *take)
{
	struct tx_work *w = xcalloc(1, sizeof *w);

	w->c = c;
	w->job = *take;
	take->buf = NULL;
	c->txs_n++;
	c->txs_bytes += w->job.buf->n;
	if (chain_run(c, (struct task){tx_run, w}))
		return;
	fail(w, E_STOPPING);
	c->ops.post(c->ops_arg, (struct task){answer, w});
}

void chain_tx_backlog(struct chain *c, size_t *n, size_t *bytes)
{
	*n = c->txs_n;
	*bytes = c->txs_bytes;
}
