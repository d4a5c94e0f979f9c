/*
 * Dialling: a text or an address becomes a connected peer, or nothing. Runs on
 * the loop. Names are looked up on libuv's threads; each address gets -timeout
 * on the monotonic clock. Whom to dial, and when again, is decided in added.c
 * and automatic.c.
 */
#include "inner.h"

#include "addrbook.h"
#include "netaddr.h"

#include <cairn/base/err.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>

#include <stdlib.h>

static void dial_failed(struct peer *p, const char *why)
{
	char addr[64];

	log_debug(LOG_NET, "dial %s%s%s: %s", netaddr_fmt(addr, &p->addr),
		  p->dest ? " for " : "", p->dest ? p->dest : "", why);
}

/* The handle is used up after a failure; dial_next goes on when it is closed.
 */
static void give_up_address(struct peer *p, const char *why)
{
	dial_failed(p, why);
	peer_close(p);
}

static void on_connect(uv_connect_t *c, int status)
{
	struct peer *p = peer_of(c->data);
	struct net *n = p->net;

	if (p->closed || !peer_is_open(p))
		return; /* it is being closed */
	if (status < 0) {
		give_up_address(p, uv_strerror(status));
		return;
	}
	peers_del(&n->dials, p);
	peer_connected(p);
}

static int connect_to(struct peer *p, const struct netaddr *a)
{
	struct sockaddr_storage ss;

	if (!netaddr_to_sock(&ss, a))
		return -EACCES;
	p->connect.data = p;
	return uv_tcp_connect(&p->connect, &p->tcp, (struct sockaddr *)&ss,
			      on_connect);
}

static void try_current(struct peer *p)
{
	struct net *n = p->net;
	int rc;

	p->addr = p->cand[p->i_cand];
	p->dial_deadline_ms =
	    uv_now(n->loop) + (uint64_t)n->cfg.connect_timeout_ms;
	addrbook_tried(n->book, &p->addr, net_now(n));
	rc = connect_to(p, &p->addr);
	if (rc)
		give_up_address(p, err_str(rc));
}

bool dial_next(struct peer *p)
{
	int rc;

	if (!peer_is_open(p) || p->net->stopping || ++p->i_cand >= p->n_cand)
		return false;
	rc = uv_tcp_init(p->net->loop, &p->tcp);
	must(rc == 0);
	p->tcp.data = p;
	p->closed = false;
	try_current(p);
	return true;
}

void dial_begin(struct peer *p)
{
	peers_add(&p->net->dials, p);
	if (p->n_cand)
		try_current(p);
}

static void on_name(struct net *n, void *arg, const struct netaddr *a,
		    size_t count)
{
	struct peer *p = peer_of(arg);

	p->resolving = false;
	p->n_cand = (unsigned)(count < CANDIDATES ? count : CANDIDATES);
	if (p->n_cand)
		memcpy(p->cand, a, p->n_cand * sizeof *a);
	if (n->stopping || !peer_is_open(p) || count == 0)
		peer_todo(p, TODO_CLOSE);
	else
		try_current(p);
}

static bool same_dest(const struct peer *p, const char *dest)
{
	return dest && p->dest && strcmp(p->dest, dest) == 0;
}

static bool list_has(const struct peer_list *l, const char *dest,
		     const struct netaddr *a)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct peer *p = l->p[i];

		if (peer_is_open(p) &&
		    (same_dest(p, dest) || (a && netaddr_eq(&p->addr, a))))
			return true;
	}
	return false;
}

bool dial_is_dup(const struct net *n, const char *dest, const struct netaddr *a)
{
	return list_has(&n->peers, dest, a) || list_has(&n->dials, dest, a);
}

int dial_addr(struct net *n, const struct netaddr *a, enum peer_conn conn)
{
	struct peer *p;

	if (!n->active || n->stopping)
		return E_CLOSED;
	if (dial_is_dup(n, NULL, a))
		return E_BUSY;
	p = peer_new(n, conn);
	p->cand[0] = *a;
	p->n_cand = 1;
	dial_begin(p);
	return 0;
}

int net_dial(struct net *n, const char *node, enum peer_conn conn)
{
	uint16_t port = n->cfg.default_port;
	char host[256];
	struct netaddr a;
	struct peer *p;
	bool numeric;

	if (!n->active || n->stopping)
		return E_CLOSED;
	numeric = netaddr_parse(&a, node, port);
	if (!numeric && !host_split(host, sizeof host, &port, node))
		return E_PARSE;
	if (dial_is_dup(n, node, numeric ? &a : NULL))
		return E_BUSY;
	p = peer_new(n, conn);
	p->dest = xstrdup(node);
	p->n_cand = numeric;
	if (numeric)
		p->cand[0] = a;
	else
		p->resolving = true;
	log_debug(LOG_NET, "dialling %s as %s", node, peer_conn_name(conn));
	dial_begin(p);
	if (!numeric)
		resolve_start(n, host, port, on_name, p);
	return 0;
}

void dial_tick(struct net *n)
{
	uint64_t now_ms = uv_now(n->loop);
	size_t i;

	for (i = 0; i < n->dials.n; i++) {
		struct peer *p = n->dials.p[i];

		if (peer_is_open(p) && !p->closed && p->dial_deadline_ms &&
		    now_ms >= p->dial_deadline_ms)
			give_up_address(p, "timed out");
	}
}
