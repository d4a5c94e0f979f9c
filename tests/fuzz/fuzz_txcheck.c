/*
 * Rules of a transaction, beside a plain reading of each: 2 bytes of a length,
 * a script and 13 bytes that make a coin, the same for all inputs, then the
 * transaction. The reason must be the same, and so must the counts of sigops.
 */
#include "fuzz.h"

#include <cairn/consensus/spend.h>
#include <cairn/params/params.h>

#define HEIGHT 1000000
#define MTP    1500000000

static const char *outputs_model(const struct tx_view *tx)
{
	struct txout_view out;
	struct tx_iter it;
	int64_t sum = 0;

	txouts(&it, tx);
	while (txout_next(&it, &out)) {
		if (out.value < 0)
			return "bad-txns-vout-negative";
		if (out.value > MAX_MONEY)
			return "bad-txns-vout-toolarge";
		sum += out.value;
		if (sum > MAX_MONEY)
			return "bad-txns-txouttotal-toolarge";
	}
	return NULL;
}

static bool repeats(const struct tx_view *tx)
{
	struct txin_view a, b;
	struct tx_iter i, k;

	txins(&i, tx);
	while (txin_next(&i, &a)) {
		k = i;
		while (txin_next(&k, &b))
			if (memcmp(a.prevout, b.prevout, OUTPOINT_SIZE) == 0)
				return true;
	}
	return false;
}

static bool is_null(const uint8_t *prevout)
{
	for (int i = 0; i < 32; i++)
		if (prevout[i])
			return false;
	return outpoint_index(prevout) == UINT32_MAX;
}

static const char *inputs_model(const struct tx_view *tx)
{
	struct txin_view in;
	struct tx_iter it;

	if (repeats(tx))
		return "bad-txns-inputs-duplicate";
	txins(&it, tx);
	while (txin_next(&it, &in)) {
		if (!is_null(in.prevout))
			continue;
		if (tx->n_in > 1)
			return "bad-txns-prevout-null";
		if (in.script.n < 2 || in.script.n > 100)
			return "bad-cb-length";
	}
	return NULL;
}

static const char *check_model(const struct tx_view *tx)
{
	const char *why;

	if (tx->n_in == 0)
		return "bad-txns-vin-empty";
	if (tx->n_out == 0)
		return "bad-txns-vout-empty";
	if (tx->base_size > 1000000)
		return "bad-txns-oversize";
	why = outputs_model(tx);
	return why ? why : inputs_model(tx);
}

/* Whether an operation was read at *at, which moves behind it and its push. */
static bool op_model(struct slice s, size_t *at, uint8_t *op, size_t *pushed)
{
	size_t width, n;

	if (*at >= s.n)
		return false;
	*op = s.p[(*at)++];
	*pushed = 0;
	if (*op > 78)
		return true;
	n = *op;
	width = *op < 76 ? 0 : (size_t)1 << (*op - 76);
	if (width > s.n - *at)
		return false;
	for (size_t i = 0; width && i < width; i++)
		n = (i ? n : 0) | (size_t)s.p[*at + i] << 8 * i;
	*at += width;
	if (n > s.n - *at)
		return false;
	*at += n;
	*pushed = n;
	return true;
}

static uint32_t sigops_model(struct slice s, bool accurate)
{
	uint8_t op = 0xff, before = 0xff;
	uint32_t sum = 0;
	size_t at = 0, n;

	for (; op_model(s, &at, &op, &n); before = op) {
		if (op == 172 || op == 173)
			sum++;
		if (op == 174 || op == 175)
			sum += accurate && before >= 81 && before <= 96
				   ? before - 80u
				   : 20u;
	}
	return sum;
}

static uint32_t witness_model(struct slice program, struct tx_iter stack)
{
	struct slice last = {NULL, 0};
	bool any = false;

	if (program.n == 22 && program.p[0] == 0 && program.p[1] == 20)
		return 1;
	if (program.n != 34 || program.p[0] != 0 || program.p[1] != 32)
		return 0;
	while (witem_next(&stack, &last))
		any = true;
	return any ? sigops_model(last, true) : 0;
}

static uint32_t cost_model(struct slice sig, struct slice coin,
			   struct tx_iter stack)
{
	struct slice last = {NULL, 0};
	size_t at = 0, n;
	uint8_t op;

	if (coin.n != 23 || coin.p[0] != 169 || coin.p[1] != 20 ||
	    coin.p[22] != 135)
		return witness_model(coin, stack);
	while (at < sig.n) {
		if (!op_model(sig, &at, &op, &n) || op > 96)
			return 0;
		last = slice_of(sig.p + at - n, n);
	}
	return 4 * sigops_model(last, true) + witness_model(last, stack);
}

