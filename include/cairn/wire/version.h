/* version, and the small fixed messages: ping, pong, feefilter, sendcmpct,
 * sendtxrcncl. */
#ifndef CAIRN_WIRE_VERSION_H
#define CAIRN_WIRE_VERSION_H

#include <cairn/base/rd.h>
#include <cairn/wire/addr.h>

#define PROTOCOL_VERSION    70016
#define MIN_PEER_PROTO      31800
#define BIP31_VERSION       60000 /* pong from above this */
#define SENDHEADERS_VERSION 70012
#define FEEFILTER_VERSION   70013
#define SENDCMPCT_VERSION   70014
#define WTXID_RELAY_VERSION 70016
#define FEATURE_VERSION     70017 /* BIP 434: from here on */

#define NODE_NETWORK         (1u << 0)
#define NODE_BLOOM           (1u << 2)
#define NODE_WITNESS         (1u << 3)
#define NODE_COMPACT_FILTERS (1u << 6)
#define NODE_NETWORK_LIMITED (1u << 10)
#define NODE_P2P_V2          (1u << 11)

#define USER_AGENT_MAX 256u

struct version_view {
	int32_t version;
	uint64_t services;
	int64_t time_s;
	uint64_t recv_services; /* those that the sender believes we have */
	struct netaddr addr_recv;
	const uint8_t *addr_from; /* 26 bytes as netaddr_put26 writes them; NULL
				   * when the message ends before it */
	uint64_t nonce; /* 1 when the message ends before it, as in Core */
	struct slice user_agent;
	int32_t height; /* -1 when the message ends before it */
	bool relay;     /* true when the message ends before it */
};

/* Fields behind addr_recv are optional as in Core; user_agent over 256 bytes is
 * malformed. Trailing bytes are ignored. */
bool version_view_parse(struct version_view *v, struct slice body);

struct version_msg {
	int32_t version;
	uint64_t services;
	int64_t time_s;
	uint64_t recv_services;
	struct netaddr addr_recv;
	uint64_t nonce;
	const char *user_agent;
	int32_t height;
	bool relay;
};
size_t version_size(const struct version_msg *m);
uint8_t *version_put(uint8_t *p, const struct version_msg *m);

/* ping and pong carry a nonce; false when shorter than 8 bytes. A ping to or
 * from a peer of BIP31_VERSION or before has no payload and gets no pong. */
bool nonce_parse(uint64_t *nonce, struct slice body);
bool feefilter_parse(int64_t *fee_sat_per_kvb, struct slice body);
/* Announce by cmpctblock (1) or not (0; others are misbehaviour); the version
 * of compact blocks, of which 2 is in use (BIP 152). */
bool sendcmpct_parse(uint8_t *announce, uint64_t *version, struct slice body);
/* Reconciliation of transactions (BIP 330). */
bool sendtxrcncl_parse(uint32_t *version, uint64_t *salt, struct slice body);

#define NONCE_SIZE       8u
#define FEEFILTER_SIZE   8u
#define SENDCMPCT_SIZE   9u
#define SENDTXRCNCL_SIZE 12u

/* Each writes as many bytes as its size says and returns the byte after. */
uint8_t *nonce_put(uint8_t *p, uint64_t nonce);
uint8_t *feefilter_put(uint8_t *p, int64_t fee_sat_per_kvb);
uint8_t *sendcmpct_put(uint8_t *p, uint8_t announce, uint64_t version);
uint8_t *sendtxrcncl_put(uint8_t *p, uint32_t version, uint64_t salt);

#endif
