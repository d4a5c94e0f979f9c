/* Frames for tests, written by hand so that they do not lean on wire. */
#include "stream.h"

#include <cairn/base/endian.h>
#include <cairn/base/mem.h>
#include <cairn/wire/frame.h>

#include <stdlib.h>

const uint8_t lab_magic[4] = {0xfa, 0xbf, 0xb5, 0xda};

void stream_raw(struct stream *s, const void *p, size_t n)
{
	arr_grow(&s->p, &s->cap, s->n + n, 1);
	if (n)
		memcpy(s->p + s->n, p, n);
	s->n += n;
}

void stream_head(struct stream *s, const char *name, uint32_t len, uint32_t sum)
{
	uint8_t h[24] = {0};

	memcpy(h, lab_magic, 4);
	memcpy(h + 4, name, strlen(name));
	le32_put(h + 16, len);
	le32_put(h + 20, sum);
	stream_raw(s, h, sizeof h);
}

void stream_msg(struct stream *s, enum msg_type t, struct slice body)
{
	stream_head(s, msg_row(t)->name, (uint32_t)body.n,
		    frame_checksum(body));
	stream_raw(s, body.p, body.n);
}

void stream_fill(struct stream *s, enum msg_type t, size_t n)
{
	uint8_t *b = xmalloc(n + 1);

	for (size_t i = 0; i < n; i++)
		b[i] = stream_pattern(i);
	stream_msg(s, t, slice_of(b, n));
	free(b);
}

void stream_free(struct stream *s)
{
	free(s->p);
	*s = (struct stream){.n = 0};
}
