/* Network addresses as sockets and as groups; what net alone needs of them. */
#ifndef CAIRN_NET_NETADDR_H
#define CAIRN_NET_NETADDR_H

#include <cairn/base/attr.h>
#include <cairn/wire/addr.h>
#include <netinet/in.h>

struct sockaddr;

/* Same network, address and port; same network and address. */
bool netaddr_eq(const struct netaddr *a, const struct netaddr *b);
bool netaddr_same_host(const struct netaddr *a, const struct netaddr *b);

/* From IPv4 or IPv6; false for other families. IPv4 inside IPv6 becomes IPv4.
 */
bool netaddr_from_sock(struct netaddr *a, const struct sockaddr *sa);
/* False where it is neither IPv4 nor IPv6. */
bool netaddr_to_sock(struct sockaddr_storage *ss, const struct netaddr *a);

/* A number that addresses likely under one hand share: the /16 of IPv4, the /32
 * of IPv6, one for everything local. */
uint64_t netaddr_group(const struct netaddr *a);

/* Split "host", "host:port", "[v6]", "[v6]:port" or "v6" into host[cap] and
 * *port, which keeps its value where none stands there. False when malformed.
 */
bool host_split(char *host, size_t cap, uint16_t *port,
		const char *s) must_check;

/* As getpeerinfo names it. Static storage. */
const char *netaddr_network(const struct netaddr *a);

#endif
