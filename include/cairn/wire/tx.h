/*
 * Transactions as views (BIP 144). One validating pass notes where the parts
 * are; iterators then run without further checks. Borrows everything.
 */
#ifndef CAIRN_WIRE_TX_H
#define CAIRN_WIRE_TX_H

#include <cairn/base/rd.h>

#define OUTPOINT_SIZE 36u
/* Offsets and weights are 32 bits wide: no cursor over more bytes is parsed. */
#define TX_SPAN_MAX 0x40000000u

struct txin_view {
	const uint8_t *prevout; /* 36 bytes: txid, le32 index */
	struct slice script;
	uint32_t sequence;
};

struct txout_view {
	int64_t value; /* satoshi as sent, not judged */
	struct slice script;
};

struct tx_view {
	const uint8_t *p;   /* first byte */
	uint32_t size;      /* all bytes, witness included */
	uint32_t base_size; /* without marker, flag and witness */
	uint32_t n_in, n_out;
	uint32_t in_off;  /* offset of the first input, past the count */
	uint32_t out_off; /* offset of the first output, past the count */
	uint32_t wit_off; /* offset of the witness; 0 without */
	uint32_t lock_time;
	int32_t version;
};

/* Parse one transaction at the cursor and move behind it. False (and the cursor
 * failed) when malformed: Core's rules, among them flag 1 with every witness
 * empty ("superfluous witness") and unknown flags; also when more than
 * TX_SPAN_MAX bytes are left. v is untouched on failure. */
bool tx_view_parse(struct tx_view *v, struct rd *r);

static inline bool tx_has_witness(const struct tx_view *v)
{
	return v->wit_off != 0;
}

static inline uint32_t tx_weight(const struct tx_view *v)
{
	return v->base_size * 3 + v->size;
}

static inline const struct hash256 *outpoint_txid(const uint8_t *op)
{
	return hash256_at(op);
}

static inline uint32_t outpoint_index(const uint8_t *op)
{
	return le32_get(op + 32);
}

bool tx_is_coinbase(const struct tx_view *v);

/* Iterate: struct txin_iter it; txins(&it, v); while (txin_next(&it, &in)) */
struct tx_iter {
	const uint8_t *p;
	uint32_t left;
};

void txins(struct tx_iter *it, const struct tx_view *v);
bool txin_next(struct tx_iter *it, struct txin_view *in);
void txouts(struct tx_iter *it, const struct tx_view *v);
bool txout_next(struct tx_iter *it, struct txout_view *out);
/* Witness stacks, one per input in order; for a transaction without a witness
 * every stack is empty. A stack is iterated by witem_next. */
void txwits(struct tx_iter *it, const struct tx_view *v);
bool txwit_next(struct tx_iter *it, struct tx_iter *stack);
bool witem_next(struct tx_iter *stack, struct slice *item);

/* Double SHA-256 without and with the witness. A segwit txid is hashed from
 * three slices, never from a copy. */
void tx_txid(struct hash256 *out, const struct tx_view *v);
void tx_wtxid(struct hash256 *out, const struct tx_view *v);
/* The slices that make the txid (1 or 3); returns how many. */
size_t tx_base_parts(struct slice parts[3], const struct tx_view *v);
/* Write the transaction without its witness (base_size bytes). */
uint8_t *tx_put_base(uint8_t *p, const struct tx_view *v);

#endif
