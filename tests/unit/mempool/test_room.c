/* The pool's bounds in bytes and age, and the rate that is asked after it was
 * full. */
#include "lab.h"
#include "suites.h"

#include <cairn/base/buf.h>
#include <cairn/base/rand.h>

#include <stdlib.h>

#define HOUR 3600

START_TEST(what_pays_worst_leaves)
{
	struct entry *e;
	struct lab lab;
	int64_t least = INT64_MAX;
	size_t n;

	lab_init(&lab, 100000);
	for (int i = 0; i < 300; i++)
		lab_put(&lab, NULL, 0, 1, 0, 1000 + i * 7919 % 300);
	ck_assert_int_gt(pool_usage(lab.m), 100000);
	pool_make_room(lab.m, 0);
	ck_assert_int_le(pool_usage(lab.m), 100000);
	lab_check(&lab);
	n = lab.m->ix->by_age.n;
	ck_assert_uint_gt(n, 50);
	for (size_t i = 0; i < n; i++) {
		e = lab.m->ix->by_age.v[i];
		least = e->tx.fee < least ? e->tx.fee : least;
	}
	/* Fees were 1000 to 1299, each once: the n best are here. */
	ck_assert_int_eq(least, 1300 - (int64_t)n);
	ck_assert_uint_eq(lab.removed[MEMPOOL_SIZELIMIT], 300 - n);
	lab_fini(&lab);
}
END_TEST

/* A parent that pays nothing is kept by a child that pays much. */
START_TEST(a_child_keeps_its_parent)
{
	struct hash256 parent, single;
	struct entry *e;
	struct lab lab;

	lab_init(&lab, 1 << 24);
	e = lab_put(&lab, NULL, 0, 1, 0, 0);
	parent = e->tx.txid;
	lab_child(&lab, e, 0, 1, 9000);
	single = lab_put(&lab, NULL, 0, 1, 0, 1000)->tx.txid;
	lab.m->cfg.max_bytes = pool_usage(lab.m) - 1;
	pool_make_room(lab.m, 0);
	ck_assert_ptr_nonnull(pool_find(lab.m, &parent));
	ck_assert_ptr_null(pool_find(lab.m, &single));
	lab_fini(&lab);
}
END_TEST

START_TEST(an_empty_pool_may_be_over_its_bound)
{
	struct lab lab;

	lab_init(&lab, 0);
	lab_put(&lab, NULL, 0, 1, 0, 1000);
	pool_make_room(lab.m, 0);
	ck_assert_uint_eq(lab.m->ix->by_age.n, 0);
	ck_assert_int_eq(pool_usage(lab.m), lab.empty);
	lab_fini(&lab);
}
END_TEST

/* Any pool that grows and is cut, again and again. */
START_TEST(the_bound_holds_after_every_change)
{
	struct rand rand;
	struct lab lab;

	rand_seed(&rand, 5);
	lab_init(&lab, 60000);
	for (int i = 0; i < 3000; i++) {
		const struct heap *h = &lab.m->ix->by_age;
		struct entry *e = NULL;

		if (h->n)
			e = h->v[rand_below(&rand, h->n)];
		if (e && e->cluster->n < 60 && !e->cluster->children[e->slot])
			lab_child(&lab, e, 0, 1 + (uint32_t)(i % 3),
				  (int64_t)rand_below(&rand, 9000));
		else
			lab_put(&lab, NULL, 0, 2,
				(uint32_t)rand_below(&rand, 9000),
				(int64_t)rand_below(&rand, 9000));
		pool_make_room(lab.m, 0);
		ck_assert_int_le(pool_usage(lab.m), 60000);
	}
	lab_check(&lab);
	ck_assert_uint_gt(lab.m->ix->by_age.n, 20);
	lab_fini(&lab);
}
END_TEST

/* A pool from which one of rate 10,000 was just dropped. */
static void full(struct lab *lab)
{
	struct entry *e;

	lab_init(lab, 1 << 24);
	e = lab_put(lab, NULL, 0, 1, 0, 0);
	mempool_prioritise(lab->m, &e->tx.txid, e->tx.vsize * 10);
	lab->m->cfg.max_bytes = lab->empty;
	pool_make_room(lab->m, 0);
	ck_assert_uint_eq(lab->removed[MEMPOOL_SIZELIMIT], 1);
	lab->m->cfg.max_bytes = 1 << 24;
}

START_TEST(a_full_pool_asks_more_than_what_left_paid)
{
	struct lab lab;

	full(&lab);
	ck_assert_int_eq(pool_full_rate(lab.m, 0), 10000 + 100);
	/* It does not fall before a block came. */
	ck_assert_int_eq(pool_full_rate(lab.m, 1000 * HOUR), 10100);
	lab_fini(&lab);
}
END_TEST

