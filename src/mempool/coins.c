/*
 * Where the inputs of an offered transaction lead: to coins of the published
 * tip, outputs in the pool, outputs of the same package; and who in the pool
 * spends them already. Rules of locks, maturity and amounts stand here, also
 * for what is in the pool after a reorganisation. Chain thread.
 */
#include "accept.h"

#include <cairn/base/endian.h>
#include <cairn/base/err.h>

#include <stdlib.h>

/* Outputs of a transaction looked for among the coins to see that it is in a
 * block already. */
#define KNOWN_OUTPUTS 64u

static void *judge_alloc(struct judge *j, struct offer *o, size_t n)
{
	void *p = arena_alloc(&j->mem, n);

	if (!p)
		offer_failed(o, E_NOMEM);
	return p;
}

bool find_conflicts(struct judge *j, struct offer *o)
{
	struct txin_view in;
	struct tx_iter it;
	struct entry *e;
	size_t n = 0;

	/* One more for a sibling. */
	o->conflicts = judge_alloc(
	    j, o, (o->tx.n_in + (size_t)1) * sizeof(struct entry *));
	if (!o->conflicts)
		return false;
	txins(&it, &o->tx);
	while (txin_next(&it, &in)) {
		e = pool_spender(j->m, in.prevout);
		if (e && j->no_replacement)
			return refuse(o, TX_POLICY,
				      "bip125-replacement-disallowed", NULL);
		if (e)
			o->conflicts[n++] = e;
	}
	leaving_sort(o->conflicts, n);
	o->n_conflicts = n;
	return true;
}

/* An input that spends what is in no block yet. */
struct source {
	const struct tx_view *tx;
	uint32_t index, input;
};

/* The coins of an offer while they are found. */
struct search {
	struct coin *coins;  /* n_in */
	struct source *from; /* up to n_in */
	size_t n_from;
};

static int confirmed(struct judge *j, struct coin *c, const uint8_t *outpoint)
{
	int rc = j->m->ops.coin(j->m->arg, c, outpoint);
	uint8_t *script;

	if (rc)
		return rc;
	script = arena_alloc(&j->mem, c->script.n);
	if (!script)
		return E_NOMEM;
	if (c->script.n)
		memcpy(script, c->script.p, c->script.n);
	c->script.p = script;
	return 0;
}

static void note_parent(struct offer *o, struct entry *e)
{
	if (o->n_parents && o->parents[o->n_parents - 1] == e)
		return;
	o->parents[o->n_parents++] = e;
}

static int unconfirmed(struct search *s, const struct tx_view *tx,
		       uint32_t index, uint32_t input)
{
	if (index >= tx->n_out)
		return E_NOTFOUND;
	s->from[s->n_from++] = (struct source){tx, index, input};
	return 0;
}

static int find_coin(struct judge *j, struct offer *o, struct search *s,
		     uint32_t input, const uint8_t *outpoint)
{
	const struct hash256 *txid = outpoint_txid(outpoint);
	uint32_t index = outpoint_index(outpoint);
	struct entry *e;

	for (size_t i = 0; i < j->n_in; i++)
		if (hash256_eq(&j->in[i].r->txid, txid))
			return unconfirmed(s, &j->in[i].tx, index, input);
	e = pool_find(j->m, txid);
	if (!e)
		return confirmed(j, &s->coins[input], outpoint);
	note_parent(o, e);
	return unconfirmed(s, &e->tx.view, index, input);
}

