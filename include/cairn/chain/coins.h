/*
 * Unspent outputs: their codec, and the cache over the database. The chain
 * thread alone reads and writes the cache; the flusher writes frozen
 * generations out.
 */
#ifndef CAIRN_CHAIN_COINS_H
#define CAIRN_CHAIN_COINS_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>
#include <cairn/consensus/coin.h>

struct kv;

/* Longest script of a coin: longer ones cannot be spent. */
#define COIN_SCRIPT_MAX 10000u
/* No encoded coin is longer. */
#define COIN_MAX (COIN_SCRIPT_MAX + 16u)

/* Compressed form, as undo records and the database hold it: varint of 2 *
 * height
 * + coinbase, then amount and script compressed as Core compresses a TxOut, but
 * that scripts with a key of 65 bytes stay whole (expanding one takes a square
 * root). */
size_t coin_size(const struct coin *c);
/* Write coin_size(c) bytes at p; returns the byte after. */
uint8_t *coin_put(uint8_t *p, const struct coin *c);
/* Decode at p..end; scratch (at least COIN_SCRATCH bytes) holds a script that
 * has to be expanded, any other points into p. Returns the byte after, NULL
 * when malformed. */
#define COIN_SCRATCH 80
const uint8_t *coin_get(struct coin *c, uint8_t *scratch, const uint8_t *p,
			const uint8_t *end);

/* Database key: 'C', txid, be32 index: 37 bytes in the order of
 * gettxoutsetinfo. */
#define COIN_KEY 37

/* Open or make the coins database in folder dir, with the share of dbcache
 * bytes that is the database's own. Gives it. What kv_open returns. */
int coins_db_open(struct kv **give, const char *dir, size_t dbcache) must_check;

struct coinview;

struct coinview_cfg {
	size_t budget;          /* bytes for all generations together */
	uint32_t max_unflushed; /* blocks; bounds the replay after a kill */
	size_t batch; /* bytes that the flusher writes at once; 0: 2 MiB */
};

/* The block that a state of the coins belongs to. */
struct coin_marker {
	struct hash256 hash;
	int32_t height; /* -1: nothing connected yet */
};

/* An unfinished flush found at start: the database holds a mix of the states
 * between from and to. The caller replays with coinview_force, from the blocks
 * and undo data: disconnects from..fork, connects fork..to, and calls
 * coinview_boundary at each block it has dealt with; with to's the database is
 * whole again. Until then nothing else may be relied on. */
struct coin_recovery {
	bool needed;
	struct coin_marker from, to;
};

/* Open over kv (borrowed until coinview_close). Gives the view, the marker on
 * disk, and what has to be recovered. E_CORRUPT, E_IO. */
int coinview_open(struct coinview **give, struct coin_marker *at,
		  struct coin_recovery *rec, struct kv *kv,
		  const struct coinview_cfg *cfg) must_check;
/* Commits the running batch, leaves the rest, frees. NULL is fine. */
void coinview_close(struct coinview *v);

/* Chain thread, unless stated. A coin given out is borrowed until the next call
 * on the view, whichever it is. E_NOMEM when a generation cannot grow. */

/* 0 with *out; E_NOTFOUND when spent or never there; E_IO, E_CORRUPT. */
int coinview_get(struct coinview *v, struct coin *out,
		 const uint8_t *outpoint) must_check;
/* Remove an existing coin; out gets what it was, for undo. Returns as get. */
int coinview_spend(struct coinview *v, struct coin *out,
		   const uint8_t *outpoint) must_check;
/* Add a coin. fresh_ok: the caller knows that no level can hold this outpoint
 * unspent (a new transaction, not BIP30's two, not one restored by undo).
 * Scripts that are unspendable must not be given. c may be one that the view
 * gave out. */
int coinview_add(struct coinview *v, const uint8_t *outpoint,
		 const struct coin *c, bool fresh_ok) must_check;
