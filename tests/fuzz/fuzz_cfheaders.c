/* cfheaders. */
#include "fuzz.h"

#include <cairn/wire/cfilter.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cfheaders_view v;
	uint8_t *out, *p;

	if (!cfheaders_view_parse(&v, slice_of(data, size)))
		return 0;
	fuzz_check(cfheaders_size(v.n) == size);
	p = out = fuzz_new(size);
	p = cfheaders_head_put(p, v.filter_type, v.stop, v.prev_header, v.n);
	p = bytes_put(p, v.hashes, (size_t)v.n * 32);
	fuzz_same(out, p, size, data);
	return 0;
}
