/*
 * feefilter (BIP 133): peers are told which fee rate the pool asks, so that
 * they need not announce what would be refused. The rate is rounded to steps by
 * chance and told at random times, as it says something about what this node
 * keeps. Loop only, but for the part marked as the chain's.
 */
#include "internal.h"

#include <stdlib.h>

#define MEAN_US      600000000 /* between two tellings */
#define CHANGE_US    300000000 /* at most, after a large change */
#define RATE_US      10000000  /* the chain is asked how often */
#define STEP         1.1
#define STEPS_END    1e7
#define MONEY_MAX    2100000000000000
#define FEEFILTER_OF 70013

/* A step at or below rate, or the one above with a chance of one third. */
static int64_t round_rate(struct sync *s, int64_t rate)
{
	int64_t half = s->cfg.incremental_rate / 2;
	double below = 0, step = half > 1 ? (double)half : 1;

	if (rate <= 0)
		return 0;
	for (; step < (double)rate; step *= STEP) {
		if (step > STEPS_END)
			return (int64_t)below;
		below = step;
	}
	if (step > STEPS_END)
		return (int64_t)below;
	return (int64_t)(rand_below(&s->tx.rand, 3) == 0 ? step : below);
}

struct rate_job {
	struct sync *s;
	int64_t rate;
};

static void rate_back(void *arg)
{
	struct rate_job *j = arg;

	j->s->tx.min_rate = j->rate;
	j->s->tx.min_rate_asked = false;
	free(j);
}

/* Chain. */
static void rate_run(void *arg)
{
	struct rate_job *j = arg;
	struct mempool_stats st;

	mempool_stats(chain_mempool(j->s->chain), &st,
		      clock_now(j->s->cfg.clock));
	j->rate = st.min_rate;
	j->s->cfg.post(j->s->cfg.post_arg, (struct task){rate_back, j});
}

/* While the pool is empty and asks the least there is nothing to learn. */
static void rate_ask(struct sync *s, int64_t now_us)
{
	struct txrelay *t = &s->tx;
	struct rate_job *j;

	if (t->min_rate_asked ||
	    (now_us >= t->min_rate_us && now_us < t->min_rate_us + RATE_US) ||
	    (t->pool.by_txid.n == 0 && t->min_rate <= s->cfg.min_relay_rate))
		return;
	j = xcalloc(1, sizeof *j);
	j->s = s;
	t->min_rate_us = now_us;
	t->min_rate_asked = chain_run(s->chain, (struct task){rate_run, j});
	if (!t->min_rate_asked)
		free(j);
}

static void tell(struct sp *sp, int64_t rate)
{
	struct sync *s = sp->s;
	uint8_t body[8];
	int64_t to_send = round_rate(s, rate);

	if (to_send < s->cfg.min_relay_rate)
		to_send = s->cfg.min_relay_rate;
	if (to_send == sp->tx.feefilter_sent)
		return;
	le64_put(body, (uint64_t)to_send);
	peer_send(sp->peer, MSG_FEEFILTER, slice_of(body, sizeof body));
	sp->tx.feefilter_sent = to_send;
}

static bool changed_much(int64_t now, int64_t told)
{
	return now < 3 * told / 4 || now > 4 * told / 3;
}

static void tick_peer(struct sp *sp, int64_t rate, int64_t now_us)
{
	struct sync *s = sp->s;
	struct txpeer *t = &sp->tx;

	if (now_us > t->next_feefilter_us) {
		tell(sp, rate);
		t->next_feefilter_us = now_us + tx_delay(s, MEAN_US);
	} else if (now_us + CHANGE_US < t->next_feefilter_us &&
		   changed_much(rate, t->feefilter_sent)) {
		t->next_feefilter_us =
		    now_us + (int64_t)rand_below(&s->tx.rand, CHANGE_US);
	}
}

static bool is_told(const struct sp *sp)
{
	return peer_conn_type(sp->peer) != CONN_BLOCK_ONLY &&
	       !sp_may(sp, PERM_FORCE_RELAY) &&
	       peer_version(sp->peer) >= FEEFILTER_OF;
}

/* What is asked now; nothing is taken in initial download. */
static int64_t rate_now(const struct sync *s)
{
	if (chain_in_ibd(s->chain))
		return MONEY_MAX;
	return s->tx.min_rate > s->cfg.min_relay_rate ? s->tx.min_rate : 0;
}

void tx_feefilter_ready(struct sp *sp)
{
	struct sync *s = sp->s;

	if (s->loaded && !s->cfg.blocks_only && is_told(sp))
		tick_peer(sp, rate_now(s), clock_now_us(s->cfg.clock));
}

void tx_feefilter_tick(struct sync *s, int64_t now_us)
{
	bool ibd = chain_in_ibd(s->chain);
	int64_t most = round_rate(s, MONEY_MAX), rate = rate_now(s);

	if (s->cfg.blocks_only)
		return;
	if (!ibd)
		rate_ask(s, now_us);
	for (struct sp *sp = s->peers; sp; sp = sp->next) {
		if (!is_told(sp))
			continue;
		/* Initial download is over: what is sent is taken now. */
		if (!ibd && sp->tx.feefilter_sent == most)
			sp->tx.next_feefilter_us = 0;
		tick_peer(sp, rate, now_us);
	}
}
