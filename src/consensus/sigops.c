/*
 * The sigops that can be counted only with the coin at hand: of P2SH redeem
 * scripts and of witness programs, in the unit of cost. Any thread. Legacy
 * sigops are counted in check.c. P2SH and witness rules count for every block:
 * the two old blocks that Bitcoin Core exempts from them are far below the
 * limit.
 */
#include <cairn/consensus/spend.h>

#include <cairn/script/template.h>

#define KEYHASH    20u
#define SCRIPTHASH 32u

/* What a script that only pushes pushes last; false when it does more. */
static bool last_push(struct slice *data, struct slice script)
{
	struct script_iter it;
	struct slice d;
	uint8_t op;

	*data = slice_of(NULL, 0);
	script_iter_init(&it, script);
	while (script_next(&it, &op, &d)) {
		if (op > OP_16)
			return false;
		*data = d;
	}
	return !it.bad;
}

static uint32_t witness_sigops(uint8_t version, struct slice program,
			       struct tx_iter *stack)
{
	struct slice item, last = {NULL, 0};
	bool any = false;

	if (version != 0)
		return 0;
	if (program.n == KEYHASH)
		return 1;
	if (program.n != SCRIPTHASH)
		return 0;
	while (witem_next(stack, &item)) {
		last = item;
		any = true;
	}
	return any ? script_sigops(last, true) : 0;
}

uint32_t input_sigops_cost(struct slice script_sig, struct slice coin_script,
			   struct tx_iter *stack)
{
	struct slice redeem, program;
	uint8_t version;
	uint32_t cost;

	if (script_is_witness(coin_script, &version, &program))
		return witness_sigops(version, program, stack);
	if (!script_is_p2sh(coin_script) || !last_push(&redeem, script_sig))
		return 0;
	cost = script_sigops(redeem, true) * WITNESS_SCALE;
	if (script_is_witness(redeem, &version, &program))
		cost += witness_sigops(version, program, stack);
	return cost;
}

uint32_t input_legacy_sigops(struct slice script_sig, struct slice coin_script)
{
	uint32_t n = script_sigops(script_sig, true);
	struct slice redeem;

	if (!script_is_p2sh(coin_script))
		return n + script_sigops(coin_script, true);
	/* An input that does more than push executes nothing in P2SH: it is not
	 * valid. */
	if (!last_push(&redeem, script_sig))
		return n;
	return n + script_sigops(redeem, true);
}
