/* HTTP as it arrives: split, joined, malformed, too large. */
#include "fixture.h"

#include <cairn/base/clock.h>
#include <cairn/base/mem.h>

#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#define SEVEN     "{\"method\":\"seven\",\"id\":1}"
#define SEVEN_OUT "{\"result\":7,\"error\":null,\"id\":1}"

static struct server *s;
static int fd;

static void small_body(struct server *sv)
{
	sv->cfg.max_body = 100000;
}

static void setup(void)
{
	s = server_start(small_body);
	fd = dial(s);
}

static void teardown(void)
{
	hang_up(fd);
	server_stop(s);
}

static void pause_ms(long ms)
{
	struct timespec ts = {.tv_nsec = ms * 1000000};

	nanosleep(&ts, NULL);
}

/* The answer closes the connection after it. */
static void check_last(const char *request, int status)
{
	struct answer a;

	send_str(fd, request);
	ck_assert_msg(recv_answer(fd, &a), "no answer to %s", request);
	ck_assert_msg(a.status == status, "%d to %s", a.status, request);
	ck_assert_ptr_nonnull(strstr(a.head.p, "\r\nConnection: close\r\n"));
	answer_fini(&a);
	check_eof(fd);
	hang_up(fd);
	fd = dial(s);
}

START_TEST(request_may_be_split_at_every_byte)
{
	struct text t = TEXT_INIT;
	size_t i;

	put_post(&t, SEVEN);
	for (i = 1; i < t.n; i++) {
		send_bytes(fd, t.p, i);
		/* Let the two parts arrive as two reads now and then. */
		if (i % 8 == 0)
			pause_ms(1);
		send_bytes(fd, t.p + i, t.n - i);
		check_answer(fd, 200, SEVEN_OUT);
	}
	text_fini(&t);
}
END_TEST

START_TEST(request_may_come_byte_by_byte)
{
	struct text t = TEXT_INIT;
	size_t i;

	put_post(&t, SEVEN);
	for (i = 0; i < t.n; i++) {
		send_bytes(fd, t.p + i, 1);
		if (i % 16 == 0)
			pause_ms(1);
	}
	check_answer(fd, 200, SEVEN_OUT);
	text_fini(&t);
}
END_TEST

START_TEST(pipelined_requests_are_answered_in_order)
{
	struct text t = TEXT_INIT;
	char body[100], want[100];
	int i;

	for (i = 0; i < 500; i++) {
		snprintf(body, sizeof body,
			 "{\"method\":\"%s\",\"params\":[%d],\"id\":%d}",
			 i % 3 == 0   ? "echopool"
			 : i % 3 == 1 ? "echo"
				      : "echochain",
			 i, i);
		put_post(&t, body);
	}
	send_bytes(fd, t.p, t.n);
	for (i = 0; i < 500; i++) {
		snprintf(want, sizeof want,
			 "{\"result\":[%d],\"error\":null,\"id\":%d}", i, i);
		check_answer(fd, 200, want);
	}
	text_fini(&t);
}
END_TEST

START_TEST(pipelined_requests_beyond_the_kept_bytes_arrive)
{
	char *body = xmalloc(50100), *p;
	struct text t = TEXT_INIT;
	struct answer a;
	int i;

	p = body +
	    snprintf(body, 100, "{\"method\":\"echopool\",\"params\":[\"");
	memset(p, 'z', 50000);
	snprintf(p + 50000, 10, "\"]}");
	for (i = 0; i < 20; i++)
		put_post(&t, body);
	send_bytes(fd, t.p, t.n);
	for (i = 0; i < 20; i++) {
		ck_assert(recv_answer(fd, &a));
		ck_assert_int_eq(a.status, 200);
		ck_assert_uint_gt(a.body.n, 50000);
		answer_fini(&a);
	}
	text_fini(&t);
	free(body);
}
END_TEST

START_TEST(bare_line_feeds_end_header_lines)
{
	static const char request[] =
	    "POST / HTTP/1.1\nAuthorization: Basic dTpw\n"
	    "Host: localhost:8332\nContent-type: application/json\n"
	    "Content-Length: 27\n\n{\"method\": \n\"seven\",\"id\":1}";
	char first[100];
	struct answer a;
	size_t i;

	send_bytes(fd, request, sizeof request - 2);
	send_str(fd, "}");
	ck_assert(recv_answer(fd, &a));
	snprintf(first, sizeof first, "%.17s", a.head.p);
	ck_assert_str_eq(first, "HTTP/1.1 200 OK\r\n");
	answer_fini(&a);
	/* Split anywhere, also within the line ends. */
	for (i = 1; i < sizeof request - 1; i++) {
		send_bytes(fd, request, i);
		if (i % 8 == 0)
			pause_ms(1);
		send_bytes(fd, request + i, sizeof request - 1 - i);
		check_answer(fd, 200, SEVEN_OUT);
	}
}
END_TEST

