/* addr, with and without times: entries that may be used, written again. */
#include "fuzz_addr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct addr_view v;

	if (addr_view_parse(&v, slice_of(data, size)))
		fuzz_addr_view(&v, slice_of(data, size));
	if (addr_old_view_parse(&v, slice_of(data, size)))
		fuzz_addr_view(&v, slice_of(data, size));
	return 0;
}
