/* The table of ids and outpoints, and the heap, against plain arrays. */
#include "suites.h"

#include "../../../src/mempool/heap.h"
#include "../../../src/mempool/table.h"

#include <cairn/base/endian.h>
#include <cairn/base/rand.h>

#include <stdlib.h>
#include <string.h>

enum { KEYS = 3000, KEY_SIZE = 36 };

struct thing {
	uint8_t key[KEY_SIZE];
	uint64_t rank;
	size_t at;
	bool in;
};

/* Outpoints of few transactions: keys that differ at their end alone. */
static struct thing *things(struct rand *r)
{
	struct thing *t = calloc(KEYS, sizeof *t);

	for (uint32_t i = 0; i < KEYS; i++) {
		memset(t[i].key, (int)(i / 1000), 32);
		le32_put(t[i].key + 32, i);
		t[i].rank = rand_below(r, KEYS);
	}
	return t;
}

static void check_table(const struct table *t, const struct thing *all,
			size_t n)
{
	size_t seen = 0, i = 0;

	ck_assert_uint_eq(t->n, n);
	while (table_next(t, &i))
		seen++;
	ck_assert_uint_eq(seen, n);
	for (i = 0; i < KEYS; i++) {
		if (table_get(t, all[i].key) != (all[i].in ? &all[i] : NULL))
			ck_abort_msg("key %zu", i);
	}
}

/* Between an eighth and two thirds full, or small. */
static void check_load(const struct table *t)
{
	if (t->n > t->cap / 3 * 2)
		ck_abort_msg("%zu in %zu", t->n, t->cap);
	if (t->cap > 16 && t->n < t->cap / 8)
		ck_abort_msg("only %zu in %zu", t->n, t->cap);
	if (t->n == 0)
		ck_assert_uint_eq(table_memory(t), 0);
}

START_TEST(a_table_holds_what_was_put_in)
{
	struct thing *all;
	struct table t;
	struct rand r;
	size_t n = 0, resized = 0, cap = 0;

	rand_seed(&r, 3);
	all = things(&r);
	table_init(&t, KEY_SIZE);
	for (int i = 0; i < 40000; i++) {
		struct thing *x = &all[rand_below(&r, KEYS)];
		bool grow = i % 20000 < 12000;

		if (x->in && (!grow || i % 3 == 0)) {
			ck_assert_ptr_eq(table_del(&t, x->key), x);
			x->in = false;
			n--;
		} else if (!x->in && (grow || i % 9 == 0)) {
			table_put(&t, x->key, x);
			x->in = true;
			n++;
		}
		resized += t.cap != cap;
		cap = t.cap;
		check_load(&t);
		if (i % 500 == 0)
			check_table(&t, all, n);
	}
	/* Not at every step to and fro. */
	ck_assert_uint_lt(resized, 60);
	for (int i = 0; i < KEYS; i++)
		ck_assert_ptr_eq(table_del(&t, all[i].key),
				 all[i].in ? &all[i] : NULL);
	check_load(&t);
	table_fini(&t);
	free(all);
}
END_TEST

static bool before(const void *a, const void *b)
{
	return ((const struct thing *)a)->rank <
	       ((const struct thing *)b)->rank;
}

static void moved(void *item, size_t at)
{
	((struct thing *)item)->at = at;
}

static size_t place(const void *item)
{
	return ((const struct thing *)item)->at;
}

START_TEST(a_heap_gives_the_first)
{
	static const struct heap_kind kind = {before, moved, place};
	struct thing *all;
	struct heap h;
	struct rand r;
	uint64_t last = 0;

	rand_seed(&r, 4);
	all = things(&r);
	heap_init(&h, &kind);
	ck_assert_ptr_null(heap_top(&h));
	for (int i = 0; i < 9000; i++) {
		struct thing *x = &all[rand_below(&r, KEYS)];

		if (x->in)
			heap_del(&h, x);
		else
			heap_put(&h, x);
		x->in = !x->in;
		for (size_t k = 1; i % 100 == 0 && k < h.n; k++)
			ck_assert(!before(h.v[k], h.v[(k - 1) / 2]));
	}
	ck_assert_uint_gt(h.n, 1000);
	while (h.n) {
		struct thing *x = heap_top(&h);

		ck_assert_uint_ge(x->rank, last);
		last = x->rank;
		heap_del(&h, x);
	}
	ck_assert_uint_eq(heap_memory(&h), 0);
	heap_fini(&h);
	free(all);
}
END_TEST

Suite *table_suite(void)
{
	Suite *s = suite_create("table");
	TCase *tc = tcase_create("table");

	tcase_add_test(tc, a_table_holds_what_was_put_in);
	tcase_add_test(tc, a_heap_gives_the_first);
	suite_add_tcase(s, tc);
	return s;
}
