/*
 * Where the parts meet: upward calls of net, chain and rpc are passed to those
 * that care. Everything but the posts and the script call site runs on the
 * loop. Decides nothing about peers or blocks; sync and chain do.
 */
#include "internal.h"

#include <cairn/base/err.h>
#include <cairn/base/log.h>
#include <cairn/base/text.h>

#include <stdio.h>
#include <string.h>

static void net_ready(void *arg, struct peer *p)
{
	sync_on_ready(((struct node *)arg)->sync, p);
}

static void net_message(void *arg, struct peer *p, const struct net_msg *m)
{
	sync_on_message(((struct node *)arg)->sync, p, m);
}

static void net_closed(void *arg, struct peer *p)
{
	sync_on_closed(((struct node *)arg)->sync, p);
}

static void net_ticked(void *arg, int64_t now_s)
{
	struct node *n = arg;

	net_set_near_tip(n->net, sync_near_tip(n->sync));
	templates_changed(n);
	sync_on_tick(n->sync, now_s);
}

static void net_drained(void *arg, struct peer *p)
{
	sync_on_drained(((struct node *)arg)->sync, p);
}

static int32_t net_height(void *arg)
{
	return sync_height(((struct node *)arg)->sync);
}

static uint64_t net_services(void *arg)
{
	return sync_services(((struct node *)arg)->sync);
}

const struct net_ops node_net_ops = {
    .on_ready = net_ready,
    .on_message = net_message,
    .on_closed = net_closed,
    .on_tick = net_ticked,
    .on_drained = net_drained,
    .height = net_height,
    .services = net_services,
};

static void post(void *arg, struct task t)
{
	node_post(arg, t);
}

/* What start is doing, for callers (-28) and the service manager. */
static void on_stage(struct node *n, const struct chain_event *e)
{
	char status[160];

	if (e->progress > 0 && e->progress < 1)
		snprintf(n->stage, sizeof n->stage, "%s %d%%", e->text,
			 (int)(e->progress * 100));
	else
		snprintf(n->stage, sizeof n->stage, "%s", e->text);
	snprintf(status, sizeof status, "STATUS=%s", n->stage);
	notify_send(status);
}

/* A stop that was asked for (-stopatheight) comes without an error. */
static void on_fatal(struct node *n, const struct chain_event *e)
{
	if (e->rc) {
		node_fatal(n, e->text);
		return;
	}
	log_info(0, "stopping: %s", e->text);
	node_stop(n);
}

static void on_chain_event(void *arg, const struct chain_event *e)
{
	struct node *n = arg;

	switch (e->type) {
	case CHAIN_EV_STAGE:
		on_stage(n, e);
		return;
	case CHAIN_EV_LOADED:
		if (!n->stopping)
			node_go(n);
		return;
	case CHAIN_EV_FATAL:
		on_fatal(n, e);
		return;
	case CHAIN_EV_STOPPED:
		n->ended = true;
		return;
	case CHAIN_EV_TIP:
		node_pool_changed(n);
		unknown_rules_look(n, e->node);
		templates_changed(n);
		break;
	case CHAIN_EV_CONNECTED:
	case CHAIN_EV_DISCONNECTED:
	case CHAIN_EV_INVALID:
	case CHAIN_EV_REVALIDATED:
		break;
	case CHAIN_EV_TX_ADDED:
		n->pool_txs++;
		node_pool_changed(n);
		break;
	case CHAIN_EV_TX_REMOVED:
		n->pool_txs--;
		node_pool_changed(n);
		break;
	}
	sync_on_chain_event(n->sync, e);
}

const struct chain_ops node_chain_ops = {
    .post = post,
    .on_event = on_chain_event,
};

static bool run_chain(void *arg, struct task t)
{
	struct node *n = arg;

	return chain_run(n->chain, t);
}

static const char *warmup(void *arg)
{
	struct node *n = arg;

	return n->stage[0] ? n->stage : NULL;
}

const struct rpc_ops node_rpc_ops = {
    .run_chain = run_chain,
    .post = post,
    .warmup = warmup,
};

struct verdict node_script_check(void *node, const struct hnode *h)
{
	const struct node *n = node;
	char hash[HASH256_STR];

	if (strcmp(hash256_fmt(hash, &h->hash), n->fail_block) != 0)
		return verdict_valid();
	return verdict_invalid(INV_CONSENSUS, "block-script-verify-flag-failed",
			       "made to fail by -testfailblock");
}
