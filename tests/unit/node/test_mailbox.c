/* Tasks to the loop: order, from other threads, and the end. */
#include "suites.h"

#include <cairn/base/mem.h>
#include <cairn/node/mailbox.h>

#include <stdlib.h>

#define POSTERS 4
#define EACH    5000

static uv_loop_t loop;
static struct mailbox *box;

static void setup(void)
{
	ck_assert_int_eq(uv_loop_init(&loop), 0);
	ck_assert_int_eq(mailbox_new(&box, &loop), 0);
}

static void teardown(void)
{
	mailbox_close(box);
	ck_assert_int_eq(uv_run(&loop, UV_RUN_DEFAULT), 0);
	ck_assert_int_eq(uv_loop_close(&loop), 0);
	mailbox_free(box);
}

static int seen[8];
static int n_seen;

static void see(void *arg)
{
	ck_assert_int_lt(n_seen, 8);
	seen[n_seen++] = *(int *)arg;
}

START_TEST(post_runs_nothing_at_once_and_keeps_the_order)
{
	static int nums[] = {3, 1, 2};
	size_t i;

	n_seen = 0;
	for (i = 0; i < 3; i++)
		mailbox_post(box, (struct task){see, &nums[i]});
	ck_assert_int_eq(n_seen, 0);
	while (n_seen < 3)
		uv_run(&loop, UV_RUN_ONCE);
	ck_assert_int_eq(seen[0], 3);
	ck_assert_int_eq(seen[1], 1);
	ck_assert_int_eq(seen[2], 2);
}
END_TEST

static void post_again(void *arg)
{
	static int num = 7;

	(void)arg;
	mailbox_post(box, (struct task){see, &num});
	ck_assert_int_eq(n_seen, 0);
}

START_TEST(a_task_posted_by_a_task_waits_for_the_next_batch)
{
	n_seen = 0;
	mailbox_post(box, (struct task){post_again, NULL});
	mailbox_drain(box);
	ck_assert_int_eq(n_seen, 0);
	mailbox_drain(box);
	ck_assert_int_eq(n_seen, 1);
}
END_TEST

struct poster {
	pthread_t thread;
	int next; /* the loop's: number that must come next */
};

struct letter {
	struct poster *from;
	int num;
};

static int arrived;

static void receive(void *arg)
{
	struct letter *l = arg;

	ck_assert_int_eq(l->num, l->from->next);
	l->from->next++;
	arrived++;
	free(l);
}

static void post_many(void *arg)
{
	int i;

	for (i = 0; i < EACH; i++) {
		struct letter *l = xmalloc(sizeof *l);

		l->from = arg;
		l->num = i;
		mailbox_post(box, (struct task){receive, l});
	}
}

START_TEST(every_task_of_every_thread_arrives_in_its_order)
{
	struct poster p[POSTERS] = {{0}};
	size_t i;

	arrived = 0;
	for (i = 0; i < POSTERS; i++)
		thread_start(&p[i].thread, "poster", post_many, &p[i]);
	while (arrived < POSTERS * EACH)
		uv_run(&loop, UV_RUN_ONCE);
	for (i = 0; i < POSTERS; i++) {
		pthread_join(p[i].thread, NULL);
		ck_assert_int_eq(p[i].next, EACH);
	}
}
END_TEST

START_TEST(close_runs_what_is_left_and_drops_what_comes_later)
{
	static int num = 5;

	n_seen = 0;
	mailbox_post(box, (struct task){post_again, NULL});
	mailbox_close(box);
	ck_assert_int_eq(n_seen, 1);
	mailbox_post(box, (struct task){see, &num});
	ck_assert_int_eq(uv_run(&loop, UV_RUN_DEFAULT), 0);
	ck_assert_int_eq(n_seen, 1);
	mailbox_free(box);
	ck_assert_int_eq(mailbox_new(&box, &loop), 0);
}
END_TEST

Suite *mailbox_suite(void)
{
	Suite *s = suite_create("mailbox");
	TCase *t = tcase_create("mailbox");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, post_runs_nothing_at_once_and_keeps_the_order);
	tcase_add_test(t, a_task_posted_by_a_task_waits_for_the_next_batch);
	tcase_add_test(t, every_task_of_every_thread_arrives_in_its_order);
	tcase_add_test(t, close_runs_what_is_left_and_drops_what_comes_later);
	suite_add_tcase(s, t);
	return s;
}
