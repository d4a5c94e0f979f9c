/*
 * The network by the settings: how many peers, where to listen, whom to dial.
 * Start only, on the loop; the peers themselves are in net.
 */
#include "internal.h"

#include <cairn/base/err.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>

#include <stdlib.h>
#include <string.h>

#define AUTOMATIC_MAX      10 /* 8 full, 2 for blocks only */
#define CONNECT_MS_DEFAULT 5000
#define PEER_S_DEFAULT     60
#define RECV_KB_DEFAULT    5000
#define SEND_KB_DEFAULT    1000
#define RECV_BUDGET        ((size_t)128 << 20)
static bool only_connect(const struct conf *c)
{
	return conf_get_all(c, "connect", NULL, 0) > 0 ||
	       conf_negated(c, "connect");
}

static int64_t or_default(int64_t v, int64_t dflt)
{
	return v > 0 ? v : dflt;
}

static void fill(struct net_cfg *cfg, const struct node *n)
{
	const struct conf *c = &n->conf;

	cfg->params = &n->params;
	cfg->clock = &n->clock;
	cfg->user_agent = n->user_agent;
	cfg->max_connections = n->max_peers;
	cfg->connect_timeout_ms =
	    or_default(conf_i64(c, "timeout", 0), CONNECT_MS_DEFAULT);
	cfg->peer_timeout_s = conf_i64(c, "peertimeout", PEER_S_DEFAULT);
	cfg->listen = conf_bool(c, "listen", true);
	cfg->dns_seed = conf_bool(c, "dnsseed", true);
	cfg->force_dns_seed = conf_bool(c, "forcednsseed", false);
	cfg->relay_txs = !conf_bool(c, "blocksonly", false);
	cfg->only_connect = only_connect(c);
	cfg->default_port =
	    (uint16_t)conf_i64(c, "port", n->params.names->p2p_port);
	cfg->max_recv_buffer =
	    (size_t)conf_i64(c, "maxreceivebuffer", RECV_KB_DEFAULT) * 1000;
	cfg->max_send_buffer =
	    (size_t)conf_i64(c, "maxsendbuffer", SEND_KB_DEFAULT) * 1000;
	cfg->global_recv_budget = RECV_BUDGET;
	cfg->grants = n->grants;
	cfg->n_grants = n->n_grants;
	cfg->max_automatic = AUTOMATIC_MAX;
	if (cfg->max_automatic > cfg->max_connections)
		cfg->max_automatic = cfg->max_connections;
}

/* -bind=addr:port=onion tags a listener for Tor, which is not built: we do not
 * listen there. */
static bool is_onion(const char *where)
{
	const char *eq = strrchr(where, '=');

	return eq && strcmp(eq, "=onion") == 0;
}

static int bind_given(struct node *n, const char *const *where,
		      struct text *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; where[i] && rc == 0; i++) {
		if (is_onion(where[i])) {
			log_info(LOG_NET,
				 "not listening on %s: Tor is not "
				 "built",
				 where[i]);
			continue;
		}
		rc = net_bind(n->net, where[i], err);
	}
	return rc;
}

/* Without -bind on all addresses; a machine may lack one of the two families.
 */
static int bind_any(struct node *n, struct text *err)
{
	struct text why = TEXT_INIT;
	int rc6 = net_bind(n->net, "::", &why);
	int rc4;

	if (rc6)
		log_debug(LOG_NET, "%s", text_str(&why));
	text_fini(&why);
	rc4 = net_bind(n->net, "0.0.0.0", err);
	return rc4 && rc6 ? rc4 : 0;
}

int peers_open(struct node *n, struct text *err)
{
	const char **where;
	struct net_cfg cfg = {0};
	int rc;

	fill(&cfg, n);
	n->net = net_new(&n->loop, &cfg, &node_net_ops, n);
	n->listening = cfg.listen;
	if (!cfg.listen)
		return 0;
	where = conf_list(&n->conf, "bind");
	rc = where[0] ? bind_given(n, where, err) : bind_any(n, err);
	free(where);
	return rc;
}

static void each(const struct conf *c, const char *key,
		 void (*use)(struct net *net, const char *host),
		 struct net *net)
{
	const char **v = conf_list(c, key);
	size_t i;

	for (i = 0; v[i]; i++) {
		if (v[i][strspn(v[i], " ")] != '\0')
			use(net, v[i]);
	}
	free(v);
}

static void use_connect(struct net *net, const char *host)
{
	int rc = strcmp(host, "0") == 0 ? 0 : net_connect(net, host);

	if (rc)
		log_warn(LOG_NET, "-connect=%s: %s", host, err_str(rc));
}

static void use_added(struct net *net, const char *host)
{
	int rc = net_addnode(net, host);

	if (rc)
		log_warn(LOG_NET, "-addnode=%s: %s", host, err_str(rc));
}

static void use_seed(struct net *net, const char *host)
{
	int rc = net_dial(net, host, CONN_ADDR_FETCH);

	if (rc)
		log_warn(LOG_NET, "-seednode=%s: %s", host, err_str(rc));
}

void peers_start(struct node *n)
{
	const struct conf *c = &n->conf;

	if (!conf_bool(c, "networkactive", true))
		net_set_active(n->net, false);
	each(c, "connect", use_connect, n->net);
	each(c, "addnode", use_added, n->net);
	net_start(n->net);
	if (!only_connect(c))
		each(c, "seednode", use_seed, n->net);
	else if (conf_has(c, "seednode"))
		log_info(LOG_NET, "-seednode is ignored when -connect is used");
}
