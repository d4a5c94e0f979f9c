/* filterload. */
#include "fuzz.h"

#include <cairn/wire/bloom.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct filterload_view v;
	uint8_t *out;
	size_t n;

	if (!filterload_view_parse(&v, slice_of(data, size)))
		return 0;
	fuzz_touch(v.filter);
	fuzz_check(filterload_in_limits(&v) ==
		   (v.filter.n <= 36000 && v.n_funcs <= 50));
	n = filterload_size(v.filter.n);
	fuzz_check(n <= size);
	out = fuzz_new(n);
	fuzz_same(out, filterload_put(out, &v), n, data);
	return 0;
}
