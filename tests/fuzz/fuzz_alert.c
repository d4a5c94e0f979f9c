/* alert, and what its payload says. */
#include "fuzz.h"

#include <cairn/base/endian.h>
#include <cairn/wire/obsolete.h>

static void text(struct slice payload)
{
	struct alert_text t;
	struct slice rest;

	if (!alert_text_parse(&t, payload))
		return;
	for (uint32_t i = 0; i < t.n_cancel; i++)
		fuzz_touch(slice_of(t.cancels + (size_t)i * 4, 4));
	rest = t.subvers;
	for (uint32_t i = 0; i < t.n_subver; i++)
		fuzz_touch(alert_string_next(&rest));
	fuzz_check(rest.n == 0);
	fuzz_touch(t.comment);
	fuzz_touch(t.status_bar);
	fuzz_touch(t.reserved);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct alert_view v;
	uint8_t *out;
	size_t n;

	text(slice_of(data, size));
	if (!alert_view_parse(&v, slice_of(data, size)))
		return 0;
	fuzz_touch(v.signature);
	text(v.payload);
	n = alert_size(&v);
	fuzz_check(n <= size);
	out = fuzz_new(n);
	fuzz_same(out, alert_put(out, &v), n, data);
	return 0;
}
