/*
 * feature (BIP 434). Any thread. What an id means is decided by who asked for
 * it; unknown ids are ignored there.
 */
#include <cairn/wire/feature.h>

#include <cairn/base/must.h>

static bool in_bounds(const struct feature_view *v)
{
	return v->id.n >= FEATURE_ID_MIN && v->id.n <= FEATURE_ID_MAX &&
	       v->data.n <= FEATURE_DATA_MAX;
}

bool feature_view_parse(struct feature_view *v, struct slice body)
{
	struct feature_view t;
	struct rd r;

	rd_init(&r, body);
	t.id = rd_varbytes(&r);
	t.data = rd_varbytes(&r);
	if (!rd_ok(&r) || rd_left(&r) != 0 || !in_bounds(&t))
		return false;
	*v = t;
	return true;
}

size_t feature_size(const struct feature_view *v)
{
	return compact_size(v->id.n) + v->id.n + compact_size(v->data.n) +
	       v->data.n;
}

uint8_t *feature_put(uint8_t *p, const struct feature_view *v)
{
	must(in_bounds(v));
	p = compact_put(p, v->id.n);
	p = bytes_put(p, v->id.p, v->id.n);
	p = compact_put(p, v->data.n);
	return bytes_put(p, v->data.p, v->data.n);
}
