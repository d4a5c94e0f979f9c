/*
 * The node's behaviour towards its peers: what to ask, whom, when; what to
 * answer. The only folder that knows both net and chain. Everything runs on the
 * loop; disk reads go to the read pool and come back as tasks.
 */
#ifndef CAIRN_SYNC_SYNC_H
#define CAIRN_SYNC_SYNC_H

#include <cairn/base/attr.h>
#include <cairn/base/thread.h>
#include <cairn/chain/chain.h>
#include <cairn/net/net.h>

struct sync;

struct sync_cfg {
	const struct params *params;
	const struct clock *clock;
	int64_t max_tip_age_s; /* -maxtipage */
	bool serve_filters;    /* -peerblockfilters */
	bool blocks_only;      /* -blocksonly: ask for no transactions */
	bool ask_checkpoints;  /* ask filter peers for getcfcheckpt */
	/* As the pool's policy: satoshi per 1,000 virtual bytes. */
	int64_t min_relay_rate, incremental_rate;
	unsigned tx_send_rate; /* -txsendrate: announced each second to inbound
				  peers; 0: 14 */
	struct pool *readers;  /* short block reads */
	/* Run a task on the loop, from any thread. */
	void (*post)(void *arg, struct task t);
	void *post_arg;
};

/* chain and net are borrowed and may be set later (sync_attach) since their ops
 * call back into sync. */
struct sync *sync_new(const struct sync_cfg *cfg) must_check;
void sync_attach(struct sync *s, struct chain *chain, struct net *net);
void sync_free(struct sync *s);

/* The callbacks of net_ops, and the chain's events, forwarded by the node. */
void sync_on_ready(struct sync *s, struct peer *p);
void sync_on_message(struct sync *s, struct peer *p, const struct net_msg *m);
void sync_on_closed(struct sync *s, struct peer *p);
void sync_on_tick(struct sync *s, int64_t now_s);
void sync_on_drained(struct sync *s, struct peer *p);
uint64_t sync_services(struct sync *s);
int32_t sync_height(struct sync *s);
/* Our tip is of the last day: peers with only the last blocks will do. */
bool sync_near_tip(struct sync *s);
void sync_on_chain_event(struct sync *s, const struct chain_event *e);

/* Headers from elsewhere (import, submitblock, submitheader, mining): checked,
 * added, noted to the index, and asked for if the chain wants them. */
struct verdict sync_add_header(struct sync *s, struct hnode **node,
			       const uint8_t header[80], bool force_low_work);

/* getpeerinfo's share. */
struct sync_peer_info {
	int32_t synced_headers, synced_blocks; /* -1 unknown */
	int32_t presynced_headers;             /* -1 none */
	const int32_t *inflight;               /* heights, borrowed */
	size_t n_inflight;
	uint64_t last_inv_sequence; /* of the pool, when it was last told */
	size_t inv_to_send;         /* transactions queued to be announced */
	int64_t last_tx_s;          /* when it sent a valid one; 0: never */
	bool high_bandwidth; /* it was told to send blocks as cmpctblock */
};
void sync_peer_info(const struct sync *s, const struct peer *p,
		    struct sync_peer_info *i);
/* Ask peer id for one block (getblockfrompeer, tests): false if not connected.
 */
bool sync_fetch_block(struct sync *s, uint64_t peer, struct hnode *n);

/* One transaction that waits for others. Borrowed during the call. */
struct sync_orphan {
	const struct hash256 *txid, *wtxid;
	struct buf *buf; /* payload: all of it */
	uint32_t weight;
	const uint64_t *peers; /* who announced it */
	size_t n_peers;
};
/* Tell of each, in no order. */
void sync_orphans(const struct sync *s,
		  void (*each)(void *arg, const struct sync_orphan *o),
		  void *arg);

/* How fast transactions are announced to one kind of peers. */
struct sync_pace {
	size_t backlog;
	double count, bytes; /* that may go at once; below 0: none */
};
void sync_pace(const struct sync *s, struct sync_pace *inbound,
	       struct sync_pace *outbound);
/* Let so many seconds pass for what is done every ten minutes or so (tests). */
void sync_forward(struct sync *s, int64_t seconds);

/* Announce a transaction of the pool, by either id, to all who want to hear of
 * it; each is told at a random time, unless it knows it. */
void sync_announce_tx(struct sync *s, const struct hash256 *id);

#endif
