/*
 * Refcounted buffers. The count is the only field that two threads may touch at
 * once; whoever drops it to zero frees. Does not cap sizes: the caller knows
 * which budget they belong to.
 */
#include <cairn/base/buf.h>

#include <cairn/base/err.h>
#include <cairn/base/must.h>

#include <stdlib.h>

#define BUF_FRONT (sizeof(struct buf) + BUF_HEADROOM)

struct buf *buf_new(size_t cap)
{
	struct buf *b;

	if (cap > PTRDIFF_MAX - BUF_FRONT)
		return NULL;
	b = malloc(BUF_FRONT + cap);
	if (!b)
		return NULL;
	b->refs = 1;
	b->cap = cap;
	b->n = 0;
	return b;
}

int buf_reserve(struct buf **b, size_t cap)
{
	struct buf *moved;

	must(__atomic_load_n(&(*b)->refs, __ATOMIC_RELAXED) == 1);
	if (cap <= (*b)->cap)
		return 0;
	if (cap > PTRDIFF_MAX - BUF_FRONT)
		return E_NOMEM;
	moved = realloc(*b, BUF_FRONT + cap);
	if (!moved)
		return E_NOMEM;
	moved->cap = cap;
	*b = moved;
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
	free(b);
}
