/*
 * RPC: unconfirmed transactions. None are kept yet, so the pool that these
 * calls show is empty; its limits are bitcoind's defaults.
 */
#include "rpc_util.h"

static void cmd_getmempoolinfo(struct rpc_call *c)
{
	struct jw *w = rpc_out(c);

	jw_obj(w);
	jw_kbool(w, "loaded", true);
	jw_ki64(w, "size", 0);
	jw_ki64(w, "bytes", 0);
	jw_ki64(w, "usage", 0);
	jw_kamount(w, "total_fee", 0);
	jw_ki64(w, "maxmempool", 300000000);
	jw_kamount(w, "mempoolminfee", 100);
	jw_kamount(w, "minrelaytxfee", 100);
	jw_kamount(w, "incrementalrelayfee", 100);
	jw_ki64(w, "unbroadcastcount", 0);
	jw_kbool(w, "fullrbf", true);
	jw_kbool(w, "permitbaremultisig", true);
	jw_ki64(w, "maxdatacarriersize", 100000);
	jw_ki64(w, "limitclustercount", 64);
	jw_ki64(w, "limitclustersize", 101000);
	jw_kbool(w, "optimal", true);
	jw_obj_end(w);
	rpc_done(c);
}

static void cmd_getrawmempool(struct rpc_call *c)
{
	struct jw *w = rpc_out(c);
	bool verbose = param_bool(c, 0, false);

	if (verbose && param_bool(c, 1, false)) {
		rpc_end(
		    c, RPC_BAD_PARAM,
		    "Verbose results cannot contain mempool sequence values.");
		return;
	}
	if (param_bool(c, 1, false)) {
		jw_obj(w);
		jw_key(w, "txids");
		jw_arr(w);
		jw_arr_end(w);
		jw_ki64(w, "mempool_sequence", 1);
		jw_obj_end(w);
	} else if (verbose) {
		jw_obj(w);
		jw_obj_end(w);
	} else {
		jw_arr(w);
		jw_arr_end(w);
	}
	rpc_done(c);
}

static const struct rpc_arg args_raw[] = {
    {"verbose", "b", false, "An object with details instead of ids."},
    {"mempool_sequence", "b", false, "Also the pool's sequence number."},
    {0}};

const struct rpc_cmd rpc_mempool_cmds[] = {
    {"getmempoolinfo", "blockchain", RPC_LOOP, cmd_getmempoolinfo, NULL,
     "State of the pool of unconfirmed transactions (empty: none are kept "
     "yet).",
     "{ loaded, size, bytes, usage, ... }", false, false},
    {"getrawmempool", "blockchain", RPC_LOOP, cmd_getrawmempool, args_raw,
     "Ids of the unconfirmed transactions (none are kept yet).", "[ \"txid\" ]",
     false, false},
    {0}};
