/*
 * What the network tables share: notation for 256-bit numbers and the names of
 * the rows. Inside src/params only.
 */
#ifndef CAIRN_PARAMS_TABLES_H
#define CAIRN_PARAMS_TABLES_H

#include <cairn/params/params.h>

#define BYTE(v, i) ((uint8_t)((uint64_t)(v) >> (8 * (i))))
#define WORD_LE(v)                                                             \
	BYTE(v, 0), BYTE(v, 1), BYTE(v, 2), BYTE(v, 3), BYTE(v, 4),            \
	    BYTE(v, 5), BYTE(v, 6), BYTE(v, 7)
#define WORD_BE(v)                                                             \
	BYTE(v, 7), BYTE(v, 6), BYTE(v, 5), BYTE(v, 4), BYTE(v, 3),            \
	    BYTE(v, 2), BYTE(v, 1), BYTE(v, 0)

/* A hash in four words as people read it, first word first; stored in wire
 * order. */
#define HASH(a, b, c, d)                                                       \
	{                                                                      \
		{                                                              \
			WORD_LE(d), WORD_LE(c), WORD_LE(b), WORD_LE(a)         \
		}                                                              \
	}
/* A 256-bit number in four words, most significant first. */
#define NUMBER(a, b, c, d)                                                     \
	{                                                                      \
		WORD_BE(a), WORD_BE(b), WORD_BE(c), WORD_BE(d)                 \
	}

#define TWO_WEEKS_S (14 * 24 * 60 * 60)
#define ONE_DAY_S   (24 * 60 * 60)

/* The dummy deployment: how it starts, and its threshold and period. */
#define TESTDUMMY(start, thr, blocks)                                          \
	{                                                                      \
		.bit = 28, .start_s = (start), .timeout_s = VB_NO_TIMEOUT,     \
		.period = (blocks), .threshold = (thr)                         \
	}

/* Genesis blocks; each array has one byte more, the NUL of its literal. */
#define GENESIS_2009_SIZE 285
#define GENESIS_2024_SIZE 261
extern const uint8_t genesis_main[GENESIS_2009_SIZE + 1];
extern const uint8_t genesis_test[GENESIS_2009_SIZE + 1];
extern const uint8_t genesis_testnet4[GENESIS_2024_SIZE + 1];
extern const uint8_t genesis_signet[GENESIS_2009_SIZE + 1];
extern const uint8_t genesis_regtest[GENESIS_2009_SIZE + 1];

/* Indexed by chain_id. */
extern const struct chain_names chain_name_rows[CHAIN_COUNT];

extern const struct params params_main, params_test, params_testnet4,
    params_signet, params_regtest;

#endif
