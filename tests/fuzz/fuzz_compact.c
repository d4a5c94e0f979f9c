/* CompactSize: what is accepted is minimal and written as it was read. */
#include "fuzz.h"

#include <cairn/base/rd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rd r;
	uint8_t *out;
	uint64_t v;
	size_t n;

	rd_init(&r, slice_of(data, size));
	while (rd_left(&r) && rd_ok(&r)) {
		const uint8_t *at = r.p;
		struct rd bounded = r;
		v = rd_compact_any(&r);
		if (!rd_ok(&r))
			break;
		n = compact_size(v);
		fuzz_check(r.p == at + n);
		out = fuzz_new(n);
		fuzz_same(out, compact_put(out, v), n, at);
		rd_compact(&bounded);
		fuzz_check(rd_ok(&bounded) == (v <= RD_COMPACT_MAX));
	}
	return 0;
}
