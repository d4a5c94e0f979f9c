/* headers: by step and by index; headers decoded and encoded. */
#include "fuzz.h"

#include <cairn/wire/header.h>

static void one_header(const uint8_t *h)
{
	uint8_t raw[HEADER_SIZE];
	struct header v;

	header_get(&v, h);
	fuzz_check(header_put(raw, &v) == raw + HEADER_SIZE);
	fuzz_check(memcmp(raw, h, HEADER_SIZE) == 0);
	fuzz_check(memcmp(header_prev(h), &v.prev, 32) == 0);
	fuzz_check(memcmp(header_merkle(h), &v.merkle, 32) == 0);
}

/* Written again every count is zero. */
static void again(const struct headers_view *v)
{
	uint8_t *out = fuzz_new(headers_size(v->n)), *p = out;
	struct headers_view w;
	bool over;

	p = headers_put(p, v->first, v->stride, v->n);
	fuzz_check(p == out + headers_size(v->n));
	fuzz_check(
	    headers_view_parse(&w, &over, slice_of(out, headers_size(v->n))));
	fuzz_check(w.n == v->n && w.stride == HEADER_SIZE + 1);
	for (uint32_t i = 0; i < v->n; i++)
		fuzz_check(memcmp(headers_at(v, i), headers_at(&w, i),
				  HEADER_SIZE) == 0);
	free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct headers_view v;
	uint32_t n = 0;
	bool over;

	if (!headers_view_parse(&v, &over, slice_of(data, size)))
		return 0;
	fuzz_check(!over && v.n <= HEADERS_MAX && v.end <= data + size);
	for (const uint8_t *h = v.n ? v.first : NULL; h;
	     h = headers_next(&v, h)) {
		if (n < 8 || n + 8 > v.n)
			fuzz_check(headers_at(&v, n) == h);
		one_header(h);
		n++;
	}
	fuzz_check(n == v.n);
	if (v.stride)
		again(&v);
	return 0;
}
