/* Transactions: the forms of BIP 144, refused forms, iterators, hashes. */
#include "wiretest.h"

#include "walk.h"

#include <cairn/crypto/sha256.h>

#include <stdio.h>
#include <stdlib.h>

#define V    "02000000"
#define LOCK "44332211"
#define HASH                                                                   \
	"000102030405060708090a0b0c0d0e0f"                                     \
	"101112131415161718191a1b1c1d1e1f"
#define IN                                                                     \
	HASH "07000000"                                                        \
	     "025152"                                                          \
	     "feffffff"
#define IN2                                                                    \
	HASH "08000000"                                                        \
	     "00"                                                              \
	     "fdffffff"
#define OUT                                                                    \
	"00f2052a01000000"                                                     \
	"0151"
#define OUT2                                                                   \
	"ffffffffffffffff"                                                     \
	"00"
#define PLAIN V "02" IN IN2 "02" OUT OUT2 LOCK
#define SEGWIT                                                                 \
	V "0001"                                                               \
	  "02" IN IN2 "02" OUT OUT2 "00"                                       \
	  "02"                                                                 \
	  "03aabbcc"                                                           \
	  "00" LOCK

static size_t raw_of(uint8_t *raw, size_t cap, const char *hex)
{
	return td_hex_into(raw, cap, hex);
}

START_TEST(forms_are_accepted_or_refused_as_bitcoin_core_does)
{
	static const struct {
		const char *why, *hex;
		bool ok;
	} row[] = {
	    {"plain", PLAIN, true},
	    {"with a witness", SEGWIT, true},
	    {"no inputs, no outputs", V "0000" LOCK, true},
	    {"no outputs", V "01" IN "00" LOCK, true},
	    {"no outputs, with a witness",
	     V "000101" IN "00"
	       "0100" LOCK,
	     true},
	    {"flag 0 ends the lists",
	     V "0000"
	       "01" IN "01" OUT LOCK,
	     true},
	    {"superfluous witness", V "000101" IN "01" OUT "00" LOCK, false},
	    {"witness without inputs",
	     V "000100"
	       "01" OUT LOCK,
	     false},
	    {"flag 2", V "000201" IN "01" OUT LOCK, false},
	    {"flag 2 and a witness", V "000201" IN "01" OUT "0100" LOCK, false},
	    {"flag 3", V "000301" IN "01" OUT "0100" LOCK, false},
	    {"flag 128", V "008001" IN "01" OUT "0100" LOCK, false},
	};
	uint8_t raw[400];
	struct tx_view v;
	struct rd r;

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		size_t n = raw_of(raw, sizeof raw, row[i].hex);
		rd_init(&r, slice_of(raw, n));
		ck_assert_msg(tx_view_parse(&v, &r) == row[i].ok, "%s",
			      row[i].why);
		ck_assert_msg(rd_ok(&r) == row[i].ok, "%s", row[i].why);
	}
}
END_TEST

START_TEST(flag_zero_leaves_the_rest_to_the_reader)
{
	uint8_t raw[400];
	size_t n = raw_of(raw, sizeof raw,
			  V "0000"
			    "01" IN "01" OUT LOCK);
	struct tx_view v;
	struct rd r;

	rd_init(&r, slice_of(raw, n));
	ck_assert(tx_view_parse(&v, &r));
	ck_assert_uint_eq(v.size, 10);
	ck_assert_uint_eq(v.n_in + v.n_out, 0);
	ck_assert_uint_eq(rd_left(&r), n - 10);
	ck_assert(!tx_is_coinbase(&v));
}
END_TEST

START_TEST(a_view_says_where_everything_is)
{
	uint8_t raw[400];
	size_t n = raw_of(raw, sizeof raw, SEGWIT);
	struct tx_view v;
	struct rd r;

	rd_init(&r, slice_of(raw, n));
	ck_assert(tx_view_parse(&v, &r));
	ck_assert_int_eq(v.version, 2);
	ck_assert_uint_eq(v.lock_time, 0x11223344);
	ck_assert_uint_eq(v.size, n);
	ck_assert_uint_eq(v.base_size, n - 2 - 7);
	ck_assert_uint_eq(tx_weight(&v), 4 * (n - 9) + 9);
	ck_assert_uint_eq(v.n_in, 2);
	ck_assert_uint_eq(v.n_out, 2);
	ck_assert_uint_eq(v.in_off, 7);
	ck_assert(tx_has_witness(&v));
	ck_assert_uint_eq(v.wit_off, n - 4 - 7);
}
END_TEST

