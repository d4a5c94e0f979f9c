/* Connections: their clocks, their ends, their number, their memory. */
#include "fixture.h"

#include <cairn/base/clock.h>
#include <cairn/base/mem.h>

#include <malloc.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

#define SEVEN     "{\"method\":\"seven\",\"id\":1}"
#define SEVEN_OUT "{\"result\":7,\"error\":null,\"id\":1}"

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

static void one_second(struct server *sv)
{
	sv->cfg.timeout_s = 1;
}

static void setup_short(void)
{
	s = server_start(one_second);
	fd = dial(s);
}

static double since(uint64_t from)
{
	return (double)(mono_ns() - from) / 1e9;
}

static void pause_ms(long ms)
{
	struct timespec ts = {.tv_sec = ms / 1000,
			      .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&ts, NULL);
}

START_TEST(idle_connection_is_closed_in_time)
{
	uint64_t from = mono_ns();

	check_eof(fd);
	ck_assert_double_ge(since(from), 0.9);
	ck_assert_double_lt(since(from), 3);
	hang_up(fd);
	fd = dial(s);
	check_post(fd, SEVEN, 200, SEVEN_OUT);
	from = mono_ns();
	check_eof(fd);
	ck_assert_double_ge(since(from), 0.9);
}
END_TEST

/* Send a byte each 50 ms until the server has had enough. */
static double trickle(const char *first, char c)
{
	uint64_t from = mono_ns();
	char got;

	send_str(fd, first);
	while (since(from) < 8) {
		if (send(fd, &c, 1, MSG_NOSIGNAL) < 0)
			break;
		pause_ms(50);
		if (recv(fd, &got, 1, MSG_DONTWAIT) == 0)
			break;
	}
	return since(from);
}

START_TEST(slow_header_is_cut_off_though_bytes_come)
{
	double took = trickle("POST / HTTP/1.1\r\nX: ", 'x');

	ck_assert_double_ge(took, 0.9);
	ck_assert_double_lt(took, 3);
}
END_TEST

START_TEST(slow_body_is_cut_off_though_bytes_come)
{
	double took = trickle("POST / HTTP/1.1\r\n" AUTH_RIGHT
			      "Content-Length: 1000\r\n\r\n",
			      ' ');

	ck_assert_double_ge(took, 0.9);
	ck_assert_double_lt(took, 3);
}
END_TEST

START_TEST(body_that_comes_fast_enough_may_take_long)
{
	struct text t = TEXT_INIT;
	char *blanks = xmalloc(20001);
	int i;

	memset(blanks, ' ', 20000);
	blanks[20000] = '\0';
	text_printf(&t,
		    "POST / HTTP/1.1\r\n" AUTH_RIGHT
		    "Content-Length: %d\r\n\r\n" SEVEN,
		    25 + 40 * 20000);
	send_str(fd, t.p);
	for (i = 0; i < 40; i++) {
		send_str(fd, blanks);
		pause_ms(50);
	}
	check_answer(fd, 200, SEVEN_OUT);
	free(blanks);
	text_fini(&t);
}
END_TEST

START_TEST(running_call_has_no_deadline)
{
	send_post(fd, "{\"method\":\"slow\"}");
	sem_wait(&s->slow_entered);
	pause_ms(2500);
	sem_post(&s->slow_go);
	check_answer(fd, 200, "{\"result\":true,\"error\":null}");
	check_post(fd, SEVEN, 200, SEVEN_OUT);
}
END_TEST

START_TEST(client_that_takes_nothing_is_cut_off)
{
	send_post(fd, "{\"method\":\"big\",\"params\":[10000,10000]}");
	wait_for(&s->freed, 1);
}
END_TEST

START_TEST(client_that_takes_slowly_is_not)
{
	char *buf = xmalloc(1 << 20);
	size_t got = 0, want = 20000000;
	ssize_t n;

	send_post(fd, "{\"method\":\"big\",\"params\":[2000,10000]}");
	/* 400 KB each 100 ms: five seconds in all, five times the limit. */
	while (got < want) {
		n = recv(fd, buf, 400000, 0);
		ck_assert_int_gt(n, 0);
		got += (size_t)n;
		pause_ms(100);
	}
	free(buf);
}
END_TEST

