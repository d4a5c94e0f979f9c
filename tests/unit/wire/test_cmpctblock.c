/* cmpctblock, getblocktxn, blocktxn (BIP 152). */
#include "wiretest.h"

#include "samples.h"
#include "walk.h"

#include <cairn/base/buf.h>
#include <cairn/crypto/sha256.h>
#include <cairn/wire/cmpctblock.h>

#include <stdlib.h>

static bool cmpctblock_ok(struct slice body)
{
	struct cmpctblock_view v;
	struct prefilled_iter it;
	struct prefilled t;
	struct walk w = {0};
	uint64_t sum = 0;
	uint32_t n = 0;

	if (!cmpctblock_view_parse(&v, body))
		return false;
	for (uint32_t i = 0; i < v.n_short; i++)
		sum += cmpct_short_id(&v, i);
	prefilleds(&it, &v);
	for (; prefilled_next(&it, &t); n++) {
		sum += t.index;
		walk_tx(&w, &t.tx);
	}
	ck_assert_uint_eq(n, v.n_prefilled);
	ck_assert_ptr_eq(it.r.p, v.end);
	cmpctblock_is_sane(&v);
	return sum != UINT64_MAX;
}

static bool getblocktxn_ok(struct slice body)
{
	struct getblocktxn_view v;
	struct index_iter it;
	uint32_t n = 0, index, last = 0;

	if (!getblocktxn_view_parse(&v, body))
		return false;
	getblocktxn_indexes(&it, &v);
	for (; getblocktxn_next(&it, &index); n++) {
		ck_assert_uint_le(index, 65535);
		ck_assert(n == 0 || index > last);
		last = index;
	}
	ck_assert_uint_eq(n, v.n);
	ck_assert_ptr_eq(it.r.p, v.end);
	return v.block->b[31] + last != UINT32_MAX;
}

static bool blocktxn_ok(struct slice body)
{
	struct blocktxn_view v;
	struct blocktxn_iter it;
	struct tx_view tx;
	struct walk w = {0};
	uint32_t n = 0;

	if (!blocktxn_view_parse(&v, body))
		return false;
	blocktxns(&it, &v);
	for (; blocktxn_next(&it, &tx); n++)
		walk_tx(&w, &tx);
	ck_assert_uint_eq(n, v.n);
	ck_assert_ptr_eq(it.r.p, v.end);
	return w.bytes + v.block->b[31] != UINT64_MAX;
}

/* A compact block of n short ids and the prefilled transactions at the given
 * distances, each a plain sample. */
static size_t write(uint8_t *raw, uint32_t n_short, const uint32_t *skip,
		    uint32_t n_prefilled)
{
	uint8_t header[HEADER_SIZE], tx[400], *p;
	struct slice s = slice_of(tx, (size_t)(sample_tx_put(tx, true) - tx));
	size_t bytes = 0;

	sample_header_put(header);
	p = cmpctblock_head_put(raw, header, 77, n_short);
	for (uint32_t i = 0; i < n_short; i++)
		p = cmpct_short_id_put(p, 0xffee00000000u + i);
	p = compact_put(p, n_prefilled);
	for (uint32_t i = 0; i < n_prefilled; i++) {
		p = prefilled_put(p, skip[i], s);
		bytes += prefilled_size(skip[i], s);
	}
	ck_assert_uint_eq((size_t)(p - raw),
			  cmpctblock_size(n_short, n_prefilled, bytes));
	return (size_t)(p - raw);
}

