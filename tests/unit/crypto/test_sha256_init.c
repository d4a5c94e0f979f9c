/* The choice of kernels at start and the self-test that guards it. */
#include "suites.h"

#include "../../../src/crypto/lanes.h"

#include <cairn/crypto/sha256.h>

#include <stdlib.h>

START_TEST(start_finds_every_kernel_truthful_and_names_the_chosen)
{
	const struct sha256_choice *c = sha256_chosen();

	ck_assert_int_eq(crypto_init(), 0);
	ck_assert_ptr_nonnull(strstr(crypto_lanes(), c->one->name));
	ck_assert_uint_eq(c->one->width, 1);
	ck_assert(c->one->usable());
	for (unsigned i = 0; i < c->n_levels; i++) {
		ck_assert_ptr_nonnull(
		    strstr(crypto_lanes(), c->level[i].lanes->name));
		ck_assert(c->level[i].lanes->usable());
	}
}
END_TEST

START_TEST(the_chosen_become_narrower_and_are_taken_for_fewer_messages)
{
	const struct sha256_choice *c = sha256_chosen();
	unsigned width = 1;

	ck_assert_int_eq(crypto_init(), 0);
	for (unsigned i = c->n_levels; i > 0; i--) {
		ck_assert_uint_gt(c->level[i - 1].lanes->width, width);
		width = c->level[i - 1].lanes->width;
		ck_assert_uint_gt(c->level[i - 1].min, 1);
		ck_assert_uint_le(c->level[i - 1].min, width);
	}
}
END_TEST

START_TEST(hashes_before_start_use_the_portable_code)
{
	uint8_t got[32], want[32];

	/* Tests run in processes of their own, so nothing chose before. */
	if (getenv("CK_FORK") && strcmp(getenv("CK_FORK"), "no") == 0)
		return;
	ck_assert_ptr_eq(sha256_chosen()->one, &sha256_portable);
	sha256_once(got, "abc", 3);
	evp_sha256(want, "abc", 3);
	ck_assert_mem_eq(got, want, 32);
}
END_TEST

static int broken_at;
static int runs;

/* Right until the run number broken_at, which flips one bit. */
static void broken_run(uint32_t *state, const uint8_t *const *p, size_t blocks)
{
	sha256_portable.run(state, p, blocks);
	if (runs++ == broken_at)
		state[7] ^= 1;
}

START_TEST(the_self_test_sees_one_wrong_bit_in_any_run)
{
	struct sha256_lanes broken = sha256_portable;
	int total;

	broken.run = broken_run;
	broken_at = -1;
	ck_assert(sha256_lanes_agree(&broken));
	total = runs;
	ck_assert_int_gt(total, 80);
	for (broken_at = 0; broken_at < total; broken_at++) {
		runs = 0;
		ck_assert_msg(!sha256_lanes_agree(&broken), "run %d",
			      broken_at);
	}
}
END_TEST

static void broken_d64(uint8_t *out, const uint8_t *in)
{
	struct hash256 h;

	evp_sha256d(&h, in, 64);
	memcpy(out, h.b, 32);
	out[31] ^= 0x80;
}

START_TEST(the_self_test_sees_a_wrong_merkle_row)
{
	struct sha256_lanes broken = sha256_portable;

	broken.d64 = broken_d64;
	ck_assert(!sha256_lanes_agree(&broken));
}
END_TEST

Suite *sha256_init_suite(void)
{
	Suite *s = suite_create("sha256_init");
	TCase *t = tcase_create("init");

	tcase_add_test(t, hashes_before_start_use_the_portable_code);
	tcase_add_test(t,
		       start_finds_every_kernel_truthful_and_names_the_chosen);
	tcase_add_test(
	    t, the_chosen_become_narrower_and_are_taken_for_fewer_messages);
	tcase_add_test(t, the_self_test_sees_one_wrong_bit_in_any_run);
	tcase_add_test(t, the_self_test_sees_a_wrong_merkle_row);
	suite_add_tcase(s, t);
	return s;
}
