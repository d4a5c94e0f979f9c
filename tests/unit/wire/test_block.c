/* Blocks: real ones of five networks, small built ones, cuts. */
#include "wiretest.h"

#include "samples.h"
#include "walk.h"

#include <cairn/base/buf.h>
#include <cairn/base/err.h>
#include <cairn/base/mem.h>
#include <cairn/base/text.h>
#include <cairn/crypto/sha256.h>

#include <stdlib.h>

static uint64_t json_u64(const char **at, const char *key)
{
	const char *val;
	size_t n;

	ck_assert_msg(td_json_next(at, key, &val, &n), "%s", key);
	return strtoull(val, NULL, 10);
}

static struct hash256 root_of(const struct hash256 *leaf, uint32_t n)
{
	struct hash256 *scratch = xmalloc((n + 1) / 2 * sizeof *scratch), root;
	bool mutated;

	merkle_root(&root, &mutated, leaf, n, scratch);
	ck_assert(!mutated);
	free(scratch);
	return root;
}

/* The hashes from the lanes against each transaction's own. */
static void check_hashes(const struct block_view *v)
{
	struct hash256 h, root;

	for (uint32_t i = 0; i < v->n_tx; i++) {
		tx_txid(&h, &v->tx[i]);
		ck_assert_msg(hash256_eq(&h, &v->txid[i]), "txid %u", i);
		tx_wtxid(&h, &v->tx[i]);
		if (i == 0)
			memset(&h, 0, sizeof h);
		ck_assert_msg(hash256_eq(&h, &v->wtxid[i]), "wtxid %u", i);
	}
	root = root_of(v->txid, v->n_tx);
	ck_assert(hash256_eq(&root, header_merkle(v->header)));
}

/* The last output of the coinbase that begins as BIP 141 says. */
static const uint8_t *commitment(const struct block_view *v)
{
	static const uint8_t tag[6] = {0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed};
	const uint8_t *found = NULL;
	struct txout_view out;
	struct tx_iter it;

	txouts(&it, &v->tx[0]);
	while (txout_next(&it, &out)) {
		if (out.script.n >= 38 && memcmp(out.script.p, tag, 6) == 0)
			found = out.script.p + 6;
	}
	return found;
}

static void check_commitment(const struct block_view *v)
{
	const uint8_t *want = commitment(v);
	struct tx_iter it, stack;
	struct hash256 pair[2], got;
	struct slice reserved;

	ck_assert_ptr_nonnull(want);
	txwits(&it, &v->tx[0]);
	ck_assert(txwit_next(&it, &stack) && witem_next(&stack, &reserved));
	ck_assert_uint_eq(reserved.n, 32);
	pair[0] = root_of(v->wtxid, v->n_tx);
	pair[1] = *hash256_at(reserved.p);
	sha256d(&got, pair, sizeof pair);
	ck_assert_mem_eq(got.b, want, 32);
}

/* Without witnesses it is a block again, with the same transactions. */
static void check_stripped(const struct block_view *v)
{
	uint8_t *base = xmalloc(v->base_size);
	struct block_view s;
	size_t trailing;

	ck_assert_ptr_eq(block_put_base(base, v), base + v->base_size);
	ck_assert_int_eq(
	    block_view_parse(&s, &trailing, slice_of(base, v->base_size)), 0);
	ck_assert(!s.has_witness);
	ck_assert_uint_eq(trailing, 0);
	ck_assert_uint_eq(block_weight(&s), 4 * v->base_size);
	block_hash_txs(&s);
	ck_assert_mem_eq(s.txid, v->txid, 32 * (size_t)v->n_tx);
	block_view_fini(&s);
	free(base);
}

/* One row of the index and its file. */
static void check_row(const char **at)
{
	char hash[HASH256_STR], *want = td_json_str(at, "hash");
	uint64_t size = json_u64(at, "size"), weight = json_u64(at, "weight");
	uint64_t txs = json_u64(at, "tx"), ins = json_u64(at, "inputs");
	uint64_t outs = json_u64(at, "outputs");
	uint64_t segwit = json_u64(at, "segwit_tx");
	char *file = td_json_str(at, "file");
	struct buf *b = td_read(file);
	struct walk w = {0};
	struct block_view v;
	struct hash256 h;
	size_t trailing;

	ck_assert_int_eq(block_view_parse(&v, &trailing, buf_payload(b)), 0);
	sha256d(&h, v.header, HEADER_SIZE);
	ck_assert_str_eq(hash256_fmt(hash, &h), want);
	ck_assert_uint_eq(trailing, 0);
	ck_assert_uint_eq(v.size, size);
	ck_assert_uint_eq(block_weight(&v), weight);
	ck_assert_uint_eq(v.n_tx, txs);
	walk_block(&w, &v);
	ck_assert_uint_eq(w.inputs, ins + 1); /* the coinbase's */
	ck_assert_uint_eq(w.outputs, outs);
	ck_assert_uint_eq(w.witness_txs, segwit + tx_has_witness(&v.tx[0]));
	block_hash_txs(&v);
	check_hashes(&v);
	if (v.has_witness)
		check_commitment(&v);
	check_stripped(&v);
	block_view_fini(&v);
	buf_unref(b);
	free(file);
	free(want);
}

START_TEST(real_blocks_have_their_hash_size_weight_and_roots)
{
	if (td_missing())
		return;
	char *text = td_read_text("blocks/index.json");
	const char *at = text;
	size_t rows = 0;

	while (strstr(at, "\"hash\"")) {
		check_row(&at);
		rows++;
	}
	ck_assert_uint_eq(rows, 56);
	free(text);
}
END_TEST

