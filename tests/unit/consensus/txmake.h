/*
 * Transactions written field by field, so that tests can say what is wrong with
 * them. The bytes are a plain encoding made here, not the codec's.
 */
#ifndef CAIRN_TESTS_UNIT_CONSENSUS_TXMAKE_H
#define CAIRN_TESTS_UNIT_CONSENSUS_TXMAKE_H

#include <cairn/wire/tx.h>

#define TXMAKE_MAX 2000000

struct txmake {
	uint8_t *bytes; /* TXMAKE_MAX of room */
	size_t n;
};

/* The same storage serves one transaction after another. */
void txmake_init(struct txmake *t);
void txmake_fini(struct txmake *t);

/* Version and the number of inputs; then inputs, the number of outputs,
 * outputs, lock time. Counts below 253 take one byte. */
void txmake_begin(struct txmake *t, int32_t version, uint32_t n_in);
/* id fills the txid's first 4 bytes; the rest is zero. */
void txmake_in(struct txmake *t, uint32_t id, uint32_t index,
	       struct slice script, uint32_t sequence);
void txmake_outs(struct txmake *t, uint32_t n_out);
void txmake_out(struct txmake *t, int64_t value, struct slice script);
/* Writes the lock time and parses: v borrows t. */
void txmake_end(struct txmake *t, struct tx_view *v, uint32_t lock_time);

#endif
