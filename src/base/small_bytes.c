/*
 * The part of small_bytes that allocates. One thread per object. It caps no
 * sizes: whoever takes a length from input knows the limit it falls under.
 */
#include <cairn/base/small_bytes.h>

#include <cairn/base/err.h>

#include <stdlib.h>

_Static_assert(sizeof(uint8_t *) + sizeof(uint32_t) <= SMALL_BYTES_INLINE,
	       "pointer and capacity fit where the bytes were");
_Static_assert(sizeof(struct small_bytes) == 40, "dense in arrays");

static void heap_put(struct small_bytes *s, uint8_t *p, uint32_t cap)
{
	memcpy(s->b, &p, sizeof p);
	memcpy(s->b + sizeof p, &cap, sizeof cap);
}

void small_bytes_fini(struct small_bytes *s)
{
	if (!small_bytes_is_inline(s))
		free(small_bytes_p(s));
	s->n_heap = 0;
}

/* A fresh allocation, not realloc: what is to be overwritten need not be
 * copied. */
int small_bytes_grow(struct small_bytes *s, size_t n, uint32_t keep)
{
	uint8_t *p, *old = small_bytes_p(s);

	if (n > SMALL_BYTES_MAX)
		return E_LIMIT;
	p = malloc(n);
	if (!p)
		return E_NOMEM;
	if (keep)
		memcpy(p, old, keep);
	if (!small_bytes_is_inline(s))
		free(old);
	heap_put(s, p, (uint32_t)n);
	s->n_heap = (uint32_t)n << 1 | 1;
	return 0;
}

void small_bytes_trim(struct small_bytes *s)
{
	uint32_t n = small_bytes_n(s);
	uint8_t *p;

	if (small_bytes_cap(s) == n || small_bytes_is_inline(s))
		return;
	p = small_bytes_p(s);
	if (n <= SMALL_BYTES_INLINE) {
		memcpy(s->b, p, n);
		free(p);
		s->n_heap = n << 1;
		return;
	}
	p = realloc(p, n);
	if (p)
		heap_put(s, p, n);
}
