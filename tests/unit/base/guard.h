/*
 * Bytes that end at a page nobody may touch: a reader that goes one byte too
 * far dies there instead of reading its neighbour.
 */
#ifndef TESTS_UNIT_BASE_GUARD_H
#define TESTS_UNIT_BASE_GUARD_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct guard {
	uint8_t *map;
	size_t map_n;
	uint8_t *end; /* first byte of the forbidden page */
};

/* Room for at most cap bytes. */
static inline void guard_init(struct guard *g, size_t cap)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t room = (cap + page - 1) / page * page;

	g->map_n = room + page;
	g->map = mmap(NULL, g->map_n, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (g->map == MAP_FAILED)
		abort();
	g->end = g->map + room;
	if (mprotect(g->end, page, PROT_NONE) != 0)
		abort();
}

static inline void guard_fini(struct guard *g)
{
	munmap(g->map, g->map_n);
}

/* Place n bytes against the forbidden page; valid until the next put. */
static inline const uint8_t *guard_put(struct guard *g, const void *p, size_t n)
{
	if (n)
		memcpy(g->end - n, p, n);
	return g->end - n;
}

#endif