START_TEST(blank_lines_between_requests_are_skipped)
{
	send_str(fd, "\r\n\r\n\n");
	check_post(fd, SEVEN, 200, SEVEN_OUT);
	send_str(fd, "\r\n");
	check_post(fd, SEVEN, 200, SEVEN_OUT);
}
END_TEST

START_TEST(malformed_requests_are_400_and_the_end)
{
	static const char *const bad[] = {
	    "POST / HTTP/1.1\r\n" AUTH_RIGHT
	    "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
	    "POST / HTTP/1.1\r\n" AUTH_RIGHT
	    "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n",
	    "POST / HTTP/1.1\r\n" AUTH_RIGHT
	    "Content-Length: 3\r\nContent-Length: 4\r\n\r\n",
	    "POST / HTTP/1.1\r\n" AUTH_RIGHT "Content-Length: x\r\n\r\n",
	    "POST / HTTP/1.1\r\n" AUTH_RIGHT "Content-Length: -1\r\n\r\n",
	    "POST / HTTP/1.1\r\n" AUTH_RIGHT
	    "Content-Length: 99999999999999999999999\r\n\r\n",
	    "POST / HTTP/1.1\r\n" AUTH_RIGHT "Transfer-Encoding: gzip\r\n\r\n",
	    "POST / HTTP/1.1\r\n" AUTH_RIGHT
	    "Transfer-Encoding: chunked\r\n\r\nxyz\r\n",
	    "POST / HTTP/1.1\r\nA b: c\r\n\r\n",
	    "POST / HTTP/1.1\r\nAuthorization : Basic dTpw\r\n\r\n",
	    "POST / HTTP/1.1\r\nAuthorization: Basic\r\n dTpw\r\n\r\n",
	    "POST / HTTP/1.1\r\nAuthorization: Basic\n\tdTpw\r\n\r\n",
	    "POST / HTTP/1.1\r\n Host: x\r\n\r\n",
	    "POST / HTTP/1.1\r\nNoColon\r\n\r\n",
	    "POST / HTTP/9.9\r\n\r\n",
	    "POST / HTTP/1.x\r\n\r\n",
	    "POST / NOTHTTP/1.1\r\n\r\n",
	    "GET / \r\n\r\n",
	    "GET /\r\n\r\n",
	    "FROB / HTTP/1.1\r\n\r\n",
	    ("GET /a\x01"
	     "b HTTP/1.1\r\n\r\n"),
	    "\x16\x03\x01\x02\x00\x01",
	    "hello\r\n",
	    "{\"method\":\"seven\"}\r\n",
	};
	size_t i;

	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		check_last(bad[i], 400);
	ck_assert_int_eq(count_of(&s->calls), 0);
}
END_TEST

START_TEST(zero_byte_in_the_path_is_400)
{
	static const char request[] = "GET /safe\0/x HTTP/1.1\r\n\r\n";

	send_bytes(fd, request, sizeof request - 1);
	check_answer(fd, 400, "");
	check_eof(fd);
}
END_TEST

/* A request whose header has n bytes in all. */
static void put_header_of(struct text *t, size_t n)
{
	size_t at = t->n;

	text_puts(t,
		  "POST / HTTP/1.1\r\n" AUTH_RIGHT "Content-Length: 25\r\nX: ");
	while (t->n - at < n - 4)
		text_puts(t, "y");
	text_puts(t, "\r\n\r\n" SEVEN);
}

START_TEST(header_of_8192_bytes_is_the_largest)
{
	struct text t = TEXT_INIT;

	put_header_of(&t, HEAD_MAX);
	send_bytes(fd, t.p, t.n);
	check_answer(fd, 200, SEVEN_OUT);
	text_reset(&t);
	put_header_of(&t, HEAD_MAX + 2);
	check_last(t.p, 400);
	text_fini(&t);
}
END_TEST

