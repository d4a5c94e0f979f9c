/*
 * One tick over all peers each second, and at once when the mock time was set:
 * timeouts, pings, dialling. Protocol timers read the mockable clock. Runs on
 * the loop.
 */
#include "inner.h"

#include <cairn/base/log.h>

#include <inttypes.h>

#define INACTIVE_S   1200 /* silence in either direction */
#define ADDR_FETCH_S 300  /* an addr-fetch peer has for its answer */
#define STUCK_MS     60000u

static const char *never(const struct peer *p)
{
	if (p->last_recv_s == 0 && p->last_send_s == 0)
		return "no message in the first seconds, never received from "
		       "peer, never sent to peer";
	if (p->last_recv_s == 0)
		return "no message in the first seconds, never received from "
		       "peer";
	return "no message in the first seconds, never sent to peer";
}

/* NULL, or why the peer has been silent for too long. */
static const char *silence(const struct peer *p, int64_t now_s)
{
	/* Not a matter of -peertimeout: it was given its time. */
	if (p->conn == CONN_ADDR_FETCH && p->state == PEER_READY &&
	    now_s > p->conn_time_s + ADDR_FETCH_S)
		return "addrfetch connection timeout";
	if (p->conn_time_s + p->net->cfg.peer_timeout_s >= now_s)
		return NULL;
	if (p->last_recv_s == 0 || p->last_send_s == 0)
		return never(p);
	if (now_s > p->last_send_s + INACTIVE_S)
		return "socket sending timeout";
	if (now_s > p->last_recv_s + INACTIVE_S)
		return "socket receive timeout";
	if (p->state != PEER_READY)
		return "version handshake timeout";
	return NULL;
}

/* While others wait for memory, an inbound peer has a minute for a message. */
static bool is_stuck(const struct peer *p)
{
	return p->net->n_starved && p->conn == CONN_INBOUND && p->collect_ms &&
	       uv_now(p->net->loop) > p->collect_ms + STUCK_MS;
}

static void tick_peer(struct peer *p, int64_t now_us)
{
	const char *why = silence(p, now_us / 1000000);

	if (why)
		peer_disconnect(p, why);
	else if (is_stuck(p))
		peer_disconnect(p, "message too slow while memory is short");
	else if (p->state == PEER_READY)
		ping_tick(p, now_us);
}

void net_tick(struct net *n)
{
	int64_t now_us = clock_now_us(n->cfg.clock);
	size_t i;

	if (!n->started || n->stopping)
		return;
	for (i = 0; i < n->peers.n; i++) {
		if (peer_is_open(n->peers.p[i]))
			tick_peer(n->peers.p[i], now_us);
	}
	dial_tick(n);
	added_tick(n);
	automatic_tick(n);
	n->ops.on_tick(n->arg, now_us / 1000000);
}
