/* See fixture.h. The commands run where their rows say, on a loop, a pool and a
 * chain thread that are those of a node in small. */
#include "fixture.h"

#include <cairn/base/file.h>
#include <cairn/base/mem.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static struct server *srv(const struct rpc_call *c)
{
	return rpc_arg_of(c);
}

static void count_call(struct rpc_call *c)
{
	__atomic_fetch_add(&srv(c)->calls, 1, __ATOMIC_SEQ_CST);
}

static void cmd_seven(struct rpc_call *c)
{
	count_call(c);
	jw_i64(rpc_out(c), 7);
	rpc_done(c);
}

static void cmd_echo(struct rpc_call *c)
{
	struct jw *w = rpc_out(c);
	size_t i;

	count_call(c);
	jw_arr(w);
	for (i = 0; i < rpc_param_count(c); i++) {
		if (rpc_param(c, i))
			jw_value(w, rpc_param(c, i));
		else
			jw_null(w);
	}
	jw_arr_end(w);
	rpc_done(c);
}

static void cmd_fail(struct rpc_call *c)
{
	jw_str(rpc_out(c), "dropped");
	rpc_fail(c, RPC_BAD_PARAM, "Block \"%s\" not found", "x");
	rpc_done(c);
}

static void cmd_nothing(struct rpc_call *c)
{
	rpc_done(c);
}

static void thread_name(char name[16])
{
	pthread_getname_np(pthread_self(), name, 16);
}

/* hop: pool -> chain -> loop, with state kept over the steps. */
static void hop_add(struct rpc_call *c)
{
	char *seen = rpc_state(c);
	char name[16];

	thread_name(name);
	snprintf(seen + strlen(seen), 64 - strlen(seen), "%.3s ", name);
}

static void hop_loop(struct rpc_call *c)
{
	hop_add(c);
	jw_str(rpc_out(c), rpc_state(c));
	rpc_done(c);
}

static void hop_chain(struct rpc_call *c)
{
	hop_add(c);
	rpc_continue(c, RPC_LOOP, hop_loop);
}

static void cmd_hop(struct rpc_call *c)
{
	char *seen = rpc_alloc(c, 64);

	ck_assert_ptr_nonnull(seen);
	seen[0] = '\0';
	rpc_set_state(c, seen);
	hop_add(c);
	rpc_continue(c, RPC_CHAIN, hop_chain);
}

static void cmd_slow(struct rpc_call *c)
{
	struct server *s = srv(c);

	sem_post(&s->slow_entered);
	sem_wait(&s->slow_go);
	count_call(c);
	jw_bool(rpc_out(c), true);
	rpc_done(c);
}

/* keep: answered when release is called. */
static void cmd_keep(struct rpc_call *c)
{
	srv(c)->kept = c;
	count_call(c);
}

static void cmd_release(struct rpc_call *c)
{
	struct rpc_call *kept = srv(c)->kept;

	jw_str(rpc_out(kept), "kept");
	rpc_done(kept);
	jw_null(rpc_out(c));
	rpc_done(c);
}

/* big n size: an array of n strings of size letters, as a stream. */
struct big {
	struct server *s;
	int64_t n, i, size, fail_at, grow;
	int passes;
	char *letters;
};

static bool big_next(void *arg, struct jw *w, int *rc)
{
	struct big *b = arg;
	int64_t n = b->passes > 1 ? b->n + b->grow : b->n;

	__atomic_fetch_add(&b->s->nexts, 1, __ATOMIC_SEQ_CST);
	if (b->i == 0)
		jw_arr(w);
	if ((b->passes > 1 && b->fail_at > 0 && b->i == b->fail_at) ||
	    b->fail_at < 0) {
		*rc = -EIO;
		return false;
	}
	if (b->i < n)
		jw_strn(w, b->letters, (size_t)b->size);
	b->i++;
	if (b->i <= n)
		return true;
	jw_arr_end(w);
	return false;
}

static void big_rewind(void *arg)
{
	struct big *b = arg;

	b->i = 0;
	b->passes++;
}

static void big_free(void *arg)
{
	struct big *b = arg;

	__atomic_fetch_add(&b->s->freed, 1, __ATOMIC_SEQ_CST);
	free(b->letters);
	free(b);
}

static int64_t num(struct rpc_call *c, size_t i)
{
	int64_t v = 0;

	if (rpc_param(c, i))
		ck_assert(json_i64(&v, rpc_param(c, i)));
	return v;
}

