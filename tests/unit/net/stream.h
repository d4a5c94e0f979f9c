/* Streams of framed messages for tests of the receive side. */
#ifndef CAIRN_TESTS_UNIT_NET_STREAM_H
#define CAIRN_TESTS_UNIT_NET_STREAM_H

#include <cairn/base/bytes.h>
#include <cairn/wire/command.h>

/* Regtest's magic. */
extern const uint8_t lab_magic[4];

struct stream {
	uint8_t *p;
	size_t n, cap;
};

/* Append raw bytes. */
void stream_raw(struct stream *s, const void *p, size_t n);
/* Append a message with a right checksum. */
void stream_msg(struct stream *s, enum msg_type t, struct slice body);
/* The same with n bytes of a pattern as body. */
void stream_fill(struct stream *s, enum msg_type t, size_t n);
/* A header only, with any command of up to 12 bytes. */
void stream_head(struct stream *s, const char *name, uint32_t len,
		 uint32_t sum);
void stream_free(struct stream *s);
static inline struct slice stream_slice(const struct stream *s)
{
	return slice_of(s->p, s->n);
}
/* Byte i of the pattern. */
static inline uint8_t stream_pattern(size_t i)
{
	return (uint8_t)(i * 7 + i / 256);
}

#endif
