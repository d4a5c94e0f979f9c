/*
 * Chooses the SHA-256 kernels that this processor runs fastest: each is
 * compared with OpenSSL, then a wide kernel must win a short race (50 us)
 * against the narrow one, since one family of processors runs AVX-512 at twice
 * the width and another at twice the time. Runs once at start, before other
 * threads.
 */
#include <cairn/crypto/sha256.h>

#include "lanes.h"

#include <cairn/base/clock.h>
#include <cairn/base/err.h>
#include <stdio.h>

static char names[96] = "portable(1)";

const struct sha256_lanes *const *sha256_lanes_all(void)
{
	static const struct sha256_lanes *const all[] = {
		&sha256_portable,
		&sha256_openssl,
#if defined(__x86_64__)
		&sha256_ni1,
		&sha256_ni2,
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

/* 64-byte messages through the kernel's own entry, in place. */
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

/* Time for `width` messages of 64 bytes, eight times; the best of a few. */
static uint64_t cost_ns(const struct sha256_lanes *l)
{
	uint8_t p[64 * SHA256_LANES_MAX] = {1};
	struct slice one = slice_of(p, 64);
	struct hash256 h;
	uint64_t best = UINT64_MAX;

	for (int round = 0; round < 6; round++) {
		uint64_t t = mono_ns();

		for (int i = 0; i < 8; i++) {
			if (l->d64)
				l->d64(p, p);
			else
				sha256d_one(l, &h, &one, 1);
		}
		t = mono_ns() - t;
		if (t < best)
			best = t;
	}
	return best + 1;
}

/* Take l for many messages if it beats what is there, from the number of
 * messages on that repays its idle lanes. */
static void race(struct sha256_choice *c, const struct sha256_lanes *l)
{
	uint64_t narrow = cost_ns(c->few) / c->few->width + 1;
	uint64_t wide = cost_ns(l);

	if (wide >= narrow * l->width)
		return;
	c->wide = l;
	c->wide_min = (size_t)(wide / narrow) + 1;
}

#if defined(__x86_64__)
static void choose_x86(struct sha256_choice *c, int *rc)
{
	if (try_lanes(&sha256_ni1, rc))
		c->one = c->few = c->wide = &sha256_ni1;
	if (try_lanes(&sha256_ni2, rc))
		c->few = c->wide = &sha256_ni2;
	if (try_lanes(&sha256_avx512, rc))
		race(c, &sha256_avx512);
	if (c->wide == c->few && try_lanes(&sha256_avx2, rc))
		race(c, &sha256_avx2);
}
#endif

static void name_choice(const struct sha256_choice *c)
{
	size_t n = 0, size = sizeof names;

	n +=
	    (size_t)snprintf(names, size, "%s(%u", c->one->name, c->one->width);
	if (c->few != c->one)
		n +=
		    (size_t)snprintf(names + n, size - n, ",%u", c->few->width);
	n += (size_t)snprintf(names + n, size - n, ")");
	if (c->wide != c->few)
		snprintf(names + n, size - n, " %s(%u)", c->wide->name,
			 c->wide->width);
}

int crypto_init(void)
{
	struct sha256_choice c = {&sha256_portable, &sha256_portable,
				  &sha256_portable, 0};
	int rc = 0;

	if (try_lanes(&sha256_openssl, &rc))
		c.one = c.few = c.wide = &sha256_openssl;
#if defined(__x86_64__)
	choose_x86(&c, &rc);
#endif
	sha256_choose(&c);
	name_choice(&c);
	return rc;
}

const char *crypto_lanes(void)
{
	return names;
}
