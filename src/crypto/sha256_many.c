/*
 * Double SHA-256 of many messages: keeps every lane of a kernel busy by giving
 * a lane the next message as soon as its last one is done. Any thread; no state
 * outlives a call.
 */
#include <cairn/crypto/sha256.h>

#include "lanes.h"

#include <cairn/base/endian.h>

struct lane {
	struct sha256_feed feed;
	struct hash256 *out; /* NULL: idle */
	const uint8_t *p;
	size_t blocks; /* ready at p */
	bool second;   /* the digest of the first hash is being hashed */
	uint8_t block[64];
};

struct batch {
	const struct sha256_lanes *l;
	struct lane lane[SHA256_LANES_MAX];
	uint32_t state[8 * SHA256_LANES_MAX] __attribute__((aligned(64)));
	unsigned busy;
	struct hash256 *out;
	const struct slice *in;
	size_t per, left;
};

static uint32_t *word(struct batch *b, unsigned lane, unsigned w)
{
	return &b->state[w * b->l->word_step + lane * b->l->lane_step];
}

static void set_iv(struct batch *b, unsigned lane)
{
	for (unsigned w = 0; w < 8; w++)
		*word(b, lane, w) = sha256_iv[w];
}

static void get_digest(uint8_t *out, struct batch *b, unsigned lane)
{
	for (unsigned w = 0; w < 8; w++)
		out = be32_put(out, *word(b, lane, w));
}

/* Give the lane its next message, or leave it idle. */
static void refill(struct batch *b, unsigned i)
{
	struct lane *l = &b->lane[i];

	l->out = NULL;
	if (b->left == 0) {
		b->busy--;
		return;
	}
	l->out = b->out++;
	l->second = false;
	sha256_feed_init(&l->feed, b->in, b->per);
	b->in += b->per;
	b->left--;
	set_iv(b, i);
	(void)sha256_feed_next(&l->feed); /* a message has a block at least */
	l->p = l->feed.p;
	l->blocks = l->feed.blocks;
}

/* The lane compressed all it had: more of the message, the second hash, or the
 * next message. */
static void advance(struct batch *b, unsigned i)
{
	static const uint8_t padding[32] = {0x80, [30] = 1};
	struct lane *l = &b->lane[i];

	if (l->second) {
		get_digest(l->out->b, b, i);
		refill(b, i);
		return;
	}
	if (sha256_feed_next(&l->feed)) {
		l->p = l->feed.p;
		l->blocks = l->feed.blocks;
		return;
	}
	get_digest(l->block, b, i);
	memcpy(l->block + 32, padding, 32);
	set_iv(b, i);
	l->second = true;
	l->p = l->block;
	l->blocks = 1;
}

/* One run of the kernel over as many blocks as every busy lane has. */
static void step(struct batch *b)
{
	const uint8_t *p[SHA256_LANES_MAX], *any = NULL;
	size_t blocks = SIZE_MAX;

	for (unsigned i = 0; i < b->l->width; i++) {
		if (!b->lane[i].out)
			continue;
		any = b->lane[i].p;
		if (b->lane[i].blocks < blocks)
			blocks = b->lane[i].blocks;
	}
	/* An idle lane repeats another lane's blocks; nobody looks at it. */
	for (unsigned i = 0; i < b->l->width; i++)
		p[i] = b->lane[i].out ? b->lane[i].p : any;
	b->l->run(b->state, p, blocks);
	for (unsigned i = 0; i < b->l->width; i++) {
		if (!b->lane[i].out)
			continue;
		b->lane[i].p += blocks * 64;
		b->lane[i].blocks -= blocks;
		if (b->lane[i].blocks == 0)
			advance(b, i);
	}
}

/* Finish a lane by the single-stream kernel: a long message that is left alone
 * would keep a wide kernel running mostly idle. */
static void finish_alone(struct batch *b, unsigned i)
{
	const struct sha256_lanes *one = sha256_chosen()->one;
	struct lane *l = &b->lane[i];
	uint32_t s[8];

	while (l->out) {
		for (unsigned w = 0; w < 8; w++)
			s[w] = *word(b, i, w);
		one->run(s, &l->p, l->blocks);
		for (unsigned w = 0; w < 8; w++)
			*word(b, i, w) = s[w];
		advance(b, i);
	}
}

void sha256d_through(const struct sha256_lanes *l, struct hash256 *out,
		     const struct slice *in, size_t per, size_t n)
{
	struct batch b;

	b.l = l;
	b.busy = l->width;
	b.out = out;
	b.in = in;
	b.per = per;
	b.left = n;
	for (unsigned i = 0; i < l->width; i++)
		refill(&b, i);
	/* A single stream beats a kernel of which under a third is busy. */
	while (b.busy * 3 > l->width + 1 || (l->width == 1 && b.busy > 0))
		step(&b);
	for (unsigned i = 0; i < l->width && b.busy > 0; i++)
		finish_alone(&b, i);
}

static const struct sha256_lanes *lanes_for(size_t n)
{
	const struct sha256_choice *c = sha256_chosen();

	return n >= c->wide_min ? c->wide : n >= 2 ? c->few : c->one;
}

void sha256d_many(struct hash256 *out, const struct slice *in, size_t n)
{
	sha256d_many_parts(out, in, 1, n);
}

void sha256d_many_parts(struct hash256 *out, const struct slice *in, size_t per,
			size_t n)
{
	const struct sha256_lanes *l = lanes_for(n);

	if (l->width > 1) {
		sha256d_through(l, out, in, per, n);
		return;
	}
	for (size_t i = 0; i < n; i++)
		sha256d_parts(&out[i], in + i * per, per);
}

static void d64_one(uint8_t *out, const uint8_t *in)
{
	struct hash256 h;

	sha256d(&h, in, 64);
	memcpy(out, h.b, 32);
}

/* As many as fit the kernel whole; in and out move along. */
static size_t d64_whole(const struct sha256_lanes *l, uint8_t *out,
			const uint8_t *in, size_t n)
{
	size_t done = 0;

	if (!l->d64)
		return 0;
	for (; n - done >= l->width; done += l->width)
		l->d64(out + 32 * done, in + 64 * done);
	return done;
}

/* A nearly full set of lanes goes through the wide kernel with empty ones. */
static void d64_rest(const struct sha256_lanes *l, uint8_t *out,
		     const uint8_t *in, size_t n)
{
	uint8_t tmp[64 * SHA256_LANES_MAX] = {0};

	memcpy(tmp, in, 64 * n);
	l->d64(tmp, tmp);
	memcpy(out, tmp, 32 * n);
}

void sha256d64(uint8_t *out, const uint8_t *in, size_t n)
{
	const struct sha256_choice *c = sha256_chosen();
	size_t done = d64_whole(c->wide, out, in, n);

	if (c->wide->d64 && n - done >= c->wide_min) {
		d64_rest(c->wide, out + 32 * done, in + 64 * done, n - done);
		return;
	}
	done += d64_whole(c->few, out + 32 * done, in + 64 * done, n - done);
	for (; done < n; done++)
		d64_one(out + 32 * done, in + 64 * done);
}

void sha256d80(struct hash256 *out, const uint8_t *in, size_t stride, size_t n)
{
	struct slice s[64];

	while (n > 0) {
		size_t m = n < 64 ? n : 64;

		for (size_t i = 0; i < m; i++)
			s[i] = slice_of(in + i * stride, 80);
		sha256d_many(out, s, m);
		out += m;
		in += m * stride;
		n -= m;
	}
}
