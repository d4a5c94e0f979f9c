/*
 * Refcounted buffers. The count is the only field that two threads may touch at
 * once; whoever drops it to zero frees. Does not cap sizes: the caller knows
 * which budget they belong to.
 */
#include <cairn/base/buf.h>

#include <cairn/base/err.h>
#include <cairn/base/must.h>

#include <stdlib.h>

struct buf *buf_new(size_t cap)
{
	struct buf *b;

	if (cap > PTRDIFF_MAX - BUF_HEADROOM)
		return NULL;
	b = malloc(sizeof *b);
	if (!b)
		return NULL;
	b->mem = malloc(BUF_HEADROOM + cap);
	if (!b->mem) {
		free(b);
		return NULL;
	}
	b->refs = 1;
	b->cap = cap;
	b->n = 0;
	return b;
}

int buf_reserve(struct buf *b, size_t cap)
{
	uint8_t *mem;

	must(__atomic_load_n(&b->refs, __ATOMIC_RELAXED) == 1);
	if (cap <= b->cap)
		return 0;
	if (cap > PTRDIFF_MAX - BUF_HEADROOM)
		return E_NOMEM;
	mem = realloc(b->mem, BUF_HEADROOM + cap);
	if (!mem)
		return E_NOMEM;
	b->mem = mem;
	b->cap = cap;
	return 0;
}

struct buf *buf_ref(struct buf *b)
{
	uint32_t was = __atomic_fetch_add(&b->refs, 1, __ATOMIC_RELAXED);

	must(was > 0 && was < UINT32_MAX);
	return b;
}

void buf_unref(struct buf *b)
{
	uint32_t was;

	if (!b)
		return;
	was = __atomic_fetch_sub(&b->refs, 1, __ATOMIC_ACQ_REL);
	must(was > 0);
	if (was > 1)
		return;
	free(b->mem);
	free(b);
}
