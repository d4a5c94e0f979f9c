/*
 * Chains of blocks that the tests write themselves, byte by byte, on any block
 * of their own: no node judges them while they are made, so they may be as
 * wrong as wanted. Regtest. From height 101 on a block spends outputs of the
 * coinbase a hundred below it.
 */
#ifndef CAIRN_TESTS_UNIT_CHAIN_LINE_H
#define CAIRN_TESTS_UNIT_CHAIN_LINE_H

#include <cairn/base/buf.h>
#include <cairn/base/bytes.h>
#include <cairn/params/params.h>

#define LINE_OUTPUTS 16 /* that a coinbase has, to be spent one by one */
#define LINE_MAX     512

struct line {
	const struct params *params;
	unsigned salt; /* makes branches differ */
	int32_t height;
	uint32_t time;
	struct buf *block[LINE_MAX];       /* by height; genesis has none */
	struct hash256 hash[LINE_MAX];     /* of the block */
	struct hash256 coinbase[LINE_MAX]; /* its txid */
};

/* What the next block is to have. */
struct line_block {
	unsigned spends; /* up to LINE_OUTPUTS */
	size_t pad;      /* bytes more */
	bool slow;       /* scripts take a tenth of a millisecond each */
	/* Two spends may fail, by an opcode in their input; 0: they do not. */
	unsigned bad[2];
	uint8_t bad_op[2];
	bool greedy; /* the coinbase takes more than it may */
};

void line_init(struct line *l, const struct params *p);
void line_fini(struct line *l);
/* Another one that shares all blocks up to height. */
void line_fork(struct line *branch, const struct line *l, int32_t height,
	       unsigned salt);
void line_add(struct line *l, const struct line_block *b);
/* n blocks alike. */
void line_grow(struct line *l, const struct line_block *b, int32_t n);
struct slice line_at(const struct line *l, int32_t height);

#endif
