/* Batches: members are independent, answers in order, memory bounded. */
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

START_TEST(batch_members_are_independent)
{
	check_post(
	    fd,
	    "[{\"method\":\"seven\",\"id\":1},"
	    "{\"jsonrpc\":\"2.0\",\"method\":\"fail\",\"id\":2},"
	    "{\"jsonrpc\":\"2.0\",\"method\":\"nosuch\",\"id\":3},"
	    "{\"jsonrpc\":\"2.0\",\"method\":\"seven\"},"
	    "5,"
	    "{\"pizza\":\"sausage\"},"
	    "{\"method\":\"echopool\",\"params\":[1],\"id\":4},"
	    "{\"jsonrpc\":\"9\",\"method\":\"seven\",\"id\":5},"
	    "{\"jsonrpc\":\"2.0\",\"method\":\"echochain\",\"params\":[],"
	    "\"id\":6}]",
	    200,
	    "[{\"result\":7,\"error\":null,\"id\":1},"
	    "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-8,\"message\":\"Block "
	    "\\\"x\\\" not found\"},\"id\":2},"
	    "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32601,\"message\":"
	    "\"Method not found\"},\"id\":3},"
	    "{\"result\":null,\"error\":{\"code\":-32600,\"message\":\"Invalid "
	    "Request object\"}},"
	    "{\"result\":null,\"error\":{\"code\":-32600,\"message\":\"Missing "
	    "method\"}},"
	    "{\"result\":[1],\"error\":null,\"id\":4},"
	    "{\"result\":null,\"error\":{\"code\":-32600,\"message\":\"JSON-"
	    "RPC "
	    "version not supported\"},\"id\":5},"
	    "{\"jsonrpc\":\"2.0\",\"result\":[],\"id\":6}]");
	ck_assert_int_eq(count_of(&s->calls), 4);
}
END_TEST

START_TEST(empty_batch_is_an_empty_array)
{
	check_post(fd, "[]", 200, "[]");
}
END_TEST

START_TEST(batch_of_notifications_is_204)
{
	check_post(fd,
		   "[{\"jsonrpc\":\"2.0\",\"method\":\"seven\"},"
		   "{\"jsonrpc\":\"2.0\",\"method\":\"hop\"}]",
		   204, "");
	check_post(fd,
		   "[{\"jsonrpc\":\"2.0\",\"method\":\"seven\"},"
		   "{\"method\":\"seven\"}]",
		   200, "[{\"result\":7,\"error\":null}]");
}
END_TEST

/* A batch of n members that run inline. */
static void put_batch(struct text *t, const char *method, int n)
{
	int i;

	text_puts(t, "[");
	for (i = 0; i < n; i++)
		text_printf(t, "%s{\"method\":\"%s\",\"id\":%d}", i ? "," : "",
			    method, i);
	text_puts(t, "]");
}

START_TEST(large_batch_is_answered_in_order)
{
	struct text t = TEXT_INIT, want = TEXT_INIT;
	int i;

	put_batch(&t, "seven", 20000);
	text_puts(&want, "[");
	for (i = 0; i < 20000; i++)
		text_printf(&want, "%s{\"result\":7,\"error\":null,\"id\":%d}",
			    i ? "," : "", i);
	text_puts(&want, "]");
	check_post(fd, t.p, 200, want.p);
	text_fini(&t);
	text_fini(&want);
}
END_TEST

START_TEST(large_batch_lets_others_have_their_turn)
{
	struct text t = TEXT_INIT;
	struct answer a;
	int other = dial(s), turns = 0, before = 0;

	put_batch(&t, "seven", 200000);
	send_post(fd, t.p);
	/* The answers to others come while the batch counts on. */
	while (turns < 3 && before < 200000) {
		before = count_of(&s->calls);
		check_post(other, "{\"method\":\"nothing\"}", 200,
			   "{\"result\":null,\"error\":null}");
		turns += before > 0 && before < 200000;
	}
	ck_assert_int_eq(turns, 3);
	ck_assert(recv_answer(fd, &a));
	ck_assert_int_eq(a.status, 200);
	answer_fini(&a);
	ck_assert_int_eq(count_of(&s->calls), 200000);
	text_fini(&t);
	hang_up(other);
}
END_TEST

