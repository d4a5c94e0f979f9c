/* Streamed answers: exact length, bounded memory, clients that stop or leave.
 */
#include "fixture.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

static struct server *s;
static int fd;

static void setup(void)
{
	s = server_start(NULL);
	fd = dial(s);
}

static void teardown(void)
{
	hang_up(fd);
	server_stop(s);
}

static void send_big(int to, long n, long size)
{
	char body[200];

	snprintf(body, sizeof body,
		 "{\"method\":\"big\",\"params\":[%ld,%ld],\"id\":1}", n, size);
	send_post(to, body);
}

/* The body of big n size. */
static char *big_body(long n, long size)
{
	struct text t = TEXT_INIT;
	char *letters = malloc((size_t)size + 1);
	long i;

	memset(letters, 'x', (size_t)size);
	letters[size] = '\0';
	text_puts(&t, "{\"result\":[");
	for (i = 0; i < n; i++)
		text_printf(&t, "%s\"%s\"", i ? "," : "", letters);
	text_puts(&t, "],\"error\":null,\"id\":1}\n");
	free(letters);
	return t.p;
}

static void check_big(int from, long n, long size)
{
	char *want = big_body(n, size);
	struct answer a;

	ck_assert(recv_answer(from, &a));
	ck_assert_int_eq(a.status, 200);
	ck_assert_uint_eq(a.body.n, strlen(want));
	ck_assert_mem_eq(a.body.p, want, a.body.n);
	answer_fini(&a);
	free(want);
}

START_TEST(streams_of_every_size_arrive_whole)
{
	static const long t[][2] = {
	    {0, 1},       {1, 0},      {1, 1},     {5, 10},      {100, 600},
	    {64, 1020},   {65, 1020},  {1000, 63}, {1, 65532},   {1, 65533},
	    {1, 65534},   {1, 70000},  {3, 65536}, {2, 3000000}, {100000, 7},
	    {20, 500000}, {200, 1000}, {65536, 2}, {10923, 3},
	};
	size_t i;

	for (i = 0; i < sizeof t / sizeof *t; i++) {
		send_big(fd, t[i][0], t[i][1]);
		check_big(fd, t[i][0], t[i][1]);
		wait_for(&s->freed, (int)i + 1);
	}
}
END_TEST

START_TEST(small_stream_is_made_once)
{
	send_big(fd, 10, 10);
	check_big(fd, 10, 10);
	ck_assert_int_eq(count_of(&s->nexts), 11);
}
END_TEST

START_TEST(stream_follows_and_precedes_pipelined_calls)
{
	send_post(fd, "{\"method\":\"seven\"}");
	send_big(fd, 5000, 100);
	send_post(fd, "{\"method\":\"seven\",\"id\":2}");
	check_answer(fd, 200, "{\"result\":7,\"error\":null}");
	check_big(fd, 5000, 100);
	check_answer(fd, 200, "{\"result\":7,\"error\":null,\"id\":2}");
}
END_TEST

static void pause_ms(long ms)
{
	struct timespec ts = {.tv_nsec = ms * 1000000};

	nanosleep(&ts, NULL);
}

/* The number of parts made does not change for a while. */
static int settled(struct server *sv)
{
	int n = -1, now;

	for (;;) {
		now = __atomic_load_n(&sv->nexts, __ATOMIC_SEQ_CST);
		if (now == n)
			return n;
		n = now;
		pause_ms(100);
	}
}

START_TEST(client_that_does_not_read_stops_the_making)
{
	int made, other = dial(s);

	/* 100 MB, of which the sockets hold a few. */
	send_big(fd, 10000, 10000);
	made = settled(s);
	ck_assert_int_gt(made, 10001);
	ck_assert_int_lt(made, 10001 + 3000);
	check_post(other, "{\"method\":\"seven\"}", 200,
		   "{\"result\":7,\"error\":null}");
	check_big(fd, 10000, 10000);
	hang_up(other);
}
END_TEST

START_TEST(client_that_leaves_in_the_middle_frees_the_stream)
{
	char buf[100000];
	int other, i;

	for (i = 0; i < 20; i++) {
		other = dial(s);
		send_big(other, 2000, 10000);
		if (i % 2)
			ck_assert_int_gt(
			    recv(other, buf, (size_t)i * 1000 + 1, 0), 0);
		if (i % 3 == 0)
			pause_ms(2);
		hang_up(other);
	}
	wait_for(&s->freed, 20);
	check_post(fd, "{\"method\":\"seven\"}", 200,
		   "{\"result\":7,\"error\":null}");
}
END_TEST

START_TEST(stream_that_fails_while_measured_is_an_error)
{
	check_post(fd, "{\"method\":\"big\",\"params\":[5,5,-1],\"id\":1}", 500,
		   "{\"result\":null,\"error\":{\"code\":-32603,\"message\":"
		   "\"Input/output error\"},\"id\":1}");
	wait_for(&s->freed, 1);
	check_post(fd, "{\"method\":\"seven\"}", 200,
		   "{\"result\":7,\"error\":null}");
}
END_TEST

