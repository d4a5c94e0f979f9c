/*
 * Hosts that broke a rule: a rolling set that remembers the last 8,192 to
 * 16,384 of them by a salted hash. One thread.
 */
#ifndef CAIRN_NET_DISCOURAGED_H
#define CAIRN_NET_DISCOURAGED_H

#include <cairn/wire/addr.h>

struct discouraged {
	uint64_t key[2];
	uint64_t *young, *old; /* open addressing; NULL until needed */
	size_t n;              /* in young */
};

void discouraged_init(struct discouraged *d);
void discouraged_fini(struct discouraged *d);
/* Remember a's host; its port does not matter. */
void discouraged_add(struct discouraged *d, const struct netaddr *a);
/* True for what was added lately, wrongly so with a chance below 2^-49. */
bool discouraged_has(const struct discouraged *d, const struct netaddr *a);

#endif
