/* Walks a transaction and writes it again, for the targets of tx and block. */
#ifndef CAIRN_TESTS_FUZZ_FUZZ_TX_H
#define CAIRN_TESTS_FUZZ_FUZZ_TX_H

#include "fuzz.h"

#include <cairn/wire/txparts.h>

/* The parts of a parsed transaction by value, in fresh memory. */
struct fuzz_tx {
	struct tx_msg m;
	struct txin_view *in;
	struct txout_view *out;
	uint32_t *n_items;
	struct slice *items;
	size_t items_n;
};

static inline void fuzz_tx_lists(struct fuzz_tx *t, const struct tx_view *v)
{
	struct tx_iter it;
	uint32_t n = 0;

	t->in = calloc(v->n_in + 1, sizeof *t->in);
	t->out = calloc(v->n_out + 1, sizeof *t->out);
	fuzz_check(t->in && t->out);
	txins(&it, v);
	while (txin_next(&it, &t->in[n]))
		fuzz_touch(t->in[n++].script);
	fuzz_check(n == v->n_in);
	n = 0;
	txouts(&it, v);
	while (txout_next(&it, &t->out[n]))
		fuzz_touch(t->out[n++].script);
	fuzz_check(n == v->n_out);
}

/* Stacks: counted first, as their items have no bound but the bytes. */
static inline void fuzz_tx_stacks(struct fuzz_tx *t, const struct tx_view *v)
{
	struct tx_iter it, stack;
	struct slice item;
	uint32_t n = 0;

	t->n_items = calloc(v->n_in + 1, sizeof *t->n_items);
	t->items = calloc(v->size + 1, sizeof *t->items);
	fuzz_check(t->n_items && t->items);
	txwits(&it, v);
	while (txwit_next(&it, &stack)) {
		while (witem_next(&stack, &item)) {
			fuzz_touch(item);
			t->items[t->items_n++] = item;
			t->n_items[n]++;
		}
		n++;
	}
	fuzz_check(n == v->n_in);
	fuzz_check((t->items_n != 0) == tx_has_witness(v));
}

static inline void fuzz_tx_free(struct fuzz_tx *t)
{
	free(t->in);
	free(t->out);
	free(t->n_items);
	free(t->items);
}

/* The stripped form, cut out of the message, is what the values without their
 * witness are written as. */
static inline void fuzz_tx_base(struct fuzz_tx *t, const struct tx_view *v)
{
	uint8_t *cut = fuzz_new(v->base_size);
	uint8_t *out = fuzz_new(v->base_size);

	fuzz_check(tx_put_base(cut, v) == cut + v->base_size);
	t->m.n_items = NULL;
	fuzz_check(tx_size(&t->m) == v->base_size);
	fuzz_same(out, tx_put(out, &t->m), v->base_size, cut);
	free(cut);
}

static inline void fuzz_tx_view(const struct tx_view *v)
{
	struct fuzz_tx t = {0};
	uint8_t *out = fuzz_new(v->size);

	fuzz_tx_lists(&t, v);
	fuzz_tx_stacks(&t, v);
	t.m = (struct tx_msg){.version = v->version,
			      .n_in = v->n_in,
			      .n_out = v->n_out,
			      .in = t.in,
			      .out = t.out,
			      .n_items = tx_has_witness(v) ? t.n_items : NULL,
			      .items = t.items,
			      .lock_time = v->lock_time};
	fuzz_check(tx_size(&t.m) == v->size);
	fuzz_same(out, tx_put(out, &t.m), v->size, v->p);
	fuzz_check(tx_weight(v) == 3 * v->base_size + v->size);
	fuzz_tx_base(&t, v);
	fuzz_tx_free(&t);
}

#endif