START_TEST(inputs_and_outputs_come_in_order)
{
	uint8_t raw[400];
	size_t n = raw_of(raw, sizeof raw, PLAIN);
	struct txout_view out;
	struct txin_view in;
	struct tx_view v;
	struct tx_iter it;
	struct rd r;

	rd_init(&r, slice_of(raw, n));
	ck_assert(tx_view_parse(&v, &r));
	txins(&it, &v);
	ck_assert(txin_next(&it, &in));
	ck_assert_uint_eq(outpoint_txid(in.prevout)->b[31], 0x1f);
	ck_assert_uint_eq(outpoint_index(in.prevout), 7);
	ck_assert(slice_eq(in.script, slice_of("\x51\x52", 2)));
	ck_assert_uint_eq(in.sequence, 0xfffffffeu);
	ck_assert(txin_next(&it, &in));
	ck_assert_uint_eq(outpoint_index(in.prevout), 8);
	ck_assert_uint_eq(in.script.n, 0);
	ck_assert_uint_eq(in.sequence, 0xfffffffdu);
	ck_assert(!txin_next(&it, &in));
	txouts(&it, &v);
	ck_assert(txout_next(&it, &out));
	ck_assert_int_eq(out.value, 5000000000);
	ck_assert(slice_eq(out.script, slice_of("\x51", 1)));
	ck_assert(txout_next(&it, &out));
	ck_assert_int_eq(out.value, -1);
	ck_assert_uint_eq(out.script.n, 0);
	ck_assert(!txout_next(&it, &out));
}
END_TEST

START_TEST(witness_stacks_come_one_per_input)
{
	uint8_t raw[400];
	size_t n = raw_of(raw, sizeof raw, SEGWIT);
	struct tx_iter it, stack;
	struct slice item;
	struct tx_view v;
	struct rd r;

	rd_init(&r, slice_of(raw, n));
	ck_assert(tx_view_parse(&v, &r));
	txwits(&it, &v);
	ck_assert(txwit_next(&it, &stack));
	ck_assert(!witem_next(&stack, &item));
	ck_assert(txwit_next(&it, &stack));
	ck_assert_uint_eq(stack.left, 2);
	ck_assert(witem_next(&stack, &item));
	ck_assert(slice_eq(item, slice_of("\xaa\xbb\xcc", 3)));
	ck_assert(witem_next(&stack, &item));
	ck_assert_uint_eq(item.n, 0);
	ck_assert(!witem_next(&stack, &item));
	ck_assert(!txwit_next(&it, &stack));
}
END_TEST

START_TEST(without_a_witness_every_stack_is_empty)
{
	uint8_t raw[400];
	size_t n = raw_of(raw, sizeof raw, PLAIN);
	struct tx_iter it, stack;
	struct slice item;
	struct tx_view v;
	struct rd r;
	int stacks = 0;

	rd_init(&r, slice_of(raw, n));
	ck_assert(tx_view_parse(&v, &r));
	txwits(&it, &v);
	while (txwit_next(&it, &stack)) {
		ck_assert(!witem_next(&stack, &item));
		stacks++;
	}
	ck_assert_int_eq(stacks, 2);
}
END_TEST

START_TEST(the_txid_does_not_see_the_witness_and_the_wtxid_does)
{
	uint8_t plain[400], segwit[400], base[400];
	size_t n = raw_of(plain, sizeof plain, PLAIN);
	size_t m = raw_of(segwit, sizeof segwit, SEGWIT);
	struct hash256 want, got;
	struct slice parts[3];
	struct tx_view v;
	struct rd r;

	sha256d(&want, plain, n);
	rd_init(&r, slice_of(segwit, m));
	ck_assert(tx_view_parse(&v, &r));
	tx_txid(&got, &v);
	ck_assert(hash256_eq(&got, &want));
	ck_assert_uint_eq(tx_base_parts(parts, &v), 3);
	ck_assert_ptr_eq(tx_put_base(base, &v), base + v.base_size);
	ck_assert_uint_eq(v.base_size, n);
	ck_assert_mem_eq(base, plain, n);
	sha256d(&want, segwit, m);
	tx_wtxid(&got, &v);
	ck_assert(hash256_eq(&got, &want));
	rd_init(&r, slice_of(plain, n));
	ck_assert(tx_view_parse(&v, &r));
	ck_assert_uint_eq(tx_base_parts(parts, &v), 1);
	ck_assert_ptr_eq(tx_put_base(base, &v), base + n);
	ck_assert_mem_eq(base, plain, n);
}
END_TEST

