/* Network addresses: addr (1 form) and addrv2 (BIP 155). */
#ifndef CAIRN_WIRE_ADDR_H
#define CAIRN_WIRE_ADDR_H

#include <cairn/base/rd.h>

#define ADDR_MAX 1000u

/* BIP 155 network ids. */
enum net_id {
	NET_NONE = 0,
	NET_IPV4 = 1,
	NET_IPV6 = 2,
	NET_TORV2 = 3,
	NET_TORV3 = 4,
	NET_I2P = 5,
	NET_CJDNS = 6,
};

/* One address by value; 32 bytes hold every known network. */
struct netaddr {
	uint8_t net;  /* enum net_id */
	uint8_t n;    /* bytes of b in use: 4, 16, 10, 32, 32, 16 */
	uint16_t port;
	uint8_t b[32];
};

struct addr_entry {
	uint32_t time_s;
	uint64_t services;
	struct netaddr addr;
};

/* The vector of addr or addrv2, validated; entries come by addr_next. */
struct addr_view {
	uint32_t n; /* may exceed ADDR_MAX: the caller judges */
	const uint8_t *p, *end;
	bool v2;
};

bool addr_view_parse(struct addr_view *v, struct slice body);
bool addrv2_view_parse(struct addr_view *v, struct slice body);
/* The next entry of a validated vector; *i starts at 0. Unknown networks and
 * addresses that BIP 155 says to ignore are skipped. False at the end. */
bool addr_next(struct addr_view *v, struct addr_entry *e);

size_t addr_size(uint32_t n);
/* Exact size of n entries as addrv2. */
size_t addrv2_size(const struct addr_entry *e, uint32_t n);
/* addr can only say IPv4, IPv6 (and mapped forms); others must not be given. */
uint8_t *addr_put(uint8_t *p, const struct addr_entry *e, uint32_t n);
uint8_t *addrv2_put(uint8_t *p, const struct addr_entry *e, uint32_t n);

/* The 26 bytes (services, 16-byte address, big-endian port) inside version. */
uint8_t *netaddr_put26(uint8_t *p, uint64_t services, const struct netaddr *a);

#endif
