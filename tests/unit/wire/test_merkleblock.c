/* merkleblock: the view, the walk, the making; against a plain recursion. */
#include "wiretest.h"

#include "samples.h"

#include <cairn/base/buf.h>
#include <cairn/crypto/sha256.h>
#include <cairn/wire/block.h>
#include <cairn/wire/merkleblock.h>

#include <stdio.h>
#include <stdlib.h>

#define N_MAX 300u

static bool ok(struct slice body)
{
	struct merkleblock_view v;
	struct merkle_walk w;
	struct merkle_leaf leaf;
	uint32_t sum = 0;

	if (!merkleblock_view_parse(&v, body))
		return false;
	for (uint32_t i = 0; i < v.n_hashes; i++)
		sum += merkleblock_hash(&v, i)->b[31];
	merkle_walk_init(&w, &v);
	while (merkle_walk_next(&w, &leaf))
		sum += leaf.index + leaf.txid->b[0];
	return sum + v.header[79] + v.flags.n != UINT32_MAX;
}

/* n different hashes; some matched by seed. */
static void make(struct hash256 *txid, uint8_t *match, uint32_t n,
		 uint32_t seed)
{
	uint8_t r[N_MAX];

	fill(r, n, seed);
	for (uint32_t i = 0; i < n; i++) {
		fill(txid[i].b, 32, i + 1);
		match[i] = r[i] < (seed % 5) * 60;
	}
}

static size_t write(uint8_t *raw, const struct merkle_pick *m)
{
	static struct hash256 scratch[N_MAX];
	uint8_t header[HEADER_SIZE];
	size_t n = merkle_pick_size(m);

	sample_header_put(header);
	ck_assert_ptr_eq(merkle_pick_put(raw, header, m, scratch), raw + n);
	return n;
}

static struct hash256 root_of(const struct hash256 *txid, uint32_t n)
{
	static struct hash256 copy[N_MAX];
	struct hash256 root;

	memcpy(copy, txid, n * sizeof *copy);
	merkle_root(&root, NULL, copy, n, copy);
	return root;
}

/* Walk to the end; the number of leaves, and whether the root came. */
static uint32_t walk(const struct merkleblock_view *v, struct hash256 *root,
		     bool *whole)
{
	struct merkle_walk w;
	struct merkle_leaf leaf;
	uint32_t n = 0;

	merkle_walk_init(&w, v);
	while (merkle_walk_next(&w, &leaf))
		n++;
	ck_assert(!merkle_walk_next(&w, &leaf));
	*whole = merkle_walk_end(&w, root);
	return n;
}

static void check_pick(const struct merkle_pick *m, uint8_t *raw)
{
	size_t size = write(raw, m);
	struct merkleblock_view v;
	struct merkle_walk w;
	struct merkle_leaf leaf;
	struct hash256 root, want = root_of(m->txid, m->n);
	uint32_t i = 0;

	ck_assert(merkleblock_view_parse(&v, slice_of(raw, size)));
	ck_assert_uint_eq(v.n_tx, m->n);
	merkle_walk_init(&w, &v);
	while (merkle_walk_next(&w, &leaf)) {
		while (i < leaf.index)
			ck_assert_uint_eq(m->match[i++], 0);
		ck_assert_uint_ne(m->match[i], 0);
		ck_assert(hash256_eq(leaf.txid, &m->txid[i++]));
	}
	while (i < m->n)
		ck_assert_uint_eq(m->match[i++], 0);
	ck_assert(merkle_walk_end(&w, &root));
	ck_assert(hash256_eq(&root, &want));
}

START_TEST(the_picked_transactions_come_out_again)
{
	struct hash256 txid[N_MAX];
	uint8_t match[N_MAX], *raw = malloc(80 + 40 * N_MAX);

	ck_assert_ptr_nonnull(raw);
	for (uint32_t n = 1; n <= N_MAX; n += n < 40 ? 1 : 13) {
		for (uint32_t seed = 0; seed < 10; seed++) {
			struct merkle_pick m = {txid, match, n};
			make(txid, match, n, seed);
			check_pick(&m, raw);
		}
	}
	free(raw);
}
END_TEST

START_TEST(a_tree_without_a_match_is_its_root)
{
	struct hash256 txid[5], root = {{0}};
	uint8_t match[5] = {0}, raw[200];
	struct merkle_pick m = {txid, match, 5};
	struct merkleblock_view v;
	size_t n;

	make(txid, match, 5, 0);
	root = root_of(txid, 5);
	n = write(raw, &m);
	ck_assert(merkleblock_view_parse(&v, slice_of(raw, n)));
	ck_assert_uint_eq(v.n_hashes, 1);
	ck_assert(hash256_eq(merkleblock_hash(&v, 0), &root));
	ck_assert_uint_eq(v.flags.n, 1);
	ck_assert_uint_eq(v.flags.p[0], 0);
}
END_TEST

