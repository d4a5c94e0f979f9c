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
	uint64_t tie;     /* of what is alike in all else the lower is first */
};

/* Neighbours in the order that are mined together. */
struct lin_chunk {
	int64_t fee, size;
	uint32_t n; /* transactions */
};

static inline uint64_t lin_bit(uint32_t i)
{
	return UINT64_C(1) << i;
}
static inline uint32_t lin_first(uint64_t set)
{
	return (uint32_t)__builtin_ctzll(set);
}

/* Above 0 when a pays more a byte; exact. */
int lin_rate_cmp(int64_t fee_a, int64_t size_a, int64_t fee_b, int64_t size_b);

/* Steps that are spent on the best order of one cluster. An order that cannot
 * be found within them is a good one. */
#define LIN_STEPS 50000u
struct lin_info {
	uint32_t n_chunks;
	uint32_t steps; /* spent */
	bool optimal;   /* no order has a better diagram, nor smaller chunks */
};
/* Order n (1..LIN_MAX) transactions so that parents come first and what pays
 * best comes early. order[k]: index of the k-th. The rates of chunks do not
 * rise. Deterministic. */
struct lin_info linearize(uint8_t order[LIN_MAX],
			  struct lin_chunk chunks[LIN_MAX],
			  const struct lin_tx *tx, uint32_t n);
/* The same in the best order; false when it takes more than *steps, from which
 * those spent are taken. */
bool lin_optimal(uint8_t order[LIN_MAX], struct lin_chunk chunks[LIN_MAX],
		 uint32_t *n_chunks, const struct lin_tx *tx, uint32_t n,
		 uint32_t *steps);
/* The same in an order that is found fast: the best where each has one parent
 * at most, or each one child. Gives the number of chunks. */
uint32_t lin_fast(uint8_t order[LIN_MAX], struct lin_chunk chunks[LIN_MAX],
		  const struct lin_tx *tx, uint32_t n);

/* Two diagrams, each of chunks whose rates do not rise: is a at no size below b
 * and somewhere above? */
bool lin_diagram_better(const struct lin_chunk *a, uint32_t n_a,
			const struct lin_chunk *b, uint32_t n_b);

#endif
