/*
 * Which chain is the best one, and getting there: take blocks off down to the
 * fork, connect upwards, mark what breaks a rule, until nothing better is
 * known. Chain thread. What others see moves only to a block whose scripts are
 * verified, and to a better one than before (or to the best that is left after
 * failures). The queue of blocks between both is ahead.c's.
 */
#include "internal.h"
#include "script_pool.h"

#include <cairn/base/buf.h>
#include <cairn/base/clock.h>
#include <cairn/base/err.h>
#include <cairn/base/log.h>
#include <cairn/base/must.h>
#include <cairn/base/text.h>

#define LOG_NS   10000000000u
#define FLUSH_NS 600000000000u

static void tell(struct chain *c, enum chain_event_type type, struct hnode *n,
		 struct buf *body)
{
	struct chain_event e = {.type = type, .node = n, .buf = body};

	if (!c->replaying)
		outbox_event(c, &e);
}

static void tell_tip(struct chain *c, const struct hnode *was)
{
	struct chain_event e = {.type = CHAIN_EV_TIP, .node = c->tip};

	e.fork = hnode_fork(c->tip, was);
	if (!c->replaying)
		outbox_event(c, &e);
}

/* One line a block near the tip, one each ten seconds far from it. */
static void log_tip(struct chain *c)
{
	uint64_t now = mono_ns();
	struct coinview_stats s;
	char hash[HASH256_STR];

	if (c->replaying || (chain_in_ibd(c) && now - c->log_ns < LOG_NS))
		return;
	c->log_ns = now;
	coinview_stats(c->coins, &s);
	log_info(LOG_VALIDATION,
		 "tip height=%d hash=%s txs=%llu progress=%.6f cache=%zuMiB",
		 c->tip->height, hash256_fmt(hash, &c->tip->hash),
		 (unsigned long long)c->tip->chain_tx,
		 chain_progress(c, c->tip), s.bytes >> 20);
}

static void update_ibd(struct chain *c)
{
	const struct hnode *n = c->tip;

	if (!__atomic_load_n(&c->ibd, __ATOMIC_RELAXED) ||
	    u256_cmp(&n->work, &c->cfg.min_work) < 0 ||
	    n->time < clock_now(c->cfg.clock) - c->cfg.max_tip_age_s)
		return;
	__atomic_store_n(&c->ibd, false, __ATOMIC_RELEASE);
	log_info(LOG_VALIDATION, "initial block download is over height=%d",
		 n->height);
}

void show_tip(struct chain *c)
{
	__atomic_store_n(&c->tip, ahead_base(c), __ATOMIC_RELEASE);
	filters_published(c);
	update_ibd(c);
	index_seal(c);
}

void publish(struct chain *c)
{
	struct coin_marker m = {c->here->hash, c->here->height};
	uint64_t now = mono_ns();
	int rc;

	show_tip(c);
	if (now - c->flush_ns > FLUSH_NS) {
		c->flush_ns = now;
		coinview_want_flush(c->coins);
	}
	__atomic_store_n(&c->at_boundary, true, __ATOMIC_RELEASE);
	rc = coinview_boundary(c->coins, c->ahead.first ? NULL : &m);
	__atomic_store_n(&c->at_boundary, false, __ATOMIC_RELEASE);
	if (rc && !(rc == E_STOPPING && chain_stopping(c)))
		chain_fatal(c, rc, "coins could not be written");
}

/* The failure reaches all descendants now, so that nobody has to look for it
 * among ancestors later. */
static void mark_descendants(struct chain *c, const struct hnode *n)
{
	size_t i;

	for (i = 0; i < c->n_nodes; i++) {
		struct hnode *d = c->nodes[i];

		if (d->height <= n->height || !hnode_is_ancestor(n, d) ||
		    (hnode_status(d) & HN_FAILED_PARENT))
			continue;
		hnode_set(d, HN_FAILED_PARENT);
		index_dirty(c, d);
	}
}

void mark_failed(struct chain *c, struct hnode *n, const struct verdict *v,
		 uint64_t peer)
{
	struct chain_event e = {
	    .type = CHAIN_EV_INVALID, .node = n, .verdict = *v, .peer = peer};
	char hash[HASH256_STR], why[VERDICT_TEXT];

	hnode_set(n, HN_FAILED);
	index_dirty(c, n);
	mark_descendants(c, n);
	best_header_recompute(c);
	log_info(LOG_VALIDATION, "invalid block height=%d hash=%s reason=%s",
		 n->height, hash256_fmt(hash, &n->hash), verdict_fmt(why, v));
	/* Before LOADED the loop has not looked at the tree yet. */
	if (!c->replaying)
		outbox_event(c, &e);
}