START_TEST(endless_header_is_cut_off)
{
	struct text t = TEXT_INIT;
	int i;

	text_puts(&t, "POST / HTTP/1.1\r\n");
	for (i = 0; i < 1000; i++)
		text_printf(&t, "X-%d: y\r\n", i);
	check_last(t.p, 400);
	/* White space before a value is in no callback, but it counts too. */
	text_reset(&t);
	text_puts(&t, "POST / HTTP/1.1\r\nX:");
	for (i = 0; i < 10000; i++)
		text_puts(&t, " ");
	check_last(t.p, 400);
	text_fini(&t);
}
END_TEST

START_TEST(body_over_the_limit_is_413_before_it_is_sent)
{
	check_last("POST / HTTP/1.1\r\n" AUTH_RIGHT
		   "Content-Length: 100001\r\n\r\n",
		   413);
	check_last("POST / HTTP/1.1\r\n" AUTH_RIGHT
		   "Content-Length: 18446744073709551615\r\n\r\n",
		   413);
}
END_TEST

START_TEST(status_line_of_413_is_as_bitcoind_words_it)
{
	struct answer a;

	send_str(fd, "POST / HTTP/1.1\r\n" AUTH_RIGHT
		     "Content-Length: 100001\r\n\r\n");
	ck_assert(recv_answer(fd, &a));
	ck_assert_ptr_nonnull(strstr(a.head.p, "413 Content too large\r\n"));
	answer_fini(&a);
}
END_TEST

START_TEST(body_of_the_limit_is_taken)
{
	struct text t = TEXT_INIT;
	struct answer a;

	text_puts(&t, "{\"method\":\"seven\",\"id\":1}");
	while (t.n < 100000)
		text_puts(&t, " ");
	check_post(fd, t.p, 200, SEVEN_OUT);
	text_puts(&t, " ");
	send_post(fd, t.p);
	ck_assert(recv_answer(fd, &a));
	ck_assert_int_eq(a.status, 413);
	answer_fini(&a);
	text_fini(&t);
}
END_TEST

START_TEST(chunked_body_is_put_together)
{
	send_str(fd, "POST / HTTP/1.1\r\n" AUTH_RIGHT
		     "Transfer-Encoding: chunked\r\n\r\n"
		     "5\r\n{\"met\r\n"
		     "4;ext=1\r\nhod\"\r\n"
		     "10\r\n:\"seven\",\"id\":1}\r\n"
		     "0\r\nAuthorization: Basic xxxx\r\nTrailer: y\r\n\r\n");
	check_answer(fd, 200, SEVEN_OUT);
	check_post(fd, SEVEN, 200, SEVEN_OUT);
}
END_TEST

START_TEST(chunked_body_over_the_limit_is_413)
{
	char *chunk = xmalloc(0x10001);
	struct answer a;

	memset(chunk, ' ', 0x10000);
	chunk[0x10000] = '\0';
	send_str(fd, "POST / HTTP/1.1\r\n" AUTH_RIGHT
		     "Transfer-Encoding: chunked\r\n\r\n10000\r\n");
	send_str(fd, chunk);
	send_str(fd, "\r\n10000\r\n");
	send_str(fd, chunk);
	ck_assert(recv_answer(fd, &a));
	ck_assert_int_eq(a.status, 413);
	answer_fini(&a);
	free(chunk);
}
END_TEST

START_TEST(go_ahead_is_said_before_the_body)
{
	struct answer a;

	send_str(fd, "POST / HTTP/1.1\r\n" AUTH_RIGHT
		     "Expect: 100-continue\r\nContent-Length: 25\r\n\r\n");
	ck_assert(recv_answer(fd, &a));
	ck_assert_int_eq(a.status, 100);
	answer_fini(&a);
	send_str(fd, SEVEN);
	check_answer(fd, 200, SEVEN_OUT);
	/* Nobody who may not send a body is told to. */
	check_last("POST / HTTP/1.1\r\n" AUTH_RIGHT "Expect: 100-continue\r\n"
		   "Content-Length: 100001\r\n\r\n",
		   413);
	check_last("POST / HTTP/1.1\r\nExpect: 100-continue\r\n"
		   "Content-Length: 25\r\n\r\n",
		   401);
}
END_TEST

