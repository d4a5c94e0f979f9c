/*
 * What this folder's tests of verification share: transactions with the outputs
 * that they spend, made, read, changed and verified. One thread.
 */
#ifndef TESTS_UNIT_SCRIPT_FIXTURE_H
#define TESTS_UNIT_SCRIPT_FIXTURE_H

#include <cairn/script/interp.h>
#include <cairn/script/op.h>

struct tj;

/* A list of byte strings, each in its own memory. */
struct items {
	struct slice *at;
	size_t n, cap;
};
void items_add(struct items *l, const uint8_t *p, size_t n);
void items_add_hex(struct items *l, const char *hex);
/* From an array of hex strings. */
void items_add_json(struct items *l, const struct tj *array);
void items_fini(struct items *l);

/* A transaction and what it spends. */
struct fix {
	uint8_t *raw;
	struct tx_view tx;
	struct txout_view *spent; /* scripts are owned */
	struct tx_sighash shared;
};
/* Take raw; the outputs spent are set one by one and then fix_ready called. */
void fix_init(struct fix *f, uint8_t *raw, size_t n);
void fix_init_hex(struct fix *f, const char *hex);
void fix_spent(struct fix *f, uint32_t i, int64_t value, struct slice script);
/* The same from a serialised output. */
void fix_spent_hex(struct fix *f, uint32_t i, const char *hex);
void fix_ready(struct fix *f);
/* A transaction of a case of key path spending in BIP 341's wallet vectors;
 * ready. */
void fix_wallet(struct fix *f, const struct tj *spending, const char *hex);
void fix_fini(struct fix *f);
/* A copy with another input script and witness at one input. */
void fix_change(struct fix *to, const struct fix *from, uint32_t input,
		struct slice script_sig, const struct items *witness);
/* One input and one output as Bitcoin Core's script vectors have it: spends an
 * output of value with script_pubkey of a transaction made for it. */
void fix_credit(struct fix *f, struct slice script_sig,
		struct slice script_pubkey, const struct items *witness,
		int64_t value);

/* The control block and output key of a tree whose only leaf is a script, below
 * the key of the secret 1. */
void fix_leaf(uint8_t control[33], uint8_t output[32], uint8_t version,
	      struct slice script);
/* Spends a script by P2WSH or as the only leaf of a tree: the stack's items
 * lie below it. */
void fix_p2wsh(struct fix *f, struct slice script, const struct items *stack);
void fix_tapscript(struct fix *f, struct slice script,
		   const struct items *stack);

/* Verify one input, reached by walking. */
enum script_err fix_verify(const struct fix *f, uint32_t input, unsigned flags);
void fix_input(struct script_input *in, const struct fix *f, uint32_t input);
/* A set of flags with what it needs added, or with what lacks it removed. */
unsigned flags_fill(unsigned flags);
unsigned flags_trim(unsigned flags);

#endif
