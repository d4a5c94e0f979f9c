/* inv, getdata, notfound: vectors of (type, hash). Borrows body. */
#ifndef CAIRN_WIRE_INV_H
#define CAIRN_WIRE_INV_H

#include <cairn/base/rd.h>

#define INV_MAX       50000u
#define INV_ITEM_SIZE 36u

#define INV_TX             1u
#define INV_BLOCK          2u
#define INV_FILTERED_BLOCK 3u
#define INV_CMPCT_BLOCK    4u
#define INV_WTX            5u
#define INV_WITNESS_FLAG   0x40000000u
#define INV_WITNESS_TX     (INV_TX | INV_WITNESS_FLAG)
#define INV_WITNESS_BLOCK  (INV_BLOCK | INV_WITNESS_FLAG)

struct inv_view {
	uint32_t n; /* may exceed INV_MAX: the caller judges */
	const uint8_t *p;
};

bool inv_view_parse(struct inv_view *v, struct slice body);

static inline uint32_t inv_type(const struct inv_view *v, uint32_t i)
{
	return le32_get(v->p + (size_t)i * INV_ITEM_SIZE);
}

static inline const struct hash256 *inv_hash(const struct inv_view *v,
					     uint32_t i)
{
	return hash256_at(v->p + (size_t)i * INV_ITEM_SIZE + 4);
}

size_t inv_size(uint32_t n);
/* Write the count; items follow by inv_item_put. */
uint8_t *inv_count_put(uint8_t *p, uint32_t n);
uint8_t *inv_item_put(uint8_t *p, uint32_t type, const struct hash256 *h);

#endif
