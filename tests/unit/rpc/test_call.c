/* Calls: where they run, how they end, what the envelopes say. */
#include "fixture.h"

#include <stdlib.h>

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

START_TEST(legacy_answer_has_result_and_error)
{
	check_post(fd, "{\"method\":\"seven\",\"id\":1}", 200,
		   "{\"result\":7,\"error\":null,\"id\":1}");
	check_post(fd, "{\"jsonrpc\":\"1.0\",\"method\":\"seven\",\"id\":null}",
		   200, "{\"result\":7,\"error\":null,\"id\":null}");
	check_post(fd, "{\"jsonrpc\":null,\"method\":\"seven\",\"id\":1.50}",
		   200, "{\"result\":7,\"error\":null,\"id\":1.50}");
	/* ckpool asks without an id. */
	check_post(fd, "{\"method\":\"seven\"}", 200,
		   "{\"result\":7,\"error\":null}");
	check_post(
	    fd, "{\"method\":\"fail\",\"id\":[1,{\"a\":\"\\u00e9\"}]}", 500,
	    "{\"result\":null,\"error\":{\"code\":-8,\"message\":\"Block "
	    "\\\"x\\\" not found\"},\"id\":[1,{\"a\":\"\xc3\xa9\"}]}");
}
END_TEST

START_TEST(version_two_answer_has_one_of_result_and_error)
{
	check_post(fd,
		   "{\"jsonrpc\":\"2.0\",\"method\":\"seven\",\"id\":\"a\"}",
		   200, "{\"jsonrpc\":\"2.0\",\"result\":7,\"id\":\"a\"}");
	check_post(fd, "{\"jsonrpc\":\"2.0\",\"method\":\"fail\",\"id\":2}",
		   200,
		   "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-8,\"message\":"
		   "\"Block \\\"x\\\" not found\"},\"id\":2}");
	check_post(fd, "{\"jsonrpc\":\"2.0\",\"method\":\"seven\",\"id\":null}",
		   200, "{\"jsonrpc\":\"2.0\",\"result\":7,\"id\":null}");
}
END_TEST

START_TEST(unknown_method_is_404_and_under_two_200)
{
	check_post(fd, "{\"method\":\"nosuch\",\"id\":1}", 404,
		   "{\"result\":null,\"error\":{\"code\":-32601,\"message\":"
		   "\"Method not found\"},\"id\":1}");
	check_post(
	    fd, "{\"jsonrpc\":\"2.0\",\"method\":\"nosuch\",\"id\":1}", 200,
	    "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32601,\"message\":"
	    "\"Method not found\"},\"id\":1}");
}
END_TEST

#define INVALID(msg)                                                           \
	"{\"result\":null,\"error\":{\"code\":-32600,\"message\":\"" msg "\"}"

START_TEST(invalid_request_is_400)
{
	static const char *const t[][2] = {
	    {"{}", INVALID("Missing method") "}"},
	    {"{\"id\":1}", INVALID("Missing method") ",\"id\":1}"},
	    {"{\"method\":null}", INVALID("Missing method") "}"},
	    {"{\"method\":1}", INVALID("Method must be a string") "}"},
	    {"{\"jsonrpc\":2,\"method\":\"seven\"}",
	     INVALID("jsonrpc field must be a string") "}"},
	    {"{\"jsonrpc\":\"3.0\",\"method\":\"seven\",\"id\":1}",
	     INVALID("JSON-RPC version not supported") ",\"id\":1}"},
	    {"{\"method\":\"seven\",\"params\":1}",
	     INVALID("Params must be an array or object") "}"},
	    {"{\"method\":\"seven\",\"params\":\"x\"}",
	     INVALID("Params must be an array or object") "}"},
	    {"{\"jsonrpc\":\"2.0\"}",
	     "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":"
	     "\"Missing method\"}}"},
	};
	size_t i;

	for (i = 0; i < sizeof t / sizeof *t; i++)
		check_post(fd, t[i][0], 400, t[i][1]);
	ck_assert_int_eq(count_of(&s->calls), 0);
}
END_TEST

