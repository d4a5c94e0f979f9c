/*
 * The heap in which the pool keeps its clusters by what they pay and its
 * entries by age: log n for each change; its array shrinks as it empties. Owns
 * nothing that it holds. Chain thread.
 */
#include "heap.h"

#include <cairn/base/mem.h>
#include <cairn/base/must.h>

#include <stdlib.h>

#define CAP_FIRST 16u

void heap_init(struct heap *h, const struct heap_kind *kind)
{
	*h = (struct heap){.kind = kind};
}

void heap_fini(struct heap *h)
{
	free(h->v);
	*h = (struct heap){.kind = h->kind};
}

static void set(struct heap *h, size_t i, void *item)
{
	h->v[i] = item;
	h->kind->moved(item, i);
}

/* Put item where it belongs, at i or nearer to the top. */
static void sift_up(struct heap *h, size_t i, void *item)
{
	while (i > 0 && h->kind->before(item, h->v[(i - 1) / 2])) {
		set(h, i, h->v[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	set(h, i, item);
}

/* The same away from the top. */
static void sift_down(struct heap *h, size_t i, void *item)
{
	size_t k;

	for (; (k = 2 * i + 1) < h->n; i = k) {
		if (k + 1 < h->n && h->kind->before(h->v[k + 1], h->v[k]))
			k++;
		if (!h->kind->before(h->v[k], item))
			break;
		set(h, i, h->v[k]);
	}
	set(h, i, item);
}

void heap_put(struct heap *h, void *item)
{
	if (h->n == h->cap) {
		h->cap = h->cap ? h->cap * 2 : CAP_FIRST;
		h->v = xrealloc(h->v, h->cap * sizeof *h->v);
	}
	sift_up(h, h->n++, item);
}

static void shrink(struct heap *h)
{
	if (h->n == 0) {
		heap_fini(h);
	} else if (h->cap > CAP_FIRST && h->n < h->cap / 4) {
		h->cap /= 2;
		h->v = xrealloc(h->v, h->cap * sizeof *h->v);
	}
}

void heap_del(struct heap *h, const void *item)
{
	size_t i = h->kind->place(item);
	void *last;

	must(i < h->n && h->v[i] == item);
	last = h->v[--h->n];
	if (i < h->n) {
		if (i > 0 && h->kind->before(last, h->v[(i - 1) / 2]))
			sift_up(h, i, last);
		else
			sift_down(h, i, last);
	}
	shrink(h);
}

size_t heap_memory(const struct heap *h)
{
	return h->cap * sizeof *h->v;
}
