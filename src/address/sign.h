/*
 * Inside of address: a transaction while it is signed, one input at a time.
 */
#ifndef CAIRN_ADDRESS_SIGN_INTERNAL_H
#define CAIRN_ADDRESS_SIGN_INTERNAL_H

#include <cairn/address/sign.h>
#include <cairn/base/arena.h>
#include <cairn/base/hmap.h>
#include <cairn/crypto/secret.h>
#include <cairn/script/op.h>
#include <cairn/script/template.h>

#define SIG_MAX   73                         /* bytes, with the type */
#define SIGS_MAX  (SCRIPT_MULTISIG_KEYS + 1) /* of one form of an input */
#define ITEMS_MAX (SCRIPT_MULTISIG_KEYS + 2) /* of a stack that is made */

struct sign_key {
	struct sign_key *next;
	struct hash256 id; /* hash of the public key, zeros behind */
	uint8_t secret[32];
	uint8_t pub[65];
	size_t n; /* 33 or 65 */
};

/* An output key that a key can sign for. */
struct sign_tap {
	struct sign_tap *next;
	struct hash256 output; /* x-only */
	const struct sign_key *key;
	bool tweaked; /* by the hash of the key alone (BIP 86) */
};

struct sign_script {
	struct sign_script *next;
	struct hash256 id; /* its HASH160, zeros behind */
	struct slice bytes;
};

struct signer {
	struct secret_ctx *ctx;
	struct sign_key *keys;
	struct sign_tap *taps;
	struct sign_script *scripts;
	struct hmap by_id, by_output, by_hash; /* of the three */
	bool (*stop)(const void *arg);         /* or NULL */
	const void *stop_arg;
};

const struct sign_key *signer_key(const struct signer *s, const uint8_t id[20]);
const struct sign_tap *signer_tap(const struct signer *s,
				  const uint8_t output[32]);
/* Empty when there is none. */
struct slice signer_script(const struct signer *s, const uint8_t hash[20]);

/* Items of a stack, the lowest first. */
struct sign_stack {
	struct slice item[ITEMS_MAX];
	size_t n;
};

/* A signature that is there, by the key that made it. */
struct sign_sig {
	uint8_t id[20];
	struct slice pub, sig;
};

/* One input. */
struct sign_input {
	const struct signer *s;
	struct arena *mem;
	bool out_of_memory;
	struct script_input *in;
	uint8_t type;
	bool can_tap; /* every output spent is known, as taproot needs */
	bool combine; /* several forms: what is in none complete is made anew */
	/* Found in the input as it was. */
	struct slice redeem, inner; /* scripts in P2SH and P2WSH */
	struct sign_sig sigs[2 * SIGS_MAX];
	size_t n_sigs, of_form; /* those from of_form on are of the last form */
	/* What it will hold: script, and items of the witness as they are
	 * serialised. */
	struct slice script_sig;
	struct slice items[ITEMS_MAX];
	struct slice *witness; /* items, or the original ones */
	uint32_t n_witness;
	struct sign_result *result;
};

/* Memory of the transaction. NULL when out of memory, which the job then ends
 * with: others need not tell. */
void *sign_alloc(struct sign_input *w, size_t n);
struct slice sign_copy(struct sign_input *w, struct slice b);

/* Whether scripts verify under the rules of relay. v: NULL for the library. */
bool sign_verify(struct sign_input *w, enum script_err *err,
		 struct slice script_sig, const struct slice *witness,
		 uint32_t n, const struct sig_verifier *v);

/* Take what one form of the transaction holds for the input: all of it where it
 * verifies, else scripts and signatures. True: complete. */
bool sign_extract(struct sign_input *w, struct slice script_sig,
		  struct tx_iter witness);

/* Make scripts and signatures, and see whether they verify. */
void sign_produce(struct sign_input *w);

#endif
