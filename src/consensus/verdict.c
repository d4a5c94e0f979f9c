/*
 * Verdicts with words: putting their texts together, within the bounds that the
 * value has for them. Any thread. Judges nothing.
 */
#include <cairn/consensus/verdict.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct verdict verdict_invalid(enum invalid_reason r, const char *reject,
			       const char *detail)
{
	return verdict_invalidf(r, reject, "%s", detail ? detail : "");
}

struct verdict verdict_invalidf(enum invalid_reason r, const char *reject,
				const char *fmt, ...)
{
	struct verdict v = {.kind = V_INVALID, .reason = r};
	va_list ap;

	snprintf(v.reject, sizeof v.reject, "%s", reject);
	va_start(ap, fmt);
	vsnprintf(v.detail, sizeof v.detail, fmt, ap);
	va_end(ap);
	return v;
}

void verdict_add(struct verdict *v, const char *fmt, ...)
{
	size_t n = strlen(v->detail);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(v->detail + n, sizeof v->detail - n, fmt, ap);
	va_end(ap);
}

char *verdict_fmt(char dst[VERDICT_TEXT], const struct verdict *v)
{
	snprintf(dst, VERDICT_TEXT, "%s%s%s", v->reject,
		 v->detail[0] ? ", " : "", v->detail);
	return dst;
}
