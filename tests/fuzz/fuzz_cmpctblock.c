/* cmpctblock: ids and prefilled transactions, written again. */
#include "fuzz_tx.h"

#include <cairn/wire/cmpctblock.h>

static size_t prefilled_bytes(const struct cmpctblock_view *v)
{
	struct prefilled_iter it;
	struct prefilled t;
	uint32_t next = 0, n = 0;
	size_t sum = 0;

	prefilleds(&it, v);
	while (prefilled_next(&it, &t)) {
		fuzz_check(t.index >= next);
		sum +=
		    prefilled_size(t.index - next, slice_of(t.tx.p, t.tx.size));
		next = t.index + 1;
		fuzz_tx_view(&t.tx);
		n++;
	}
	fuzz_check(n == v->n_prefilled);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cmpctblock_view v;
	struct prefilled_iter it;
	struct prefilled t;
	uint32_t next = 0;
	uint8_t *out, *p;
	size_t n;

	if (!cmpctblock_view_parse(&v, slice_of(data, size)))
		return 0;
	fuzz_check(v.n_short + v.n_prefilled <= CMPCT_TX_MAX);
	fuzz_check(!cmpctblock_is_sane(&v) || v.n_short + v.n_prefilled > 0);
	n = cmpctblock_size(v.n_short, v.n_prefilled, prefilled_bytes(&v));
	fuzz_check(n <= size);
	p = out = fuzz_new(n);
	p = cmpctblock_head_put(p, v.header, v.nonce, v.n_short);
	for (uint32_t i = 0; i < v.n_short; i++)
		p = cmpct_short_id_put(p, cmpct_short_id(&v, i));
	p = compact_put(p, v.n_prefilled);
	prefilleds(&it, &v);
	while (prefilled_next(&it, &t)) {
		p = prefilled_put(p, t.index - next,
				  slice_of(t.tx.p, t.tx.size));
		next = t.index + 1;
	}
	fuzz_same(out, p, n, data);
	return 0;
}
