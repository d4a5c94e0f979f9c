/*
 * The insides of net: the node's network and one peer, shared by this folder's
 * files. Everything runs on the loop.
 *
 * Nothing is closed, sent or resumed in the middle of a handler: the wish is
 * noted (peer_todo) and done at the end of the loop's turn, so any function of
 * net.h may be called from any handler.
 */
#ifndef CAIRN_NET_INNER_H
#define CAIRN_NET_INNER_H

#include "discouraged.h"
#include "rx.h"
#include "sendq.h"

#include <cairn/base/clock.h>
#include <cairn/base/must.h>
#include <cairn/base/rand.h>
#include <cairn/net/net.h>
#include <cairn/wire/version.h>

#define SCRATCH       (64u * 1024) /* one read */
#define TURN_BYTES    (256u * 1024)
#define MAX_FULL      8u /* automatic outbound peers that relay all */
#define MAX_BLOCKONLY 2u
#define MAX_ADDED     8u /* connections to added nodes at a time */
#define CANDIDATES    8u /* addresses of one name that are tried */

#define PEER_MAGIC 0x70656572u

enum {                 /* bits of peer.todo */
       TODO_RUN = 1,   /* hand up what waits */
       TODO_READ = 2,  /* read again: its turn was over */
       TODO_FLUSH = 4, /* write what was queued */
       TODO_CLOSE = 8,
};

struct ping_state {
	uint64_t nonce; /* outstanding; 0: none */
	int64_t start_us;
	int64_t last_us, min_us; /* -1: none */
	bool queued;             /* the ping RPC */
};

struct addr_state {
	bool enabled;      /* addresses are spoken of with this peer */
	bool getaddr_sent; /* its answer is not complete yet */
	bool getaddr_recv;
	double tokens; /* addresses that it may still tell us */
	int64_t tokens_us;
	uint64_t processed, rate_limited;
};

struct peer {
	uint32_t magic;
	struct net *net;
	uint64_t id; /* PEER_NONE until connected */
	enum peer_state state;
	enum peer_conn conn;
	uint32_t perms;
	void *data;
	const char *why; /* of closing */

	uv_tcp_t tcp;
	uv_connect_t connect;
	uv_write_t write;
	bool reading, writing, closed; /* closed: uv_close was called */
	size_t in_flight;              /* messages of the running write */
	char *dest;                    /* as dialled; NULL: inbound */
	struct netaddr addr, bind, local;
	bool has_bind, has_local, loopback;
	struct netaddr cand[CANDIDATES]; /* dialling */
	unsigned n_cand, i_cand;
	uint64_t dial_deadline_ms; /* uv_now; 0: not connecting */
	bool resolving;

	struct rx rx;
	struct buf
	    *stash; /* bytes that came while nothing could be handed up */
	size_t stash_off;
	unsigned holds, pauses;
	bool waiting; /* something other than a block waits for holds to end */
	bool starved; /* the global budget is spent */
	uint64_t collect_ms; /* when its incomplete message began; 0: none */
	bool yielded;        /* it had its bytes of this turn */
	uint64_t turn;
	size_t turn_bytes;
	struct sendq sendq;
	unsigned todo;
	struct peer *todo_next;

	uint64_t nonce, services;
	int32_t version, common, start_height; /* version 0: not yet received */
	char subver[USER_AGENT_MAX + 1];
	bool relay_txs, wtxid_relay, addrv2, send_headers, cmpct, cmpct_hb;
	int64_t fee_filter_sat;
	int64_t conn_time_s, last_send_s, last_recv_s, time_offset_s;
	int64_t last_block_s, recv_us;
	struct ping_state ping;
	struct addr_state gossip;
	uint64_t bytes_sent, bytes_recv;
	uint64_t sent_per_msg[MSG_COUNT], recv_per_msg[MSG_COUNT];
	uint64_t dropped; /* bad checksum or command */
};

/* An array of peers, kept in the order of their ids. */
struct peer_list {
	struct peer **p;
	size_t n, cap;
};

struct listener;
struct resolver;

/* A node that is kept connected. */
struct added {
	char *text;
	bool listed; /* by addnode; -connect's are not */
	uint64_t next_ms, wait_ms;
};

struct net {
	uv_loop_t *loop;
	struct net_cfg cfg;
	struct net_ops ops;
	void *arg;
	struct rand rand;
	struct rx_budget budget;
	size_t n_starved;
	struct addrbook *book;
	struct discouraged discouraged;
	struct addr_entry *getaddr; /* the answer to getaddr, kept for a day */
	size_t n_getaddr, getaddr_of; /* of so many in the book */
	int64_t getaddr_until_s;

	struct peer_list peers; /* connected, until their handle is closed */
	struct peer_list dials; /* not connected yet */
	uint64_t next_id;
	struct peer *todo, **todo_tail;
	struct listener *listeners;
	struct resolver *resolver;
	struct added **added;
	size_t n_added, cap_added;

