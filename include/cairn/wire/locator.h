/* getheaders and getblocks: version, a locator, a stop hash. Borrows body. */
#ifndef CAIRN_WIRE_LOCATOR_H
#define CAIRN_WIRE_LOCATOR_H

#include <cairn/base/rd.h>

#define LOCATOR_MAX 101u

struct locator_view {
	uint32_t version;
	uint32_t n; /* may exceed LOCATOR_MAX: the caller judges */
	const uint8_t *hashes;
	const struct hash256 *stop;
};

bool locator_view_parse(struct locator_view *v, struct slice body);

static inline const struct hash256 *locator_at(const struct locator_view *v,
					       uint32_t i)
{
	return hash256_at(v->hashes + (size_t)i * 32);
}

size_t locator_size(uint32_t n);
uint8_t *locator_put(uint8_t *p, uint32_t version, const struct hash256 *hashes,
		     uint32_t n, const struct hash256 *stop);

#endif