START_TEST(it_is_read_and_written_again)
{
	uint8_t raw[SAMPLE_MAX], again[SAMPLE_MAX];
	size_t n = sample_put(raw, MSG_MERKLEBLOCK);
	struct merkleblock_view v;

	ck_assert(merkleblock_view_parse(&v, slice_of(raw, n)));
	ck_assert_uint_eq(merkleblock_size(v.n_hashes, v.flags.n), n);
	ck_assert_ptr_eq(merkleblock_put(again, &v), again + n);
	ck_assert_mem_eq(again, raw, n);
	check_cuts(ok, slice_of(raw, n));
	check_extra(ok, slice_of(raw, n), true);
	check_counts(ok, slice_of(raw, 84), 4096);
	raw[84] = 0;
	check_counts(ok, slice_of(raw, 85), 4096);
}
END_TEST

/* Whether flipping this bit of the sample's flags leaves the root as it is: a
 * leaf's own bit says only that the leaf matched, and behind the ten nodes of
 * the walk comes padding. */
static bool bit_is_free(size_t flag)
{
	return flag == 3 || flag == 4 || flag >= 9;
}

START_TEST(no_other_changed_bit_leads_to_the_same_root)
{
	uint8_t raw[SAMPLE_MAX];
	size_t n = sample_put(raw, MSG_MERKLEBLOCK), flags_at;
	struct merkleblock_view v;
	struct hash256 want, root;
	bool whole;

	ck_assert(merkleblock_view_parse(&v, slice_of(raw, n)));
	ck_assert_uint_eq(walk(&v, &want, &whole), 2);
	ck_assert(whole);
	flags_at = n - v.flags.n;
	for (size_t i = (HEADER_SIZE + 4) * 8; i < n * 8; i++) {
		struct merkleblock_view t;
		bool free_bit =
		    i >= flags_at * 8 && bit_is_free(i - flags_at * 8);

		raw[i / 8] ^= (uint8_t)(1u << i % 8);
		whole = merkleblock_view_parse(&t, slice_of(raw, n));
		if (whole)
			walk(&t, &root, &whole);
		ck_assert_msg((whole && hash256_eq(&root, &want)) == free_bit,
			      "bit %zu", i);
		raw[i / 8] ^= (uint8_t)(1u << i % 8);
	}
}
END_TEST

START_TEST(a_tree_that_is_not_used_up_proves_nothing)
{
	struct hash256 txid[6], root;
	uint8_t match[6], raw[500] = {0}, flags[3];
	struct merkle_pick m = {txid, match, 6};
	struct merkleblock_view v, t;
	bool whole;

	make(txid, match, 6, 0);
	match[0] = 1;
	ck_assert(merkleblock_view_parse(&v, slice_of(raw, write(raw, &m))));
	ck_assert_uint_eq(walk(&v, &root, &whole), 1);
	ck_assert(whole);
	ck_assert_uint_eq(v.n_hashes, 4);
	/* A byte of flags more, one less; a hash less, one more. */
	memcpy(flags, v.flags.p, v.flags.n);
	flags[v.flags.n] = 0;
	t = v;
	t.flags = slice_of(flags, v.flags.n + 1);
	walk(&t, &root, &whole);
	ck_assert(!whole);
	t.flags = slice_of(flags, v.flags.n - 1);
	walk(&t, &root, &whole);
	ck_assert(!whole);
	t = v;
	t.n_hashes = 3;
	walk(&t, &root, &whole);
	ck_assert(!whole);
	t.n_hashes = 5;
	walk(&t, &root, &whole);
	ck_assert(!whole);
}
END_TEST

START_TEST(absurd_numbers_prove_nothing)
{
	static const uint32_t bad[] = {0, MERKLEBLOCK_TX_MAX + 1, 0x7fffffff,
				       UINT32_MAX};
	uint8_t raw[SAMPLE_MAX];
	size_t n = sample_put(raw, MSG_MERKLEBLOCK);
	struct merkleblock_view v;
	struct hash256 root;
	bool whole;

	for (size_t i = 0; i < 4; i++) {
		le32_put(raw + HEADER_SIZE, bad[i]);
		ck_assert(merkleblock_view_parse(&v, slice_of(raw, n)));
		ck_assert_uint_eq(walk(&v, &root, &whole), 0);
		ck_assert(!whole);
	}
	/* Fewer transactions than hashes; as many nodes as bits cannot be. */
	ck_assert_uint_ge(v.n_hashes, 2);
	v.n_tx = v.n_hashes - 1;
	walk(&v, &root, &whole);
	ck_assert(!whole);
	v.n_tx = 7;
	v.flags.n = 0;
	walk(&v, &root, &whole);
	ck_assert(!whole);
}
END_TEST

