/* The walks of walk.h. One thread. */
#include "walk.h"

#include "wiretest.h"

static uint64_t touch(struct slice s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s.n; i++)
		sum += s.p[i];
	return sum;
}

static const uint8_t *walk_inputs(struct walk *w, const struct tx_view *v)
{
	struct txin_view in;
	struct tx_iter it;

	txins(&it, v);
	while (txin_next(&it, &in)) {
		w->inputs++;
		w->bytes +=
		    touch(in.script) + in.sequence + outpoint_index(in.prevout);
	}
	return it.p;
}

static const uint8_t *walk_outputs(struct walk *w, const struct tx_view *v)
{
	struct txout_view out;
	struct tx_iter it;

	txouts(&it, v);
	while (txout_next(&it, &out)) {
		w->outputs++;
		w->bytes += touch(out.script) + (uint64_t)out.value;
	}
	return it.p;
}

static const uint8_t *walk_witness(struct walk *w, const struct tx_view *v)
{
	struct tx_iter it, stack;
	struct slice item;
	uint32_t stacks = 0;

	txwits(&it, v);
	while (txwit_next(&it, &stack)) {
		while (witem_next(&stack, &item)) {
			w->items++;
			w->bytes += touch(item);
		}
		if (it.p)
			ck_assert_ptr_eq(stack.p, it.p);
		stacks++;
	}
	ck_assert_uint_eq(stacks, v->n_in);
	return it.p;
}

void walk_tx(struct walk *w, const struct tx_view *v)
{
	const uint8_t *end = v->p + v->size - 4;
	const uint8_t *outs = v->p + v->out_off;
	const uint8_t *p = walk_inputs(w, v);

	if (v->n_in)
		ck_assert_ptr_eq(p + compact_size(v->n_out), outs);
	p = walk_outputs(w, v);
	if (tx_has_witness(v)) {
		ck_assert_ptr_eq(p, v->p + v->wit_off);
		p = walk_witness(w, v);
		w->witness_txs++;
	} else {
		ck_assert_ptr_null(walk_witness(w, v));
		ck_assert_uint_eq(v->base_size, v->size);
	}
	ck_assert_ptr_eq(p, end);
	ck_assert_uint_eq(le32_get(end), v->lock_time);
}

void walk_block(struct walk *w, const struct block_view *v)
{
	const uint8_t *p = v->header + HEADER_SIZE + compact_size(v->n_tx);

	for (uint32_t i = 0; i < v->n_tx; i++) {
		ck_assert_ptr_eq(v->tx[i].p, p);
		walk_tx(w, &v->tx[i]);
		p += v->tx[i].size;
	}
	ck_assert_ptr_eq(p, v->raw.p + v->raw.n);
	ck_assert_int_eq(v->has_witness, w->witness_txs != 0);
}

bool walk_tx_body(struct slice body)
{
	struct walk w = {0};
	struct tx_view v;
	struct rd r;

	rd_init(&r, body);
	if (!tx_view_parse(&v, &r))
		return false;
	walk_tx(&w, &v);
	return w.bytes != UINT64_MAX;
}

bool walk_block_body(struct slice body)
{
	struct walk w = {0};
	struct block_view v;
	size_t trailing;

	if (block_view_parse(&v, &trailing, body) != 0)
		return false;
	ck_assert_uint_eq(v.raw.n + trailing, body.n);
	walk_block(&w, &v);
	block_view_fini(&v);
	return w.bytes != UINT64_MAX;
}
