/* Walks over everything that a view gives, with what must hold on the way. */
#ifndef CAIRN_TESTS_UNIT_WIRE_WALK_H
#define CAIRN_TESTS_UNIT_WIRE_WALK_H

#include <cairn/wire/block.h>

/* What a walk met. */
struct walk {
	uint64_t inputs, outputs, items, bytes, witness_txs;
};

/* Visit every field of a parsed transaction. The parts must lie one behind the
 * other without a gap: in that the walk and the validating pass check each
 * other. Fails the running test where they do not. */
void walk_tx(struct walk *w, const struct tx_view *v);
void walk_block(struct walk *w, const struct block_view *v);

/* Parse and walk; false when refused. */
bool walk_tx_body(struct slice body);
bool walk_block_body(struct slice body);

#endif
