/*
 * must: a programming error stops the process, in every build. dmust: the same
 * for costly invariants, compiled in with CAIRN_DEBUG only. Neither may look at
 * anything a peer, file, configuration or client controls.
 */
#ifndef CAIRN_BASE_MUST_H
#define CAIRN_BASE_MUST_H

#include <cairn/base/attr.h>

/* Log the broken claim with its place and abort. Any thread. */
void must_fail(const char *claim, const char *file, int line) noreturn_fn;

#define must(x) ((x) ? (void)0 : must_fail(#x, __FILE__, __LINE__))
#ifdef CAIRN_DEBUG
#define dmust(x) must(x)
#else
#define dmust(x) ((void)0)
#endif

#endif
