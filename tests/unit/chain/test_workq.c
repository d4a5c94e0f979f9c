/* The work queue: order, lanes, sharing, closing. */
#include "suites.h"

#include "../../../src/chain/workq.h"

#include <cairn/base/clock.h>
#include <cairn/base/thread.h>

#include <stdlib.h>

static void put(struct workq *q, enum work_lane lane, struct work *w)
{
	struct worklist one = {NULL, NULL};

	worklist_add(&one, w);
	ck_assert(workq_put(q, lane, &one));
	ck_assert_ptr_null(one.first);
}

START_TEST(list_gives_back_what_was_added_in_order)
{
	struct worklist a = {NULL, NULL}, b = {NULL, NULL};
	struct work w[5];
	int i;

	for (i = 0; i < 5; i++)
		worklist_add(i < 2 ? &a : &b, &w[i]);
	worklist_join(&a, &b);
	worklist_join(&a, &b);
	ck_assert_ptr_null(b.first);
	for (i = 0; i < 5; i++)
		ck_assert_ptr_eq(worklist_pop(&a), &w[i]);
	ck_assert_ptr_null(worklist_pop(&a));
	ck_assert_ptr_null(a.last);
}
END_TEST

START_TEST(take_moves_both_lanes_and_does_not_wait_when_told)
{
	struct worklist in[LANES] = {{NULL, NULL}, {NULL, NULL}};
	struct work w[3];
	struct workq q;

	workq_init(&q);
	ck_assert(workq_take(&q, in, 0));
	ck_assert_ptr_null(in[LANE_BLOCK].first);
	put(&q, LANE_BLOCK, &w[0]);
	put(&q, LANE_CONTROL, &w[1]);
	put(&q, LANE_BLOCK, &w[2]);
	ck_assert(workq_take(&q, in, WORKQ_FOREVER));
	ck_assert_ptr_eq(worklist_pop(&in[LANE_BLOCK]), &w[0]);
	ck_assert_ptr_eq(worklist_pop(&in[LANE_BLOCK]), &w[2]);
	ck_assert_ptr_eq(worklist_pop(&in[LANE_CONTROL]), &w[1]);
	workq_fini(&q);
}
END_TEST

START_TEST(take_waits_no_longer_than_asked)
{
	struct worklist in[LANES] = {{NULL, NULL}, {NULL, NULL}};
	uint64_t start = mono_ns();
	struct workq q;

	workq_init(&q);
	ck_assert(workq_take(&q, in, 3000000));
	ck_assert_uint_ge(mono_ns() - start, 3000000);
	workq_fini(&q);
}
END_TEST

START_TEST(some_is_bounded_by_number_and_weight_but_never_none)
{
	struct worklist l = {NULL, NULL};
	struct work w[6];
	struct workq q;
	int i;

	workq_init(&q);
	for (i = 0; i < 6; i++) {
		w[i].weight = i == 0 ? 1000 : 10;
		put(&q, LANE_BLOCK, &w[i]);
	}
	/* The first alone is over the weight. */
	ck_assert(workq_take_some(&q, &l, 4, 100));
	ck_assert_ptr_eq(worklist_pop(&l), &w[0]);
	ck_assert_ptr_null(worklist_pop(&l));
	ck_assert(workq_take_some(&q, &l, 4, 15));
	ck_assert_ptr_eq(worklist_pop(&l), &w[1]);
	ck_assert_ptr_eq(worklist_pop(&l), &w[2]);
	ck_assert_ptr_null(worklist_pop(&l));
	ck_assert(workq_take_some(&q, &l, 2, 100));
	ck_assert_ptr_eq(worklist_pop(&l), &w[3]);
	ck_assert_ptr_eq(worklist_pop(&l), &w[4]);
	ck_assert_ptr_null(worklist_pop(&l));
	ck_assert(workq_take_some(&q, &l, 2, 100));
	worklist_pop(&l);
	workq_fini(&q);
}
END_TEST

START_TEST(closed_queue_takes_nothing_and_is_emptied)
{
	struct worklist one = {NULL, NULL};
	struct worklist in[LANES] = {{NULL, NULL}, {NULL, NULL}};
	struct work w[2];
	struct workq q;

	workq_init(&q);
	put(&q, LANE_BLOCK, &w[0]);
	workq_close(&q);
	worklist_add(&one, &w[1]);
	ck_assert(!workq_put(&q, LANE_BLOCK, &one));
	ck_assert_ptr_eq(one.first, &w[1]);
	ck_assert(workq_take(&q, in, WORKQ_FOREVER));
	ck_assert_ptr_eq(worklist_pop(&in[LANE_BLOCK]), &w[0]);
	ck_assert(!workq_take(&q, in, WORKQ_FOREVER));
	ck_assert(!workq_take_some(&q, &in[0], 1, 1));
	workq_fini(&q);
}
END_TEST

#define ITEMS  20000
#define TAKERS 3

struct shared {
	struct workq q;
	unsigned seen; /* atomic */
};

static void taker(void *arg)
{
	struct shared *s = arg;
	struct worklist l = {NULL, NULL};

	while (workq_take_some(&s->q, &l, 7, 1000))
		while (worklist_pop(&l))
			__atomic_fetch_add(&s->seen, 1, __ATOMIC_RELAXED);
}

START_TEST(every_item_is_taken_once_by_some_thread)
{
	struct work *w = calloc(ITEMS, sizeof *w);
	pthread_t threads[TAKERS];
	struct shared s = {.seen = 0};
	int i;

	workq_init(&s.q);
	for (i = 0; i < TAKERS; i++)
		thread_start(&threads[i], "taker", taker, &s);
	for (i = 0; i < ITEMS; i++)
		put(&s.q, LANE_BLOCK, &w[i]);
	workq_close(&s.q);
	for (i = 0; i < TAKERS; i++)
		pthread_join(threads[i], NULL);
	ck_assert_uint_eq(s.seen, ITEMS);
	workq_fini(&s.q);
	free(w);
}
END_TEST

Suite *workq_suite(void)
{
	Suite *s = suite_create("workq");
	TCase *tc = tcase_create("queue");

	tcase_add_test(tc, list_gives_back_what_was_added_in_order);
	tcase_add_test(tc, take_moves_both_lanes_and_does_not_wait_when_told);
	tcase_add_test(tc, take_waits_no_longer_than_asked);
	tcase_add_test(tc, some_is_bounded_by_number_and_weight_but_never_none);
	tcase_add_test(tc, closed_queue_takes_nothing_and_is_emptied);
	tcase_add_test(tc, every_item_is_taken_once_by_some_thread);
	suite_add_tcase(s, tc);
	return s;
}