static void cmd_big(struct rpc_call *c)
{
	struct rpc_stream st = {big_next, big_rewind, big_free, NULL};
	struct big *b = xcalloc(1, sizeof *b);

	count_call(c);
	b->s = srv(c);
	b->n = num(c, 0);
	b->size = num(c, 1);
	b->fail_at = num(c, 2);
	b->grow = num(c, 3);
	b->letters = xmalloc((size_t)b->size + 1);
	memset(b->letters, 'x', (size_t)b->size);
	st.arg = b;
	rpc_reply_stream(c, &st);
	rpc_done(c);
}

/* wide n: a text of n letters, all in memory. */
static void cmd_wide(struct rpc_call *c)
{
	size_t n = (size_t)num(c, 0);
	char *letters = xmalloc(n);

	memset(letters, 'x', n);
	jw_strn(rpc_out(c), letters, n);
	free(letters);
	rpc_done(c);
}

static void on_stopped(void *arg);

/* halt: stops the server from within. */
static void cmd_halt(struct rpc_call *c)
{
	struct server *s = srv(c);

	s->stop = true;
	rpc_stop(s->r, on_stopped);
	jw_str(rpc_out(c), "stopping");
	rpc_done(c);
}

static const struct rpc_arg args_echo[] = {
    {"first", "*", false, "the first"},
    {"second|zwei", "*", false, "the second"},
    {"third", "*", false, NULL},
    {NULL, NULL, false, NULL},
};

static const struct rpc_arg args_big[] = {
    {"n", "n", true, "how many"},  {"size", "n", true, "how long each"},
    {"fail_at", "n", false, NULL}, {"grow", "n", false, NULL},
    {NULL, NULL, false, NULL},
};

static const struct rpc_arg args_wide[] = {
    {"n", "n", true, "how long"},
    {NULL, NULL, false, NULL},
};

static const struct rpc_arg args_typed[] = {
    {"blockhash", "s", true, "The block's hash."},
    {"verbosity|verbose", "nb", false, "How much to tell."},
    {"height", "n", false, "A height."},
    {"options|.min|.max", "o", false, "An object."},
    {"list", "a", false, "An array."},
    {NULL, NULL, false, NULL},
};

static const struct rpc_cmd table_one[] = {
    {"seven", "control", RPC_LOOP, cmd_seven, NULL, "Answers seven.",
     "n    (numeric) seven", false, false},
    {"echo", "util", RPC_LOOP, cmd_echo, args_echo, "Echoes.", NULL, false,
     false},
    {"echopool", "util", RPC_POOL, cmd_echo, args_echo, "Echoes.", NULL, false,
     false},
    {"echochain", "util", RPC_CHAIN, cmd_echo, args_echo, "Echoes.", NULL,
     false, false},
    {"fail", "control", RPC_LOOP, cmd_fail, NULL, "Fails.", NULL, false, false},
    {"nothing", "control", RPC_LOOP, cmd_nothing, NULL, "Null.", NULL, false,
     false},
    {"hop", "control", RPC_POOL, cmd_hop, NULL, "Hops.", NULL, false, false},
    {"slow", "control", RPC_POOL, cmd_slow, NULL, "Waits.", NULL, false, false},
    {NULL, NULL, RPC_LOOP, NULL, NULL, NULL, NULL, false, false},
};

static const struct rpc_cmd table_two[] = {
    {"keep", "control", RPC_LOOP, cmd_keep, NULL, "Keeps.", NULL, false, true},
    {"release", "control", RPC_LOOP, cmd_release, NULL, "Releases.", NULL,
     false, true},
    {"big", "blockchain", RPC_LOOP, cmd_big, args_big, "Is big.", NULL, false,
     false},
    {"halt", "control", RPC_LOOP, cmd_halt, NULL, "Halts.", NULL, true, true},
    {"wide", "blockchain", RPC_LOOP, cmd_wide, args_wide, "Is wide.", NULL,
     false, true},
    {"warm", "control", RPC_LOOP, cmd_seven, NULL, "In warm-up.", NULL, true,
     true},
    {"typed", "blockchain", RPC_LOOP, cmd_echo, args_typed,
     "Checks types.\nAnd so on.", NULL, false, false},
    {NULL, NULL, RPC_LOOP, NULL, NULL, NULL, NULL, false, false},
};

static const struct rpc_cmd *const tables[] = {table_one, table_two, NULL};

