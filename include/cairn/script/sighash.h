/*
 * What a signature signs: the hashes of a transaction's parts for the original
 * scheme, segregated witness v0 (BIP 143) and taproot (BIP 341, 342).
 *
 * What all inputs share is hashed once (struct tx_sighash) and then only read,
 * by any number of threads. A walk (struct script_input) stands at one input
 * and belongs to one thread.
 */
#ifndef CAIRN_SCRIPT_SIGHASH_H
#define CAIRN_SCRIPT_SIGHASH_H

#include <cairn/crypto/sha256.h>
#include <cairn/wire/tx.h>

enum sighash_type {
	SIGHASH_DEFAULT = 0, /* taproot: as ALL, without a type byte */
	SIGHASH_ALL = 1,
	SIGHASH_NONE = 2,
	SIGHASH_SINGLE = 3,
	SIGHASH_ANYONECANPAY = 0x80,
};

/* Shared by all inputs of one transaction. Borrows tx and spent. */
struct tx_sighash {
	const struct tx_view *tx;
	const struct txout_view *spent; /* the tx->n_in outputs it spends */
	struct slice outputs;           /* its outputs as serialised */
	bool v0, taproot;               /* which of these are filled */
	uint8_t prevouts[32], sequences[32], all_outputs[32]; /* SHA-256 */
	uint8_t amounts[32], scripts[32]; /* SHA-256, taproot only */
	uint8_t prevouts2[32], sequences2[32], outputs2[32]; /* double, v0 */
};

/* Hash what the inputs' forms can ask for; a transaction without witness costs
 * nothing. spent: value and script of each output spent, in input order. */
void tx_sighash_init(struct tx_sighash *s, const struct tx_view *tx,
		     const struct txout_view *spent);
/* The same with everything filled, for who is about to sign and has no
 * witnesses yet. */
void tx_sighash_init_all(struct tx_sighash *s, const struct tx_view *tx,
			 const struct txout_view *spent);

/*
 * One input in its transaction, reached by walking:
 *	script_inputs(&in, &shared);
 *	while (script_input_next(&in))
 */
struct script_input {
	const struct tx_sighash *tx;
	uint32_t index;
	struct txin_view in;
	struct tx_iter witness; /* this input's witness stack */
	const struct txout_view *spent;
	struct slice output; /* the output of the same index, or empty */
	/* Private: where the next ones are, and the original scheme's hash over
	 * inputs in front of this one, as far as it was needed: with their
	 * sequences, and without. */
	struct tx_iter ins, outs, wits;
	struct sighash_front {
		struct sha256 state;
		struct tx_iter ins; /* not hashed yet */
		uint32_t n;         /* hashed */
	} front[2];
	bool begun;
};
void script_inputs(struct script_input *in, const struct tx_sighash *tx);
/* Move to the first or next input; false behind the last. */
bool script_input_next(struct script_input *in);
/* Move to an input in or behind the present one; it must exist. */
void script_input_seek(struct script_input *in, uint32_t index);

/* The original scheme: code is the script from the last OP_CODESEPARATOR on
 * with signatures already taken out. type: only its low byte is judged, all 32
 * bits are hashed. */
void sighash_legacy(uint8_t out[32], struct script_input *in, struct slice code,
		    uint32_t type);
/* BIP 143. Needs tx->v0. */
void sighash_v0(uint8_t out[32], const struct script_input *in,
		struct slice code, uint32_t type);

/* What taproot signatures cover beyond the transaction. */
struct tap_context {
	bool has_annex, has_leaf, has_output;
	uint8_t annex[32];      /* SHA-256 of the annex behind its length */
	uint8_t leaf[32];       /* leaf hash; without: key path */
	uint32_t separator_pos; /* of the last OP_CODESEPARATOR executed */
	uint8_t output[32];     /* private: kept hash for SIGHASH_SINGLE */
};
#define TAP_NO_SEPARATOR UINT32_MAX
/* BIP 341, 342. Needs tx->taproot. False when the type is not defined, or
 * SIGHASH_SINGLE has no output. */
bool sighash_taproot(uint8_t out[32], const struct script_input *in,
		     struct tap_context *tap, uint8_t type);

#endif
