/*
 * 256-bit numbers: the compact form against the cases that Bitcoin Core's tests
 * hold, arithmetic against identities over random numbers, work and proof of
 * work at their edges.
 */
#include "suites.h"

#include <cairn/base/rand.h>
#include <cairn/base/text.h>
#include <cairn/consensus/work.h>
#include <cairn/params/params.h>

#include <stdio.h>

#define ROUNDS 2000

static void assert_number(const struct u256 *a, const char *hex,
			  const char *what)
{
	uint8_t b[32];
	char got[65];

	u256_to_be(b, a);
	hex_put(got, slice_of(b, 32));
	ck_assert_msg(strcmp(got, hex) == 0, "%s: %s is not %s", what, got,
		      hex);
}

/* Numbers of every length, so that carries and short operands occur. */
static struct u256 random_number(struct rand *r)
{
	struct u256 a = {{0}};
	unsigned limbs = (unsigned)rand_below(r, 5), i;

	for (i = 0; i < limbs; i++)
		a.w[i] = rand_below(r, 8) ? rand_u64(r) : UINT64_MAX;
	if (limbs)
		a.w[limbs - 1] >>= rand_below(r, 64);
	return a;
}

static void assert_equal(const struct u256 *a, const struct u256 *b, int round)
{
	ck_assert_msg(u256_cmp(a, b) == 0, "round %d", round);
}

START_TEST(u256_sub_undoes_add)
{
	struct rand r;
	int i;

	rand_seed(&r, 1);
	for (i = 0; i < ROUNDS; i++) {
		struct u256 a = random_number(&r), b = random_number(&r);
		struct u256 sum = u256_add(&a, &b), back = u256_sub(&sum, &b);
		struct u256 other = u256_add(&b, &a);

		assert_equal(&back, &a, i);
		assert_equal(&sum, &other, i);
	}
}
END_TEST

START_TEST(u256_add_and_sub_wrap_at_the_top)
{
	struct u256 one = {{1}}, zero = {{0}}, top, r;

	top = u256_sub(&zero, &one);
	assert_number(
	    &top,
	    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
	    "0 - 1");
	r = u256_add(&top, &one);
	ck_assert(u256_is_zero(&r));
	ck_assert_int_eq(u256_cmp(&top, &one), 1);
	ck_assert_int_eq(u256_cmp(&one, &top), -1);
}
END_TEST

START_TEST(u256_mul_is_repeated_addition)
{
	struct rand r;
	int i;

	rand_seed(&r, 2);
	for (i = 0; i < ROUNDS; i++) {
		struct u256 a = random_number(&r), sum = {{0}}, got;
		uint64_t m = rand_below(&r, 40), k;

		for (k = 0; k < m; k++)
			sum = u256_add(&sum, &a);
		got = u256_mul(&a, m);
		assert_equal(&got, &sum, i);
	}
}
END_TEST

START_TEST(u256_mul_distributes_over_large_factors)
{
	struct rand r;
	int i;

	rand_seed(&r, 3);
	for (i = 0; i < ROUNDS; i++) {
		struct u256 a = random_number(&r), b = random_number(&r);
		uint64_t m = rand_u64(&r);
		struct u256 sum = u256_add(&a, &b), left = u256_mul(&sum, m);
		struct u256 x = u256_mul(&a, m), y = u256_mul(&b, m);
		struct u256 right = u256_add(&x, &y);

		assert_equal(&left, &right, i);
	}
}
END_TEST

/* Whether q is a / d: q * d <= a < q * d + d, for a d that q cannot overflow.
 */
static void assert_quotient(const struct u256 *a, uint64_t d,
			    const struct u256 *q, int round)
{
	struct u256 back = u256_mul(q, d), rest = u256_sub(a, &back);

	ck_assert_msg(u256_cmp(&back, a) <= 0, "round %d: too large", round);
	ck_assert_msg(!rest.w[1] && !rest.w[2] && !rest.w[3] && rest.w[0] < d,
		      "round %d: too small", round);
}

START_TEST(u256_div_leaves_a_rest_below_the_divisor)
{
	struct rand r;
	int i;

	rand_seed(&r, 4);
	for (i = 0; i < ROUNDS; i++) {
		struct u256 a = random_number(&r), q, long_q, d256 = {{0}};
		uint64_t d = rand_u64(&r) >> rand_below(&r, 64);

		if (d == 0)
			d = 1;
		d256.w[0] = d;
		q = u256_div_u64(&a, d);
		long_q = u256_div(&a, &d256);
		assert_quotient(&a, d, &q, i);
		assert_equal(&long_q, &q, i);
	}
}
END_TEST

