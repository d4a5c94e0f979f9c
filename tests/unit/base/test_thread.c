/* Threads, the queue and the pool. Also the suite to run under TSan. */
#include "suites.h"

#include <cairn/base/thread.h>

#include <signal.h>
#include <stdint.h>

static void store_name(void *arg)
{
	pthread_getname_np(pthread_self(), arg, 16);
}

START_TEST(thread_start_keeps_fifteen_characters_of_the_name)
{
	char name[16] = "";
	pthread_t t;

	thread_start(&t, "a-name-that-is-too-long", store_name, name);
	pthread_join(t, NULL);
	ck_assert_str_eq(name, "a-name-that-is-");
}
END_TEST

static void store_mask(void *arg)
{
	pthread_sigmask(SIG_SETMASK, NULL, arg);
}

START_TEST(thread_start_leaves_signals_to_the_starter)
{
	sigset_t theirs, before, after;
	pthread_t t;

	pthread_sigmask(SIG_SETMASK, NULL, &before);
	thread_start(&t, "mask", store_mask, &theirs);
	pthread_join(t, NULL);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	ck_assert_int_eq(sigismember(&theirs, SIGTERM), 1);
	ck_assert_int_eq(sigismember(&theirs, SIGSEGV), 0);
	ck_assert_int_eq(sigismember(&before, SIGTERM),
			 sigismember(&after, SIGTERM));
}
END_TEST

static void nothing(void *arg)
{
	(void)arg;
}

static struct task task_no(uintptr_t i)
{
	return (struct task){nothing, (void *)i};
}

START_TEST(queue_is_first_in_first_out_across_growth)
{
	struct queue q;
	struct task t;
	uintptr_t in = 0, out = 0;
	int round;

	queue_init(&q);
	for (round = 0; round < 50; round++) {
		int i;

		for (i = 0; i < 7; i++)
			ck_assert(queue_put(&q, task_no(in++)));
		for (i = 0; i < 5; i++) {
			ck_assert(queue_try_get(&q, &t));
			ck_assert_uint_eq((uintptr_t)t.arg, out++);
		}
		ck_assert_uint_eq(queue_len(&q), in - out);
	}
	while (queue_try_get(&q, &t))
		ck_assert_uint_eq((uintptr_t)t.arg, out++);
	ck_assert_uint_eq(in, out);
	queue_fini(&q);
}
END_TEST

START_TEST(queue_drains_after_close_and_takes_no_more)
{
	struct queue q;
	struct task t;

	queue_init(&q);
	ck_assert(!queue_try_get(&q, &t));
	ck_assert(queue_put(&q, task_no(1)));
	queue_close(&q);
	ck_assert(!queue_put(&q, task_no(2)));
	ck_assert(queue_get(&q, &t));
	ck_assert_uint_eq((uintptr_t)t.arg, 1);
	ck_assert(!queue_get(&q, &t));
	ck_assert(!queue_try_get(&q, &t));
	queue_fini(&q);
}
END_TEST

static void drain(void *arg)
{
	struct queue *q = arg;
	struct task t;

	while (queue_get(q, &t))
		t.run(t.arg);
}

START_TEST(queue_close_wakes_every_waiting_getter)
{
	struct queue q;
	pthread_t t[4];
	int i;

	queue_init(&q);
	for (i = 0; i < 4; i++)
		thread_start(&t[i], "getter", drain, &q);
	queue_close(&q);
	for (i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	queue_fini(&q);
}
END_TEST

static void count_one(void *arg)
{
	__atomic_fetch_add((unsigned *)arg, 1, __ATOMIC_RELAXED);
}

struct putter {
	struct pool *pool;
	unsigned *count;
};

static void put_many(void *arg)
{
	struct putter *p = arg;
	int i;

	for (i = 0; i < 2000; i++)
		ck_assert(
		    pool_submit(p->pool, (struct task){count_one, p->count}));
}

START_TEST(pool_runs_every_task_of_many_putters_before_it_is_freed)
{
	struct pool *p = pool_new("a-long-pool-name", 4);
	unsigned count = 0;
	struct putter put = {p, &count};
	pthread_t t[3];
	int i;

	ck_assert_uint_eq(pool_size(p), 4);
	for (i = 0; i < 3; i++)
		thread_start(&t[i], "putter", put_many, &put);
	for (i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	pool_free(p);
	ck_assert_uint_eq(count, 6000);
	pool_free(NULL);
}
END_TEST

struct gate {
	pthread_mutex_t mu;
	pthread_cond_t cond;
	bool open, entered;
};

static void wait_at(void *arg)
{
	struct gate *g = arg;

	pthread_mutex_lock(&g->mu);
	g->entered = true;
	pthread_cond_broadcast(&g->cond);
	while (!g->open)
		pthread_cond_wait(&g->cond, &g->mu);
	pthread_mutex_unlock(&g->mu);
}

START_TEST(pool_backlog_counts_what_no_thread_has_taken)
{
	struct gate g = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER,
			 false, false};
	struct pool *p = pool_new("one", 1);
	int i;

	ck_assert(pool_submit(p, (struct task){wait_at, &g}));
	pthread_mutex_lock(&g.mu);
	while (!g.entered)
		pthread_cond_wait(&g.cond, &g.mu);
	pthread_mutex_unlock(&g.mu);
	for (i = 0; i < 3; i++)
		ck_assert(pool_submit(p, task_no(0)));
	ck_assert_uint_eq(pool_backlog(p), 3);
	pthread_mutex_lock(&g.mu);
	g.open = true;
	pthread_cond_broadcast(&g.cond);
	pthread_mutex_unlock(&g.mu);
	pool_free(p);
}
END_TEST

Suite *thread_suite(void)
{
	Suite *s = suite_create("thread");
	TCase *tc = tcase_create("thread");

	tcase_add_test(tc, thread_start_keeps_fifteen_characters_of_the_name);
	tcase_add_test(tc, thread_start_leaves_signals_to_the_starter);
	suite_add_tcase(s, tc);
	tc = tcase_create("queue");
	tcase_add_test(tc, queue_is_first_in_first_out_across_growth);
	tcase_add_test(tc, queue_drains_after_close_and_takes_no_more);
	tcase_add_test(tc, queue_close_wakes_every_waiting_getter);
	suite_add_tcase(s, tc);
	tc = tcase_create("pool");
	tcase_add_test(tc,
		       pool_runs_every_task_of_many_putters_before_it_is_freed);
	tcase_add_test(tc, pool_backlog_counts_what_no_thread_has_taken);
	suite_add_tcase(s, tc);
	return s;
}