START_TEST(a_real_block_has_the_txids_that_bitcoin_core_gives)
{
	if (td_missing())
		return;
	char *text = td_read_text("blocks/mainnet/mainnet-951658.json");
	struct buf *b = td_read("blocks/mainnet/mainnet-951658.bin");
	char *p = strstr(text, "\"tx\":"), txt[HASH256_STR];
	struct block_view v;
	size_t trailing;

	ck_assert_ptr_nonnull(p);
	p += 5;
	ck_assert_int_eq(block_view_parse(&v, &trailing, buf_payload(b)), 0);
	block_hash_txs(&v);
	for (uint32_t i = 0; i < v.n_tx; i++) {
		p = strchr(p, '"') + 1;
		hash256_fmt(txt, &v.txid[i]);
		ck_assert_msg(strncmp(p, txt, 64) == 0, "tx %u", i);
		p += 65;
	}
	block_view_fini(&v);
	buf_unref(b);
	free(text);
}
END_TEST

START_TEST(every_cut_of_a_real_block_is_refused)
{
	static const char *const file[] = {
	    "blocks/mainnet/mainnet-100000.bin",
	    "blocks/testnet4/testnet4-002067.bin",
	    "blocks/testnet3/testnet3-898352.bin",
	    "blocks/mainnet/mainnet-482683.bin",
	};
	if (td_missing())
		return;

	for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
		struct buf *b = td_read(file[i]);
		check_cuts(walk_block_body, buf_payload(b));
		check_extra(walk_block_body, buf_payload(b), true);
		buf_unref(b);
	}
}
END_TEST

START_TEST(a_block_without_transactions_is_read)
{
	uint8_t raw[83] = {0};
	struct block_view v;
	size_t trailing;

	ck_assert_int_eq(block_view_parse(&v, &trailing, slice_of(raw, 83)), 0);
	ck_assert_uint_eq(v.n_tx, 0);
	ck_assert_uint_eq(trailing, 2);
	ck_assert_uint_eq(v.size, 81);
	ck_assert_uint_eq(v.raw.n, 81);
	ck_assert_uint_eq(block_weight(&v), 4 * 81);
	block_hash_txs(&v);
	block_view_fini(&v);
	ck_assert_ptr_null(v.tx);
}
END_TEST

START_TEST(counts_are_bounded_before_anything_is_set_aside)
{
	uint8_t head[80] = {0};

	check_counts(walk_block_body, slice_of(head, 80), 4096);
	check_cuts(walk_block_body, slice_of("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
					     "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
					     "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
					     "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
					     "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
					     81));
}
END_TEST

START_TEST(the_most_transactions_that_fit_a_message_are_indexed)
{
	/* 10 bytes each: version, no inputs, no outputs, lock time. */
	uint32_t n = (4000000 - 80 - 5) / 10;
	size_t size = 80 + 5 + (size_t)n * 10, trailing;
	uint8_t *raw = calloc(size, 1);
	struct block_view v;

	ck_assert_ptr_nonnull(raw);
	compact_put(raw + 80, n);
	ck_assert_int_eq(block_view_parse(&v, &trailing, slice_of(raw, size)),
			 0);
	ck_assert_uint_eq(v.n_tx, n);
	ck_assert_uint_eq(v.size, size);
	ck_assert_uint_eq(v.base_size, size);
	block_hash_txs(&v);
	ck_assert(hash256_eq(&v.txid[0], &v.txid[n - 1]));
	block_view_fini(&v);
	/* One transaction more than the bytes can hold. */
	compact_put(raw + 80, n + 1);
	ck_assert_int_eq(block_view_parse(&v, &trailing, slice_of(raw, size)),
			 E_PARSE);
	free(raw);
}
END_TEST

static uint32_t script_bytes(struct slice script)
{
	return (uint32_t)script.n;
}

static uint32_t one(struct slice script)
{
	(void)script;
	return 1;
}

START_TEST(every_script_of_a_block_is_summed)
{
	uint8_t raw[SAMPLE_MAX];
	struct block_view b;
	size_t trailing;

	ck_assert_int_eq(
	    block_view_parse(&b, &trailing,
			     slice_of(raw, sample_put(raw, MSG_BLOCK))),
	    0);
	/* Two transactions, each with scripts of 0, 3, 22 and 22 bytes. */
	ck_assert_uint_eq(block_script_sum(&b, one), 8);
	ck_assert_uint_eq(block_script_sum(&b, script_bytes), 94);
	ck_assert_uint_eq(tx_script_sum(&b.tx[1], script_bytes), 47);
	block_view_fini(&b);
}
END_TEST

Suite *block_suite(void)
{
	Suite *s = suite_create("block");
	TCase *t = tcase_create("block_view"), *r = tcase_create("real");

	tcase_add_test(t, a_block_without_transactions_is_read);
	tcase_add_test(t, every_script_of_a_block_is_summed);
	tcase_add_test(t, counts_are_bounded_before_anything_is_set_aside);
	tcase_add_test(t, the_most_transactions_that_fit_a_message_are_indexed);
	tcase_add_test(r, real_blocks_have_their_hash_size_weight_and_roots);
	tcase_add_test(r, a_real_block_has_the_txids_that_bitcoin_core_gives);
	tcase_add_test(r, every_cut_of_a_real_block_is_refused);
	tcase_set_timeout(r, 120);
	suite_add_tcase(s, t);
	suite_add_tcase(s, r);
	return s;
}
