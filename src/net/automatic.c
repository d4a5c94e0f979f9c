/*
 * Automatic outbound connections: which kind is missing, whom the address book
 * offers, feelers, and the DNS seeds when the book cannot help. Runs on the
 * loop, from the tick. Does nothing where -connect chose the peers.
 */
#include "inner.h"

#include "addrbook.h"
#include "netaddr.h"

#include <cairn/base/log.h>
#include <cairn/params/params.h>

#include <stdio.h>

#define FEELER_US      120000000 /* mean time between feelers */
#define SEED_WAIT_MS   11000 /* for what the book knows, before asking seeds */
#define SEED_SERVICES  (NODE_NETWORK | NODE_WITNESS)
#define SEED_AGAIN_MS  300000 /* while there is no outbound peer at all */
#define SEED_ENOUGH    2u     /* outbound peers that make seeds unnecessary */
#define SEED_AGE_MIN_S (3 * 86400)

/* Exponentially distributed around mean without libm: the number of trailing
 * fair coin throws gives the power of two, a uniform part the rest. */
static int64_t around(struct rand *r, int64_t mean)
{
	int64_t half_life = mean * 7 / 10;
	unsigned n = (unsigned)__builtin_ctzll(rand_u64(r) | 1ull << 20);

	return half_life * n + (int64_t)rand_below(r, (uint64_t)half_life);
}

void automatic_init(struct net *n)
{
	n->next_feeler_us =
	    clock_now_us(n->cfg.clock) + around(&n->rand, FEELER_US);
	n->seeds_at_ms = (int64_t)uv_now(n->loop);
	if (addrbook_count(n->book) && !n->cfg.force_dns_seed)
		n->seeds_at_ms += SEED_WAIT_MS;
}

static size_t count_conn(const struct net *n, enum peer_conn c)
{
	size_t i, count = 0;

	for (i = 0; i < n->peers.n; i++)
		count +=
		    n->peers.p[i]->conn == c && peer_is_open(n->peers.p[i]);
	for (i = 0; i < n->dials.n; i++)
		count +=
		    n->dials.p[i]->conn == c && peer_is_open(n->dials.p[i]);
	return count;
}

/* Lasting outbound peers are chosen from different network groups. */
static bool group_taken(const struct net *n, const struct netaddr *a)
{
	uint64_t group = netaddr_group(a);
	size_t i;

	for (i = 0; i < n->peers.n; i++) {
		const struct peer *p = n->peers.p[i];

		if (peer_is_open(p) &&
		    (p->conn == CONN_OUTBOUND || p->conn == CONN_MANUAL ||
		     p->conn == CONN_BLOCK_ONLY) &&
		    netaddr_group(&p->addr) == group)
			return true;
	}
	return false;
}

struct want {
	struct net *net;
	enum peer_conn conn;
};

static bool is_wanted(void *arg, const struct addr_entry *e)
{
	const struct want *w = arg;
	uint64_t need = w->conn == CONN_FEELER ? NODE_NETWORK : SEED_SERVICES;

	if ((e->services & need) != need)
		return false;
	/* Low ports belong to other services, which we could be made to
	 * bother. */
	if (e->addr.port < 1024 && e->addr.port != w->net->cfg.default_port)
		return false;
	if (discouraged_has(&w->net->discouraged, &e->addr) ||
	    dial_is_dup(w->net, NULL, &e->addr))
		return false;
	return w->conn == CONN_FEELER || !group_taken(w->net, &e->addr);
}

/* What kind of connection is missing most; false where none is. */
static bool missing(struct net *n, enum peer_conn *c)
{
	size_t max = n->cfg.max_automatic;
	size_t full = max < MAX_FULL ? max : MAX_FULL;
	size_t blocks = max - full < MAX_BLOCKONLY ? max - full : MAX_BLOCKONLY;
	int64_t now_us = clock_now_us(n->cfg.clock);

	if (count_conn(n, CONN_OUTBOUND) < full) {
		*c = CONN_OUTBOUND;
	} else if (count_conn(n, CONN_BLOCK_ONLY) < blocks) {
		*c = CONN_BLOCK_ONLY;
	} else if (max && now_us >= n->next_feeler_us) {
		n->next_feeler_us = now_us + around(&n->rand, FEELER_US);
		*c = CONN_FEELER;
	} else {
		return false;
	}
	return true;
}

bool automatic_choose(struct net *n, enum peer_conn conn, struct addr_entry *e)
{
	struct want w = {n, conn};

	return addrbook_pick(n->book, e, net_now(n), is_wanted, &w);
}

static void dial_one(struct net *n)
{
	enum peer_conn conn;
	struct addr_entry e;

	if (missing(n, &conn) && automatic_choose(n, conn, &e))
		(void)dial_addr(n, &e.addr, conn); /* else the next tick */
}

/* A seed answers a name with addresses; where it does not know our service
 * bits, one connection to it asks for more. */
static void on_seed(struct net *n, void *arg, const struct netaddr *a,
		    size_t count)
{
	const char *seed = arg;
	int64_t now_s = net_now(n);
	size_t i;

	for (i = 0; i < count; i++) {
		int64_t age =
		    SEED_AGE_MIN_S + (int64_t)rand_below(&n->rand, 4 * 86400);
		struct addr_entry e = {.time_s = (uint32_t)(now_s - age),
				       .services = SEED_SERVICES,
				       .addr = a[i]};

		addrbook_add(n->book, &e, now_s);
	}
	log_info(LOG_NET, "dns seed %s gave %zu addresses", seed, count);
	if (count == 0)
		(void)net_dial(n, seed, CONN_ADDR_FETCH);
}

static void ask_seeds(struct net *n)
{
	const char *const *s = n->cfg.params->dns_seeds;
	char host[256];

	for (; s && *s; s++) {
		/* The constant string is passed through as an opaque word. */
		union {
			const char *in;
			void *out;
		} seed = {.in = *s};

		snprintf(host, sizeof host, "x%x.%s", SEED_SERVICES, *s);
		resolve_start(n, host, n->cfg.default_port, on_seed, seed.out);
	}
}

/* The first time seeds are asked where few peers were found without them, later
 * only where there are none: the network may have been away. */
static void maybe_seed(struct net *n)
{
	int64_t now_ms = (int64_t)uv_now(n->loop);
	size_t enough = n->seeded ? 1 : SEED_ENOUGH;
	bool forced = n->cfg.force_dns_seed && !n->seeded;

	if (!n->cfg.dns_seed || now_ms < n->seeds_at_ms)
		return;
	n->seeds_at_ms = now_ms + SEED_AGAIN_MS;
	n->seeded = true;
	if (forced || count_conn(n, CONN_OUTBOUND) < enough)
		ask_seeds(n);
}

void automatic_tick(struct net *n)
{
	if (!n->active || n->stopping || n->cfg.only_connect)
		return;
	maybe_seed(n);
	dial_one(n);
}
