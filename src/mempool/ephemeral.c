/*
 * Dust that does not outlive its moment: a transaction may make one output that
 * is too small if it pays no fee, so that nobody mines it alone, and if its
 * child in the pool spends that output. Chain thread.
 */
#include "accept.h"

#include <stdio.h>

bool judge_dust_fee(struct judge *j, struct offer *o)
{
	const struct policy *p = &j->m->cfg.policy;

	if (!p->require_standard || (o->fee == 0 && o->paid == 0) ||
	    tx_dust_outputs(&o->tx, p->dust_relay_rate) == 0)
		return true;
	return refuse(o, TX_NOT_STANDARD, "dust",
		      "tx with dust output must be 0-fee");
}

static bool spends_output(const struct tx_view *tx, const struct hash256 *txid,
			  uint32_t index)
{
	struct txin_view in;
	struct tx_iter it;

	txins(&it, tx);
	while (txin_next(&it, &in))
		if (outpoint_index(in.prevout) == index &&
		    hash256_eq(outpoint_txid(in.prevout), txid))
			return true;
	return false;
}

/* Whether tx spends all dust of a parent. */
static bool spends_dust(const struct tx_view *tx, const struct tx_view *parent,
			const struct hash256 *txid, int64_t rate)
{
	struct txout_view out;
	struct tx_iter it;

	txouts(&it, parent);
	for (uint32_t i = 0; txout_next(&it, &out); i++)
		if (output_is_dust(&out, rate) && !spends_output(tx, txid, i))
			return false;
	return true;
}

static bool spends_all_dust(const struct judge *j, const struct offer *o,
			    const struct offer *in, size_t n)
{
	int64_t rate = j->m->cfg.policy.dust_relay_rate;

	for (size_t i = 0; i < o->n_parents; i++) {
		const struct mempool_tx *p = &o->parents[i]->tx;
		if (!spends_dust(&o->tx, &p->view, &p->txid, rate))
			return false;
	}
	for (size_t i = 0; i < n; i++)
		if (tx_spends_from(&o->tx, &in[i].r->txid) &&
		    !spends_dust(&o->tx, &in[i].tx, &in[i].r->txid, rate))
			return false;
	return true;
}

bool dust_is_spent(const struct judge *j, struct offer *o, size_t n)
{
	char why[VERDICT_DETAIL], name[TX_NAME_STR];

	for (size_t i = 0; i < n; i++) {
		if (spends_all_dust(j, &o[i], o, i))
			continue;
		snprintf(why, sizeof why,
			 "tx %s did not spend parent's ephemeral dust",
			 tx_name(name, &o[i].r->txid, &o[i].r->wtxid));
		return refuse(&o[i], TX_POLICY, "missing-ephemeral-spends",
			      why);
	}
	return true;
}
