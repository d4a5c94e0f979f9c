/*
 * RPC: the pool to a file and from one. Copied and offered on the chain thread,
 * written on the RPC pool, read on the pool of short reads.
 */
#include "rpc_mempool.h"

#include "pool_import.h"
#include "poolfile.h"
#include "rpc_value.h"

#include <stdlib.h>

/* Pool. One call after another: all write to the same file first. */
static void save_write(struct rpc_call *c)
{
	struct pool_dump *d = rpc_state(c);
	struct node *n = rpc_node(c);
	char *path = pool_path(n);
	uint64_t size;
	struct jw *w;
	int rc;

	pthread_mutex_lock(&n->pool_file);
	rc = poolfile_write(path, d, pool_form(n), &size);
	pthread_mutex_unlock(&n->pool_file);
	pooldump_free(d);
	whole_end(n);
	if (rc) {
		rpc_fail(c, RPC_MISC, "Unable to dump mempool to disk");
	} else {
		w = rpc_out(c);
		jw_obj(w);
		jw_kstr(w, "filename", path);
		jw_obj_end(w);
	}
	free(path);
	rpc_done(c);
}

void cmd_savemempool(struct rpc_call *c)
{
	struct node *n = rpc_node(c);

	if (!node_mempool_loaded(n)) {
		rpc_end(c, RPC_MISC, "The mempool was not loaded yet");
		return;
	}
	if (!whole_begin(c))
		return;
	rpc_set_state(c, pooldump_take(chain_mempool(n->chain)));
	rpc_continue(c, RPC_POOL, save_write);
}

static void import_done(void *arg, int rc)
{
	struct rpc_call *c = arg;
	struct jw *w;

	if (rc) {
		rpc_end(c, RPC_MISC,
			"Unable to import mempool file, see debug log for "
			"details.");
		return;
	}
	w = rpc_out(c);
	jw_obj(w);
	jw_obj_end(w);
	rpc_done(c);
}

/* A switch among the options. False: failed and finished. */
static bool take_switch(struct rpc_call *c, const char *name, bool *out)
{
	const struct json *v = json_member(rpc_param(c, 1), name);

	if (!v || v->type == JSON_NULL)
		return true;
	if (v->type != JSON_TRUE && v->type != JSON_FALSE) {
		rpc_end(c, RPC_TYPE,
			"JSON value of type %s is not of expected type bool",
			value_type(v));
		return false;
	}
	*out = v->type == JSON_TRUE;
	return true;
}

void cmd_importmempool(struct rpc_call *c)
{
	struct pool_import_cfg cfg = {.now = true};
	struct node *n = rpc_node(c);

	if (chain_in_ibd(n->chain))
		rpc_end(c, RPC_IN_IBD,
			"Can only import the mempool after the block download "
			"and sync is done.");
	else if (take_switch(c, "use_current_time", &cfg.now) &&
		 take_switch(c, "apply_fee_delta_priority", &cfg.deltas) &&
		 take_switch(c, "apply_unbroadcast_set", &cfg.unbroadcast))
		pool_import(n, param_str(c, 0), &cfg, import_done, c);
}