START_TEST(what_is_no_json_is_500)
{
	static const char parse[] =
	    "{\"result\":null,\"error\":{\"code\":-32700,\"message\":"
	    "\"Parse error\"},\"id\":null}";
	static const char top[] = "{\"result\":null,\"error\":{\"code\":-32700,"
				  "\"message\":\"Top-level "
				  "object parse error\"},\"id\":null}";

	check_post(fd, "{", 500, parse);
	check_post(fd, "", 500, parse);
	check_post(fd, "{\"method\":\"\\ud800\"}", 500, parse);
	check_post(fd, "1", 500, top);
	check_post(fd, "\"seven\"", 500, top);
	check_post(fd, "null", 500, top);
	send_str(fd, "POST / HTTP/1.1\r\n" AUTH_RIGHT "\r\n");
	check_answer(fd, 500, parse);
}
END_TEST

START_TEST(notification_runs_and_gets_204)
{
	struct answer a;

	send_post(fd, "{\"jsonrpc\":\"2.0\",\"method\":\"seven\"}");
	ck_assert(recv_answer(fd, &a));
	ck_assert_int_eq(a.status, 204);
	ck_assert_ptr_null(strcasestr(a.head.p, "content-length"));
	answer_fini(&a);
	ck_assert_int_eq(count_of(&s->calls), 1);
	check_post(fd, "{\"jsonrpc\":\"2.0\",\"method\":\"fail\"}", 204, "");
	check_post(fd, "{\"jsonrpc\":\"2.0\",\"method\":\"nosuch\"}", 204, "");
	check_post(fd, "{\"jsonrpc\":\"2.0\",\"method\":\"hop\"}", 204, "");
	check_post(
	    fd, "{\"jsonrpc\":\"2.0\",\"method\":\"big\",\"params\":[9999,99]}",
	    204, "");
	check_post(fd, "{\"method\":\"seven\"}", 200,
		   "{\"result\":7,\"error\":null}");
	wait_for(&s->freed, 1);
}
END_TEST

START_TEST(command_without_a_word_answers_null)
{
	check_post(fd, "{\"method\":\"nothing\",\"id\":1}", 200,
		   "{\"result\":null,\"error\":null,\"id\":1}");
	check_post(fd, "{\"jsonrpc\":\"2.0\",\"method\":\"nothing\",\"id\":1}",
		   200, "{\"jsonrpc\":\"2.0\",\"result\":null,\"id\":1}");
}
END_TEST

START_TEST(call_hops_between_its_places)
{
	check_post(fd, "{\"method\":\"hop\",\"id\":1}", 200,
		   "{\"result\":\"rpc cha loo \",\"error\":null,\"id\":1}");
}
END_TEST

START_TEST(every_place_runs_commands)
{
	check_post(fd, "{\"method\":\"echo\",\"params\":[1]}", 200,
		   "{\"result\":[1],\"error\":null}");
	check_post(fd, "{\"method\":\"echopool\",\"params\":[2]}", 200,
		   "{\"result\":[2],\"error\":null}");
	check_post(fd, "{\"method\":\"echochain\",\"params\":[3]}", 200,
		   "{\"result\":[3],\"error\":null}");
}
END_TEST

START_TEST(call_may_end_long_after_its_function)
{
	int other = dial(s);

	send_post(fd, "{\"method\":\"keep\",\"id\":1}");
	wait_for(&s->calls, 1);
	check_post(other, "{\"method\":\"seven\"}", 200,
		   "{\"result\":7,\"error\":null}");
	check_post(other, "{\"method\":\"release\"}", 200,
		   "{\"result\":null,\"error\":null}");
	check_answer(fd, 200, "{\"result\":\"kept\",\"error\":null,\"id\":1}");
	hang_up(other);
}
END_TEST

START_TEST(call_survives_a_client_that_left)
{
	int other = dial(s);

	send_post(other, "{\"method\":\"slow\",\"id\":1}");
	sem_wait(&s->slow_entered);
	hang_up(other);
	check_post(fd, "{\"method\":\"seven\"}", 200,
		   "{\"result\":7,\"error\":null}");
	ck_assert_int_eq(count_of(&s->calls), 1);
	sem_post(&s->slow_go);
	wait_for(&s->calls, 2);
	other = dial(s);
	send_post(other, "{\"method\":\"keep\",\"id\":1}");
	wait_for(&s->calls, 3);
	hang_up(other);
	check_post(fd, "{\"method\":\"release\"}", 200,
		   "{\"result\":null,\"error\":null}");
}
END_TEST

