/*
 * Addresses: what peers tell us goes into the book, as fast as their allowance
 * lets it; getaddr is answered once, to inbound peers, from a sample that stays
 * the same for a day so that the book cannot be read out. Runs on the loop.
 * Passes nothing on by itself.
 */
#include "inner.h"

#include "addrbook.h"
#include "netaddr.h"

#include <cairn/base/buf.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>

#include <inttypes.h>
#include <stdlib.h>

#define TOKENS_PER_US    (0.1 / 1e6)
#define TOKENS_MAX       1000.0
#define TIME_MIN_S       100000000 /* older claims are nonsense */
#define FUTURE_S         600
#define OLD_S            (5 * 86400)
#define GETADDR_PERCENT  23u
#define GETADDR_KEEP_S   (21 * 3600)
#define GETADDR_SPREAD_S (6 * 3600)

void gossip_init(struct peer *p)
{
	p->gossip.tokens = 1.0;
	p->gossip.tokens_us = clock_now_us(p->net->cfg.clock);
}

/* Block-relay-only peers and feelers are not spoken with about addresses, so
 * that these links stay hard to find. */
static bool enable(struct peer *p)
{
	if (p->conn == CONN_BLOCK_ONLY || p->conn == CONN_FEELER)
		return false;
	p->gossip.enabled = true;
	return true;
}

void gossip_ask(struct peer *p)
{
	if (!enable(p))
		return;
	peer_send(p, MSG_GETADDR, slice_of(NULL, 0));
	p->gossip.getaddr_sent = true;
	/* The answer may be long. */
	p->gossip.tokens += TOKENS_MAX;
}

static void refill(struct addr_state *g, int64_t now_us)
{
	int64_t passed = now_us - g->tokens_us;

	g->tokens_us = now_us;
	if (g->tokens >= TOKENS_MAX || passed <= 0)
		return;
	g->tokens += (double)passed * TOKENS_PER_US;
	if (g->tokens > TOKENS_MAX)
		g->tokens = TOKENS_MAX;
}

/* Nodes worth storing: those that others could be served by. */
static bool is_useful(uint64_t services)
{
	return (services & (NODE_NETWORK | NODE_NETWORK_LIMITED)) != 0;
}

static void learn(struct peer *p, struct addr_entry *e, int64_t now_s)
{
	struct net *n = p->net;

	if (!is_useful(e->services))
		return;
	if (e->time_s <= TIME_MIN_S || (int64_t)e->time_s > now_s + FUTURE_S)
		e->time_s = (uint32_t)(now_s - OLD_S);
	if (discouraged_has(&n->discouraged, &e->addr))
		return;
	p->gossip.processed++;
	if (e->addr.net == NET_IPV4 || e->addr.net == NET_IPV6)
		addrbook_learn(n->book, e, &p->addr, now_s);
}

/* Which entries of a long message are taken is chance, not the sender's order.
 */
static void shuffle(struct rand *r, struct addr_entry *e, size_t n)
{
	for (; n > 1; n--) {
		size_t j = rand_below(r, n);
		struct addr_entry t = e[n - 1];

		e[n - 1] = e[j];
		e[j] = t;
	}
}

static void learn_all(struct peer *p, struct addr_entry *e, size_t n)
{
	struct addr_state *g = &p->gossip;
	int64_t now_us = clock_now_us(p->net->cfg.clock);
	size_t i;

	refill(g, now_us);
	shuffle(&p->net->rand, e, n);
	for (i = 0; i < n; i++) {
		if (g->tokens < 1.0 && !(p->perms & PERM_ADDR)) {
			g->rate_limited++;
			continue;
		}
		g->tokens -= 1.0;
		learn(p, &e[i], now_us / 1000000);
	}
}

static void take_addrs(struct peer *p, struct addr_view *v)
{
	struct addr_entry *e;
	size_t n = 0;

	if (!enable(p))
		return;
	if (v->n > ADDR_MAX) {
		peer_misbehaving(p, v->v2 ? "addrv2 message size"
					  : "addr message size");
		return;
	}
	e = xmalloc((v->n + 1) * sizeof *e);
	while (n < v->n && addr_next(v, &e[n]))
		n++;
	learn_all(p, e, n);
	free(e);
	log_debug(LOG_NET,
		  "peer=%" PRIu64 " addresses n=%u processed=%" PRIu64
		  " limited=%" PRIu64,
		  p->id, v->n, p->gossip.processed, p->gossip.rate_limited);
	if (v->n < ADDR_MAX)
		p->gossip.getaddr_sent = false;
	/* One address may be no more than the peer's own. */
	if (p->conn == CONN_ADDR_FETCH && v->n > 1)
		peer_disconnect(p, "addrfetch connection completed");
}

void on_addr(struct peer *p, struct slice body)
{
	struct addr_view v;

	if (addr_view_parse(&v, body))
		take_addrs(p, &v);
}

void on_addrv2(struct peer *p, struct slice body)
{
	struct addr_view v;

	if (addrv2_view_parse(&v, body))
		take_addrs(p, &v);
}

/* The sample that answers getaddr, chosen again after about a day, or when the
 * book of a young node has grown to twice its size. */
static void refresh_sample(struct net *n)
{
	size_t count = addrbook_count(n->book);
	size_t max = count * GETADDR_PERCENT / 100;
	int64_t now_s = net_now(n);

	if (n->getaddr && now_s < n->getaddr_until_s &&
	    count < 2 * n->getaddr_of)
		return;
	n->getaddr_of = count ? count : 1;
	if (max > ADDR_MAX)
		max = ADDR_MAX;
	free(n->getaddr);
	n->getaddr = xmalloc((max + 1) * sizeof *n->getaddr);
	n->n_getaddr = addrbook_sample(n->book, n->getaddr, max);
	n->getaddr_until_s = now_s + GETADDR_KEEP_S +
			     (int64_t)rand_below(&n->rand, GETADDR_SPREAD_S);
}

static void send_addrs(struct peer *p, const struct addr_entry *e, uint32_t n)
{
	size_t size = p->addrv2 ? addrv2_size(e, n) : addr_size(n);
	uint8_t *b = xmalloc(size);

	if (p->addrv2)
		addrv2_put(b, e, n);
	else
		addr_put(b, e, n);
	peer_send(p, p->addrv2 ? MSG_ADDRV2 : MSG_ADDR, slice_of(b, size));
	free(b);
}

/* Outbound peers are not answered: whoever we dialled could otherwise find out
 * by planted addresses which node this is. */
void on_getaddr(struct peer *p, struct slice body)
{
	struct net *n = p->net;

	(void)body;
	if (p->conn != CONN_INBOUND)
		return;
	enable(p);
	if (p->gossip.getaddr_recv) {
		log_debug(LOG_NET, "peer=%" PRIu64 " ignored repeated getaddr",
			  p->id);
		return;
	}
	p->gossip.getaddr_recv = true;
	refresh_sample(n);
	if (n->n_getaddr)
		send_addrs(p, n->getaddr, (uint32_t)n->n_getaddr);
}
