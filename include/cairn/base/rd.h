/*
 * A read cursor with a sticky error: after the first failure every read gives
 * zero or an empty slice, nothing is left, and rd_ok stays false. A parser
 * reads straight through and asks once at the end.
 */
#ifndef CAIRN_BASE_RD_H
#define CAIRN_BASE_RD_H

#include <cairn/base/bytes.h>
#include <cairn/base/endian.h>

struct rd {
	const uint8_t *p;
	const uint8_t *end;
	bool bad;
};

/* The largest count or length that a CompactSize may state (Bitcoin Core's
 * MAX_SIZE); anything above is malformed whatever follows. */
#define RD_COMPACT_MAX 0x02000000u

static inline void rd_init(struct rd *r, struct slice s)
{
	r->p = s.p;
	r->end = s.n ? s.p + s.n : s.p;
	r->bad = false;
}

static inline size_t rd_left(const struct rd *r)
{
	return (size_t)(r->end - r->p);
}

static inline bool rd_ok(const struct rd *r)
{
	return !r->bad;
}

static inline void rd_fail(struct rd *r)
{
	r->bad = true;
	r->p = r->end;
}

/* Borrow the next n bytes, or NULL (and failure) when fewer are left. */
static inline const uint8_t *rd_take(struct rd *r, size_t n)
{
	const uint8_t *p = r->p;
	if (__builtin_expect(rd_left(r) < n, 0)) {
		rd_fail(r);
		return NULL;
	}
	r->p += n;
	return p;
}

static inline struct slice rd_bytes(struct rd *r, size_t n)
{
	const uint8_t *p = rd_take(r, n);
	return p ? slice_of(p, n) : slice_of(NULL, 0);
}

static inline uint8_t rd_u8(struct rd *r)
{
	const uint8_t *p = rd_take(r, 1);
	return p ? *p : 0;
}

static inline uint16_t rd_u16(struct rd *r)
{
	const uint8_t *p = rd_take(r, 2);
	return p ? le16_get(p) : 0;
}

static inline uint16_t rd_be16(struct rd *r)
{
	const uint8_t *p = rd_take(r, 2);
	return p ? be16_get(p) : 0;
}

static inline uint32_t rd_u32(struct rd *r)
{
	const uint8_t *p = rd_take(r, 4);
	return p ? le32_get(p) : 0;
}

static inline uint64_t rd_u64(struct rd *r)
{
	const uint8_t *p = rd_take(r, 8);
	return p ? le64_get(p) : 0;
}

/* Read a CompactSize without the MAX_SIZE bound; refuses a non-minimal one. */
static inline uint64_t rd_compact_any(struct rd *r)
{
	uint8_t tag = rd_u8(r);
	uint64_t v, min;

	if (__builtin_expect(tag < 0xfd, 1))
		return tag;
	if (tag == 0xfd) {
		v = rd_u16(r);
		min = 0xfd;
	} else if (tag == 0xfe) {
		v = rd_u32(r);
		min = 0x10000;
	} else {
		v = rd_u64(r);
		min = 0x100000000u;
	}
	if (v < min) {
		rd_fail(r);
		return 0;
	}
	return v;
}

/* Read a CompactSize that counts or measures: minimal, at most MAX_SIZE. */
static inline uint32_t rd_compact(struct rd *r)
{
	uint64_t v = rd_compact_any(r);
	if (v > RD_COMPACT_MAX) {
		rd_fail(r);
		return 0;
	}
	return (uint32_t)v;
}

/* Read a count of elements of at least min_size (> 0) bytes each; fails when
 * that many cannot be left, before anything is set aside for them. */
static inline uint32_t rd_count(struct rd *r, size_t min_size)
{
	uint32_t n = rd_compact(r);
	if (n > rd_left(r) / min_size) {
		rd_fail(r);
		return 0;
	}
	return n;
}

/* Read a length-prefixed string of bytes. */
static inline struct slice rd_varbytes(struct rd *r)
{
	return rd_bytes(r, rd_compact(r));
}

/* Bytes that n takes as a CompactSize: 1, 3, 5 or 9. */
static inline size_t compact_size(uint64_t n)
{
	return n < 0xfd ? 1 : n <= 0xffff ? 3 : n <= 0xffffffffu ? 5 : 9;
}

/* Write n as a CompactSize at p (room for compact_size(n)); returns the byte
 * after. */
static inline uint8_t *compact_put(uint8_t *p, uint64_t n)
{
	if (n < 0xfd) {
		*p = (uint8_t)n;
		return p + 1;
	}
	if (n <= 0xffff) {
		*p = 0xfd;
		return le16_put(p + 1, (uint16_t)n);
	}
	if (n <= 0xffffffffu) {
		*p = 0xfe;
		return le32_put(p + 1, (uint32_t)n);
	}
	*p = 0xff;
	return le64_put(p + 1, n);
}

#endif
