/* What the targets of addr and addrv2 share. */
#ifndef CAIRN_TESTS_FUZZ_FUZZ_ADDR_H
#define CAIRN_TESTS_FUZZ_FUZZ_ADDR_H

#include "fuzz.h"

#include <cairn/wire/addr.h>

static inline size_t fuzz_addr_size(const struct addr_view *v,
				    const struct addr_entry *e, uint32_t n)
{
	if (v->v2)
		return addrv2_size(e, n);
	return v->timeless ? addr_old_size(n) : addr_size(n);
}

static inline uint8_t *fuzz_addr_put(const struct addr_view *v, uint8_t *p,
				     const struct addr_entry *e, uint32_t n)
{
	if (v->v2)
		return addrv2_put(p, e, n);
	return v->timeless ? addr_old_put(p, e, n) : addr_put(p, e, n);
}

static inline bool fuzz_addr_parse(const struct addr_view *v,
				   struct addr_view *w, struct slice body)
{
	if (v->v2)
		return addrv2_view_parse(w, body);
	return v->timeless ? addr_old_view_parse(w, body)
			   : addr_view_parse(w, body);
}

/* The n entries at e, written at out, come back one by one. */
static inline void fuzz_addr_again(const struct addr_view *v, uint8_t *out,
				   const struct addr_entry *e, uint32_t n)
{
	struct slice body = slice_of(out, fuzz_addr_size(v, e, n));
	struct addr_entry got;
	struct addr_view w;

	fuzz_check(fuzz_addr_put(v, out, e, n) == out + body.n);
	fuzz_check(fuzz_addr_parse(v, &w, body) && w.n == n);
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
	size = fuzz_addr_size(v, e, n);
	out = fuzz_new(size);
	fuzz_addr_again(v, out, e, n);
	if (n == v->n)
		fuzz_check(size <= body.n && memcmp(out, body.p, size) == 0);
	free(out);
	free(e);
}

#endif
