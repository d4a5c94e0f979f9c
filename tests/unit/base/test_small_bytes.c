/* Bytes inline or in one allocation. */
#include "suites.h"

#include <cairn/base/err.h>
#include <cairn/base/rand.h>
#include <cairn/base/small_bytes.h>

#include <stdint.h>

static void pattern(uint8_t *p, size_t n, unsigned seed)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)(i * 7 + seed);
}

static void check_is(const struct small_bytes *s, const uint8_t *p, size_t n)
{
	struct slice v = small_bytes_slice(s);

	ck_assert_uint_eq(v.n, n);
	ck_assert_uint_eq(small_bytes_n(s), n);
	if (n)
		ck_assert_mem_eq(v.p, p, n);
}

START_TEST(a_value_of_every_length_reads_as_it_was_set)
{
	uint8_t src[300];

	for (size_t n = 0; n <= sizeof src; n++) {
		struct small_bytes s;
		/* Exactly as long as the value: a copy that reads past it is
		 * an error that the sanitizers see. */
		uint8_t *v = malloc(n ? n : 1);

		ck_assert_ptr_nonnull(v);
		pattern(src, n, (unsigned)n);
		if (n)
			memcpy(v, src, n);
		small_bytes_init(&s);
		ck_assert_int_eq(small_bytes_set(&s, slice_of(v, n)), 0);
		free(v);
		check_is(&s, src, n);
		ck_assert_int_eq(small_bytes_is_inline(&s), n <= 36);
		ck_assert_uint_eq(small_bytes_cap(&s), n <= 36 ? 36 : n);
		small_bytes_fini(&s);
		ck_assert_uint_eq(small_bytes_n(&s), 0);
	}
}
END_TEST

START_TEST(it_takes_40_bytes)
{
	ck_assert_uint_eq(sizeof(struct small_bytes), 40);
	ck_assert_uint_eq(_Alignof(struct small_bytes), 4);
}
END_TEST

START_TEST(a_zeroed_one_is_empty)
{
	struct small_bytes s = {0};

	check_is(&s, NULL, 0);
	ck_assert(small_bytes_is_inline(&s));
	small_bytes_fini(&s);
}
END_TEST

START_TEST(an_allocation_serves_the_values_that_follow)
{
	uint8_t src[200];
	struct small_bytes s = {0};
	uint8_t *p;

	pattern(src, sizeof src, 3);
	ck_assert_int_eq(small_bytes_set(&s, slice_of(src, 200)), 0);
	p = small_bytes_p(&s);
	ck_assert_int_eq(small_bytes_set(&s, slice_of(src + 1, 10)), 0);
	check_is(&s, src + 1, 10);
	ck_assert_ptr_eq(small_bytes_p(&s), p);
	ck_assert_int_eq(small_bytes_set(&s, slice_of(src + 2, 150)), 0);
	check_is(&s, src + 2, 150);
	ck_assert_ptr_eq(small_bytes_p(&s), p);
	ck_assert_uint_eq(small_bytes_cap(&s), 200);
	small_bytes_fini(&s);
}
END_TEST

START_TEST(resizing_keeps_the_beginning_across_both_forms)
{
	static const size_t steps[] = {5, 36, 37, 500, 37, 36, 0, 36, 501, 20};
	uint8_t model[600];
	struct small_bytes s = {0};
	size_t n = 0;

	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		size_t keep = n < steps[i] ? n : steps[i];

		ck_assert_int_eq(small_bytes_resize(&s, steps[i]), 0);
		n = steps[i];
		ck_assert_uint_eq(small_bytes_n(&s), n);
		ck_assert_mem_eq(small_bytes_p(&s), model, keep);
		pattern(small_bytes_p(&s) + keep, n - keep, (unsigned)i);
		memcpy(model + keep, small_bytes_p(&s) + keep, n - keep);
	}
	small_bytes_fini(&s);
}
END_TEST

