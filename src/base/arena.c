/*
 * The bump allocator: a list of chunks, each filled from its start. One thread.
 * A reset keeps chunks up to the limit, so that a steady job allocates nothing
 * and one odd job does not keep its memory for good. Frees nothing singly.
 */
#include <cairn/base/arena.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define ALIGN     16u
#define CHUNK_MIN 4096u
#define CHUNK_MAX (1024u * 1024u)

struct arena_chunk {
	struct arena_chunk *next;
	size_t cap;
	size_t n;
	/* Bytes start at the next multiple of ALIGN. */
};

#define HEAD ((sizeof(struct arena_chunk) + ALIGN - 1) / ALIGN * ALIGN)

static void chunks_free(struct arena_chunk *c)
{
	while (c) {
		struct arena_chunk *next = c->next;
		free(c);
		c = next;
	}
}

void arena_init(struct arena *a, size_t limit)
{
	a->first = NULL;
	a->cur = NULL;
	a->used = 0;
	a->limit = limit;
}

void arena_fini(struct arena *a)
{
	chunks_free(a->first);
	arena_init(a, a->limit);
}

/* A chunk for n bytes, twice as large as the one before within bounds. */
static struct arena_chunk *chunk_new(const struct arena_chunk *prev, size_t n)
{
	size_t cap = prev ? prev->cap : CHUNK_MIN / 2;
	struct arena_chunk *c;

	cap = cap >= CHUNK_MAX / 2 ? CHUNK_MAX : cap * 2;
	if (cap < n)
		cap = n;
	if (cap > PTRDIFF_MAX - HEAD)
		return NULL;
	c = malloc(HEAD + cap);
	if (!c)
		return NULL;
	c->next = NULL;
	c->cap = cap;
	c->n = 0;
	return c;
}

/* Make a->cur a chunk with n bytes free; false when out of memory. */
static bool chunk_find(struct arena *a, size_t n)
{
	struct arena_chunk *c = a->cur, *last = NULL;

	for (; c; last = c, c = c->next) {
		if (c->cap - c->n >= n) {
			a->cur = c;
			return true;
		}
	}
	c = chunk_new(last, n);
	if (!c)
		return false;
	if (last)
		last->next = c;
	else
		a->first = c;
	a->cur = c;
	return true;
}

void *arena_alloc(struct arena *a, size_t n)
{
	void *p;

	if (n > PTRDIFF_MAX)
		return NULL;
	n = n ? (n + ALIGN - 1) / ALIGN * ALIGN : ALIGN;
	if (n > a->limit - a->used)
		return NULL;
	if (!chunk_find(a, n))
		return NULL;
	p = (uint8_t *)a->cur + HEAD + a->cur->n;
	a->cur->n += n;
	a->used += n;
	return p;
}

void arena_reset(struct arena *a)
{
	struct arena_chunk *c;
	size_t kept = 0;

	for (c = a->first; c; c = c->next) {
		c->n = 0;
		kept += c->cap;
		if (kept > a->limit) {
			chunks_free(c->next);
			c->next = NULL;
		}
	}
	a->cur = a->first;
	a->used = 0;
}
