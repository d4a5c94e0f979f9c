/*
 * The daemon's wiring: one struct that owns every part, for the files of this
 * folder only. Lives on the loop; parts that other threads may use say so in
 * their own headers.
 */
#ifndef CAIRN_NODE_NODE_H
#define CAIRN_NODE_NODE_H

#include <cairn/base/clock.h>
#include <cairn/base/conf.h>
#include <cairn/base/thread.h>
#include <cairn/chain/chain.h>
#include <cairn/consensus/versionbits.h>
#include <cairn/net/net.h>
#include <cairn/node/settings.h>
#include <cairn/params/params.h>
#include <cairn/rpc/rpc.h>
#include <cairn/store/datadir.h>
#include <cairn/sync/sync.h>

#include <pthread.h>

struct import;
struct mailbox;
struct template;

/* More calls of getblocktemplate do not wait: they get what there is at once.
 */
#define TEMPLATE_POLLS 256

/* A scan of all coins; all atomic. */
struct scan_state {
	bool busy, abort;
	int progress; /* percent */
};

struct node {
	uv_loop_t loop;
	struct mailbox *mailbox; /* tasks from other threads to the loop */
	struct conf conf;
	struct params params; /* the chosen row with the options applied */
	struct pool_settings pool;
	struct net_grant *grants; /* -whitelist */
	size_t n_grants;
	struct clock clock;
	struct datadir dir;
	struct pool *readers; /* short block reads */
	struct chain *chain;
	struct net *net; /* NULL until the chain is loaded */
	struct sync *sync;
	struct rpc *rpc;
	struct import *import; /* NULL without -loadblock */
	int64_t start_s;
	char stage[128]; /* for -28; "" when ready */
	bool stopping;
	int exit_code;
	unsigned max_peers, max_rpc; /* connections, by the open-files limit */
	bool filters;                /* -blockfilterindex */
	bool listening;
	char *user_agent;    /* as sent in version */
	char fail_block[65]; /* test hook: scripts of this block fail */

	char *conf_path; /* the file that was read, or NULL */
	char *log_path;  /* NULL: no file */
	char *pid_path;  /* written, to be removed; or NULL */
	uv_signal_t signals[3];
	uint64_t start_ns; /* monotonic */
	int daemon_fd;     /* the waiting parent's end; -1: none */
	bool importing;    /* -loadblock has not ended */
	bool ended;        /* every part is down: the loop may end */

	struct rpc_call *polls[TEMPLATE_POLLS]; /* wait for another tip */
	size_t n_polls;
	struct template *template; /* the last one made, or NULL */
	size_t last_txs;           /* transactions of the block made last */
	uint64_t last_weight;      /* and its weight; 0: none was made */
	struct block_settings block;
	uint64_t pool_changes; /* of tip and pool: a longpollid's number */
	size_t pool_txs;       /* in the pool, as the loop has heard */
	bool pool_loaded; /* atomic: mempool.dat was read, or is not to be */
	bool pool_loading, pool_stop; /* pool_stop: atomic, end all reading */
	/* What comes when it is written, once the node stops. */
	void (*pool_saved)(struct node *n);
	int pool_copies; /* atomic: copies of the whole pool on their way */
	pthread_mutex_t pool_file; /* held by who writes mempool.dat */
	struct scan_state scan;

	struct vb_caches vb;    /* for nodes of the tree */
	uint32_t unknown_rules; /* bits that the network has agreed on */
	uint32_t coming_rules;  /* and those that it will hold soon */
};

/* Sigops that are left to the coinbase of a block that is made here. */
#define BLOCK_RESERVED_SIGOPS 400

/* Parse options, start, run until stopped. The process's exit code. */
int node_main(int argc, char **argv);
/* Begin a clean stop (RPC stop, signals). Loop. */
void node_stop(struct node *n);
/* Stop because of a failure: one sentence on the log and stderr. Loop. */
void node_fatal(struct node *n, const char *sentence);
/* Run a task on the loop, in order. Any thread. */
void node_post(struct node *n, struct task t);
/* The sentences of getblockchaininfo's and getnetworkinfo's "warnings". */
const char *node_warning(const struct node *n, size_t i);
/* A miner would choose otherwise now. Loop. */
void node_pool_changed(struct node *n);
/* The pool has what was kept of it over the last restart. Any thread. */
bool node_mempool_loaded(const struct node *n);
/* setmocktime: change the clock and tick; 0 goes back to the system's. Loop. */
void node_set_mock_time(struct node *n, int64_t now_s);
/* -txsendrate, 1 to 1,000. */
unsigned node_send_rate(const struct conf *c);

/* The command tables, one per file of commands. */
extern const struct rpc_cmd rpc_address_cmds[];
extern const struct rpc_cmd rpc_blockchain_cmds[];
extern const struct rpc_cmd rpc_block_cmds[];
extern const struct rpc_cmd rpc_coins_cmds[];
extern const struct rpc_cmd rpc_deployment_cmds[];
extern const struct rpc_cmd rpc_createtx_cmds[];
extern const struct rpc_cmd rpc_descriptors_cmds[];
extern const struct rpc_cmd rpc_network_cmds[];
extern const struct rpc_cmd rpc_rawtx_cmds[];
extern const struct rpc_cmd rpc_signtx_cmds[];
extern const struct rpc_cmd rpc_mining_cmds[];
extern const struct rpc_cmd rpc_template_cmds[];
extern const struct rpc_cmd rpc_control_cmds[];
extern const struct rpc_cmd rpc_filter_cmds[];
extern const struct rpc_cmd rpc_mempool_cmds[];
extern const struct rpc_cmd rpc_sendtx_cmds[];
extern const struct rpc_cmd rpc_priority_cmds[];
extern const struct rpc_cmd rpc_gettx_cmds[];
extern const struct rpc_cmd rpc_scan_cmds[];
extern const struct rpc_cmd rpc_relay_cmds[];

#endif
