/*
 * Peers over TCP on the libuv loop: listening, dialling, framing, the handshake
 * and the peer state machine. Hands complete messages up; knows nothing of the
 * chain. Everything here runs on the loop.
 *
 * DIALING -> TRANSPORT -> WAIT_VERSION -> WAIT_VERACK -> READY -> CLOSING
 */
#ifndef CAIRN_NET_NET_H
#define CAIRN_NET_NET_H

#include <cairn/base/attr.h>
#include <cairn/base/subnet.h>
#include <cairn/wire/addr.h>
#include <cairn/wire/command.h>
#include <uv.h>

struct buf;
struct clock;
struct net;
struct params;
struct peer;
struct text;

/* No peer has this id; ids count from 0. */
#define PEER_NONE UINT64_MAX

enum peer_state {
	PEER_DIALING,
	PEER_TRANSPORT,
	PEER_WAIT_VERSION,
	PEER_WAIT_VERACK,
	PEER_READY,
	PEER_CLOSING,
};

enum peer_conn {                  /* getpeerinfo's connection_type */
		 CONN_INBOUND,    /* "inbound" */
		 CONN_OUTBOUND,   /* "outbound-full-relay" */
		 CONN_MANUAL,     /* "manual": -connect, -addnode, addnode */
		 CONN_BLOCK_ONLY, /* "block-relay-only" */
		 CONN_FEELER,     /* "feeler" */
		 CONN_ADDR_FETCH, /* "addr-fetch" */
};

/* A complete message, in order. body borrows the scratch or buf until the
 * handler returns; a large message has a buffer that the handler may ref (keep)
 * and whose payload is exactly body. Checksums of blocks are not verified yet:
 * frame_sum must go with the job (sum_checked is false). */
struct net_msg {
	enum msg_type type;
	struct slice body;
	struct buf *buf; /* NULL: in the scratch */
	uint32_t frame_sum;
	bool sum_checked;
	int64_t time_us; /* when its last byte arrived (mockable clock) */
};

/* Upward calls; all on the loop. */
struct net_ops {
	/* The handshake is complete. */
	void (*on_ready)(void *arg, struct peer *p);
	/* A message after the handshake that net does not handle itself. */
	void (*on_message)(void *arg, struct peer *p, const struct net_msg *m);
	/* The peer is gone; its id will not come back. Also for peers that
	 * never became ready. */
	void (*on_closed)(void *arg, struct peer *p);
	/* Every second of the loop and at once after the mock time changed. */
	void (*on_tick)(void *arg, int64_t now_s);
	/* The peer's send queue fell below its low mark: more may be served. */
	void (*on_drained)(void *arg, struct peer *p);
	/* Our height for version; services to offer to this peer. */
	int32_t (*height)(void *arg);
	uint64_t (*services)(void *arg);
};

/* What peers may be allowed (getpeerinfo's permissions). Bloom filters are not
 * offered, and downloads are not limited, so those two change nothing. */
#define PERM_BLOOM       1u
#define PERM_RELAY       2u /* transactions with -blocksonly, any number */
#define PERM_FORCE_RELAY 4u /* those that are here already are passed on */
#define PERM_NOBAN       8u /* broken rules do not end the connection */
#define PERM_MEMPOOL     16u
#define PERM_DOWNLOAD    32u
#define PERM_ADDR        64u /* any number of addresses */
#define PERM_ALL         127u

/* To peers of a network: those that dial us, and those that we dial because we
 * were told to. */
struct net_grant {
	struct subnet net;
	uint32_t perms;
	bool in, out;
};

struct net_cfg {
	const struct params *params;
	const struct clock *clock;
	const char *user_agent; /* "/Cairn:0.1.0(comment)/" */
	unsigned max_connections;
	int64_t connect_timeout_ms; /* -timeout */
	int64_t peer_timeout_s;     /* -peertimeout: silence before READY */
	bool listen, dns_seed, force_dns_seed, relay_txs;
	bool only_connect; /* -connect given: no automatic dialling */
	uint16_t default_port;
	size_t max_recv_buffer, max_send_buffer; /* bytes per peer */
	size_t global_recv_budget;
	size_t max_automatic; /* outbound slots, 8 full + 2 block-relay */
	const struct net_grant *grants; /* borrowed while net lives */
	size_t n_grants;
};

struct net *net_new(uv_loop_t *loop, const struct net_cfg *cfg,
		    const struct net_ops *ops, void *arg) must_check;
/* Bind and listen at "host[:port]" (IPv4, [IPv6]); 0 or -errno with a sentence.
 */
int net_bind(struct net *n, const char *where, struct text *err) must_check;
/* Begin dialling and ticking. */
void net_start(struct net *n);
/* Close everything; done is called once all handles are closed. */
void net_stop(struct net *n, void (*done)(void *arg));
void net_free(struct net *n);
/* setnetworkactive. */
void net_set_active(struct net *n, bool active);
bool net_is_active(const struct net *n);

/* Add to the list of nodes that are kept connected; E_INVALID if already there.
 * The text is kept as given (addnode "remove" matches it). */
int net_addnode(struct net *n, const char *node);
int net_removenode(struct net *n, const char *node);
/* The i-th added node's text and the peer connected to it, or NULL at the end.
 */
const char *net_added_at(struct net *n, size_t i, struct peer **p);
/* The same without being listed (-connect): retried every few seconds. */
int net_connect(struct net *n, const char *node);
/* One attempt (addnode onetry, -seednode by conn type). 0 when it has begun,
 * E_BUSY when connected or dialling already, E_PARSE, or E_CLOSED while the
 * network is inactive. */
