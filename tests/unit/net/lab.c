/* The laboratory for tests over real sockets. */
#include "lab.h"

#include "../../../src/net/addrbook.h"

#include <cairn/base/endian.h>
#include <cairn/base/mem.h>
#include <cairn/base/text.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

uint64_t lab_ms(void)
{
	return mono_ns() / 1000000;
}

static void on_ready(void *arg, struct peer *p)
{
	struct lab *l = arg;

	l->ready++;
	l->last_ready = p;
	if (l->on_ready)
		l->on_ready(l, p);
}

static void on_message(void *arg, struct peer *p, const struct net_msg *m)
{
	struct lab *l = arg;

	if (l->n_seen < sizeof l->seen / sizeof *l->seen)
		l->seen[l->n_seen++] = (struct lab_seen){
		    m->type, m->body.n, peer_id(p), m->buf != NULL};
	if (l->on_msg)
		l->on_msg(l, p, m);
}

static void on_closed(void *arg, struct peer *p)
{
	struct lab *l = arg;

	if (l->last_ready == p)
		l->last_ready = NULL;
	l->closed++;
}

static void on_tick(void *arg, int64_t now_s)
{
	struct lab *l = arg;

	ck_assert_int_eq(now_s, clock_now(&l->clock));
	l->ticks++;
}

static void on_drained(void *arg, struct peer *p)
{
	struct lab *l = arg;

	l->drained++;
	if (l->on_drained)
		l->on_drained(l, p);
}

static int32_t height(void *arg)
{
	return ((struct lab *)arg)->height;
}

static uint64_t services(void *arg)
{
	return ((struct lab *)arg)->services;
}

static const struct net_ops ops = {on_ready,   on_message, on_closed, on_tick,
				   on_drained, height,     services};

/* An address of this process alone: nodes elsewhere on the machine that redial
 * a port which the system has given to us since then do not find us. Where only
 * 127.0.0.1 can be bound to, that has to do. */