/* Delete whether it is there or not; add whether it is there or not: replay. */
int coinview_force(struct coinview *v, const uint8_t *outpoint,
		   const struct coin *c_or_null) must_check;

/* Read these outpoints (36 bytes each) from the database into the cache ahead
 * of use, and bring what is there near the processor; any number. What is not
 * found is no failure. E_IO, E_CORRUPT. */
int coinview_prefetch(struct coinview *v, const uint8_t *const *outpoints,
		      size_t n) must_check;

/* Ask the processor for the memory where a new outpoint (borrowed) will go. For
 * coins that are added a little later; waits for nothing, changes nothing. */
void coinview_touch(const struct coinview *v, const uint8_t *outpoint);

/* Prefetching in parts, so that other threads do the reading. New and add on
 * the chain thread; read on any one thread, while the view goes on; merge on
 * the chain thread again. What changed in between is never overwritten. */
struct coin_prefetch;
struct coin_prefetch *coin_prefetch_new(struct coinview *v) must_check;
/* List an outpoint (copied), unless the cache holds it. */
void coin_prefetch_add(struct coin_prefetch *p, const uint8_t *outpoint);
size_t coin_prefetch_len(const struct coin_prefetch *p);
/* Stops at the first failure, which merge returns. */
void coin_prefetch_read(struct coin_prefetch *p);
/* Takes p, read or not. 0, or the failure of reading. */
int coin_prefetch_merge(struct coinview *v,
			struct coin_prefetch *take) must_check;

/* Called on the flusher before the first batch of a flush: brings index and
 * block data of everything up to the boundary to disk; 0 or the failure. Set
 * before the first boundary. */
typedef int (*coinview_sync_fn)(void *arg);
void coinview_set_sync(struct coinview *v, coinview_sync_fn fn, void *arg);
/* A block boundary: at is the published block. Freezes and starts a background
 * flush when the budget or max_unflushed says so; waits for the one before when
 * the bound on both together is reached (counted as a stall). With NULL the
 * coins are ahead of the published block: neither freezes nor waits. 0, or the
 * failure of an earlier flush, which is never retried; E_STOPPING after an
 * interrupt. */
int coinview_boundary(struct coinview *v,
		      const struct coin_marker *at) must_check;
/* The bounds ask for a boundary at a published block, with `ahead` blocks that
 * the coins are in front of it. */
bool coinview_due(const struct coinview *v, uint32_t ahead);
/* Let the next boundary start a flush whatever is unflushed (after a time). */
void coinview_want_flush(struct coinview *v);
/* Flush everything and wait. Returns as boundary. */
int coinview_flush(struct coinview *v, const struct coin_marker *at) must_check;
/* Abort the background flush after its running batch, and any wait for it; no
 * flush begins afterwards. Any thread. */
void coinview_interrupt(struct coinview *v);

/* Coins in memory and their bytes; blocks not yet on disk; stalls counted. */
struct coinview_stats {
	size_t coins; /* unspent, in memory */
	size_t bytes; /* of all generations */
	uint32_t unflushed;
	uint64_t stalls, flushes;
};
void coinview_stats(const struct coinview *v, struct coinview_stats *s);

/* A snapshot of the database; flush before for exactness. Any thread reads it
 * by the iterator, in key order; one thread at a time. Closed before the view.
 */
struct coin_snapshot;
int coin_snapshot_open(struct coin_snapshot **give,
		       struct coinview *v) must_check;
void coin_snapshot_close(struct coin_snapshot *s);
/* Next coin: outpoint (36 bytes) and coin, borrowed until the next call. 1, 0
 * at the end, or a failure (E_CORRUPT, E_IO). */
int coin_snapshot_next(struct coin_snapshot *s, uint8_t outpoint[36],
		       struct coin *c) must_check;
/* Rough bytes on disk. */
uint64_t coin_snapshot_disk_size(struct coin_snapshot *s);

#endif