START_TEST(half_closed_client_gets_its_answers)
{
	struct text t = TEXT_INIT;
	int i;

	put_post(&t, "{\"method\":\"slow\"}");
	for (i = 0; i < 3; i++)
		put_post(&t, SEVEN);
	put_post(&t, "{\"method\":\"echopool\"}");
	send_bytes(fd, t.p, t.n);
	ck_assert_int_eq(shutdown(fd, SHUT_WR), 0);
	sem_wait(&s->slow_entered);
	pause_ms(50);
	sem_post(&s->slow_go);
	check_answer(fd, 200, "{\"result\":true,\"error\":null}");
	for (i = 0; i < 3; i++)
		check_answer(fd, 200, SEVEN_OUT);
	check_answer(fd, 200, "{\"result\":[],\"error\":null}");
	check_eof(fd);
	text_fini(&t);
}
END_TEST

START_TEST(half_closed_client_is_told_of_its_wrong_password)
{
	send_str(fd, "POST / HTTP/1.1\r\nAuthorization: Basic xxxx\r\n"
		     "Content-Length: 2\r\n\r\n{}");
	ck_assert_int_eq(shutdown(fd, SHUT_WR), 0);
	check_answer(fd, 401, "");
	check_eof(fd);
}
END_TEST

START_TEST(end_within_a_request_ends_the_connection)
{
	send_str(fd, "POST / HTTP/1.1\r\n" AUTH_RIGHT
		     "Content-Length: 25\r\n\r\n{");
	ck_assert_int_eq(shutdown(fd, SHUT_WR), 0);
	check_eof(fd);
	ck_assert_int_eq(count_of(&s->calls), 0);
}
END_TEST

START_TEST(refused_body_in_flight_does_not_lose_the_answer)
{
	char *blanks = xmalloc(1000001);
	int i;

	memset(blanks, ' ', 1000000);
	blanks[1000000] = '\0';
	for (i = 0; i < 20; i++) {
		send_str(fd, "POST / HTTP/1.1\r\n" AUTH_RIGHT
			     "Content-Length: 999999999\r\n\r\n");
		send_str(fd, blanks);
		check_answer(fd, 413, "");
		hang_up(fd);
		fd = dial(s);
	}
	free(blanks);
}
END_TEST

START_TEST(delayed_client_may_leave)
{
	int other, i;

	for (i = 0; i < 10; i++) {
		other = dial(s);
		send_str(other, "POST / HTTP/1.1\r\nAuthorization: Basic xxxx"
				"\r\nContent-Length: 2\r\n\r\n{}");
		if (i % 2)
			pause_ms(2);
		hang_up(other);
	}
	other = dial(s);
	send_str(other, "POST / HTTP/1.1\r\nAuthorization: Basic xxxx\r\n"
			"Content-Length: 2\r\n\r\n{}");
	check_answer(other, 401, "");
	hang_up(other);
}
END_TEST

#ifndef CAIRN_DEBUG
static void heap_task(void *arg)
{
	struct server *sv = arg;
	struct mallinfo2 m = mallinfo2();

	__atomic_store_n(&sv->nexts, (int)m.uordblks, __ATOMIC_SEQ_CST);
}

/* Bytes of the heap in use, as the loop's thread sees them. */
static int heap_used(void)
{
	__atomic_store_n(&s->nexts, 0, __ATOMIC_SEQ_CST);
	server_post(s, heap_task);
	while (!__atomic_load_n(&s->nexts, __ATOMIC_SEQ_CST))
		pause_ms(1);
	return s->nexts;
}

START_TEST(idle_connection_takes_less_than_a_kilobyte)
{
	int *fds, i, n = 1000, before, after;
	struct rlimit rl;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &rl), 0);
	rl.rlim_cur = rl.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &rl), 0);
	/* Both ends are ours. */
	if (rl.rlim_max < 2100)
		n = (int)rl.rlim_max / 2 - 50;
	fds = xcalloc((size_t)n, sizeof *fds);
	check_post(fd, SEVEN, 200, SEVEN_OUT);
	before = heap_used();
	for (i = 0; i < n; i++) {
		fds[i] = dial(s);
		check_post(fds[i], SEVEN, 200, SEVEN_OUT);
	}
	after = heap_used();
	ck_assert_int_gt(after - before, n * 300);
	ck_assert_int_lt(after - before, n * 1024);
	for (i = 0; i < n; i++)
		hang_up(fds[i]);
	check_post(fd, SEVEN, 200, SEVEN_OUT);
	free(fds);
}
END_TEST

#endif

