/*
 * The RPC server by the settings: where it listens, who may speak to it, which
 * commands there are. Start only; the server itself is in rpc.
 */
#include "internal.h"

#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>
#include <cairn/crypto/sha256.h>

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SOCKET_NAME     "cairn.sock"
#define COOKIE_NAME     ".cookie"
#define THREADS_DEFAULT 4
#define QUEUE_DEFAULT   64
#define TIMEOUT_DEFAULT 30

static const struct rpc_cmd *const tables[] = {
    rpc_address_cmds,    rpc_createtx_cmds, rpc_control_cmds,
    rpc_blockchain_cmds, rpc_block_cmds,    rpc_coins_cmds,
    rpc_deployment_cmds, rpc_filter_cmds,   rpc_mempool_cmds,
    rpc_mining_cmds,     rpc_network_cmds,  rpc_descriptors_cmds,
    rpc_rawtx_cmds,      rpc_signtx_cmds,   rpc_template_cmds,
    rpc_sendtx_cmds,     rpc_priority_cmds, rpc_gettx_cmds,
    rpc_scan_cmds,       rpc_relay_cmds,    NULL,
};

/* What is allocated for a rpc_cfg. */
struct lists {
	char **binds;
	const char **allow, **auth, **whitelist;
	char *unix_path, *cookie_path;
};

static void lists_free(struct lists *l)
{
	size_t i;

	for (i = 0; l->binds && l->binds[i]; i++)
		free(l->binds[i]);
	free(l->binds);
	free(l->allow);
	free(l->auth);
	free(l->whitelist);
	free(l->unix_path);
	free(l->cookie_path);
}

/* host, host:port, [v6], [v6]:port or v6 with a port in any case. */
static char *with_port(const char *where, unsigned port)
{
	const char *colon = strchr(where, ':');

	if (where[0] == '[') {
		if (strstr(where, "]:"))
			return xstrdup(where);
		return xasprintf("%s:%u", where, port);
	}
	if (!colon)
		return xasprintf("%s:%u", where, port);
	if (strchr(colon + 1, ':'))
		return xasprintf("[%s]:%u", where, port);
	return xstrdup(where);
}

/* Some machines have no IPv6, which is nothing to warn of. */
static bool has_ipv6(void)
{
	struct sockaddr_in6 sa = {.sin6_family = AF_INET6,
				  .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool ok =
	    fd >= 0 && bind(fd, (const struct sockaddr *)&sa, sizeof sa) == 0;

	if (fd >= 0)
		close(fd);
	return ok;
}

/* Only with -rpcallowip as well does -rpcbind count: a slip must not open the
 * door. */
static void choose_binds(struct lists *l, const struct conf *c, unsigned port)
{
	const char **given = conf_list(c, "rpcbind");
	size_t i, n = 0;

	if (l->allow[0] && !given[0])
		log_warn(LOG_RPC, "-rpcallowip has little use without "
				  "-rpcbind: only this machine is listened to");
	if (given[0] && !l->allow[0])
		log_warn(LOG_RPC, "-rpcbind is passed over, because it needs "
				  "-rpcallowip: only this machine is listened "
				  "to");
	while (given[n])
		n++;
	l->binds = xcalloc(n + 3, sizeof *l->binds);
	if (l->allow[0] && n) {
		for (i = 0; i < n; i++)
			l->binds[i] = with_port(given[i], port);
	} else {
		l->binds[0] = with_port("127.0.0.1", port);
		if (has_ipv6())
			l->binds[1] = with_port("::1", port);
	}
	free(given);
}

static bool cookie_mode(unsigned *mode, const struct conf *c, struct text *err)
{
	static const struct {
		const char *who;
		unsigned mode;
	} modes[] = {{"owner", 0600}, {"group", 0640}, {"all", 0644}};
	const char *v = conf_get(c, "rpccookieperms");
	size_t i;

	*mode = modes[0].mode;
	if (!v)
		return true;
	for (i = 0; i < sizeof modes / sizeof *modes; i++) {
		if (strcmp(v, modes[i].who) == 0) {
			*mode = modes[i].mode;
			return true;
		}
	}
	text_printf(err, "-rpccookieperms=%s: there are owner, group and all",
		    v);
	return false;
}

static char *in_net_dir(const struct node *n, const char *name)
{
	return *name == '/' ? xstrdup(name) : path_join(n->dir.net_dir, name);
}

/* With a password in the settings there is no cookie, nor where it was turned
 * off. */
static char *cookie_path(const struct node *n)
{
	const char *name = conf_get(&n->conf, "rpccookiefile");
	const char *password = conf_get(&n->conf, "rpcpassword");

	if ((password && *password) || conf_negated(&n->conf, "rpccookiefile"))
		return NULL;
	return in_net_dir(n, name && *name ? name : COOKIE_NAME);
}

static unsigned at_least_one(const struct conf *c, const char *key,
			     unsigned dflt)
{
	int64_t v = conf_i64(c, key, dflt);

	return v < 1 ? 1 : (unsigned)v;
}

static void fill(struct rpc_cfg *cfg, struct lists *l, const struct node *n)
{
	const struct conf *c = &n->conf;
	const char *password = conf_get(c, "rpcpassword");
	const char *user = conf_get(c, "rpcuser");
	unsigned port =
	    (unsigned)conf_i64(c, "rpcport", n->params.names->rpc_port);

	l->allow = conf_list(c, "rpcallowip");
	l->auth = conf_list(c, "rpcauth");
	l->whitelist = conf_list(c, "rpcwhitelist");
	l->unix_path = in_net_dir(n, SOCKET_NAME);
	l->cookie_path = cookie_path(n);
	choose_binds(l, c, port);
	cfg->unix_path = l->unix_path;
	cfg->binds = (const char *const *)l->binds;
	cfg->allow = l->allow;
	cfg->auth = l->auth;
	cfg->whitelist = l->whitelist;
	cfg->whitelist_default =
	    conf_has(c, "rpcwhitelistdefault")
		? conf_bool(c, "rpcwhitelistdefault", false)
		: -1;
	cfg->cookie_path = l->cookie_path;
	if (password && *password) {
		cfg->user = user ? user : "";
		cfg->password = password;
	}
	cfg->threads = at_least_one(c, "rpcthreads", THREADS_DEFAULT);
	cfg->work_queue = at_least_one(c, "rpcworkqueue", QUEUE_DEFAULT);
	cfg->timeout_s = conf_i64(c, "rpcservertimeout", TIMEOUT_DEFAULT);
	cfg->max_conns = n->max_rpc;
	cfg->doc_check = conf_bool(c, "rpcdoccheck", false);
	cfg->hmac_sha256 = hmac_sha256;
}

int server_start(struct node *n, struct text *err)
{
	struct rpc_cfg cfg = {0};
	struct lists l = {0};
	int rc;

	if (!conf_bool(&n->conf, "server", true))
		return 0;
	if (!cookie_mode(&cfg.cookie_mode, &n->conf, err))
		return E_INVALID;
	fill(&cfg, &l, n);
	rc = rpc_start(&n->rpc, err, &n->loop, &cfg, tables, &node_rpc_ops, n);
	lists_free(&l);
	return rc;
}
