/* The client's connection, against our server and against ill-behaved ones. */
#include "fixture.h"

#include <cairn/base/clock.h>
#include <cairn/base/err.h>
#include <cairn/rpc/client.h>

#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static struct server *s;
static struct text out, err;
static int status;

static void setup(void)
{
	s = server_start(NULL);
}

static void teardown(void)
{
	text_fini(&out);
	text_fini(&err);
	if (s)
		server_stop(s);
	s = NULL;
}

static struct rpc_client *open_tcp(const char *pair)
{
	struct rpc_client_cfg cfg = {.host = "127.0.0.1",
				     .port = s->port,
				     .user_password = pair,
				     .timeout_s = 10};
	struct rpc_client *c = NULL;

	ck_assert_int_eq(rpc_client_open(&c, &err, &cfg), 0);
	return c;
}

static int post(struct rpc_client *c, const char *body)
{
	text_reset(&out);
	text_reset(&err);
	return rpc_client_post(c, &status, &out, &err, "/",
			       slice_of(body, strlen(body)));
}

START_TEST(client_posts_over_tcp_again_and_again)
{
	struct rpc_client *c = open_tcp("u:p");

	ck_assert(!rpc_client_is_unix(c));
	ck_assert_int_eq(post(c, "{\"method\":\"seven\"}"), 0);
	ck_assert_int_eq(status, 200);
	ck_assert_str_eq(out.p, "{\"result\":7,\"error\":null}\n");
	ck_assert_int_eq(post(c, "{\"method\":\"nosuch\"}"), 0);
	ck_assert_int_eq(status, 404);
	ck_assert_int_eq(post(c, "{\"jsonrpc\":\"2.0\",\"method\":\"seven\"}"),
			 0);
	ck_assert_int_eq(status, 204);
	ck_assert_uint_eq(out.n, 0);
	ck_assert_int_eq(post(c, "{\"method\":\"big\",\"params\":[3000,1000]}"),
			 0);
	ck_assert_uint_eq(out.n, 3000 * 1003 + 26);
	rpc_client_close(c);
}
END_TEST

START_TEST(client_posts_over_the_unix_socket_without_a_password)
{
	struct rpc_client_cfg cfg = {.unix_path = s->sock, .timeout_s = 10};
	struct rpc_client *c = NULL;

	ck_assert_int_eq(rpc_client_open(&c, &err, &cfg), 0);
	ck_assert(rpc_client_is_unix(c));
	ck_assert_int_eq(post(c, "{\"method\":\"seven\"}"), 0);
	ck_assert_int_eq(status, 200);
	rpc_client_close(c);
}
END_TEST

START_TEST(client_falls_back_to_tcp)
{
	struct rpc_client_cfg cfg = {.unix_path = "/nonexistent/sock",
				     .host = "127.0.0.1",
				     .port = s->port,
				     .user_password = "u:p",
				     .timeout_s = 10};
	struct rpc_client *c = NULL;

	ck_assert_int_eq(rpc_client_open(&c, &err, &cfg), 0);
	ck_assert(!rpc_client_is_unix(c));
	rpc_client_close(c);
	rpc_client_close(NULL);
}
END_TEST

START_TEST(client_is_told_401)
{
	struct rpc_client *c = open_tcp("u:q");

	ck_assert_int_eq(post(c, "{\"method\":\"seven\"}"), 0);
	ck_assert_int_eq(status, 401);
	rpc_client_close(c);
}
END_TEST

static void tiny_body(struct server *sv)
{
	sv->cfg.max_body = 1000;
}

START_TEST(client_hears_a_refusal_while_it_still_sends)
{
	struct text big = TEXT_INIT;
	struct rpc_client *c;
	int i;

	server_stop(s);
	s = server_start(tiny_body);
	for (i = 0; i < 2000000; i++)
		text_puts(&big, "          ");
	c = open_tcp("u:p");
	ck_assert_int_eq(post(c, big.p), 0);
	ck_assert_int_eq(status, 413);
	rpc_client_close(c);
	text_fini(&big);
}
END_TEST

