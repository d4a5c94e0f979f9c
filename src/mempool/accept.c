/*
 * Whether a transaction is taken into the pool: the rules in Bitcoin Core's
 * order, with its reasons, and what happens once all of them hold. Chain
 * thread. What a transaction is by itself is judged in policy.c, where its
 * inputs lead in coins.c, what it takes the place of in replace.c.
 */
#include "accept.h"

#include <cairn/base/buf.h>
#include <cairn/base/err.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>
#include <cairn/base/text.h>
#include <cairn/script/flags.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef bool (*rule_fn)(struct judge *j, struct offer *o);

void judge_init(struct judge *j, struct mempool *m, unsigned flags,
		int64_t now_s)
{
	*j = (struct judge){.m = m, .flags = flags, .now_s = now_s};
	arena_init(&j->mem, JUDGE_BYTES_MAX);
}

void judge_fini(struct judge *j)
{
	arena_fini(&j->mem);
}

void mempool_result_fini(struct mempool_result *r)
{
	free(r->replaced);
	r->replaced = NULL;
	r->n_replaced = 0;
}

bool judged(struct offer *o, enum tx_outcome why, const struct verdict *v)
{
	if (verdict_ok(v))
		return true;
	o->r->outcome = v->kind == V_INVALID ? why : TX_FAILED;
	o->r->verdict = *v;
	return false;
}

bool refuse(struct offer *o, enum tx_outcome why, const char *reject,
	    const char *detail)
{
	struct verdict v = verdict_invalid(INV_CONSENSUS, reject, detail);

	return judged(o, why, &v);
}

bool offer_failed(struct offer *o, int rc)
{
	struct verdict v = verdict_unknown(rc);

	return judged(o, TX_FAILED, &v);
}

const char *tx_name(char dst[TX_NAME_STR], const struct hash256 *txid,
		    const struct hash256 *wtxid)
{
	char a[HASH256_STR], b[HASH256_STR];

	snprintf(dst, TX_NAME_STR, "%s (wtxid=%s)", hash256_fmt(a, txid),
		 hash256_fmt(b, wtxid));
	return dst;
}

bool offer_init(struct offer *o, struct mempool_result *r, struct buf *tx)
{
	struct rd rd;

	*o = (struct offer){.buf = tx, .r = r};
	*r = (struct mempool_result){.outcome = TX_FAILED,
				     .verdict = verdict_valid(),
				     .vsize = -1,
				     .fee = -1};
	rd_init(&rd, buf_payload(tx));
	if (!tx_view_parse(&o->tx, &rd) || rd_left(&rd))
		return offer_failed(o, E_PARSE);
	tx_txid(&r->txid, &o->tx);
	tx_wtxid(&r->wtxid, &o->tx);
	return true;
}

/* By itself. */

static bool judge_form(struct judge *j, struct offer *o)
{
	struct verdict v = tx_check(&o->tx);

	(void)j;
	if (!judged(o, TX_CONSENSUS, &v))
		return false;
	if (tx_is_coinbase(&o->tx))
		return refuse(o, TX_CONSENSUS, "coinbase", NULL);
	return true;
}

static bool judge_standard(struct judge *j, struct offer *o)
{
	const struct policy *p = &j->m->cfg.policy;
	const char *bad = p->require_standard ? policy_tx(p, &o->tx) : NULL;

	if (bad)
		return refuse(o, TX_NOT_STANDARD, bad, NULL);
	/* Of 64 bytes it could pass for two hashes of a merkle tree. */
	if (o->tx.base_size < STANDARD_TX_BASE_SIZE_MIN)
		return refuse(o, TX_NOT_STANDARD, "tx-size-small", NULL);
	return true;
}

static bool judge_final(struct judge *j, struct offer *o)
{
	const struct mempool_tip *tip = &j->m->tip;

	if (!tx_is_final(&o->tx, tip->height + 1, tip->mtp))
		return refuse(o, TX_PREMATURE, "non-final", NULL);
	return true;
}

static bool judge_new(struct judge *j, struct offer *o)
{
	const struct entry *e;

	if (pool_find_wtxid(j->m, &o->r->wtxid))
		return refuse(o, TX_CONFLICT, "txn-already-in-mempool", NULL);
	e = pool_find(j->m, &o->r->txid);
	if (!e)
		return true;
	o->r->other = e->tx.wtxid;
	return refuse(o, TX_CONFLICT, "txn-same-nonwitness-data-in-mempool",
		      NULL);
}

/* By what it spends. */

static bool judge_inputs(struct judge *j, struct offer *o)
{
	struct verdict v;

	if (!j->m->cfg.policy.require_standard)
		return true;
	v = policy_inputs(&o->tx, o->spent);
	if (!judged(o, TX_INPUTS_NOT_STANDARD, &v))
		return false;
	if (tx_has_witness(&o->tx) && !policy_witness(&o->tx, o->spent))
		return refuse(o, TX_WITNESS_MUTATED, "bad-witness-nonstandard",
			      NULL);
	return true;
}

