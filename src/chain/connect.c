/*
 * Connecting a block: spends and makes coins, judging every rule that needs
 * them, in Bitcoin Core's order and with its reasons. Chain thread. Coins are
 * changed as the block is read; when a rule is broken they are put back.
 * Scripts are asked of scripts.c; the order of blocks is reorg.c's affair.
 */
#include "internal.h"

#include <cairn/base/endian.h>
#include <cairn/base/err.h>
#include <cairn/base/must.h>
#include <cairn/chain/undo.h>
#include <cairn/consensus/check.h>
#include <cairn/consensus/deploy.h>
#include <cairn/filter/gcs.h>
#include <cairn/script/template.h>

/* The two coinbases that were made twice, before BIP30 forbade it. */
static const struct {
	int32_t height;
	struct hash256 hash;
} bip30_repeats[] = {
    {91842, {{0xec, 0xca, 0xe0, 0x00, 0xe3, 0xc8, 0xe4, 0xe0, 0x93, 0x93, 0x63,
	      0x60, 0x43, 0x1f, 0x3b, 0x76, 0x03, 0xc5, 0x63, 0xc1, 0xff, 0x61,
	      0x81, 0x39, 0x0a, 0x4d, 0x0a, 0x00, 0x00, 0x00, 0x00, 0x00}}},
    {91880, {{0x21, 0xd7, 0x7c, 0xcb, 0x4c, 0x08, 0x38, 0x6a, 0x04, 0xac, 0x01,
	      0x96, 0xae, 0x10, 0xf6, 0xa1, 0xd2, 0xc2, 0xa3, 0x77, 0x55, 0x8c,
	      0xa1, 0x90, 0xf1, 0x43, 0x07, 0x00, 0x00, 0x00, 0x00, 0x00}}},
};

struct job {
	struct chain *c;
	struct hnode *node;
	const struct block_view *b;
	struct undo_writer undo;
	struct gcs_builder gcs;
	bool filter;     /* collect scripts for the basic filter */
	bool bip68;      /* relative locks count */
	bool fresh;      /* no coin of this block's can be there already */
	int64_t fees;    /* satoshi */
	uint32_t sigops; /* cost */
	uint32_t ahead;  /* transactions whose coins were asked for */
	uint32_t made;   /* transactions whose outputs are in the coins */
};

/* What the inputs of one transaction come to. */
struct inputs {
	int64_t value;
	uint32_t sigops; /* cost, over the legacy ones */
	struct seq_lock lock;
	struct verdict bad; /* the first broken rule, if all coins are there */
};

static struct verdict broken(const char *reject, const char *detail)
{
	return verdict_invalid(INV_CONSENSUS, reject, detail);
}

static bool is_bip30_repeat(const struct hnode *n)
{
	size_t i;

	for (i = 0; i < sizeof bip30_repeats / sizeof *bip30_repeats; i++)
		if (n->height == bip30_repeats[i].height &&
		    hash256_eq(&n->hash, &bip30_repeats[i].hash))
			return true;
	return false;
}

/* On the known chain a height in every coinbase makes repeats impossible until
 * heights that early coinbases happened to name. */
static bool bip30_applies(const struct job *k)
{
	const struct params *p = k->c->cfg.params;
	const struct hnode *at;

	if (k->node->height >= BIP34_IMPLIES_BIP30_LIMIT)
		return true;
	if (is_bip30_repeat(k->node))
		return false;
	at = hnode_ancestor(k->node->prev, p->deploy_height[DEPLOY_BIP34]);
	return !at || !hash256_eq(&at->hash, &p->bip34_hash);
}

/* Where every block behind genesis names its height, a repeated transaction
 * has spent inputs: the block fails anyway, and asking for all its outputs can
 * wait until it does. */
static bool bip30_can_wait(const struct job *k)
{
	return k->c->cfg.params->deploy_height[DEPLOY_BIP34] <= 1 &&
	       k->node->height < BIP34_IMPLIES_BIP30_LIMIT;
}

