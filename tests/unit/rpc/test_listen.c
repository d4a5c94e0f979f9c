/* Sockets and the cookie: who may come in, and what is left behind. */
#include "fixture.h"

#include <cairn/base/buf.h>
#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/base/mem.h>

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define NO_PASSWORD                                                            \
	"POST / HTTP/1.1\r\nContent-Length: 18\r\n\r\n{\"method\":\"seven\"}"
#define SEVEN_OUT "{\"result\":7,\"error\":null}"

START_TEST(own_user_needs_no_password_on_the_unix_socket)
{
	struct server *s = server_start(NULL);
	int fd = dial_unix(s);

	send_str(fd, NO_PASSWORD);
	check_answer(fd, 200, SEVEN_OUT);
	send_str(fd, "POST / HTTP/1.1\r\n" AUTH_RIGHT
		     "Content-Length: 18\r\n\r\n{\"method\":\"seven\"}");
	check_answer(fd, 200, SEVEN_OUT);
	send_str(fd, "POST / HTTP/1.1\r\nAuthorization: Basic xxxx\r\n"
		     "Content-Length: 18\r\n\r\n{\"method\":\"seven\"}");
	check_answer(fd, 401, "");
	hang_up(fd);
	server_stop(s);
}
END_TEST

/* Change the effective user of this thread alone: libc would change all. */
static int become(unsigned uid)
{
	return (int)syscall(SYS_setresuid, -1, uid, -1);
}

/* Another user (only root can become one) must show a password. */
START_TEST(other_user_needs_a_password_on_the_unix_socket)
{
	struct server *s = server_start(NULL);
	int fd;

	if (geteuid() == 0) {
		ck_assert_int_eq(chmod(s->dir, 0755), 0);
		ck_assert_int_eq(chmod(s->sock, 0666), 0);
		/* The thread's own identity is what connect shows. */
		ck_assert_int_eq(become(65534), 0);
		fd = dial_unix(s);
		ck_assert_int_eq(become(0), 0);
		send_str(fd, NO_PASSWORD);
		check_answer(fd, 401, "");
		send_str(fd, "POST / HTTP/1.1\r\n" AUTH_RIGHT
			     "Content-Length: 18\r\n\r\n"
			     "{\"method\":\"seven\"}");
		check_answer(fd, 200, SEVEN_OUT);
		hang_up(fd);
	}
	server_stop(s);
}
END_TEST