static int source_cmp(const void *a, const void *b)
{
	const struct source *x = a, *y = b;
	uintptr_t p = (uintptr_t)x->tx, q = (uintptr_t)y->tx;

	if (p != q)
		return p < q ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* Read the outputs, walking over those of each transaction once, however many
 * of them are spent. They are taken to be in the next block. */
static void read_outputs(const struct mempool *m, struct search *s)
{
	const struct tx_view *tx = NULL;
	struct txout_view out = {0};
	struct tx_iter it = {NULL, 0};
	uint32_t at = 0;

	qsort(s->from, s->n_from, sizeof *s->from, source_cmp);
	for (size_t i = 0; i < s->n_from; i++) {
		const struct source *f = &s->from[i];
		if (f->tx != tx) {
			tx = f->tx;
			txouts(&it, tx);
			at = 0;
		}
		for (; at <= f->index && txout_next(&it, &out); at++)
			;
		s->coins[f->input] = (struct coin){.value = out.value,
						   .height = m->tip.height + 1,
						   .script = out.script};
	}
}

/* Of the block in front of the one that made a coin. */
static int64_t coin_mtp(const struct mempool *m, const struct coin *c)
{
	return m->ops.mtp(m->arg, c->height > 0 ? c->height - 1 : 0);
}

static struct block_spend next_block(const struct mempool *m)
{
	struct block_spend b;

	block_spend_init(&b, m->cfg.params, m->tip.height + 1, m->tip.mtp);
	/* Asked for before it became a rule of blocks, too. */
	b.bip68 = true;
	return b;
}

/* Whether one of its outputs is a coin: it is in a block. */
static int known_in_block(const struct judge *j, const struct offer *o)
{
	uint8_t outpoint[OUTPOINT_SIZE];
	struct coin c;
	int rc = E_NOTFOUND;

	memcpy(outpoint, o->r->txid.b, 32);
	for (uint32_t i = 0; i < o->tx.n_out && i < KNOWN_OUTPUTS; i++) {
		le32_put(outpoint + 32, i);
		rc = j->m->ops.coin(j->m->arg, &c, outpoint);
		if (rc != E_NOTFOUND)
			break;
	}
	return rc;
}

static bool coin_failed(const struct judge *j, struct offer *o, int rc)
{
	if (rc != E_NOTFOUND)
		return offer_failed(o, rc);
	rc = known_in_block(j, o);
	if (rc == 0)
		return refuse(o, TX_CONFLICT, "txn-already-known", NULL);
	if (rc != E_NOTFOUND)
		return offer_failed(o, rc);
	return refuse(o, TX_MISSING_INPUTS, "bad-txns-inputs-missingorspent",
		      NULL);
}

static void take_coin(struct judge *j, struct offer *o, uint32_t i,
		      const struct txin_view *in, struct tx_iter *stack,
		      const struct coin *c)
{
	struct block_spend b = next_block(j->m);
	int64_t mtp = 0;

	if (seq_is_time(o->tx.version, in->sequence))
		mtp = coin_mtp(j->m, c);
	tx_spend_coin(&o->coins, &b, &o->tx, in, stack, c, mtp);
	o->spent[i] = (struct txout_view){c->value, c->script};
	o->spends_coinbase |= c->coinbase;
}

static int entry_txid_cmp(const void *a, const void *b)
{
	const struct entry *const *x = a, *const *y = b;

	return memcmp((*x)->tx.txid.b, (*y)->tx.txid.b, 32);
}

static void sort_parents(struct offer *o)
{
	size_t n = 0;

	qsort(o->parents, o->n_parents, sizeof *o->parents, entry_txid_cmp);
	for (size_t i = 0; i < o->n_parents; i++)
		if (n == 0 || o->parents[n - 1] != o->parents[i])
			o->parents[n++] = o->parents[i];
	o->n_parents = n;
}

static bool search_coins(struct judge *j, struct offer *o, struct search *s)
{
	struct txin_view in;
	struct tx_iter it;

	txins(&it, &o->tx);
	for (uint32_t i = 0; txin_next(&it, &in); i++) {
		int rc = find_coin(j, o, s, i, in.prevout);
		if (rc)
			return coin_failed(j, o, rc);
	}
	read_outputs(j->m, s);
	return true;
}

static void take_coins(struct judge *j, struct offer *o, const struct search *s)
{
	struct tx_iter ins, wits, stack;
	struct txin_view in;

	tx_spend_init(&o->coins);
	txins(&ins, &o->tx);
	txwits(&wits, &o->tx);
	for (uint32_t i = 0; txin_next(&ins, &in) && txwit_next(&wits, &stack);
	     i++)
		take_coin(j, o, i, &in, &stack, &s->coins[i]);
}

bool find_coins(struct judge *j, struct offer *o)
{
	size_t n = o->tx.n_in;
	struct search s = {.coins = judge_alloc(j, o, n * sizeof *s.coins),
			   .from = judge_alloc(j, o, n * sizeof *s.from)};

	o->spent = judge_alloc(j, o, n * sizeof *o->spent);
	o->parents = judge_alloc(j, o, n * sizeof *o->parents);
	if (!s.coins || !s.from || !o->spent || !o->parents)
		return false;
	if (!search_coins(j, o, &s))
		return false;
	take_coins(j, o, &s);
	sort_parents(o);
	return true;
}

bool judge_locks(struct judge *j, struct offer *o)
{
	const struct mempool_tip *tip = &j->m->tip;

	if (!seq_lock_ok(&o->coins.lock, tip->height + 1, tip->mtp))
		return refuse(o, TX_PREMATURE, "non-BIP68-final", NULL);
	return true;
}

bool judge_amounts(struct judge *j, struct offer *o)
{
	int64_t out = tx_value_out(&o->tx);
	struct verdict v = tx_spend_judge(&o->coins, out);

	(void)j;
	if (!judged(o, o->coins.depth >= 0 ? TX_PREMATURE : TX_CONSENSUS, &v))
		return false;
	o->fee = o->coins.value - out;
	return true;
}

/* After a reorganisation a coin may stand elsewhere, or a young coinbase may
 * have made it. Gives 0, or E_NOTFOUND where there is none. */
static int take_again(struct mempool *m, const struct mempool_tx *t,
		      struct tx_spend *s, const struct txin_view *in)
{
	struct block_spend b = next_block(m);
	struct tx_iter none = {NULL, 0};
	/* Of one in the pool only the height matters here. */
	struct coin c = {.height = m->tip.height + 1};
	int64_t mtp = 0;
	int rc = 0;

	if (!pool_find(m, outpoint_txid(in->prevout)))
		rc = m->ops.coin(m->arg, &c, in->prevout);
	if (rc)
		return rc;
	if (seq_is_time(t->view.version, in->sequence))
		mtp = coin_mtp(m, &c);
	tx_spend_coin(s, &b, &t->view, in, &none, &c, mtp);
	return 0;
}

bool accept_still_valid(struct mempool *m, const struct entry *e)
{
	const struct mempool_tx *t = &e->tx;
	struct seq_lock none = seq_lock_none();
	struct tx_spend s;
	struct txin_view in;
	struct tx_iter it;
	int rc = 0;

	if (!tx_is_final(&t->view, m->tip.height + 1, m->tip.mtp))
		return false;
	if (!t->spends_coinbase && t->lock.height == none.height &&
	    t->lock.time_s == none.time_s)
		return true;
	tx_spend_init(&s);
	txins(&it, &t->view);
	while (rc == 0 && txin_next(&it, &in))
		rc = take_again(m, t, &s, &in);
	/* What the disk does not tell is no reason to drop it. */
	if (rc)
		return rc != E_NOTFOUND;
	return s.depth < 0 &&
	       seq_lock_ok(&s.lock, m->tip.height + 1, m->tip.mtp);
}
