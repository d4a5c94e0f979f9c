/*
 * What all inputs of a transaction share when they are signed, and the walk
 * over its inputs. Any thread; the shared part is only read once it is made.
 */
#include "internal.h"

#include <cairn/base/must.h>

void sha256_compact(struct sha256 *h, uint64_t n)
{
	uint8_t b[9];

	sha256_put(h, b, (size_t)(compact_put(b, n) - b));
}

/* Small pieces are collected, so that blocks are hashed in long runs. */
struct gather {
	struct sha256 h;
	size_t n;
	uint8_t buf[2048];
};

static void gather_init(struct gather *g)
{
	sha256_init(&g->h);
	g->n = 0;
}

static void gather_flush(struct gather *g)
{
	sha256_put(&g->h, g->buf, g->n);
	g->n = 0;
}

static void gather_put(struct gather *g, const uint8_t *p, size_t n)
{
	if (n > sizeof g->buf - g->n)
		gather_flush(g);
	if (n > sizeof g->buf) {
		sha256_put(&g->h, p, n);
		return;
	}
	memcpy(g->buf + g->n, p, n);
	g->n += n;
}

static void gather_end(struct gather *g, uint8_t out[32])
{
	gather_flush(g);
	sha256_end(&g->h, out);
}

static void hash_inputs(struct tx_sighash *s)
{
	struct gather prevouts, sequences;
	struct tx_iter it;
	struct txin_view in;
	uint8_t seq[4];

	gather_init(&prevouts);
	gather_init(&sequences);
	txins(&it, s->tx);
	while (txin_next(&it, &in)) {
		le32_put(seq, in.sequence);
		gather_put(&prevouts, in.prevout, OUTPOINT_SIZE);
		gather_put(&sequences, seq, sizeof seq);
	}
	gather_end(&prevouts, s->prevouts);
	gather_end(&sequences, s->sequences);
}

static void hash_spent(struct tx_sighash *s)
{
	struct gather amounts, scripts;
	uint8_t b[9];

	gather_init(&amounts);
	gather_init(&scripts);
	for (uint32_t i = 0; i < s->tx->n_in; i++) {
		struct slice script = s->spent[i].script;

		le64_put(b, (uint64_t)s->spent[i].value);
		gather_put(&amounts, b, 8);
		gather_put(&scripts, b, (size_t)(compact_put(b, script.n) - b));
		gather_put(&scripts, script.p, script.n);
	}
	gather_end(&amounts, s->amounts);
	gather_end(&scripts, s->scripts);
}

/* Which schemes the inputs can ask for. A witness that does not spend a form of
 * taproot is taken for version 0; it may also be spare, which verification
 * finds out. */
static void find_schemes(struct tx_sighash *s)
{
	struct tx_iter it, stack;

	txwits(&it, s->tx);
	for (uint32_t i = 0; txwit_next(&it, &stack); i++) {
		struct slice script = s->spent[i].script;

		if (stack.left == 0)
			continue;
		if (script.n == 34 && script.p[0] == OP_1)
			s->taproot = true;
		else
			s->v0 = true;
	}
}

static struct slice outputs_of(const struct tx_view *tx)
{
	uint32_t end = tx->wit_off ? tx->wit_off : tx->size - 4;

	return slice_of(tx->p + tx->out_off, end - tx->out_off);
}

static void start(struct tx_sighash *s, const struct tx_view *tx,
		  const struct txout_view *spent)
{
	s->tx = tx;
	s->spent = spent;
	s->outputs = outputs_of(tx);
	s->v0 = s->taproot = false;
}

static void fill(struct tx_sighash *s)
{
	if (!s->v0 && !s->taproot)
		return;
	hash_inputs(s);
	sha256_once(s->all_outputs, s->outputs.p, s->outputs.n);
	if (s->taproot)
		hash_spent(s);
	if (s->v0) {
		sha256_once(s->prevouts2, s->prevouts, 32);
		sha256_once(s->sequences2, s->sequences, 32);
		sha256_once(s->outputs2, s->all_outputs, 32);
	}
}

void tx_sighash_init(struct tx_sighash *s, const struct tx_view *tx,
		     const struct txout_view *spent)
{
	start(s, tx, spent);
	if (tx_has_witness(tx))
		find_schemes(s);
	fill(s);
}

void tx_sighash_init_all(struct tx_sighash *s, const struct tx_view *tx,
			 const struct txout_view *spent)
{
	start(s, tx, spent);
	s->v0 = s->taproot = true;
	fill(s);
}

void script_inputs(struct script_input *in, const struct tx_sighash *tx)
{
	in->tx = tx;
	in->index = 0;
	in->begun = false;
	in->front[0].n = in->front[1].n = 0;
	txins(&in->ins, tx->tx);
	txouts(&in->outs, tx->tx);
	txwits(&in->wits, tx->tx);
}

bool script_input_next(struct script_input *in)
{
	struct txout_view out;
	const uint8_t *from = in->outs.p;

	if (!txin_next(&in->ins, &in->in))
		return false;
	txwit_next(&in->wits, &in->witness);
	if (txout_next(&in->outs, &out))
		in->output = slice_of(from, (size_t)(in->outs.p - from));
	else
		in->output = slice_of(NULL, 0);
	in->index += in->begun;
	in->begun = true;
	in->spent = in->tx->spent + in->index;
	return true;
}

void script_input_seek(struct script_input *in, uint32_t index)
{
	bool there = true;

	while (there && (!in->begun || in->index < index))
		there = script_input_next(in);
	must(there && in->index == index);
}
