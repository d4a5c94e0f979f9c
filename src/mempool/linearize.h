/*
 * The order in which the transactions of one cluster are best mined, and its
 * fee-rate diagram. Pure, on numbers alone.
 */
#ifndef CAIRN_SRC_MEMPOOL_LINEARIZE_H
#define CAIRN_SRC_MEMPOOL_LINEARIZE_H

#include <cairn/base/attr.h>
#include <stdbool.h>
#include <stdint.h>

#define LIN_MAX 64u

struct lin_tx {
	int64_t fee;      /* satoshi, with what was added; may be below 0 */
	int64_t size;     /* weight, counting sigops; above 0 */
	uint64_t parents; /* bit i: spends an output of the i-th */
};

/* Neighbours in the order that are mined together. */
struct lin_chunk {
	int64_t fee, size;
	uint32_t n; /* transactions */
};

/* Above 0 when a pays more a byte; exact. */
int lin_rate_cmp(int64_t fee_a, int64_t size_a, int64_t fee_b, int64_t size_b);

/* Order n (1..LIN_MAX) transactions so that parents come first and what pays
 * best comes early. order[k]: index of the k-th. Gives the number of chunks,
 * whose rates do not rise, and whether it is known that no order has a better
 * diagram. Deterministic. */
uint32_t linearize(uint8_t order[LIN_MAX], struct lin_chunk chunks[LIN_MAX],
		   const struct lin_tx *tx, uint32_t n, bool *optimal);

/* Two diagrams, each of chunks whose rates do not rise: is a at no size below b
 * and somewhere above? */
bool lin_diagram_better(const struct lin_chunk *a, uint32_t n_a,
			const struct lin_chunk *b, uint32_t n_b);

#endif