/* The largest tree: a row of 16,666, every transaction matched. */
START_TEST(the_largest_tree_can_be_walked)
{
	enum { N = MERKLEBLOCK_TX_MAX };
	struct hash256 *txid = calloc(2 * N, sizeof *txid), root, want;
	uint8_t *match = malloc(N), *raw;
	uint8_t header[HEADER_SIZE] = {0};
	struct merkle_pick m = {txid, match, N};
	struct merkleblock_view v;
	bool whole;
	size_t n;

	ck_assert(txid && match);
	memset(match, 1, N);
	for (uint32_t i = 0; i < N; i++)
		le32_put(txid[i].b, i);
	n = merkle_pick_size(&m);
	ck_assert_uint_eq(n, 80 + 4 + 3 + N * 32 + 3 + 4168);
	raw = malloc(n);
	ck_assert_ptr_nonnull(raw);
	merkle_pick_put(raw, header, &m, txid + N);
	ck_assert(merkleblock_view_parse(&v, slice_of(raw, n)));
	ck_assert_uint_eq(walk(&v, &root, &whole), N);
	ck_assert(whole);
	merkle_root(&want, NULL, txid, N, txid);
	ck_assert(hash256_eq(&root, &want));
	free(raw);
	free(match);
	free(txid);
}
END_TEST

/* CVE-2012-2459: the last transaction twice looks like the odd row's own
 * pairing. */
START_TEST(equal_children_prove_nothing)
{
	struct hash256 txid[4], root, want;
	uint8_t match[4] = {1, 1, 1, 1}, raw[400];
	struct merkle_pick m = {txid, match, 4};
	struct merkleblock_view v;
	bool whole;

	make(txid, match, 4, 0);
	memset(match, 1, 4);
	want = root_of(txid, 3);
	txid[3] = txid[2];
	ck_assert(merkleblock_view_parse(&v, slice_of(raw, write(raw, &m))));
	ck_assert_uint_eq(walk(&v, &root, &whole), 4);
	ck_assert(!whole);
	m.n = 3;
	ck_assert(merkleblock_view_parse(&v, slice_of(raw, write(raw, &m))));
	walk(&v, &root, &whole);
	ck_assert(whole);
	ck_assert(hash256_eq(&root, &want));
}
END_TEST

START_TEST(proofs_of_mainnet_lead_to_their_header)
{
	static const struct {
		const char *name;
		uint32_t n_tx, index;
	} row[] = {
	    {"merkle300025.raw", 461, 0},
	    {"txoutproof-0830000-0.bin", 1851, 0},
	    {"txoutproof-0830000-1.bin", 1851, 1},
	    {"txoutproof-0830000-10.bin", 1851, 10},
	    {"txoutproof-0830000-100.bin", 1851, 100},
	    {"txoutproof-0830000-1000.bin", 1851, 1000},
	    {"txoutproof-0830000-1850.bin", 1851, 1850},
	};
	if (td_missing())
		return;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char name[64];
		snprintf(name, sizeof name, "vectors/p2p/%s", row[i].name);
		struct buf *b = td_read(name);
		struct merkleblock_view v;
		struct merkle_walk w;
		struct merkle_leaf leaf;
		struct hash256 root;

		ck_assert(merkleblock_view_parse(&v, buf_payload(b)));
		ck_assert_uint_eq(v.n_tx, row[i].n_tx);
		ck_assert_uint_eq(merkleblock_size(v.n_hashes, v.flags.n),
				  b->n);
		merkle_walk_init(&w, &v);
		ck_assert(merkle_walk_next(&w, &leaf));
		if (i)
			ck_assert_uint_eq(leaf.index, row[i].index);
		while (merkle_walk_next(&w, &leaf))
			;
		ck_assert(merkle_walk_end(&w, &root));
		ck_assert(hash256_eq(&root, header_merkle(v.header)));
		check_cuts(ok, buf_payload(b));
		buf_unref(b);
	}
}
END_TEST

Suite *merkleblock_suite(void)
{
	Suite *s = suite_create("merkleblock");
	TCase *t = tcase_create("merkleblock"), *w = tcase_create("walk");

	tcase_add_test(t, the_picked_transactions_come_out_again);
	tcase_add_test(t, a_tree_without_a_match_is_its_root);
	tcase_add_test(t, it_is_read_and_written_again);
	tcase_add_test(w, no_other_changed_bit_leads_to_the_same_root);
	tcase_add_test(w, a_tree_that_is_not_used_up_proves_nothing);
	tcase_add_test(w, absurd_numbers_prove_nothing);
	tcase_add_test(w, the_largest_tree_can_be_walked);
	tcase_add_test(w, equal_children_prove_nothing);
	tcase_add_test(w, proofs_of_mainnet_lead_to_their_header);
	tcase_set_timeout(w, 30);
	suite_add_tcase(s, t);
	suite_add_tcase(s, w);
	return s;
}
