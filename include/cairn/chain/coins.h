/*
 * Unspent outputs: their codec, and the cache over the database. The chain thread
 * alone reads and writes the cache; the flusher writes frozen generations out.
 */
#ifndef CAIRN_CHAIN_COINS_H
#define CAIRN_CHAIN_COINS_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>

struct kv;
struct text;

struct coin {
	int64_t value;	     /* satoshi */
	int32_t height;	     /* of the block that made it */
	bool coinbase;
	struct slice script; /* borrowed */
};

/* Compressed form, as undo records and the database hold it: Core's TxOut
 * compression of amount and script. */
size_t coin_size(const struct coin *c);
uint8_t *coin_put(uint8_t *p, const struct coin *c);
/* Decode at p..end; scratch (at least COIN_SCRATCH bytes) holds a script that has
 * to be expanded. Returns the byte after, NULL when malformed. */
#define COIN_SCRATCH 80
const uint8_t *coin_get(struct coin *c, uint8_t *scratch, const uint8_t *p,
			const uint8_t *end);

/* Database key: 'C', txid, be32 index: 37 bytes in the order of gettxoutsetinfo. */
#define COIN_KEY 37

struct coinview;

struct coinview_cfg {
	size_t budget;	       /* bytes for active and frozen together */
	uint32_t max_unflushed; /* blocks; bounds the replay after a kill */
};

/* The block that a state of the coins belongs to. */
struct coin_marker {
	struct hash256 hash;
	int32_t height; /* -1: nothing connected yet */
};

/* An unfinished flush found at start: the database holds a mix of both states;
 * the caller replays from the blocks and undo data, idempotently. */
struct coin_recovery {
	bool needed;
	struct coin_marker from, to;
};

/* Open over kv (borrowed). Gives the marker on disk and what has to be
 * recovered. */
int coinview_open(struct coinview **give, struct coin_marker *at,
		  struct coin_recovery *rec, struct kv *kv,
		  const struct coinview_cfg *cfg) must_check;
/* Commits the running batch, leaves the rest, frees. */
void coinview_close(struct coinview *v);

/* 0 with *out borrowed until the next call that changes the view; E_NOTFOUND when
 * spent or never there; E_IO, E_CORRUPT. */
int coinview_get(struct coinview *v, struct coin *out, const uint8_t *outpoint)
    must_check;
/* Remove an existing coin; out (borrowed as above) gets what it was, for undo. */
int coinview_spend(struct coinview *v, struct coin *out, const uint8_t *outpoint)
    must_check;
/* Add a coin. fresh_ok: the caller knows that no level can hold this outpoint
 * unspent (a new transaction, not BIP30's two, not one restored by undo). Scripts
 * that are unspendable must not be given. */
int coinview_add(struct coinview *v, const uint8_t *outpoint,
		 const struct coin *c, bool fresh_ok) must_check;
/* Delete whether it is there or not; add whether it is there or not: replay. */
int coinview_force(struct coinview *v, const uint8_t *outpoint,
		   const struct coin *c_or_null) must_check;

/* Read these outpoints (36 bytes each) from the database into the cache ahead of
 * use; may be called with any number. */
int coinview_prefetch(struct coinview *v, const uint8_t *const *outpoints,
		      size_t n) must_check;

/* A block boundary: at is the published block. Freezes and starts a background
 * flush when the budget or max_unflushed says so (before: index and block data of
 * everything up to at must be on disk: the callback does that on the flusher
 * thread and returns 0 or the failure). 0, or the failure of an earlier flush,
 * which is never retried. */
typedef int (*coinview_sync_fn)(void *arg);
void coinview_set_sync(struct coinview *v, coinview_sync_fn fn, void *arg);
int coinview_boundary(struct coinview *v, const struct coin_marker *at)
    must_check;
/* Flush everything and wait. */
int coinview_flush(struct coinview *v, const struct coin_marker *at) must_check;
/* Abort the background flush after its running batch (stop). */
void coinview_interrupt(struct coinview *v);

/* Coins in memory and their bytes; blocks not yet on disk; stalls counted. */
struct coinview_stats {
	size_t coins, bytes;
	uint32_t unflushed;
	uint64_t stalls, flushes;
};
void coinview_stats(const struct coinview *v, struct coinview_stats *s);

/* A snapshot of the database; flush before for exactness. Any thread reads it by
 * the iterator, in key order; one thread at a time. */
struct coin_snapshot;
int coin_snapshot_open(struct coin_snapshot **give, struct coinview *v)
    must_check;
void coin_snapshot_close(struct coin_snapshot *s);
/* Next coin: outpoint (36 bytes) and coin, borrowed until the next call. 1, 0 at
 * the end, or a failure. */
int coin_snapshot_next(struct coin_snapshot *s, uint8_t outpoint[36],
		       struct coin *c) must_check;
/* Rough bytes on disk. */
uint64_t coin_snapshot_disk_size(struct coin_snapshot *s);

#endif
