/* filteradd. */
#include "fuzz.h"

#include <cairn/wire/bloom.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice element;
	uint8_t *out;
	size_t n;

	if (!filteradd_parse(&element, slice_of(data, size)))
		return 0;
	n = filteradd_size(element.n);
	fuzz_check(n <= size);
	out = fuzz_new(n);
	fuzz_same(out, filteradd_put(out, element), n, data);
	return 0;
}
