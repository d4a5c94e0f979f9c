/*
 * The v1 frame: magic, command, length, checksum (24 bytes), then the payload.
 */
#ifndef CAIRN_WIRE_FRAME_H
#define CAIRN_WIRE_FRAME_H

#include <cairn/base/bytes.h>
#include <cairn/wire/command.h>

#define FRAME_HEADER      24u
#define FRAME_MAX_PAYLOAD 4000000u

struct frame_view {
	enum msg_type type;
	const uint8_t *name; /* 12 bytes, borrowed from the header */
	uint32_t len;        /* payload bytes */
	uint32_t checksum;   /* little-endian value of its 4 bytes */
};

enum frame_rc {
	FRAME_OK,
	FRAME_BAD_MAGIC,   /* disconnect */
	FRAME_TOO_LARGE,   /* disconnect */
	FRAME_BAD_COMMAND, /* not printable or bytes behind a NUL: skip it */
};

/* Read the 24 bytes at p. Fills v in every case but FRAME_BAD_MAGIC. */
enum frame_rc frame_view_parse(struct frame_view *v, const uint8_t *p,
			       const uint8_t magic[4]);
/* First 4 bytes of the double SHA-256 of the payload. */
uint32_t frame_checksum(struct slice payload);
/* Write a header at p (24 bytes); returns the byte after. */
uint8_t *frame_put(uint8_t *p, const uint8_t magic[4], enum msg_type t,
		   uint32_t len, uint32_t checksum);

#endif
