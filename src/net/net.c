/*
 * The network as a whole: construction, the end of each turn, stopping. Runs on
 * the loop. The end of a turn is libuv's prepare phase, just before it would
 * wait: there whatever the turn's handlers wished for is done once.
 */
#include "inner.h"

#include "addrbook.h"

#include <cairn/base/buf.h>
#include <cairn/base/err.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>

#include <stdlib.h>

#define TICK_MS      1000
#define TELL_EVERY_S 60

bool net_may_tell(struct net *n)
{
	int64_t now_s = (int64_t)(uv_now(n->loop) / 1000);

	if (now_s < n->info_after_s)
		return false;
	n->info_after_s = now_s + TELL_EVERY_S;
	return true;
}

/* Do for one peer what was noted. */
static void peer_turn_end(struct peer *p)
{
	unsigned todo = p->todo;

	p->todo = 0;
	if (todo & TODO_READ)
		p->yielded = false;
	if ((todo & (TODO_RUN | TODO_READ)) && peer_is_open(p))
		peer_run(p);
	if (!p->closed && peer_is_open(p))
		peer_read_update(p);
	if (todo & TODO_FLUSH)
		peer_flush(p);
	if (todo & TODO_CLOSE)
		peer_close(p);
}

/* Whoever had to stop reading because memory was short tries again. */
static void wake_starved(struct net *n)
{
	size_t i;

	for (i = 0; i < n->peers.n && n->n_starved; i++) {
		if (n->peers.p[i]->starved)
			peer_run(n->peers.p[i]);
	}
}

static void on_again(uv_idle_t *h)
{
	(void)h; /* its being active keeps the loop from waiting */
}

static void on_turn_end(uv_prepare_t *h)
{
	struct net *n = h->data;
	struct peer *p = n->todo, *next;

	n->turn++;
	n->todo = NULL;
	n->todo_tail = &n->todo;
	for (; p; p = next) {
		next = p->todo_next;
		peer_turn_end(p);
	}
	wake_starved(n);
	/* What was noted meanwhile gets a turn at once, after the others'. */
	if (n->todo)
		uv_idle_start(&n->again, on_again);
	else
		uv_idle_stop(&n->again);
}

static void on_timer(uv_timer_t *t)
{
	net_tick(t->data);
}

static void init_handles(struct net *n)
{
	int rc = uv_timer_init(n->loop, &n->timer) |
		 uv_prepare_init(n->loop, &n->turn_end) |
		 uv_idle_init(n->loop, &n->again);

	must(rc == 0);
	n->timer.data = n->turn_end.data = n->again.data = n;
	n->handles += 3;
	uv_prepare_start(&n->turn_end, on_turn_end);
}

struct net *net_new(uv_loop_t *loop, const struct net_cfg *cfg,
		    const struct net_ops *ops, void *arg)
{
	struct net *n = xcalloc(1, sizeof *n);

	n->loop = loop;
	n->cfg = *cfg;
	n->cfg.user_agent = xstrdup(cfg->user_agent);
	n->ops = *ops;
	n->arg = arg;
	n->budget.max = cfg->global_recv_budget;
	n->active = true;
	n->turn_max = TURN_BYTES;
	n->todo_tail = &n->todo;
	rand_init(&n->rand);
	n->book = addrbook_new();
	discouraged_init(&n->discouraged);
	init_handles(n);
	n->resolver = resolver_new(n);
	return n;
}

void net_start(struct net *n)
{
	n->started = true;
	automatic_init(n);
	uv_timer_start(&n->timer, on_timer, TICK_MS, TICK_MS);
	added_tick(n);
	automatic_tick(n);
}

static void drop_all(struct net *n, const char *why)
{
	size_t i;

	for (i = 0; i < n->peers.n; i++)
		peer_disconnect(n->peers.p[i], why);
	for (i = 0; i < n->dials.n; i++)
		peer_disconnect(n->dials.p[i], why);
}

void net_set_active(struct net *n, bool active)
{
	if (n->active == active)
		return;
	n->active = active;
	log_info(LOG_NET, "network activity %s", active ? "on" : "off");
	if (!active)
		drop_all(n, "network inactive");
}

bool net_is_active(const struct net *n)
{
	return n->active;
}

static void on_own_closed(uv_handle_t *h)
{
	net_handle_closed(h->data);
}

#define OWN_HANDLES 3u /* the resolver's closes at once */

/* When only the three handles of net itself are open, they go last: closing
 * peers needs the end of the turn. */
static void close_own(struct net *n)
{
	uv_close((uv_handle_t *)&n->timer, on_own_closed);
	uv_close((uv_handle_t *)&n->turn_end, on_own_closed);
	uv_close((uv_handle_t *)&n->again, on_own_closed);
}

void net_handle_closed(struct net *n)
{
	must(n->handles > 0);
	n->handles--;
	if (!n->stopping)
		return;
	if (n->handles == OWN_HANDLES)
		close_own(n);
	else if (n->handles == 0)
		n->stopped(n->arg);
}

void net_stop(struct net *n, void (*done)(void *arg))
{
	must(!n->stopping);
	n->stopping = true;
	n->stopped = done;
	listeners_close(n);
	resolver_close(n->resolver);
	drop_all(n, "stopping");
	uv_timer_stop(&n->timer);
}

void net_free(struct net *n)
{
	union {
		const char *in;
		void *out;
	} agent;

	if (!n)
		return;
	must(n->handles == 0);
	agent.in = n->cfg.user_agent;
	free(agent.out);
	free(n->getaddr);
	free(n->peers.p);
	free(n->dials.p);
	added_free(n);
	addrbook_free(n->book);
	discouraged_fini(&n->discouraged);
	free(n);
}

struct addrbook *net_addrbook(struct net *n)
{
	return n->book;
}

void net_set_near_tip(struct net *n, bool near_tip)
{
	n->near_tip = near_tip;
}

uint64_t net_bytes_sent(const struct net *n)
{
	return n->bytes_sent;
}

uint64_t net_bytes_recv(const struct net *n)
{
	return n->bytes_recv;
}