static void post(void *arg, struct task t)
{
	struct server *s = arg;

	ck_assert(queue_put(&s->posts, t));
	uv_async_send(&s->wake);
}

static bool run_chain(void *arg, struct task t)
{
	struct server *s = arg;

	return queue_put(&s->chain, t);
}

static const char *warmup(void *arg)
{
	struct server *s = arg;

	return s->stage;
}

static const struct rpc_ops ops = {run_chain, post, warmup};

static void on_stopped(void *arg)
{
	struct server *s = arg;

	uv_close((uv_handle_t *)&s->wake, NULL);
}

static void on_wake(uv_async_t *h)
{
	struct server *s = h->data;
	struct task t;

	while (queue_try_get(&s->posts, &t))
		t.run(t.arg);
}

static void stop_task(void *arg)
{
	struct server *s = arg;

	rpc_stop(s->r, on_stopped);
}

static void loop_main(void *arg)
{
	struct server *s = arg;

	must(uv_loop_init(&s->loop) == 0);
	must(uv_async_init(&s->loop, &s->wake, on_wake) == 0);
	s->wake.data = s;
	s->rc = rpc_start(&s->r, &s->err, &s->loop, &s->cfg, tables, &ops, s);
	if (s->rc == 0)
		s->port = rpc_port(s->r);
	else
		uv_close((uv_handle_t *)&s->wake, NULL);
	sem_post(&s->ready);
	uv_run(&s->loop, UV_RUN_DEFAULT);
	rpc_free(s->r);
	must(uv_loop_close(&s->loop) == 0);
}

static void chain_main(void *arg)
{
	struct server *s = arg;
	struct task t;

	while (queue_get(&s->chain, &t))
		t.run(t.arg);
}

/* Not a MAC, but it depends on every byte of both. */
static void toy_hmac(uint8_t out[32], struct slice key, struct slice msg)
{
	size_t i;

	memset(out, 7, 32);
	for (i = 0; i < key.n; i++)
		out[i % 32] = (uint8_t)(out[i % 32] * 31 + key.p[i]);
	for (i = 0; i < msg.n; i++)
		out[(i + 5) % 32] =
		    (uint8_t)(out[(i + 5) % 32] * 17 + msg.p[i]);
}

static const char *const any_port[] = {"127.0.0.1:0", NULL};

struct server *server_try(void (*tweak)(struct server *s))
{
	struct server *s = xcalloc(1, sizeof *s);
	const char *tmp = getenv("TMPDIR");

	s->dir = path_join(tmp ? tmp : "/tmp", "cairn-rpc-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(s->dir));
	s->sock = path_join(s->dir, "cairn.sock");
	s->cookie = path_join(s->dir, ".cookie");
	s->cfg.unix_path = s->sock;
	s->cfg.binds = any_port;
	s->cfg.user = "u";
	s->cfg.password = "p";
	s->cfg.whitelist_default = -1;
	s->cfg.threads = 4;
	s->cfg.hmac_sha256 = toy_hmac;
	if (tweak)
		tweak(s);
	queue_init(&s->posts);
	queue_init(&s->chain);
	sem_init(&s->ready, 0, 0);
	sem_init(&s->slow_entered, 0, 0);
	sem_init(&s->slow_go, 0, 0);
	thread_start(&s->chain_thread, "chain", chain_main, s);
	thread_start(&s->loop_thread, "loop", loop_main, s);
	sem_wait(&s->ready);
	return s;
}

struct server *server_start(void (*tweak)(struct server *s))
{
	struct server *s = server_try(tweak);

	ck_assert_msg(s->rc == 0, "%s", text_str(&s->err));
	return s;
}

void server_begin_stop(struct server *s)
{
	ck_assert(!s->stop);
	s->stop = true;
	post(s, (struct task){stop_task, s});
}

void server_stop(struct server *s)
{
	if (s->rc == 0 && !s->stop)
		post(s, (struct task){stop_task, s});
	pthread_join(s->loop_thread, NULL);
	queue_close(&s->chain);
	pthread_join(s->chain_thread, NULL);
	queue_fini(&s->posts);
	queue_fini(&s->chain);
	sem_destroy(&s->ready);
	sem_destroy(&s->slow_entered);
	sem_destroy(&s->slow_go);
	ck_assert_int_eq(dir_remove(s->dir), 0);
	free(s->dir);
	free(s->sock);
	free(s->cookie);
	text_fini(&s->err);
	free(s);
}

void server_post(struct server *s, task_fn fn)
{
	post(s, (struct task){fn, s});
}

static int with_timeout(int fd)
{
	struct timeval tv = {.tv_sec = 10};

	ck_assert_int_eq(
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv), 0);
	return fd;
}

