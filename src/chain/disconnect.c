/*
 * Taking a block off the coins again, from its undo record; and bringing coins
 * into order that an interrupted flush left half way between two blocks. Chain
 * thread. Does not decide which block goes.
 */
#include "internal.h"

#include <cairn/base/buf.h>
#include <cairn/base/endian.h>
#include <cairn/base/err.h>
#include <cairn/base/log.h>
#include <cairn/chain/undo.h>
#include <cairn/consensus/check.h>
#include <cairn/script/template.h>

/* Their coinbases were overwritten by a later block and are not there. */
static const struct {
	int32_t height;
	struct hash256 hash;
} overwritten[] = {
    {91722, {{0x8e, 0xd0, 0x4d, 0x57, 0xf2, 0xf3, 0xcd, 0xc6, 0xa6, 0xe5, 0x55,
	      0x69, 0xdc, 0x16, 0x54, 0xe1, 0xf2, 0x19, 0x84, 0x7f, 0x66, 0xe7,
	      0x26, 0xdc, 0xa2, 0x71, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00}}},
    {91812, {{0x2f, 0x6f, 0x30, 0x6f, 0xd6, 0x83, 0xde, 0x85, 0x5d, 0x93, 0xef,
	      0x14, 0xde, 0xf5, 0x6c, 0xf3, 0x6a, 0xd3, 0xee, 0x3a, 0x1b, 0x79,
	      0xd4, 0xae, 0x0a, 0xf0, 0x0a, 0x00, 0x00, 0x00, 0x00, 0x00}}},
};

static bool is_overwritten(const struct hnode *n)
{
	size_t i;

	for (i = 0; i < sizeof overwritten / sizeof *overwritten; i++)
		if (n->height == overwritten[i].height &&
		    hash256_eq(&n->hash, &overwritten[i].hash))
			return true;
	return false;
}

/* How coins are put back and taken away: exactly, or whatever is there. */
struct hand {
	struct chain *c;
	bool force;
};

static int give_coin(const struct hand *h, const uint8_t *op,
		     const struct coin *coin)
{
	if (h->force)
		return coinview_force(h->c->coins, op, coin);
	return coinview_add(h->c->coins, op, coin, false);
}

static bool same_coin(const struct coin *a, const struct coin *b)
{
	return a->value == b->value && a->height == b->height &&
	       a->coinbase == b->coinbase && slice_eq(a->script, b->script);
}

static int take_coin(const struct hand *h, const uint8_t *op,
		     const struct coin *want, bool may_miss)
{
	struct coin was;
	int rc;

	if (h->force)
		return coinview_force(h->c->coins, op, NULL);
	rc = coinview_spend(h->c->coins, &was, op);
	if (rc == E_NOTFOUND)
		return may_miss ? 0 : E_CORRUPT;
	if (rc == 0 && !same_coin(&was, want))
		return E_CORRUPT;
	return rc;
}

/* Put back all that b spent; coins of its own among them go in the next pass.
 */
static int restore_spent(const struct hand *h, const struct block_view *b,
			 struct undo_reader *undo)
{
	struct txin_view in;
	struct tx_iter it;
	struct coin coin;
	uint32_t i;
	bool bad;
	int rc = 0;

	for (i = 1; i < b->n_tx; i++) {
		txins(&it, &b->tx[i]);
		while (rc == 0 && txin_next(&it, &in)) {
			if (!undo_next(undo, &coin, &bad))
				return E_CORRUPT;
			rc = give_coin(h, in.prevout, &coin);
		}
	}
	return rc == 0 && undo->left ? E_CORRUPT : rc;
}

