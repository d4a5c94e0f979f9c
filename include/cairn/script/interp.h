/*
 * Verification of scripts: original, P2SH, segregated witness v0, taproot and
 * tapscript. Any thread; nothing is allocated, but a call takes about 80 KB of
 * the caller's stack. Nothing is kept between calls.
 */
#ifndef CAIRN_SCRIPT_INTERP_H
#define CAIRN_SCRIPT_INTERP_H

#include <cairn/script/flags.h>
#include <cairn/script/op.h>
#include <cairn/script/sighash.h>

/* Why a script fails; names are Bitcoin Core's. */
enum script_err {
	SCRIPT_ERR_OK,
	SCRIPT_ERR_UNKNOWN_ERROR,
	SCRIPT_ERR_EVAL_FALSE,
	SCRIPT_ERR_OP_RETURN,
	SCRIPT_ERR_SCRIPTNUM,
	SCRIPT_ERR_SCRIPT_SIZE,
	SCRIPT_ERR_PUSH_SIZE,
	SCRIPT_ERR_OP_COUNT,
	SCRIPT_ERR_STACK_SIZE,
	SCRIPT_ERR_SIG_COUNT,
	SCRIPT_ERR_PUBKEY_COUNT,
	SCRIPT_ERR_VERIFY,
	SCRIPT_ERR_EQUALVERIFY,
	SCRIPT_ERR_CHECKMULTISIGVERIFY,
	SCRIPT_ERR_CHECKSIGVERIFY,
	SCRIPT_ERR_NUMEQUALVERIFY,
	SCRIPT_ERR_BAD_OPCODE,
	SCRIPT_ERR_DISABLED_OPCODE,
	SCRIPT_ERR_INVALID_STACK_OPERATION,
	SCRIPT_ERR_INVALID_ALTSTACK_OPERATION,
	SCRIPT_ERR_UNBALANCED_CONDITIONAL,
	SCRIPT_ERR_NEGATIVE_LOCKTIME,
	SCRIPT_ERR_UNSATISFIED_LOCKTIME,
	SCRIPT_ERR_SIG_HASHTYPE,
	SCRIPT_ERR_SIG_DER,
	SCRIPT_ERR_MINIMALDATA,
	SCRIPT_ERR_SIG_PUSHONLY,
	SCRIPT_ERR_SIG_HIGH_S,
	SCRIPT_ERR_SIG_NULLDUMMY,
	SCRIPT_ERR_PUBKEYTYPE,
	SCRIPT_ERR_CLEANSTACK,
	SCRIPT_ERR_MINIMALIF,
	SCRIPT_ERR_SIG_NULLFAIL,
	SCRIPT_ERR_DISCOURAGE_UPGRADABLE_NOPS,
	SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM,
	SCRIPT_ERR_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION,
	SCRIPT_ERR_DISCOURAGE_OP_SUCCESS,
	SCRIPT_ERR_DISCOURAGE_UPGRADABLE_PUBKEYTYPE,
	SCRIPT_ERR_WITNESS_PROGRAM_WRONG_LENGTH,
	SCRIPT_ERR_WITNESS_PROGRAM_WITNESS_EMPTY,
	SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH,
	SCRIPT_ERR_WITNESS_MALLEATED,
	SCRIPT_ERR_WITNESS_MALLEATED_P2SH,
	SCRIPT_ERR_WITNESS_UNEXPECTED,
	SCRIPT_ERR_WITNESS_PUBKEYTYPE,
	SCRIPT_ERR_SCHNORR_SIG_SIZE,
	SCRIPT_ERR_SCHNORR_SIG_HASHTYPE,
	SCRIPT_ERR_SCHNORR_SIG,
	SCRIPT_ERR_TAPROOT_WRONG_CONTROL_SIZE,
	SCRIPT_ERR_TAPSCRIPT_VALIDATION_WEIGHT,
	SCRIPT_ERR_TAPSCRIPT_CHECKMULTISIG,
	SCRIPT_ERR_TAPSCRIPT_MINIMALIF,
	SCRIPT_ERR_TAPSCRIPT_EMPTY_PUBKEY,
	SCRIPT_ERR_OP_CODESEPARATOR,
	SCRIPT_ERR_SIG_FINDANDDELETE,
	SCRIPT_ERR_COUNT
};

