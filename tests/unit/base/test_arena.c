/* The bump allocator. */
#include "suites.h"

#include <cairn/base/arena.h>
#include <cairn/base/rand.h>

#include <stdint.h>

static bool all_are(const uint8_t *p, size_t n, uint8_t v)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (p[i] != v)
			return false;
	}
	return true;
}

START_TEST(arena_gives_aligned_bytes_that_do_not_overlap)
{
	struct arena a;
	struct rand r;
	uint8_t *p[500];
	size_t n[500], i;

	rand_seed(&r, 1);
	arena_init(&a, 1 << 24);
	for (i = 0; i < 500; i++) {
		n[i] = (size_t)rand_below(&r, 20000);
		p[i] = arena_alloc(&a, n[i]);
		ck_assert_ptr_nonnull(p[i]);
		ck_assert_uint_eq((uintptr_t)p[i] % 16, 0);
		memset(p[i], (int)(i & 0xff), n[i]);
	}
	for (i = 0; i < 500; i++)
		ck_assert_msg(all_are(p[i], n[i], (uint8_t)i), "piece %zu", i);
	arena_fini(&a);
}
END_TEST

START_TEST(arena_gives_distinct_places_for_no_bytes)
{
	struct arena a;
	void *p, *q;

	arena_init(&a, 64);
	p = arena_alloc(&a, 0);
	q = arena_alloc(&a, 0);
	ck_assert_ptr_nonnull(p);
	ck_assert_ptr_nonnull(q);
	ck_assert_ptr_ne(p, q);
	arena_fini(&a);
}
END_TEST

START_TEST(arena_refuses_one_byte_past_its_limit)
{
	struct arena a;

	arena_init(&a, 160);
	ck_assert_ptr_null(arena_alloc(&a, 161));
	ck_assert_ptr_nonnull(arena_alloc(&a, 144));
	ck_assert_ptr_null(arena_alloc(&a, 17));
	ck_assert_ptr_nonnull(arena_alloc(&a, 16));
	ck_assert_uint_eq(a.used, 160);
	ck_assert_ptr_null(arena_alloc(&a, 1));
	arena_fini(&a);
}
END_TEST

START_TEST(arena_refuses_sizes_near_the_largest)
{
	struct arena a;
	size_t k;

	arena_init(&a, SIZE_MAX);
	for (k = 0; k < 64; k++)
		ck_assert_ptr_null(arena_alloc(&a, SIZE_MAX - k));
	ck_assert_uint_eq(a.used, 0);
	arena_fini(&a);
}
END_TEST

static void fill(struct arena *a, void **p)
{
	size_t i;

	for (i = 0; i < 100; i++) {
		p[i] = arena_alloc(a, 100 * i);
		ck_assert_ptr_nonnull(p[i]);
	}
}

START_TEST(arena_reset_hands_out_the_same_memory_again)
{
	struct arena a;
	void *first[100], *again[100];

	arena_init(&a, 1 << 20);
	fill(&a, first);
	arena_reset(&a);
	ck_assert_uint_eq(a.used, 0);
	fill(&a, again);
	ck_assert_mem_eq(first, again, sizeof first);
	arena_fini(&a);
}
END_TEST

START_TEST(arena_fini_of_an_unused_arena_is_fine_and_may_repeat)
{
	struct arena a;

	arena_init(&a, 10);
	arena_reset(&a);
	arena_fini(&a);
	arena_fini(&a);
}
END_TEST

Suite *arena_suite(void)
{
	Suite *s = suite_create("arena");
	TCase *tc = tcase_create("arena");

	tcase_add_test(tc, arena_gives_aligned_bytes_that_do_not_overlap);
	tcase_add_test(tc, arena_gives_distinct_places_for_no_bytes);
	tcase_add_test(tc, arena_refuses_one_byte_past_its_limit);
	tcase_add_test(tc, arena_refuses_sizes_near_the_largest);
	tcase_add_test(tc, arena_reset_hands_out_the_same_memory_again);
	tcase_add_test(tc,
		       arena_fini_of_an_unused_arena_is_fine_and_may_repeat);
	suite_add_tcase(s, tc);
	return s;
}
