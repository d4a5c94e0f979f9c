/*
 * Offering the transactions of a file to the pool, bit by bit: read on the pool
 * of short reads, judged on the chain thread between blocks.
 */
#ifndef CAIRN_NODE_POOL_IMPORT_H
#define CAIRN_NODE_POOL_IMPORT_H

#include <cairn/node/node.h>

struct pool_import_cfg {
	bool now;         /* as if they came now, not when the file says */
	bool deltas;      /* take over what was added to fees */
	bool unbroadcast; /* and which ones no peer has asked for */
};

/* On the loop: 0, E_STOPPING, or why the file could not be read to its end. */
typedef void (*pool_import_fn)(void *arg, int rc);

/* Begin; done is called once, never before this returns. Ends early when the
 * node stops. Any thread, while the node is not yet down to its chain. */
void pool_import(struct node *n, const char *path,
		 const struct pool_import_cfg *cfg, pool_import_fn done,
		 void *arg);

/* Start: read mempool.dat, unless that is not wanted. Loop. */
void pool_load_start(struct node *n);
/* Stop, when nothing else changes the pool: wait for what reads, write
 * mempool.dat, then done, on the loop. Loop. */
void pool_save(struct node *n, void (*done)(struct node *n));
/* Path of mempool.dat; the caller frees. */
char *pool_path(const struct node *n) must_check;
/* 1 or 2: the form in which it is written. */
unsigned pool_form(const struct node *n);

#endif
