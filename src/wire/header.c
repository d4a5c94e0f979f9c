/*
 * Block headers and the headers message. Any thread. The views note where the
 * headers are; proof of work and continuity are judged in consensus.
 */
#include <cairn/wire/header.h>

#define HEADER_STRIDE (HEADER_SIZE + 1)

/* Every transaction count of n headers is a single byte. */
static bool counts_short(const uint8_t *first, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (first[(size_t)i * HEADER_STRIDE + HEADER_SIZE] >= 0xfd)
			return false;
	}
	return true;
}

/* Step over n headers with counts of any length. */
static bool headers_walk(struct rd *r, uint32_t n)
{
	for (uint32_t i = 0; i < n && rd_ok(r); i++) {
		rd_take(r, HEADER_SIZE);
		rd_compact(r);
	}
	return rd_ok(r);
}

bool headers_view_parse(struct headers_view *v, bool *over, struct slice body)
{
	struct headers_view t = {0};
	struct rd r;

	rd_init(&r, body);
	t.n = rd_compact(&r);
	*over = t.n > HEADERS_MAX;
	if (*over || !rd_ok(&r) || t.n > rd_left(&r) / HEADER_STRIDE)
		return false;
	t.first = r.p;
	if (counts_short(t.first, t.n)) {
		t.stride = HEADER_STRIDE;
		t.end = t.first + (size_t)t.n * HEADER_STRIDE;
	} else if (headers_walk(&r, t.n)) {
		t.end = r.p;
	} else {
		return false;
	}
	*v = t;
	return true;
}

const uint8_t *headers_step(const struct headers_view *v, const uint8_t *h)
{
	struct rd r;

	h += HEADER_SIZE;
	rd_init(&r, slice_of(h, (size_t)(v->end - h)));
	rd_compact(&r);
	return r.p;
}

const uint8_t *headers_at(const struct headers_view *v, uint32_t i)
{
	const uint8_t *h = v->first;

	if (v->stride)
		return h + (size_t)i * v->stride;
	while (i-- > 0)
		h = headers_next(v, h);
	return h;
}

size_t headers_size(uint32_t n)
{
	return compact_size(n) + (size_t)n * HEADER_STRIDE;
}

uint8_t *headers_put(uint8_t *p, const uint8_t *h, size_t stride, uint32_t n)
{
	p = compact_put(p, n);
	for (uint32_t i = 0; i < n; i++) {
		p = bytes_put(p, h + (size_t)i * stride, HEADER_SIZE);
		*p++ = 0;
	}
	return p;
}
