/*
 * Which rules hold while a script is verified. Every flag forbids something: a
 * script that is valid under flags A and B is valid under A alone. Pure.
 */
#ifndef CAIRN_SCRIPT_FLAGS_H
#define CAIRN_SCRIPT_FLAGS_H

#include <cairn/base/attr.h>
#include <stdbool.h>

/* Bits and names are Bitcoin Core's. Those marked policy are never a rule of
 * blocks. */
enum script_flag {
	SCRIPT_VERIFY_P2SH = 1u << 0,        /* BIP 16 */
	SCRIPT_VERIFY_STRICTENC = 1u << 1,   /* policy: DER, hash types, keys */
	SCRIPT_VERIFY_DERSIG = 1u << 2,      /* BIP 66 */
	SCRIPT_VERIFY_LOW_S = 1u << 3,       /* policy: BIP 146 */
	SCRIPT_VERIFY_NULLDUMMY = 1u << 4,   /* BIP 147 */
	SCRIPT_VERIFY_SIGPUSHONLY = 1u << 5, /* policy */
	SCRIPT_VERIFY_MINIMALDATA = 1u << 6, /* policy: shortest pushes */
	SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_NOPS = 1u << 7, /* policy */
	SCRIPT_VERIFY_CLEANSTACK = 1u << 8, /* policy: one item is left */
	SCRIPT_VERIFY_CHECKLOCKTIMEVERIFY = 1u << 9,  /* BIP 65 */
	SCRIPT_VERIFY_CHECKSEQUENCEVERIFY = 1u << 10, /* BIP 112 */
	SCRIPT_VERIFY_WITNESS = 1u << 11,             /* BIP 141, 143 */
	SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM = 1u << 12,
	SCRIPT_VERIFY_MINIMALIF = 1u << 13, /* policy, for witness v0 */
	SCRIPT_VERIFY_NULLFAIL = 1u << 14,  /* policy: BIP 146 */
	SCRIPT_VERIFY_WITNESS_PUBKEYTYPE = 1u << 15, /* policy: compressed */
	/* Policy: no OP_CODESEPARATOR, nothing found by FindAndDelete, before
	 * segregated witness. */
	SCRIPT_VERIFY_CONST_SCRIPTCODE = 1u << 16,
	SCRIPT_VERIFY_TAPROOT = 1u << 17, /* BIP 341, 342 */
	SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION = 1u << 18,
	SCRIPT_VERIFY_DISCOURAGE_OP_SUCCESS = 1u << 19,
	SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_PUBKEYTYPE = 1u << 20,
};

#define SCRIPT_FLAG_BITS 21u
#define SCRIPT_FLAGS_ALL ((1u << SCRIPT_FLAG_BITS) - 1)
/* What a transaction must obey to be relayed: everything but SIGPUSHONLY, which
 * is asked of transactions of standard form (mempool/policy.h). */
#define SCRIPT_FLAGS_STANDARD                                                  \
	(SCRIPT_FLAGS_ALL & ~(unsigned)SCRIPT_VERIFY_SIGPUSHONLY)

/* Whether flags may be used together: WITNESS needs P2SH, and CLEANSTACK needs
 * both, as adding them later would otherwise make scripts valid. */
bool script_flags_ok(unsigned flags);

/* The name of a single flag ("P2SH"), without its prefix; NULL when it is none.
 * Static storage. */
const char *script_flag_name(unsigned flag);

/* Read names separated by commas ("P2SH,WITNESS"; "" and "NONE" are none).
 * False at a name that is not known. The combination is not judged. */
bool script_flags_parse(unsigned *flags, const char *text) must_check;

#endif
