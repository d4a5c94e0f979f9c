/* block: index, every transaction, hashes on the lanes, roots, stripped form.
 */
#include "fuzz_tx.h"

#include <cairn/crypto/sha256.h>
#include <cairn/wire/block.h>

/* The root by the book: pairs hashed one at a time. */
static void plain_root(struct hash256 *root, struct hash256 *row, uint32_t n)
{
	struct hash256 pair[2];

	while (n > 1) {
		for (uint32_t i = 0; i < n; i += 2) {
			pair[0] = row[i];
			pair[1] = row[i + 1 < n ? i + 1 : i];
			sha256d(&row[i / 2], pair, sizeof pair);
		}
		n = (n + 1) / 2;
	}
	memset(root, 0, sizeof *root);
	if (n)
		*root = row[0];
}

static void roots(const struct hash256 *leaves, uint32_t n)
{
	struct hash256 *a = malloc((n + 1) / 2 * sizeof *a + 1);
	struct hash256 *b = malloc((n + 1) * sizeof *b);
	struct hash256 got, want;
	bool mutated;

	fuzz_check(a && b);
	memcpy(b, leaves, n * sizeof *b);
	merkle_root(&got, &mutated, leaves, n, a);
	plain_root(&want, b, n);
	fuzz_check(hash256_eq(&got, &want));
	free(a);
	free(b);
}

static void hashes(struct block_view *v)
{
	static const struct hash256 zero;
	struct hash256 h;

	block_hash_txs(v);
	for (uint32_t i = 0; i < v->n_tx; i++) {
		tx_txid(&h, &v->tx[i]);
		fuzz_check(hash256_eq(&h, &v->txid[i]));
		if (i)
			tx_wtxid(&h, &v->tx[i]);
		else
			h = zero;
		fuzz_check(hash256_eq(&h, &v->wtxid[i]));
	}
	roots(v->txid, v->n_tx);
}

static void stripped(const struct block_view *v)
{
	uint8_t *out = fuzz_new(v->base_size);
	struct block_view w;
	size_t trailing;

	fuzz_check(block_put_base(out, v) == out + v->base_size);
	fuzz_check(
	    block_view_parse(&w, &trailing, slice_of(out, v->base_size)) == 0);
	fuzz_check(trailing == 0 && w.n_tx == v->n_tx && !w.has_witness);
	fuzz_check(w.size == v->base_size && w.base_size == v->base_size);
	if (!v->has_witness)
		fuzz_check(memcmp(out, v->raw.p, v->base_size) == 0);
	block_view_fini(&w);
	free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct block_view v;
	const uint8_t *p;
	size_t trailing;

	if (block_view_parse(&v, &trailing, slice_of(data, size)) != 0)
		return 0;
	fuzz_check(v.raw.p == data && v.raw.n + trailing == size);
	fuzz_check(v.size == v.raw.n && v.header == data);
	p = data + HEADER_SIZE + compact_size(v.n_tx);
	for (uint32_t i = 0; i < v.n_tx; i++) {
		fuzz_check(v.tx[i].p == p);
		fuzz_tx_view(&v.tx[i]);
		p += v.tx[i].size;
	}
	fuzz_check(p == data + v.size);
	fuzz_check(block_weight(&v) == 3 * v.base_size + v.size);
	hashes(&v);
	stripped(&v);
	block_view_fini(&v);
	return 0;
}
