/*
 * Which peer announced which transaction, and whom to ask for it: one at a
 * time, preferred peers first, each after its delay, the next when one does not
 * answer (Bitcoin Core's TxRequestTracker). Bounded by what the caller lets
 * each peer announce. Loop only; times are microseconds of the mockable clock.
 */
#ifndef CAIRN_SYNC_TXREQUEST_H
#define CAIRN_SYNC_TXREQUEST_H

#include <cairn/base/hmap.h>

struct txr_ann;

/* A peer, kept by the caller; all zero but for id at first. */
struct txr_peer {
	uint64_t id;
	struct txr_ann *first; /* all that it announced */
	struct txr_ann *best;  /* those that it may be asked for now */
	size_t total, in_flight;
};

struct txrequest {
	struct hmap txs;
	struct txr_ann **heap; /* those that wait for a time, soonest first */
	size_t n_heap, cap_heap;
	uint64_t sequence, key[2];
};

struct txr_want {
	struct hash256 hash;
	bool wtxid;
};

void txrequest_init(struct txrequest *r);
/* After all peers are gone. */
void txrequest_fini(struct txrequest *r);
/* p announced it and may be asked from at_us on. Once for a peer and hash. */
void txrequest_announced(struct txrequest *r, struct txr_peer *p,
			 const struct hash256 *hash, bool wtxid, bool preferred,
			 int64_t at_us);
/* Let time pass: delays end, and who was asked and did not answer has lost its
 * turn. True when somebody may be asked now who could not before. */
bool txrequest_advance(struct txrequest *r, int64_t now_us);
/* What p is to be asked for, in the order announced. Gives an array of n, or
 * NULL with none; free() it. */
size_t txrequest_due(const struct txr_peer *p, struct txr_want **give);
/* p was asked; it has until expiry_us. */
void txrequest_asked(struct txrequest *r, struct txr_peer *p,
		     const struct hash256 *hash, int64_t expiry_us);
/* p has answered, with it or with notfound. */
void txrequest_answered(struct txrequest *r, struct txr_peer *p,
			const struct hash256 *hash);
/* No longer of interest, from anybody. */
void txrequest_forget(struct txrequest *r, const struct hash256 *hash);
void txrequest_peer_gone(struct txrequest *r, struct txr_peer *p);
/* Up to max peers' ids that could still be asked for it, or have been. */
size_t txrequest_candidates(const struct txrequest *r,
			    const struct hash256 *hash, uint64_t *ids,
			    size_t max);

#endif
