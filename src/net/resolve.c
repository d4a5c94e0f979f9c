/*
 * Names to addresses, on libuv's threads; results come back on the loop. Keeps
 * no result and retries nothing.
 */
#include "inner.h"

#include "netaddr.h"

#include <cairn/base/log.h>
#include <cairn/base/mem.h>

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_RESULTS 32u /* one answer may not fill the book */

struct resolve {
	uv_getaddrinfo_t req;
	struct net *net;
	struct resolve *next;
	uint16_t port;
	resolved_fn done;
	void *arg;
	char host[256];
};

static void unlink_resolve(struct resolve *r)
{
	struct resolve **l = &r->net->resolves;

	while (*l != r)
		l = &(*l)->next;
	*l = r->next;
}

static size_t collect(struct netaddr *a, const struct addrinfo *ai,
		      uint16_t port)
{
	size_t n = 0;

	for (; ai && n < MAX_RESULTS; ai = ai->ai_next) {
		if (!netaddr_from_sock(&a[n], ai->ai_addr))
			continue;
		a[n++].port = port;
	}
	return n;
}

static void on_resolved(uv_getaddrinfo_t *req, int status, struct addrinfo *ai)
{
	struct resolve *r = req->data;
	struct net *n = r->net;
	struct netaddr a[MAX_RESULTS];
	size_t count = 0;

	if (status == 0)
		count = collect(a, ai, r->port);
	else
		log_debug(LOG_NET, "resolving %s: %s", r->host,
			  uv_strerror(status));
	uv_freeaddrinfo(ai);
	unlink_resolve(r);
	r->done(n, r->arg, a, count);
	free(r);
	net_handle_closed(n);
}

void resolve_start(struct net *n, const char *host, uint16_t port,
		   resolved_fn done, void *arg)
{
	struct addrinfo hints = {.ai_family = AF_UNSPEC,
				 .ai_socktype = SOCK_STREAM,
				 .ai_flags = AI_ADDRCONFIG};
	struct resolve *r = xcalloc(1, sizeof *r);
	int rc;

	r->net = n;
	r->port = port;
	r->done = done;
	r->arg = arg;
	r->req.data = r;
	snprintf(r->host, sizeof r->host, "%s", host);
	rc = uv_getaddrinfo(n->loop, &r->req, on_resolved, r->host, NULL,
			    &hints);
	if (rc) {
		log_debug(LOG_NET, "resolving %s: %s", host, uv_strerror(rc));
		done(n, arg, NULL, 0);
		free(r);
		return;
	}
	r->next = n->resolves;
	n->resolves = r;
	n->handles++;
}

void resolves_cancel(struct net *n)
{
	struct resolve *r;

	/* Where it cannot be cancelled it ends by itself, and is waited for. */
	for (r = n->resolves; r; r = r->next)
		(void)uv_cancel((uv_req_t *)&r->req);
}
