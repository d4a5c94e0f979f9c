/*
 * getheaders and getblocks: a version that nobody uses, the locator's hashes,
 * the stop hash. Any thread. The length of the locator is judged by the caller.
 */
#include <cairn/wire/locator.h>

bool locator_view_parse(struct locator_view *v, struct slice body)
{
	struct locator_view t;
	const uint8_t *stop;
	struct rd r;

	rd_init(&r, body);
	t.version = rd_u32(&r);
	t.n = rd_count(&r, 32);
	t.hashes = rd_take(&r, (size_t)t.n * 32);
	stop = rd_take(&r, 32);
	if (!rd_ok(&r))
		return false;
	t.stop = hash256_at(stop);
	*v = t;
	return true;
}

size_t locator_size(uint32_t n)
{
	return 4 + compact_size(n) + (size_t)n * 32 + 32;
}

uint8_t *locator_put(uint8_t *p, uint32_t version, const struct hash256 *hashes,
		     uint32_t n, const struct hash256 *stop)
{
	p = le32_put(p, version);
	p = compact_put(p, n);
	p = bytes_put(p, hashes, (size_t)n * 32);
	return bytes_put(p, stop->b, 32);
}
