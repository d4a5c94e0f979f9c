/*
 * Undo records: the coins that a block spent, in block order (every input of every
 * transaction behind the coinbase). Form on disk: count, coins in their compressed
 * form; the record carries a checksum. Pure.
 */
#ifndef CAIRN_CHAIN_UNDO_H
#define CAIRN_CHAIN_UNDO_H

#include <cairn/base/attr.h>
#include <cairn/chain/coins.h>

/* Grows while a block is connected. */
struct undo_writer {
	uint8_t *p;
	size_t n, cap;
	uint32_t coins;
};
void undo_writer_init(struct undo_writer *w);
void undo_writer_fini(struct undo_writer *w);
int undo_writer_add(struct undo_writer *w, const struct coin *c) must_check;

/* Iterates a record. */
struct undo_reader {
	const uint8_t *p, *end;
	uint32_t left;
	uint8_t scratch[COIN_SCRATCH];
};
/* False when the count cannot be. */
bool undo_reader_init(struct undo_reader *r, struct slice record);
/* The next spent coin, borrowed until the next call; false at the end or when
 * malformed (then *bad). */
bool undo_next(struct undo_reader *r, struct coin *c, bool *bad);

#endif
