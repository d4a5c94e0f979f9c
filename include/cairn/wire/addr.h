/* Network addresses: addr (1 form) and addrv2 (BIP 155). */
#ifndef CAIRN_WIRE_ADDR_H
#define CAIRN_WIRE_ADDR_H

#include <cairn/base/rd.h>

#define ADDR_MAX          1000u
#define ADDR_TIME_VERSION 31402      /* before it, addr has no times */
#define ADDR_TIME_NONE    100000000u /* what such an entry reads as */

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
	uint8_t net; /* enum net_id */
	uint8_t n;   /* bytes of b in use: 4, 16, 10, 32, 32, 16 */
	uint16_t port;
	uint8_t b[32];
};

struct addr_entry {
	uint32_t time_s;
	uint64_t services;
	struct netaddr addr;
};

/* The vector of addr or addrv2, validated; entries come by addr_next. Borrows
 * body. */
struct addr_view {
	const uint8_t *p; /* addr_next moves it; copy the view to rewind */
	uint32_t n; /* as sent, those to be skipped too; may exceed ADDR_MAX:
		     * the caller judges */
	bool v2;
	bool timeless; /* addr of a peer before ADDR_TIME_VERSION */
	/* Not beside p: read with it in one load, it would wait for the store
	 * of p by the call before. */
	const uint8_t *end;
};

/* Parse the body of addr. False when malformed; bytes behind the vector are
 * ignored. O(1). */
bool addr_view_parse(struct addr_view *v, struct slice body);
/* The same where the peer's protocol version is below ADDR_TIME_VERSION:
 * entries of 26 bytes, whose time then reads as ADDR_TIME_NONE, long ago. */
bool addr_old_view_parse(struct addr_view *v, struct slice body);
/* Parse the body of addrv2 (BIP 155). False when malformed, among it an address
 * of more than 512 bytes and one of a known network with another length than
 * that network's; bytes behind the vector are ignored. */
bool addrv2_view_parse(struct addr_view *v, struct slice body);
/* The next usable entry of a validated vector, into e; false at the end.
 * Skipped, as in Bitcoin Core: unknown networks, Tor v2, CJDNS without its fc
 * prefix, the unspecified IPv6 address, Tor v2 and Core's internal names inside
 * IPv6, and in addrv2 IPv4 inside IPv6 (in addr it is how IPv4 is said). */
bool addr_next(struct addr_view *v, struct addr_entry *e);

/* Exact size of n entries as addr. */
size_t addr_size(uint32_t n);
/* Exact size of n entries as addrv2. */
size_t addrv2_size(const struct addr_entry *e, uint32_t n);
/* Write addr; returns the byte after. It can only say IPv4 and IPv6: entries of
 * other networks must not be given. */
uint8_t *addr_put(uint8_t *p, const struct addr_entry *e, uint32_t n);
/* The same without times, for a peer below ADDR_TIME_VERSION. */
size_t addr_old_size(uint32_t n);
uint8_t *addr_old_put(uint8_t *p, const struct addr_entry *e, uint32_t n);
/* Write addrv2; every entry must be of a known network. */
uint8_t *addrv2_put(uint8_t *p, const struct addr_entry *e, uint32_t n);

/* The address that 16 bytes of IPv6 mean: IPv4 where it is mapped, else IPv6.
 * False, and NET_NONE, where they mean none that may be used (see addr_next).
 * The port is left alone. */
bool netaddr_get16(struct netaddr *a, const uint8_t ip[16]);
/* The 26 bytes (services, 16-byte address, big-endian port) inside version and,
 * behind the time, in addr. Networks that 16 bytes cannot say are written as
 * zeros. */
uint8_t *netaddr_put26(uint8_t *p, uint64_t services, const struct netaddr *a);

#endif
