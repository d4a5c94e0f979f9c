/*
 * Signing transactions with keys that are given: P2PK, P2PKH, multisig, these
 * in P2SH, P2WSH or P2SH-P2WSH, P2WPKH, also in P2SH, and taproot's key path,
 * where the key is the output key or makes it without scripts (BIP 86). What is
 * signed already is kept, partial multisigs are completed. As Bitcoin Core's
 * signrawtransactionwithkey, without Miniscript. One thread per signer.
 */
#ifndef CAIRN_ADDRESS_SIGN_H
#define CAIRN_ADDRESS_SIGN_H

#include <cairn/base/attr.h>
#include <cairn/script/interp.h>

struct buf;
struct privkey;

/* Keys and scripts to sign with. */
struct signer;
struct signer *signer_new(void) must_check;
/* Wipes the keys. NULL is fine. */
void signer_free(struct signer *s);
/* Both are copied; what is there already is passed over. */
void signer_add_key(struct signer *s, const struct privkey *key);
/* A script that the hash in P2SH or P2WSH may be of. */
void signer_add_script(struct signer *s, struct slice script);

/* Have sign_tx ask between two inputs whether to give up: each may take as long
 * as hashing the whole transaction. */
void signer_set_stop(struct signer *s, bool (*stop)(const void *arg),
		     const void *arg);

/* What became of an input. */
struct sign_result {
	bool known;          /* the output that it spends */
	bool complete;       /* it verifies under the rules of relay */
	bool witness;        /* it has one */
	enum script_err err; /* why it does not verify */
};

/* Sign what can be signed of a transaction that has inputs; give is the whole,
 * serialised, results say what became of its n_in inputs. spent: what the
 * inputs spend, in their order; a script at NULL means not known, and such an
 * input is left as it is. type: SIGHASH_DEFAULT (taproot's, else ALL) or one
 * that BIP 341 defines. Of several (n) forms of one transaction, which must
 * differ in scripts and witnesses only, the signatures are put together. 0,
 * E_NOMEM or E_STOPPING. */
int sign_tx(struct signer *s, struct buf **give, struct sign_result *results,
	    const struct tx_view *tx, size_t n, const struct txout_view *spent,
	    uint8_t type) must_check;

/* "DEFAULT", "ALL", "NONE", "SINGLE", the latter three with "|ANYONECANPAY". */
bool sighash_parse(uint8_t *type, const char *name) must_check;

#endif
