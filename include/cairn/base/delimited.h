/*
 * Length-delimited records: a protobuf varint says how many bytes follow. A
 * writer asks for the size first, gets one buffer and writes it once. A message
 * in general goes through protobuf-c (delimited_pb.h); one that is written
 * often has its own size and put, made of the pieces of pb.h. Any thread.
 */
#ifndef CAIRN_BASE_DELIMITED_H
#define CAIRN_BASE_DELIMITED_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>

/* A varint has 7 bits a byte, so 64 bits take ten. */
#define UVARINT_MAX 10u

static inline size_t uvarint_size(uint64_t v)
{
	unsigned bits = 64 - (unsigned)__builtin_clzll(v | 1);

	return (bits * 9 + 64) / 64; /* bits / 7, rounded up */
}

/* Write v at p (room for uvarint_size(v)); returns the byte after. */
static inline uint8_t *uvarint_put(uint8_t *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p = (uint8_t)v;
	return p + 1;
}

enum delimited_rc {
	DELIMITED_OK,
	DELIMITED_MORE,      /* the input ends inside a record */
	DELIMITED_TOO_LARGE, /* the record states more than max bytes */
	DELIMITED_BAD,       /* the length is no varint of 64 bits, or one that
			      * could be shorter */
};

/* Read a varint at the front of in. OK, MORE or BAD; with OK *v is its value
 * and *n the bytes it takes (1 to 10). */
enum delimited_rc uvarint_get(uint64_t *v, size_t *n, struct slice in);

/* Take the record at the front of *in: msg borrows its bytes, and *in is moved
 * behind them. Otherwise *in and *msg are left alone. With MORE *need is how
 * many bytes *in must have, at least, before it is worth another try: the whole
 * record as soon as its length is known. A length over max is refused before
 * anything is waited for. An empty record is a record. */
enum delimited_rc delimited_next(struct slice *msg, size_t *need,
				 struct slice *in, size_t max);

/* Exact size of the record of n bytes. */
static inline size_t delimited_size(size_t n)
{
	return uvarint_size(n) + n;
}

/* What stands before the n bytes; returns where they go. */
static inline uint8_t *delimited_head_put(uint8_t *p, size_t n)
{
	return uvarint_put(p, n);
}

#endif
