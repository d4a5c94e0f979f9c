/*
 * Transactions whose inputs are not known, kept for a while with the peers that
 * announced them: as Bitcoin Core's orphanage. Bounded by weight (404,000 for
 * each peer that has some) and by number (3,000 announcements, an extra one for
 * each ten inputs); over that the peer that uses most of its share loses its
 * oldest. Loop only.
 */
#ifndef CAIRN_SYNC_TXORPHANS_H
#define CAIRN_SYNC_TXORPHANS_H

#include <cairn/base/hmap.h>
#include <cairn/base/rand.h>
#include <cairn/wire/block.h>

#define ORPHAN_WEIGHT_PER_PEER 404000
#define ORPHAN_SCORE_MAX       3000u
#define ORPHAN_WEIGHT_MAX      400000u /* of one: what is standard */

struct buf;
struct orphan_link;
struct orphan_ann;

struct orphan {
	struct hash256 txid, wtxid;
	struct buf *buf;
	struct tx_view view;
	struct orphan_ann *anns; /* who announced it: at least one */
	struct orphan_link *links;
	uint32_t weight, score; /* score: for its inputs alone */
	bool reconsider;        /* one of its announcers is to try it again */
};

struct orphan_list {
	struct orphan_ann *first, *last; /* oldest first */
};

/* A peer's share, kept by the caller; all zero but for id at first. */
struct orphan_peer {
	uint64_t id;
	struct orphan_list waiting, ready; /* ready: to be tried again */
	struct orphan_peer *next, **link;  /* of those that have any */
	int64_t weight;
	uint32_t n, score;
};

struct orphans {
	struct hmap by_wtxid, by_outpoint;
	struct orphan_peer *peers;
	size_t n_peers, n_anns;
	int64_t weight; /* of all, each once */
	uint32_t score; /* of inputs, each once */
	uint64_t sequence;
};

void orphans_init(struct orphans *o);
/* After all peers are gone. */
void orphans_fini(struct orphans *o);
/* Keep a transaction, or note that p announced it too. False when it is too
 * large, or when p announced it before. It may be dropped at once. */
bool orphans_add(struct orphans *o, struct orphan_peer *p, struct buf *keep,
		 const struct tx_view *view, const struct hash256 *txid,
		 const struct hash256 *wtxid);
struct orphan *orphans_find(const struct orphans *o,
			    const struct hash256 *wtxid);
bool orphans_has_from(const struct orphan *t, const struct orphan_peer *p);
/* Another peer has announced t. */
void orphans_announced(struct orphans *o, struct orphan *t,
		       struct orphan_peer *p);
/* tx was accepted or mined: who spends its outputs may be tried again, by one
 * of those that announced it, by chance. */
void orphans_parent_came(struct orphans *o, const struct tx_view *tx,
			 const struct hash256 *txid, struct rand *rand);
/* The next that p is to try again, which is then no longer ready; or NULL. */
struct orphan *orphans_ready(struct orphan_peer *p);
/* Drop one; false when it is not there. */
bool orphans_drop(struct orphans *o, const struct hash256 *wtxid);
/* Drop what the block holds or contradicts. */
void orphans_block(struct orphans *o, const struct block_view *b);
void orphans_peer_gone(struct orphans *o, struct orphan_peer *p);
/* Children of a transaction that p announced, the newest first and those that
 * are ready before others. Gives up to max. */
size_t orphans_children(const struct orphan_peer *p, const struct hash256 *txid,
			struct orphan **out, size_t max);
/* Walk the announcers of t: peers' ids; false at the end. *at from NULL. */
bool orphans_announcer(const struct orphan *t, const struct orphan_ann **at,
		       uint64_t *id);

#endif