static bool weigh(struct judge *j, struct offer *o)
{
	uint32_t bytes = j->m->cfg.policy.bytes_per_sigop;

	o->sigops = o->coins.sigops + tx_legacy_sigops(&o->tx) * WITNESS_SCALE;
	o->weight = policy_weight(tx_weight(&o->tx), o->sigops, bytes);
	o->vsize = weight_vsize(o->weight);
	o->paid = sat_sum(o->fee, pool_delta(j->m, &o->r->txid));
	o->r->vsize = o->vsize;
	o->r->fee = o->fee;
	o->r->chunk_fee = o->paid;
	o->r->chunk_vsize = o->vsize;
	return true;
}

static bool judge_sigops(struct judge *j, struct offer *o)
{
	char cost[16];

	(void)j;
	if (o->sigops <= STANDARD_TX_SIGOPS_MAX)
		return true;
	snprintf(cost, sizeof cost, "%" PRIu32, o->sigops);
	return refuse(o, TX_NOT_STANDARD, "bad-txns-too-many-sigops", cost);
}

static bool too_cheap(struct offer *o, const char *reject, int64_t fee,
		      int64_t asked)
{
	struct verdict v = verdict_invalidf(
	    INV_CONSENSUS, reject, "%" PRId64 " < %" PRId64, fee, asked);

	return judged(o, TX_RECONSIDERABLE, &v);
}

bool rate_enough(struct judge *j, struct offer *o, int64_t vsize, int64_t fee)
{
	int64_t full = rate_fee(pool_full_rate(j->m, j->now_s), vsize);
	int64_t relay = rate_fee(j->m->cfg.policy.min_relay_rate, vsize);

	if (full > 0 && fee < full)
		return too_cheap(o, "mempool min fee not met", fee, full);
	if (fee < relay)
		return too_cheap(o, "min relay fee not met", fee, relay);
	return true;
}

static bool judge_rate(struct judge *j, struct offer *o)
{
	if (j->by_package || (j->flags & MEMPOOL_TAKEN_OFF))
		return true;
	return rate_enough(j, o, o->vsize, o->paid);
}

bool rate_allowed(const struct judge *j, struct offer *o)
{
	if (j->max_rate &&
	    lin_rate_cmp(o->paid, o->vsize, j->max_rate, 1000) > 0)
		return refuse(o, TX_POLICY, "max feerate exceeded", NULL);
	return true;
}

/* Bitcoin Core's order, which is what an offer that breaks several is told. */
static const rule_fn rules[] = {
    judge_form,     judge_standard, judge_final,   judge_new,    find_conflicts,
    find_coins,     judge_locks,    judge_amounts, judge_inputs, weigh,
    judge_dust_fee, judge_sigops,   judge_rate,    judge_truc,
};

bool offer_judge(struct judge *j, struct offer *o)
{
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (!rules[i](j, o))
			return false;
	return true;
}

/* Scripts. */

static bool script_failed(struct offer *o, const char *rules_of,
			  enum tx_outcome why, const struct script_failure *f)
{
	char reject[VERDICT_REJECT], a[HASH256_STR], b[HASH256_STR],
	    c[HASH256_STR];
	struct txin_view in;
	struct tx_iter it;
	struct verdict v;

	txins(&it, &o->tx);
	for (uint32_t i = 0; i <= f->input; i++)
		if (!txin_next(&it, &in))
			return offer_failed(o, E_INVALID);
	snprintf(reject, sizeof reject, "%s-script-verify-flag-failed (%s)",
		 rules_of, script_err_text(f->err));
	v = verdict_invalidf(
	    INV_CONSENSUS, reject,
	    "input %" PRIu32 " of %s (wtxid %s), spending %s:%" PRIu32,
	    f->input, hash256_fmt(a, &o->r->txid), hash256_fmt(b, &o->r->wtxid),
	    hash256_fmt(c, outpoint_txid(in.prevout)),
	    outpoint_index(in.prevout));
	return judged(o, why, &v);
}

/* Under the rules of the next block, which a block's check then finds done.
 * What relay allows is allowed there: this finds mistakes of ours. */
static bool scripts_hold_in_block(const struct judge *j, struct offer *o,
				  const struct tx_sighash *shared)
{
	const struct mempool_cfg *cfg = &j->m->cfg;
	unsigned flags = j->m->tip.script_flags;
	struct script_failure f;
	struct script_tx_key key;
	bool late = cfg->verifier && cfg->verifier->late;

	if (cfg->verified)
		script_tx_key(&key, cfg->verified, &o->r->wtxid, o->spent,
			      o->tx.n_in, flags);
	if (cfg->verified && script_cache_has_tx(cfg->verified, &key))
		return true;
	if (!script_verify_inputs(&f, shared, 0, o->tx.n_in, flags,
				  cfg->verifier)) {
		log_error(LOG_MEMPOOL, "mempool scripts relay=valid block=%s",
			  script_err_name(f.err));
		return script_failed(o, "block", TX_CONSENSUS, &f);
	}
	if (cfg->verified && !late)
		script_cache_put_tx(cfg->verified, &key);
	return true;
}

