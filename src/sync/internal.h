/*
 * What the files of sync share: the state kept per peer and for the whole node.
 * Loop only. A peer that is gone has no struct sp; jobs that come back from
 * other threads look it up by id.
 */
#ifndef CAIRN_SYNC_INTERNAL_H
#define CAIRN_SYNC_INTERNAL_H

#include <cairn/base/clock.h>
#include <cairn/base/err.h>
#include <cairn/base/hmap.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>
#include <cairn/base/must.h>
#include <cairn/chain/chain.h>
#include <cairn/chain/presync.h>
#include <cairn/net/net.h>
#include <cairn/params/params.h>
#include <cairn/sync/sync.h>
#include <cairn/wire/inv.h>
#include <cairn/wire/version.h>

#include "txrelay.h"

/* Blocks beyond the last common one that may be asked for. */
#define DOWNLOAD_WINDOW 1024
/* In flight from one peer: at least, at most, and bytes they may make up by the
 * recent average size. */
#define FLIGHT_MIN   16u
#define FLIGHT_MAX   256u
#define FLIGHT_BYTES (2u << 20)
/* Handed over to the chain and not yet answered: sync stops asking above. */
#define BACKLOG_BYTES  (64u << 20)
#define BACKLOG_BLOCKS 2048u
/* An answer to getheaders is waited for this long before another goes out. */
#define HEADERS_RESPONSE_S 120
/* Blocks announced one by one; a longer reorganisation is left to the peer. */
#define ANNOUNCE_MAX 8
/* Stale blocks are served when they are younger than this. */
#define STALE_RELAY_AGE_S (30 * 24 * 60 * 60)
#define DAY_S             (24 * 60 * 60)
#define STALL_MIN_S       2
#define STALL_MAX_S       64
#define BROKEN_BLOCKS_MAX 3
/* Peers that announce blocks by cmpctblock. */
#define FAST_MAX 3

/* Peers that one block is asked of at once: two for the whole of it, and as
 * many as announced it by cmpctblock (Core's bound). */
#define FLIGHT_FROM 3

struct blocktxn_view;
struct cmpctblock_view;
struct partial;

struct sp;

/* One block that was asked for, until the chain has answered for it. */
struct flight {
	struct hnode *node;
	/* Whom it was asked of, in order; NULL: free. */
	struct sp *from[FLIGHT_FROM];
	/* What each one's cmpctblock led to; NULL: it had sent none. */
	struct partial *part[FLIGHT_FROM];
	int64_t since_s;
	bool arrived; /* handed to the chain */
};

enum serve_kind { SERVE_NONE, SERVE_ITEMS, SERVE_FILTERS, SERVE_TXN };

/* The one request of a peer that is being answered from disk. */
struct serve {
	enum serve_kind kind;
	uint8_t *items; /* inv items of a getdata, or a getblocktxn; ours */
	uint32_t n, next;
	struct hnode *node;       /* transactions: of this block */
	const struct hnode *stop; /* filters: of the chain ending here */
	int32_t height;           /* filters: next to send */
	bool reading;             /* a job is out */
};

struct sp {
	struct sync *s;
	struct peer *peer;
	uint64_t id;
	struct sp *next, **link;

	struct hnode *best_known; /* best header it announced and we know */
	struct hash256 unknown;   /* announced, not known to us */
	bool has_unknown;
	const struct hnode *common;    /* all up to here need no download */
	const struct hnode *best_sent; /* best header we sent it */
	bool sync_started, inv_asked, sent_sendheaders;
	int64_t getheaders_s; /* when the open request went out; 0: none */
	int64_t headers_deadline_s;
	struct presync *presync;

	const struct hnode **flight; /* asked of this peer, not arrived */
	size_t n_flight, cap_flight;
	int64_t downloading_since_s, stalling_since_s;
	unsigned broken_blocks;
	int32_t *heights; /* for getpeerinfo */

