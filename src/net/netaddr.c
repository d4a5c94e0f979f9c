/*
 * Addresses: text, sockets, classes. Any thread. Resolves no names and judges
 * no reachability: it only knows which ranges the RFCs set aside.
 */
#include "netaddr.h"

#include <cairn/net/net.h>

#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>

/* A range of addresses: its first bits. */
struct range {
	uint8_t net;
	uint8_t bits;
	uint8_t b[16];
};

static const struct range local_ranges[] = {
    {NET_IPV4, 8, {127}},
    {NET_IPV4, 8, {0}},
    {NET_IPV6, 128, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}},
};

/* What never leads through the public network. */
static const struct range private_ranges[] = {
    {NET_IPV4, 8, {10}}, /* RFC 1918 */
    {NET_IPV4, 16, {192, 168}},
    {NET_IPV4, 12, {172, 16}},
    {NET_IPV4, 15, {198, 18}},   /* RFC 2544 */
    {NET_IPV4, 16, {169, 254}},  /* RFC 3927 */
    {NET_IPV4, 10, {100, 64}},   /* RFC 6598 */
    {NET_IPV4, 24, {192, 0, 2}}, /* RFC 5737 */
    {NET_IPV4, 24, {198, 51, 100}},
    {NET_IPV4, 24, {203, 0, 113}},
    {NET_IPV4, 32, {255, 255, 255, 255}},
    {NET_IPV6, 64, {0xfe, 0x80}},             /* RFC 4862 */
    {NET_IPV6, 7, {0xfc}},                    /* RFC 4193 */
    {NET_IPV6, 28, {0x20, 0x01, 0x00, 0x10}}, /* RFC 4843 */
    {NET_IPV6, 28, {0x20, 0x01, 0x00, 0x20}}, /* RFC 7343 */
    {NET_IPV6, 32, {0x20, 0x01, 0x0d, 0xb8}}, /* RFC 3849 */
    {NET_IPV6, 128, {0}},
};

static bool in_range(const struct netaddr *a, const struct range *r)
{
	size_t bytes = r->bits / 8;
	unsigned rest = r->bits % 8u;

	if (a->net != r->net || memcmp(a->b, r->b, bytes) != 0)
		return false;
	return rest == 0 ||
	       ((a->b[bytes] ^ r->b[bytes]) & (0xff00u >> rest) & 0xffu) == 0;
}

static bool in_any(const struct netaddr *a, const struct range *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (in_range(a, &r[i]))
			return true;
	}
	return false;
}

#define IN_ANY(a, ranges) in_any(a, ranges, sizeof(ranges) / sizeof *(ranges))

bool netaddr_is_local(const struct netaddr *a)
{
	return IN_ANY(a, local_ranges);
}

bool netaddr_is_routable(const struct netaddr *a)
{
	return a->net != NET_NONE && !IN_ANY(a, local_ranges) &&
	       !IN_ANY(a, private_ranges);
}

bool netaddr_same_host(const struct netaddr *a, const struct netaddr *b)
{
	return a->net == b->net && a->n == b->n &&
	       memcmp(a->b, b->b, a->n) == 0;
}

bool netaddr_eq(const struct netaddr *a, const struct netaddr *b)
{
	return a->port == b->port && netaddr_same_host(a, b);
}

uint64_t netaddr_group(const struct netaddr *a)
{
	size_t n = a->net == NET_IPV4 ? 2 : a->net == NET_IPV6 ? 4 : 1;
	uint64_t group = a->net;
	size_t i;

	if (netaddr_is_local(a))
		return 0;
	for (i = 0; i < n; i++)
		group = group << 8 | a->b[i];
	return group;
}

const char *netaddr_network(const struct netaddr *a)
{
	if (!netaddr_is_routable(a))
		return "not_publicly_routable";
	return a->net == NET_IPV4 ? "ipv4" : "ipv6";
}

static void set_v4(struct netaddr *a, const void *b)
{
	*a = (struct netaddr){.net = NET_IPV4, .n = 4};
	memcpy(a->b, b, 4);
}