static uint8_t *outpoint_put(uint8_t op[OUTPOINT_SIZE],
			     const struct hash256 *txid, uint32_t i)
{
	memcpy(op, txid->b, 32);
	le32_put(op + 32, i);
	return op;
}

static struct verdict check_bip30(const struct job *k)
{
	uint8_t op[OUTPOINT_SIZE];
	struct coin coin;
	uint32_t i, o;
	int rc;

	for (i = 0; i < k->b->n_tx; i++) {
		for (o = 0; o < k->b->tx[i].n_out; o++) {
			outpoint_put(op, &k->b->txid[i], o);
			rc = coinview_get(k->c->coins, &coin, op);
			if (rc == 0)
				return broken("bad-txns-BIP30",
					      "tried to overwrite transaction");
			if (rc != E_NOTFOUND)
				return verdict_unknown(rc);
		}
	}
	return verdict_valid();
}

static struct verdict judge_coin(const struct job *k, struct inputs *s,
				 const struct coin *coin)
{
	if (coin->coinbase &&
	    k->node->height - coin->height < COINBASE_MATURITY)
		return broken("bad-txns-premature-spend-of-coinbase",
			      "tried to spend an immature coinbase");
	s->value += coin->value;
	if (!amount_ok(coin->value) || !amount_ok(s->value))
		return broken("bad-txns-inputvalues-outofrange", NULL);
	return verdict_valid();
}

static void lock_by(const struct job *k, struct inputs *s,
		    const struct tx_view *tx, const struct txin_view *in,
		    const struct coin *coin)
{
	int32_t before = coin->height > 0 ? coin->height - 1 : 0;
	int64_t mtp = 0;

	if (seq_is_time(tx->version, in->sequence))
		mtp = hnode_ancestor(k->node, before)->mtp;
	seq_lock_add(&s->lock, tx->version, in->sequence, coin->height, mtp);
}

/* Take one coin. */
static struct verdict spend(struct job *k, struct inputs *s,
			    const struct tx_view *tx,
			    const struct txin_view *in, struct tx_iter *stack)
{
	struct coin coin;
	int rc = coinview_spend(k->c->coins, &coin, in->prevout);

	if (rc == E_NOTFOUND)
		return broken("bad-txns-inputs-missingorspent",
			      "CheckTxInputs: inputs missing/spent");
	if (rc == 0)
		rc = undo_writer_add(&k->undo, &coin);
	if (rc)
		return verdict_unknown(rc);
	if (verdict_ok(&s->bad))
		s->bad = judge_coin(k, s, &coin);
	if (k->bip68)
		lock_by(k, s, tx, in, &coin);
	s->sigops += input_sigops_cost(in->script, coin.script, stack);
	if (k->filter)
		gcs_add_script(&k->gcs, coin.script);
	return verdict_valid();
}

/* Missing coins are told before any other fault of the transaction. */
static struct verdict spend_all(struct job *k, struct inputs *s,
				const struct tx_view *tx)
{
	struct tx_iter ins, wits, stack = {NULL, 0};
	struct txin_view in;
	struct verdict v;

	txins(&ins, tx);
	txwits(&wits, tx);
	while (txin_next(&ins, &in)) {
		if (!txwit_next(&wits, &stack))
			stack.left = 0;
		v = spend(k, s, tx, &in, &stack);
		if (!verdict_ok(&v))
			return v;
	}
	return s->bad;
}

static int64_t value_out(const struct tx_view *tx)
{
	struct tx_iter it;
	struct txout_view out;
	int64_t sum = 0;

	txouts(&it, tx);
	while (txout_next(&it, &out))
		sum += out.value;
	return sum;
}

/* Everything about the inputs of a transaction that is no coinbase. */
static struct verdict take_inputs(struct job *k, const struct tx_view *tx)
{
	struct inputs s = {.lock = seq_lock_none(), .bad = verdict_valid()};
	struct verdict v = spend_all(k, &s, tx);
	int64_t fee;

