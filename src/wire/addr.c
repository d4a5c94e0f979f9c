/*
 * addr and addrv2 (BIP 155). Any thread. What is reachable or worth keeping is
 * the address book's matter; this file leaves out only what no node may use.
 */
#include <cairn/wire/addr.h>

#include <cairn/base/must.h>

#define V1_ENTRY     30u
#define V1_ENTRY_OLD 26u  /* without the time */
#define V2_ENTRY_MIN 9u   /* time, services, network, length, port */
#define V2_ADDR_MAX  512u /* BIP 155 */
#define CJDNS_PREFIX 0xfcu

/* Forms of IPv6 that stand for something else: IPv4, Tor v2 (gone), and the
 * names that Bitcoin Core keeps in its own address table. */
static const uint8_t in6_ipv4[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
static const uint8_t in6_torv2[6] = {0xfd, 0x87, 0xd8, 0x7e, 0xeb, 0x43};
static const uint8_t in6_name[6] = {0xfd, 0x6b, 0x88, 0xc0, 0x87, 0x24};
static const uint8_t in6_any[16];

/* Bytes of an address, by network; 0 where we know none. */
static const uint8_t net_bytes[] = {
    [NET_NONE] = 0,   [NET_IPV4] = 4, [NET_IPV6] = 16,  [NET_TORV2] = 0,
    [NET_TORV3] = 32, [NET_I2P] = 32, [NET_CJDNS] = 16,
};

static uint8_t net_size(uint8_t net)
{
	return net < sizeof net_bytes ? net_bytes[net] : 0;
}

#define has_prefix(ip, prefix) (memcmp(ip, prefix, sizeof(prefix)) == 0)

static void netaddr_set(struct netaddr *a, uint8_t net, const uint8_t *b)
{
	a->net = net;
	a->n = net_size(net);
	memset(a->b, 0, sizeof a->b);
	memcpy(a->b, b, a->n);
}

/* Most addresses by far, so with sizes that the compiler knows. */
static inline bool ipv4_get(struct netaddr *a, const uint8_t *ip)
{
	if (!has_prefix(ip, in6_ipv4))
		return false;
	a->net = NET_IPV4;
	a->n = 4;
	memset(a->b, 0, sizeof a->b);
	memcpy(a->b, ip + sizeof in6_ipv4, 4);
	return true;
}

bool netaddr_get16(struct netaddr *a, const uint8_t ip[16])
{
	if (ipv4_get(a, ip))
		return true;
	if (has_prefix(ip, in6_torv2) || has_prefix(ip, in6_name) ||
	    has_prefix(ip, in6_any)) {
		netaddr_set(a, NET_NONE, ip);
		return false;
	}
	netaddr_set(a, NET_IPV6, ip);
	return true;
}

/* The address of an addrv2 entry; false where it must be ignored. */
static bool v2_addr_get(struct netaddr *a, uint8_t net, const uint8_t *b)
{
	if (net_size(net) == 0)
		return false;
	if (net == NET_CJDNS && b[0] != CJDNS_PREFIX)
		return false;
	/* An embedded IPv4 is fine in addr, but not here. */
	if (net == NET_IPV6 &&
	    (has_prefix(b, in6_ipv4) || !netaddr_get16(a, b)))
		return false;
	netaddr_set(a, net, b);
	return true;
}

/* One addrv2 entry; e may be NULL to only validate. *use says whether the
 * address may be used. The cursor fails where the message is malformed. */
static void v2_entry(struct addr_entry *e, bool *use, struct rd *r)
{
	uint32_t time_s = rd_u32(r);
	uint64_t services = rd_compact_any(r);
	uint8_t net = rd_u8(r);
	uint32_t n = rd_compact(r);
	const uint8_t *b;
	uint16_t port;

	if (n > V2_ADDR_MAX || (net_size(net) && n != net_size(net))) {
		rd_fail(r);
		return;
	}
	b = rd_take(r, n);
	port = rd_be16(r);
	if (!e || !rd_ok(r))
		return;
	*use = v2_addr_get(&e->addr, net, b);
	e->time_s = time_s;
	e->services = services;
	e->addr.port = port;
}

static bool v1_parse(struct addr_view *v, struct slice body, bool timeless)
{
	size_t entry = timeless ? V1_ENTRY_OLD : V1_ENTRY;
	struct rd r;
	uint32_t n;

	rd_init(&r, body);
	n = rd_count(&r, entry);
	if (!rd_ok(&r))
		return false;
	*v = (struct addr_view){
	    .n = n, .p = r.p, .end = r.p + n * entry, .timeless = timeless};
	return true;
}

bool addr_view_parse(struct addr_view *v, struct slice body)
{
	return v1_parse(v, body, false);
}

bool addr_old_view_parse(struct addr_view *v, struct slice body)
{
	return v1_parse(v, body, true);
}

bool addrv2_view_parse(struct addr_view *v, struct slice body)
{
	struct addr_view t = {.v2 = true};
	struct rd r;

	rd_init(&r, body);
	t.n = rd_count(&r, V2_ENTRY_MIN);
	t.p = r.p;
	for (uint32_t i = 0; i < t.n && rd_ok(&r); i++)
		v2_entry(NULL, NULL, &r);
	if (!rd_ok(&r))
		return false;
	t.end = r.p;
	*v = t;
	return true;
}

/* The entry at p, with its time or without; false where it must be ignored. */
static bool v1_get(struct addr_entry *e, const uint8_t *p, bool timeless)
{
	bool use;

	e->time_s = ADDR_TIME_NONE;
	if (!timeless) {
		e->time_s = le32_get(p);
		p += 4;
	}
	use = ipv4_get(&e->addr, p + 8) || netaddr_get16(&e->addr, p + 8);
	e->services = le64_get(p);
	e->addr.port = be16_get(p + 24);
	return use;
}

static bool v1_next(struct addr_view *v, struct addr_entry *e)
{
	size_t size = v->timeless ? V1_ENTRY_OLD : V1_ENTRY;
	const uint8_t *p = v->p;
	bool found = false;

	while (p != v->end && !found) {
		found = v1_get(e, p, v->timeless);
		p += size;
	}
	v->p = p;
	return found;
}

/* Apart, so that the other form need not keep what only this one uses. */
static __attribute__((noinline)) bool v2_next(struct addr_view *v,
					      struct addr_entry *e)
{
	struct rd r = {.p = v->p, .end = v->end, .bad = false};
	bool found = false;

	while (r.p != r.end && !found)
		v2_entry(e, &found, &r);
	v->p = r.p;
	return found;
}

bool addr_next(struct addr_view *v, struct addr_entry *e)
{
	return v->v2 ? v2_next(v, e) : v1_next(v, e);
}

size_t addr_size(uint32_t n)
{
	return compact_size(n) + (size_t)n * V1_ENTRY;
}

size_t addr_old_size(uint32_t n)
{
	return compact_size(n) + (size_t)n * V1_ENTRY_OLD;
}

size_t addrv2_size(const struct addr_entry *e, uint32_t n)
{
	size_t size = compact_size(n);

	for (uint32_t i = 0; i < n; i++)
		size += 4 + compact_size(e[i].services) + 2 + e[i].addr.n + 2;
	return size;
}

uint8_t *netaddr_put26(uint8_t *p, uint64_t services, const struct netaddr *a)
{
	p = le64_put(p, services);
	memset(p, 0, 16);
	if (a->net == NET_IPV4) {
		bytes_put(p, in6_ipv4, sizeof in6_ipv4);
		bytes_put(p + sizeof in6_ipv4, a->b, 4);
	} else if (a->net == NET_IPV6) {
		bytes_put(p, a->b, 16);
	}
	return be16_put(p + 16, a->port);
}

static uint8_t *v1_put(uint8_t *p, const struct addr_entry *e)
{
	must(e->addr.net == NET_IPV4 || e->addr.net == NET_IPV6);
	return netaddr_put26(p, e->services, &e->addr);
}

uint8_t *addr_put(uint8_t *p, const struct addr_entry *e, uint32_t n)
{
	p = compact_put(p, n);
	for (uint32_t i = 0; i < n; i++) {
		p = le32_put(p, e[i].time_s);
		p = v1_put(p, &e[i]);
	}
	return p;
}

uint8_t *addr_old_put(uint8_t *p, const struct addr_entry *e, uint32_t n)
{
	p = compact_put(p, n);
	for (uint32_t i = 0; i < n; i++)
		p = v1_put(p, &e[i]);
	return p;
}

uint8_t *addrv2_put(uint8_t *p, const struct addr_entry *e, uint32_t n)
{
	p = compact_put(p, n);
	for (uint32_t i = 0; i < n; i++) {
		const struct netaddr *a = &e[i].addr;
		must(a->n && a->n == net_size(a->net));
		p = le32_put(p, e[i].time_s);
		p = compact_put(p, e[i].services);
		*p++ = a->net;
		*p++ = a->n;
		p = bytes_put(p, a->b, a->n);
		p = be16_put(p, a->port);
	}
	return p;
}