START_TEST(what_is_asked_falls_by_half)
{
	struct lab lab;
	int64_t used;

	full(&lab);
	lab_put(&lab, NULL, 0, 1, 0, 5000);
	used = pool_usage(lab.m);
	lab.m->cfg.max_bytes = used;
	lab_mine(&lab, NULL, 0, 100);
	ck_assert_int_eq(pool_full_rate(lab.m, 110), 10100);
	ck_assert_int_eq(pool_full_rate(lab.m, 100 + 12 * HOUR), 5050);
	/* Faster the emptier it is. */
	lab.m->cfg.max_bytes = used * 3;
	ck_assert_int_eq(pool_full_rate(lab.m, 100 + 18 * HOUR), 2525);
	lab.m->cfg.max_bytes = used * 5;
	ck_assert_int_eq(pool_full_rate(lab.m, 100 + 21 * HOUR), 1263);
	/* Never less than the increment, until it is below half of that. */
	ck_assert_int_eq(pool_full_rate(lab.m, 100 + 33 * HOUR), 100);
	ck_assert_int_eq(pool_min_rate(lab.m, 100 + 33 * HOUR), 100);
	ck_assert_int_eq(pool_full_rate(lab.m, 100 + 36 * HOUR), 0);
	ck_assert_int_eq(pool_min_rate(lab.m, 100 + 36 * HOUR), 100);
	lab_fini(&lab);
}
END_TEST

START_TEST(a_pool_that_is_full_again_waits_for_a_block)
{
	struct entry *e;
	struct lab lab;

	full(&lab);
	lab_mine(&lab, NULL, 0, 0);
	ck_assert_int_eq(pool_full_rate(lab.m, 3 * HOUR), 5050);
	e = lab_put(&lab, NULL, 0, 1, 0, 0);
	mempool_prioritise(lab.m, &e->tx.txid, e->tx.vsize * 20);
	lab.m->cfg.max_bytes = lab.empty;
	pool_make_room(lab.m, 0);
	lab.m->cfg.max_bytes = 1 << 24;
	ck_assert_int_eq(pool_full_rate(lab.m, 9 * HOUR), 20100);
	lab_mine(&lab, NULL, 0, 9 * HOUR);
	ck_assert_int_eq(pool_full_rate(lab.m, 12 * HOUR), 10050);
	/* What pays less than is asked already changes nothing. */
	e = lab_put(&lab, NULL, 0, 1, 0, 0);
	mempool_prioritise(lab.m, &e->tx.txid, e->tx.vsize);
	lab.m->cfg.max_bytes = lab.empty;
	pool_make_room(lab.m, 0);
	lab.m->cfg.max_bytes = 1 << 24;
	ck_assert_int_eq(pool_full_rate(lab.m, 15 * HOUR), 5025);
	lab_fini(&lab);
}
END_TEST

START_TEST(the_old_leave_with_all_that_builds_on_them)
{
	struct mempool_tx t;
	struct entry *e;
	struct lab lab;

	lab_init(&lab, 1 << 24);
	/* The clock went back in between. */
	lab_put(&lab, NULL, 0, 1, 0, 1000); /* at 5,000 */
	t = lab_tx(&lab, NULL, 0, 1, 0, 1000);
	t.time_s = 4000;
	e = pool_insert(lab.m, &t);
	buf_unref(t.buf);
	lab_child(&lab, e, 0, 1, 1000); /* at 5,000 again */
	mempool_expire(lab.m, 5000);
	ck_assert_uint_eq(lab.removed[MEMPOOL_EXPIRY], 0);
	mempool_expire(lab.m, 5001);
	ck_assert_uint_eq(lab.removed[MEMPOOL_EXPIRY], 2);
	ck_assert_uint_eq(lab.m->ix->by_age.n, 1);
	lab_check(&lab);
	lab_fini(&lab);
}
END_TEST

Suite *room_suite(void)
{
	Suite *s = suite_create("room");
	TCase *tc = tcase_create("room");

	tcase_add_test(tc, what_pays_worst_leaves);
	tcase_add_test(tc, a_child_keeps_its_parent);
	tcase_add_test(tc, an_empty_pool_may_be_over_its_bound);
	tcase_add_test(tc, the_bound_holds_after_every_change);
	tcase_add_test(tc, a_full_pool_asks_more_than_what_left_paid);
	tcase_add_test(tc, what_is_asked_falls_by_half);
	tcase_add_test(tc, a_pool_that_is_full_again_waits_for_a_block);
	tcase_add_test(tc, the_old_leave_with_all_that_builds_on_them);
	suite_add_tcase(s, tc);
	return s;
}
