/* What the targets of addr and addrv2 share. */
#ifndef CAIRN_TESTS_FUZZ_FUZZ_ADDR_H
#define CAIRN_TESTS_FUZZ_FUZZ_ADDR_H

#include "fuzz.h"

#include <cairn/wire/addr.h>

static inline size_t fuzz_addr_size(const struct addr_entry *e, uint32_t n,
				    bool v2)
{
	return v2 ? addrv2_size(e, n) : addr_size(n);
}

/* The n entries at e come back from what is written of them, byte for byte and
 * one by one. Frees nothing; the bytes are left at *out. */
static inline void fuzz_addr_again(uint8_t *out, const struct addr_entry *e,
				   uint32_t n, bool v2)
{
	size_t size = fuzz_addr_size(e, n, v2);
	struct slice body = slice_of(out, size);
	struct addr_entry got;
	struct addr_view w;
	uint8_t *end;

	end = v2 ? addrv2_put(out, e, n) : addr_put(out, e, n);
	fuzz_check(end == out + size);
	fuzz_check(v2 ? addrv2_view_parse(&w, body)
		      : addr_view_parse(&w, body));
	fuzz_check(w.n == n);
	for (uint32_t i = 0; i < n; i++) {
		fuzz_check(addr_next(&w, &got));
		fuzz_check(got.time_s == e[i].time_s &&
			   got.services == e[i].services);
		fuzz_check(memcmp(&got.addr, &e[i].addr, sizeof got.addr) == 0);
	}
	fuzz_check(!addr_next(&w, &got));
}

/* Where no entry was left out the bytes are those of the message. */
static inline void fuzz_addr_view(const struct addr_view *v, struct slice body)
{
	struct addr_entry *e = calloc(v->n + 1, sizeof *e);
	struct addr_view it = *v;
	uint32_t n = 0;
	uint8_t *out;
	size_t size;

	fuzz_check(e && v->end <= body.p + body.n);
	while (addr_next(&it, &e[n]))
		fuzz_check(++n <= v->n);
	size = fuzz_addr_size(e, n, v->v2);
	out = fuzz_new(size);
	fuzz_addr_again(out, e, n, v->v2);
	if (n == v->n)
		fuzz_check(size <= body.n && memcmp(out, body.p, size) == 0);
	free(out);
	free(e);
}

#endif
