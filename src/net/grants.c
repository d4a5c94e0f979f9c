/*
 * What an operator grants to peers by their address (-whitelist). Runs on the
 * loop. What each grant leads to stands where it is asked for.
 */
#include "inner.h"

#include "netaddr.h"

/* Peers that we dialled without being told to are nobody's choice. */
static bool applies(const struct net_grant *g, enum peer_conn c)
{
	return (g->in && c == CONN_INBOUND) || (g->out && c == CONN_MANUAL);
}

uint32_t grants_of(const struct net *n, const struct netaddr *a,
		   enum peer_conn c)
{
	struct sockaddr_storage ss;
	uint32_t perms = 0;

	if (!netaddr_to_sock(&ss, a))
		return 0;
	for (size_t i = 0; i < n->cfg.n_grants; i++) {
		const struct net_grant *g = &n->cfg.grants[i];
		if (applies(g, c) &&
		    subnet_has(&g->net, (const struct sockaddr *)&ss))
			perms |= g->perms;
	}
	return perms;
}

uint32_t peer_perms(const struct peer *p)
{
	return p->perms;
}