START_TEST(cmpctblock_reads_as_it_was_written)
{
	static const uint32_t skip[] = {0, 2, 1};
	static const uint32_t want[] = {0, 3, 5};
	uint8_t raw[2000], header[HEADER_SIZE];
	size_t n = write(raw, 4, skip, 3);
	struct cmpctblock_view v;
	struct prefilled_iter it;
	struct prefilled t;

	sample_header_put(header);
	ck_assert(cmpctblock_view_parse(&v, slice_of(raw, n)));
	ck_assert_mem_eq(v.header, header, HEADER_SIZE);
	ck_assert_uint_eq(v.nonce, 77);
	ck_assert_uint_eq(v.n_short, 4);
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_uint_eq(cmpct_short_id(&v, i), 0xffee00000000u + i);
	ck_assert_uint_eq(v.n_prefilled, 3);
	prefilleds(&it, &v);
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert(prefilled_next(&it, &t));
		ck_assert_uint_eq(t.index, want[i]);
		ck_assert_uint_eq(t.tx.n_in, 2);
	}
	ck_assert(!prefilled_next(&it, &t));
	ck_assert(cmpctblock_is_sane(&v));
	check_cuts(cmpctblock_ok, slice_of(raw, n));
	check_extra(cmpctblock_ok, slice_of(raw, n), true);
	check_counts(cmpctblock_ok, slice_of(raw, 88), 4096);
	raw[88] = 0;
	check_counts(cmpctblock_ok, slice_of(raw, 89), 4096);
	raw[89] = 1; /* one prefilled, its index */
	check_counts(cmpctblock_ok, slice_of(raw, 90), 4096);
}
END_TEST

START_TEST(what_is_not_sane_is_still_read)
{
	static const struct {
		uint32_t n_short, n, skip[3];
		bool sane;
	} row[] = {
	    {0, 0, {0}, false},
	    {0, 1, {0}, true},
	    {0, 1, {1}, false},
	    {1, 1, {1}, true},
	    {1, 1, {2}, false},
	    {1, 2, {0, 1}, true},
	    {1, 2, {0, 2}, false},
	    {0, 2, {0, 65535}, false},
	    {0, 3, {65535, 65535, 65535}, false},
	};
	uint8_t raw[2000];
	struct cmpctblock_view v;

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		size_t n = write(raw, row[i].n_short, row[i].skip, row[i].n);
		ck_assert(cmpctblock_view_parse(&v, slice_of(raw, n)));
		ck_assert_msg(cmpctblock_is_sane(&v) == row[i].sane, "row %zu",
			      i);
		ck_assert(cmpctblock_ok(slice_of(raw, n)));
	}
	/* No bits, and a transaction without inputs and outputs. */
	size_t n = write(raw, 1, row[1].skip, 1);
	memset(raw + 72, 0, 4);
	ck_assert(cmpctblock_view_parse(&v, slice_of(raw, n)));
	ck_assert(!cmpctblock_is_sane(&v));
	n = td_hex_into(raw + 88, 100,
			"000100"
			"01000000"
			"0000"
			"00000000");
	memset(raw + 72, 1, 4);
	ck_assert(cmpctblock_view_parse(&v, slice_of(raw, 88 + n)));
	ck_assert(!cmpctblock_is_sane(&v));
}
END_TEST

/* 65,535 transactions at most, short and whole together. */
START_TEST(a_block_has_16_bits_of_transactions)
{
	static const uint32_t skip[] = {0, 0};
	uint8_t *raw = malloc(90 + 6 * 65540 + 1000);
	size_t n;

	ck_assert_ptr_nonnull(raw);
	n = write(raw, 65535, skip, 0);
	check_cuts(cmpctblock_ok, slice_of(raw, n));
	n = write(raw, 65534, skip, 1);
	ck_assert(cmpctblock_ok(slice_of(raw, n)));
	n = write(raw, 65535, skip, 1);
	ck_assert(!cmpctblock_ok(slice_of(raw, n)));
	n = write(raw, 65536, skip, 0);
	ck_assert(!cmpctblock_ok(slice_of(raw, n)));
	n = write(raw, 65534, skip, 2);
	ck_assert(!cmpctblock_ok(slice_of(raw, n)));
	free(raw);
}
END_TEST

START_TEST(an_index_has_16_bits)
{
	static const uint32_t last = 65535, over = 65536;
	uint8_t raw[1000];

	ck_assert(cmpctblock_ok(slice_of(raw, write(raw, 0, &last, 1))));
	ck_assert(!cmpctblock_ok(slice_of(raw, write(raw, 0, &over, 1))));
}
END_TEST

/* Each short id of the message is that of the block's transaction in its
 * place. Both blocks are older than the second version: ids are of txids. */