int net_dial(struct net *n, const char *node, enum peer_conn conn);
/* Automatic peers may be ones that keep only the last blocks
 * (NODE_NETWORK_LIMITED), because our tip's time is less than 144 block
 * intervals (24 hours) ago. False at start; read when a version arrives. */
void net_set_near_tip(struct net *n, bool near_tip);
/* A tick now (setmocktime). */
void net_tick(struct net *n);

/* Peers: by id, and walking. */
struct peer *net_peer(struct net *n, uint64_t id);
struct peer *net_next(struct net *n, struct peer *after_or_null);
size_t net_count(const struct net *n, bool inbound, bool outbound);
/* Totals of bytes since start. */
uint64_t net_bytes_sent(const struct net *n);
uint64_t net_bytes_recv(const struct net *n);

/* Queue one message. Encodes nothing: body is copied into one buffer with its
 * frame header. Returns false when the peer is closing. */
bool peer_send(struct peer *p, enum msg_type t, struct slice body);
/* Queue a message whose payload is b's (keeps a reference; no copy). checksum
 * of the payload must be known. */
bool peer_send_buf(struct peer *p, enum msg_type t, struct buf *keep,
		   uint32_t checksum);
/* Bytes queued and not yet written. */
size_t peer_send_queued(const struct peer *p);
/* The queue is above its high mark: stop serving until on_drained. */
bool peer_send_full(const struct peer *p);

/* ORDER (design: a peer's messages take effect in the order sent). While the
 * hold count is above zero only `block` messages are handed up; the first other
 * message waits, and reading stops behind it. */
void peer_hold(struct peer *p);
void peer_release(struct peer *p);
/* While paused nothing is handed up (an answer is being read from disk). Pauses
 * nest: each needs its resume. What waits is handed up at the end of the turn,
 * never inside peer_resume or peer_release. */
void peer_pause(struct peer *p);
void peer_resume(struct peer *p);

/* Close after the queue was handed to the system, or at once. why is logged and
 * static. */
void peer_disconnect(struct peer *p, const char *why);
/* A broken rule: log, mark discouraged (not loopback-exempt for the disconnect
 * itself: Core disconnects local inbound peers too, without discouraging),
 * disconnect. why is static. */
void peer_misbehaving(struct peer *p, const char *why);

/* A word per peer for the folder above. */
void peer_set_data(struct peer *p, void *data);
void *peer_data(const struct peer *p);

/* What the handshake and the counters know; read on the loop. Strings are
 * borrowed while the peer lives. */
struct peer_info {
	uint64_t id;
	enum peer_state state;
	enum peer_conn conn;
	bool inbound, loopback;
	char addr[64], addr_bind[64], addr_local[64];
	const char *network; /* "ipv4", "ipv6", "not_publicly_routable" */
	uint64_t services;
	int32_t version, start_height;
	const char *subver;
	bool relay_txs, wtxid_relay, addrv2, send_headers;
	int64_t conn_time_s, last_send_s, last_recv_s, time_offset_s;
	uint64_t bytes_sent, bytes_recv;
	uint64_t sent_per_msg[MSG_COUNT], recv_per_msg[MSG_COUNT];
	int64_t ping_us, min_ping_us, ping_wait_us; /* -1 none */
	const char *transport;                      /* "v1" */
	int64_t last_block_s; /* set by sync: peer_note_block */
	uint64_t addr_processed, addr_rate_limited;
	int64_t fee_filter_sat; /* the lowest fee rate it wants, sat/kvB */
	bool addr_relay;        /* addresses are spoken of with it */
	bool cmpct;             /* it speaks version 2 of compact blocks */
	bool cmpct_hb_from;     /* it wants blocks as cmpctblock at once */
};
void peer_get_info(const struct peer *p, struct peer_info *i);
uint64_t peer_id(const struct peer *p);
enum peer_state peer_get_state(const struct peer *p);
bool peer_is_inbound(const struct peer *p);
enum peer_conn peer_conn_type(const struct peer *p);
uint64_t peer_services(const struct peer *p);
int32_t peer_version(const struct peer *p);
int32_t peer_start_height(const struct peer *p);
/* The lowest fee rate that it wants to hear of, satoshi per 1,000 vB. */
int64_t peer_fee_filter(const struct peer *p);
/* PERM_ bits that an operator granted it. */
uint32_t peer_perms(const struct peer *p);
void peer_note_block(struct peer *p, int64_t now_s);
/* Send a ping to every peer at the next tick (the ping RPC). */
void net_ping_all(struct net *n);
const char *peer_conn_name(enum peer_conn c);

/* The address book: bounded, in memory. */
struct addrbook;
struct addrbook *net_addrbook(struct net *n);
/* Learned from source; false when full, unroutable or known. */
bool addrbook_add(struct addrbook *b, const struct addr_entry *e,
		  int64_t now_s);
size_t addrbook_count(const struct addrbook *b);
/* Up to max entries chosen at random (getaddr's 23 %, at most 1,000). */
size_t addrbook_sample(struct addrbook *b, struct addr_entry *e, size_t max);

/* Parse "1.2.3.4", "1.2.3.4:5", "[::1]:5", "::1"; fills port with dflt. No
 * names. */
bool netaddr_parse(struct netaddr *a, const char *s, uint16_t dflt_port);
/* "1.2.3.4:5" or "[::1]:5" into dst[64]; returns dst. */
char *netaddr_fmt(char *dst, const struct netaddr *a);
bool netaddr_is_local(const struct netaddr *a);
bool netaddr_is_routable(const struct netaddr *a);

#endif
