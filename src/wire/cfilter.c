/*
 * The six messages of BIP 157. Any thread. Requests tolerate bytes behind them
 * as Bitcoin Core does; answers must be exactly as long as their counts say.
 * The filter's contents are the filter folder's matter.
 */
#include <cairn/wire/cfilter.h>

bool getcf_view_parse(struct getcf_view *v, struct slice body)
{
	const uint8_t *p = body.p;

	if (body.n < GETCF_SIZE)
		return false;
	v->filter_type = p[0];
	v->start_height = le32_get(p + 1);
	v->stop = hash256_at(p + 5);
	return true;
}

uint8_t *getcf_put(uint8_t *p, uint8_t filter_type, uint32_t start_height,
		   const struct hash256 *stop)
{
	*p++ = filter_type;
	p = le32_put(p, start_height);
	return bytes_put(p, stop->b, 32);
}

bool getcfcheckpt_view_parse(struct getcfcheckpt_view *v, struct slice body)
{
	if (body.n < GETCFCHECKPT_SIZE)
		return false;
	v->filter_type = body.p[0];
	v->stop = hash256_at(body.p + 1);
	return true;
}

uint8_t *getcfcheckpt_put(uint8_t *p, uint8_t filter_type,
			  const struct hash256 *stop)
{
	*p++ = filter_type;
	return bytes_put(p, stop->b, 32);
}

bool cfilter_view_parse(struct cfilter_view *v, struct slice body)
{
	struct cfilter_view t;
	const uint8_t *block;
	struct rd r;

	rd_init(&r, body);
	t.filter_type = rd_u8(&r);
	block = rd_take(&r, 32);
	t.filter = rd_varbytes(&r);
	if (!rd_ok(&r) || rd_left(&r) != 0)
		return false;
	t.block = hash256_at(block);
	*v = t;
	return true;
}

size_t cfilter_size(size_t filter_n)
{
	return 33 + compact_size(filter_n) + filter_n;
}

uint8_t *cfilter_put(uint8_t *p, uint8_t filter_type,
		     const struct hash256 *block, struct slice filter)
{
	*p++ = filter_type;
	p = bytes_put(p, block->b, 32);
	p = compact_put(p, filter.n);
	return bytes_put(p, filter.p, filter.n);
}

bool cfheaders_view_parse(struct cfheaders_view *v, struct slice body)
{
	struct cfheaders_view t;
	const uint8_t *stop, *prev;
	struct rd r;

	rd_init(&r, body);
	t.filter_type = rd_u8(&r);
	stop = rd_take(&r, 32);
	prev = rd_take(&r, 32);
	t.n = rd_count(&r, 32);
	t.hashes = rd_take(&r, (size_t)t.n * 32);
	if (!rd_ok(&r) || rd_left(&r) != 0)
		return false;
	t.stop = hash256_at(stop);
	t.prev_header = hash256_at(prev);
	*v = t;
	return true;
}

size_t cfheaders_size(uint32_t n)
{
	return 65 + compact_size(n) + (size_t)n * 32;
}

uint8_t *cfheaders_head_put(uint8_t *p, uint8_t filter_type,
			    const struct hash256 *stop,
			    const struct hash256 *prev_header, uint32_t n)
{
	*p++ = filter_type;
	p = bytes_put(p, stop->b, 32);
	p = bytes_put(p, prev_header->b, 32);
	return compact_put(p, n);
}

bool cfcheckpt_view_parse(struct cfcheckpt_view *v, struct slice body)
{
	struct cfcheckpt_view t;
	const uint8_t *stop;
	struct rd r;

	rd_init(&r, body);
	t.filter_type = rd_u8(&r);
	stop = rd_take(&r, 32);
	t.n = rd_count(&r, 32);
	t.headers = rd_take(&r, (size_t)t.n * 32);
	if (!rd_ok(&r) || rd_left(&r) != 0)
		return false;
	t.stop = hash256_at(stop);
	*v = t;
	return true;
}

size_t cfcheckpt_size(uint32_t n)
{
	return 33 + compact_size(n) + (size_t)n * 32;
}

uint8_t *cfcheckpt_head_put(uint8_t *p, uint8_t filter_type,
			    const struct hash256 *stop, uint32_t n)
{
	*p++ = filter_type;
	p = bytes_put(p, stop->b, 32);
	return compact_put(p, n);
}