START_TEST(unix_socket_is_for_owner_and_group_and_goes_away)
{
	struct server *s = server_start(NULL);
	char *sock = xstrdup(s->sock);
	struct stat st;

	ck_assert_int_eq(stat(sock, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0660);
	server_begin_stop(s);
	while (stat(sock, &st) == 0)
		usleep(1000);
	server_stop(s);
	free(sock);
}
END_TEST

/* What a killed server leaves: a socket's file that nobody listens on. */
static void stale(struct server *s)
{
	struct sockaddr_un sun = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(sun.sun_path, sizeof sun.sun_path, "%s", s->sock);
	ck_assert_int_eq(bind(fd, (void *)&sun, sizeof sun), 0);
	hang_up(fd);
	ck_assert(path_exists(s->sock));
}

START_TEST(stale_socket_is_replaced)
{
	struct server *s = server_start(stale);
	int fd = dial_unix(s);

	send_str(fd, NO_PASSWORD);
	check_answer(fd, 200, SEVEN_OUT);
	hang_up(fd);
	server_stop(s);
}
END_TEST

static void file_in_the_way(struct server *s)
{
	ck_assert_int_eq(file_replace(s->sock, slice_of("x", 1), 0600), 0);
}

START_TEST(file_in_the_sockets_place_stops_the_start)
{
	struct server *s = server_try(file_in_the_way);

	ck_assert_int_ne(s->rc, 0);
	ck_assert_ptr_nonnull(strstr(text_str(&s->err), s->sock));
	ck_assert(path_exists(s->sock));
	server_stop(s);
}
END_TEST

static void long_path(struct server *s)
{
	size_t n = strlen(s->dir);

	free(s->sock);
	s->sock = xmalloc(200);
	memset(s->sock, 'x', 199);
	memcpy(s->sock, s->dir, n);
	s->sock[n] = '/';
	/* 108 bytes: one more than an address holds with its end. */
	s->sock[108] = '\0';
	s->cfg.unix_path = s->sock;
}

START_TEST(path_too_long_for_a_socket_gives_tcp_only)
{
	struct server *s = server_start(long_path);
	int fd = dial(s);

	ck_assert(!path_exists(s->sock));
	check_post(fd, "{\"method\":\"seven\"}", 200, SEVEN_OUT);
	hang_up(fd);
	server_stop(s);
}
END_TEST

static void path_of_107(struct server *s)
{
	long_path(s);
	s->sock[107] = '\0';
}

START_TEST(path_of_107_bytes_is_the_longest)
{
	struct server *s = server_start(path_of_107);
	int fd = dial_unix(s);

	send_str(fd, NO_PASSWORD);
	check_answer(fd, 200, SEVEN_OUT);
	hang_up(fd);
	server_stop(s);
}
END_TEST

static void with_cookie(struct server *s)
{
	s->cfg.password = NULL;
	s->cfg.cookie_path = s->cookie;
	s->cfg.cookie_mode = 0640;
}

START_TEST(cookie_opens_and_is_deleted_at_the_end)
{
	struct server *s = server_start(with_cookie);
	char *path = xstrdup(s->cookie), pair[100], b64[150], head[400];
	int fd = dial(s);
	struct stat st;
	struct buf *b;

	ck_assert_int_eq(file_read(&b, path, 1000), 0);
	ck_assert_uint_eq(b->n, 11 + 64);
	ck_assert_mem_eq(buf_data(b), "__cookie__:", 11);
	snprintf(pair, sizeof pair, "%.*s", (int)b->n,
		 (const char *)buf_data(b));
	ck_assert(hex_is(pair + 11));
	buf_unref(b);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0640);
	base64_put(b64, slice_of(pair, strlen(pair)));
	snprintf(head, sizeof head,
		 "POST / HTTP/1.1\r\nAuthorization: Basic %s\r\n"
		 "Content-Length: 18\r\n\r\n{\"method\":\"seven\"}",
		 b64);
	send_str(fd, head);
	check_answer(fd, 200, SEVEN_OUT);
	hang_up(fd);
	server_begin_stop(s);
	while (path_exists(path))
		usleep(1000);
	server_stop(s);
	free(path);
}
END_TEST

START_TEST(cookies_differ)
{
	struct server *a = server_start(with_cookie);
	struct server *b = server_start(with_cookie);
	struct buf *x, *y;

	ck_assert_int_eq(file_read(&x, a->cookie, 1000), 0);
	ck_assert_int_eq(file_read(&y, b->cookie, 1000), 0);
	ck_assert_mem_ne(buf_data(x), buf_data(y), 75);
	buf_unref(x);
	buf_unref(y);
	server_stop(a);
	server_stop(b);
}
END_TEST

static void cookie_and_password(struct server *s)
{
	s->cfg.cookie_path = s->cookie;
}

START_TEST(password_takes_the_cookies_place)
{
	struct server *s = server_start(cookie_and_password);

	ck_assert(!path_exists(s->cookie));
	server_stop(s);
}
END_TEST

static void cookie_nowhere(struct server *s)
{
	s->cfg.password = NULL;
	s->cfg.cookie_path = "/nonexistent/.cookie";
}

START_TEST(cookie_that_cannot_be_written_stops_the_start)
{
	struct server *s = server_try(cookie_nowhere);

	ck_assert_int_ne(s->rc, 0);
	ck_assert_ptr_nonnull(
	    strstr(text_str(&s->err), "/nonexistent/.cookie"));
	ck_assert(!path_exists(s->sock));
	server_stop(s);
}
END_TEST

static char taken[40];

static void same_port(struct server *s)
{
	static const char *binds[] = {taken, NULL};

	s->cfg.binds = binds;
}

START_TEST(port_in_use_stops_the_start_with_a_sentence)
{
	struct server *a = server_start(NULL), *b;

	snprintf(taken, sizeof taken, "127.0.0.1:%u", a->port);
	b = server_try(same_port);
	ck_assert_int_eq(b->rc, -EADDRINUSE);
	ck_assert_ptr_nonnull(strstr(text_str(&b->err), taken));
	ck_assert_ptr_nonnull(
	    strstr(text_str(&b->err), "Address already in use"));
	ck_assert(!path_exists(b->sock));
	server_stop(b);
	server_stop(a);
}
END_TEST

static void absent_first(struct server *s)
{
	static const char *const binds[] = {"192.0.2.1:0", "127.0.0.1:0", NULL};

	s->cfg.binds = binds;
}

