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

#define MSGS_MAX  256
#define PEERS_MAX 8
#define JOBS_MAX  2048

struct sent {
	enum msg_type type;
	uint8_t *body;
	size_t n;
};

struct peer {
	uint64_t id, services;
	enum peer_conn conn;
	bool used, open, send_headers, full;
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
	bool ibd, filters;
	size_t backlog_blocks, backlog_bytes;
	struct peer peers[PEERS_MAX];
	struct block_job jobs[JOBS_MAX];
	size_t n_jobs, n_noted;
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

#define ALL_SERVICES (NODE_NETWORK | NODE_WITNESS)

#endif