static void check_real(const char *block, const char *message)
{
	struct buf *b = td_read(block), *m = td_read(message);
	struct block_view v;
	struct cmpctblock_view c;
	struct prefilled_iter it;
	struct prefilled t = {.index = UINT32_MAX};
	uint64_t key[2];
	size_t trailing;
	uint32_t s = 0;
	bool more;

	ck_assert_int_eq(block_view_parse(&v, &trailing, buf_payload(b)), 0);
	block_hash_txs(&v);
	ck_assert(cmpctblock_view_parse(&c, buf_payload(m)));
	ck_assert(cmpctblock_is_sane(&c));
	ck_assert_mem_eq(c.header, v.header, HEADER_SIZE);
	ck_assert_uint_eq(c.n_short + c.n_prefilled, v.n_tx);
	cmpct_key(key, c.header, c.nonce);
	prefilleds(&it, &c);
	more = prefilled_next(&it, &t);
	for (uint32_t i = 0; i < v.n_tx; i++) {
		if (more && t.index == i) {
			ck_assert_uint_eq(t.tx.base_size, v.tx[i].base_size);
			more = prefilled_next(&it, &t);
			continue;
		}
		ck_assert_msg(cmpct_short_id(&c, s++) ==
				  cmpct_short_id_of(key, &v.txid[i]),
			      "tx %u", i);
	}
	ck_assert_uint_eq(s, c.n_short);
	check_cuts(cmpctblock_ok, buf_payload(m));
	block_view_fini(&v);
	buf_unref(b);
	buf_unref(m);
}

START_TEST(real_compact_blocks_name_their_transactions)
{
	if (td_missing())
		return;
	check_real("blocks/mainnet/mainnet-426884.bin",
		   "vectors/p2p/compact426884.raw");
	check_real("blocks/testnet3/testnet3-898352.bin",
		   "vectors/p2p/compact898352.raw");
}
END_TEST

START_TEST(a_block_is_made_compact_as_others_make_it)
{
	if (td_missing())
		return;
	struct buf *b = td_read("blocks/mainnet/mainnet-426884.bin");
	struct buf *m = td_read("vectors/p2p/compact426884.raw");
	struct block_view v;
	struct cmpctblock_view c;
	size_t trailing;
	uint8_t *raw;

	ck_assert_int_eq(block_view_parse(&v, &trailing, buf_payload(b)), 0);
	block_hash_txs(&v);
	ck_assert(cmpctblock_view_parse(&c, buf_payload(m)));
	ck_assert_uint_eq(cmpctblock_of_size(&v), m->n);
	raw = malloc(m->n);
	ck_assert_ptr_nonnull(raw);
	ck_assert_ptr_eq(cmpctblock_of_put(raw, &v, c.nonce), raw + m->n);
	ck_assert_mem_eq(raw, buf_data(m), m->n);
	free(raw);
	block_view_fini(&v);
	buf_unref(b);
	buf_unref(m);
}
END_TEST

START_TEST(getblocktxn_reads_as_it_was_written)
{
	static const uint16_t index[] = {0, 1, 254, 255, 510, 65534, 65535};
	struct hash256 h;
	uint8_t raw[100];
	struct getblocktxn_view v;
	struct index_iter it;
	uint32_t got;
	size_t n;

	fill(h.b, 32, 1);
	for (uint32_t k = 0; k <= 7; k++) {
		n = getblocktxn_size(index, k);
		ck_assert_ptr_eq(getblocktxn_put(raw, &h, index, k), raw + n);
		ck_assert(getblocktxn_view_parse(&v, slice_of(raw, n)));
		ck_assert_uint_eq(v.n, k);
		ck_assert(hash256_eq(v.block, &h));
		getblocktxn_indexes(&it, &v);
		for (uint32_t i = 0; i < k; i++) {
			ck_assert(getblocktxn_next(&it, &got));
			ck_assert_uint_eq(got, index[i]);
		}
		ck_assert(!getblocktxn_next(&it, &got));
		check_cuts(getblocktxn_ok, slice_of(raw, n));
		check_extra(getblocktxn_ok, slice_of(raw, n), true);
	}
	check_counts(getblocktxn_ok, slice_of(raw, 32), 4096);
	raw[32] = 1;
	check_counts(getblocktxn_ok, slice_of(raw, 33), 4096);
}
END_TEST

