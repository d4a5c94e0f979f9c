/* Parts of transactions, and whole ones from values. */
#include "wiretest.h"

#include <cairn/wire/txparts.h>

#include <stdlib.h>

static const uint8_t script[300] = {0x51, 0x52};

static bool txin_ok(struct slice body)
{
	struct txin_view in;
	struct rd r;

	rd_init(&r, body);
	txin_get(&in, &r);
	if (!rd_ok(&r))
		ck_assert(!in.prevout && !in.script.p && !in.sequence);
	return rd_ok(&r) && rd_left(&r) == 0;
}

static bool txout_ok(struct slice body)
{
	struct txout_view out;
	struct rd r;

	rd_init(&r, body);
	txout_get(&out, &r);
	if (!rd_ok(&r))
		ck_assert(!out.script.p && !out.value);
	return rd_ok(&r) && rd_left(&r) == 0;
}

/* The bytes of a part in memory of exactly their size. Not inlined: the
 * compiler would follow a loop's lengths into cases that cannot be. */
static __attribute__((noinline)) uint8_t *txin_new(const struct txin_view *in)
{
	uint8_t *raw = malloc(txin_size(in));

	ck_assert_ptr_nonnull(raw);
	ck_assert_ptr_eq(txin_put(raw, in), raw + txin_size(in));
	return raw;
}

static __attribute__((noinline)) uint8_t *
txout_new(const struct txout_view *out)
{
	uint8_t *raw = malloc(txout_size(out));

	ck_assert_ptr_nonnull(raw);
	ck_assert_ptr_eq(txout_put(raw, out), raw + txout_size(out));
	return raw;
}

START_TEST(an_input_reads_as_it_was_written)
{
	static const size_t len[] = {0, 1, 252, 253, 300};
	uint8_t prevout[OUTPOINT_SIZE], *raw;
	struct txin_view a, b;
	struct rd r;

	fill(prevout, sizeof prevout, 1);
	for (size_t i = 0; i < sizeof len / sizeof *len; i++) {
		a = (struct txin_view){prevout, slice_of(script, len[i]),
				       0x80000001u};
		raw = txin_new(&a);
		rd_init(&r, slice_of(raw, txin_size(&a)));
		txin_get(&b, &r);
		ck_assert(rd_ok(&r) && rd_left(&r) == 0);
		ck_assert_mem_eq(b.prevout, prevout, sizeof prevout);
		ck_assert(slice_eq(b.script, a.script));
		ck_assert_uint_eq(b.sequence, a.sequence);
		check_cuts(txin_ok, slice_of(raw, txin_size(&a)));
		free(raw);
	}
	check_counts(txin_ok, slice_of(prevout, sizeof prevout), 4096);
}
END_TEST

START_TEST(an_output_reads_as_it_was_written)
{
	static const int64_t value[] = {0, 1, 2100000000000000, -1, INT64_MIN};
	static const uint8_t head[8];
	struct txout_view a, b;
	uint8_t *raw;
	struct rd r;

	for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
		a = (struct txout_view){value[i], slice_of(script, 70 * i)};
		raw = txout_new(&a);
		rd_init(&r, slice_of(raw, txout_size(&a)));
		txout_get(&b, &r);
		ck_assert(rd_ok(&r) && rd_left(&r) == 0);
		ck_assert_int_eq(b.value, a.value);
		ck_assert(slice_eq(b.script, a.script));
		check_cuts(txout_ok, slice_of(raw, txout_size(&a)));
		free(raw);
	}
	check_counts(txout_ok, slice_of(head, sizeof head), 4096);
}
END_TEST

/* Two inputs, 260 outputs, and stacks of two items and none. */
struct sample {
	struct txin_view in[2];
	struct txout_view out[260];
	uint32_t n_items[2];
	struct slice items[2];
	struct tx_msg m;
};

