/*
 * Hints about keys: the answers are those without hints, whatever stands in the
 * table and however many threads write to it. The .c is included so that its
 * slots can be spoilt.
 */
#include "suites.h"
#include "testdata.h"

#include "../../../src/crypto/key_hints.c"

#include <cairn/base/thread.h>

#define KEYS    64u
#define THREADS 4u

/* The points of the secrets 1, 2, ... as 65 bytes; that of 1 has an even y. */
static void points(uint8_t out[KEYS][65])
{
	secp256k1_context *ctx =
	    secp256k1_context_create(SECP256K1_CONTEXT_NONE);
	uint8_t secret[32] = {0};
	secp256k1_pubkey pk;
	size_t n = 65;

	for (unsigned i = 0; i < KEYS; i++) {
		secret[31] = (uint8_t)(i + 1);
		ck_assert(secp256k1_ec_pubkey_create(ctx, &pk, secret));
		secp256k1_ec_pubkey_serialize(ctx, out[i], &n, &pk,
					      SECP256K1_EC_UNCOMPRESSED);
	}
	secp256k1_context_destroy(ctx);
}

/* Both points with x are found, and each is the right one. */
static void check_both(struct key_hints *h, const uint8_t point[65])
{
	uint8_t full[65];
	size_t n = 65;
	secp256k1_pubkey pk, other;

	ck_assert(point_read(&pk, h, point + 1, point[64] & 1));
	secp256k1_ec_pubkey_serialize(secp256k1_context_static, full, &n, &pk,
				      SECP256K1_EC_UNCOMPRESSED);
	ck_assert_mem_eq(full, point, 65);
	ck_assert(point_read(&other, h, point + 1, !(point[64] & 1)));
	ck_assert(secp256k1_ec_pubkey_negate(secp256k1_context_static, &other));
	ck_assert_int_eq(
	    secp256k1_ec_pubkey_cmp(secp256k1_context_static, &pk, &other), 0);
}

START_TEST(points_are_the_same_with_and_without_hints)
{
	struct key_hints *wide = key_hints_new(1 << 16);
	struct key_hints *one = key_hints_new(32);
	static uint8_t p[KEYS][65];

	points(p);
	for (unsigned i = 0; i < 3 * KEYS; i++) {
		check_both(NULL, p[i % KEYS]);
		check_both(wide, p[i % KEYS]);
		check_both(one, p[i % KEYS]);
	}
	key_hints_free(wide);
	key_hints_free(one);
}
END_TEST

START_TEST(a_point_that_comes_again_is_read_from_its_hint)
{
	struct key_hints *h = key_hints_new(32);
	static uint8_t p[KEYS][65];
	secp256k1_pubkey pk;
	uint8_t y[32];

	points(p);
	ck_assert(!hint(y, h, p[5] + 1, p[5][64] & 1));
	ck_assert(point_read(&pk, h, p[5] + 1, true));
	ck_assert(hint(y, h, p[5] + 1, p[5][64] & 1));
	ck_assert_mem_eq(y, p[5] + 33, 32);
	/* There is room for one. */
	ck_assert(point_read(&pk, h, p[6] + 1, true));
	ck_assert(hint(y, h, p[5] + 1, p[5][64] & 1));
	ck_assert(memcmp(y, p[5] + 33, 32) != 0);
	key_hints_free(h);
}
END_TEST

START_TEST(a_spoilt_hint_changes_no_point)
{
	struct key_hints *h = key_hints_new(32);
	static uint8_t p[KEYS][65];
	struct slot *s = h->slots;

	points(p);
	for (unsigned i = 0; i < KEYS; i++) {
		check_both(h, p[i]);
		for (unsigned bit = 0; bit < 256; bit += 17) {
			s->w[bit / 64] ^= (uint64_t)1 << bit % 64;
			check_both(h, p[i]);
		}
		/* The root of the other sign, which is on the curve too. */
		check_both(h, p[i]);
		negate(s->w);
		check_both(h, p[i]);
		memset(s, 0xff, sizeof *s);
		check_both(h, p[i]);
		*s = (struct slot){{0, 1, 1, 0}};
		check_both(h, p[i]);
	}
	key_hints_free(h);
}
END_TEST

/* No y goes with an x of 5 or of the prime itself. */
START_TEST(an_x_without_a_point_has_none_with_hints)
{
	struct key_hints *h = key_hints_new(32);
	static uint8_t p[KEYS][65];
	uint8_t x[2][32] = {{[31] = 5}};
	secp256k1_pubkey pk;

	points(p);
	for (unsigned i = 0; i < 4; i++)
		be64_put(x[1] + 8 * i, field_prime[i]);
	for (unsigned i = 0; i < 4; i++) {
		ck_assert(!point_read(&pk, h, x[i / 2], i & 1));
		check_both(h, p[i]);
		ck_assert(!point_read(&pk, h, x[i / 2], i & 1));
	}
	key_hints_free(h);
}
END_TEST

START_TEST(hints_take_no_more_than_they_were_given)
{
	struct key_hints *h;

	ck_assert_ptr_null(key_hints_new(0));
	ck_assert_ptr_null(key_hints_new(31));
	ck_assert_ptr_null(key_hints_new(SIZE_MAX));
	key_hints_free(NULL);
	h = key_hints_new(100);
	ck_assert_uint_eq(h->n, 3);
	for (unsigned i = 0; i < 1000; i++) {
		uint8_t x[32];

		fill(x, 32, i);
		ck_assert(slot_of(h, x) - h->slots < 3);
	}
	key_hints_free(h);
}
END_TEST

struct crowd {
	struct key_hints *h;
	uint8_t p[KEYS][65];
};

static void one_of_many(void *arg)
{
	struct crowd *c = arg;

	for (unsigned i = 0; i < 10 * KEYS; i++)
		check_both(c->h, c->p[i * 7 % KEYS]);
}

START_TEST(threads_that_overwrite_each_others_hints_read_the_same_points)
{
	static struct crowd c;
	pthread_t t[THREADS];

	c.h = key_hints_new(32);
	points(c.p);
	for (unsigned i = 0; i < THREADS; i++)
		thread_start(&t[i], "hints", one_of_many, &c);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	key_hints_free(c.h);
}
END_TEST

Suite *key_hints_suite(void)
{
	Suite *s = suite_create("key_hints");
	TCase *t = tcase_create("key_hints");

	tcase_add_test(t, points_are_the_same_with_and_without_hints);
	tcase_add_test(t, a_point_that_comes_again_is_read_from_its_hint);
	tcase_add_test(t, a_spoilt_hint_changes_no_point);
	tcase_add_test(t, an_x_without_a_point_has_none_with_hints);
	tcase_add_test(t, hints_take_no_more_than_they_were_given);
	tcase_add_test(
	    t, threads_that_overwrite_each_others_hints_read_the_same_points);
	suite_add_tcase(s, t);
	return s;
}
