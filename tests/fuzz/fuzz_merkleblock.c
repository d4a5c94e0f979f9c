/*
 * merkleblock: written again; a tree that proves something is walked to its
 * root, and what it proves is proved anew where the block's transactions can be
 * made up from it.
 */
#include "fuzz.h"

#include <cairn/wire/merkleblock.h>

/* The walk ends after a bounded number of leaves, in the order of the block. */
static void walk(const struct merkleblock_view *v)
{
	struct hash256 root, untouched;
	struct merkle_leaf leaf;
	struct merkle_walk w;
	int64_t last = -1;

	memset(&root, 0x5a, sizeof root);
	untouched = root;
	merkle_walk_init(&w, v);
	while (merkle_walk_next(&w, &leaf)) {
		fuzz_check((int64_t)leaf.index > last && leaf.index < v->n_tx);
		last = leaf.index;
		fuzz_touch_hash(leaf.txid);
	}
	if (!merkle_walk_end(&w, &root)) {
		fuzz_check(hash256_eq(&root, &untouched));
		return;
	}
	fuzz_check(v->n_tx > 0 && v->n_tx <= MERKLEBLOCK_TX_MAX);
	fuzz_check(v->n_hashes <= v->n_tx);
}

/* A proof of some of n made-up transactions holds, and says which. */
static void prove(const uint8_t *data, size_t size)
{
	uint32_t n = (uint32_t)size % 70 + 1, found = 0, wanted = 0;
	struct hash256 txid[70], scratch[70], root;
	uint8_t match[70], header[HEADER_SIZE] = {0}, *out;
	struct merkle_pick m = {txid, match, n};
	struct merkleblock_view v;
	struct merkle_leaf leaf;
	struct merkle_walk w;
	size_t bytes;

	for (uint32_t i = 0; i < n; i++) {
		memset(&txid[i], 0, sizeof txid[i]);
		txid[i].b[0] = (uint8_t)i;
		match[i] = data[i % size] & 1;
		wanted += match[i];
	}
	bytes = merkle_pick_size(&m);
	out = fuzz_new(bytes);
	fuzz_check(merkle_pick_put(out, header, &m, scratch) == out + bytes);
	fuzz_check(merkleblock_view_parse(&v, slice_of(out, bytes)));
	merkle_walk_init(&w, &v);
	while (merkle_walk_next(&w, &leaf)) {
		fuzz_check(leaf.index < n && match[leaf.index]);
		fuzz_check(hash256_eq(leaf.txid, &txid[leaf.index]));
		found++;
	}
	fuzz_check(merkle_walk_end(&w, &root) && found == wanted);
	free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct merkleblock_view v;
	uint8_t *out;
	size_t n;

	if (size)
		prove(data, size);
	if (!merkleblock_view_parse(&v, slice_of(data, size)))
		return 0;
	n = merkleblock_size(v.n_hashes, v.flags.n);
	fuzz_check(n <= size);
	for (uint32_t i = 0; i < v.n_hashes; i++)
		fuzz_touch_hash(merkleblock_hash(&v, i));
	out = fuzz_new(n);
	fuzz_same(out, merkleblock_put(out, &v), n, data);
	walk(&v);
	return 0;
}
