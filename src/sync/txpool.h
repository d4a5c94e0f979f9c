/*
 * What the pool of unconfirmed transactions holds, as the chain's events tell:
 * the loop's own copy, so that peers are served without asking the chain
 * thread. Bounded as the pool is. Loop only.
 */
#ifndef CAIRN_SYNC_TXPOOL_H
#define CAIRN_SYNC_TXPOOL_H

#include <cairn/base/hmap.h>
#include <cairn/chain/chain.h>

/* One transaction of the pool. */
struct ptx {
	struct hash256 txid, wtxid;
	struct buf *buf;
	struct tx_view view;
	int64_t fee, vsize; /* satoshi, virtual bytes */
	uint64_t sequence;  /* of the change by which it came */
	uint64_t batch;     /* the sort in which it waits for its place */
	uint32_t checksum;  /* of a v1 frame, once it was sent */
	bool has_checksum;
	bool unbroadcast; /* ours, and no peer has asked for it yet */
};

struct txpool {
	struct hmap by_txid, by_wtxid;
	uint64_t sequence; /* of the next change */
	uint64_t batch;
};

void txpool_init(struct txpool *p);
void txpool_fini(struct txpool *p);
/* Follow TX_ADDED and TX_REMOVED. Gives what came, else NULL. */
struct ptx *txpool_follow(struct txpool *p, const struct chain_event *e);

static inline struct ptx *txpool_txid(const struct txpool *p,
				      const struct hash256 *txid)
{
	return hmap_get(&p->by_txid, txid);
}

static inline struct ptx *txpool_wtxid(const struct txpool *p,
				       const struct hash256 *wtxid)
{
	return hmap_get(&p->by_wtxid, wtxid);
}

/* Of n wtxids those in the pool, once each: parents before children, else high
 * fee rates first. out has room for n; gives how many. */
size_t txpool_sort(struct txpool *p, struct ptx **out,
		   const struct hash256 *wtxids, size_t n);

#endif
