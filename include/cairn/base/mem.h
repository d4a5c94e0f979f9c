/*
 * Small, bounded allocations that never fail: out of memory logs and aborts.
 * Sizes that come from input go through buf_new or arena_alloc instead.
 */
#ifndef CAIRN_BASE_MEM_H
#define CAIRN_BASE_MEM_H

#include <cairn/base/attr.h>
#include <stddef.h>

void *xmalloc(size_t n) must_check;
void *xcalloc(size_t n, size_t size) must_check;
void *xrealloc(void *p, size_t n) must_check;
char *xstrdup(const char *s) must_check;
/* A fresh formatted string; the caller frees it. */
char *xasprintf(const char *fmt, ...) must_check printf_like(1, 2);

/* n bytes of zeros in pages of their own, which take memory as they are
 * touched; for tables whose size a setting states. NULL for none, and when the
 * system has no room for so many addresses. */
void *pages_new(size_t n) must_check;
/* n as it was. NULL is fine. */
void pages_free(void *p, size_t n);

/* The struct of type whose member p points to. */
#define owner_of(p, type, member)                                              \
	((type *)(void *)((char *)(p)-offsetof(type, member)))

/* Grow *p (elements of size bytes, *cap of them) so that need fit; doubles. */
void arr_grow(void *p, size_t *cap, size_t need, size_t size);

#endif
