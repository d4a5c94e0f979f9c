/*
 * The coins cache from inside. Four generations, looked up in this order:
 * active (changed since the last freeze), frozen (being written by the flusher,
 * then being moved into young), young and old (as on disk). An outpoint is in
 * at most one of young and old, and in neither when active holds it.
 */
#ifndef CAIRN_CHAIN_COINVIEW_INT_H
#define CAIRN_CHAIN_COINVIEW_INT_H

#include <cairn/chain/coins.h>
#include <pthread.h>

struct gen;
struct kv;

struct coinview {
	/* Chain thread. */
	struct kv *kv;
	struct coinview_cfg cfg;
	uint64_t salt[4];
	uint32_t mix; /* of the generation made last */
	struct gen *active, *young, *old;
	struct gen *frozen; /* NULL: none; the flusher reads it too while
			       flushing */
	size_t move_at;     /* where moving frozen into young goes on */
	size_t moved_of;    /* active's entries when it last went on */
	bool flushing;
	bool wanted; /* next boundary freezes */
	uint32_t active_blocks, frozen_blocks;
	struct coin_marker disk, frozen_at;
	bool recovering; /* the database is a mix of from..to */
	struct coin_marker rec_to;
	uint64_t epoch; /* generations dropped after their flush */
	uint64_t stalls, flushes;
	int rc;        /* first failure of a flush */
	uint8_t *held; /* value that the last coin given out lies in */
	uint8_t scratch[COIN_SCRATCH];
	coinview_sync_fn sync;
	void *sync_arg;
	/* Shared, under mu. */
	pthread_t thread;
	pthread_mutex_t mu;
	pthread_cond_t cond;
	bool job, done, quit;
	int job_rc;
	bool stop; /* atomic */
};

/* Where an outpoint stands in the cache; NULL when no generation holds it. */
uint8_t *coinview_find(const struct coinview *v, uint32_t hash,
		       const uint8_t *outpoint);
uint32_t coinview_hash(const struct coinview *v, const uint8_t *outpoint);
void coinview_key(uint8_t key[COIN_KEY], const uint8_t *outpoint);
/* Read from the database; the value is checked to be a coin. */
int coinview_read(struct kv *kv, uint8_t **give, size_t *n,
		  const uint8_t *outpoint) must_check;
/* Keep a value read from the database (not in any generation). */
int coinview_keep(struct coinview *v, uint32_t hash, const uint8_t *outpoint,
		  struct slice value) must_check;

/* Start and end the flusher. */
void flusher_start(struct coinview *v);
void flusher_stop(struct coinview *v);
/* Hand frozen over. */
void flusher_submit(struct coinview *v);
/* True when the flusher is through with frozen; *rc is then its result. Waits
 * for that if asked to. */
bool flusher_done(struct coinview *v, int *rc, bool wait);

/* Keys of the two markers and their values. */
#define MARKER_KEY      "M" /* the block on disk: hash, le32 height */
#define UNFINISHED_KEY  "F" /* from and to of a flush under way */
#define MARKER_SIZE     36
#define UNFINISHED_SIZE (2 * MARKER_SIZE)
uint8_t *marker_put(uint8_t *p, const struct coin_marker *m);

#endif