bool scripts_hold(const struct judge *j, struct offer *o)
{
	enum tx_outcome why = TX_NOT_STANDARD;
	struct tx_sighash shared;
	struct script_failure f;

	tx_sighash_init(&shared, &o->tx, o->spent);
	if (script_verify_inputs(&f, &shared, 0, o->tx.n_in,
				 SCRIPT_FLAGS_STANDARD, j->m->cfg.verifier))
		return scripts_hold_in_block(j, o, &shared);
	if (!tx_has_witness(&o->tx) && spends_witness_program(&o->tx, o->spent))
		why = TX_WITNESS_STRIPPED;
	return script_failed(o, "mempool", why, &f);
}

/* Once all holds. */

struct pool_comer offer_comer(const struct offer *o)
{
	return (struct pool_comer){.tx = &o->tx,
				   .txid = &o->r->txid,
				   .fee = o->paid,
				   .weight = o->weight};
}

void offer_accepted(struct offer *o, int64_t fee, int64_t vsize)
{
	o->r->outcome = TX_ACCEPTED;
	o->r->verdict = verdict_valid();
	o->r->chunk_fee = fee;
	o->r->chunk_vsize = vsize;
}

static int txid_cmp(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct hash256));
}

void offer_replace(struct judge *j, struct offer *o, struct entry *const *out,
		   size_t n_out)
{
	struct leaving l;
	struct entry *e;
	size_t cap = 0;

	if (n_out == 0)
		return;
	leaving_init(&l, out, n_out);
	while ((e = leaving_next(&l))) {
		arr_grow(&o->r->replaced, &cap, o->r->n_replaced + 1,
			 sizeof *o->r->replaced);
		o->r->replaced[o->r->n_replaced++] = e->tx.txid;
	}
	qsort(o->r->replaced, o->r->n_replaced, sizeof *o->r->replaced,
	      txid_cmp);
	pool_remove_all(j->m, out, n_out, MEMPOOL_REPLACED);
}

bool offer_enter(struct judge *j, struct offer *o)
{
	bool back = j->flags & MEMPOOL_TAKEN_OFF;
	struct mempool_tx t = {
	    .txid = o->r->txid,
	    .wtxid = o->r->wtxid,
	    .buf = o->buf,
	    .view = o->tx,
	    .fee = o->fee,
	    .vsize = o->vsize,
	    .weight = o->weight,
	    .sigops = o->sigops,
	    .height = j->m->tip.height,
	    .time_s = j->now_s,
	    .sequence = back ? 0 : pool_sequence(j->m),
	    .lock = o->coins.lock,
	    .spends_coinbase = o->spends_coinbase,
	    .unbroadcast = j->flags & MEMPOOL_OURS,
	};

	/* Only one that comes back from a block may have relatives that it does
	 * not fit with. */
	if (!pool_insert(j->m, &t))
		return refuse(o, TX_POLICY, "too-large-cluster", NULL);
	return true;
}

/* The pool makes room, which the new one may have to leave for. */
static bool stays(struct judge *j, struct offer *o)
{
	if (j->room_later || (j->flags & MEMPOOL_TAKEN_OFF))
		return true;
	mempool_expire(j->m, j->now_s);
	if (pool_find_wtxid(j->m, &o->r->wtxid))
		return true;
	return refuse(o, TX_RECONSIDERABLE, "mempool full", NULL);
}

static bool enters(struct judge *j, struct offer *o)
{
	if (j->flags & MEMPOOL_TEST)
		return true;
	offer_replace(j, o, o->conflicts, o->n_conflicts);
	return offer_enter(j, o) && stays(j, o);
}

void offer_alone(struct judge *j, struct offer *o)
{
	const struct policy *p = &j->m->cfg.policy;
	bool dust = p->require_standard && !(j->flags & MEMPOOL_TAKEN_OFF);

	if (!offer_judge(j, o) || !judge_replacement(j, o) ||
	    !judge_cluster(j, o) || !judge_descent(j, o) || !rate_allowed(j, o))
		return;
	if (dust && !dust_is_spent(j, o, 1))
		return;
	if (scripts_hold(j, o) && enters(j, o))
		offer_accepted(o, o->paid, o->vsize);
}

void mempool_accept(struct mempool *m, struct mempool_result *r, struct buf *tx,
		    unsigned flags, int64_t now_s)
{
	struct judge j;
	struct offer o;

	if (!offer_init(&o, r, tx))
		return;
	judge_init(&j, m, flags, now_s);
	offer_alone(&j, &o);
	judge_fini(&j);
}
