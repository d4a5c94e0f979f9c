/* tx: every part, both hashes, and the parts read once more from a cursor. */
#include "fuzz_tx.h"

#include <cairn/crypto/sha256.h>

/* The checked readers see what the iterators see. */
static void with_cursor(const struct tx_view *v)
{
	struct tx_iter it;
	struct txin_view in, in2;
	struct txout_view out, out2;
	struct rd r;

	txins(&it, v);
	rd_init(&r, slice_of(it.p, (size_t)(v->p + v->size - it.p)));
	while (txin_next(&it, &in)) {
		txin_get(&in2, &r);
		fuzz_check(in.prevout == in2.prevout &&
			   in.sequence == in2.sequence &&
			   slice_eq(in.script, in2.script) && r.p == it.p);
	}
	txouts(&it, v);
	rd_init(&r, slice_of(it.p, (size_t)(v->p + v->size - it.p)));
	while (txout_next(&it, &out)) {
		txout_get(&out2, &r);
		fuzz_check(out.value == out2.value &&
			   slice_eq(out.script, out2.script) && r.p == it.p);
	}
}

static void hashes(const struct tx_view *v)
{
	uint8_t *base = fuzz_new(v->base_size);
	struct hash256 got, want;

	tx_put_base(base, v);
	tx_txid(&got, v);
	sha256d(&want, base, v->base_size);
	fuzz_check(hash256_eq(&got, &want));
	tx_wtxid(&got, v);
	sha256d(&want, v->p, v->size);
	fuzz_check(hash256_eq(&got, &want));
	free(base);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tx_view v;
	struct rd r;

	rd_init(&r, slice_of(data, size));
	if (!tx_view_parse(&v, &r)) {
		fuzz_check(!rd_ok(&r) && rd_left(&r) == 0);
		return 0;
	}
	fuzz_check(v.p == data && r.p == data + v.size);
	fuzz_check(!tx_is_coinbase(&v) || v.n_in == 1);
	fuzz_tx_view(&v);
	with_cursor(&v);
	hashes(&v);
	return 0;
}