	struct serve serve;
	struct hash256 continuation; /* last hash of a getblocks answer */
	bool has_continuation;
	int32_t cf_asked;          /* intervals that were asked for */
	int64_t behind_deadline_s; /* outbound peer with less work than ours */
	const struct hnode *behind_of; /* our tip when its time began */
	bool behind_asked, protected;
	bool high_bandwidth;           /* one of sync's fast */
	struct u256 rebuilt_work;      /* of the last block it sent compact */
	unsigned walks;                /* over the pool, for its cmpctblocks */
	const struct hnode *walks_tip; /* our tip when they began */
	struct txpeer tx;
};

struct sync {
	struct sync_cfg cfg;
	struct chain *chain;
	struct net *net;
	struct sp *peers;
	struct hmap flights; /* hash -> struct flight */
	size_t n_sync_started;
	int64_t stall_timeout_s;
	uint32_t avg_block; /* bytes, moving average of what arrives */
	const struct hnode *rebuilt_of; /* the last cmpctblock tried */
	unsigned rebuilt_n;             /* tries for it of inbound peers */
	struct hash256 last_inv_trigger;
	bool loaded;
	int64_t progress_s; /* last progress line */
	int32_t progress_height;
	/* Scratch of one headers message; cap_hashes of each. */
	struct hash256 *hashes;
	struct hnode **fresh;
	size_t cap_hashes;
	struct sp *fast[FAST_MAX]; /* the oldest first */
	size_t n_fast;
	struct txrelay tx;
};

static inline int64_t sync_now(const struct sync *s)
{
	return clock_now(s->cfg.clock);
}

/* Blocks are read from our own files (-reindex): what peers have is neither
 * asked for nor taken until that has ended. */
static inline bool sync_reads_own(const struct sync *s)
{
	return chain_reindexing(s->chain);
}

static inline struct htree *sync_tree(const struct sync *s)
{
	return chain_tree(s->chain);
}

struct sp *sp_of(const struct peer *p);
struct sp *sp_find(struct sync *s, uint64_t id);
bool sp_serves_blocks(const struct sp *sp);
bool sp_serves_witness(const struct sp *sp);
bool sp_is_limited(const struct sp *sp);
bool sp_is_preferred(const struct sp *sp);
/* The operator has granted it this. */
bool sp_may(const struct sp *sp, uint32_t perm);
size_t sync_preferred(const struct sync *s);

/* headers.c */
void headers_start(struct sp *sp);
bool headers_ask(struct sp *sp, const struct hnode *from);
/* Room for n hashes and nodes in the scratch. */
void scratch_need(struct sync *s, size_t n);
void on_headers(struct sp *sp, const struct net_msg *m);
void on_inv(struct sp *sp, const struct net_msg *m);
void availability_set(struct sp *sp, const struct hash256 *hash);
void availability_update(struct sp *sp);
void headers_tick(struct sp *sp, int64_t now_s);
/* Work below which headers are not kept (near the tip, or the minimum). */
struct u256 antidos_work(const struct sync *s);
/* Treat a peer for a verdict as Core's MaybePunishNodeForBlock does. */
void punish(struct sync *s, struct peer *p, const struct verdict *v);

/* behind.c */
void behind_check(struct sp *sp, int64_t now_s);
/* The first peers of our own choice that send headers of the best chain are
 * kept whatever happens to it later. */
void behind_protect(struct sp *sp);

/* download.c */
void download_more(struct sp *sp);
void download_all(struct sync *s);
/* Near the tip, what a header leads to is asked of its sender at once, whatever
 * it offers otherwise (Core's direct fetch). */
void download_direct(struct sp *sp, const struct hnode *last);
void download_tick(struct sp *sp, int64_t now_s);
/* The block itself by getdata, without any note. */
void block_getdata(struct sp *sp, struct hnode *n);
/* Our tip is of the last few hours (Core's CanDirectFetch). */
bool near_now(const struct sync *s);
void on_notfound(struct sp *sp, const struct net_msg *m);
bool block_ask(struct sp *sp, struct hnode *n);