static uint32_t own_ip(void)
{
	uint32_t pid = (uint32_t)getpid();
	uint32_t ip = 0x7f000001u | (pid & 0xffffu) << 8 | 0x800000u;
	struct sockaddr_in in = {.sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(ip)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	int rc = bind(fd, (struct sockaddr *)&in, sizeof in);

	close(fd);
	return rc == 0 ? ip : INADDR_LOOPBACK;
}

const char *lab_where(uint16_t port)
{
	static char where[32];
	uint32_t ip = own_ip();

	snprintf(where, sizeof where, "%u.%u.%u.%u:%u", ip >> 24,
		 ip >> 16 & 255, ip >> 8 & 255, ip & 255, port);
	return where;
}

void lab_init(struct lab *l)
{
	memset(l, 0, sizeof *l);
	clock_set_mock(&l->clock, LAB_START);
	l->height = 206;
	l->services = NODE_NETWORK | NODE_WITNESS;
	l->cfg = (struct net_cfg){
	    .params = params_get(CHAIN_REGTEST),
	    .clock = &l->clock,
	    .user_agent = "/Cairn:0.0.1/",
	    .max_connections = 125,
	    .connect_timeout_ms = 5000,
	    .peer_timeout_s = 60,
	    .listen = true,
	    .relay_txs = true,
	    .only_connect = true,
	    .default_port = 0,
	    .max_recv_buffer = 5000000,
	    .max_send_buffer = 1000000,
	    .global_recv_budget = 64u << 20,
	    .max_automatic = 10,
	};
	ck_assert_int_eq(uv_loop_init(&l->loop), 0);
}

void lab_start(struct lab *l)
{
	struct text err = TEXT_INIT;
	char host[32];

	snprintf(host, sizeof host, "%s", lab_where(0));
	*strchr(host, ':') = '\0';
	l->net = net_new(&l->loop, &l->cfg, &ops, l);
	ck_assert_ptr_nonnull(l->net);
	ck_assert_msg(net_bind(l->net, host, &err) == 0, "%s", text_str(&err));
	text_fini(&err);
	l->port = net_listen_port(l->net, 0);
	ck_assert_uint_ne(l->port, 0);
	net_start(l->net);
}

static void on_stopped(void *arg)
{
	((struct lab *)arg)->stopped = true;
}

void lab_fini(struct lab *l)
{
	net_stop(l->net, on_stopped);
	lab_until(l, l->stopped);
	ck_assert_uint_eq(l->net->budget.used, 0);
	ck_assert_uint_eq(l->net->peers.n, 0);
	ck_assert_uint_eq(l->net->dials.n, 0);
	net_free(l->net);
	uv_run(&l->loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(uv_loop_close(&l->loop), 0);
}

void lab_step(struct lab *l, int ms)
{
	struct pollfd fd = {.fd = uv_backend_fd(&l->loop), .events = POLLIN};
	int wait;

	uv_run(&l->loop, UV_RUN_NOWAIT);
	wait = uv_backend_timeout(&l->loop);
	if (wait < 0 || wait > ms)
		wait = ms;
	if (wait > 0)
		poll(&fd, 1, wait);
}

void lab_settle(struct lab *l)
{
	for (int i = 0; i < 30; i++)
		lab_step(l, 1);
}

void lab_forward(struct lab *l, int64_t s)
{
	clock_set_mock(&l->clock, clock_now(&l->clock) + s);
	net_tick(l->net);
	lab_settle(l);
}

struct peer *lab_peer(struct lab *l, size_t i)
{
	ck_assert_uint_lt(i, l->net->peers.n);
	return l->net->peers.p[i];
}

size_t lab_count(const struct lab *l, enum msg_type t)
{
	size_t i, n = 0;

	for (i = 0; i < l->n_seen; i++)
		n += l->seen[i].type == t;
	return n;
}

static void set_nonblock(int fd)
{
	ck_assert_int_eq(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
}

static struct sockaddr_in loopback(uint16_t port)
{
	return (struct sockaddr_in){.sin_family = AF_INET,
				    .sin_port = htons(port),
				    .sin_addr.s_addr = htonl(own_ip())};
}

void client_adopt(struct client *c, struct lab *l, int fd)
{
	*c = (struct client){.l = l, .fd = fd};
	set_nonblock(fd);
}

void client_open(struct client *c, struct lab *l)
{
	struct sockaddr_in in = loopback(l->port);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&in, sizeof in), 0);
	client_adopt(c, l, fd);
}

void client_dial(struct client *c, struct lab *l, uint16_t port)
{
	struct sockaddr_in in = loopback(port);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	ck_assert_int_ge(fd, 0);
	client_adopt(c, l, fd);
	ck_assert(connect(fd, (struct sockaddr *)&in, sizeof in) == 0 ||
		  errno == EINPROGRESS);
}

void client_close(struct client *c)
{
	if (c->fd >= 0)
		close(c->fd);
	free(c->in);
	c->fd = -1;
	c->in = NULL;
}

void client_send(struct client *c, struct slice s)
{
	uint64_t end = lab_ms() + 10000;

	while (s.n) {
		ssize_t n = send(c->fd, s.p, s.n, MSG_NOSIGNAL);

		ck_assert(n > 0 || errno == EAGAIN);
		ck_assert_msg(lab_ms() < end, "the node does not read");
		if (n > 0) {
			s.p += n;
			s.n -= (size_t)n;
		}
		if (n <= 0)
			lab_step(c->l, 1);
	}
}

void client_msg(struct client *c, enum msg_type t, struct slice body)
{
	struct stream s = {0};

	stream_msg(&s, t, body);
	client_send(c, stream_slice(&s));
	stream_free(&s);
}

static void take_in(struct client *c)
{
	ssize_t n;

	do {
		arr_grow(&c->in, &c->cap, c->n + 65536, 1);
		n = recv(c->fd, c->in + c->n, 65536, 0);
		if (n > 0)
			c->n += (size_t)n;
	} while (n > 0);
	if (n == 0 || (n < 0 && errno != EAGAIN))
		c->eof = true;
}

bool client_next(struct client *c, struct client_msg *m)
{
	uint32_t len;

	take_in(c);
	if (c->n - c->at < 24)
		return false;
	len = le32_get(c->in + c->at + 16);
	if (c->n - c->at < 24 + (size_t)len)
		return false;
	ck_assert_mem_eq(c->in + c->at, lab_magic, 4);
	memset(m, 0, sizeof *m);
	memcpy(m->name, c->in + c->at + 4, 12);
	m->body = slice_of(c->in + c->at + 24, len);
	ck_assert_uint_eq(le32_get(c->in + c->at + 20),
			  frame_checksum(m->body));
	c->at += 24 + (size_t)len;
	return true;
}

struct client_msg client_await(struct client *c, enum msg_type t)
{
	uint64_t end = lab_ms() + 10000;
	struct client_msg m;

	for (;;) {
		while (client_next(c, &m)) {
			if (strcmp(m.name, msg_row(t)->name) == 0)
				return m;
		}
		ck_assert_msg(!c->eof, "closed before %s", msg_row(t)->name);
		ck_assert_msg(lab_ms() < end, "no %s", msg_row(t)->name);
		lab_step(c->l, 1);
	}
}

void client_await_eof(struct client *c)
{
	lab_until(c->l, (take_in(c), c->eof));
}

size_t client_version_put(uint8_t *b, int32_t version, uint64_t services,
			  uint64_t nonce)
{
	struct version_msg m = {.version = version,
				.services = services,
				.time_s = LAB_START,
				.nonce = nonce,
				.user_agent = "/lab:1/",
				.height = 7,
				.relay = true};

	version_put(b, &m);
	return version_size(&m);
}

void client_version(struct client *c)
{
	uint8_t b[400];
	size_t n = client_version_put(b, 70016, 9, 0x1122334455667788);

	client_msg(c, MSG_VERSION, slice_of(b, n));
}

void client_handshake(struct client *c)
{
	unsigned ready = c->l->ready;

	client_version(c);
	client_await(c, MSG_VERACK);
	client_msg(c, MSG_VERACK, slice_of(NULL, 0));
	lab_until(c->l, c->l->ready > ready);
}

void client_sync(struct client *c, uint64_t nonce)
{
	struct client_msg m;
	uint8_t b[8];

	le64_put(b, nonce);
	client_msg(c, MSG_PING, slice_of(b, 8));
	do
		m = client_await(c, MSG_PONG);
	while (le64_get(m.body.p) != nonce);
}

int lab_listen(uint16_t *port)
{
	struct sockaddr_in in = loopback(0);
	socklen_t len = sizeof in;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&in, sizeof in), 0);
	ck_assert_int_eq(listen(fd, 16), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&in, &len), 0);
	*port = ntohs(in.sin_port);
	set_nonblock(fd);
	return fd;
}

int lab_accept(struct lab *l, int fd)
{
	int got = -1;

	lab_until(l, (got = accept(fd, NULL, NULL)) >= 0);
	return got;
}