START_TEST(a_coinbase_has_one_input_that_spends_nothing)
{
	static const char zero[] = "00000000000000000000000000000000"
				   "00000000000000000000000000000000";
	static const struct {
		const char *index;
		int inputs;
		bool is;
	} row[] = {
	    {"ffffffff", 1, true},
	    {"00000000", 1, false},
	    {"feffffff", 1, false},
	    {"ffffffff", 2, false},
	};
	char hex[600];
	uint8_t raw[300];
	struct tx_view v;
	struct rd r;

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		snprintf(hex, sizeof hex, V "0%d%s%s0151ffffffff%s01" OUT LOCK,
			 row[i].inputs, zero, row[i].index,
			 row[i].inputs == 2 ? IN : "");
		rd_init(&r, slice_of(raw, raw_of(raw, sizeof raw, hex)));
		ck_assert(tx_view_parse(&v, &r));
		ck_assert_msg(tx_is_coinbase(&v) == row[i].is, "row %zu", i);
	}
	raw_of(raw, sizeof raw, V "01" IN "01" OUT LOCK);
	memset(raw + 5 + 32, 0xff, 4);
	rd_init(&r, slice_of(raw, 4 + 1 + 43 + 1 + 10 + 4));
	ck_assert(tx_view_parse(&v, &r));
	ck_assert(!tx_is_coinbase(&v));
}
END_TEST

/* Without inputs a count of zero is the marker of BIP 144, or it is not. */
START_TEST(the_form_without_a_witness_may_have_no_inputs)
{
	/* Compared whole below: nothing is written between the fields. */
	struct tx_view base = {0}, any = {0};
	uint8_t raw[400];
	struct rd r;
	size_t n = raw_of(raw, sizeof raw, V "0001" OUT LOCK);

	rd_init(&r, slice_of(raw, n));
	ck_assert(!tx_view_parse(&any, &r));
	rd_init(&r, slice_of(raw, n));
	ck_assert(tx_view_parse_base(&base, &r));
	ck_assert_uint_eq(rd_left(&r), 0);
	ck_assert_uint_eq(base.n_in, 0);
	ck_assert_uint_eq(base.n_out, 1);
	ck_assert(!tx_is_coinbase(&base));
	for (size_t cut = 0; cut < n; cut++) {
		rd_init(&r, slice_of(raw, cut));
		ck_assert(!tx_view_parse_base(&base, &r));
	}
	/* With inputs both are the same; a witness is not one of its. */
	n = raw_of(raw, sizeof raw, PLAIN);
	rd_init(&r, slice_of(raw, n));
	ck_assert(tx_view_parse(&any, &r));
	rd_init(&r, slice_of(raw, n));
	ck_assert(tx_view_parse_base(&base, &r));
	ck_assert_mem_eq(&any, &base, sizeof any);
	n = raw_of(raw, sizeof raw, SEGWIT);
	rd_init(&r, slice_of(raw, n));
	ck_assert(!tx_view_parse_base(&base, &r) || rd_left(&r) > 0);
}
END_TEST

START_TEST(every_cut_is_refused_and_more_bytes_are_left)
{
	uint8_t raw[400];
	size_t n = raw_of(raw, sizeof raw, PLAIN);

	check_cuts(walk_tx_body, slice_of(raw, n));
	check_extra(walk_tx_body, slice_of(raw, n), true);
	n = raw_of(raw, sizeof raw, SEGWIT);
	check_cuts(walk_tx_body, slice_of(raw, n));
	check_extra(walk_tx_body, slice_of(raw, n), true);
	n = raw_of(raw, sizeof raw, V "0000" LOCK);
	check_cuts(walk_tx_body, slice_of(raw, n));
}
END_TEST

