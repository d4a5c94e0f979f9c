/*
 * SHA-256 of one message, once, twice and bit by bit, through the kernel that
 * was chosen at start. Any thread; crypto_init lives in sha256_init.c and the
 * parallel functions in sha256_many.c.
 */
#include <cairn/crypto/sha256.h>

#include "lanes.h"

#include <cairn/base/endian.h>

static struct sha256_choice chosen = {.one = &sha256_portable};

const struct sha256_choice *sha256_chosen(void)
{
	return &chosen;
}

void sha256_choose(const struct sha256_choice *c)
{
	chosen = *c;
}

void sha256_init(struct sha256 *h)
{
	memcpy(h->s, sha256_iv, sizeof h->s);
	h->n = 0;
}

void sha256_put(struct sha256 *h, const void *data, size_t n)
{
	const uint8_t *p = data, *block = h->buf;
	size_t have = h->n & 63;

	if (n == 0)
		return;
	h->n += n;
	if (have + n < 64) {
		memcpy(h->buf + have, p, n);
		return;
	}
	if (have > 0) {
		memcpy(h->buf + have, p, 64 - have);
		p += 64 - have;
		n -= 64 - have;
		chosen.one->run(h->s, &block, 1);
	}
	if (n >= 64)
		chosen.one->run(h->s, &p, n / 64);
	memcpy(h->buf, p + (n & ~(size_t)63), n & 63);
}

static void digest(uint8_t out[32], const uint32_t s[8])
{
	for (unsigned i = 0; i < 8; i++)
		out = be32_put(out, s[i]);
}

void sha256_end(struct sha256 *h, uint8_t out[32])
{
	uint8_t tail[72] = {0x80};
	size_t have = h->n & 63;
	size_t zeros = have < 56 ? 55 - have : 119 - have;

	be64_put(tail + 1 + zeros, h->n * 8);
	sha256_put(h, tail, 1 + zeros + 8);
	digest(out, h->s);
}

void sha256_once(uint8_t out[32], const void *p, size_t n)
{
	struct slice in = slice_of(p, n);
	uint32_t s[8];
	struct sha256_feed f;

	memcpy(s, sha256_iv, sizeof s);
	sha256_feed_init(&f, &in, 1);
	while (sha256_feed_next(&f))
		chosen.one->run(s, &f.p, f.blocks);
	digest(out, s);
}

/* The end of a double hash for kernels that have none of their own. */
static void end_by_run(const struct sha256_lanes *l, uint32_t s[8],
		       const struct sha256_feed *f, uint8_t out[32])
{
	/* The second message: a digest, its padding and length in bits. */
	uint8_t block[64] = {[32] = 0x80, [62] = 1};
	const uint8_t *p = block;

	l->run(s, &f->p, f->blocks);
	l->turn(s, 1, block);
	l->run(s, &p, 1);
	digest(out, s);
}

void sha256d_one(const struct sha256_lanes *l, struct hash256 *out,
		 const struct slice *parts, size_t n)
{
	struct sha256_feed f;
	uint32_t s[8];

	memcpy(s, sha256_iv, sizeof s);
	sha256_feed_init(&f, parts, n);
	while (sha256_feed_next(&f) && !f.ended)
		l->run(s, &f.p, f.blocks);
	if (l->end)
		l->end(s, f.p, f.blocks, out->b);
	else
		end_by_run(l, s, &f, out->b);
}

void sha256d_parts(struct hash256 *out, const struct slice *parts, size_t n)
{
	sha256d_one(chosen.one, out, parts, n);
}

void sha256d(struct hash256 *out, const void *p, size_t n)
{
	struct slice in = slice_of(p, n);

	sha256d_one(chosen.one, out, &in, 1);
}
