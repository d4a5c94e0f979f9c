/* feature. */
#include "fuzz.h"

#include <cairn/wire/feature.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct feature_view v;
	uint8_t *out;

	if (!feature_view_parse(&v, slice_of(data, size)))
		return 0;
	fuzz_check(v.id.n >= FEATURE_ID_MIN && v.id.n <= FEATURE_ID_MAX &&
		   v.data.n <= FEATURE_DATA_MAX);
	fuzz_check(feature_size(&v) == size);
	out = fuzz_new(size);
	fuzz_same(out, feature_put(out, &v), size, data);
	return 0;
}
