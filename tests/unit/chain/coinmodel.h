/*
 * A plain model of chains of blocks over a small set of outpoints, to compare
 * the coins cache with: every block carries the whole map as it is after it.
 */
#ifndef TESTS_UNIT_CHAIN_COINMODEL_H
#define TESTS_UNIT_CHAIN_COINMODEL_H

#include <cairn/base/rand.h>
#include <cairn/chain/coins.h>

#define MODEL_OUTPOINTS 120
#define MODEL_OPS       12
#define MODEL_SCRIPT    300

/* A coin is named by its seed; 0 is none. */
struct model_op {
	int k; /* outpoint */
	uint32_t before, after;
};

struct model_block {
	int parent; /* -1: nothing below */
	int32_t height;
	int n_ops;
	struct model_op ops[MODEL_OPS];
	uint32_t map[MODEL_OUTPOINTS]; /* after it */
};

/* Block 0 is the empty beginning, height -1. The walk goes from block to child
 * or parent. */
struct model {
	struct model_block *blocks;
	int n, cap;
	int *walk;
	int n_walk;
};

/* A walk of steps moves, the same for the same seed. */
void model_init(struct model *m, uint64_t seed, int steps);
void model_fini(struct model *m);

void model_outpoint(uint8_t op[36], int k);
/* The coin of a seed; script has MODEL_SCRIPT bytes. */
struct coin model_coin(uint32_t seed, uint8_t *script);
/* Fails the test unless c is the coin of the seed. */
void model_same(const struct coin *c, uint32_t seed);

/* Block as marker and back. */
struct coin_marker model_marker(const struct model *m, int block);
int model_block_of(const struct coin_marker *at);

/* Bring v from one block to a neighbour with add and spend, comparing what it
 * gives out. No boundary. */
void model_move(const struct model *m, struct coinview *v, int from, int to);
/* As a node recovers: disconnect and connect with force, boundaries between. */
void model_replay(const struct model *m, struct coinview *v, int from, int to);
/* Every outpoint, by get. */
void model_check(const struct model *m, struct coinview *v, int block);
/* The whole database, after a flush at block. */
void model_check_disk(const struct model *m, struct coinview *v, int block);

#endif
