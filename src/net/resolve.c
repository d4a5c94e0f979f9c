/*
 * Names to addresses. Each look-up has a short-lived thread of its own, which
 * hands its result back to the loop: libuv's pool would be joined when the
 * process ends, and a name server that does not answer would hold up the stop.
 * How many run at once is bounded by who asks: a seed, an added node and a call
 * by hand each wait for their answer. Keeps no result and retries nothing.
 */
#include "inner.h"

#include "netaddr.h"

#include <cairn/base/log.h>
#include <cairn/base/mem.h>
#include <cairn/base/thread.h>

#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_RESULTS 32u /* one answer may not fill the book */

/* What a thread works on: its own until it is given back. */
struct lookup {
	struct resolver *r;
	struct lookup *next;
	uint64_t id;
	uint16_t port;
	int status; /* of getaddrinfo */
	size_t count;
	struct netaddr a[MAX_RESULTS];
	char host[256];
};

/* Who waits for it; only the loop sees this. */
struct waiter {
	struct waiter *next;
	uint64_t id;
	resolved_fn done;
	void *arg;
};

/* What loop and threads share; the last of them frees it. */
struct resolver {
	pthread_mutex_t mu;
	unsigned refs; /* under mu, as are the next two */
	bool closed;   /* nobody takes results any more */
	struct lookup *finished;
	struct waiter *waiters;
	uint64_t next_id;
	struct net *net;
	uv_async_t async;
};

static void resolver_unref(struct resolver *r)
{
	unsigned left;

	pthread_mutex_lock(&r->mu);
	left = --r->refs;
	pthread_mutex_unlock(&r->mu);
	if (left)
		return;
	pthread_mutex_destroy(&r->mu);
	free(r);
}

static void collect(struct lookup *q, const struct addrinfo *ai)
{
	for (; ai && q->count < MAX_RESULTS; ai = ai->ai_next) {
		if (!netaddr_from_sock(&q->a[q->count], ai->ai_addr))
			continue;
		q->a[q->count++].port = q->port;
	}
}

/* Hand the result to the loop, or drop it where nobody waits any more. */
static void give_back(struct lookup *q)
{
	struct resolver *r = q->r;

	pthread_mutex_lock(&r->mu);
	if (r->closed) {
		free(q);
	} else {
		q->next = r->finished;
		r->finished = q;
		uv_async_send(&r->async);
	}
	pthread_mutex_unlock(&r->mu);
	resolver_unref(r);
}

static void look_up(void *arg)
{
	struct lookup *q = arg;
	struct addrinfo hints = {.ai_family = AF_UNSPEC,
				 .ai_socktype = SOCK_STREAM,
				 .ai_flags = AI_ADDRCONFIG};
	struct addrinfo *ai = NULL;

	q->status = getaddrinfo(q->host, NULL, &hints, &ai);
	if (q->status == 0) {
		collect(q, ai);
		freeaddrinfo(ai);
	}
	give_back(q);
}

/* Tell the waiter with this id, and forget it. */
static void tell(struct resolver *r, uint64_t id, const struct netaddr *a,
		 size_t count)
{
	struct waiter **l = &r->waiters, *w;

	while ((*l)->id != id)
		l = &(*l)->next;
	w = *l;
	*l = w->next;
	w->done(r->net, w->arg, a, count);
	free(w);
}

static struct lookup *take_finished(struct resolver *r)
{
	struct lookup *q;

	pthread_mutex_lock(&r->mu);
	q = r->finished;
	r->finished = NULL;
	pthread_mutex_unlock(&r->mu);
	return q;
}

static void on_async(uv_async_t *h)
{
	struct resolver *r = h->data;
	struct lookup *q = take_finished(r), *next;

	for (; q; q = next) {
		next = q->next;
		if (q->status)
			log_debug(LOG_NET, "resolving %s: %s", q->host,
				  gai_strerror(q->status));
		tell(r, q->id, q->a, q->count);
		free(q);
	}
}

struct resolver *resolver_new(struct net *n)
{
	struct resolver *r = xcalloc(1, sizeof *r);
	int rc;

	r->net = n;
	r->refs = 1;
	must(pthread_mutex_init(&r->mu, NULL) == 0);
	rc = uv_async_init(n->loop, &r->async, on_async);
	must(rc == 0);
	r->async.data = r;
	n->handles++;
	return r;
}

void resolve_start(struct net *n, const char *host, uint16_t port,
		   resolved_fn done, void *arg)
{
	struct resolver *r = n->resolver;
	struct lookup *q = xcalloc(1, sizeof *q);
	struct waiter *w = xcalloc(1, sizeof *w);
	pthread_t t;

	*w = (struct waiter){r->waiters, r->next_id++, done, arg};
	r->waiters = w;
	q->r = r;
	q->id = w->id;
	q->port = port;
	snprintf(q->host, sizeof q->host, "%s", host);
	pthread_mutex_lock(&r->mu);
	r->refs++;
	pthread_mutex_unlock(&r->mu);
	thread_start(&t, "resolve", look_up, q);
	pthread_detach(t);
}

static void on_async_closed(uv_handle_t *h)
{
	struct resolver *r = h->data;
	struct net *n = r->net;

	resolver_unref(r);
	net_handle_closed(n);
}

void resolver_close(struct resolver *r)
{
	struct lookup *q, *next;

	pthread_mutex_lock(&r->mu);
	r->closed = true;
	pthread_mutex_unlock(&r->mu);
	for (q = take_finished(r); q; q = next) {
		next = q->next;
		free(q);
	}
	while (r->waiters)
		tell(r, r->waiters->id, NULL, 0);
	uv_close((uv_handle_t *)&r->async, on_async_closed);
}
