/*
 * Double SHA-256 of many messages in two passes: over the messages, keeping
 * every lane of a kernel busy by giving a lane the next message as soon as its
 * last one is done; then over the digests, which have one length. Any thread;
 * no state outlives a call.
 */
#include <cairn/crypto/sha256.h>

#include "lanes.h"

#include <cairn/base/endian.h>

/* From this many bytes on a message is hashed before the others. */
#define LONG_MESSAGE 4096u

struct lane {
	const uint8_t *p;
	size_t blocks;       /* ready at p */
	struct hash256 *out; /* NULL: idle */
	struct sha256_feed feed;
};

struct batch {
	const struct sha256_lanes *l;
	unsigned busy;
	struct hash256 *out;
	const struct slice *in;
	size_t per, n;
	size_t at, left; /* where to look for the next message; messages left */
	bool short_ones; /* the long ones were given out */
	uint32_t state[8 * SHA256_LANES_MAX] __attribute__((aligned(64)));
	uint8_t digest[32 * SHA256_LANES_MAX] __attribute__((aligned(64)));
	struct lane lane[SHA256_LANES_MAX];
};

static void take_blocks(struct lane *l)
{
	l->p = l->feed.p;
	l->blocks = l->feed.blocks;
}

static bool is_long(const struct batch *b, size_t i)
{
	size_t n = 0;

	for (size_t k = 0; k < b->per; k++)
		n += b->in[i * b->per + k].n;
	return n >= LONG_MESSAGE;
}

/* One of the messages left. A long one that comes late runs on when all other
 * lanes are idle, so long ones come first; sorting them all costs more. */
static size_t next_message(struct batch *b)
{
	for (;;) {
		for (; b->at < b->n; b->at++)
			if (is_long(b, b->at) != b->short_ones)
				return b->at++;
		b->short_ones = true;
		b->at = 0;
	}
}

/* Give the lane its next message, or leave it idle. */
static void refill(struct batch *b, struct lane *l)
{
	size_t i;

	l->out = NULL;
	if (b->left == 0) {
		b->busy--;
		return;
	}
	i = next_message(b);
	b->left--;
	l->out = b->out + i;
	sha256_feed_init(&l->feed, b->in + i * b->per, b->per);
	(void)sha256_feed_next(&l->feed); /* a message has a block at least */
	take_blocks(l);
}

/* Take the lanes on that ran out of blocks: more of the same message, or all
 * those that ended together to their next one. */
static void advance(struct batch *b, size_t blocks)
{
	uint32_t ended = 0;

	for (unsigned i = 0; i < b->l->width; i++) {
		struct lane *l = &b->lane[i];

		if (!l->out)
			continue;
		l->p += blocks * 64;
		l->blocks -= blocks;
		if (l->blocks > 0)
			continue;
		if (sha256_feed_next(&l->feed))
			take_blocks(l);
		else
			ended |= 1u << i;
	}
	if (!ended)
		return;
	b->l->turn(b->state, ended, b->digest);
	for (unsigned i = 0; i < b->l->width; i++) {
		if (!(ended >> i & 1))
			continue;
		memcpy(b->lane[i].out->b, b->digest + 32 * i, 32);
		refill(b, &b->lane[i]);
	}
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
	advance(b, blocks);
}

/* Finish a lane by the single-stream kernel: a long message that is left alone
 * would keep a wide kernel running mostly idle. */
static void finish_alone(struct batch *b, unsigned i)
{
	const struct sha256_lanes *one = sha256_chosen()->one;
	struct lane *l = &b->lane[i];
	uint32_t s[8];

	for (unsigned w = 0; w < 8; w++)
		s[w] = b->state[w * b->l->word_step + i * b->l->lane_step];
	while (l->out) {
		one->run(s, &l->p, l->blocks);
		if (sha256_feed_next(&l->feed)) {
			take_blocks(l);
			continue;
		}
		one->turn(s, 1, l->out->b);
		refill(b, l);
	}
}

/* The digests of all messages again: whole sets of lanes, then the last ones
 * with idle lanes. */
static void hash_again(const struct sha256_lanes *l, struct hash256 *out,
		       size_t n)
{
	uint8_t rest[32 * SHA256_LANES_MAX] = {0};

	for (; n >= l->width; n -= l->width, out += l->width)
		l->d32(out->b);
	if (n == 0)
		return;
	memcpy(rest, out, 32 * n);
	l->d32(rest);
	memcpy(out, rest, 32 * n);
}

static void run_batch(const struct sha256_lanes *l, struct hash256 *out,
		      const struct slice *in, size_t per, size_t n)
{
	struct batch b;

	b.l = l;
	b.busy = l->width;
	b.out = out;
	b.in = in;
	b.per = per;
	b.n = b.left = n;
	b.at = 0;
	b.short_ones = false;
	l->turn(b.state, UINT32_MAX, b.digest); /* only for the first states */
	for (unsigned i = 0; i < l->width; i++)
		refill(&b, &b.lane[i]);
	/* A single stream beats a kernel of which under a third is busy. */
	while (b.busy * 3 > l->width + 1)
		step(&b);
	for (unsigned i = 0; i < l->width && b.busy > 0; i++)
		finish_alone(&b, i);
	hash_again(l, out, n);
}

void sha256d_through(const struct sha256_lanes *l, struct hash256 *out,
		     const struct slice *in, size_t per, size_t n)
{
	if (l->width > 1) {
		run_batch(l, out, in, per, n);
		return;
	}
	for (size_t i = 0; i < n; i++)
		sha256d_one(l, &out[i], in + i * per, per);
}

static const struct sha256_lanes *lanes_for(size_t n)
{
	const struct sha256_choice *c = sha256_chosen();

	for (unsigned i = 0; i < c->n_levels; i++)
		if (n >= c->level[i].min)
			return c->level[i].lanes;
	return c->one;
}

void sha256d_many(struct hash256 *out, const struct slice *in, size_t n)
{
	sha256d_many_parts(out, in, 1, n);
}

void sha256d_many_parts(struct hash256 *out, const struct slice *in, size_t per,
			size_t n)
{
	sha256d_through(lanes_for(n), out, in, per, n);
}

/* As many as one kernel is the best for; out may be in. */
static size_t d64_level(const struct sha256_level *v, uint8_t *out,
			const uint8_t *in, size_t n)
{
	uint8_t rest[64 * SHA256_LANES_MAX] = {0};
	unsigned width = v->lanes->width;
	size_t done = 0;

	for (; n - done >= width; done += width)
		v->lanes->d64(out + 32 * done, in + 64 * done);
	if (n == done || n - done < v->min)
		return done;
	memcpy(rest, in + 64 * done, 64 * (n - done));
	v->lanes->d64(rest, rest);
	memcpy(out + 32 * done, rest, 32 * (n - done));
	return n;
}

void sha256d64(uint8_t *out, const uint8_t *in, size_t n)
{
	const struct sha256_choice *c = sha256_chosen();
	struct hash256 h;
	size_t done = 0;

	for (unsigned i = 0; i < c->n_levels; i++)
		done += d64_level(&c->level[i], out + 32 * done, in + 64 * done,
				  n - done);
	for (; done < n; done++) {
		sha256d(&h, in + 64 * done, 64);
		memcpy(out + 32 * done, h.b, 32);
	}
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
