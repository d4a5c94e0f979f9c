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
/* The same of the form without a witness, in which no inputs at all are not BIP
 * 144's marker: transactions that are still being put together have none. */
bool tx_view_parse_base(struct tx_view *v, struct rd *r);

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

/*
 * Iterators over what tx_view_parse has validated: they check nothing, and are
 * here so that a walk compiles into its caller.
 *	txins(&it, v);
 *	while (txin_next(&it, &in))
 */
struct tx_iter {
	const uint8_t *p;
	uint32_t left;
};

/* A CompactSize that was validated: never the 9-byte form, as that is above
 * MAX_SIZE or not minimal. */
static inline uint32_t tx_iter_compact(struct tx_iter *it)
{
	const uint8_t *q = it->p;

	if (__builtin_expect(*q < 0xfd, 1)) {
		it->p = q + 1;
		return *q;
	}
	if (*q == 0xfd) {
		it->p = q + 3;
		return le16_get(q + 1);
	}
	it->p = q + 5;
	return le32_get(q + 1);
}

static inline struct slice tx_iter_bytes(struct tx_iter *it)
{
	uint32_t n = tx_iter_compact(it);
	struct slice s = slice_of(it->p, n);

	it->p += n;
	return s;
}

static inline void txins(struct tx_iter *it, const struct tx_view *v)
{
	it->p = v->p + v->in_off;
	it->left = v->n_in;
}

static inline bool txin_next(struct tx_iter *it, struct txin_view *in)
{
	if (it->left == 0)
		return false;
	it->left--;
	in->prevout = it->p;
	it->p += OUTPOINT_SIZE;
	in->script = tx_iter_bytes(it);
	in->sequence = le32_get(it->p);
	it->p += 4;
	return true;
}

/* Whether v spends an output of the transaction with this id. */
static inline bool tx_spends_from(const struct tx_view *v,
				  const struct hash256 *txid)
{
	struct txin_view in;
	struct tx_iter it;

	txins(&it, v);
	while (txin_next(&it, &in))
		if (hash256_eq(outpoint_txid(in.prevout), txid))
			return true;
	return false;
}

static inline void txouts(struct tx_iter *it, const struct tx_view *v)
{
	it->p = v->p + v->out_off;
	it->left = v->n_out;
}

static inline bool txout_next(struct tx_iter *it, struct txout_view *out)
{
	if (it->left == 0)
		return false;
	it->left--;
	out->value = (int64_t)le64_get(it->p);
	it->p += 8;
	out->script = tx_iter_bytes(it);
	return true;
}

/* Witness stacks, one per input in order; for a transaction without a witness
 * every stack is empty. A stack is iterated by witem_next. */
static inline void txwits(struct tx_iter *it, const struct tx_view *v)
{
	it->p = v->wit_off ? v->p + v->wit_off : NULL;
	it->left = v->n_in;
}

static inline bool txwit_next(struct tx_iter *it, struct tx_iter *stack)
{
	if (it->left == 0)
		return false;
	it->left--;
	stack->left = it->p ? tx_iter_compact(it) : 0;
	stack->p = it->p;
	for (uint32_t i = 0; i < stack->left; i++)
		tx_iter_bytes(it);
	return true;
}

static inline bool witem_next(struct tx_iter *stack, struct slice *item)
{
	if (stack->left == 0)
		return false;
	stack->left--;
	*item = tx_iter_bytes(stack);
	return true;
}

/* What count says of each input's and output's script, added up: the legacy
 * sigops when count counts those. Compiled into its caller, so that count is no
 * call through a pointer there. */
static inline uint32_t tx_script_sum(const struct tx_view *v,
				     uint32_t (*count)(struct slice script))
{
	struct txout_view out;
	struct txin_view in;
	struct tx_iter it;
	uint32_t sum = 0;

	txins(&it, v);
	while (txin_next(&it, &in))
		sum += count(in.script);
	txouts(&it, v);
	while (txout_next(&it, &out))
		sum += count(out.script);
	return sum;
}

/* Double SHA-256 without and with the witness. A segwit txid is hashed from
 * three slices, never from a copy. */
void tx_txid(struct hash256 *out, const struct tx_view *v);
void tx_wtxid(struct hash256 *out, const struct tx_view *v);
/* The slices that make the txid (1 or 3); returns how many. */
size_t tx_base_parts(struct slice parts[3], const struct tx_view *v);
/* Write the transaction without its witness (base_size bytes). */
uint8_t *tx_put_base(uint8_t *p, const struct tx_view *v);

#endif
