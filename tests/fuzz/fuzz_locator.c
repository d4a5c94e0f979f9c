/* getheaders and getblocks. */
#include "fuzz.h"

#include <cairn/wire/locator.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct locator_view v;
	uint8_t *out;
	size_t n;

	if (!locator_view_parse(&v, slice_of(data, size)))
		return 0;
	for (uint32_t i = 0; i < v.n; i++)
		fuzz_touch_hash(locator_at(&v, i));
	n = locator_size(v.n);
	fuzz_check(n <= size);
	out = fuzz_new(n);
	fuzz_same(
	    out, locator_put(out, v.version, hash256_at(v.hashes), v.n, v.stop),
	    n, data);
	return 0;
}
