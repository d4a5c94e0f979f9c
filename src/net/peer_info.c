/*
 * Looking peers up, and what is known of one. Runs on the loop. Peers that are
 * being closed are not seen any more.
 */
#include "inner.h"

#include "netaddr.h"

/* Index of the first peer with an id of at least id. */
static size_t lower_bound(const struct net *n, uint64_t id)
{
	size_t lo = 0, hi = n->peers.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (n->peers.p[mid]->id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct peer *net_peer(struct net *n, uint64_t id)
{
	size_t i = lower_bound(n, id);
	struct peer *p = i < n->peers.n ? n->peers.p[i] : NULL;

	return p && p->id == id && peer_is_open(p) ? p : NULL;
}

struct peer *net_next(struct net *n, struct peer *after_or_null)
{
	size_t i = after_or_null ? lower_bound(n, after_or_null->id + 1) : 0;

	while (i < n->peers.n && !peer_is_open(n->peers.p[i]))
		i++;
	return i < n->peers.n ? n->peers.p[i] : NULL;
}

size_t net_count(const struct net *n, bool inbound, bool outbound)
{
	size_t i, count = 0;

	for (i = 0; i < n->peers.n; i++) {
		const struct peer *p = n->peers.p[i];

		if (peer_is_open(p))
			count += p->conn == CONN_INBOUND ? inbound : outbound;
	}
	return count;
}

void net_ping_all(struct net *n)
{
	size_t i;

	for (i = 0; i < n->peers.n; i++)
		n->peers.p[i]->ping.queued = true;
}

static void fmt_addrs(const struct peer *p, struct peer_info *i)
{
	netaddr_fmt(i->addr, &p->addr);
	if (p->has_bind)
		netaddr_fmt(i->addr_bind, &p->bind);
	if (p->has_local)
		netaddr_fmt(i->addr_local, &p->local);
	i->network = netaddr_network(&p->addr);
}

static void fill_ping(const struct peer *p, struct peer_info *i)
{
	int64_t now_us = clock_now_us(p->net->cfg.clock);

	i->ping_us = p->ping.last_us;
	i->min_ping_us = p->ping.min_us;
	i->ping_wait_us = -1;
	if (p->ping.nonce && now_us > p->ping.start_us)
		i->ping_wait_us = now_us - p->ping.start_us;
}

static void fill_counters(const struct peer *p, struct peer_info *i)
{
	i->bytes_sent = p->bytes_sent;
	i->bytes_recv = p->bytes_recv;
	memcpy(i->sent_per_msg, p->sent_per_msg, sizeof i->sent_per_msg);
	memcpy(i->recv_per_msg, p->recv_per_msg, sizeof i->recv_per_msg);
	i->addr_processed = p->gossip.processed;
	i->addr_rate_limited = p->gossip.rate_limited;
	i->last_block_s = p->last_block_s;
}

void peer_get_info(const struct peer *p, struct peer_info *i)
{
	*i = (struct peer_info){
	    .id = p->id,
	    .state = p->state,
	    .conn = p->conn,
	    .inbound = p->conn == CONN_INBOUND,
	    .loopback = p->loopback,
	    .services = p->services,
	    .version = p->version,
	    .start_height = p->start_height,
	    .subver = p->subver,
	    .relay_txs = p->relay_txs,
	    .wtxid_relay = p->wtxid_relay,
	    .addrv2 = p->addrv2,
	    .send_headers = p->send_headers,
	    .conn_time_s = p->conn_time_s,
	    .last_send_s = p->last_send_s,
	    .last_recv_s = p->last_recv_s,
	    .time_offset_s = p->time_offset_s,
	    .transport = "v1",
	    .fee_filter_sat = p->fee_filter_sat,
	    .addr_relay = p->gossip.enabled,
	    .cmpct = p->cmpct,
	    .cmpct_hb_from = p->cmpct_hb,
	};
	fmt_addrs(p, i);
	fill_ping(p, i);
	fill_counters(p, i);
}

uint64_t peer_id(const struct peer *p)
{
	return p->id;
}

enum peer_state peer_get_state(const struct peer *p)
{
	return p->state;
}

bool peer_is_inbound(const struct peer *p)
{
	return p->conn == CONN_INBOUND;
}

enum peer_conn peer_conn_type(const struct peer *p)
{
	return p->conn;
}

uint64_t peer_services(const struct peer *p)
{
	return p->services;
}

int32_t peer_version(const struct peer *p)
{
	return p->version;
}

int64_t peer_fee_filter(const struct peer *p)
{
	return p->fee_filter_sat;
}

int32_t peer_start_height(const struct peer *p)
{
	return p->start_height;
}

void peer_note_block(struct peer *p, int64_t now_s)
{
	p->last_block_s = now_s;
}

void peer_set_data(struct peer *p, void *data)
{
	p->data = data;
}

void *peer_data(const struct peer *p)
{
	return p->data;
}