/* A divisor of any size: (q * d) / d = q for a product that fits. */
START_TEST(u256_div_undoes_mul)
{
	struct rand r;
	int i;

	rand_seed(&r, 5);
	for (i = 0; i < ROUNDS; i++) {
		struct u256 d = random_number(&r), a, q, one = {{1}}, back;
		uint64_t m = rand_u64(&r) | 1;

		d.w[3] = 0;
		d = u256_add(&d, &one);
		a = u256_mul(&d, m);
		q = u256_div(&a, &d);
		back = (struct u256){{m}};
		assert_equal(&q, &back, i);
		a = u256_sub(&a, &one);
		q = u256_div(&a, &d);
		back.w[0]--;
		assert_equal(&q, &back, i);
	}
}
END_TEST

START_TEST(u256_bytes_round_trip)
{
	struct rand r;
	struct hash256 h;
	uint8_t b[32];
	int i, k;

	rand_seed(&r, 6);
	for (i = 0; i < ROUNDS; i++) {
		struct u256 a = random_number(&r), back;

		u256_to_be(b, &a);
		back = u256_from_be(b);
		assert_equal(&back, &a, i);
		for (k = 0; k < 32; k++)
			h.b[k] = b[31 - k];
		back = u256_from_hash(&h);
		assert_equal(&back, &a, i);
	}
}
END_TEST

START_TEST(u256_bits_counts_up_to_the_highest)
{
	struct u256 a = {{1}};
	unsigned n;

	for (n = 1; n <= 256; n++) {
		ck_assert_uint_eq(u256_bits(&a), n);
		a = u256_add(&a, &a);
	}
	ck_assert_uint_eq(u256_bits(&a), 0);
}
END_TEST

START_TEST(u256_double_is_the_sum_of_its_parts)
{
	struct u256 a = {{0, 1, 0, 0}};

	ck_assert_double_eq(u256_double(&a), 18446744073709551616.0);
	a = (struct u256){{3, 0, 0, 2}};
	ck_assert_double_eq(u256_double(&a), 1.2554203470773362e58);
}
END_TEST

/* Bitcoin Core's arith_uint256 tests; NULL: not usable as a target. */
static const struct {
	uint32_t bits, back;
	const char *target;
} compact[] = {
    {0, 0, NULL},
    {0x00123456, 0, NULL},
    {0x01003456, 0, NULL},
    {0x02000056, 0, NULL},
    {0x03000000, 0, NULL},
    {0x04000000, 0, NULL},
    {0x00923456, 0, NULL},
    {0x01803456, 0, NULL},
    {0x02800056, 0, NULL},
    {0x03800000, 0, NULL},
    {0x04800000, 0, NULL},
    {0x01123456, 0x01120000,
     "0000000000000000000000000000000000000000000000000000000000000012"},
    {0x02123456, 0x02123400,
     "0000000000000000000000000000000000000000000000000000000000001234"},
    {0x03123456, 0x03123456,
     "0000000000000000000000000000000000000000000000000000000000123456"},
    {0x04123456, 0x04123456,
     "0000000000000000000000000000000000000000000000000000000012345600"},
    {0x05009234, 0x05009234,
     "0000000000000000000000000000000000000000000000000000000092340000"},
    {0x20123456, 0x20123456,
     "1234560000000000000000000000000000000000000000000000000000000000"},
    {0x1d00ffff, 0x1d00ffff,
     "00000000ffff0000000000000000000000000000000000000000000000000000"},
    {0x207fffff, 0x207fffff,
     "7fffff0000000000000000000000000000000000000000000000000000000000"},
    {0x220000ff, 0x2100ff00,
     "ff00000000000000000000000000000000000000000000000000000000000000"},
    {0x2100ffff, 0x2100ffff,
     "ffff000000000000000000000000000000000000000000000000000000000000"},
    /* Negative. */
    {0x01fedcba, 0, NULL},
    {0x04923456, 0, NULL},
    /* Too large. */
    {0xff123456, 0, NULL},
    {0x23000001, 0, NULL},
    {0x21010001, 0, NULL},
    {0x22000100, 0, NULL},
    {0x22000101, 0, NULL},
    {0x21010000, 0, NULL},
};

START_TEST(target_from_bits_reads_the_compact_form)
{
	char what[16];
	struct u256 t;
	bool ok;

	snprintf(what, sizeof what, "%08x", compact[_i].bits);
	ok = target_from_bits(&t, compact[_i].bits);
	ck_assert_msg(ok == (compact[_i].target != NULL), "%s", what);
	if (!ok)
		return;
	assert_number(&t, compact[_i].target, what);
	ck_assert_uint_eq(target_to_bits(&t), compact[_i].back);
}
END_TEST

START_TEST(target_to_bits_keeps_the_top_of_any_number)
{
	struct rand r;
	struct u256 zero = {{0}};
	int i;

	ck_assert_uint_eq(target_to_bits(&zero), 0);
	rand_seed(&r, 7);
	for (i = 0; i < ROUNDS; i++) {
		struct u256 a = random_number(&r), t, rest;
		uint32_t bits;

		if (u256_is_zero(&a))
			continue;
		bits = target_to_bits(&a);
		ck_assert(target_from_bits(&t, bits));
		ck_assert_int_le(u256_cmp(&t, &a), 0);
		/* At least the top 15 bits survive. */
		rest = u256_sub(&a, &t);
		ck_assert(u256_is_zero(&rest) ||
			  u256_bits(&rest) + 15 <= u256_bits(&a));
		ck_assert_uint_eq(target_to_bits(&t), bits);
	}
}
END_TEST