static void sample_init(struct sample *s, const uint8_t *prevout)
{
	for (size_t i = 0; i < 2; i++) {
		s->in[i] = (struct txin_view){prevout, slice_of(script, i),
					      0xfffffffeu};
		s->items[i] = slice_of(script, 253 * i);
	}
	for (size_t i = 0; i < 260; i++)
		s->out[i] =
		    (struct txout_view){(int64_t)i, slice_of(script, i)};
	s->n_items[0] = 2;
	s->n_items[1] = 0;
	s->m = (struct tx_msg){.version = 2,
			       .n_in = 2,
			       .n_out = 260,
			       .in = s->in,
			       .out = s->out,
			       .n_items = s->n_items,
			       .items = s->items,
			       .lock_time = 7};
}

static void check_sample(const struct sample *s, struct slice raw)
{
	struct tx_iter it, stack;
	struct txout_view out;
	struct slice item;
	struct tx_view v;
	struct rd r;

	rd_init(&r, raw);
	ck_assert(tx_view_parse(&v, &r) && rd_left(&r) == 0);
	ck_assert_int_eq(v.version, 2);
	ck_assert_uint_eq(v.lock_time, 7);
	ck_assert_uint_eq(v.n_in, 2);
	ck_assert_uint_eq(v.n_out, 260);
	txouts(&it, &v);
	for (size_t i = 0; i < 260; i++) {
		ck_assert(txout_next(&it, &out));
		ck_assert_int_eq(out.value, s->out[i].value);
		ck_assert(slice_eq(out.script, s->out[i].script));
	}
	ck_assert_int_eq(tx_has_witness(&v), s->m.n_items != NULL);
	txwits(&it, &v);
	ck_assert(txwit_next(&it, &stack));
	for (uint32_t i = 0; s->m.n_items && i < 2; i++) {
		ck_assert(witem_next(&stack, &item));
		ck_assert(slice_eq(item, s->items[i]));
	}
	ck_assert(!witem_next(&stack, &item));
}

START_TEST(a_transaction_from_values_reads_back)
{
	uint8_t prevout[OUTPOINT_SIZE];
	struct sample *s = malloc(sizeof *s);
	size_t whole, base;
	uint8_t *raw;

	ck_assert_ptr_nonnull(s);
	fill(prevout, sizeof prevout, 2);
	sample_init(s, prevout);
	whole = tx_size(&s->m);
	raw = malloc(whole);
	ck_assert_ptr_nonnull(raw);
	ck_assert_ptr_eq(tx_put(raw, &s->m), raw + whole);
	check_sample(s, slice_of(raw, whole));
	s->m.n_items = NULL;
	base = tx_size(&s->m);
	ck_assert_uint_eq(whole - base, 2 + 1 + 1 + 3 + 253 + 1);
	ck_assert_ptr_eq(tx_put(raw, &s->m), raw + base);
	check_sample(s, slice_of(raw, base));
	free(raw);
	free(s);
}
END_TEST

/* The smallest transaction there is, and its bytes. */
START_TEST(an_empty_transaction_takes_ten_bytes)
{
	static const uint8_t want[10] = {1, 0, 0, 0, 0, 0, 9, 0, 0, 0};
	struct tx_msg m = {.version = 1, .lock_time = 9};
	uint8_t raw[10];

	ck_assert_uint_eq(tx_size(&m), sizeof raw);
	ck_assert_ptr_eq(tx_put(raw, &m), raw + sizeof raw);
	ck_assert_mem_eq(raw, want, sizeof raw);
}
END_TEST

Suite *txparts_suite(void)
{
	Suite *s = suite_create("txparts");
	TCase *tc = tcase_create("txparts");

	tcase_add_test(tc, an_input_reads_as_it_was_written);
	tcase_add_test(tc, an_output_reads_as_it_was_written);
	tcase_add_test(tc, a_transaction_from_values_reads_back);
	tcase_add_test(tc, an_empty_transaction_takes_ten_bytes);
	suite_add_tcase(s, tc);
	return s;
}
