/* addrv2: entries that may be used, written again. */
#include "fuzz_addr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct addr_view v;

	if (!addrv2_view_parse(&v, slice_of(data, size)))
		return 0;
	fuzz_addr_view(&v, slice_of(data, size));
	return 0;
}