START_TEST(too_long_a_value_is_refused_and_nothing_changes)
{
	struct small_bytes s = {0};

	ck_assert_int_eq(small_bytes_set(&s, slice_of("abc", 3)), 0);
	ck_assert_int_eq(small_bytes_resize(&s, (size_t)SMALL_BYTES_MAX + 1),
			 E_LIMIT);
	ck_assert_int_eq(small_bytes_resize(&s, SIZE_MAX), E_LIMIT);
	check_is(&s, (const uint8_t *)"abc", 3);
	small_bytes_fini(&s);
}
END_TEST

START_TEST(a_move_leaves_the_source_empty)
{
	static const size_t lens[] = {0, 1, 36, 37, 400};
	uint8_t src[400];

	pattern(src, sizeof src, 9);
	for (size_t i = 0; i < 5; i++) {
		for (size_t k = 0; k < 5; k++) {
			struct small_bytes a = {0}, b = {0};
			struct slice v = slice_of(src, lens[i]);
			struct slice w = slice_of(src + 1, lens[k] ? 1 : 0);

			ck_assert_int_eq(small_bytes_set(&a, v), 0);
			ck_assert_int_eq(small_bytes_resize(&b, lens[k]), 0);
			ck_assert_int_eq(small_bytes_set(&b, w), 0);
			small_bytes_move(&b, &a);
			check_is(&b, src, lens[i]);
			check_is(&a, NULL, 0);
			small_bytes_fini(&a);
			check_is(&b, src, lens[i]);
			small_bytes_fini(&b);
		}
	}
}
END_TEST

START_TEST(trimming_gives_back_what_is_not_needed)
{
	uint8_t src[400];
	struct small_bytes s = {0};

	pattern(src, sizeof src, 1);
	ck_assert_int_eq(small_bytes_set(&s, slice_of(src, 400)), 0);
	small_bytes_trim(&s);
	ck_assert_uint_eq(small_bytes_cap(&s), 400);
	ck_assert_int_eq(small_bytes_resize(&s, 100), 0);
	small_bytes_trim(&s);
	ck_assert_uint_eq(small_bytes_cap(&s), 100);
	check_is(&s, src, 100);
	ck_assert_int_eq(small_bytes_resize(&s, 36), 0);
	ck_assert(!small_bytes_is_inline(&s));
	small_bytes_trim(&s);
	ck_assert(small_bytes_is_inline(&s));
	check_is(&s, src, 36);
	small_bytes_trim(&s);
	check_is(&s, src, 36);
	small_bytes_fini(&s);
}
END_TEST

/* Against a plain array, 20,000 random steps. */
START_TEST(random_steps_agree_with_an_array)
{
	uint8_t model[256] = {0}, src[256];
	struct small_bytes s = {0};
	struct rand r;
	size_t n = 0;

	rand_seed(&r, 7);
	for (unsigned i = 0; i < 20000; i++) {
		size_t want = (size_t)rand_below(&r, 120);

		if (rand_below(&r, 3) == 0) {
			ck_assert_int_eq(small_bytes_resize(&s, want), 0);
			for (size_t k = n; k < want; k++)
				small_bytes_p(&s)[k] = model[k] = 0x5a;
		} else {
			pattern(src, want, i);
			memcpy(model, src, want);
			ck_assert_int_eq(
			    small_bytes_set(&s, slice_of(src, want)), 0);
		}
		if (rand_below(&r, 5) == 0)
			small_bytes_trim(&s);
		n = want;
		check_is(&s, model, n);
	}
	small_bytes_fini(&s);
}
END_TEST

Suite *small_bytes_suite(void)
{
	Suite *s = suite_create("small_bytes");
	TCase *t = tcase_create("small_bytes");

	tcase_add_test(t, a_value_of_every_length_reads_as_it_was_set);
	tcase_add_test(t, it_takes_40_bytes);
	tcase_add_test(t, a_zeroed_one_is_empty);
	tcase_add_test(t, an_allocation_serves_the_values_that_follow);
	tcase_add_test(t, resizing_keeps_the_beginning_across_both_forms);
	tcase_add_test(t, too_long_a_value_is_refused_and_nothing_changes);
	tcase_add_test(t, a_move_leaves_the_source_empty);
	tcase_add_test(t, trimming_gives_back_what_is_not_needed);
	tcase_add_test(t, random_steps_agree_with_an_array);
	suite_add_tcase(s, t);
	return s;
}
