/*
 * Cuts a message that lies in slices into padded 64-byte blocks for the SHA-256
 * kernels. Nothing is hashed here. Any thread; the caller owns the feed.
 */
#include "lanes.h"

#include <cairn/base/endian.h>

/* Pad the last `have` bytes, which lie at p within the tail. */
static void pad(struct sha256_feed *f, uint8_t *p, size_t have)
{
	f->end = p;
	f->end_blocks = have < 56 ? 1 : 2;
	memset(p + have, 0, 128);
	p[have] = 0x80;
	be64_put(p + f->end_blocks * 64 - 8, f->n * 8);
}

void sha256_feed_init(struct sha256_feed *f, const struct slice *part,
		      size_t parts)
{
	f->part = part;
	f->parts = parts;
	f->off = 0;
	f->n = 0;
	f->ended = false;
	f->end = NULL;
	if (parts == 1 && part->n >= 64) {
		/* A copy of constant size costs a quarter of one that is not:
		 * take the 64 bytes that end the message. */
		f->n = part->n;
		memcpy(f->tail, part->p + part->n - 64, 64);
		pad(f, f->tail + 64 - part->n % 64, part->n % 64);
	}
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
	return have;
}

/* Less than a block is left of the slice. */
static void border(struct sha256_feed *f)
{
	size_t have;

	if (!f->end) {
		have = gather(f);
		f->n += have;
		if (have == 64) {
			f->p = f->tail;
			f->blocks = 1;
			return;
		}
		pad(f, f->tail, have);
	}
	f->p = f->end;
	f->blocks = f->end_blocks;
	f->ended = true;
}

bool sha256_feed_next(struct sha256_feed *f)
{
	if (f->ended)
		return false;
	if (f->parts == 0 || f->part->n - f->off < 64) {
		border(f);
		return true;
	}
	f->p = f->part->p + f->off;
	f->blocks = (f->part->n - f->off) / 64;
	f->off += f->blocks * 64;
	if (!f->end)
		f->n += f->blocks * 64;
	return true;
}