/* The name without its prefix, as Bitcoin Core's vectors spell it ("OK",
 * "EVAL_FALSE", "NULLFAIL"). Static storage. */
const char *script_err_name(enum script_err e);
/* What Bitcoin Core says of it, as in reject reasons. Static storage. */
const char *script_err_text(enum script_err e);

/*
 * The seam behind which signatures and taproot's tweaked keys are checked: a
 * cache, or a batch. What is given is read during the call only.
 *
 * An ECDSA answer decides how the script goes on and must be true. What schnorr
 * and tweak refuse ends the script, so these may say yes and find out later.
 * Who does so notes in->tx and in->index, and once it knows fails the first
 * input that either a script failed in or a late answer belongs to: in that
 * input the first wrong late answer counts, with SCRIPT_ERR_SCHNORR_SIG or
 * SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH, before what the script found after it.
 * The outcome is then the same as with answers at once.
 */
struct sig_verifier {
	bool (*ecdsa)(void *arg, struct slice der, struct slice key,
		      const uint8_t hash[32]);
	bool (*schnorr)(void *arg, const struct script_input *in,
			const uint8_t sig[64], const uint8_t key[32],
			const uint8_t hash[32]);
	/* output = internal + tweak * G, its y odd or even (BIP 341). */
	bool (*tweak)(void *arg, const struct script_input *in,
		      const uint8_t output[32], bool odd,
		      const uint8_t internal[32], const uint8_t tweak[32]);
	void *arg;
	bool late; /* schnorr or tweak may say yes and find out later */
};

struct key_hints;
/* libsecp256k1 at once. Borrows h, which may be NULL. */
void sig_verifier_library(struct sig_verifier *v, struct key_hints *h);

/* Answers what a script asks about its transaction. For one input and one
 * thread; remembers hashes that several signatures of the input share. */
struct sig_checker {
	struct script_input *in; /* NULL: no transaction, nothing verifies */
	const struct sig_verifier *verifier;
	/* Private: states before the hash type, by what the type covers. */
	struct sig_memo {
		const uint8_t *code; /* NULL: nothing is kept */
		size_t n;
		struct sha256 state;
	} memo[6];
};
/* Borrows in and verifier; NULL: the library at once, without hints. */
void sig_checker_init(struct sig_checker *c, struct script_input *in,
		      const struct sig_verifier *verifier);

/* Run script_sig, then script_pubkey, and what P2SH and witness programs ask
 * for. witness is the input's stack as txwit_next gives it. flags must satisfy
 * script_flags_ok. err may be NULL; it is SCRIPT_ERR_OK when valid. Borrows. */
bool script_verify(enum script_err *err, struct slice script_sig,
		   struct slice script_pubkey, struct tx_iter witness,
		   unsigned flags, struct sig_checker *checker);

/* The same for the input that a walk stands at. */
bool script_verify_input(enum script_err *err, struct script_input *in,
			 unsigned flags, const struct sig_verifier *verifier);

/* Run script_sig alone, for no transaction and under no flags, and give what it
 * leaves on top: what P2SH takes for the redeem script. top lies in room; its p
 * is NULL where nothing is left, or script_sig fails. */
enum script_err script_run_sig(struct slice *top,
			       uint8_t room[SCRIPT_ELEMENT_MAX],
			       struct slice script_sig);

/* Inputs first to first + n - 1 of a transaction, in order; stops at the first
 * that fails and tells which and why. Any thread may take any part of a
 * transaction. flags as above; verifier may be NULL. */
struct script_failure {
	uint32_t input;
	enum script_err err;
};
bool script_verify_inputs(struct script_failure *f, const struct tx_sighash *tx,
			  uint32_t first, uint32_t n, unsigned flags,
			  const struct sig_verifier *verifier);

#endif
