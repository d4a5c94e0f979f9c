/*
 * What rows of connected blocks work on: a regtest chain in a scratch folder
 * with a loop of its own, and the block of Bitcoin Core's ConnectBlock rows,
 * which is a chain of 1,000 transactions, each spending the 5 outputs of the
 * one before. Five keys sign, as there.
 */
#ifndef CAIRN_TESTS_BENCH_CONNECT_H
#define CAIRN_TESTS_BENCH_CONNECT_H

#include <cairn/base/clock.h>
#include <cairn/base/thread.h>
#include <cairn/chain/chain.h>

/* A chain; tasks that it posts are run while something is waited for. */
struct lab {
	struct chain_cfg cfg; /* as lab_open found it, completed */
	struct chain *c;
	struct clock clock;
	struct queue tasks;
	char *dir, *blocks_dir;
	bool up, down, answered, failed;
};
/* cfg: what differs from the defaults. False: nothing is left behind. */
bool lab_open(struct lab *l, const struct chain_cfg *cfg);
void lab_close(struct lab *l);
/* Run on the chain thread and wait. */
void lab_run(struct lab *l, task_fn fn, void *arg);
/* A mined block on the tip that pays to script, with transactions. */
struct buf *lab_make(struct lab *l, struct slice script, struct buf *const *txs,
		     size_t n);
/* Hand a block over and wait; false unless it is connected. */
bool lab_connect(struct lab *l, struct buf *block);

#define SPEND_TXS 1000u
#define SPEND_INS 5u

/* One signature with what it signs and who, for who wants to verify it without
 * a script. */
struct signature {
	uint8_t hash[32], key[33];
	uint8_t sig[72]; /* DER without its type; or 64 bytes of Schnorr */
	uint8_t n;
	bool schnorr;
};
struct spends {
	struct buf *txs[SPEND_TXS];
	struct signature sigs[SPEND_TXS * SPEND_INS];
};
/* Spend output 0 of a transaction, which anyone may, into five outputs that the
 * spends take up: *first. schnorr of the five are P2TR, the others P2WPKH. */
struct spends *spends_new(struct buf **first, const uint8_t txid[32],
			  int64_t value, unsigned schnorr);
void spends_free(struct spends *s);

#endif
