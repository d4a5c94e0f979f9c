/*
 * The parts of a transaction one at a time: read from a cursor with all checks,
 * written from values; and whole transactions written from values. Reading a
 * whole transaction is tx.h's matter, which does it in one pass.
 */
#ifndef CAIRN_WIRE_TXPARTS_H
#define CAIRN_WIRE_TXPARTS_H

#include <cairn/wire/tx.h>

/* Read one input or output and move behind it. The cursor fails where it is
 * malformed; the view is then all zero, its slices empty. */
static inline void txin_get(struct txin_view *in, struct rd *r)
{
	in->prevout = rd_take(r, OUTPOINT_SIZE);
	in->script = rd_varbytes(r);
	in->sequence = rd_u32(r);
	if (__builtin_expect(!rd_ok(r), 0))
		*in = (struct txin_view){0};
}

static inline void txout_get(struct txout_view *out, struct rd *r)
{
	out->value = (int64_t)rd_u64(r);
	out->script = rd_varbytes(r);
	if (__builtin_expect(!rd_ok(r), 0))
		*out = (struct txout_view){0};
}

static inline size_t txin_size(const struct txin_view *in)
{
	return OUTPOINT_SIZE + compact_size(in->script.n) + in->script.n + 4;
}

static inline size_t txout_size(const struct txout_view *out)
{
	return 8 + compact_size(out->script.n) + out->script.n;
}

/* A length and the bytes. */
static inline uint8_t *varbytes_put(uint8_t *p, struct slice s)
{
	p = compact_put(p, s.n);
	return bytes_put(p, s.p, s.n);
}

static inline uint8_t *txin_put(uint8_t *p, const struct txin_view *in)
{
	p = bytes_put(p, in->prevout, OUTPOINT_SIZE);
	p = varbytes_put(p, in->script);
	return le32_put(p, in->sequence);
}

static inline uint8_t *txout_put(uint8_t *p, const struct txout_view *out)
{
	p = le64_put(p, (uint64_t)out->value);
	return varbytes_put(p, out->script);
}

/* A transaction by value; everything is borrowed. */
struct tx_msg {
	int32_t version;
	uint32_t n_in, n_out;
	const struct txin_view *in;   /* n_in */
	const struct txout_view *out; /* n_out */
	/* Items on each input's stack (n_in counts), and all of them one behind
	 * the other. NULL: no witness; otherwise there is one item at least. */
	const uint32_t *n_items;
	const struct slice *items;
	uint32_t lock_time;
};

/* Exact size of tx_put's bytes. A transaction with outputs but no inputs cannot
 * be told from one with a witness and must not be given to either. */
size_t tx_size(const struct tx_msg *m);
/* Write a transaction (BIP 144's form where it has a witness); returns the byte
 * after. */
uint8_t *tx_put(uint8_t *p, const struct tx_msg *m);

#endif
