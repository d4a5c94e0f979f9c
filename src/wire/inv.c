/*
 * inv, getdata and notfound: a count and 36 bytes per item. Any thread. Types
 * and the number of items are judged by the caller.
 */
#include <cairn/wire/inv.h>

bool inv_view_parse(struct inv_view *v, struct slice body)
{
	struct rd r;
	uint32_t n;

	rd_init(&r, body);
	n = rd_count(&r, INV_ITEM_SIZE);
	if (!rd_ok(&r))
		return false;
	v->n = n;
	v->p = r.p;
	return true;
}

size_t inv_size(uint32_t n)
{
	return compact_size(n) + (size_t)n * INV_ITEM_SIZE;
}

uint8_t *inv_count_put(uint8_t *p, uint32_t n)
{
	return compact_put(p, n);
}

uint8_t *inv_item_put(uint8_t *p, uint32_t type, const struct hash256 *h)
{
	p = le32_put(p, type);
	return bytes_put(p, h->b, 32);
}