/* flight.c */
struct flight *flight_find(struct sync *s, const struct hash256 *hash);
void flight_arrived(struct sp *sp, struct flight *f);
/* What arrived was no block: as Core has it, nothing came and sp is still asked
 * for it. */
void flight_broken(struct sp *sp, struct flight *f);
void flight_drop(struct sync *s, struct flight *f);
/* n came another way than asked for: nobody is asked for it while it is with
 * the chain. */
void flight_rebuilt(struct sync *s, struct hnode *n);
/* Its place in from; -1: it is not asked for it, or there is no flight. */
int flight_slot(const struct flight *f, const struct sp *sp);
size_t flight_count(const struct flight *f);
/* sp is asked for n from now on, one of FLIGHT_FROM at most. */
struct flight *flight_add(struct sp *sp, struct hnode *n);
/* sp is no longer asked; without anybody left there is no flight. */
void flight_end(struct sp *sp, struct flight *f);
/* The peer is gone. */
void flight_forget_peer(struct sp *sp);

/* blocks.c */
void on_block(struct sp *sp, const struct net_msg *m);

/* serve.c */
void on_getdata(struct sp *sp, const struct net_msg *m);
void on_getheaders(struct sp *sp, const struct net_msg *m);
void on_getblocks(struct sp *sp, const struct net_msg *m);
void serve_continue(struct sp *sp);
void serve_fini(struct sp *sp);
bool block_may_serve(const struct sync *s, const struct hnode *n);
/* serve_read.c */
void serve_blocks_read(struct sp *sp);
void serve_filters_read(struct sp *sp);

/* rebuild.c */
/* What a sane cmpctblock and, with walk, the pool have of a block. It fails
 * when ids meet, it is larger than any block, or something lacks without a
 * walk. */
struct partial *partial_new(struct sync *s, const struct cmpctblock_view *v,
			    bool walk, bool *failed);
void partial_free(struct partial *p);
uint32_t partial_missing(const struct partial *p);
/* Fills in the places that are missing; gives how many. */
uint32_t partial_indexes(const struct partial *p, uint16_t *out);
/* partial_fill was called: it holds nothing any more. */
bool partial_used(const struct partial *p);

enum fill {
	FILL_OK,
	FILL_COUNT,   /* too many or too few were given */
	FILL_MUTATED, /* not what the header commits to: ids may have met */
};

/* The block of n with what v gives (NULL: nothing) at the missing places; gives
 * a buffer with FILL_OK. */
enum fill partial_fill(struct partial *p, struct buf **out, struct sync *s,
		       const struct hnode *n, const struct blocktxn_view *v);

/* bandwidth.c */
void bandwidth_ready(struct sp *sp);
void bandwidth_gone(struct sp *sp);
/* sp has brought a block that was new. */
void bandwidth_prefer(struct sp *sp);

/* compact.c */
void on_cmpctblock(struct sp *sp, const struct net_msg *m);
void on_blocktxn(struct sp *sp, const struct net_msg *m);

/* serve_txn.c */
void on_getblocktxn(struct sp *sp, const struct net_msg *m);
void serve_txn_read(struct sp *sp);

/* announce.c */
void announce_tip(struct sync *s, const struct hnode *tip,
		  const struct hnode *fork);

/* cfilters.c */
void on_getcfilters(struct sp *sp, const struct net_msg *m);
void on_getcfheaders(struct sp *sp, const struct net_msg *m);
void on_getcfcheckpt(struct sp *sp, const struct net_msg *m);
void on_cfcheckpt(struct sp *sp, const struct net_msg *m);
void cfcheckpt_tick(struct sp *sp);
void cfcheckpt_refute(struct sync *s);

#endif
