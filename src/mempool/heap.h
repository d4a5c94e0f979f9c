/*
 * A binary heap of pointers that know their place, so that any of them can
 * leave. One thread.
 */
#ifndef CAIRN_SRC_MEMPOOL_HEAP_H
#define CAIRN_SRC_MEMPOOL_HEAP_H

#include <stdbool.h>
#include <stddef.h>

struct heap_kind {
	bool (*before)(const void *a, const void *b); /* a total order */
	void (*moved)(void *item, size_t at);
	size_t (*place)(const void *item); /* what moved was told last */
};

struct heap {
	const struct heap_kind *kind;
	void **v; /* n; v[0] is before all others */
	size_t n, cap;
};

void heap_init(struct heap *h, const struct heap_kind *kind);
void heap_fini(struct heap *h);
void heap_put(struct heap *h, void *item);
void heap_del(struct heap *h, const void *item);
/* Bytes of memory. */
size_t heap_memory(const struct heap *h);

/* The first, or NULL. */
static inline void *heap_top(const struct heap *h)
{
	return h->n ? h->v[0] : NULL;
}

#endif
