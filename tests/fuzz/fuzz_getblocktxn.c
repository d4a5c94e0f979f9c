/* getblocktxn: indexes, written again. */
#include "fuzz.h"

#include <cairn/wire/cmpctblock.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct getblocktxn_view v;
	struct index_iter it;
	uint16_t *index;
	uint32_t i, n = 0;
	uint8_t *out;

	if (!getblocktxn_view_parse(&v, slice_of(data, size)))
		return 0;
	index = calloc(v.n + 1, sizeof *index);
	fuzz_check(index);
	getblocktxn_indexes(&it, &v);
	while (getblocktxn_next(&it, &i)) {
		fuzz_check(i <= UINT16_MAX && (n == 0 || i > index[n - 1]));
		index[n++] = (uint16_t)i;
	}
	fuzz_check(n == v.n && it.r.p == v.end && rd_ok(&it.r));
	fuzz_check(getblocktxn_size(index, n) <= size);
	out = fuzz_new(getblocktxn_size(index, n));
	fuzz_same(out, getblocktxn_put(out, v.block, index, n),
		  getblocktxn_size(index, n), data);
	free(index);
	return 0;
}
