/*
 * Chooses the SHA-256 kernels that this processor runs fastest: each is
 * compared with OpenSSL, then one of more lanes must win a short race (50 us)
 * against those of fewer, since processors differ: one family runs AVX-512 at
 * twice the width and another at twice the time, and for some two streams of
 * the SHA extensions do as much as four. Runs once at start, before other
 * threads.
 */
#include <cairn/crypto/sha256.h>

#include "lanes.h"

#include <cairn/base/clock.h>
#include <cairn/base/err.h>
#include <cairn/base/must.h>
#include <stdio.h>

static char names[96] = "portable";

const struct sha256_lanes *const *sha256_lanes_all(void)
{
	static const struct sha256_lanes *const all[] = {
		&sha256_portable,
		&sha256_openssl,
#if defined(__x86_64__)
		&sha256_ni1,
		&sha256_ni2,
		&sha256_ni4,
		&sha256_ni4_wide,
		&sha256_avx2,
		&sha256_avx512,
#endif
		NULL,
	};

	return all;
}

static void reference(struct hash256 *out, const uint8_t *p, size_t n)
{
	uint8_t once[32];

	sha256_reference(once, p, n);
	sha256_reference(out->b, once, 32);
}

/* 64-byte messages through the kernel's own entry, in place. That of 32-byte
 * messages was used by every message of more lanes than one. */
static bool d64_agrees(const struct sha256_lanes *l, const uint8_t *p)
{
	uint8_t io[64 * SHA256_LANES_MAX];
	struct hash256 want;

	if (!l->d64)
		return true;
	memcpy(io, p, sizeof io);
	l->d64(io, io);
	for (unsigned i = 0; i < l->width; i++) {
		reference(&want, p + 64 * i, 64);
		if (memcmp(io + 32 * i, want.b, 32) != 0)
			return false;
	}
	return true;
}

bool sha256_lanes_agree(const struct sha256_lanes *l)
{
	enum { MESSAGES = 40 };
	uint8_t p[64 * SHA256_LANES_MAX];
	struct slice in[MESSAGES];
	struct hash256 got[MESSAGES], want;

	for (size_t i = 0; i < sizeof p; i++)
		p[i] = (uint8_t)(i * 131 + (i >> 8) + 7);
	/* Lengths around every block border, in an order that lets lanes end
	 * at different times. */
	for (size_t i = 0; i < MESSAGES; i++)
		in[i] = slice_of(p + i, (i * 23 + 40) % 331);
	sha256d_through(l, got, in, 1, MESSAGES);
	for (size_t i = 0; i < MESSAGES; i++) {
		reference(&want, in[i].p, in[i].n);
		if (!hash256_eq(&got[i], &want))
			return false;
	}
	return d64_agrees(l, p);
}

/* Whether the processor has it and it tells the truth. */
static bool try_lanes(const struct sha256_lanes *l, int *rc)
{
	if (!l->usable())
		return false;
	if (sha256_lanes_agree(l))
		return true;
	*rc = E_CORRUPT;
	return false;
}

/* Time for `width` messages of 64 bytes, a few times. */
static uint64_t once_ns(const struct sha256_lanes *l)
{
	uint8_t p[64 * SHA256_LANES_MAX] = {1};
	struct slice one = slice_of(p, 64);
	struct hash256 h;
	uint64_t t = mono_ns();

	for (int i = 0; i < 4; i++) {
		if (l->d64)
			l->d64(p, p);
		else
			sha256d_one(l, &h, &one, 1);
	}
	return mono_ns() - t + 1;
}

/* The least times of two kernels that run by turns, so that what slows the
 * machine down for a while slows both. */
static void least_ns(uint64_t ns[2], const struct sha256_lanes *a,
		     const struct sha256_lanes *b)
{
	ns[0] = ns[1] = UINT64_MAX;
	for (int round = 0; round < 16; round++) {
		uint64_t x = once_ns(a), y = once_ns(b);

		ns[0] = x < ns[0] ? x : ns[0];
		ns[1] = y < ns[1] ? y : ns[1];
	}
}

static const struct sha256_lanes *widest(const struct sha256_choice *c)
{
	return c->n_levels ? c->level[0].lanes : c->one;
}

static void push(struct sha256_choice *c, struct sha256_level v)
{
	must(c->n_levels < SHA256_LEVELS_MAX);
	memmove(c->level + 1, c->level, c->n_levels * sizeof v);
	c->level[0] = v;
	c->n_levels++;
}

static void pop(struct sha256_choice *c)
{
	c->n_levels--;
	memmove(c->level, c->level + 1, c->n_levels * sizeof *c->level);
}

/* Put l before the others if a message costs less in it than in the fastest of
 * them, from the number of messages on that repays its idle lanes. Of two with
 * the same width one stays. */
static void race(struct sha256_choice *c, const struct sha256_lanes *l)
{
	const struct sha256_lanes *best = widest(c);
	uint64_t ns[2];
	size_t min;

	least_ns(ns, best, l);
	if (best->width == l->width && ns[1] < ns[0]) {
		pop(c);
		best = widest(c);
		least_ns(ns, best, l);
	}
	/* More lanes are for more messages: they must win by a sixteenth. */
	if (ns[1] * best->width * 17 >= ns[0] * l->width * 16)
		return;
	min = (size_t)(ns[1] * best->width / ns[0]) + 1;
	push(c, (struct sha256_level){l, min < 2 ? 2 : min});
}

static void name_choice(const struct sha256_choice *c)
{
	size_t n, size = sizeof names;

	n = (size_t)snprintf(names, size, "%s", c->one->name);
	for (unsigned i = c->n_levels; i > 0; i--)
		n += (size_t)snprintf(names + n, size - n, " %s(%u)",
				      c->level[i - 1].lanes->name,
				      c->level[i - 1].lanes->width);
}

int crypto_init(void)
{
	struct sha256_choice c = {.one = &sha256_portable};
	int rc = 0;

	for (const struct sha256_lanes *const *l = sha256_lanes_all(); *l;
	     l++) {
		if (!try_lanes(*l, &rc))
			continue;
		if ((*l)->width == 1)
			c.one = *l;
		else
			race(&c, *l);
	}
	sha256_choose(&c);
	name_choice(&c);
	return rc;
}

const char *crypto_lanes(void)
{
	return names;
}
