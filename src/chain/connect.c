/*
 * Connecting a block: spends and makes coins, judging every rule that needs
 * them but scripts, in Bitcoin Core's order and with its reasons. Chain thread.
 * Coins are changed as the block is read; when a rule is broken they are put
 * back. Leaves no trace outside of the coins.
 */
#include "internal.h"

#include <cairn/base/endian.h>
#include <cairn/base/err.h>
#include <cairn/base/must.h>
#include <cairn/chain/undo.h>
#include <cairn/consensus/deploy.h>
#include <cairn/consensus/spend.h>
#include <cairn/filter/gcs.h>
#include <cairn/script/template.h>

struct job {
	struct chain *c;
	struct hnode *node;
	const struct block_view *b;
	struct undo_writer *undo;
	struct gcs_builder gcs;
	struct block_spend sum;
	bool filter;      /* collect scripts for the basic filter */
	bool fresh;       /* no coin of this block's can be there already */
	uint32_t ahead;   /* transactions whose coins were asked for */
	uint32_t made;    /* transactions whose outputs are in the coins */
	struct verdict v; /* of what was judged so far */
};

/* False, for whoever stops there. */
static bool failed(struct job *k, int rc)
{
	k->v = verdict_unknown(rc);
	return false;
}

static bool bip30_applies(const struct chain *c, const struct hnode *n)
{
	const struct params *p = c->cfg.params;
	const struct hnode *at =
	    hnode_ancestor(n->prev, p->deploy_height[DEPLOY_BIP34]);

	return bip30_holds(p, n->height, &n->hash, at ? &at->hash : NULL);
}

/* Where every block behind genesis names its height, a repeated transaction
 * has spent inputs: the block fails anyway, and asking for all its outputs can
 * wait until it does. */
static bool bip30_can_wait(const struct chain *c, const struct hnode *n)
{
	return c->cfg.params->deploy_height[DEPLOY_BIP34] <= 1 &&
	       n->height < BIP34_IMPLIES_BIP30_LIMIT;
}

static uint8_t *outpoint_put(uint8_t op[OUTPOINT_SIZE],
			     const struct hash256 *txid, uint32_t i)
{
	memcpy(op, txid->b, 32);
	le32_put(op + 32, i);
	return op;
}

static struct verdict check_bip30(struct chain *c, const struct block_view *b)
{
	uint8_t op[OUTPOINT_SIZE];
	struct coin coin;
	uint32_t i, o;
	int rc;

	for (i = 0; i < b->n_tx; i++) {
		for (o = 0; o < b->tx[i].n_out; o++) {
			outpoint_put(op, &b->txid[i], o);
			rc = coinview_get(c->coins, &coin, op);
			if (rc == 0)
				return verdict_invalid(
				    INV_CONSENSUS, "bad-txns-BIP30",
				    "tried to overwrite transaction");
			if (rc != E_NOTFOUND)
				return verdict_unknown(rc);
		}
	}
	return verdict_valid();
}

/* Median time past of the block in front of the one that made the coin. */
static int64_t coin_mtp(const struct job *k, const struct coin *coin)
{
	int32_t before = coin->height > 0 ? coin->height - 1 : 0;

	return hnode_ancestor(k->node, before)->mtp;
}

/* Take one coin. */
static int spend(struct job *k, struct tx_spend *s, const struct tx_view *tx,
		 const struct txin_view *in, struct tx_iter *stack)
{
	struct coin coin;
	int64_t mtp = 0;
	int rc = coinview_spend(k->c->coins, &coin, in->prevout);

	if (rc == 0)
		rc = undo_writer_add(k->undo, &coin);
	if (rc)
		return rc;
	if (k->sum.bip68 && seq_is_time(tx->version, in->sequence))
		mtp = coin_mtp(k, &coin);
	tx_spend_coin(s, &k->sum, tx, in, stack, &coin, mtp);
	if (k->filter)
		gcs_add_script(&k->gcs, coin.script);
	return 0;
}