	if (!verdict_ok(&v))
		return v;
	fee = s.value - value_out(tx);
	if (fee < 0)
		return broken("bad-txns-in-belowout", "value in < value out");
	if (!amount_ok(fee))
		return broken("bad-txns-fee-outofrange", NULL);
	k->fees += fee;
	if (!amount_ok(k->fees))
		return broken("bad-txns-accumulated-fee-outofrange",
			      "accumulated fee in the block out of range");
	if (!seq_lock_ok(&s.lock, k->node->height, k->node->prev->mtp))
		return broken("bad-txns-nonfinal",
			      "contains a non-BIP68-final transaction");
	k->sigops += s.sigops;
	return verdict_valid();
}

static int make_outputs(struct job *k, uint32_t i)
{
	const struct tx_view *tx = &k->b->tx[i];
	uint8_t op[OUTPOINT_SIZE];
	struct coin coin = {.height = k->node->height, .coinbase = i == 0};
	struct txout_view out;
	struct tx_iter it;
	uint32_t o;
	int rc = 0;

	outpoint_put(op, &k->b->txid[i], 0);
	txouts(&it, tx);
	for (o = 0; rc == 0 && txout_next(&it, &out); o++) {
		if (k->filter)
			gcs_add_script(&k->gcs, out.script);
		if (script_is_unspendable(out.script))
			continue;
		coin.value = out.value;
		coin.script = out.script;
		le32_put(op + 32, o);
		rc = coinview_add(k->c->coins, op, &coin, k->fresh);
	}
	return rc;
}

#define AHEAD 256u /* inputs and outputs that are asked for at once */

/* Outpoints gathered until there are enough to ask for together. */
struct wanted {
	const uint8_t *ops[AHEAD];
	size_t n;
};

static int want_flush(struct job *k, struct wanted *w)
{
	size_t n = w->n;

	w->n = 0;
	return n ? coinview_prefetch(k->c->coins, w->ops, n) : 0;
}

static int want_inputs(struct job *k, struct wanted *w,
		       const struct tx_view *tx)
{
	struct tx_iter it;
	struct txin_view in;
	int rc = 0;

	txins(&it, tx);
	while (rc == 0 && txin_next(&it, &in)) {
		w->ops[w->n++] = in.prevout;
		if (w->n == AHEAD)
			rc = want_flush(k, w);
	}
	return rc;
}

/* Bring the places near that the coins of transaction i will take. */
static uint32_t touch_outputs(struct job *k, uint32_t i)
{
	uint32_t n = k->b->tx[i].n_out < AHEAD ? k->b->tx[i].n_out : AHEAD;
	uint8_t op[OUTPOINT_SIZE];

	outpoint_put(op, &k->b->txid[i], 0);
	for (uint32_t o = 0; o < n; o++) {
		le32_put(op + 32, o);
		coinview_touch(k->c->coins, op);
	}
	return n;
}

/* Ask for the coins of the next transactions, so many that their memory is
 * still near when they are used. */
static int look_ahead(struct job *k, uint32_t i)
{
	struct wanted w = {.n = 0};
	size_t made = 0;
	int rc = 0;

	if (i < k->ahead)
		return 0;
	while (rc == 0 && k->ahead < k->b->n_tx && w.n + made < AHEAD) {
		if (k->ahead > 0)
			rc = want_inputs(k, &w, &k->b->tx[k->ahead]);
		made += touch_outputs(k, k->ahead);
		k->ahead++;
	}
	return rc ? rc : want_flush(k, &w);
}

static struct verdict one_tx(struct job *k, uint32_t i)
{
	const struct tx_view *tx = &k->b->tx[i];
	struct verdict v = verdict_valid();
	int rc = look_ahead(k, i);

	if (rc)
		return verdict_unknown(rc);
	if (i > 0)
		v = take_inputs(k, tx);
	if (!verdict_ok(&v))
		return v;
	k->sigops += tx_legacy_sigops(tx) * WITNESS_SCALE;
	if (k->sigops > MAX_BLOCK_SIGOPS_COST)
		return broken("bad-blk-sigops", "too many sigops");
	rc = make_outputs(k, i);
	k->made = i + 1;
	return rc ? verdict_unknown(rc) : verdict_valid();
}

