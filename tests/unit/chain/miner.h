/*
 * Headers with real proof of work on a network of the tests' own, where a
 * header takes some 500 hashes and periods of eight headers retarget, so that
 * work varies. Eight seconds between headers keep the difficulty.
 */
#ifndef CAIRN_TESTS_UNIT_CHAIN_MINER_H
#define CAIRN_TESTS_UNIT_CHAIN_MINER_H

#include <cairn/chain/htree.h>
#include <cairn/params/params.h>

#define MINER_SPACING 8

/* The network: every rule active from the start, short periods of pre-sync. */
struct params miner_params(void);

/* Find a nonce for h; writes the 80 bytes and their hash. */
void mine(uint8_t out[80], struct hash256 *hash, struct header *h,
	  const struct params *p);
/* The child of prev, spacing seconds later, with the bits that the rules ask.
 * salt makes siblings differ. */
void mine_child(uint8_t out[80], struct hash256 *hash, const struct hnode *prev,
		uint32_t spacing, uint32_t salt, const struct params *p);

/* A chain of n headers behind from, each accepted into t. */
struct mined {
	uint8_t (*headers)[80];
	struct hash256 *hashes;
	size_t n;
};
void mine_chain(struct mined *m, struct htree *t, const struct hnode *from,
		size_t n, uint32_t spacing, uint32_t salt);
void mined_fini(struct mined *m);

#endif
