/*
 * Protobuf fields by hand, for messages that are written often: sizes first,
 * then puts, both free of branches that the compiler could not decide. Fields
 * follow proto3: a number of zero and empty bytes are left out. A message's
 * fields are to be written in the order of their numbers, as every encoder does
 * whose bytes are signed or compared. Any thread.
 */
#ifndef CAIRN_BASE_PB_H
#define CAIRN_BASE_PB_H

#include <cairn/base/delimited.h>
#include <cairn/base/endian.h>

enum pb_type { PB_VARINT = 0, PB_FIXED64 = 1, PB_BYTES = 2 };

/* What stands before a field. */
static inline uint32_t pb_tag(uint32_t field, enum pb_type type)
{
	return field << 3 | (uint32_t)type;
}

static inline size_t pb_tag_size(uint32_t field)
{
	return uvarint_size((uint64_t)field << 3);
}

/* int32, int64, uint32, uint64, bool and enums; a negative one is given as its
 * 64-bit two's complement and takes ten bytes. */
static inline size_t pb_varint_size(uint32_t field, uint64_t v)
{
	return v ? pb_tag_size(field) + uvarint_size(v) : 0;
}

static inline uint8_t *pb_varint_put(uint8_t *p, uint32_t field, uint64_t v)
{
	if (v == 0)
		return p;
	p = uvarint_put(p, pb_tag(field, PB_VARINT));
	return uvarint_put(p, v);
}

/* fixed64 and sfixed64. */
static inline size_t pb_fixed64_size(uint32_t field, uint64_t v)
{
	return v ? pb_tag_size(field) + 8 : 0;
}

static inline uint8_t *pb_fixed64_put(uint8_t *p, uint32_t field, uint64_t v)
{
	if (v == 0)
		return p;
	p = uvarint_put(p, pb_tag(field, PB_FIXED64));
	return le64_put(p, v);
}

/* A message within the message: its n bytes are written by the caller. Present
 * even when empty; who has none writes nothing. */
static inline size_t pb_message_size(uint32_t field, size_t n)
{
	return pb_tag_size(field) + delimited_size(n);
}

static inline uint8_t *pb_message_head_put(uint8_t *p, uint32_t field, size_t n)
{
	p = uvarint_put(p, pb_tag(field, PB_BYTES));
	return delimited_head_put(p, n);
}

/* bytes and string. */
static inline size_t pb_bytes_size(uint32_t field, size_t n)
{
	return n ? pb_message_size(field, n) : 0;
}

static inline uint8_t *pb_bytes_put(uint8_t *p, uint32_t field, struct slice s)
{
	if (s.n == 0)
		return p;
	p = pb_message_head_put(p, field, s.n);
	return bytes_put(p, s.p, s.n);
}

#endif
