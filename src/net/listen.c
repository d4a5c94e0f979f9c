/*
 * Listening: binding, accepting, and who is let in. Runs on the loop. Accepts
 * before it judges, because only an accepted socket can be closed.
 */
#include "inner.h"

#include "netaddr.h"

#include <cairn/base/err.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>
#include <cairn/base/text.h>

#include <stdlib.h>

#define BACKLOG 512

struct listener {
	struct net *net;
	struct listener *next;
	uv_tcp_t tcp;
	uint16_t port;
	bool closing;
};

/* Slots for inbound peers: what automatic outbound ones and one feeler leave.
 */
size_t net_inbound_max(const struct net *n)
{
	size_t out = n->cfg.max_automatic + 1;

	return n->cfg.max_connections > out ? n->cfg.max_connections - out : 0;
}

/* Make room where every slot is taken; false when nobody may be sent away. */
static bool make_slot(struct net *n)
{
	struct peer *out = evict_choose(n);

	if (!out)
		return false;
	peer_disconnect(out, "evicted for a new inbound peer");
	return true;
}

const char *inbound_refusal(struct net *n, const struct peer *p)
{
	size_t inbound = net_count(n, true, false), max = net_inbound_max(n);

	if (!n->active)
		return "network inactive";
	if (inbound + 1 >= max && discouraged_has(&n->discouraged, &p->addr) &&
	    !(grants_of(n, &p->addr, CONN_INBOUND) & PERM_NOBAN))
		return "discouraged";
	if (inbound >= max && !make_slot(n))
		return "full";
	return NULL;
}

static bool find_peer_addr(struct peer *p)
{
	struct sockaddr_storage ss;
	int len = sizeof ss;

	return uv_tcp_getpeername(&p->tcp, (struct sockaddr *)&ss, &len) == 0 &&
	       netaddr_from_sock(&p->addr, (struct sockaddr *)&ss);
}

static void on_refused(uv_handle_t *h)
{
	struct net *n = h->data;

	free(h);
	net_handle_closed(n);
}

/* Accept and close: the connection must leave the queue of the listener. */
static void accept_refused(struct net *n, uv_stream_t *server)
{
	uv_tcp_t *tcp = xmalloc(sizeof *tcp);
	int rc = uv_tcp_init(n->loop, tcp);

	must(rc == 0);
	tcp->data = n;
	n->handles++;
	(void)uv_accept(server, (uv_stream_t *)tcp);
	uv_close((uv_handle_t *)tcp, on_refused);
}

static void accept_peer(struct net *n, uv_stream_t *server)
{
	struct peer *p = peer_new(n, CONN_INBOUND);
	const char *why = NULL;
	char addr[64] = "?";

	if (uv_accept(server, (uv_stream_t *)&p->tcp) != 0 ||
	    !find_peer_addr(p))
		why = "gone";
	if (!why) {
		netaddr_fmt(addr, &p->addr);
		why = inbound_refusal(n, p);
	}
	if (!why) {
		peer_connected(p);
		return;
	}
	log_debug(LOG_NET, "connection from %s refused: %s", addr, why);
	/* It has no id yet, so nobody above will hear of it. */
	peers_add(&n->dials, p);
	peer_disconnect(p, why);
}

static void on_connection(uv_stream_t *server, int status)
{
	struct listener *l = server->data;
	struct net *n = l->net;

	if (status < 0) {
		log_debug(LOG_NET, "accept: %s", uv_strerror(status));
		return;
	}
	if (n->stopping)
		accept_refused(n, server);
	else
		accept_peer(n, server);
}

static void on_listener_closed(uv_handle_t *h)
{
	struct listener *l = h->data;
	struct net *n = l->net;

	free(l);
	net_handle_closed(n);
}

static void listener_close(struct listener *l)
{
	if (!l->closing)
		uv_close((uv_handle_t *)&l->tcp, on_listener_closed);
	l->closing = true;
}

void listeners_close(struct net *n)
{
	struct listener *l;

	for (l = n->listeners; l; l = l->next)
		listener_close(l);
	n->listeners = NULL;
}

static uint16_t port_of(const uv_tcp_t *tcp)
{
	struct sockaddr_storage ss;
	int len = sizeof ss;
	struct netaddr a;

	if (uv_tcp_getsockname(tcp, (struct sockaddr *)&ss, &len) != 0 ||
	    !netaddr_from_sock(&a, (struct sockaddr *)&ss))
		return 0;
	return a.port;
}

uint16_t net_listen_port(const struct net *n, size_t i)
{
	const struct listener *l = n->listeners;

	for (; l && i > 0; i--)
		l = l->next;
	return l ? l->port : 0;
}

static int start(struct listener *l, const struct netaddr *a)
{
	unsigned flags = a->net == NET_IPV6 ? UV_TCP_IPV6ONLY : 0;
	struct sockaddr_storage ss;
	int rc;

	if (!netaddr_to_sock(&ss, a))
		return E_INVALID;
	rc = uv_tcp_bind(&l->tcp, (struct sockaddr *)&ss, flags);
	if (rc)
		return rc;
	rc = uv_listen((uv_stream_t *)&l->tcp, BACKLOG, on_connection);
	if (rc == 0)
		l->port = port_of(&l->tcp);
	return rc;
}

static void explain(struct text *err, const char *where, int rc)
{
	if (rc == -EADDRINUSE)
		text_printf(err,
			    "Unable to bind to %s on this computer. Cairn or "
			    "another node is probably already running.",
			    where);
	else
		text_printf(err, "Unable to bind to %s on this computer (%s)",
			    where, err_str(rc));
}

int net_bind(struct net *n, const char *where, struct text *err)
{
	struct listener *l;
	struct netaddr a;
	char addr[64];
	int rc;

	if (!netaddr_parse(&a, where, n->cfg.default_port)) {
		text_printf(err, "Cannot resolve -bind address: '%s'", where);
		return E_PARSE;
	}
	l = xcalloc(1, sizeof *l);
	l->net = n;
	rc = uv_tcp_init(n->loop, &l->tcp);
	must(rc == 0);
	l->tcp.data = l;
	n->handles++;
	rc = start(l, &a);
	if (rc) {
		explain(err, netaddr_fmt(addr, &a), rc);
		listener_close(l);
		return rc;
	}
	l->next = n->listeners;
	n->listeners = l;
	a.port = l->port;
	log_info(LOG_NET, "listening on %s", netaddr_fmt(addr, &a));
	return 0;
}
