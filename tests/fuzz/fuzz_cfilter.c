/* cfilter. */
#include "fuzz.h"

#include <cairn/wire/cfilter.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cfilter_view v;
	uint8_t *out;

	if (!cfilter_view_parse(&v, slice_of(data, size)))
		return 0;
	fuzz_check(cfilter_size(v.filter.n) == size);
	out = fuzz_new(size);
	fuzz_same(out, cfilter_put(out, v.filter_type, v.block, v.filter), size,
		  data);
	return 0;
}
