/*
 * A bump allocator with a limit, for what lives as long as one job or message.
 * One thread. Chunks are kept over a reset, so a steady job allocates nothing.
 */
#ifndef CAIRN_BASE_ARENA_H
#define CAIRN_BASE_ARENA_H

#include <cairn/base/attr.h>
#include <stddef.h>

struct arena_chunk;

struct arena {
	struct arena_chunk *first;
	struct arena_chunk *cur;
	size_t used;  /* bytes handed out since the last reset */
	size_t limit; /* most that may be handed out */
};

/* Storage is the caller's; nothing is allocated yet. */
void arena_init(struct arena *a, size_t limit);
void arena_fini(struct arena *a);

/* n bytes aligned to 16, not cleared. NULL past the limit or out of memory. */
void *arena_alloc(struct arena *a, size_t n) must_check;

/* Forget everything handed out; keeps up to limit bytes for the next job. */
void arena_reset(struct arena *a);

#endif
