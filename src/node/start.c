/*
 * From a prepared node to a ready one: loop, mailbox, signals, RPC, chain; and
 * when the chain is loaded, peers and import. Loop's thread; only loading takes
 * long, and it goes on behind while RPC already answers with its stage.
 */
#include "internal.h"

#include <cairn/base/err.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>
#include <cairn/consensus/work.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DBCACHE_MIB_DEFAULT 450
#define DBCACHE_MIB_MIN     4
#define WORKERS_MAX         16
#define SIGCACHE_MIB        32
#define READERS             2
#define TIP_AGE_DEFAULT_S   (24 * 60 * 60)
#define SEND_RATE_DEFAULT   14
#define SEND_RATE_MAX       1000

static unsigned workers(const struct conf *c)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int64_t n = conf_i64(c, "par", 0);

	if (n <= 0)
		n += cpus > 0 ? cpus : 1;
	if (n < 1)
		n = 1;
	return n > WORKERS_MAX ? WORKERS_MAX : (unsigned)n;
}

static int64_t cache_bytes(const struct conf *c)
{
	int64_t mib = conf_i64(c, "dbcache", DBCACHE_MIB_DEFAULT);

	if (mib < DBCACHE_MIB_MIN) {
		log_info(0, "-dbcache=%lld is raised to %d", (long long)mib,
			 DBCACHE_MIB_MIN);
		mib = DBCACHE_MIB_MIN;
	}
	return mib << 20;
}

/* Less than nothing is nothing, as in Bitcoin Core. */
static int64_t sig_cache_bytes(const struct conf *c)
{
	int64_t mib = conf_i64(c, "maxsigcachesize", SIGCACHE_MIB);

	return mib > 0 ? mib << 20 : 0;
}

static void make_chain(struct node *n)
{
	const struct conf *c = &n->conf;
	struct chain_cfg cfg = {0};

	cfg.params = &n->params;
	cfg.blocks_dir = n->dir.blocks_dir;
	cfg.data_dir = n->dir.net_dir;
	cfg.dbcache = cache_bytes(c);
	cfg.sig_cache = sig_cache_bytes(c);
	cfg.workers = workers(c);
	cfg.block_filter_index = n->filters;
	if (conf_bool(c, "reindex", false))
		cfg.rebuild = REBUILD_ALL;
	else if (conf_bool(c, "reindex-chainstate", false))
		cfg.rebuild = REBUILD_COINS;
	cfg.policy = n->pool.policy;
	cfg.mempool_bytes = n->pool.bytes;
	cfg.mempool_expiry_s = n->pool.expiry_s;
	cfg.min_work = u256_from_be(n->params.min_chain_work);
	cfg.assume_valid = n->params.assume_valid;
	cfg.clock = &n->clock;
	if (n->fail_block[0])
		cfg.script_check = node_script_check;
	cfg.script_arg = n;
	cfg.stop_at_height = (int32_t)conf_i64(c, "stopatheight", 0);
	cfg.max_tip_age_s = conf_i64(c, "maxtipage", TIP_AGE_DEFAULT_S);
	n->chain = chain_new(&cfg, &node_chain_ops, n);
}

unsigned node_send_rate(const struct conf *c)
{
	int64_t n = conf_i64(c, "txsendrate", SEND_RATE_DEFAULT);

	return n < 1 ? 1 : n > SEND_RATE_MAX ? SEND_RATE_MAX : (unsigned)n;
}

static void make_sync(struct node *n)
{
	const struct conf *c = &n->conf;
	struct sync_cfg cfg = {0};

	cfg.params = &n->params;
	cfg.clock = &n->clock;
	cfg.max_tip_age_s = conf_i64(c, "maxtipage", TIP_AGE_DEFAULT_S);
	cfg.serve_filters = conf_bool(c, "peerblockfilters", false);
	cfg.blocks_only = conf_bool(c, "blocksonly", false);
	cfg.ask_checkpoints = true;
	cfg.min_relay_rate = n->pool.policy.min_relay_rate;
	cfg.incremental_rate = n->pool.policy.incremental_rate;
	cfg.tx_send_rate = node_send_rate(c);
	cfg.readers = n->readers;
	cfg.post = node_chain_ops.post;
	cfg.post_arg = n;
	n->sync = sync_new(&cfg);
}

static int open_loop(struct node *n, struct text *err)
{
	int rc = mailbox_new(&n->mailbox, &n->loop);

	if (rc == 0)
		rc = signals_open(n);
	if (rc)
		text_printf(err, "the event loop cannot be made: %s",
			    err_str(rc));
	return rc;
}

int node_start(struct node *n, struct text *err)
{
	int rc;

	snprintf(n->stage, sizeof n->stage, "Starting");
	rc = open_loop(n, err);
	if (rc)
		return rc;
	n->readers = pool_new("read", READERS);
	make_sync(n);
	make_chain(n);
	descriptors_share(n);
	rc = server_start(n, err);
	if (rc)
		return rc;
	chain_start(n->chain);
	return 0;
}

static void tell_ready(struct node *n)
{
	const struct hnode *tip = chain_tip(n->chain);

	n->stage[0] = '\0';
	log_info(0, "ready height=%d ms=%llu", tip->height,
		 (unsigned long long)((mono_ns() - n->start_ns) / 1000000));
	notify_send("READY=1\nSTATUS=Ready");
	daemon_report(&n->daemon_fd);
}

void node_go(struct node *n)
{
	struct chain_event loaded = {.type = CHAIN_EV_LOADED};
	struct text err = TEXT_INIT;

	if (peers_open(n, &err) != 0) {
		node_fatal(n, text_str(&err));
	} else {
		sync_attach(n->sync, n->chain, n->net);
		sync_on_chain_event(n->sync, &loaded);
		loadblock_start(n);
		tell_ready(n);
	}
	text_fini(&err);
}
