/*
 * Nodes that are kept connected: those of -addnode and the addnode call, which
 * are listed, and those of -connect, which are not. Runs on the loop, from the
 * tick. Waits longer after each failure, on the monotonic clock.
 */
#include "inner.h"

#include "netaddr.h"

#include <cairn/base/err.h>
#include <cairn/base/mem.h>

#include <stdlib.h>

#define RETRY_MIN_MS   1000u
#define CONNECT_MAX_MS 5000u /* -connect: there is nobody else to talk to */
#define ADDNODE_MAX_MS 60000u

static struct peer *peer_for(const struct net *n, const char *text)
{
	struct netaddr a;
	bool numeric = netaddr_parse(&a, text, n->cfg.default_port);
	size_t i;

	for (i = 0; i < n->peers.n; i++) {
		struct peer *p = n->peers.p[i];

		if (!peer_is_open(p))
			continue;
		if ((p->dest && strcmp(p->dest, text) == 0) ||
		    (numeric && netaddr_eq(&p->addr, &a)))
			return p;
	}
	return NULL;
}

static int keep(struct net *n, const char *node, bool listed)
{
	struct added *a;
	size_t i;

	for (i = 0; i < n->n_added; i++) {
		if (strcmp(n->added[i]->text, node) == 0)
			return E_INVALID;
	}
	a = xcalloc(1, sizeof *a);
	a->text = xstrdup(node);
	a->listed = listed;
	a->wait_ms = RETRY_MIN_MS;
	arr_grow(&n->added, &n->cap_added, n->n_added + 1, sizeof *n->added);
	n->added[n->n_added++] = a;
	if (n->started)
		added_tick(n);
	return 0;
}

int net_addnode(struct net *n, const char *node)
{
	return keep(n, node, true);
}

int net_connect(struct net *n, const char *node)
{
	return keep(n, node, false);
}

static void added_del(struct added *a)
{
	free(a->text);
	free(a);
}

int net_removenode(struct net *n, const char *node)
{
	size_t i;

	for (i = 0; i < n->n_added; i++) {
		if (n->added[i]->listed && strcmp(n->added[i]->text, node) == 0)
			break;
	}
	if (i == n->n_added)
		return E_NOTFOUND;
	added_del(n->added[i]);
	n->n_added--;
	memmove(&n->added[i], &n->added[i + 1],
		(n->n_added - i) * sizeof *n->added);
	return 0;
}

const char *net_added_at(struct net *n, size_t i, struct peer **p)
{
	size_t k;

	for (k = 0; k < n->n_added; k++) {
		if (!n->added[k]->listed || i-- > 0)
			continue;
		*p = peer_for(n, n->added[k]->text);
		return n->added[k]->text;
	}
	return NULL;
}

void added_free(struct net *n)
{
	while (n->n_added)
		added_del(n->added[--n->n_added]);
	free(n->added);
	n->added = NULL;
}

/* One more attempt, and a longer wait for the one after it. */
static void redial(struct net *n, struct added *a, uint64_t now_ms)
{
	uint64_t max = a->listed ? ADDNODE_MAX_MS : CONNECT_MAX_MS;

	a->next_ms = now_ms + a->wait_ms;
	a->wait_ms = 2 * a->wait_ms < max ? 2 * a->wait_ms : max;
	(void)net_dial(n, a->text, CONN_MANUAL); /* a failure is tried again */
}

/* Is a connected, or about to be? A handshake that succeeds ends the waiting.
 */
static bool is_served(const struct net *n, struct added *a)
{
	const struct peer *p = peer_for(n, a->text);

	if (p && p->state == PEER_READY)
		a->wait_ms = RETRY_MIN_MS;
	return p || dial_is_dup(n, a->text, NULL);
}

void added_tick(struct net *n)
{
	uint64_t now_ms = uv_now(n->loop);
	size_t used = 0, i;

	if (!n->active || n->stopping)
		return;
	for (i = 0; i < n->n_added; i++) {
		struct added *a = n->added[i];

		if (is_served(n, a)) {
			used += a->listed;
		} else if (now_ms >= a->next_ms &&
			   (!a->listed || used < MAX_ADDED)) {
			used += a->listed;
			redial(n, a, now_ms);
		}
	}
}
