/*
 * Refcounted bytes. Written while refs is 1 and before it is handed over,
 * immutable afterwards, so any thread may read it while it holds a reference.
 * At least BUF_HEADROOM bytes lie in front of the payload: room for a frame
 * header or for the 8 bytes that make a block a blk*.dat record.
 */
#ifndef CAIRN_BASE_BUF_H
#define CAIRN_BASE_BUF_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>

#define BUF_HEADROOM 24u

struct buf {
	uint32_t refs; /* atomic */
	size_t cap;    /* payload bytes there is room for */
	size_t n;      /* payload bytes in use */
	uint8_t mem[]; /* BUF_HEADROOM + cap bytes, in the same allocation */
};

/* A buffer with room for cap payload bytes, n = 0. NULL when out of memory.
 * The caller caps sizes that come from input. */
struct buf *buf_new(size_t cap) must_check;

/* Make room for cap payload bytes in all, keeping the first n; only with one
 * reference. 0 or E_NOMEM (the buffer is then unchanged). The buffer may move:
 * *b is changed then, and pointers into the payload are invalid. */
int buf_reserve(struct buf **b, size_t cap) must_check;

/* Another reference to b; returns b. Any thread. */
struct buf *buf_ref(struct buf *b);

/* Give up one reference; frees with the last. NULL is fine. Any thread. */
void buf_unref(struct buf *b);

static inline uint8_t *buf_data(struct buf *b)
{
	return b->mem + BUF_HEADROOM;
}

static inline struct slice buf_payload(const struct buf *b)
{
	return slice_of(b->mem + BUF_HEADROOM, b->n);
}

#endif
