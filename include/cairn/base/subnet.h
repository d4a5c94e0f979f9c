/*
 * Networks as an operator writes them: an address, address/bits or
 * address/mask. Pure functions; any thread.
 */
#ifndef CAIRN_BASE_SUBNET_H
#define CAIRN_BASE_SUBNET_H

#include <cairn/base/attr.h>

#include <stdbool.h>
#include <stdint.h>

struct sockaddr;

/* An IPv6 network, or an IPv4 one mapped into it. */
struct subnet {
	uint8_t net[16], mask[16];
};

/* False when text is none; s may be changed then. */
bool subnet_parse(struct subnet *s, const char *text) must_check;
/* Whether sa lies in it; false for what is neither IPv4 nor IPv6. */
bool subnet_has(const struct subnet *s, const struct sockaddr *sa);

#endif
