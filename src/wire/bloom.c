/*
 * filterload and filteradd (BIP 37). Any thread. The filter's bits and what
 * they match are not this file's matter.
 */
#include <cairn/wire/bloom.h>

bool filterload_view_parse(struct filterload_view *v, struct slice body)
{
	struct filterload_view t;
	struct rd r;

	rd_init(&r, body);
	t.filter = rd_varbytes(&r);
	t.n_funcs = rd_u32(&r);
	t.tweak = rd_u32(&r);
	t.flags = rd_u8(&r);
	if (!rd_ok(&r))
		return false;
	*v = t;
	return true;
}

size_t filterload_size(size_t filter_n)
{
	return compact_size(filter_n) + filter_n + 4 + 4 + 1;
}

uint8_t *filterload_put(uint8_t *p, const struct filterload_view *v)
{
	p = compact_put(p, v->filter.n);
	p = bytes_put(p, v->filter.p, v->filter.n);
	p = le32_put(p, v->n_funcs);
	p = le32_put(p, v->tweak);
	*p++ = v->flags;
	return p;
}

bool filteradd_parse(struct slice *element, struct slice body)
{
	struct slice t;
	struct rd r;

	rd_init(&r, body);
	t = rd_varbytes(&r);
	if (!rd_ok(&r))
		return false;
	*element = t;
	return true;
}

size_t filteradd_size(size_t element_n)
{
	return compact_size(element_n) + element_n;
}

uint8_t *filteradd_put(uint8_t *p, struct slice element)
{
	p = compact_put(p, element.n);
	return bytes_put(p, element.p, element.n);
}
