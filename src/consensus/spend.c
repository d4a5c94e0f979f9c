/*
 * Rules that need the coins which transactions spend, in Bitcoin Core's order
 * and with its reasons. Any thread; keeps nothing. Does not find coins, and
 * judges neither scripts nor what a transaction is by itself (check.c).
 */
#include <cairn/consensus/spend.h>

#include <cairn/consensus/deploy.h>

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
	*s = (struct tx_spend){.lock = seq_lock_none(), .bad = verdict_valid()};
}

static struct verdict judge_coin(struct tx_spend *s,
				 const struct block_spend *b,
				 const struct coin *coin)
{
	if (coin->coinbase && b->height - coin->height < COINBASE_MATURITY)
		return broken("bad-txns-premature-spend-of-coinbase",
			      "tried to spend an immature coinbase");
	/* Both are in range, so the sum cannot overflow. */
	if (!amount_ok(coin->value) || !amount_ok(s->value + coin->value))
		return broken("bad-txns-inputvalues-outofrange", NULL);
	s->value += coin->value;
	return verdict_valid();
}

void tx_spend_coin(struct tx_spend *s, const struct block_spend *b,
		   const struct tx_view *tx, const struct txin_view *in,
		   struct tx_iter *stack, const struct coin *coin,
		   int64_t coin_mtp)
{
	if (verdict_ok(&s->bad))
		s->bad = judge_coin(s, b, coin);
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

static struct verdict judge_inputs(struct block_spend *b,
				   const struct tx_view *tx,
				   const struct tx_spend *s)
{
	int64_t fee;

	if (!verdict_ok(&s->bad))
		return s->bad;
	fee = s->value - tx_value_out(tx);
	if (fee < 0)
		return broken("bad-txns-in-belowout", "value in < value out");
	if (!amount_ok(fee))
		return broken("bad-txns-fee-outofrange", NULL);
	b->fees += fee;
	if (!amount_ok(b->fees))
		return broken("bad-txns-accumulated-fee-outofrange",
			      "accumulated fee in the block out of range");
	if (!seq_lock_ok(&s->lock, b->height, b->mtp_prev))
		return broken("bad-txns-nonfinal",
			      "contains a non-BIP68-final transaction");
	b->sigops += s->sigops;
	return verdict_valid();
}

struct verdict block_spend_tx(struct block_spend *b, const struct tx_view *tx,
			      const struct tx_spend *s)
{
	struct verdict v = s ? judge_inputs(b, tx, s) : verdict_valid();

	if (!verdict_ok(&v))
		return v;
	b->sigops += tx_legacy_sigops(tx) * WITNESS_SCALE;
	if (b->sigops > MAX_BLOCK_SIGOPS_COST)
		return broken("bad-blk-sigops", "too many sigops");
	return verdict_valid();
}

struct verdict block_spend_end(const struct block_spend *b,
			       const struct tx_view *coinbase)
{
	if (tx_value_out(coinbase) > b->fees + block_subsidy(b->height, b->p))
		return broken("bad-cb-amount", "coinbase pays too much");
	return verdict_valid();
}
