/* inv, getdata, notfound. */
#include "fuzz.h"

#include <cairn/wire/inv.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct inv_view v;
	uint8_t *out, *p;
	size_t n;

	if (!inv_view_parse(&v, slice_of(data, size)))
		return 0;
	n = inv_size(v.n);
	fuzz_check(n <= size);
	p = out = fuzz_new(n);
	p = inv_count_put(p, v.n);
	for (uint32_t i = 0; i < v.n; i++)
		p = inv_item_put(p, inv_type(&v, i), inv_hash(&v, i));
	fuzz_same(out, p, n, data);
	return 0;
}