static int remove_made(const struct hand *h, const struct hnode *n,
		       const struct block_view *b)
{
	uint8_t op[OUTPOINT_SIZE];
	struct txout_view out;
	struct tx_iter it;
	struct coin coin;
	uint32_t i, o;
	int rc = 0;

	for (i = 0; i < b->n_tx; i++) {
		memcpy(op, b->txid[i].b, 32);
		txouts(&it, &b->tx[i]);
		for (o = 0; rc == 0 && txout_next(&it, &out); o++) {
			if (script_is_unspendable(out.script))
				continue;
			le32_put(op + 32, o);
			coin.value = out.value;
			coin.height = n->height;
			coin.coinbase = i == 0;
			coin.script = out.script;
			rc = take_coin(h, op, &coin,
				       i == 0 && is_overwritten(n));
		}
	}
	return rc;
}

static int take_off(const struct hand *h, const struct hnode *n,
		    const struct block_view *b)
{
	struct undo_reader undo;
	struct buf *record;
	int rc = undo_load(h->c, &record, n);

	if (rc)
		return rc == E_NOTFOUND ? E_CORRUPT : rc;
	if (undo_reader_init(&undo, buf_payload(record)))
		rc = restore_spent(h, b, &undo);
	else
		rc = E_CORRUPT;
	if (rc == 0)
		rc = remove_made(h, n, b);
	buf_unref(record);
	return rc;
}

int disconnect_block(struct chain *c, const struct hnode *n,
		     const struct block_view *b)
{
	struct hand h = {.c = c, .force = false};

	return take_off(&h, n, b);
}

/* Do b again without looking at what is there. */
static int put_on(struct chain *c, const struct hnode *n,
		  const struct block_view *b)
{
	struct coin coin = {.height = n->height};
	uint8_t op[OUTPOINT_SIZE];
	struct txout_view out;
	struct txin_view in;
	struct tx_iter it;
	uint32_t i, o;
	int rc = 0;

	for (i = 0; rc == 0 && i < b->n_tx; i++) {
		txins(&it, &b->tx[i]);
		while (rc == 0 && i > 0 && txin_next(&it, &in))
			rc = coinview_force(c->coins, in.prevout, NULL);
		coin.coinbase = i == 0;
		memcpy(op, b->txid[i].b, 32);
		txouts(&it, &b->tx[i]);
		for (o = 0; rc == 0 && txout_next(&it, &out); o++) {
			if (script_is_unspendable(out.script))
				continue;
			le32_put(op + 32, o);
			coin.value = out.value;
			coin.script = out.script;
			rc = coinview_force(c->coins, op, &coin);
		}
	}
	return rc;
}

static int boundary(struct chain *c, const struct hnode *n)
{
	struct coin_marker m = {n->hash, n->height};

	return coinview_boundary(c->coins, &m);
}

static int replay_one(struct chain *c, const struct hnode *n, bool off)
{
	struct hand h = {.c = c, .force = true};
	struct body b;
	int rc;

	if (chain_stopping(c))
		return E_STOPPING;
	/* No coins: its only output cannot be spent. */
	if (!n->prev)
		return boundary(c, n);
	rc = body_get(c, &b, n);
	if (rc)
		return rc;
	rc = off ? take_off(&h, n, &b.view) : put_on(c, n, &b.view);
	body_fini(&b);
	return rc ? rc : boundary(c, off ? n->prev : n);
}

int replay_coins(struct chain *c, const struct hnode *from,
		 const struct hnode *to)
{
	const struct hnode *fork = hnode_fork(from, to), *n;
	struct chain_event e = {.type = CHAIN_EV_STAGE,
				.text = "Replaying blocks…"};
	int32_t total = from->height + to->height - 2 * fork->height, done = 0;
	int32_t h;
	int rc = 0;

	log_info(LOG_COINDB, "finishing an interrupted flush from=%d to=%d",
		 from->height, to->height);
	for (n = from; rc == 0 && n != fork; n = n->prev, done++) {
		rc = replay_one(c, n, true);
		e.progress = (double)done / total;
		outbox_event(c, &e);
	}
	for (h = fork->height + 1; rc == 0 && h <= to->height; h++, done++) {
		rc = replay_one(c, hnode_ancestor(to, h), false);
		e.progress = (double)done / total;
		outbox_event(c, &e);
	}
	return rc;
}
