/*
 * Allocations that succeed or end the process, for small and bounded sizes.
 * Any thread. Not for sizes that a peer, a file or a client states: those go
 * through buf_new and arena_alloc, which may fail.
 */
#include <cairn/base/mem.h>

#include <cairn/base/log.h>
#include <cairn/base/must.h>

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ARR_FIRST 8

static void *or_abort(void *p, size_t n)
{
	if (p || n == 0)
		return p;
	log_error(0, "out of memory bytes=%zu", n);
	abort();
}

void *xmalloc(size_t n)
{
	return or_abort(malloc(n ? n : 1), n);
}

void *xcalloc(size_t n, size_t size)
{
	bool some = n && size;

	return or_abort(calloc(some ? n : 1, some ? size : 1), n);
}

void *xrealloc(void *p, size_t n)
{
	return or_abort(realloc(p, n ? n : 1), n ? n : 1);
}

char *xstrdup(const char *s)
{
	size_t n = strlen(s) + 1;

	return memcpy(xmalloc(n), s, n);
}

char *xasprintf(const char *fmt, ...)
{
	char *s = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0)
		or_abort(NULL, strlen(fmt) + 1);
	return s;
}

void *pages_new(size_t n)
{
	void *p;

	if (n == 0)
		return NULL;
	p = mmap(NULL, n, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

void pages_free(void *p, size_t n)
{
	if (p)
		must(munmap(p, n) == 0);
}

void arr_grow(void *p, size_t *cap, size_t need, size_t size)
{
	size_t c = *cap ? *cap : ARR_FIRST;
	void *mem;

	if (need <= *cap)
		return;
	must(size > 0 && need <= SIZE_MAX / 2 / size);
	while (c < need)
		c *= 2;
	/* *p is a pointer of the caller's type: moved as bytes. */
	memcpy(&mem, p, sizeof mem);
	mem = xrealloc(mem, c * size);
	memcpy(p, &mem, sizeof mem);
	*cap = c;
}