int dial(const struct server *s)
{
	struct sockaddr_in sin = {.sin_family = AF_INET,
				  .sin_port = htons(s->port)};
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;

	ck_assert_int_ge(fd, 0);
	sin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ck_assert_int_eq(connect(fd, (void *)&sin, sizeof sin), 0);
	ck_assert_int_eq(
	    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one), 0);
	return with_timeout(fd);
}

int dial_unix(const struct server *s)
{
	struct sockaddr_un sun = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	ck_assert_int_ge(fd, 0);
	snprintf(sun.sun_path, sizeof sun.sun_path, "%s", s->sock);
	ck_assert_int_eq(connect(fd, (void *)&sun, sizeof sun), 0);
	return with_timeout(fd);
}

void hang_up(int fd)
{
	ck_assert_int_eq(close(fd), 0);
}

void send_bytes(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t did = send(fd, p, n, MSG_NOSIGNAL);

		ck_assert_msg(did > 0, "send: %s", strerror(errno));
		p += did;
		n -= (size_t)did;
	}
}

void send_str(int fd, const char *s)
{
	send_bytes(fd, s, strlen(s));
}

void put_post(struct text *t, const char *body)
{
	text_printf(t,
		    "POST / HTTP/1.1\r\nHost: x\r\n" AUTH_RIGHT
		    "Content-Length: %zu\r\n\r\n%s",
		    strlen(body), body);
}

void send_post(int fd, const char *body)
{
	struct text t = TEXT_INIT;

	put_post(&t, body);
	send_bytes(fd, t.p, t.n);
	text_fini(&t);
}

/* One more byte, or false at the end. */
static bool recv_byte(int fd, char *c)
{
	ssize_t n = recv(fd, c, 1, 0);

	ck_assert_msg(n >= 0 || errno == ECONNRESET, "recv: %s",
		      strerror(errno));
	return n == 1;
}

static size_t content_length(const char *head)
{
	const char *p = strcasestr(head, "\r\ncontent-length: ");

	return p ? strtoul(p + 18, NULL, 10) : 0;
}

bool recv_answer(int fd, struct answer *a)
{
	size_t left;
	char c, buf[65536];
	ssize_t n;

	memset(a, 0, sizeof *a);
	do {
		if (!recv_byte(fd, &c)) {
			ck_assert_uint_eq(a->head.n, 0);
			return false;
		}
		text_put(&a->head, &c, 1);
	} while (a->head.n < 4 ||
		 memcmp(a->head.p + a->head.n - 4, "\r\n\r\n", 4) != 0);
	ck_assert_int_eq(sscanf(a->head.p, "HTTP/1.1 %d ", &a->status), 1);
	for (left = content_length(a->head.p); left; left -= (size_t)n) {
		n = recv(fd, buf, left < sizeof buf ? left : sizeof buf, 0);
		ck_assert_msg(n > 0, "body: %zu bytes are missing", left);
		text_put(&a->body, buf, (size_t)n);
	}
	return true;
}

void answer_fini(struct answer *a)
{
	text_fini(&a->head);
	text_fini(&a->body);
}

void check_answer(int fd, int status, const char *want)
{
	struct answer a;

	ck_assert_msg(recv_answer(fd, &a), "no answer, wanted %d %s", status,
		      want);
	if (a.body.n && a.body.p[a.body.n - 1] == '\n')
		a.body.p[a.body.n - 1] = '\0';
	ck_assert_str_eq(text_str(&a.body), want);
	ck_assert_int_eq(a.status, status);
	answer_fini(&a);
}

void check_post(int fd, const char *body, int status, const char *want)
{
	send_post(fd, body);
	check_answer(fd, status, want);
}

void check_eof(int fd)
{
	char c;

	ck_assert_msg(!recv_byte(fd, &c), "a byte came: %c", c);
}

int count_of(const int *v)
{
	return __atomic_load_n(v, __ATOMIC_SEQ_CST);
}

void wait_for(const int *v, int n)
{
	struct timespec ms = {.tv_nsec = 1000000};
	int i;

	for (i = 0; i < 10000; i++) {
		if (count_of(v) == n)
			return;
		nanosleep(&ms, NULL);
	}
	ck_abort_msg("still %d, wanted %d", count_of(v), n);
}
