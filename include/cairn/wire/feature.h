/* feature (BIP 434): a name and data that tell the peer, before verack, of
 * something this node can do. The view borrows body; any thread. */
#ifndef CAIRN_WIRE_FEATURE_H
#define CAIRN_WIRE_FEATURE_H

#include <cairn/base/rd.h>

#define FEATURE_ID_MIN   4u
#define FEATURE_ID_MAX   80u
#define FEATURE_DATA_MAX 512u

struct feature_view {
	struct slice id; /* 4 to 80 bytes, as a rule the name of a BIP */
	struct slice data;
};

/* False when malformed: an id or data outside the bounds above, bytes behind
 * them. In this message that ends the connection (as in Bitcoin Core). */
bool feature_view_parse(struct feature_view *v, struct slice body);
size_t feature_size(const struct feature_view *v);
/* Write it; id and data must be within the bounds. */
uint8_t *feature_put(uint8_t *p, const struct feature_view *v);

#endif