static void absent_only(struct server *s)
{
	static const char *const binds[] = {"192.0.2.1:0", NULL};

	s->cfg.binds = binds;
}

START_TEST(address_we_do_not_have_is_fatal_only_alone)
{
	struct server *s = server_start(absent_first);

	ck_assert_uint_ne(s->port, 0);
	server_stop(s);
	s = server_try(absent_only);
	ck_assert_int_eq(s->rc, -EADDRNOTAVAIL);
	server_stop(s);
}
END_TEST

static const char *bad_bind[] = {NULL, NULL};

static void bind_badly(struct server *s)
{
	s->cfg.binds = bad_bind;
}

START_TEST(bind_that_is_no_address_stops_the_start)
{
	static const char *const bad[] = {"127.0.0.1", "127.0.0.1:", ":80", "",
					  "[::1]",     "127.0.0.1:x"};
	struct server *s;
	size_t i;

	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		bad_bind[0] = bad[i];
		s = server_try(bind_badly);
		ck_assert_msg(s->rc == E_INVALID, "%s: %d", bad[i], s->rc);
		ck_assert_ptr_nonnull(strstr(text_str(&s->err), "-rpcbind"));
		server_stop(s);
	}
}
END_TEST

static void bad_allow(struct server *s)
{
	static const char *const allow[] = {"10.0.0.0/8", "nonsense", NULL};

	s->cfg.allow = allow;
}

START_TEST(allowip_that_is_no_network_stops_the_start)
{
	struct server *s = server_try(bad_allow);

	ck_assert_int_eq(s->rc, E_INVALID);
	ck_assert_ptr_nonnull(strstr(text_str(&s->err), "nonsense"));
	server_stop(s);
}
END_TEST

static void bad_rpcauth(struct server *s)
{
	static const char *const lines[] = {"nonsense", NULL};

	s->cfg.auth = lines;
}

START_TEST(rpcauth_of_another_form_stops_the_start)
{
	struct server *s = server_try(bad_rpcauth);

	ck_assert_int_eq(s->rc, E_INVALID);
	server_stop(s);
}
END_TEST

static void tcp_only(struct server *s)
{
	s->cfg.unix_path = NULL;
}

static void unix_only(struct server *s)
{
	s->cfg.binds = NULL;
}

START_TEST(either_socket_can_be_left_out)
{
	struct server *s = server_start(tcp_only);
	int fd = dial(s);

	ck_assert(!path_exists(s->sock));
	check_post(fd, "{\"method\":\"seven\"}", 200, SEVEN_OUT);
	hang_up(fd);
	server_stop(s);
	s = server_start(unix_only);
	ck_assert_uint_eq(s->port, 0);
	fd = dial_unix(s);
	send_str(fd, NO_PASSWORD);
	check_answer(fd, 200, SEVEN_OUT);
	hang_up(fd);
	server_stop(s);
}
END_TEST

Suite *listen_suite(void)
{
	Suite *su = suite_create("listen");
	TCase *t = tcase_create("unix");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, own_user_needs_no_password_on_the_unix_socket);
	tcase_add_test(t, other_user_needs_a_password_on_the_unix_socket);
	tcase_add_test(t, unix_socket_is_for_owner_and_group_and_goes_away);
	tcase_add_test(t, stale_socket_is_replaced);
	tcase_add_test(t, file_in_the_sockets_place_stops_the_start);
	tcase_add_test(t, path_too_long_for_a_socket_gives_tcp_only);
	tcase_add_test(t, path_of_107_bytes_is_the_longest);
	tcase_add_test(t, either_socket_can_be_left_out);
	suite_add_tcase(su, t);
	t = tcase_create("cookie");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, cookie_opens_and_is_deleted_at_the_end);
	tcase_add_test(t, cookies_differ);
	tcase_add_test(t, password_takes_the_cookies_place);
	tcase_add_test(t, cookie_that_cannot_be_written_stops_the_start);
	suite_add_tcase(su, t);
	t = tcase_create("tcp");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, port_in_use_stops_the_start_with_a_sentence);
	tcase_add_test(t, address_we_do_not_have_is_fatal_only_alone);
	tcase_add_test(t, bind_that_is_no_address_stops_the_start);
	tcase_add_test(t, allowip_that_is_no_network_stops_the_start);
	tcase_add_test(t, rpcauth_of_another_form_stops_the_start);
	suite_add_tcase(su, t);
	return su;
}