START_TEST(slow_call_holds_only_its_connection_up)
{
	int other = dial(s);

	send_post(fd, "{\"method\":\"slow\",\"id\":1}");
	send_post(fd, "{\"method\":\"seven\",\"id\":2}");
	sem_wait(&s->slow_entered);
	check_post(other, "{\"method\":\"seven\",\"id\":3}", 200,
		   "{\"result\":7,\"error\":null,\"id\":3}");
	ck_assert_int_eq(count_of(&s->calls), 1);
	sem_post(&s->slow_go);
	check_answer(fd, 200, "{\"result\":true,\"error\":null,\"id\":1}");
	check_answer(fd, 200, "{\"result\":7,\"error\":null,\"id\":2}");
	hang_up(other);
}
END_TEST

static void loading(struct server *sv)
{
	sv->stage = "Loading block index\xe2\x80\xa6";
}

START_TEST(warmup_answers_the_stage_to_all_but_the_exempt)
{
	struct server *w = server_start(loading);
	int wfd = dial(w);

	check_post(wfd, "{\"method\":\"seven\",\"id\":1}", 500,
		   "{\"result\":null,\"error\":{\"code\":-28,\"message\":"
		   "\"Loading block index\xe2\x80\xa6\"},\"id\":1}");
	check_post(wfd, "{\"method\":\"nosuch\",\"id\":1}", 500,
		   "{\"result\":null,\"error\":{\"code\":-28,\"message\":"
		   "\"Loading block index\xe2\x80\xa6\"},\"id\":1}");
	check_post(wfd, "{\"method\":\"warm\",\"id\":1}", 200,
		   "{\"result\":7,\"error\":null,\"id\":1}");
	hang_up(wfd);
	server_stop(w);
}
END_TEST

static void whitelist(struct server *sv)
{
	static const char *const lines[] = {"u:seven,echo", NULL};

	sv->cfg.whitelist = lines;
}

START_TEST(method_off_the_whitelist_is_403)
{
	struct server *w = server_start(whitelist);
	int wfd = dial(w);

	check_post(wfd, "{\"method\":\"seven\",\"id\":1}", 200,
		   "{\"result\":7,\"error\":null,\"id\":1}");
	check_post(wfd, "{\"method\":\"nothing\",\"id\":1}", 403, "");
	check_post(wfd, "{\"method\":\"nosuch\",\"id\":1}", 403, "");
	check_post(wfd, "{\"id\":1}", 403, "");
	check_post(wfd, "[{\"method\":\"seven\"},{\"method\":\"nothing\"}]",
		   403, "");
	ck_assert_int_eq(count_of(&w->calls), 1);
	check_post(wfd, "[{\"method\":\"seven\"},{\"method\":\"echo\"}]", 200,
		   "[{\"result\":7,\"error\":null},{\"result\":[],\"error\":"
		   "null}]");
	hang_up(wfd);
	server_stop(w);
}
END_TEST

static void other_user_listed(struct server *sv)
{
	static const char *const lines[] = {"v:seven", NULL};

	sv->cfg.whitelist = lines;
}

START_TEST(user_without_a_whitelist_is_403)
{
	struct server *w = server_start(other_user_listed);
	int wfd = dial(w), local = dial_unix(w);

	check_post(wfd, "{\"method\":\"seven\",\"id\":1}", 403, "");
	/* Without a password one is the cookie's user. */
	send_str(local, "POST / HTTP/1.1\r\nContent-Length: 18\r\n\r\n"
			"{\"method\":\"seven\"}");
	check_answer(local, 403, "");
	hang_up(local);
	hang_up(wfd);
	server_stop(w);
}
END_TEST

static void narrow(struct server *sv)
{
	sv->cfg.threads = 1;
	sv->cfg.work_queue = 2;
}

START_TEST(full_work_queue_is_503_for_slow_calls_only)
{
	struct server *w = server_start(narrow);
	int fds[3], wfd = dial(w), i;

	for (i = 0; i < 3; i++) {
		fds[i] = dial(w);
		send_post(fds[i], "{\"method\":\"slow\"}");
		if (i == 0)
			sem_wait(&w->slow_entered);
		/* An answer behind it tells that the request was seen. */
		check_post(wfd, "{\"method\":\"seven\"}", 200,
			   "{\"result\":7,\"error\":null}");
	}
	check_post(wfd, "{\"method\":\"slow\"}", 503,
		   "Work queue depth exceeded");
	check_post(wfd, "[{\"method\":\"slow\"}]", 503,
		   "Work queue depth exceeded");
	check_post(wfd, "{\"method\":\"seven\"}", 200,
		   "{\"result\":7,\"error\":null}");
	for (i = 0; i < 3; i++)
		sem_post(&w->slow_go);
	for (i = 0; i < 3; i++) {
		check_answer(fds[i], 200, "{\"result\":true,\"error\":null}");
		hang_up(fds[i]);
	}
	sem_post(&w->slow_go);
	check_post(wfd, "{\"method\":\"slow\"}", 200,
		   "{\"result\":true,\"error\":null}");
	hang_up(wfd);
	server_stop(w);
}
END_TEST

