/*
 * The hash that signatures cover before segregated witness: the transaction
 * with the scripts of other inputs blank. Every input is hashed anew for each,
 * so the work grows with the square of their number; what lies in front of an
 * input is the same for all that follow, and is kept as the walk goes on, which
 * halves it. Any thread.
 */
#include "internal.h"

#define BLANK_SIZE (OUTPOINT_SIZE + 1 + 4)
#define CHUNK      48u /* inputs or outputs that are hashed at a time */

/* Hash up to n inputs with blank scripts; without their sequence where the
 * others may change it. */
static void hash_blank(struct sha256 *h, struct tx_iter *it, uint32_t n,
		       bool sequence)
{
	uint8_t buf[CHUNK * BLANK_SIZE], *p = buf;
	struct txin_view in;

	while (n-- > 0 && txin_next(it, &in)) {
		p = bytes_put(p, in.prevout, OUTPOINT_SIZE);
		*p++ = 0;
		p = le32_put(p, sequence ? in.sequence : 0);
		if (p == buf + sizeof buf) {
			sha256_put(h, buf, sizeof buf);
			p = buf;
		}
	}
	sha256_put(h, buf, (size_t)(p - buf));
}

static void hash_head(struct sha256 *h, const struct tx_view *tx,
		      uint32_t inputs)
{
	uint8_t b[4];

	sha256_init(h);
	le32_put(b, (uint32_t)tx->version);
	sha256_put(h, b, sizeof b);
	sha256_compact(h, inputs);
}

/* The state in front of this input. It is kept for those that follow. */
static void hash_front(struct sha256 *h, struct script_input *in, bool sequence)
{
	struct sighash_front *f = &in->front[sequence];

	if (f->n == 0) {
		hash_head(&f->state, in->tx->tx, in->tx->tx->n_in);
		txins(&f->ins, in->tx->tx);
	}
	hash_blank(&f->state, &f->ins, in->index - f->n, sequence);
	f->n = in->index;
	*h = f->state;
}

/* A script with its OP_CODESEPARATORs left out. Behind a push that is cut off
 * nothing is hashed although the length counts it: such a script fails, but
 * what its signatures cover decides how. */
static void hash_code(struct sha256 *h, struct slice code)
{
	const uint8_t *end = code.p + code.n, *from = code.p, *pc = code.p;
	struct slice data;
	size_t separators = 0;
	uint8_t op;

	if (!code.n || !memchr(code.p, OP_CODESEPARATOR, code.n)) {
		while (pc < end && script_read(&pc, end, &op, &data))
			;
		sha256_compact(h, code.n);
		sha256_put(h, from, (size_t)(pc - from));
		return;
	}
	while (pc < end && script_read(&pc, end, &op, &data))
		separators += op == OP_CODESEPARATOR;
	sha256_compact(h, code.n - separators);
	pc = code.p;
	while (pc < end && script_read(&pc, end, &op, &data)) {
		if (op != OP_CODESEPARATOR)
			continue;
		sha256_put(h, from, (size_t)(pc - 1 - from));
		from = pc;
	}
	sha256_put(h, from, (size_t)(pc - from));
}

static void hash_this(struct sha256 *h, const struct script_input *in,
		      struct slice code)
{
	uint8_t seq[4];

	sha256_put(h, in->in.prevout, OUTPOINT_SIZE);
	hash_code(h, code);
	le32_put(seq, in->in.sequence);
	sha256_put(h, seq, sizeof seq);
}

static void hash_inputs(struct sha256 *h, struct script_input *in,
			struct slice code, uint32_t type)
{
	bool all = sighash_out(type) != SIGHASH_NONE &&
		   sighash_out(type) != SIGHASH_SINGLE;
	struct tx_iter it;

	if (sighash_one_input(type)) {
		hash_head(h, in->tx->tx, 1);
		hash_this(h, in, code);
		return;
	}
	hash_front(h, in, all);
	hash_this(h, in, code);
	it = in->ins;
	hash_blank(h, &it, UINT32_MAX, all);
}

/* Outputs in front of the only one that is signed: no value, no script. */
static void hash_no_outputs(struct sha256 *h, uint32_t n)
{
	uint8_t buf[CHUNK * 9];

	memset(buf, 0xff, sizeof buf);
	for (size_t i = 8; i < sizeof buf; i += 9)
		buf[i] = 0;
	for (; n > CHUNK; n -= CHUNK)
		sha256_put(h, buf, sizeof buf);
	sha256_put(h, buf, n * (size_t)9);
}

static void hash_outputs(struct sha256 *h, const struct script_input *in,
			 uint32_t type)
{
	if (sighash_out(type) == SIGHASH_NONE) {
		sha256_compact(h, 0);
	} else if (sighash_out(type) == SIGHASH_SINGLE) {
		sha256_compact(h, (uint64_t)in->index + 1);
		hash_no_outputs(h, in->index);
		sha256_put(h, in->output.p, in->output.n);
	} else {
		sha256_compact(h, in->tx->tx->n_out);
		sha256_put(h, in->tx->outputs.p, in->tx->outputs.n);
	}
}

void sighash_legacy_state(struct sha256 *h, struct script_input *in,
			  struct slice code, uint32_t type)
{
	uint8_t lock[4];

	hash_inputs(h, in, code, type);
	hash_outputs(h, in, type);
	le32_put(lock, in->tx->tx->lock_time);
	sha256_put(h, lock, sizeof lock);
}

bool sighash_is_one(uint8_t out[32], const struct script_input *in,
		    uint32_t type)
{
	if (sighash_out(type) != SIGHASH_SINGLE ||
	    in->index < in->tx->tx->n_out)
		return false;
	memset(out, 0, 32);
	out[0] = 1;
	return true;
}

void sighash_end(struct sha256 *h, uint32_t type, uint8_t out[32])
{
	uint8_t b[4];

	le32_put(b, type);
	sha256_put(h, b, sizeof b);
	sha256_end(h, out);
	sha256_once(out, out, 32);
}

void sighash_legacy(uint8_t out[32], struct script_input *in, struct slice code,
		    uint32_t type)
{
	struct sha256 h;

	if (sighash_is_one(out, in, type))
		return;
	sighash_legacy_state(&h, in, code, type);
	sighash_end(&h, type, out);
}
