/*
 * The outcome of a rule: valid, invalid with Bitcoin Core's reason, or could
 * not tell (a resource failed). Only invalid punishes a peer. A value: texts
 * are inside, so that it may be kept and cross threads; being large, it is made
 * once a block or header and not once an input.
 */
#ifndef CAIRN_CONSENSUS_VERDICT_H
#define CAIRN_CONSENSUS_VERDICT_H

#include <cairn/base/attr.h>
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

/* Room for the longest of Core's texts with its NUL: a failed script, and four
 * hashes of two related transactions. What is longer is cut. */
#define VERDICT_REJECT 128
#define VERDICT_DETAIL 336

struct verdict {
	enum verdict_kind kind;
	enum invalid_reason reason;
	int rc;                      /* with V_UNKNOWN: why */
	char reject[VERDICT_REJECT]; /* "bad-txnmrklroot"; "" if valid */
	char detail[VERDICT_DETAIL]; /* Core's debug message, or "" */
};

/* Made for each transaction and header: what lies behind the ends of its texts
 * is left as it is, since clearing it would take longer than many a rule. */
static inline struct verdict verdict_valid(void)
{
	struct verdict v;

	v.kind = V_VALID;
	v.reason = INV_NONE;
	v.rc = 0;
	v.reject[0] = v.detail[0] = '\0';
	return v;
}

/* Copies both; detail may be NULL. */
struct verdict verdict_invalid(enum invalid_reason r, const char *reject,
			       const char *detail);
/* The same with a detail that is put together. */
struct verdict verdict_invalidf(enum invalid_reason r, const char *reject,
				const char *fmt, ...) printf_like(3, 4);
/* Append to the detail. */
void verdict_add(struct verdict *v, const char *fmt, ...) printf_like(2, 3);

static inline struct verdict verdict_unknown(int rc)
{
	return (struct verdict){.kind = V_UNKNOWN, .rc = rc};
}

static inline bool verdict_ok(const struct verdict *v)
{
	return v->kind == V_VALID;
}

/* The reason with its detail, as Core prints it: "reject, detail". Returns
 * dst. */
#define VERDICT_TEXT (VERDICT_REJECT + VERDICT_DETAIL + 2)
char *verdict_fmt(char dst[VERDICT_TEXT], const struct verdict *v);

#endif
