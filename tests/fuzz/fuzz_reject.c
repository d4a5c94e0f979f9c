/* reject. */
#include "fuzz.h"

#include <cairn/wire/obsolete.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reject_view v;
	uint8_t *out;

	if (!reject_view_parse(&v, slice_of(data, size)))
		return 0;
	fuzz_check(reject_size(&v) == size);
	out = fuzz_new(size);
	fuzz_same(out, reject_put(out, &v), size, data);
	return 0;
}
