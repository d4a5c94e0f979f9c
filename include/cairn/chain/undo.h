/*
 * Undo records: the coins that a block spent, in block order (every input of
 * every transaction behind the coinbase). Form on disk: le32 count, le64
 * checksum, coins in their compressed form. Pure; one thread a writer or
 * reader.
 */
#ifndef CAIRN_CHAIN_UNDO_H
#define CAIRN_CHAIN_UNDO_H

#include <cairn/base/attr.h>
#include <cairn/chain/coins.h>

/* Grows while a block is connected: p..p+n is a whole record at any time, also
 * with no coin yet. */
struct undo_writer {
	uint8_t *p;
	size_t n, cap;
	uint32_t coins;
};
void undo_writer_init(struct undo_writer *w);
void undo_writer_fini(struct undo_writer *w);
/* Empty again for the next block; keeps the memory. */
void undo_writer_reset(struct undo_writer *w);
/* Append a spent coin. E_NOMEM. */
int undo_writer_add(struct undo_writer *w, const struct coin *c) must_check;

/* Iterates a record. */
struct undo_reader {
	const uint8_t *p, *end;
	uint32_t left; /* coins not yet read */
	uint8_t scratch[COIN_SCRATCH];
};
/* Check a record (borrowed) from end to end: false when the count cannot be,
 * the checksum differs, a coin is malformed or bytes follow. */
bool undo_reader_init(struct undo_reader *r, struct slice record);
/* The next spent coin, borrowed until the next call; false at the end or when
 * malformed (then *bad). */
bool undo_next(struct undo_reader *r, struct coin *c, bool *bad);

#endif
