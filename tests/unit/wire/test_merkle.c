/* Merkle roots against a plain recursion, and CVE-2012-2459. */
#include "wiretest.h"

#include <cairn/crypto/sha256.h>
#include <cairn/wire/block.h>

#include <stdlib.h>

/* The root of n > 0 leaves, padded by repetition to 2^depth, written from the
 * definition: no rows, no lanes. */
static struct hash256 plain(const struct hash256 *leaf, uint32_t n, uint32_t at,
			    uint32_t depth)
{
	struct hash256 pair[2], out;
	uint32_t right = at + (1u << depth) / 2;

	if (depth == 0)
		return leaf[at];
	pair[0] = plain(leaf, n, at, depth - 1);
	pair[1] = right < n ? plain(leaf, n, right, depth - 1) : pair[0];
	sha256d(&out, pair, sizeof pair);
	return out;
}

static uint32_t depth_of(uint32_t n)
{
	uint32_t d = 0;

	while ((1u << d) < n)
		d++;
	return d;
}

/* A fresh array of n leaves numbered by no[i]. */
static struct hash256 *leaves_new(const uint32_t *no, uint32_t n)
{
	struct hash256 *l = calloc(n + 1, sizeof *l);

	ck_assert_ptr_nonnull(l);
	for (uint32_t i = 0; i < n; i++)
		fill(l[i].b, 32, no ? no[i] : i + 1);
	return l;
}

static struct hash256 root_of(const uint32_t *no, uint32_t n, bool *mutated)
{
	struct hash256 *l = leaves_new(no, n), *same = leaves_new(no, n);
	struct hash256 *scratch = calloc((n + 1) / 2 + 1, sizeof *scratch);
	struct hash256 root, again;
	size_t size = n * sizeof *l;

	ck_assert_ptr_nonnull(scratch);
	fill(scratch[(n + 1) / 2].b, 32, 77);
	merkle_root(&root, mutated, l, n, scratch);
	/* Nothing but the scratch is written, and of that no more than said. */
	ck_assert(n == 0 || memcmp(l, same, size) == 0);
	fill(again.b, 32, 77);
	ck_assert(hash256_eq(&scratch[(n + 1) / 2], &again));
	merkle_root(&again, NULL, l, n, l);
	ck_assert(hash256_eq(&again, &root));
	free(l);
	free(same);
	free(scratch);
	return root;
}

START_TEST(roots_agree_with_the_definition)
{
	bool mutated;

	for (uint32_t n = 1; n <= 200; n++) {
		struct hash256 *l = leaves_new(NULL, n);
		struct hash256 want = plain(l, n, 0, depth_of(n));
		struct hash256 got = root_of(NULL, n, &mutated);
		ck_assert_msg(hash256_eq(&got, &want), "n=%u", n);
		ck_assert_msg(!mutated, "n=%u", n);
		free(l);
	}
}
END_TEST

START_TEST(nothing_has_the_zero_root)
{
	struct hash256 root;
	bool mutated = true;

	fill(root.b, 32, 1);
	merkle_root(&root, &mutated, NULL, 0, NULL);
	ck_assert(hash256_is_zero(&root));
	ck_assert(!mutated);
}
END_TEST

START_TEST(one_leaf_is_its_own_root)
{
	struct hash256 leaf, root;

	fill(leaf.b, 32, 1);
	root = root_of(NULL, 1, NULL);
	ck_assert(hash256_eq(&root, &leaf));
}
END_TEST

START_TEST(a_repeated_tail_keeps_the_root_and_is_told)
{
	static const struct {
		uint32_t n, n_twin;
		uint32_t no[12];
	} row[] = {
	    {3, 4, {1, 2, 3, 3}},
	    {6, 8, {1, 2, 3, 4, 5, 6, 5, 6}},
	    {5, 6, {1, 2, 3, 4, 5, 5}},
	    {5, 8, {1, 2, 3, 4, 5, 5, 5, 5}},
	    {9, 12, {1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9}},
	};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		bool good, twin;
		struct hash256 a = root_of(row[i].no, row[i].n, &good);
		struct hash256 b = root_of(row[i].no, row[i].n_twin, &twin);
		ck_assert_msg(hash256_eq(&a, &b), "row %zu", i);
		ck_assert_msg(!good && twin, "row %zu", i);
	}
}
END_TEST

START_TEST(twins_anywhere_in_a_row_are_told)
{
	static const uint32_t front[] = {1, 1, 2, 3};
	static const uint32_t inner[] = {1, 2, 1, 2, 3, 4};
	static const uint32_t apart[] = {1, 2, 2, 3};
	bool mutated;

	root_of(front, 4, &mutated);
	ck_assert(mutated);
	root_of(inner, 6, &mutated);
	ck_assert(mutated);
	/* Equal neighbours that are not a pair make no ambiguity. */
	root_of(apart, 4, &mutated);
	ck_assert(!mutated);
}
END_TEST

Suite *merkle_suite(void)
{
	Suite *s = suite_create("merkle");
	TCase *t = tcase_create("merkle_root");

	tcase_add_test(t, roots_agree_with_the_definition);
	tcase_add_test(t, nothing_has_the_zero_root);
	tcase_add_test(t, one_leaf_is_its_own_root);
	tcase_add_test(t, a_repeated_tail_keeps_the_root_and_is_told);
	tcase_add_test(t, twins_anywhere_in_a_row_are_told);
	suite_add_tcase(s, t);
	return s;
}
