/*
 * Transactions between peers: the state kept per peer and for the whole node,
 * and what the tx*.c files of this folder give each other. Loop only.
 */
#ifndef CAIRN_SYNC_TXRELAY_H
#define CAIRN_SYNC_TXRELAY_H

#include "txorphans.h"
#include "txpool.h"
#include "txrequest.h"
#include "txset.h"

#include <cairn/base/rand.h>

/* Announcements that are kept of one peer, and how many it may be asked for
 * before it has to wait with new ones. */
#define TX_ANNOUNCED_MAX 5000u
#define TX_IN_FLIGHT     100u
/* Of a generation: what a peer knows, what was refused, what was mined. There
 * are many peers: a table of 256 KiB holds as many as this and not one more. */
#define TX_KNOWN_MAX     24576u
#define TX_REJECTS_MAX   60000u
#define TX_CONFIRMED_MAX 48000u
/* Waiting to be announced: to one peer, and to all of a kind. */
#define TX_TO_SEND_MAX 10000u
#define TX_BACKLOG_MAX 50000u
/* With the chain; while there are as many what peers send is passed over. */
#define TX_JUDGING_MAX   2000u
#define TX_JUDGING_BYTES (64u << 20)

struct net_msg;
struct sp;
struct sync;
struct txjob;

struct txpeer {
	bool wtxid;    /* announcements are by wtxid */
	bool relays;   /* it wants to hear of transactions */
	bool busy;     /* one of its transactions is being judged */
	bool sent_all; /* it has asked for the whole pool */
	struct txr_peer req;
	struct orphan_peer orphans;
	struct txset known;      /* it has them: ids as announced */
	struct hash256 *to_send; /* wtxids */
	size_t n_to_send, cap_to_send;
	int64_t next_inv_us;
	/* It may ask for what came before this change of the pool. */
	uint64_t last_inv_sequence;
	int64_t feefilter_sent, next_feefilter_us;
	int64_t last_tx_s; /* when a valid one came */
};

/* Transactions that wait for their turn to be announced to one kind of peers,
 * and how much may be announced now: tokens, which grow with time. */
struct txbucket {
	struct hash256 *wait; /* wtxids */
	size_t n, cap;
	double rate, count, count_max; /* transactions */
	double bytes_rate, bytes;
	int64_t at_us; /* filled up to then; 0: not yet */
};

/* The last block connected, whose transactions are still given. */
struct txblock {
	const struct hnode *node;
	struct buf *buf;
	struct block_view view;
	struct hmap by_txid, by_wtxid; /* -> tx_view */
};

struct txrelay {
	struct rand rand;
	struct txpool pool;
	struct txrequest req;
	struct orphans orphans;
	/* Refused; refused but for a fee that a child may pay; mined. */
	struct txset rejects, reconsiderable, confirmed;
	struct hmap judging; /* wtxid -> struct txjob, handed to the chain */
	struct txbucket inbound, outbound;
	struct txblock block;
	int64_t next_inbound_us, next_rebroadcast_us;
	int64_t min_rate; /* that the pool asks now, satoshi per 1,000 vB */
	int64_t min_rate_us;
	bool min_rate_asked;
	size_t n_wtxid_peers;
};

/* txrelay.c */
void txrelay_init(struct sync *s);
void txrelay_fini(struct sync *s);
void txrelay_ready(struct sp *sp);
void txrelay_gone(struct sp *sp);
void txrelay_event(struct sync *s, const struct chain_event *e);
void txrelay_tick(struct sync *s);
/* Items that name a transaction. */
bool inv_is_tx(uint32_t type);
/* No transactions are taken from this peer. */
bool tx_refuses(const struct sp *sp);
/* We have it, or know that we do not want it. */
bool tx_have(const struct sync *s, const struct hash256 *hash, bool wtxid,
	     bool reconsiderable);

/* txdownload.c: what peers have, and asking for it */
/* One item of an inv. False when the peer was sent away for it. */
bool tx_inv(struct sp *sp, uint32_t type, const struct hash256 *hash);
void tx_ask(struct sp *sp);
void tx_ask_all(struct sync *s);
void tx_notfound(struct sp *sp, const struct hash256 *hash);
/* sp may give the parents of an orphan, which it announced. */
bool tx_orphan_candidate(struct sp *sp, const struct hash256 *parents, size_t n,
			 const struct hash256 *wtxid);
/* txids that tx spends, once each: gives an array; free() it. */
size_t tx_parents(const struct tx_view *tx, struct hash256 **give);
/* Leave those out that we have. */
size_t tx_parents_missing(const struct sync *s, struct hash256 *parents,
			  size_t n);

/* txjudge.c: to the chain, and what comes of it */
void on_tx(struct sp *sp, const struct net_msg *m);
/* Orphans that may be tried again, of all peers. */
void tx_work_all(struct sync *s);

/* txreject.c: what was refused is remembered */
/* Two that go to the chain together; parent first. Owns both. */
struct txpackage {
	struct buf *tx[2];
	struct hash256 id;
};
bool tx_package_find(struct sp *sp, struct txpackage *give, struct buf *parent,
		     const struct hash256 *txid, const struct hash256 *wtxid);
/* Note that j's transaction was refused. True when a package is to be tried,
 * which is then given. */
bool tx_rejected(struct sync *s, struct txpackage *give, const struct txjob *j,
		 enum tx_outcome why);

/* txannounce.c */
void tx_announce(struct sync *s, const struct hash256 *wtxid);
/* The peer is there: its first turn is at random, too. */
void tx_announce_ready(struct sp *sp);
void tx_announce_tick(struct sync *s, int64_t now_us);
void on_mempool(struct sp *sp, const struct net_msg *m);
int64_t tx_delay(struct sync *s, int64_t mean_us);

/* txfeefilter.c */
void tx_feefilter_ready(struct sp *sp);
void tx_feefilter_tick(struct sync *s, int64_t now_us);

/* txserve.c */
/* Answer the items of the open getdata that name transactions, up to one that
 * does not or to a full queue. */
void serve_txs(struct sp *sp);
void txblock_set(struct sync *s, const struct hnode *n, struct buf *block);
void txblock_fini(struct txblock *b);

/* One transaction while it is judged. */
struct txjob {
	struct sync *s;
	uint64_t peer; /* from whom; it may be gone */
	struct buf *buf;
	struct tx_view view;
	struct hash256 txid, wtxid;
	bool again; /* an orphan that was kept, or part of a package */
};

#endif
