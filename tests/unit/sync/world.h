/*
 * A world for the behaviour under test: peers that only note what is done to
 * them, a chain that only notes what is handed to it, and a real header tree on
 * regtest. The functions of net/net.h and chain/chain.h that sync calls are
 * defined here, so that neither library is linked. One test at a time.
 */
#ifndef TESTS_UNIT_SYNC_WORLD_H
#define TESTS_UNIT_SYNC_WORLD_H

#include <cairn/base/buf.h>
#include <cairn/base/clock.h>
#include <cairn/chain/chain.h>
#include <cairn/net/net.h>
#include <cairn/params/params.h>
#include <cairn/sync/sync.h>
#include <cairn/wire/inv.h>
#include <cairn/wire/version.h>

#include <check.h>

#define MSGS_MAX   256
#define PEERS_MAX  8
#define JOBS_MAX   2048
#define TXJOBS_MAX 512

struct sent {
	enum msg_type type;
	uint8_t *body;
	size_t n;
};

struct peer {
	uint64_t id, services;
	enum peer_conn conn;
	bool used, open, send_headers, full;
	bool cmpct, cmpct_hb, no_relay, by_txid; /* of transactions */
	int64_t fee_filter;
	uint32_t perms;
	void *data;
	struct sent sent[MSGS_MAX];
	size_t n_sent, read; /* read: those a test has looked at */
	int held, paused;
	const char *disconnected, *misbehaved;
};

struct world {
	struct params params;
	struct clock clock;
	struct htree *tree;
	struct hnode *tip;
	bool ibd, filters, reindexing;
	size_t backlog_blocks, backlog_bytes, backlog_txs, backlog_tx_bytes;
	struct peer peers[PEERS_MAX];
	struct block_job jobs[JOBS_MAX];
	size_t n_jobs, n_noted;
	struct tx_job txjobs[TXJOBS_MAX]; /* handed over */
	size_t n_txjobs;
	enum tx_outcome package[2]; /* what comes of one */
	size_t n_packages, n_broadcast, n_unbroadcast;
	struct mempool_tx unbroadcast[4]; /* in the pool */
	int64_t min_rate;
	int32_t cf_differs;
	uint32_t cf_noted;
	struct pool *readers;
	struct queue posted;
	struct sync *sync;
};

extern struct world W;

/* A fresh world whose clock stands an hour behind the genesis block's time plus
 * days. Checked fixtures. */
void world_start(void);
void world_stop(void);

/* A header on prev (solved); gives its 80 bytes. salt makes siblings differ. */
void header_make(uint8_t out[80], const struct hnode *prev, uint32_t salt);
/* n headers one after another on prev, not in the tree: n * 80 bytes. */
uint8_t *headers_make(const struct hnode *prev, size_t n, uint32_t salt);
/* n nodes on prev, in the tree; gives the last. */
struct hnode *grow(struct hnode *prev, size_t n, uint32_t salt);
/* The tip moves to n: all its ancestors have data and were connected. */
void tip_set(struct hnode *n);

/* A ready peer. */
struct peer *peer_in(enum peer_conn conn, uint64_t services);
void peer_gone(struct peer *p);
/* Hand the peer's message to sync. */
void recv_msg(struct peer *p, enum msg_type t, const void *body, size_t n);
void recv_headers(struct peer *p, const uint8_t *h, size_t n);
void recv_inv(struct peer *p, enum msg_type t, uint32_t type,
	      const struct hash256 *hashes, size_t n);
/* A block message: header and a body that parses, in a buffer. */
void recv_block(struct peer *p, const struct hnode *n);
void recv_block_raw(struct peer *p, const uint8_t header[80], uint32_t sum_xor);

/* The next message that was sent and not looked at of this type, or NULL. */
struct sent *next_sent(struct peer *p, enum msg_type t);
/* Items of all getdata not looked at: gives how many, fills up to max hashes.
 */
size_t asked(struct peer *p, struct hash256 *out, size_t max);
/* Let the readers work and run what they posted, until nothing is out. */
void world_run(size_t tasks);
void tick_at(int64_t s);
/* Answer job i as the chain would. */
void job_answer(size_t i, enum block_outcome o, struct verdict v);

/* A transaction that spends output 0 of each parent (one of its own making
 * without any), with two outputs; gives a buffer. */
struct buf *tx_make(const struct hash256 *parents, size_t n, uint32_t salt,
		    bool witness);
void tx_ids(struct hash256 *txid, struct hash256 *wtxid, const struct buf *tx);
struct hash256 tx_id(const struct buf *tx);
struct hash256 tx_wid(const struct buf *tx);
/* The pool's events. */
void tx_added(struct buf *tx, int64_t fee, bool ours);
void tx_removed(struct buf *tx, enum mempool_reason why);
void recv_tx(struct peer *p, const struct buf *tx);
/* Answer transaction i as the chain would: accepted ones enter the pool first.
 */
void txjob_answer(size_t i, enum tx_outcome o);
/* Hashes of all inv or notfound not looked at. */
size_t told(struct peer *p, enum msg_type t, struct hash256 *out, size_t max);

#define ALL_SERVICES (NODE_NETWORK | NODE_WITNESS)

#endif