START_TEST(batch_goes_on_when_its_client_left)
{
	struct text t = TEXT_INIT;
	int other = dial(s);

	put_batch(&t, "echopool", 300);
	send_post(other, t.p);
	wait_for(&s->calls, 300);
	hang_up(other);
	text_reset(&t);
	other = dial(s);
	put_batch(&t, "seven", 100000);
	send_post(other, t.p);
	while (count_of(&s->calls) < 301)
		check_post(fd, "{\"method\":\"nothing\"}", 200,
			   "{\"result\":null,\"error\":null}");
	hang_up(other);
	wait_for(&s->calls, 100300);
	text_fini(&t);
}
END_TEST

/* The body goes on like this at at; returns where it ends. */
static size_t check_at(const struct answer *a, size_t at, const char *want)
{
	ck_assert_uint_le(at + strlen(want), a->body.n);
	ck_assert_mem_eq(a->body.p + at, want, strlen(want));
	return at + strlen(want);
}

START_TEST(batch_answers_streams_between_texts)
{
	struct answer a;
	size_t n;

	send_post(fd, "[{\"method\":\"seven\",\"id\":1},"
		      "{\"method\":\"big\",\"params\":[1000,1000],\"id\":2},"
		      "{\"method\":\"big\",\"params\":[2,3],\"id\":3},"
		      "{\"method\":\"big\",\"params\":[3000,100],\"id\":4},"
		      "{\"method\":\"fail\",\"id\":5}]");
	ck_assert(recv_answer(fd, &a));
	ck_assert_int_eq(a.status, 200);
	n = check_at(&a, 0,
		     "[{\"result\":7,\"error\":null,\"id\":1},"
		     "{\"result\":");
	check_at(&a, n, "[\"xxxx");
	n = check_at(&a, n + 1000 * 1003 + 1,
		     ",\"error\":null,\"id\":2},{\"result\":[\"xxx\",\"xxx\"],"
		     "\"error\":null,\"id\":3},{\"result\":");
	n = check_at(&a, n + 3000 * 103 + 1,
		     ",\"error\":null,\"id\":4},{\"result\":null,\"error\":{"
		     "\"code\":-8,\"message\":\"Block \\\"x\\\" not found\"},"
		     "\"id\":5}]\n");
	ck_assert_uint_eq(n, a.body.n);
	answer_fini(&a);
	wait_for(&s->freed, 3);
}
END_TEST

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	while ((text = strstr(text, what)) != NULL) {
		text += strlen(what);
		n++;
	}
	return n;
}

START_TEST(batch_of_huge_answers_is_held_at_its_bound)
{
	struct text t = TEXT_INIT;
	struct answer a;
	int i;

	text_puts(&t, "[");
	for (i = 0; i < 100; i++)
		text_printf(&t, "%s{\"method\":\"wide\",\"params\":[1000000]}",
			    i ? "," : "");
	text_puts(&t, "]");
	send_post(fd, t.p);
	ck_assert(recv_answer(fd, &a));
	ck_assert_int_eq(a.status, 200);
	ck_assert_uint_eq(count(a.body.p, "\"error\":null"),
			  BATCH_MAX / 1000000 + 1);
	ck_assert_uint_eq(count(a.body.p, "\"code\":-7"),
			  100 - BATCH_MAX / 1000000 - 1);
	answer_fini(&a);
	text_fini(&t);
	check_post(fd, "{\"method\":\"seven\"}", 200,
		   "{\"result\":7,\"error\":null}");
}
END_TEST

Suite *request_suite(void)
{
	Suite *su = suite_create("request");
	TCase *t = tcase_create("batch");

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, batch_members_are_independent);
	tcase_add_test(t, empty_batch_is_an_empty_array);
	tcase_add_test(t, batch_of_notifications_is_204);
	tcase_add_test(t, large_batch_is_answered_in_order);
	tcase_add_test(t, large_batch_lets_others_have_their_turn);
	tcase_add_test(t, batch_goes_on_when_its_client_left);
	tcase_add_test(t, batch_answers_streams_between_texts);
	tcase_add_test(t, batch_of_huge_answers_is_held_at_its_bound);
	suite_add_tcase(su, t);
	return su;
}
