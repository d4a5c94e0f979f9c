/*
 * A chain of headers as plain as can be, read by the rules through a
 * chain_reader: one array, ancestors by index, no median kept.
 */
#ifndef CAIRN_TESTS_UNIT_CONSENSUS_MODEL_H
#define CAIRN_TESTS_UNIT_CONSENSUS_MODEL_H

#include <cairn/consensus/headers.h>
#include <cairn/consensus/verdict.h>

#include <check.h>

struct mnode {
	const struct mnode *prev;
	int32_t height;
	uint32_t time, bits;
	int32_t version;
};

extern const struct chain_reader model_reader;

/* Fill n nodes, each the child of the one before; the first stands at height
 * first and has no parent. Times step by spacing. */
void model_chain(struct mnode *m, size_t n, int32_t first, uint32_t time,
		 uint32_t spacing, uint32_t bits);

/* The verdict is invalid for reason and reject; the message names what. */
void assert_refused(const struct verdict *v, enum invalid_reason reason,
		    const char *reject, const char *what);
void assert_valid(const struct verdict *v, const char *what);

#endif
