/*
 * A peer's life: states, entry work, the list of what is left to do at the end
 * of a turn, and closing. Runs on the loop. Bytes are peer_io.c's, messages
 * deliver.c's.
 */
#include "inner.h"

#include "addrbook.h"
#include "netaddr.h"

#include <cairn/base/buf.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>
#include <cairn/params/params.h>

#include <inttypes.h>
#include <stdlib.h>

static const char *const state_names[] = {
    [PEER_DIALING] = "DIALING",
    [PEER_TRANSPORT] = "TRANSPORT",
    [PEER_WAIT_VERSION] = "WAIT_VERSION",
    [PEER_WAIT_VERACK] = "WAIT_VERACK",
    [PEER_READY] = "READY",
    [PEER_CLOSING] = "CLOSING",
};

static const char *const conn_names[] = {
    [CONN_INBOUND] = "inbound", [CONN_OUTBOUND] = "outbound-full-relay",
    [CONN_MANUAL] = "manual",   [CONN_BLOCK_ONLY] = "block-relay-only",
    [CONN_FEELER] = "feeler",   [CONN_ADDR_FETCH] = "addr-fetch",
};

const char *peer_conn_name(enum peer_conn c)
{
	return conn_names[c];
}

void peers_add(struct peer_list *l, struct peer *p)
{
	arr_grow(&l->p, &l->cap, l->n + 1, sizeof *l->p);
	l->p[l->n++] = p;
}

void peers_del(struct peer_list *l, struct peer *p)
{
	size_t i = 0;

	while (i < l->n && l->p[i] != p)
		i++;
	must(i < l->n);
	l->n--;
	memmove(&l->p[i], &l->p[i + 1], (l->n - i) * sizeof *l->p);
}

struct peer *peer_new(struct net *n, enum peer_conn conn)
{
	struct peer *p = xcalloc(1, sizeof *p);
	int rc;

	p->magic = PEER_MAGIC;
	p->net = n;
	p->id = PEER_NONE;
	p->state = PEER_DIALING;
	p->conn = conn;
	rx_init(&p->rx, n->cfg.params->magic, &n->budget);
	sendq_init(&p->sendq, n->cfg.max_send_buffer);
	ping_init(&p->ping);
	rand_os(&p->nonce, sizeof p->nonce);
	rc = uv_tcp_init(n->loop, &p->tcp);
	must(rc == 0);
	p->tcp.data = p;
	n->handles++;
	return p;
}

static void peer_free(struct peer *p)
{
	rx_fini(&p->rx);
	if (p->stash) {
		p->net->budget.used -= p->stash->cap;
		buf_unref(p->stash);
	}
	sendq_fini(&p->sendq);
	free(p->dest);
	p->magic = 0;
	free(p);
}

void peer_todo(struct peer *p, unsigned what)
{
	struct net *n = p->net;

	if (p->closed)
		return;
	if (!p->todo) {
		p->todo_next = NULL;
		*n->todo_tail = p;
		n->todo_tail = &p->todo_next;
	}
	p->todo |= what;
}

static void on_closed(uv_handle_t *h)
{
	struct peer *p = peer_of(h->data);
	struct net *n = p->net;

	must(!p->todo);
	if (p->id == PEER_NONE) {
		if (dial_next(p))
			return;
		peers_del(&n->dials, p);
	} else {
		n->ops.on_closed(n->arg, p);
		peers_del(&n->peers, p);
	}
	peer_free(p);
	net_handle_closed(n);
}

void peer_close(struct peer *p)
{
	/* A running look-up still points here; it comes back for this. */
	if (p->closed || p->resolving)
		return;
	p->closed = true;
	uv_close((uv_handle_t *)&p->tcp, on_closed);
}

static void enter_ready(struct peer *p)
{
	ping_tick(p, clock_now_us(p->net->cfg.clock));
	p->net->ops.on_ready(p->net->arg, p);
}

static void enter_closing(struct peer *p)
{
	if (p->reading) {
		uv_read_stop((uv_stream_t *)&p->tcp);
		p->reading = false;
	}
	if (p->starved)
		p->net->n_starved--;
	p->starved = false;
	peer_todo(p, TODO_CLOSE);
}

void peer_set_state(struct peer *p, enum peer_state to)
{
	if (p->id != PEER_NONE)
		log_debug(LOG_NET, "peer=%" PRIu64 " %s->%s%s%s", p->id,
			  state_names[p->state], state_names[to],
			  p->why ? " why=" : "", p->why ? p->why : "");
	p->state = to;
	switch (to) {
	case PEER_DIALING:
	case PEER_TRANSPORT:
	case PEER_WAIT_VERACK:
		break;
	case PEER_WAIT_VERSION:
		handshake_begin(p);
		break;
	case PEER_READY:
		enter_ready(p);
		break;
	case PEER_CLOSING:
		enter_closing(p);
		break;
	}
}

/* Where our end of the connection is. */
static void find_bind(struct peer *p)
{
	struct sockaddr_storage ss;
	int len = sizeof ss;

	if (uv_tcp_getsockname(&p->tcp, (struct sockaddr *)&ss, &len) == 0)
		p->has_bind =
		    netaddr_from_sock(&p->bind, (struct sockaddr *)&ss);
}

void peer_connected(struct peer *p)
{
	struct net *n = p->net;
	char addr[64];

	p->id = n->next_id++;
	peers_add(&n->peers, p);
	p->loopback = netaddr_is_local(&p->addr);
	p->perms = grants_of(n, &p->addr, p->conn);
	p->conn_time_s = net_now(n);
	find_bind(p);
	/* Only latency is lost where this fails. */
	(void)uv_tcp_nodelay(&p->tcp, 1);
	gossip_init(p);
	log_debug(LOG_NET, "peer=%" PRIu64 " connected %s addr=%s", p->id,
		  peer_conn_name(p->conn), netaddr_fmt(addr, &p->addr));
	peer_set_state(p, PEER_TRANSPORT);
	/* v1 has no transport handshake of its own. */
	peer_set_state(p, PEER_WAIT_VERSION);
	peer_read_update(p);
}

void peer_disconnect(struct peer *p, const char *why)
{
	if (p->state == PEER_CLOSING)
		return;
	p->why = why;
	peer_set_state(p, PEER_CLOSING);
}

void peer_misbehaving(struct peer *p, const char *why)
{
	struct net *n = p->net;
	char addr[64];

	if (p->state == PEER_CLOSING)
		return;
	netaddr_fmt(addr, &p->addr);
	log_debug(LOG_NET, "peer=%" PRIu64 " misbehaving addr=%s why=%s", p->id,
		  addr, why);
	if (p->perms & PERM_NOBAN)
		return;
	if (net_may_tell(n))
		log_info(LOG_NET,
			 "peer=%" PRIu64 " addr=%s broke a rule (%s) and is "
			 "disconnected",
			 p->id, addr, why);
	/* Whoever sits behind a local address is not known by it, and an
	 * operator's own choice is not overruled for longer than this. */
	if (!p->loopback && p->conn != CONN_MANUAL)
		discouraged_add(&n->discouraged, &p->addr);
	peer_disconnect(p, why);
}