START_TEST(stop_lets_running_calls_end_and_answer)
{
	int other = dial(s), idle = dial(s);

	send_post(fd, "{\"method\":\"slow\",\"id\":9}");
	sem_wait(&s->slow_entered);
	check_post(other, SEVEN, 200, SEVEN_OUT);
	server_begin_stop(s);
	check_eof(idle);
	check_eof(other);
	pause_ms(50);
	sem_post(&s->slow_go);
	check_answer(fd, 200, "{\"result\":true,\"error\":null,\"id\":9}");
	check_eof(fd);
	hang_up(idle);
	hang_up(other);
}
END_TEST

START_TEST(command_may_stop_the_server_and_is_answered)
{
	int other = dial(s);
	struct answer a;

	check_post(other, SEVEN, 200, SEVEN_OUT);
	send_post(fd, "{\"method\":\"halt\",\"id\":1}");
	ck_assert(recv_answer(fd, &a));
	ck_assert_str_eq(a.body.p, "{\"result\":\"stopping\",\"error\":null,"
				   "\"id\":1}\n");
	ck_assert_ptr_nonnull(strstr(a.head.p, "\r\nConnection: close\r\n"));
	answer_fini(&a);
	check_eof(fd);
	check_eof(other);
	hang_up(other);
}
END_TEST

START_TEST(stop_does_not_wait_for_a_client_that_takes_nothing)
{
	uint64_t from;
	double took;

	send_post(fd, "{\"method\":\"big\",\"params\":[2000,10000]}");
	wait_for(&s->calls, 1);
	pause_ms(500);
	from = mono_ns();
	server_stop(s);
	took = since(from);
	setup();
	/* Two seconds are granted; a sanitizer may take its time besides. */
	ck_assert_double_lt(took, 8);
}
END_TEST

START_TEST(stop_with_everything_under_way)
{
	int fds[40], i, k;

	for (k = 0; k < 5; k++) {
		for (i = 0; i < 40; i++) {
			fds[i] = dial(s);
			switch (i % 5) {
			case 0:
				send_post(fds[i], "{\"method\":\"big\","
						  "\"params\":[300,10000]}");
				break;
			case 1:
				send_post(fds[i],
					  "[{\"method\":\"echopool\"},"
					  "{\"method\":\"echochain\"}]");
				break;
			case 2:
				send_str(fds[i], "POST / HTTP/1.1\r\nX");
				break;
			case 3:
				send_str(fds[i],
					 "POST / HTTP/1.1\r\nAuthorization: x"
					 "\r\nContent-Length: 0\r\n\r\n");
				break;
			default:
				break;
			}
		}
		pause_ms(k * 3);
		server_begin_stop(s);
		for (i = 0; i < 40; i++)
			hang_up(fds[i]);
		hang_up(fd);
		server_stop(s);
		setup();
	}
}
END_TEST

Suite *conn_suite(void)
{
	Suite *su = suite_create("conn");
	TCase *t = tcase_create("clocks");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup_short, teardown);
	tcase_add_test(t, idle_connection_is_closed_in_time);
	tcase_add_test(t, slow_header_is_cut_off_though_bytes_come);
	tcase_add_test(t, slow_body_is_cut_off_though_bytes_come);
	tcase_add_test(t, body_that_comes_fast_enough_may_take_long);
	tcase_add_test(t, running_call_has_no_deadline);
	tcase_add_test(t, client_that_takes_nothing_is_cut_off);
	tcase_add_test(t, client_that_takes_slowly_is_not);
	suite_add_tcase(su, t);
	t = tcase_create("ends");
	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, half_closed_client_gets_its_answers);
	tcase_add_test(t, half_closed_client_is_told_of_its_wrong_password);
	tcase_add_test(t, end_within_a_request_ends_the_connection);
	tcase_add_test(t, refused_body_in_flight_does_not_lose_the_answer);
	tcase_add_test(t, delayed_client_may_leave);
	tcase_add_test(t, stop_lets_running_calls_end_and_answer);
	tcase_add_test(t, command_may_stop_the_server_and_is_answered);
	tcase_add_test(t, stop_does_not_wait_for_a_client_that_takes_nothing);
	tcase_add_test(t, stop_with_everything_under_way);
#ifndef CAIRN_DEBUG
	/* A sanitizer's allocator has no such figures. */
	tcase_add_test(t, idle_connection_takes_less_than_a_kilobyte);
#endif
	suite_add_tcase(su, t);
	return su;
}