	uv_timer_t timer;
	uv_prepare_t turn_end;
	uv_idle_t again;
	uint64_t turn;
	size_t turn_max; /* bytes read from one peer in one turn */
	bool active, started, stopping, near_tip;
	unsigned handles; /* open ones and running requests */
	void (*stopped)(void *arg);

	int64_t next_feeler_us, seeds_at_ms;
	bool seeded;          /* the seeds had their first chance */
	int64_t info_after_s; /* the next line of info about a bad peer */
	uint64_t bytes_sent, bytes_recv;
	uint8_t scratch[SCRATCH];
};

static inline struct peer *peer_of(void *p)
{
	struct peer *peer = p;

	must(peer->magic == PEER_MAGIC);
	return peer;
}

static inline int64_t net_now(const struct net *n)
{
	return clock_now(n->cfg.clock);
}

/* peer.c: life and death */
struct peer *peer_new(struct net *n, enum peer_conn conn) must_check;
/* The one place where a state changes. */
void peer_set_state(struct peer *p, enum peer_state to);
/* Its socket is connected: name it, count it, start to read. */
void peer_connected(struct peer *p);
void peer_todo(struct peer *p, unsigned what);
/* Close its handle; it is freed when libuv is done with it. */
void peer_close(struct peer *p);
static inline bool peer_is_open(const struct peer *p)
{
	return p->state != PEER_CLOSING;
}

/* peer_io.c: bytes */
void peer_read_update(struct peer *p);
void peer_run(struct peer *p);
void peer_flush(struct peer *p);

/* deliver.c */
void peer_deliver(struct peer *p, const struct rx_msg *m);

/* grants.c */
uint32_t grants_of(const struct net *n, const struct netaddr *a,
		   enum peer_conn c);

/* handshake.c */
void handshake_begin(struct peer *p);
void on_version(struct peer *p, struct slice body);
void on_verack(struct peer *p, struct slice body);
void on_wtxidrelay(struct peer *p, struct slice body);
void on_sendaddrv2(struct peer *p, struct slice body);
void on_feature(struct peer *p, struct slice body);

/* ping.c */
void ping_init(struct ping_state *s);
/* Send what is due; false when the peer was disconnected. */
bool ping_tick(struct peer *p, int64_t now_us);
void on_ping(struct peer *p, struct slice body);
void on_pong(struct peer *p, struct slice body);

/* gossip.c */
void gossip_init(struct peer *p);
/* Ask an outbound peer for addresses, once. */
void gossip_ask(struct peer *p);
void on_addr(struct peer *p, struct slice body);
void on_addrv2(struct peer *p, struct slice body);
void on_getaddr(struct peer *p, struct slice body);

/* listen.c, evict.c */
void listeners_close(struct net *n);
/* NULL, or why an accepted peer is sent away; makes room where it must. */
const char *inbound_refusal(struct net *n, const struct peer *p);
/* The port that the i-th listener got; 0: no such listener. */
uint16_t net_listen_port(const struct net *n, size_t i);
/* The inbound peer that gives way to a new one, or NULL. */
struct peer *evict_choose(struct net *n);

/* dial.c */
/* List p, and try its addresses in turn where it has any. Takes p. */
void dial_begin(struct peer *p);
int dial_addr(struct net *n, const struct netaddr *a, enum peer_conn conn);
void dial_tick(struct net *n);
/* A dialling peer's handle is closed: try the next address, or give up. */
bool dial_next(struct peer *p);
bool dial_is_dup(const struct net *n, const char *dest,
		 const struct netaddr *a);

/* resolve.c */
typedef void (*resolved_fn)(struct net *n, void *arg, const struct netaddr *a,
			    size_t count);
/* Look a name up off the loop; done is called once, on the loop and never
 * inside this call, with no address on failure or when the node stops. */
void resolve_start(struct net *n, const char *host, uint16_t port,
		   resolved_fn done, void *arg);
struct resolver *resolver_new(struct net *n) must_check;
/* Answer all who wait with nothing, and close; running look-ups are left
 * behind. */
void resolver_close(struct resolver *r);

/* added.c, automatic.c */
void added_tick(struct net *n);
void added_free(struct net *n);
void automatic_init(struct net *n);
void automatic_tick(struct net *n);
/* Whom the book offers for a connection of this kind; false: nobody. */
bool automatic_choose(struct net *n, enum peer_conn conn, struct addr_entry *e);
size_t net_inbound_max(const struct net *n);

/* net.c */
void net_handle_closed(struct net *n);
/* True at most once a minute: a line of info may be written. */
bool net_may_tell(struct net *n);

void peers_add(struct peer_list *l, struct peer *p);
void peers_del(struct peer_list *l, struct peer *p);

#endif