/* Missing coins are told before any other fault of the transaction. */
static bool take_inputs(struct job *k, struct tx_spend *s, uint32_t i)
{
	const struct tx_view *tx = &k->b->tx[i];
	struct tx_iter ins, wits, stack = {NULL, 0};
	struct txin_view in;
	int rc;

	txins(&ins, tx);
	txwits(&wits, tx);
	while (txin_next(&ins, &in)) {
		if (!txwit_next(&wits, &stack))
			stack.left = 0;
		rc = spend(k, s, tx, &in, &stack);
		if (rc == 0)
			continue;
		k->v = rc == E_NOTFOUND ? tx_spend_missing(&k->b->txid[i])
					: verdict_unknown(rc);
		return false;
	}
	return true;
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

static bool one_tx(struct job *k, uint32_t i)
{
	const struct tx_view *tx = &k->b->tx[i];
	struct tx_spend s;
	int rc = look_ahead(k, i);

	if (rc)
		return failed(k, rc);
	tx_spend_init(&s);
	if (i > 0 && !take_inputs(k, &s, i))
		return false;
	k->v = block_spend_tx(&k->sum, tx, &k->b->txid[i], i ? &s : NULL);
	if (!verdict_ok(&k->v))
		return false;
	rc = make_outputs(k, i);
	k->made = i + 1;
	return rc ? failed(k, rc) : true;
}

static void all_txs(struct job *k)
{
	uint32_t i;

	if (bip30_applies(k->c, k->node) && !bip30_can_wait(k->c, k->node))
		k->v = check_bip30(k->c, k->b);
	if (!verdict_ok(&k->v))
		return;
	for (i = 0; i < k->b->n_tx; i++)
		if (!one_tx(k, i))
			return;
	k->v = block_spend_end(&k->sum, &k->b->tx[0]);
}

/* Give back the coins that were spent, the block's own among them. */
static int restore_spent(struct chain *c, const struct block_view *b,
			 struct slice undo)
{
	struct undo_reader r;
	struct tx_iter it;
	struct txin_view in;
	struct coin coin;
	uint32_t i;
	bool bad;
	int rc = 0;

	must(undo_reader_init(&r, undo));
	for (i = 1; i < b->n_tx; i++) {
		txins(&it, &b->tx[i]);
		while (rc == 0 && txin_next(&it, &in)) {
			if (!undo_next(&r, &coin, &bad))
				return 0;
			rc = coinview_add(c->coins, in.prevout, &coin, false);
		}
	}
	return rc;
}

/* Put the coins back as they were before the block, of which `made`
 * transactions have put theirs in. */
static int roll_back(struct chain *c, const struct block_view *b,
		     struct slice undo, uint32_t made)
{
	uint8_t op[OUTPOINT_SIZE];
	struct txout_view out;
	struct tx_iter it;
	uint32_t i, o;
	int rc = restore_spent(c, b, undo);

	for (i = 0; rc == 0 && i < made; i++) {
		txouts(&it, &b->tx[i]);
		for (o = 0; rc == 0 && txout_next(&it, &out); o++) {
			if (script_is_unspendable(out.script))
				continue;
			outpoint_put(op, &b->txid[i], o);
			rc = coinview_force(c->coins, op, NULL);
		}
	}
	return rc;
}

int connect_take_back(struct chain *c, const struct block_view *b,
		      struct slice undo)
{
	return roll_back(c, b, undo, b->n_tx);
}

struct verdict connect_first_fault(struct chain *c, const struct hnode *n,
				   const struct block_view *b, struct verdict v)
{
	struct verdict first = verdict_valid();

	if (bip30_applies(c, n) && bip30_can_wait(c, n))
		first = check_bip30(c, b);
	return verdict_ok(&first) ? v : first;
}

/* A broken block leaves no trace, and the first of its faults is told. */
static struct verdict undo_broken(struct job *k)
{
	struct slice undo = slice_of(k->undo->p, k->undo->n);
	int rc = roll_back(k->c, k->b, undo, k->made);

	if (rc)
		return verdict_unknown(rc);
	return connect_first_fault(k->c, k->node, k->b, k->v);
}

struct verdict connect_block(struct chain *c, struct hnode *n,
			     const struct block_view *b,
			     struct undo_writer *undo, struct buf **filter)
{
	struct job k = {.c = c, .node = n, .b = b, .v = verdict_valid()};
	int rc = 0;

	k.undo = undo;
	k.filter = filter != NULL;
	k.fresh = !bip30_is_repeat(n->height, &n->hash);
	block_spend_init(&k.sum, c->cfg.params, n->height, n->prev->mtp);
	if (k.filter)
		gcs_builder_init(&k.gcs, &n->hash);
	all_txs(&k);
	if (k.v.kind == V_INVALID)
		k.v = undo_broken(&k);
	else if (verdict_ok(&k.v) && k.filter)
		rc = gcs_build(filter, &k.gcs);
	if (k.filter)
		gcs_builder_fini(&k.gcs);
	return rc ? verdict_unknown(rc) : k.v;
}
