/*
 * Points from their x with the help of a table of y coordinates: 12 % of what a
 * signature costs is the square root that finds y, and keys come again. A slot
 * holds the even y of one point and nothing that says of which: the library
 * finds that out when it checks the point, for a fiftieth of a root. Any
 * thread; slots are read and written as relaxed words, so that one which is
 * half written is merely a hint that does not fit.
 */
#include "point.h"

#include <cairn/base/endian.h>
#include <cairn/base/mem.h>
#include <cairn/base/rand.h>

#include <stdlib.h>

struct slot {
	uint64_t w[4]; /* atomic; y's words, the highest first */
};

struct key_hints {
	uint64_t salt; /* whoever makes keys cannot choose their slots */
	size_t n;
	struct slot *slots;
};

/* 2^256 - 2^32 - 977 */
static const uint64_t field_prime[4] = {UINT64_MAX, UINT64_MAX, UINT64_MAX,
					0xfffffffefffffc2f};

struct key_hints *key_hints_new(size_t bytes)
{
	size_t n = bytes / sizeof(struct slot);
	struct slot *slots = pages_new(n * sizeof *slots);
	struct key_hints *h;

	if (!slots)
		return NULL;
	h = xmalloc(sizeof *h);
	h->n = n;
	h->slots = slots;
	rand_os(&h->salt, sizeof h->salt);
	return h;
}

void key_hints_free(struct key_hints *h)
{
	if (!h)
		return;
	pages_free(h->slots, h->n * sizeof *h->slots);
	free(h);
}

/* x is as good as random where nobody meddles, and salted where one does. */
static struct slot *slot_of(const struct key_hints *h, const uint8_t x[32])
{
	uint64_t k = (le64_get(x) ^ h->salt) * 0x9e3779b97f4a7c15;

	return &h->slots[(__extension__(unsigned __int128) k * h->n) >> 64];
}

/* The other root of the same x: p - y. */
static void negate(uint64_t y[4])
{
	uint64_t borrow = 0;

	for (int i = 3; i >= 0; i--) {
		uint64_t d = field_prime[i] - y[i] - borrow;

		borrow =
		    y[i] > field_prime[i] || (borrow && y[i] == field_prime[i]);
		y[i] = d;
	}
}

static bool hint(uint8_t y[32], const struct key_hints *h, const uint8_t x[32],
		 bool odd)
{
	struct slot *s = slot_of(h, x);
	uint64_t w[4];

	for (int i = 0; i < 4; i++)
		w[i] = __atomic_load_n(&s->w[i], __ATOMIC_RELAXED);
	if (!(w[0] | w[3]))
		return false; /* nothing was there yet */
	if (odd)
		negate(w);
	for (int i = 0; i < 4; i++)
		y = be64_put(y, w[i]);
	/* Of two roots only the one that was asked for will do. */
	return (w[3] & 1) == odd;
}

static void note(struct key_hints *h, const uint8_t x[32],
		 const secp256k1_pubkey *pk)
{
	struct slot *s = slot_of(h, x);
	uint8_t full[65];
	uint64_t w[4];
	size_t n = sizeof full;

	secp256k1_ec_pubkey_serialize(secp256k1_context_static, full, &n, pk,
				      SECP256K1_EC_UNCOMPRESSED);
	for (int i = 0; i < 4; i++)
		w[i] = be64_get(full + 33 + 8 * i);
	if (w[3] & 1)
		negate(w);
	for (int i = 0; i < 4; i++)
		__atomic_store_n(&s->w[i], w[i], __ATOMIC_RELAXED);
}

bool point_read(secp256k1_pubkey *pk, struct key_hints *h, const uint8_t x[32],
		bool odd)
{
	const secp256k1_context *ctx = secp256k1_context_static;
	uint8_t key[65];

	memcpy(key + 1, x, 32);
	if (h && hint(key + 33, h, x, odd)) {
		key[0] = 4;
		if (secp256k1_ec_pubkey_parse(ctx, pk, key, 65))
			return true;
	}
	key[0] = 2 + odd;
	if (!secp256k1_ec_pubkey_parse(ctx, pk, key, 33))
		return false;
	if (h)
		note(h, x, pk);
	return true;
}
