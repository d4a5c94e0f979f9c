/*
 * Counts allocations: the linker sends every malloc, calloc and realloc of the
 * program through here (--wrap). What shared libraries allocate inside is not
 * seen. Counts from any thread while a count runs.
 */
#include "bench.h"

#include <stdatomic.h>

/* Names that --wrap prescribes. */
void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);

static atomic_bool counting;
static _Atomic uint64_t calls, bytes;

static void count(size_t n)
{
	if (!atomic_load_explicit(&counting, memory_order_relaxed))
		return;
	atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&bytes, n, memory_order_relaxed);
}

void *__wrap_malloc(size_t n)
{
	count(n);
	return __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	count(n * size);
	return __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
	count(n);
	return __real_realloc(p, n);
}

void bench_allocs_start(void)
{
	atomic_store(&calls, 0);
	atomic_store(&bytes, 0);
	atomic_store(&counting, true);
}

struct bench_allocs bench_allocs_stop(void)
{
	atomic_store(&counting, false);
	return (struct bench_allocs){atomic_load(&calls), atomic_load(&bytes)};
}