START_TEST(every_count_must_be_a_minimal_size_within_the_body)
{
	static const char *const head[] = {
	    V,
	    V "01" HASH "07000000",
	    V "01" IN,
	    V "01" IN "01"
	      "0000000000000000",
	    V "0001",
	    V "0001"
	      "01" IN "01" OUT,
	    V "0001"
	      "01" IN "01" OUT "01",
	};
	uint8_t raw[400];

	for (size_t i = 0; i < sizeof head / sizeof *head; i++) {
		size_t n = raw_of(raw, sizeof raw, head[i]);
		check_counts(walk_tx_body, slice_of(raw, n), 4096);
	}
}
END_TEST

/* One input script, output script and witness item of n bytes each. */
static uint8_t *long_tx(size_t *size, uint32_t n)
{
	uint8_t *raw = calloc(200 + 3 * (size_t)n, 1), *p = raw;

	ck_assert_ptr_nonnull(raw);
	p += raw_of(p, 200,
		    V "0001"
		      "01" HASH "00000000");
	p = compact_put(p, n);
	p += n + 4;
	p += raw_of(p, 200,
		    "01"
		    "0000000000000000");
	p = compact_put(p, n);
	p += n;
	*p++ = 1;
	p = compact_put(p, n);
	p += n + 4;
	*size = (size_t)(p - raw);
	return raw;
}

START_TEST(scripts_and_items_of_every_size_class_are_read)
{
	static const uint32_t len[] = {0, 252, 253, 65535, 65536, 1000000};
	struct txout_view out;
	struct txin_view in;
	struct slice item;
	struct tx_iter it, stack;
	struct tx_view v;
	struct rd r;
	size_t n;

	for (size_t i = 0; i < sizeof len / sizeof *len; i++) {
		uint8_t *raw = long_tx(&n, len[i]);
		rd_init(&r, slice_of(raw, n));
		ck_assert(tx_view_parse(&v, &r));
		ck_assert_uint_eq(v.size, n);
		txins(&it, &v);
		ck_assert(txin_next(&it, &in));
		ck_assert_uint_eq(in.script.n, len[i]);
		txouts(&it, &v);
		ck_assert(txout_next(&it, &out));
		ck_assert_uint_eq(out.script.n, len[i]);
		txwits(&it, &v);
		ck_assert(txwit_next(&it, &stack));
		ck_assert(witem_next(&stack, &item));
		ck_assert_uint_eq(item.n, len[i]);
		ck_assert_ptr_eq(item.p + item.n, raw + n - 4);
		check_cuts(walk_tx_body, slice_of(raw, n));
		free(raw);
	}
}
END_TEST

START_TEST(a_failed_parse_leaves_the_view_and_fails_the_cursor)
{
	struct tx_view v = {.n_in = 77};
	struct rd r;

	rd_init(&r, slice_of("\x01\0\0\0\x01\0\0\0\0\0", 10));
	ck_assert(!tx_view_parse(&v, &r));
	ck_assert_uint_eq(v.n_in, 77);
	ck_assert(!rd_ok(&r));
	ck_assert(!tx_view_parse(&v, &r));
	rd_init(&r, slice_of(NULL, 0));
	ck_assert(!tx_view_parse(&v, &r));
}
END_TEST

Suite *tx_suite(void)
{
	Suite *s = suite_create("tx");
	TCase *p = tcase_create("parse"), *i = tcase_create("iterate");

	tcase_add_test(p, forms_are_accepted_or_refused_as_bitcoin_core_does);
	tcase_add_test(p, flag_zero_leaves_the_rest_to_the_reader);
	tcase_add_test(p, a_view_says_where_everything_is);
	tcase_add_test(p, the_form_without_a_witness_may_have_no_inputs);
	tcase_add_test(p, every_cut_is_refused_and_more_bytes_are_left);
	tcase_add_test(p, every_count_must_be_a_minimal_size_within_the_body);
	tcase_add_test(p, a_failed_parse_leaves_the_view_and_fails_the_cursor);
	tcase_add_test(i, inputs_and_outputs_come_in_order);
	tcase_add_test(i, witness_stacks_come_one_per_input);
	tcase_add_test(i, without_a_witness_every_stack_is_empty);
	tcase_add_test(i, scripts_and_items_of_every_size_class_are_read);
	tcase_add_test(i, a_coinbase_has_one_input_that_spends_nothing);
	tcase_add_test(i, the_txid_does_not_see_the_witness_and_the_wtxid_does);
	tcase_set_timeout(i, 60);
	suite_add_tcase(s, p);
	suite_add_tcase(s, i);
	return s;
}