/* The unspecified address is one to bind to, so here it is an address. */
static bool set_v6(struct netaddr *a, const uint8_t *b)
{
	static const uint8_t any[16];

	*a = (struct netaddr){.net = NET_IPV6, .n = 16};
	return memcmp(b, any, sizeof any) == 0 || netaddr_get16(a, b);
}

bool netaddr_from_sock(struct netaddr *a, const struct sockaddr *sa)
{
	const struct sockaddr_in *in = (const void *)sa;
	const struct sockaddr_in6 *in6 = (const void *)sa;

	if (sa->sa_family == AF_INET) {
		set_v4(a, &in->sin_addr);
		a->port = ntohs(in->sin_port);
		return true;
	}
	if (sa->sa_family != AF_INET6 || !set_v6(a, in6->sin6_addr.s6_addr))
		return false;
	a->port = ntohs(in6->sin6_port);
	return true;
}

bool netaddr_to_sock(struct sockaddr_storage *ss, const struct netaddr *a)
{
	struct sockaddr_in *in = (void *)ss;
	struct sockaddr_in6 *in6 = (void *)ss;

	memset(ss, 0, sizeof *ss);
	if (a->net == NET_IPV4) {
		in->sin_family = AF_INET;
		in->sin_port = htons(a->port);
		memcpy(&in->sin_addr, a->b, 4);
		return true;
	}
	if (a->net != NET_IPV6)
		return false;
	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(a->port);
	memcpy(&in6->sin6_addr, a->b, 16);
	return true;
}

/* Decimal digits up to the end of s. */
static bool port_parse(uint16_t *port, const char *s)
{
	unsigned v = 0;

	if (!*s || strlen(s) > 5)
		return false;
	for (; *s; s++) {
		if (*s < '0' || *s > '9')
			return false;
		v = v * 10 + (unsigned)(*s - '0');
	}
	if (v == 0 || v > 0xffff)
		return false;
	*port = (uint16_t)v;
	return true;
}

bool host_split(char *host, size_t cap, uint16_t *port, const char *s)
{
	const char *end, *colon = strrchr(s, ':');
	uint16_t p = *port;

	if (*s == '[') {
		end = strchr(++s, ']');
		if (!end || (end[1] && end[1] != ':') ||
		    (end[1] == ':' && !port_parse(&p, end + 2)))
			return false;
	} else if (colon && strchr(s, ':') == colon) {
		end = colon;
		if (!port_parse(&p, colon + 1))
			return false;
	} else {
		end = s + strlen(s); /* no port, or IPv6 without brackets */
	}
	if (end == s || (size_t)(end - s) >= cap)
		return false;
	memcpy(host, s, (size_t)(end - s));
	host[end - s] = '\0';
	*port = p;
	return true;
}

bool netaddr_parse(struct netaddr *a, const char *s, uint16_t dflt_port)
{
	uint16_t port = dflt_port;
	char host[INET6_ADDRSTRLEN];
	struct netaddr t;
	uint8_t b[16];

	if (!host_split(host, sizeof host, &port, s))
		return false;
	if (*s != '[' && inet_pton(AF_INET, host, b) == 1)
		set_v4(&t, b);
	else if (inet_pton(AF_INET6, host, b) != 1 || !set_v6(&t, b))
		return false;
	t.port = port;
	*a = t;
	return true;
}

char *netaddr_fmt(char *dst, const struct netaddr *a)
{
	char host[INET6_ADDRSTRLEN] = "?";

	if (a->net == NET_IPV4) {
		inet_ntop(AF_INET, a->b, host, sizeof host);
		snprintf(dst, 64, "%s:%u", host, a->port);
	} else if (a->net == NET_IPV6) {
		inet_ntop(AF_INET6, a->b, host, sizeof host);
		snprintf(dst, 64, "[%s]:%u", host, a->port);
	} else {
		/* Never dialled: enough to tell two of them apart. */
		snprintf(dst, 64, "net%u-%02x%02x%02x%02x%02x%02x:%u", a->net,
			 a->b[0], a->b[1], a->b[2], a->b[3], a->b[4], a->b[5],
			 a->port);
	}
	return dst;
}