/* All inputs' coins and the outputs, in the order in which they are judged. */
static const char *spend_model(const struct tx_view *tx,
			       const struct coin *coin, int64_t *fee)
{
	bool early = coin->coinbase && HEIGHT - coin->height < 100;
	int64_t in = 0;

	for (uint32_t i = 0; i < tx->n_in; i++) {
		if (early)
			return "bad-txns-premature-spend-of-coinbase";
		if (coin->value < 0 || coin->value > MAX_MONEY ||
		    coin->value > MAX_MONEY - in)
			return "bad-txns-inputvalues-outofrange";
		in += coin->value;
	}
	*fee = in - tx_value_out(tx);
	return *fee < 0 ? "bad-txns-in-belowout" : NULL;
}

static bool locked(const struct tx_view *tx, const struct coin *coin)
{
	struct txin_view in;
	struct tx_iter it;

	txins(&it, tx);
	while (txin_next(&it, &in)) {
		int64_t n = in.sequence & 0xffff;

		if (tx->version == 0 || tx->version == 1 || in.sequence >> 31)
			continue;
		if (in.sequence & 1u << 22 ? MTP < coin->height + 512 * n
					   : HEIGHT < coin->height + n)
			return true;
	}
	return false;
}

static void same(const struct verdict *v, const char *why)
{
	fuzz_check(v->kind == (why ? V_INVALID : V_VALID));
	fuzz_check(!why || strcmp(v->reject, why) == 0);
}

/* The block's sum, and the sum by the model. */
static uint32_t take_coins(struct tx_spend *s, const struct block_spend *b,
			   const struct tx_view *tx, const struct coin *coin)
{
	struct tx_iter ins, wits, stack;
	struct txin_view in;
	uint32_t cost = 0;

	tx_spend_init(s);
	txins(&ins, tx);
	txwits(&wits, tx);
	while (txin_next(&ins, &in)) {
		txwit_next(&wits, &stack);
		cost += cost_model(in.script, coin->script, stack);
		/* Times of coins are made of their heights here. */
		tx_spend_coin(s, b, tx, &in, &stack, coin, coin->height);
	}
	return cost;
}

static void spend(const struct tx_view *tx, const struct coin *coin,
		  uint32_t legacy)
{
	static const struct hash256 txid;
	struct block_spend b;
	struct tx_spend s;
	struct verdict v;
	const char *why;
	int64_t fee = 0;
	uint32_t cost;

	block_spend_init(&b, params_get(CHAIN_MAIN), HEIGHT, MTP);
	cost = take_coins(&s, &b, tx, coin) + 4 * legacy;
	v = block_spend_tx(&b, tx, &txid, &s);
	why = spend_model(tx, coin, &fee);
	if (!why && locked(tx, coin))
		why = "bad-txns-nonfinal";
	if (!why && cost > 80000)
		why = "bad-blk-sigops";
	same(&v, why);
	fuzz_check(why || (b.fees == fee && b.sigops == cost));
}

static uint32_t legacy_model(const struct tx_view *tx)
{
	struct txout_view out;
	struct txin_view in;
	struct tx_iter it;
	uint32_t sum = 0;

	txins(&it, tx);
	while (txin_next(&it, &in))
		sum += sigops_model(in.script, false);
	txouts(&it, tx);
	while (txout_next(&it, &out))
		sum += sigops_model(out.script, false);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tx_view tx;
	struct verdict v;
	struct coin coin;
	uint32_t legacy;
	uint8_t bits;
	struct rd r;

	rd_init(&r, slice_of(data, size));
	coin.script = rd_bytes(&r, rd_u16(&r));
	coin.value = (int64_t)rd_u64(&r);
	coin.height = (int32_t)(rd_u32(&r) % (HEIGHT + 1));
	bits = rd_u8(&r);
	coin.coinbase = bits & 1;
	if (!tx_view_parse(&tx, &r) || tx.n_in > 2000)
		return 0;
	v = tx_check(&tx);
	same(&v, check_model(&tx));
	legacy = legacy_model(&tx);
	fuzz_check(tx_legacy_sigops(&tx) == legacy);
	fuzz_check(!tx_is_final(&tx, HEIGHT, MTP) ||
		   tx_is_final(&tx, HEIGHT + 1, MTP + 1));
	if (verdict_ok(&v))
		spend(&tx, &coin, legacy);
	return 0;
}
