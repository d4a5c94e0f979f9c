/*
 * A clean stop, part after part, each when the former has said that it is down:
 * import, peers, RPC, pool of transactions, reads, chain. Runs on the loop,
 * which goes on turning until the chain is down. Nothing is freed before
 * node_finish.
 */
#include "internal.h"
#include "pool_import.h"
#include "template.h"

#include <cairn/base/err.h>
#include <cairn/base/log.h>
#include <cairn/chain/import.h>

#include <stdio.h>
#include <stdlib.h>

/* Reads under way end before the files under them are closed. */
static void on_pool_saved(struct node *n)
{
	pool_free(n->readers);
	n->readers = NULL;
	chain_stop(n->chain);
}

static void on_rpc_stopped(void *arg)
{
	pool_save(arg, on_pool_saved);
}

static void on_net_stopped(void *arg)
{
	struct node *n = arg;

	if (n->rpc)
		rpc_stop(n->rpc, on_rpc_stopped);
	else
		on_rpc_stopped(n);
}

void stop_after_import(struct node *n)
{
	if (n->net)
		net_stop(n->net, on_net_stopped);
	else
		on_net_stopped(n);
}

void node_stop(struct node *n)
{
	if (n->stopping)
		return;
	n->stopping = true;
	__atomic_store_n(&n->pool_stop, true, __ATOMIC_RELAXED);
	log_info(0, "stopping");
	notify_send("STOPPING=1\nSTATUS=Stopping");
	templates_changed(n);
	if (n->importing)
		import_stop(n->import);
	else
		stop_after_import(n);
}

void node_fatal(struct node *n, const char *sentence)
{
	if (n->exit_code)
		return;
	n->exit_code = EXIT_FAILURE;
	log_error(0, "%s", sentence);
	fprintf(stderr, "Error: %s\n", sentence);
	node_stop(n);
}

void node_finish(struct node *n)
{
	int rc;

	pool_free(n->readers);
	if (n->mailbox)
		mailbox_close(n->mailbox);
	signals_close(n);
	uv_run(&n->loop, UV_RUN_DEFAULT);
	rc = uv_loop_close(&n->loop);
	if (rc)
		log_warn(0, "the event loop is not empty: %s", err_str(rc));
	rpc_free(n->rpc);
	template_unref(n->template);
	import_free(n->import);
	sync_free(n->sync);
	net_free(n->net);
	chain_free(n->chain);
	mailbox_free(n->mailbox);
	log_info(0, "stopped");
}
