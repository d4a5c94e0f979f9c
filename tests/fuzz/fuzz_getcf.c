/* getcfilters and getcfheaders. */
#include "fuzz.h"

#include <cairn/wire/cfilter.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct getcf_view v;
	uint8_t *out;

	if (!getcf_view_parse(&v, slice_of(data, size)))
		return 0;
	out = fuzz_new(GETCF_SIZE);
	fuzz_same(out, getcf_put(out, v.filter_type, v.start_height, v.stop),
		  GETCF_SIZE, data);
	return 0;
}