static void active_task(void *arg)
{
	struct server *sv = arg;
	struct rpc_active a[4];
	size_t n = rpc_active(sv->r, a, 4);

	must(n == 1 && strcmp(a[0].method, "slow") == 0 && a[0].since_us > 0);
	must(rpc_active(sv->r, a, 0) == 1);
	__atomic_store_n(&sv->freed, 77, __ATOMIC_SEQ_CST);
}

START_TEST(active_calls_are_listed)
{
	send_post(fd, "{\"method\":\"slow\"}");
	sem_wait(&s->slow_entered);
	server_post(s, active_task);
	wait_for(&s->freed, 77);
	sem_post(&s->slow_go);
	check_answer(fd, 200, "{\"result\":true,\"error\":null}");
}
END_TEST

START_TEST(large_body_is_parsed_off_the_loop)
{
	struct text t = TEXT_INIT;
	struct answer a;
	int i;

	text_puts(&t, "{\"method\":\"echo\",\"params\":[[0");
	for (i = 1; i < 40000; i++)
		text_printf(&t, ",%d", i);
	text_puts(&t, "]],\"id\":5}");
	send_post(fd, t.p);
	ck_assert(recv_answer(fd, &a));
	ck_assert_int_eq(a.status, 200);
	ck_assert_mem_eq(a.body.p, "{\"result\":[[0,1,2,", 18);
	ck_assert_str_eq(a.body.p + a.body.n - 35,
			 "39998,39999]],\"error\":null,\"id\":5}\n");
	answer_fini(&a);
	t.p[t.n - 1] = ',';
	send_post(fd, t.p);
	ck_assert(recv_answer(fd, &a));
	ck_assert_int_eq(a.status, 500);
	answer_fini(&a);
	text_fini(&t);
}
END_TEST

START_TEST(request_of_too_many_values_is_refused)
{
	struct text t = TEXT_INIT;
	struct answer a;
	size_t i;

	text_puts(&t, "[1");
	for (i = 0; i < 2000000; i++)
		text_puts(&t, ",1");
	text_puts(&t, "]");
	send_post(fd, t.p);
	ck_assert(recv_answer(fd, &a));
	ck_assert_int_eq(a.status, 500);
	ck_assert_ptr_nonnull(strstr(a.body.p, "\"code\":-7"));
	answer_fini(&a);
	text_fini(&t);
	check_post(fd, "{\"method\":\"seven\"}", 200,
		   "{\"result\":7,\"error\":null}");
}
END_TEST

Suite *call_suite(void)
{
	Suite *su = suite_create("call");
	TCase *t = tcase_create("envelope");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, legacy_answer_has_result_and_error);
	tcase_add_test(t, version_two_answer_has_one_of_result_and_error);
	tcase_add_test(t, unknown_method_is_404_and_under_two_200);
	tcase_add_test(t, invalid_request_is_400);
	tcase_add_test(t, what_is_no_json_is_500);
	tcase_add_test(t, notification_runs_and_gets_204);
	tcase_add_test(t, command_without_a_word_answers_null);
	tcase_add_test(t, large_body_is_parsed_off_the_loop);
	tcase_add_test(t, request_of_too_many_values_is_refused);
	suite_add_tcase(su, t);
	t = tcase_create("places");
	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, call_hops_between_its_places);
	tcase_add_test(t, every_place_runs_commands);
	tcase_add_test(t, call_may_end_long_after_its_function);
	tcase_add_test(t, call_survives_a_client_that_left);
	tcase_add_test(t, slow_call_holds_only_its_connection_up);
	tcase_add_test(t, active_calls_are_listed);
	suite_add_tcase(su, t);
	t = tcase_create("rights");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, warmup_answers_the_stage_to_all_but_the_exempt);
	tcase_add_test(t, method_off_the_whitelist_is_403);
	tcase_add_test(t, user_without_a_whitelist_is_403);
	tcase_add_test(t, full_work_queue_is_503_for_slow_calls_only);
	suite_add_tcase(su, t);
	return su;
}
