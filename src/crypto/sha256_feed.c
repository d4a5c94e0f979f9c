/*
 * Cuts a message that lies in slices into padded 64-byte blocks for the SHA-256
 * kernels. Nothing is hashed here. Any thread; the caller owns the feed.
 */
#include "lanes.h"

#include <cairn/base/endian.h>

void sha256_feed_init(struct sha256_feed *f, const struct slice *part,
		      size_t parts)
{
	f->part = part;
	f->parts = parts;
	f->off = 0;
	f->n = 0;
	f->ended = false;
}

/* Copy up to 64 bytes across slice borders into the tail; how many. */
static size_t gather(struct sha256_feed *f)
{
	size_t have = 0;

	while (f->parts > 0 && have < 64) {
		size_t left = f->part->n - f->off;
		size_t take = left < 64 - have ? left : 64 - have;

		if (take > 0)
			memcpy(f->tail + have, f->part->p + f->off, take);
		have += take;
		f->off += take;
		if (f->off == f->part->n) {
			f->part++;
			f->parts--;
			f->off = 0;
		}
	}
	f->p = f->tail;
	return have;
}

/* What is left of the last slice, copied by the 64 bytes that end it: a copy of
 * constant size costs a quarter of one that is not. */
static size_t take_end(struct sha256_feed *f)
{
	size_t have = f->part->n - f->off;

	memcpy(f->tail, f->part->p + f->part->n - 64, 64);
	f->p = f->tail + 64 - have;
	return have;
}

/* Pad the last `have` bytes, which lie at p within the tail. */
static void pad(struct sha256_feed *f, size_t have)
{
	uint8_t *p = f->tail + (f->p - f->tail);

	f->blocks = have < 56 ? 1 : 2;
	memset(p + have, 0, 128);
	p[have] = 0x80;
	be64_put(p + f->blocks * 64 - 8, f->n * 8);
	f->ended = true;
}

bool sha256_feed_next(struct sha256_feed *f)
{
	size_t have;

	if (f->ended)
		return false;
	if (f->parts > 0 && f->part->n - f->off >= 64) {
		f->p = f->part->p + f->off;
		f->blocks = (f->part->n - f->off) / 64;
		f->off += f->blocks * 64;
		f->n += f->blocks * 64;
		return true;
	}
	have = f->parts == 1 && f->part->n >= 64 ? take_end(f) : gather(f);
	f->n += have;
	f->blocks = 1;
	if (have < 64)
		pad(f, have);
	return true;
}