START_TEST(client_says_why_it_could_not_connect)
{
	struct rpc_client_cfg cfg = {.unix_path = "/nonexistent/sock"};
	struct rpc_client *c = NULL;

	ck_assert_int_eq(rpc_client_open(&c, &err, &cfg), E_CLOSED);
	ck_assert_str_eq(err.p, "Could not connect to the server");
	text_reset(&err);
	cfg.unix_path = NULL;
	cfg.host = "127.0.0.1";
	cfg.port = 1;
	ck_assert_int_eq(rpc_client_open(&c, &err, &cfg), E_CLOSED);
	ck_assert_str_eq(err.p, "Could not connect to the server");
	text_reset(&err);
	cfg.host = "name.invalid";
	ck_assert_int_eq(rpc_client_open(&c, &err, &cfg), E_NOTFOUND);
	ck_assert_str_eq(err.p, "Could not resolve host: name.invalid");
	ck_assert_ptr_null(c);
}
END_TEST

/* A server that says its lines to one client. */
struct liar {
	int fd;
	uint16_t port;
	const char *says;
	bool stays;
	pthread_t thread;
};

static void liar_main(void *arg)
{
	struct liar *l = arg;
	char buf[1000];
	int c = accept(l->fd, NULL, NULL);

	must(recv(c, buf, sizeof buf, 0) > 0);
	must(send(c, l->says, strlen(l->says), MSG_NOSIGNAL) >= 0);
	if (l->stays)
		must(recv(c, buf, sizeof buf, 0) == 0);
	close(c);
}

static int lie(const char *says, bool stays)
{
	struct sockaddr_in sin = {.sin_family = AF_INET};
	struct rpc_client_cfg cfg = {.host = "127.0.0.1", .timeout_s = 1};
	struct liar l = {.says = says, .stays = stays};
	struct rpc_client *c = NULL;
	socklen_t n = sizeof sin;
	int rc;

	sin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	l.fd = socket(AF_INET, SOCK_STREAM, 0);
	ck_assert_int_eq(bind(l.fd, (void *)&sin, sizeof sin), 0);
	ck_assert_int_eq(listen(l.fd, 1), 0);
	ck_assert_int_eq(getsockname(l.fd, (void *)&sin, &n), 0);
	cfg.port = ntohs(sin.sin_port);
	thread_start(&l.thread, "liar", liar_main, &l);
	text_reset(&err);
	ck_assert_int_eq(rpc_client_open(&c, &err, &cfg), 0);
	rc = post(c, "{}");
	rpc_client_close(c);
	pthread_join(l.thread, NULL);
	close(l.fd);
	return rc;
}

START_TEST(client_understands_other_servers)
{
	ck_assert_int_eq(lie("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
			     "\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
			     true),
			 0);
	ck_assert_str_eq(out.p, "abcde");
	ck_assert_int_eq(lie("HTTP/1.0 200 OK\r\n\r\nuntil the end", false), 0);
	ck_assert_str_eq(out.p, "until the end");
	ck_assert_int_eq(lie("HTTP/1.1 100 Continue\r\n\r\n"
			     "HTTP/1.1 500 Oops\r\nContent-Length: 2\r\n\r\nhi",
			     true),
			 0);
	ck_assert_int_eq(status, 500);
	ck_assert_str_eq(out.p, "hi");
}
END_TEST

START_TEST(client_is_not_fooled)
{
	ck_assert_int_eq(lie("", false), E_CLOSED);
	ck_assert_int_eq(
	    lie("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab", false),
	    E_CLOSED);
	ck_assert_int_eq(lie("SSH-2.0-OpenSSH\r\n", true), E_PARSE);
	ck_assert_str_eq(err.p, "what the server sent is not HTTP");
	ck_assert_int_eq(
	    lie("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab", true),
	    E_TIMEOUT);
	ck_assert_str_eq(err.p, "timeout");
	ck_assert_int_eq(lie("", true), E_TIMEOUT);
}
END_TEST

Suite *client_suite(void)
{
	Suite *su = suite_create("client");
	TCase *t = tcase_create("client");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, client_posts_over_tcp_again_and_again);
	tcase_add_test(t, client_posts_over_the_unix_socket_without_a_password);
	tcase_add_test(t, client_falls_back_to_tcp);
	tcase_add_test(t, client_is_told_401);
	tcase_add_test(t, client_hears_a_refusal_while_it_still_sends);
	tcase_add_test(t, client_says_why_it_could_not_connect);
	tcase_add_test(t, client_understands_other_servers);
	tcase_add_test(t, client_is_not_fooled);
	suite_add_tcase(su, t);
	return su;
}