START_TEST(paths_are_the_root_and_wallets)
{
	static const struct {
		const char *path;
		int status;
	} t[] = {
	    {"/", 200},         {"/wallet/", 200}, {"/wallet/a%20b", 200},
	    {"/wallet", 404},   {"/x", 404},       {"/?a=b", 404},
	    {"/rest/tx", 404},  {"//", 404},       {"/../etc/passwd", 404},
	    {"/%2e%2e/x", 404},
	};
	char head[300];
	struct answer a;
	size_t i;

	for (i = 0; i < sizeof t / sizeof *t; i++) {
		snprintf(head, sizeof head,
			 "POST %s HTTP/1.1\r\n" AUTH_RIGHT
			 "Content-Length: 25\r\n\r\n" SEVEN,
			 t[i].path);
		send_str(fd, head);
		ck_assert(recv_answer(fd, &a));
		ck_assert_msg(a.status == t[i].status, "%s: %d", t[i].path,
			      a.status);
		answer_fini(&a);
	}
}
END_TEST

START_TEST(other_methods_are_405_and_the_connection_stays)
{
	static const char *const methods[] = {
	    "GET", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT"};
	char head[100];
	size_t i;

	for (i = 0; i < sizeof methods / sizeof *methods; i++) {
		snprintf(head, sizeof head, "%s / HTTP/1.1\r\n\r\n",
			 methods[i]);
		send_str(fd, head);
		check_answer(fd, 405,
			     "JSONRPC server handles only POST requests");
	}
	check_post(fd, SEVEN, 200, SEVEN_OUT);
}
END_TEST

START_TEST(head_gets_no_body)
{
	char buf[1000];
	ssize_t n;

	send_str(fd, "HEAD / HTTP/1.1\r\nConnection: close\r\n\r\n");
	n = recv(fd, buf, sizeof buf - 1, MSG_WAITALL);
	ck_assert_int_gt(n, 4);
	buf[n] = '\0';
	ck_assert_ptr_nonnull(strstr(buf, "HTTP/1.1 405 "));
	ck_assert_str_eq(buf + n - 4, "\r\n\r\n");
}
END_TEST

START_TEST(missing_password_is_401_and_the_connection_stays)
{
	struct answer a;

	send_str(fd, "POST / HTTP/1.1\r\nContent-Length: 25\r\n\r\n" SEVEN);
	ck_assert(recv_answer(fd, &a));
	ck_assert_int_eq(a.status, 401);
	ck_assert_ptr_nonnull(
	    strstr(a.head.p, "\r\nWWW-Authenticate: Basic realm=\"jsonrpc\""));
	ck_assert_uint_eq(a.body.n, 0);
	answer_fini(&a);
	check_post(fd, SEVEN, 200, SEVEN_OUT);
	ck_assert_int_eq(count_of(&s->calls), 1);
	/* A large body is not read for the sake of politeness. */
	check_last("POST / HTTP/1.1\r\nContent-Length: 70000\r\n\r\n", 401);
	check_last("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
		   401);
}
END_TEST

START_TEST(wrong_password_waits_and_holds_nobody_up)
{
	int other = dial(s), i;
	uint64_t from = mono_ns();
	struct answer a;

	send_str(fd, "POST / HTTP/1.1\r\nAuthorization: Basic dTpx\r\n"
		     "Content-Length: 25\r\n\r\n" SEVEN);
	for (i = 0; i < 20; i++)
		check_post(other, SEVEN, 200, SEVEN_OUT);
	ck_assert_uint_lt(mono_ns() - from, 240u * 1000000);
	ck_assert(recv_answer(fd, &a));
	ck_assert_uint_ge(mono_ns() - from, 240u * 1000000);
	ck_assert_int_eq(a.status, 401);
	ck_assert_ptr_nonnull(strstr(a.head.p, "\r\nWWW-Authenticate: "));
	answer_fini(&a);
	check_eof(fd);
	ck_assert_int_eq(count_of(&s->calls), 20);
	hang_up(other);
}
END_TEST

START_TEST(first_of_two_passwords_counts)
{
	send_str(
	    fd,
	    "POST / HTTP/1.1\r\n" AUTH_RIGHT
	    "Authorization: Basic xxxx\r\nContent-Length: 25\r\n\r\n" SEVEN);
	check_answer(fd, 200, SEVEN_OUT);
	send_str(fd,
		 "POST / HTTP/1.1\r\nAuthorization: Basic xxxx\r\n" AUTH_RIGHT
		 "Content-Length: 25\r\n\r\n" SEVEN);
	check_answer(fd, 401, "");
}
END_TEST

START_TEST(names_of_headers_have_no_case)
{
	send_str(fd, "POST / HTTP/1.1\r\nAUTHORIZATION: bASIC dTpw\r\n"
		     "cONTENT-lENGTH: 25\r\n\r\n" SEVEN);
	check_answer(fd, 200, SEVEN_OUT);
}
END_TEST

START_TEST(connection_close_and_http_1_0_end_after_the_answer)
{
	struct answer a;

	check_last("POST / HTTP/1.1\r\n" AUTH_RIGHT "Connection: close\r\n"
		   "Content-Length: 25\r\n\r\n" SEVEN,
		   200);
	check_last("POST / HTTP/1.0\r\n" AUTH_RIGHT
		   "Content-Length: 25\r\n\r\n" SEVEN,
		   200);
	send_str(fd,
		 "POST / HTTP/1.0\r\n" AUTH_RIGHT
		 "Connection: keep-alive\r\nContent-Length: 25\r\n\r\n" SEVEN);
	ck_assert(recv_answer(fd, &a));
	ck_assert_ptr_nonnull(
	    strstr(a.head.p, "\r\nConnection: keep-alive\r\n"));
	answer_fini(&a);
	check_post(fd, SEVEN, 200, SEVEN_OUT);
}
END_TEST

START_TEST(wish_for_another_protocol_is_passed_over)
{
	send_str(fd, "POST / HTTP/1.1\r\n" AUTH_RIGHT
		     "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
		     "Content-Length: 25\r\n\r\n" SEVEN);
	check_answer(fd, 200, SEVEN_OUT);
	check_post(fd, SEVEN, 200, SEVEN_OUT);
	send_str(fd, "GET /x HTTP/1.1\r\nConnection: Upgrade\r\n"
		     "Upgrade: websocket\r\n\r\n");
	check_answer(fd, 404, "");
	check_post(fd, SEVEN, 200, SEVEN_OUT);
}
END_TEST

START_TEST(answer_has_type_length_date_and_a_line_end)
{
	struct answer a;

	send_post(fd, SEVEN);
	ck_assert(recv_answer(fd, &a));
	ck_assert_ptr_nonnull(
	    strstr(a.head.p, "\r\nContent-Type: application/json\r\n"));
	ck_assert_ptr_nonnull(strstr(a.head.p, " GMT\r\n"));
	ck_assert_ptr_null(strcasestr(a.head.p, "transfer-encoding"));
	ck_assert_str_eq(a.body.p, SEVEN_OUT "\n");
	answer_fini(&a);
}
END_TEST

Suite *head_suite(void)
{
	Suite *su = suite_create("head");
	TCase *t = tcase_create("http");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, request_may_be_split_at_every_byte);
	tcase_add_test(t, request_may_come_byte_by_byte);
	tcase_add_test(t, pipelined_requests_are_answered_in_order);
	tcase_add_test(t, pipelined_requests_beyond_the_kept_bytes_arrive);
	tcase_add_test(t, bare_line_feeds_end_header_lines);
	tcase_add_test(t, blank_lines_between_requests_are_skipped);
	tcase_add_test(t, malformed_requests_are_400_and_the_end);
	tcase_add_test(t, zero_byte_in_the_path_is_400);
	tcase_add_test(t, header_of_8192_bytes_is_the_largest);
	tcase_add_test(t, endless_header_is_cut_off);
	tcase_add_test(t, body_over_the_limit_is_413_before_it_is_sent);
	tcase_add_test(t, status_line_of_413_is_as_bitcoind_words_it);
	tcase_add_test(t, body_of_the_limit_is_taken);
	tcase_add_test(t, chunked_body_is_put_together);
	tcase_add_test(t, chunked_body_over_the_limit_is_413);
	tcase_add_test(t, go_ahead_is_said_before_the_body);
	tcase_add_test(t, paths_are_the_root_and_wallets);
	tcase_add_test(t, other_methods_are_405_and_the_connection_stays);
	tcase_add_test(t, head_gets_no_body);
	tcase_add_test(t, missing_password_is_401_and_the_connection_stays);
	tcase_add_test(t, wrong_password_waits_and_holds_nobody_up);
	tcase_add_test(t, first_of_two_passwords_counts);
	tcase_add_test(t, names_of_headers_have_no_case);
	tcase_add_test(t, connection_close_and_http_1_0_end_after_the_answer);
	tcase_add_test(t, wish_for_another_protocol_is_passed_over);
	tcase_add_test(t, answer_has_type_length_date_and_a_line_end);
	suite_add_tcase(su, t);
	return su;
}
