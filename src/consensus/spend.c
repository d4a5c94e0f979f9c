/*
 * Rules that need the coins which transactions spend, in Bitcoin Core's order
 * and with its reasons. Any thread; keeps nothing. Does not find coins, and
 * judges neither scripts nor what a transaction is by itself (check.c).
 */
#include <cairn/consensus/spend.h>

#include <cairn/base/text.h>
#include <cairn/consensus/deploy.h>

#include <inttypes.h>

static struct verdict broken(const char *reject, const char *detail)
{
	return verdict_invalid(INV_CONSENSUS, reject, detail);
}

void block_spend_init(struct block_spend *b, const struct params *p,
		      int32_t height, int64_t mtp_prev)
{
	*b = (struct block_spend){
	    .p = p,
	    .height = height,
	    .mtp_prev = mtp_prev,
	    .bip68 = deploy_active(p, DEPLOY_CSV, height),
	};
}

void tx_spend_init(struct tx_spend *s)
{
	*s = (struct tx_spend){.lock = seq_lock_none(), .depth = -1};
}

static void judge_coin(struct tx_spend *s, const struct block_spend *b,
		       const struct coin *coin)
{
	int32_t depth = b->height - coin->height;

	if (coin->coinbase && depth < COINBASE_MATURITY) {
		s->bad = "bad-txns-premature-spend-of-coinbase";
		s->depth = depth;
	} else if (!amount_ok(coin->value) ||
		   !amount_ok(s->value + coin->value)) {
		/* Both were in range, so the sum has not overflowed. */
		s->bad = "bad-txns-inputvalues-outofrange";
	} else {
		s->value += coin->value;
	}
}

void tx_spend_coin(struct tx_spend *s, const struct block_spend *b,
		   const struct tx_view *tx, const struct txin_view *in,
		   struct tx_iter *stack, const struct coin *coin,
		   int64_t coin_mtp)
{
	if (!s->bad)
		judge_coin(s, b, coin);
	if (b->bip68)
		seq_lock_add(&s->lock, tx->version, in->sequence, coin->height,
			     coin_mtp);
	s->sigops += input_sigops_cost(in->script, coin->script, stack);
}

int64_t tx_value_out(const struct tx_view *tx)
{
	struct tx_iter it;
	struct txout_view out;
	int64_t sum = 0;

	txouts(&it, tx);
	while (txout_next(&it, &out))
		sum += out.value;
	return sum;
}

struct verdict tx_spend_missing(const struct hash256 *txid)
{
	char hex[HASH256_STR];

	return verdict_invalidf(INV_CONSENSUS, "bad-txns-inputs-missingorspent",
				"CheckTxInputs: inputs missing/spent in "
				"transaction %s",
				hash256_fmt(hex, txid));
}

struct verdict tx_spend_judge(const struct tx_spend *s, int64_t out)
{
	char in_sum[AMOUNT_STR], out_sum[AMOUNT_STR];

	if (!s->bad && s->value >= out)
		return verdict_valid();
	if (!s->bad)
		return verdict_invalidf(INV_CONSENSUS, "bad-txns-in-belowout",
					"value in (%s) < value out (%s)",
					amount_fmt(in_sum, s->value),
					amount_fmt(out_sum, out));
	if (s->depth < 0)
		return broken(s->bad, NULL);
	return verdict_invalidf(INV_CONSENSUS, s->bad,
				"tried to spend coinbase at depth %d",
				s->depth);
}

static struct verdict judge_inputs(struct block_spend *b,
				   const struct tx_view *tx,
				   const struct hash256 *txid,
				   const struct tx_spend *s)
{
	int64_t out = tx_value_out(tx);
	struct verdict v = tx_spend_judge(s, out);
	char hex[HASH256_STR];

	/* In a block Bitcoin Core's texts carry the name. */
	if (!verdict_ok(&v)) {
		verdict_add(&v, " in transaction %s", hash256_fmt(hex, txid));
		return v;
	}
	/* The fee is in range: values are, and so is their difference. */
	b->fees += s->value - out;
	if (!amount_ok(b->fees))
		return broken("bad-txns-accumulated-fee-outofrange",
			      "accumulated fee in the block out of range");
	if (!seq_lock_ok(&s->lock, b->height, b->mtp_prev))
		return verdict_invalidf(
		    INV_CONSENSUS, "bad-txns-nonfinal",
		    "contains a non-BIP68-final transaction %s",
		    hash256_fmt(hex, txid));
	b->sigops += s->sigops;
	return verdict_valid();
}

struct verdict block_spend_tx(struct block_spend *b, const struct tx_view *tx,
			      const struct hash256 *txid,
			      const struct tx_spend *s)
{
	struct verdict v = s ? judge_inputs(b, tx, txid, s) : verdict_valid();

	if (!verdict_ok(&v))
		return v;
	b->sigops += tx_legacy_sigops(tx) * WITNESS_SCALE;
	if (b->sigops > MAX_BLOCK_SIGOPS_COST)
		return broken("bad-blk-sigops", "too many sigops");
	return v;
}

struct verdict block_spend_end(const struct block_spend *b,
			       const struct tx_view *coinbase)
{
	int64_t limit = b->fees + block_subsidy(b->height, b->p);
	int64_t out = tx_value_out(coinbase);

	if (out > limit)
		return verdict_invalidf(
		    INV_CONSENSUS, "bad-cb-amount",
		    "coinbase pays too much (actual=%" PRId64
		    " vs limit=%" PRId64 ")",
		    out, limit);
	return verdict_valid();
}
