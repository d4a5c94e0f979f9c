/*
 * Rules that need the coins which transactions spend: amounts and fees,
 * maturity, relative locks, the cost of sigops, what the coinbase takes.
 * Whoever has the coins hands them in: the chain, or a file beside a block, and
 * sees to it that each is spent once. Scripts are judged in cairn/script. Pure.
 *
 *	block_spend_init(&b, params, height, mtp_prev);
 *	for each transaction but the coinbase, which has no coins:
 *		tx_spend_init(&s);
 *		tx_spend_coin(&s, &b, tx, ...) for each input
 *		block_spend_tx(&b, tx, txid, &s)
 *	block_spend_end(&b, coinbase)
 */
#ifndef CAIRN_CONSENSUS_SPEND_H
#define CAIRN_CONSENSUS_SPEND_H

#include <cairn/consensus/check.h>
#include <cairn/consensus/coin.h>

/* A block whose transactions are gone through in order. */
struct block_spend {
	const struct params *p;
	int32_t height;
	int64_t mtp_prev; /* median time past of the parent */
	bool bip68;       /* relative locks count */
	int64_t fees;     /* satoshi so far */
	uint32_t sigops;  /* cost so far */
};
/* Borrows p. */
void block_spend_init(struct block_spend *b, const struct params *p,
		      int32_t height, int64_t mtp_prev);

/* What the coins of one transaction come to. */
struct tx_spend {
	int64_t value;   /* satoshi, while nothing is broken */
	uint32_t sigops; /* cost, over the legacy ones */
	struct seq_lock lock;
	const char *bad; /* the first rule that a coin breaks, or NULL */
	int32_t depth;   /* of a coin that is not mature; -1: all are */
};
void tx_spend_init(struct tx_spend *s);

/* Take the coin that in, an input of tx, spends. stack is the input's witness
 * and is used up. coin_mtp, the median time past of the block in front of the
 * one that made the coin, is looked at only where seq_is_time says so. */
void tx_spend_coin(struct tx_spend *s, const struct block_spend *b,
		   const struct tx_view *tx, const struct txin_view *in,
		   struct tx_iter *stack, const struct coin *coin,
		   int64_t coin_mtp);

/* Judge the coins of a transaction whose outputs are worth out, in Bitcoin
 * Core's order: bad-txns-premature-spend-of-coinbase (s->depth is not -1 then),
 * bad-txns-inputvalues-outofrange, bad-txns-in-belowout. */
struct verdict tx_spend_judge(const struct tx_spend *s, int64_t out);

/* Judge a transaction with all its coins, s, which is NULL for the coinbase,
 * and add it to the block. In Bitcoin Core's order and with its reasons:
 * bad-txns-premature-spend-of-coinbase, bad-txns-inputvalues-outofrange,
 * bad-txns-in-belowout, bad-txns-accumulated-fee-outofrange,
 * bad-txns-nonfinal (BIP 68), bad-blk-sigops. The texts name txid. */
struct verdict block_spend_tx(struct block_spend *b, const struct tx_view *tx,
			      const struct hash256 *txid,
			      const struct tx_spend *s);
/* The verdict where a coin of the transaction is missing or spent. */
struct verdict tx_spend_missing(const struct hash256 *txid);

/* Whether the coinbase takes no more than subsidy and fees (bad-cb-amount). */
struct verdict block_spend_end(const struct block_spend *b,
			       const struct tx_view *coinbase);

/* Value of all outputs, satoshi; tx_check has found nothing wrong with them. */
int64_t tx_value_out(const struct tx_view *tx);

/* Cost of the sigops that an input adds over its legacy ones: of a P2SH redeem
 * script and of a witness program. stack is the input's witness and is used up.
 */
uint32_t input_sigops_cost(struct slice script_sig, struct slice coin_script,
			   struct tx_iter *stack);

/* Sigops outside of witnesses that an input may execute, as BIP 54 counts them:
 * those of script_sig, and those of the coin's script or, where that is P2SH,
 * of the script that script_sig pushes last. */
uint32_t input_legacy_sigops(struct slice script_sig, struct slice coin_script);

#endif
