/*
 * The outcome of a rule: valid, invalid with Bitcoin Core's reason, or could
 * not tell (a resource failed). Only invalid punishes a peer.
 */
#ifndef CAIRN_CONSENSUS_VERDICT_H
#define CAIRN_CONSENSUS_VERDICT_H

#include <stdbool.h>

enum verdict_kind { V_VALID, V_INVALID, V_UNKNOWN };

/* What kind of invalid, as net processing must treat it (Core's
 * BlockValidationResult). */
enum invalid_reason {
	INV_NONE,
	INV_CONSENSUS,    /* a rule is broken: the header is marked failed */
	INV_HEADER,       /* proof of work or a rule of the header itself */
	INV_MUTATED,      /* the data do not match the header: not poisoned */
	INV_MISSING_PREV, /* the parent is not known */
	INV_PREV,         /* the parent is known to be invalid */
	INV_TIME_FUTURE,  /* over two hours ahead: may become valid */
	INV_CACHED,       /* was found invalid before */
	INV_LOW_WORK,     /* below the minimum chain work */
};

struct verdict {
	enum verdict_kind kind;
	enum invalid_reason reason;
	const char
	    *reject; /* "bad-txnmrklroot"; static storage; NULL if valid */
	const char *detail; /* a few words more, static storage, or NULL */
	int rc;             /* with V_UNKNOWN: why */
};

static inline struct verdict verdict_valid(void)
{
	return (struct verdict){.kind = V_VALID};
}

static inline struct verdict
verdict_invalid(enum invalid_reason r, const char *reject, const char *detail)
{
	return (struct verdict){V_INVALID, r, reject, detail, 0};
}

static inline struct verdict verdict_unknown(int rc)
{
	return (struct verdict){.kind = V_UNKNOWN, .rc = rc};
}

static inline bool verdict_ok(const struct verdict *v)
{
	return v->kind == V_VALID;
}

#endif
