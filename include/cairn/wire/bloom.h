/*
 * filterload and filteradd (BIP 37); filterclear is empty. Views borrow body;
 * any thread. Whether such filters are served is decided in net and sync.
 */
#ifndef CAIRN_WIRE_BLOOM_H
#define CAIRN_WIRE_BLOOM_H

#include <cairn/base/rd.h>

#define BLOOM_FILTER_MAX  36000u /* bytes */
#define BLOOM_FUNCS_MAX   50u
#define BLOOM_ELEMENT_MAX 520u /* bytes of filteradd */

/* How a filter takes in outputs that it matches. */
enum bloom_update {
	BLOOM_UPDATE_NONE = 0,
	BLOOM_UPDATE_ALL = 1,
	BLOOM_UPDATE_P2PUBKEY_ONLY = 2,
	BLOOM_UPDATE_MASK = 3, /* the bits of flags that say so */
};

struct filterload_view {
	struct slice
	    filter;       /* may exceed BLOOM_FILTER_MAX: the caller judges */
	uint32_t n_funcs; /* may exceed BLOOM_FUNCS_MAX: the caller judges */
	uint32_t tweak;
	uint8_t flags;
};

/* False when malformed; bytes behind it are ignored. */
bool filterload_view_parse(struct filterload_view *v, struct slice body);
/* Within the limits of BIP 37; a filter outside them is misbehaviour. */
static inline bool filterload_in_limits(const struct filterload_view *v)
{
	return v->filter.n <= BLOOM_FILTER_MAX && v->n_funcs <= BLOOM_FUNCS_MAX;
}
size_t filterload_size(size_t filter_n);
uint8_t *filterload_put(uint8_t *p, const struct filterload_view *v);

/* The element that filteradd adds. It may exceed BLOOM_ELEMENT_MAX, which is
 * misbehaviour: the caller judges. False when malformed. */
bool filteradd_parse(struct slice *element, struct slice body);
size_t filteradd_size(size_t element_n);
uint8_t *filteradd_put(uint8_t *p, struct slice element);

#endif
