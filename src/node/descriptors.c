/*
 * How the process's file descriptors are shared out: peers, RPC connections and
 * the rest. Start only. If connections could take all of them, the databases
 * could open no table and the node would have to stop.
 */
#include "internal.h"

#include <cairn/base/log.h>

#include <sys/resource.h>

#define MAX_CONNECTIONS_DEFAULT 125
#define RPC_MAX                 4096u
#define RPC_MIN                 32u
/* For all that is neither: databases, block files, the loop, the log, added
 * nodes, connections that are accepted in order to be refused. */
#define KEPT 256u

/* How many may be open, after asking for as many as wanted. */
static rlim_t raise_limit(rlim_t want)
{
	struct rlimit lim;
	rlim_t was;

	if (getrlimit(RLIMIT_NOFILE, &lim) != 0)
		return want;
	was = lim.rlim_cur;
	if (was >= want)
		return was;
	lim.rlim_cur = want < lim.rlim_max ? want : lim.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &lim) == 0 ? lim.rlim_cur : was;
}

void descriptors_split(unsigned *peers, unsigned *rpc, unsigned want,
		       uint64_t limit)
{
	uint64_t left = limit > KEPT ? limit - KEPT : 0;
	uint64_t for_peers = left > RPC_MIN + 1 ? left - RPC_MIN : 1;

	*peers = for_peers < want ? (unsigned)for_peers : want;
	left = left > *peers ? left - *peers : 0;
	*rpc = left > RPC_MAX   ? RPC_MAX
	       : left < RPC_MIN ? RPC_MIN
				: (unsigned)left;
}

void descriptors_share(struct node *n)
{
	unsigned want = (unsigned)conf_i64(&n->conf, "maxconnections",
					   MAX_CONNECTIONS_DEFAULT);
	rlim_t limit = raise_limit((rlim_t)want + KEPT + RPC_MAX);

	descriptors_split(&n->max_peers, &n->max_rpc, want, limit);
	if (n->max_peers < want)
		log_warn(LOG_NET,
			 "-maxconnections=%u is reduced to %u: only %llu "
			 "files may be open",
			 want, n->max_peers, (unsigned long long)limit);
}