START_TEST(work_of_bits_is_the_expected_number_of_hashes)
{
	struct u256 w = work_of_bits(0x1d00ffff);

	assert_number(
	    &w,
	    "0000000000000000000000000000000000000000000000000000000100010001",
	    "difficulty 1");
	w = work_of_bits(0x207fffff);
	ck_assert_uint_eq(w.w[0], 2);
	w = work_of_bits(0x03000001); /* a target of 1: half of all */
	assert_number(
	    &w,
	    "8000000000000000000000000000000000000000000000000000000000000000",
	    "target 1");
	w = work_of_bits(0x04923456);
	ck_assert(u256_is_zero(&w));
	w = work_of_bits(0);
	ck_assert(u256_is_zero(&w));
}
END_TEST

static bool pow_of(const char *shown_hash, uint32_t bits, enum chain_id id)
{
	struct hash256 h;

	ck_assert(hash256_parse(&h, shown_hash));
	return pow_ok(&h, bits, params_get(id));
}

START_TEST(pow_ok_accepts_a_hash_equal_to_the_target)
{
	ck_assert(pow_of("00000000ffff0000000000000000000000000000000000000000"
			 "000000000000",
			 0x1d00ffff, CHAIN_MAIN));
	ck_assert(!pow_of("00000000ffff0000000000000000000000000000000000000000"
			  "000000000001",
			  0x1d00ffff, CHAIN_MAIN));
}
END_TEST

START_TEST(pow_ok_refuses_targets_that_are_unusable_or_above_the_limit)
{
	static const char *const zero = "0000000000000000000000000000000000000"
					"000000000000000000000000000";

	ck_assert(pow_of(zero, 0x1d00ffff, CHAIN_MAIN));
	/* The limit is the number, not its compact form. */
	ck_assert(!pow_of(zero, 0x1d010000, CHAIN_MAIN));
	ck_assert(!pow_of(zero, 0x207fffff, CHAIN_MAIN));
	ck_assert(pow_of(zero, 0x207fffff, CHAIN_REGTEST));
	ck_assert(pow_of(zero, 0x1e0377ae, CHAIN_SIGNET));
	ck_assert(!pow_of(zero, 0x1e0377af, CHAIN_SIGNET));
	ck_assert(!pow_of(zero, 0, CHAIN_MAIN));
	ck_assert(!pow_of(zero, 0x1d80ffff, CHAIN_MAIN));
	ck_assert(!pow_of(zero, 0xff123456, CHAIN_MAIN));
}
END_TEST

START_TEST(difficulty_of_bits_is_what_getdifficulty_prints)
{
	static const struct {
		uint32_t bits;
		double want;
	} rows[] = {
	    {0x1d00ffff, 1.0},
	    {0x207fffff, 4.6565423739069247e-10},
	    {0x1b0404cb, 16307.420938523983},
	    {0x170331db, 88104191118793.16},
	    {0x1f111111, 0.000001},
	    {0x1df88f6f, 0.004023},
	};
	size_t i;

	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		double got = difficulty_of_bits(rows[i].bits);
		double tol = rows[i].want < 1e-6 ? 1e-15 : 1e-6;

		ck_assert_double_eq_tol(got, rows[i].want,
					rows[i].want > 1 ? rows[i].want * 1e-9
							 : tol);
	}
}
END_TEST

Suite *work_suite(void)
{
	Suite *s = suite_create("work");
	TCase *n = tcase_create("u256"), *t = tcase_create("targets");

	tcase_add_test(n, u256_sub_undoes_add);
	tcase_add_test(n, u256_add_and_sub_wrap_at_the_top);
	tcase_add_test(n, u256_mul_is_repeated_addition);
	tcase_add_test(n, u256_mul_distributes_over_large_factors);
	tcase_add_test(n, u256_div_leaves_a_rest_below_the_divisor);
	tcase_add_test(n, u256_div_undoes_mul);
	tcase_add_test(n, u256_bytes_round_trip);
	tcase_add_test(n, u256_bits_counts_up_to_the_highest);
	tcase_add_test(n, u256_double_is_the_sum_of_its_parts);
	suite_add_tcase(s, n);
	tcase_add_loop_test(t, target_from_bits_reads_the_compact_form, 0,
			    sizeof compact / sizeof *compact);
	tcase_add_test(t, target_to_bits_keeps_the_top_of_any_number);
	tcase_add_test(t, work_of_bits_is_the_expected_number_of_hashes);
	tcase_add_test(t, pow_ok_accepts_a_hash_equal_to_the_target);
	tcase_add_test(
	    t, pow_ok_refuses_targets_that_are_unusable_or_above_the_limit);
	tcase_add_test(t, difficulty_of_bits_is_what_getdifficulty_prints);
	suite_add_tcase(s, t);
	return s;
}