void found_invalid(struct chain *c, struct hnode *n, const struct verdict *v)
{
	uint64_t peer = pending_drop(c, n);

	c->bad = n;
	c->bad_verdict = *v;
	mark_failed(c, n, v, peer);
}

static void check_halt(struct chain *c)
{
	struct chain_event e = {.type = CHAIN_EV_FATAL,
				.text = "the height of -stopatheight is "
					"reached"};

	if (c->cfg.stop_at_height <= 0 || c->halted ||
	    c->tip->height < c->cfg.stop_at_height)
		return;
	c->halted = true;
	outbox_event(c, &e);
}

/* Everybody sees it, and hears of it. */
static void publish_step(struct chain *c)
{
	const struct hnode *was = c->tip;

	publish(c);
	unconfirmed_follow(c);
	tell_tip(c, was);
	log_tip(c);
	check_halt(c);
}

void block_connected(struct chain *c, struct hnode *n, const struct body *b)
{
	unconfirmed_connected(c, &b->view);
	tell(c, CHAIN_EV_CONNECTED, n, b->buf);
	/* Within a reorganisation nobody may see where the coins are. */
	if (hnode_cmp_work(n, c->tip) > 0)
		publish_step(c);
}

bool disconnect_tip(struct chain *c)
{
	struct hnode *n = c->here;
	struct body b;
	int rc;

	must(!c->ahead.first);
	rc = body_get(c, &b, n);
	if (rc == 0) {
		rc = disconnect_block(c, n, &b.view);
		if (rc == 0)
			rc = filters_disconnected(c, n);
		if (rc == 0) {
			c->here = hnode_mut(n->prev);
			unconfirmed_taken_off(c, &b.view);
			tell(c, CHAIN_EV_DISCONNECTED, n, b.buf);
		}
		body_fini(&b);
	}
	if (rc)
		chain_fatal(c, rc, "a block could not be disconnected");
	return rc == 0;
}

/* Go towards target until the published tip is there or on its way, or nothing
 * more can be connected. The queue is empty before and after. */
static void step(struct chain *c, struct hnode *target)
{
	struct hnode *was = c->here, *n;
	const struct hnode *fork = hnode_fork(was, target);

	/* The way back, if the new branch breaks. */
	if (fork != was)
		candidate_push(c, was);
	while (c->here != fork)
		if (!disconnect_tip(c))
			return;
	while (c->here != target) {
		n = hnode_mut(hnode_ancestor(target, c->here->height + 1));
		if (!ahead_connect(c, n))
			return;
		ahead_drain(c);
		if (c->here != n || c->tip == n || chain_stopping(c))
			return;
	}
}

static bool may_go_on(const struct chain *c)
{
	return !c->fatal_rc && !c->halted && !chain_stopping(c);
}

/* Steps until a better tip than was, or none to be had: in between nobody may
 * see where the coins are. */
static void leap(struct chain *c)
{
	struct hnode *was = c->here, *target;

	do {
		target = candidate_best(c);
		if (!target)
			break;
		step(c, target);
	} while (may_go_on(c) && hnode_cmp_work(c->here, was) < 0);
	/* A worse one is all that is left, or the branch was tried in vain. */
	if (!c->fatal_rc && c->tip != c->here)
		publish_step(c);
	else
		unconfirmed_follow(c);
}

/* Whether n, the next block towards target, need not wait until the scripts of
 * those before it are verified. */
static bool runs_ahead(const struct chain *c, const struct hnode *target,
		       const struct hnode *n)
{
	int32_t halt = c->cfg.stop_at_height;

	return script_pool_threads(c->scripts) > 0 && !c->in_task &&
	       hnode_is_ancestor(c->here, target) &&
	       c->best_header->height - c->tip->height > AHEAD_NEAR &&
	       (halt <= 0 || n->height < halt) &&
	       !coinview_due(c->coins, (uint32_t)c->ahead.n);
}

bool activate_step(struct chain *c)
{
	struct hnode *target, *n;

	ahead_poll(c);
	target = candidate_best(c);
	if (!target || c->fatal_rc)
		return false;
	n = hnode_mut(hnode_ancestor(target, c->here->height + 1));
	if (!n || !runs_ahead(c, target, n)) {
		ahead_drain(c);
		leap(c);
	} else if (ahead_full(c)) {
		ahead_wait(c);
	} else {
		ahead_connect(c, n);
	}
	return true;
}

void activate(struct chain *c)
{
	while (may_go_on(c) && activate_step(c)) {
		outbox_tick(c);
		if (!c->in_task && !c->replaying)
			chain_serve(c, 0);
	}
}
