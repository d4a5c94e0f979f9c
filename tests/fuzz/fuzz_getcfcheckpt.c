/* getcfcheckpt. */
#include "fuzz.h"

#include <cairn/wire/cfilter.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct getcfcheckpt_view v;
	uint8_t *out;

	if (!getcfcheckpt_view_parse(&v, slice_of(data, size)))
		return 0;
	out = fuzz_new(GETCFCHECKPT_SIZE);
	fuzz_same(out, getcfcheckpt_put(out, v.filter_type, v.stop),
		  GETCFCHECKPT_SIZE, data);
	return 0;
}
