/*
 * version, verack and what may only be said between them. Outcomes are Bitcoin
 * Core's. Runs on the loop.
 *
 * The dialling side speaks first. A version that cannot be parsed is ignored,
 * so the handshake never completes and the tick ends it.
 */
#include "inner.h"

#include "addrbook.h"
#include "netaddr.h"

#include <cairn/base/log.h>
#include <cairn/wire/feature.h>

#include <inttypes.h>

#define VERSION_MAX 512u /* bytes that our version message takes at most */

static bool we_relay(const struct peer *p)
{
	bool wants = p->net->cfg.relay_txs || (p->perms & PERM_RELAY);

	return wants && p->conn != CONN_BLOCK_ONLY && p->conn != CONN_FEELER;
}

static void send_version(struct peer *p)
{
	struct net *n = p->net;
	struct version_msg m = {
	    .version = PROTOCOL_VERSION,
	    .services = n->ops.services(n->arg),
	    .time_s = net_now(n),
	    .recv_services = p->services,
	    .nonce = p->nonce,
	    .user_agent = n->cfg.user_agent,
	    .height = n->ops.height(n->arg),
	    .relay = we_relay(p),
	};
	uint8_t b[VERSION_MAX];
	size_t size;

	if (netaddr_is_routable(&p->addr))
		m.addr_recv = p->addr;
	size = version_size(&m);
	must(size <= sizeof b);
	version_put(b, &m);
	peer_send(p, MSG_VERSION, slice_of(b, size));
}

void handshake_begin(struct peer *p)
{
	if (p->conn != CONN_INBOUND)
		send_version(p);
}

/* Is the nonce one that we sent ourselves on a connection not yet ready? */
static bool is_ours(const struct net *n, uint64_t nonce)
{
	size_t i;

	for (i = 0; i < n->peers.n; i++) {
		const struct peer *p = n->peers.p[i];

		if (p->conn != CONN_INBOUND && p->state != PEER_READY &&
		    p->nonce == nonce)
			return true;
	}
	return false;
}

/* Full blocks with witnesses are what an automatic connection is for; near the
 * tip a peer that keeps only the last blocks will do. */
static bool has_services(const struct net *n, uint64_t s)
{
	uint64_t want = NODE_NETWORK | NODE_WITNESS;

	if (n->near_tip && (s & NODE_NETWORK_LIMITED))
		want = NODE_NETWORK_LIMITED | NODE_WITNESS;
	return (s & want) == want;
}

static bool expects_services(enum peer_conn c)
{
	return c == CONN_OUTBOUND || c == CONN_BLOCK_ONLY ||
	       c == CONN_ADDR_FETCH;
}

/* Keep printable, harmless characters of the user agent. */
static void keep_subver(struct peer *p, struct slice s)
{
	static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "abcdefghijklmnopqrstuvwxyz"
				   "0123456789 .,;-_/:?@()";
	size_t i, n = 0;

	for (i = 0; i < s.n; i++) {
		if (s.p[i] && strchr(safe, s.p[i]))
			p->subver[n++] = (char)s.p[i];
	}
	p->subver[n] = '\0';
}

/* NULL, or why the peer that says v is not wanted. */
static const char *reject(const struct peer *p, const struct version_view *v)
{
	if (expects_services(p->conn) && !has_services(p->net, v->services))
		return "does not offer the expected services";
	if (v->version < MIN_PEER_PROTO)
		return "obsolete version";
	if (p->conn == CONN_INBOUND && is_ours(p->net, v->nonce))
		return "connected to self";
	return NULL;
}

static void keep_version(struct peer *p, const struct version_view *v)
{
	p->version = v->version;
	p->common =
	    v->version < PROTOCOL_VERSION ? v->version : PROTOCOL_VERSION;
	p->services = v->services;
	p->start_height = v->height;
	p->relay_txs =
	    v->relay && p->conn != CONN_BLOCK_ONLY && p->conn != CONN_FEELER;
	p->time_offset_s = v->time_s - net_now(p->net);
	p->local = v->addr_recv;
	p->has_local = v->addr_recv.net != NET_NONE;
	keep_subver(p, v->user_agent);
	log_debug(LOG_NET,
		  "peer=%" PRIu64 " version=%d services=%" PRIx64
		  " height=%d relay=%d agent=%s",
		  p->id, v->version, v->services, v->height, v->relay,
		  p->subver);
}

static void answer_version(struct peer *p)
{
	struct slice none = slice_of(NULL, 0);

	if (p->common >= WTXID_RELAY_VERSION) {
		peer_send(p, MSG_WTXIDRELAY, none);
		peer_send(p, MSG_SENDADDRV2, none);
	}
	peer_send(p, MSG_VERACK, none);
	if (p->conn == CONN_INBOUND)
		return;
	gossip_ask(p);
	addrbook_good(p->net->book, &p->addr, p->services, net_now(p->net));
	if (p->conn == CONN_FEELER)
		peer_disconnect(p, "feeler connection completed");
}

void on_version(struct peer *p, struct slice body)
{
	struct version_view v;
	const char *why;

	if (p->version != 0) {
		log_debug(LOG_NET, "peer=%" PRIu64 " ignored second version",
			  p->id);
		return;
	}
	if (!version_view_parse(&v, body)) {
		log_debug(LOG_NET, "peer=%" PRIu64 " ignored bad version",
			  p->id);
		return;
	}
	why = reject(p, &v);
	if (why) {
		peer_disconnect(p, why);
		return;
	}
	if (p->conn == CONN_INBOUND)
		send_version(p);
	keep_version(p, &v);
	peer_set_state(p, PEER_WAIT_VERACK);
	answer_version(p);
}

void on_verack(struct peer *p, struct slice body)
{
	(void)body;
	if (p->state == PEER_WAIT_VERACK)
		peer_set_state(p, PEER_READY);
	else
		log_debug(LOG_NET, "peer=%" PRIu64 " ignored second verack",
			  p->id);
}

void on_wtxidrelay(struct peer *p, struct slice body)
{
	(void)body;
	if (p->state == PEER_READY)
		peer_disconnect(p, "wtxidrelay received after verack");
	else if (p->common >= WTXID_RELAY_VERSION)
		p->wtxid_relay = true;
}

void on_sendaddrv2(struct peer *p, struct slice body)
{
	(void)body;
	if (p->state == PEER_READY)
		peer_disconnect(p, "sendaddrv2 received after verack");
	else
		p->addrv2 = true;
}

/* BIP 434, for peers that both speak FEATURE_VERSION. Features that this node
 * does not know are ignored, and it knows none. */
void on_feature(struct peer *p, struct slice body)
{
	struct feature_view v;

	if (p->state == PEER_READY)
		peer_disconnect(p, "feature received after verack");
	else if (p->common < FEATURE_VERSION)
		peer_disconnect(p, "feature received from an older protocol");
	else if (!feature_view_parse(&v, body))
		peer_disconnect(p, "invalid feature payload");
}
