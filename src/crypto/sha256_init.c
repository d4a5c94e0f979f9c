/*
 * Chooses the SHA-256 kernels that this processor runs fastest, after each was
 * compared with OpenSSL. Runs once at start, before other threads; keeps only
 * the choice and its name.
 */
#include <cairn/crypto/sha256.h>

#include "lanes.h"

#include <cairn/base/err.h>
#include <stdio.h>

/* From this many messages on a wide kernel with idle lanes beats the pairs. */
#define AVX512_MIN 10
#define AVX2_MIN   4

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

#if defined(__x86_64__)
static void choose_x86(struct sha256_choice *c, int *rc)
{
	if (try_lanes(&sha256_ni1, rc))
		c->one = c->few = c->wide = &sha256_ni1;
	if (try_lanes(&sha256_ni2, rc))
		c->few = c->wide = &sha256_ni2;
	if (try_lanes(&sha256_avx512, rc)) {
		c->wide = &sha256_avx512;
		c->wide_min = AVX512_MIN;
	} else if (c->wide->width == 1 && try_lanes(&sha256_avx2, rc)) {
		c->wide = &sha256_avx2;
		c->wide_min = AVX2_MIN;
	}
}
#endif

int crypto_init(void)
{
	struct sha256_choice c = *sha256_chosen();
	int rc = 0;

	if (try_lanes(&sha256_openssl, &rc))
		c.one = c.few = c.wide = &sha256_openssl;
#if defined(__x86_64__)
	choose_x86(&c, &rc);
#endif
	sha256_choose(&c);
	snprintf(names, sizeof names, "%s(%u) %s(%u) %s(%u)", c.one->name,
		 c.one->width, c.few->name, c.few->width, c.wide->name,
		 c.wide->width);
	return rc;
}

const char *crypto_lanes(void)
{
	return names;
}
