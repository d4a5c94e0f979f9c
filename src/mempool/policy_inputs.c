/*
 * Whether a transaction spends in standard ways: what its inputs may spend, and
 * how large their witnesses are. Runs only what stands in script_sig, to find
 * redeem scripts; verifies nothing. Any thread; no state.
 */
#include <cairn/mempool/policy.h>

#include <cairn/consensus/spend.h>
#include <cairn/script/interp.h>
#include <cairn/script/template.h>

#define LEGACY_SIGOPS_MAX  2500u /* of a transaction, BIP 54 */
#define P2SH_SIGOPS_MAX    15u
#define WSH_SCRIPT_MAX     3600u
#define WSH_ITEMS_MAX      100u /* in front of the script */
#define WITNESS_ITEM_MAX   80u
#define PROGRAM_SIZE       32u  /* of P2WSH and of taproot */
#define TAP_ANNEX          0x50 /* BIP 341 */
#define TAP_LEAF_MASK      0xfe
#define TAP_LEAF_TAPSCRIPT 0xc0 /* BIP 342 */

#define BAD_INPUTS "bad-txns-nonstandard-inputs"

static bool legacy_sigops_ok(const struct tx_view *tx,
			     const struct txout_view *spent)
{
	struct txin_view in;
	struct tx_iter it;
	uint32_t n = 0;

	txins(&it, tx);
	for (; txin_next(&it, &in); spent++) {
		n += input_legacy_sigops(in.script, spent->script);
		if (n > LEGACY_SIGOPS_MAX)
			return false;
	}
	return true;
}

static struct verdict judge_p2sh(struct slice script_sig, uint32_t i)
{
	uint8_t room[SCRIPT_ELEMENT_MAX];
	struct slice redeem;
	enum script_err e = script_run_sig(&redeem, room, script_sig);
	uint32_t sigops;

	if (e != SCRIPT_ERR_OK)
		return verdict_invalidf(INV_CONSENSUS, BAD_INPUTS,
					"p2sh scriptsig malformed (input %u: "
					"%s)",
					i, script_err_text(e));
	if (!redeem.p)
		return verdict_invalidf(INV_CONSENSUS, BAD_INPUTS,
					"input %u P2SH redeemscript missing",
					i);
	sigops = script_sigops(redeem, true);
	if (sigops > P2SH_SIGOPS_MAX)
		return verdict_invalidf(
		    INV_CONSENSUS, BAD_INPUTS,
		    "p2sh redeemscript sigops exceed limit (input %u: %u > %u)",
		    i, sigops, P2SH_SIGOPS_MAX);
	return verdict_valid();
}

static struct verdict judge_input(const struct txin_view *in,
				  const struct txout_view *spent, uint32_t i)
{
	struct script_info info;

	script_classify(&info, spent->script);
	if (info.type == SCRIPT_NONSTANDARD)
		return verdict_invalidf(INV_CONSENSUS, BAD_INPUTS,
					"input %u script unknown", i);
	if (info.type == SCRIPT_WITNESS_UNKNOWN)
		return verdict_invalidf(INV_CONSENSUS, BAD_INPUTS,
					"input %u witness program is undefined",
					i);
	if (info.type == SCRIPT_SCRIPTHASH)
		return judge_p2sh(in->script, i);
	return verdict_valid();
}

struct verdict policy_inputs(const struct tx_view *tx,
			     const struct txout_view *spent)
{
	struct verdict v = verdict_valid();
	struct txin_view in;
	struct tx_iter it;

	if (tx_is_coinbase(tx))
		return v;
	if (!legacy_sigops_ok(tx, spent))
		return verdict_invalid(INV_CONSENSUS, BAD_INPUTS,
				       "non-witness sigops exceed bip54 limit");
	txins(&it, tx);
	for (uint32_t i = 0; verdict_ok(&v) && txin_next(&it, &in); i++)
		v = judge_input(&in, &spent[i], i);
	return v;
}

/* The n items at the front. */
static bool items_ok(struct tx_iter stack, uint32_t n)
{
	struct slice item;

	for (uint32_t i = 0; i < n && witem_next(&stack, &item); i++)
		if (item.n > WITNESS_ITEM_MAX)
			return false;
	return true;
}

/* The last item of a stack that is not empty. */
static struct slice last_item(struct tx_iter stack)
{
	struct slice item = {NULL, 0};

	while (witem_next(&stack, &item))
		;
	return item;
}

static bool judge_wsh(struct tx_iter stack)
{
	return last_item(stack).n <= WSH_SCRIPT_MAX &&
	       stack.left - 1 <= WSH_ITEMS_MAX &&
	       items_ok(stack, stack.left - 1);
}

/* No annex means anything yet. One item is the signature of a key, more are
 * spent by a script that stands in front of its control block. */
static bool judge_taproot(struct tx_iter stack)
{
	struct slice last = last_item(stack);

	if (stack.left < 2)
		return true;
	if (last.n == 0 || last.p[0] == TAP_ANNEX)
		return false;
	return (last.p[0] & TAP_LEAF_MASK) != TAP_LEAF_TAPSCRIPT ||
	       items_ok(stack, stack.left - 2);
}

/* stack is not empty. */
static bool judge_program(struct slice script, struct tx_iter stack,
			  bool in_p2sh)
{
	struct slice program;
	uint8_t version;

	if (!script_is_witness(script, &version, &program))
		return false;
	if (program.n != PROGRAM_SIZE)
		return true;
	if (version == 0)
		return judge_wsh(stack);
	return version != 1 || in_p2sh || judge_taproot(stack);
}

static bool judge_witness(const struct txin_view *in, struct slice coin_script,
			  struct tx_iter stack)
{
	uint8_t room[SCRIPT_ELEMENT_MAX];
	struct script_info info;
	struct slice redeem;

	script_classify(&info, coin_script);
	if (info.type == SCRIPT_ANCHOR)
		return false;
	if (info.type != SCRIPT_SCRIPTHASH)
		return judge_program(coin_script, stack, false);
	/* What fails leaves nothing, which is no program. */
	(void)script_run_sig(&redeem, room, in->script);
	return judge_program(redeem, stack, true);
}

bool policy_witness(const struct tx_view *tx, const struct txout_view *spent)
{
	struct tx_iter it, wits, stack;
	struct txin_view in;

	if (!tx_has_witness(tx) || tx_is_coinbase(tx))
		return true;
	txins(&it, tx);
	txwits(&wits, tx);
	for (; txin_next(&it, &in) && txwit_next(&wits, &stack); spent++)
		if (stack.left && !judge_witness(&in, spent->script, stack))
			return false;
	return true;
}

static bool spends_witness(const struct txin_view *in, struct slice coin_script)
{
	uint8_t room[SCRIPT_ELEMENT_MAX], version;
	struct slice script = coin_script, program;
	struct script_info info;

	script_classify(&info, coin_script);
	if (info.type == SCRIPT_SCRIPTHASH)
		(void)script_run_sig(&script, room, in->script);
	return info.type != SCRIPT_ANCHOR &&
	       script_is_witness(script, &version, &program);
}

bool spends_witness_program(const struct tx_view *tx,
			    const struct txout_view *spent)
{
	struct txin_view in;
	struct tx_iter it;

	if (tx_is_coinbase(tx))
		return false;
	txins(&it, tx);
	for (; txin_next(&it, &in); spent++)
		if (spends_witness(&in, spent->script))
			return true;
	return false;
}
