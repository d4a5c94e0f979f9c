/* blocktxn: transactions, written again. */
#include "fuzz_tx.h"

#include <cairn/wire/cmpctblock.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct blocktxn_view v;
	struct blocktxn_iter it;
	struct tx_view tx;
	size_t n, bytes = 0;
	uint8_t *out, *p;
	uint32_t i = 0;

	if (!blocktxn_view_parse(&v, slice_of(data, size)))
		return 0;
	for (blocktxns(&it, &v); blocktxn_next(&it, &tx); i++) {
		fuzz_tx_view(&tx);
		bytes += tx.size;
	}
	fuzz_check(i == v.n && v.p + bytes == v.end);
	n = blocktxn_size(v.n, bytes);
	fuzz_check(n <= size);
	out = fuzz_new(n);
	p = blocktxn_head_put(out, v.block, v.n);
	for (blocktxns(&it, &v); blocktxn_next(&it, &tx);)
		p = bytes_put(p, tx.p, tx.size);
	fuzz_same(out, p, n, data);
	return 0;
}