static struct verdict all_txs(struct job *k)
{
	struct verdict v = verdict_valid();
	uint32_t i;

	if (bip30_applies(k) && !bip30_can_wait(k))
		v = check_bip30(k);
	for (i = 0; verdict_ok(&v) && i < k->b->n_tx; i++)
		v = one_tx(k, i);
	if (!verdict_ok(&v))
		return v;
	if (value_out(&k->b->tx[0]) >
	    k->fees + block_subsidy(k->node->height, k->c->cfg.params))
		return broken("bad-cb-amount", "coinbase pays too much");
	return scripts_check(k->c, k->node, k->b,
			     slice_of(k->undo.p, k->undo.n));
}

/* Give back the coins that were spent, the block's own among them. */
static int restore_spent(struct job *k)
{
	struct undo_reader r;
	struct tx_iter it;
	struct txin_view in;
	struct coin coin;
	uint32_t i;
	bool bad;
	int rc = 0;

	must(undo_reader_init(&r, slice_of(k->undo.p, k->undo.n)));
	for (i = 1; i < k->b->n_tx; i++) {
		txins(&it, &k->b->tx[i]);
		while (rc == 0 && txin_next(&it, &in)) {
			if (!undo_next(&r, &coin, &bad))
				return 0;
			rc =
			    coinview_add(k->c->coins, in.prevout, &coin, false);
		}
	}
	return rc;
}

/* Put the coins back as they were before the block. */
static int roll_back(struct job *k)
{
	uint8_t op[OUTPOINT_SIZE];
	struct txout_view out;
	struct tx_iter it;
	uint32_t i, o;
	int rc = restore_spent(k);

	for (i = 0; rc == 0 && i < k->made; i++) {
		txouts(&it, &k->b->tx[i]);
		for (o = 0; rc == 0 && txout_next(&it, &out); o++) {
			if (script_is_unspendable(out.script))
				continue;
			outpoint_put(op, &k->b->txid[i], o);
			rc = coinview_force(k->c->coins, op, NULL);
		}
	}
	return rc;
}

/* A broken block leaves no trace, and the first of its faults is told. */
static struct verdict undo_broken(struct job *k, struct verdict v)
{
	int rc = roll_back(k);
	struct verdict first;

	if (rc)
		return verdict_unknown(rc);
	if (!bip30_applies(k) || !bip30_can_wait(k))
		return v;
	first = check_bip30(k);
	return verdict_ok(&first) ? v : first;
}

static int keep(struct job *k)
{
	int rc = undo_store(k->c, k->node, slice_of(k->undo.p, k->undo.n));

	if (rc == 0 && k->filter)
		rc = filters_connected(k->c, k->node, &k->gcs);
	if (rc == 0) {
		hnode_set(k->node, HN_CONNECTED);
		index_dirty(k->c, k->node);
	}
	return rc;
}

struct verdict connect_block(struct chain *c, struct hnode *n,
			     const struct block_view *b, enum connect_mode mode)
{
	struct job k = {.c = c, .node = n, .b = b};
	struct verdict v;
	int rc = 0;

	k.filter = mode == CONNECT_KEEP && filters_wants(c, n);
	k.bip68 = deploy_active(c->cfg.params, DEPLOY_CSV, n->height);
	k.fresh = !is_bip30_repeat(n);
	undo_writer_init(&k.undo);
	if (k.filter)
		gcs_builder_init(&k.gcs, &n->hash);
	v = all_txs(&k);
	if (v.kind == V_INVALID)
		v = undo_broken(&k, v);
	else if (verdict_ok(&v) && mode == CONNECT_TEST)
		rc = roll_back(&k);
	else if (verdict_ok(&v))
		rc = keep(&k);
	if (k.filter)
		gcs_builder_fini(&k.gcs);
	undo_writer_fini(&k.undo);
	return rc ? verdict_unknown(rc) : v;
}
