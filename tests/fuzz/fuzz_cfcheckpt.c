/* cfcheckpt. */
#include "fuzz.h"

#include <cairn/wire/cfilter.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cfcheckpt_view v;
	uint8_t *out, *p;

	if (!cfcheckpt_view_parse(&v, slice_of(data, size)))
		return 0;
	fuzz_check(cfcheckpt_size(v.n) == size);
	p = out = fuzz_new(size);
	p = cfcheckpt_head_put(p, v.filter_type, v.stop, v.n);
	for (uint32_t i = 0; i < v.n; i++)
		p = bytes_put(p, cfcheckpt_at(&v, i), 32);
	fuzz_same(out, p, size, data);
	return 0;
}
