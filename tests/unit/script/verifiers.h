/*
 * Verifiers for tests: one that counts what it is asked, and one that collects
 * what may be answered late and verifies it at the end, as a batch would.
 */
#ifndef TESTS_UNIT_SCRIPT_VERIFIERS_H
#define TESTS_UNIT_SCRIPT_VERIFIERS_H

#include "fixture.h"

/* The library, counted. One thread. */
struct counter {
	struct sig_verifier v;
	struct sig_verifier library;
	size_t asked, wrong;
};
void counter_init(struct counter *c);

/* One question whose answer is due. */
struct due {
	const struct tx_sighash *tx;
	uint32_t input;
	bool is_tweak, odd;
	uint8_t sig[64], key[32], hash[32]; /* or output, internal, tweak */
};
struct batch {
	struct sig_verifier v;
	struct due *due;
	size_t n, cap;
};
void batch_init(struct batch *b);
void batch_fini(struct batch *b);
/* What script_verify_inputs does, with late answers; forgets them then. */
bool batch_verify_inputs(struct batch *b, struct script_failure *f,
			 const struct tx_sighash *tx, uint32_t first,
			 uint32_t n, unsigned flags);

/* Verify one input at once, in a batch, and twice through a cache: demands that
 * the error is the same each time, and that what was right is not asked of the
 * library again. */
enum script_err verify_all_ways(const struct fix *f, uint32_t input,
				unsigned flags);

#endif
