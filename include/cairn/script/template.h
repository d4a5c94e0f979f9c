/*
 * What an output script is, by its form; scripts as text; sigop counts. Nothing
 * is executed here. Pure.
 */
#ifndef CAIRN_SCRIPT_TEMPLATE_H
#define CAIRN_SCRIPT_TEMPLATE_H

#include <cairn/base/bytes.h>
#include <cairn/script/op.h>

struct text;

enum script_type {
	SCRIPT_NONSTANDARD,           /* "nonstandard" */
	SCRIPT_ANCHOR,                /* "anchor" */
	SCRIPT_PUBKEY,                /* "pubkey" */
	SCRIPT_PUBKEYHASH,            /* "pubkeyhash" */
	SCRIPT_SCRIPTHASH,            /* "scripthash" */
	SCRIPT_MULTISIG,              /* "multisig" */
	SCRIPT_NULLDATA,              /* "nulldata" */
	SCRIPT_WITNESS_V0_KEYHASH,    /* "witness_v0_keyhash" */
	SCRIPT_WITNESS_V0_SCRIPTHASH, /* "witness_v0_scripthash" */
	SCRIPT_WITNESS_V1_TAPROOT,    /* "witness_v1_taproot" */
	SCRIPT_WITNESS_UNKNOWN,       /* "witness_unknown" */
};

struct script_info {
	enum script_type type;
	/* Borrowed from the script: the hash, key or witness program; for
	 * nulldata all behind OP_RETURN; empty for multisig and nonstandard. */
	struct slice data;
	uint8_t version;        /* of witness programs */
	uint8_t required, keys; /* of multisig: 1..20 each; walk for the keys */
};

/* Classify a scriptPubKey as Core's Solver does. Borrows. */
void script_classify(struct script_info *i, struct slice script);
/* The name that RPCs give a type. Static storage. */
const char *script_type_name(enum script_type t);

/* Core's asm: numbers up to 4 bytes in decimal, other pushes in hex, [error] at
 * a bad push; with sighash_decode, signatures get [ALL] and the like appended.
 */
void script_asm(struct text *out, struct slice script, bool sighash_decode);

/* A walk over operations; borrows the script. */
struct script_iter {
	const uint8_t *p, *end;
	bool bad;
};
void script_iter_init(struct script_iter *it, struct slice script);
/* The next opcode (script/op.h) and the data that it pushes, empty when it is
 * no push. False at the end and at a push that is cut off; the latter sets bad.
 */
bool script_next(struct script_iter *it, uint8_t *op, struct slice *data);

/* Sigops by the inaccurate legacy count, or the accurate one of P2SH. */
uint32_t script_sigops(struct slice script, bool accurate);
/* Provably unspendable: starts with OP_RETURN or is over 10,000 bytes. */
bool script_is_unspendable(struct slice script);
/* Nothing but pushes (OP_RESERVED counts as one) that are whole. */
bool script_is_push_only(struct slice script);
/* Pays to the hash of a script (BIP 16). */
static inline bool script_is_p2sh(struct slice s)
{
	return s.n == 23 && s.p[0] == OP_HASH160 && s.p[1] == 20 &&
	       s.p[22] == OP_EQUAL;
}
/* A witness program: version and program bytes. */
bool script_is_witness(struct slice script, uint8_t *version,
		       struct slice *program);

/* Write a push of n bytes as Core's CScript does; returns the byte after. Room:
 * n + 5. */
uint8_t *script_put_push(uint8_t *p, struct slice data);
/* Write a number push (OP_0, OP_1NEGATE, OP_1..16 or minimal bytes). Room: 10.
 */
uint8_t *script_put_num(uint8_t *p, int64_t v);

#endif