/* Read until the end; the answer must be incomplete. */
static void check_cut(int from)
{
	char buf[65536];
	size_t got = 0;
	ssize_t n;

	while ((n = recv(from, buf, sizeof buf, 0)) > 0)
		got += (size_t)n;
	ck_assert_uint_gt(got, 0);
	ck_assert_uint_lt(got, 10000000);
}

START_TEST(stream_that_fails_while_sent_cuts_the_connection)
{
	int other = dial(s);

	send_post(other, "{\"method\":\"big\",\"params\":[1000,10000,500]}");
	check_cut(other);
	wait_for(&s->freed, 1);
	hang_up(other);
	check_post(fd, "{\"method\":\"seven\"}", 200,
		   "{\"result\":7,\"error\":null}");
}
END_TEST

START_TEST(stream_that_changes_its_size_cuts_the_connection)
{
	static const char *const grow[] = {"-1", "1"};
	char body[100];
	int other;
	size_t i;

	for (i = 0; i < 2; i++) {
		other = dial(s);
		snprintf(body, sizeof body,
			 "{\"method\":\"big\",\"params\":[1000,9900,0,%s]}",
			 grow[i]);
		send_post(other, body);
		check_cut(other);
		wait_for(&s->freed, (int)i + 1);
		hang_up(other);
	}
}
END_TEST

static void small_budget(struct server *sv)
{
	sv->cfg.out_budget = 300000;
}

/* Read all clients at once until each has more than n bytes. */
static void drain(const int *fds, size_t n_fds, size_t n)
{
	size_t got[16] = {0}, i, left = n_fds;
	char *buf = malloc(1 << 20);
	ssize_t did;

	ck_assert_uint_le(n_fds, 16);
	while (left) {
		for (i = 0; i < n_fds; i++) {
			if (got[i] >= n)
				continue;
			did = recv(fds[i], buf, 1 << 20, MSG_DONTWAIT);
			if (did > 0)
				got[i] += (size_t)did;
			left -= did > 0 && got[i] >= n;
		}
	}
	free(buf);
}

START_TEST(answers_over_the_budget_wait_for_it)
{
	struct server *w = server_start(small_budget);
	int fds[12], extra = dial(w), i;
	char c;

	/* Clients that do not read hold the budget. */
	for (i = 0; i < 12; i++) {
		fds[i] = dial(w);
		send_big(fds[i], 3000, 10000);
	}
	wait_for(&w->calls, 12);
	settled(w);
	send_post(extra, "{\"method\":\"seven\"}");
	pause_ms(200);
	ck_assert_int_lt(recv(extra, &c, 1, MSG_DONTWAIT), 0);
	ck_assert_int_eq(count_of(&w->calls), 12);
	drain(fds, 12, 3000 * 10003);
	for (i = 0; i < 12; i++)
		hang_up(fds[i]);
	check_answer(extra, 200, "{\"result\":7,\"error\":null}");
	hang_up(extra);
	wait_for(&w->freed, 12);
	server_stop(w);
}
END_TEST

START_TEST(clients_that_leave_give_the_budget_back)
{
	struct server *w = server_start(small_budget);
	int fds[12], extra, i;

	for (i = 0; i < 12; i++) {
		fds[i] = dial(w);
		send_big(fds[i], 3000, 10000);
	}
	wait_for(&w->calls, 12);
	settled(w);
	extra = dial(w);
	send_post(extra, "{\"method\":\"seven\"}");
	for (i = 0; i < 12; i++)
		hang_up(fds[i]);
	check_answer(extra, 200, "{\"result\":7,\"error\":null}");
	hang_up(extra);
	wait_for(&w->freed, 12);
	server_stop(w);
}
END_TEST

START_TEST(many_streams_at_once)
{
	int fds[16], i, k;

	for (i = 0; i < 16; i++)
		fds[i] = dial(s);
	for (k = 0; k < 3; k++) {
		for (i = 0; i < 16; i++)
			send_big(fds[i], 200 + i, 3000 + i);
		for (i = 15; i >= 0; i--)
			check_big(fds[i], 200 + i, 3000 + i);
	}
	for (i = 0; i < 16; i++)
		hang_up(fds[i]);
	wait_for(&s->freed, 48);
}
END_TEST

Suite *stream_suite(void)
{
	Suite *su = suite_create("stream");
	TCase *t = tcase_create("stream");

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, streams_of_every_size_arrive_whole);
	tcase_add_test(t, small_stream_is_made_once);
	tcase_add_test(t, stream_follows_and_precedes_pipelined_calls);
	tcase_add_test(t, client_that_does_not_read_stops_the_making);
	tcase_add_test(t, client_that_leaves_in_the_middle_frees_the_stream);
	tcase_add_test(t, stream_that_fails_while_measured_is_an_error);
	tcase_add_test(t, stream_that_fails_while_sent_cuts_the_connection);
	tcase_add_test(t, stream_that_changes_its_size_cuts_the_connection);
	tcase_add_test(t, many_streams_at_once);
	suite_add_tcase(su, t);
	t = tcase_create("budget");
	tcase_set_timeout(t, 120);
	tcase_add_test(t, answers_over_the_budget_wait_for_it);
	tcase_add_test(t, clients_that_leave_give_the_budget_back);
	suite_add_tcase(su, t);
	return su;
}