/* Indexes are told as distances; none may pass 65,535. */
START_TEST(getblocktxn_refuses_an_index_that_overflows)
{
	static const struct {
		const char *hex;
		bool ok;
	} row[] = {
	    {"01fdffff", true},          {"01fe00000100", false},
	    {"02fdfeff00", true},        {"02fdffff00", false},
	    {"02fdfeff01", false},       {"0200fdfeff", true},
	    {"0200fdffff", false},       {"01fe00000002", false},
	    {"03fdff7ffdff7f00", false}, {"02fdff7ffdff7f", true},
	};
	uint8_t raw[64] = {0};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		size_t n = 32 + td_hex_into(raw + 32, 32, row[i].hex);
		ck_assert_msg(getblocktxn_ok(slice_of(raw, n)) == row[i].ok,
			      "%s", row[i].hex);
	}
}
END_TEST

START_TEST(getblocktxn_may_name_every_transaction)
{
	uint8_t *raw = calloc(32 + 5 + 65537, 1), *p;
	struct getblocktxn_view v;
	size_t n = 32 + 5 + 65536;

	ck_assert_ptr_nonnull(raw);
	compact_put(raw + 32, 65536);
	ck_assert(getblocktxn_ok(slice_of(raw, n)));
	ck_assert(getblocktxn_view_parse(&v, slice_of(raw, n)));
	ck_assert_uint_eq(v.n, 65536);
	check_cuts(getblocktxn_ok, slice_of(raw, n));
	p = compact_put(raw + 32, 65537);
	ck_assert(!getblocktxn_ok(slice_of(raw, (size_t)(p - raw) + 65537)));
	free(raw);
}
END_TEST

START_TEST(blocktxn_reads_as_it_was_written)
{
	uint8_t raw[2000], tx[400], *p;
	struct hash256 h;
	struct blocktxn_view v;
	struct blocktxn_iter it;
	struct tx_view got;
	size_t tx_n = (size_t)(sample_tx_put(tx, true) - tx), n;

	fill(h.b, 32, 1);
	for (uint32_t k = 0; k < 4; k++) {
		p = blocktxn_head_put(raw, &h, k);
		for (uint32_t i = 0; i < k; i++)
			p = bytes_put(p, tx, tx_n);
		n = blocktxn_size(k, k * tx_n);
		ck_assert_ptr_eq(p, raw + n);
		ck_assert(blocktxn_view_parse(&v, slice_of(raw, n)));
		ck_assert_uint_eq(v.n, k);
		ck_assert(hash256_eq(v.block, &h));
		blocktxns(&it, &v);
		for (uint32_t i = 0; i < k; i++) {
			ck_assert(blocktxn_next(&it, &got));
			ck_assert_uint_eq(got.size, tx_n);
			ck_assert_mem_eq(got.p, tx, tx_n);
		}
		ck_assert(!blocktxn_next(&it, &got));
		check_cuts(blocktxn_ok, slice_of(raw, n));
		check_extra(blocktxn_ok, slice_of(raw, n), true);
	}
	check_counts(blocktxn_ok, slice_of(raw, 32), 4096);
}
END_TEST

Suite *cmpctblock_suite(void)
{
	Suite *s = suite_create("cmpctblock");
	TCase *c = tcase_create("cmpctblock"), *t = tcase_create("blocktxn");

	tcase_add_test(c, cmpctblock_reads_as_it_was_written);
	tcase_add_test(c, what_is_not_sane_is_still_read);
	tcase_add_test(c, a_block_has_16_bits_of_transactions);
	tcase_add_test(c, an_index_has_16_bits);
	tcase_add_test(c, real_compact_blocks_name_their_transactions);
	tcase_add_test(c, a_block_is_made_compact_as_others_make_it);
	tcase_add_test(t, getblocktxn_reads_as_it_was_written);
	tcase_add_test(t, getblocktxn_refuses_an_index_that_overflows);
	tcase_add_test(t, getblocktxn_may_name_every_transaction);
	tcase_add_test(t, blocktxn_reads_as_it_was_written);
	tcase_set_timeout(c, 30);
	tcase_set_timeout(t, 30);
	suite_add_tcase(s, c);
	suite_add_tcase(s, t);
	return s;
}
