/* The hash table against a plain array. */
#include "suites.h"

#include <cairn/base/endian.h>
#include <cairn/base/hmap.h>
#include <cairn/base/rand.h>

#define KEYS 3000

static struct hash256 keys[KEYS];
static int vals[KEYS];

/* Keys that differ only in their last bytes: the mix must read all of them. */
static void setup(void)
{
	size_t i;

	memset(keys, 0, sizeof keys);
	for (i = 0; i < KEYS; i++)
		le32_put(keys[i].b + 28, (uint32_t)i);
}

START_TEST(hmap_of_nothing_finds_nothing)
{
	struct hmap m;
	size_t i = 0;

	hmap_init(&m);
	ck_assert_ptr_null(hmap_get(&m, &keys[0]));
	ck_assert_ptr_null(hmap_del(&m, &keys[0]));
	ck_assert_ptr_null(hmap_next(&m, &i));
	hmap_fini(&m);
}
END_TEST

START_TEST(hmap_put_replaces_key_and_value)
{
	struct hmap m;
	struct hash256 copy = keys[5];

	hmap_init(&m);
	hmap_put(&m, &keys[5], &vals[1]);
	hmap_put(&m, &copy, &vals[2]);
	memset(&keys[5], 0xff, 32);
	ck_assert_uint_eq(m.n, 1);
	ck_assert_ptr_eq(hmap_get(&m, &copy), &vals[2]);
	hmap_fini(&m);
}
END_TEST

static void compare(const struct hmap *m, const bool *in)
{
	size_t i, n = 0, wrong = 0;

	for (i = 0; i < KEYS; i++) {
		void *want = in[i] ? &vals[i] : NULL;

		wrong += hmap_get(m, &keys[i]) != want;
		n += in[i];
	}
	ck_assert_uint_eq(wrong, 0);
	ck_assert_uint_eq(m->n, n);
}

START_TEST(hmap_agrees_with_an_array_over_random_puts_and_dels)
{
	static bool in[KEYS];
	struct hmap m;
	struct rand r;
	int step, wrong = 0;

	memset(in, 0, sizeof in);
	rand_seed(&r, 9);
	hmap_init(&m);
	for (step = 0; step < 40000; step++) {
		size_t k = (size_t)rand_below(&r, KEYS);

		if (rand_u64(&r) & 1) {
			hmap_put(&m, &keys[k], &vals[k]);
			in[k] = true;
		} else {
			void *want = in[k] ? &vals[k] : NULL;

			wrong += hmap_del(&m, &keys[k]) != want;
			in[k] = false;
		}
		if (step % 4000 == 0)
			compare(&m, in);
	}
	compare(&m, in);
	ck_assert_int_eq(wrong, 0);
	hmap_fini(&m);
}
END_TEST

START_TEST(hmap_stays_right_when_every_key_shares_one_small_table)
{
	bool in[10] = {false};
	struct hmap m;
	struct rand r;
	int step, wrong = 0;

	rand_seed(&r, 10);
	hmap_init(&m);
	for (step = 0; step < 20000; step++) {
		size_t k = (size_t)rand_below(&r, 10), i;

		if (in[k])
			wrong += hmap_del(&m, &keys[k]) != &vals[k];
		else
			hmap_put(&m, &keys[k], &vals[k]);
		in[k] = !in[k];
		for (i = 0; i < 10; i++)
			wrong += (hmap_get(&m, &keys[i]) != NULL) != in[i];
	}
	ck_assert_int_eq(wrong, 0);
	ck_assert_uint_eq(m.cap, 16);
	hmap_fini(&m);
}
END_TEST

START_TEST(hmap_walk_visits_each_value_once)
{
	static unsigned seen[KEYS];
	struct hmap m;
	size_t i;
	int *v;

	memset(seen, 0, sizeof seen);
	hmap_init(&m);
	for (i = 0; i < KEYS; i++)
		hmap_put(&m, &keys[i], &vals[i]);
	for (i = 0; (v = hmap_next(&m, &i)) != NULL;)
		seen[v - vals]++;
	for (i = 0; i < KEYS; i++)
		ck_assert_uint_eq(seen[i], 1);
	hmap_fini(&m);
}
END_TEST

/* A bad mix would put similar keys side by side: watch the longest run. */
START_TEST(hmap_spreads_keys_that_differ_in_few_bits)
{
	struct hmap m;
	size_t i, run = 0, longest = 0;

	hmap_init(&m);
	for (i = 0; i < KEYS; i++)
		hmap_put(&m, &keys[i], &vals[i]);
	for (i = 0; i < m.cap; i++) {
		run = m.slots[i].val ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	ck_assert_uint_lt(longest, 400);
	hmap_fini(&m);
}
END_TEST

START_TEST(hmap_salts_differ_between_tables)
{
	struct hmap a, b;

	hmap_init(&a);
	hmap_init(&b);
	ck_assert_mem_ne(a.salt, b.salt, sizeof a.salt);
	hmap_fini(&a);
	hmap_fini(&b);
}
END_TEST

Suite *hmap_suite(void)
{
	Suite *s = suite_create("hmap");
	TCase *tc = tcase_create("hmap");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, hmap_of_nothing_finds_nothing);
	tcase_add_test(tc, hmap_put_replaces_key_and_value);
	tcase_add_test(tc, hmap_agrees_with_an_array_over_random_puts_and_dels);
	tcase_add_test(tc,
		       hmap_stays_right_when_every_key_shares_one_small_table);
	tcase_add_test(tc, hmap_walk_visits_each_value_once);
	tcase_add_test(tc, hmap_spreads_keys_that_differ_in_few_bits);
	tcase_add_test(tc, hmap_salts_differ_between_tables);
	suite_add_tcase(s, tc);
	return s;
}
