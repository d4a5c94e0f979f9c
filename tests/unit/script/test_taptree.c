/* Script trees of taproot against BIP 341's wallet vectors. */
#include "suites.h"
#include "testdata.h"
#include "testjson.h"

#include <cairn/script/taptree.h>

#include <stdio.h>
#include <stdlib.h>

static void check(const uint8_t *got, const char *hex)
{
	uint8_t want[32];

	ck_assert_uint_eq(td_hex_into(want, 32, hex), 32);
	ck_assert_mem_eq(got, want, 32);
}

static void hash_leaf(uint8_t out[32], const struct tj *leaf,
		      const struct tj *hashes)
{
	const char *hex = tj_str(leaf, "script");
	long version = strtol(tj_get(leaf, "leafVersion")->str, NULL, 10);
	long id = strtol(tj_get(leaf, "id")->str, NULL, 10);
	size_t n;
	uint8_t *script = td_hex(hex, strlen(hex), &n);

	tap_leaf_hash(out, (uint8_t)version, slice_of(script, n));
	check(out, hashes->at[id].str);
	free(script);
}

/* A leaf, or two trees: the vectors are at most three levels deep. */
static void hash_tree(uint8_t out[32], const struct tj *t,
		      const struct tj *hashes)
{
	uint8_t a[32], b[32];

	if (t->kind == TJ_OBJECT) {
		hash_leaf(out, t, hashes);
		return;
	}
	ck_assert_uint_eq(t->n, 2);
	hash_tree(a, &t->at[0], hashes);
	hash_tree(b, &t->at[1], hashes);
	tap_branch_hash(out, a, b);
	tap_branch_hash(b, b, a);
	ck_assert_mem_eq(out, b, 32);
}

START_TEST(trees_are_those_of_bip341)
{
	const struct tj *cases;
	struct tj *all;

	if (td_missing())
		return;
	all = tj_read("vectors/core/bip341_wallet_vectors.json");
	cases = tj_get(all, "scriptPubKey");
	for (size_t i = 0; i < cases->n; i++) {
		const struct tj *given = tj_get(&cases->at[i], "given");
		const struct tj *made = tj_get(&cases->at[i], "intermediary");
		const struct tj *tree = tj_get(given, "scriptTree");
		uint8_t key[32], root[32], tweak[32];
		bool scripts = tree->kind != TJ_WORD;

		td_hex_into(key, 32, tj_str(given, "internalPubkey"));
		if (scripts) {
			hash_tree(root, tree, tj_get(made, "leafHashes"));
			check(root, tj_str(made, "merkleRoot"));
		}
		tap_tweak_hash(tweak, key, scripts ? root : NULL);
		check(tweak, tj_str(made, "tweak"));
	}
	printf("bip341: %zu trees\n", cases->n);
	ck_assert_uint_eq(cases->n, 7);
	tj_free(all);
}
END_TEST

Suite *taptree_suite(void)
{
	Suite *s = suite_create("taptree");
	TCase *t = tcase_create("taptree");

	tcase_add_test(t, trees_are_those_of_bip341);
	suite_add_tcase(s, t);
	return s;
}
