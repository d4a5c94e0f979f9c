/*
 * The client's connection: connect with a deadline, write a request, read the
 * answer through llhttp. Blocking, one thread, poll for the deadlines. Knows no
 * JSON and prints nothing.
 */
#include <cairn/rpc/client.h>

#include <cairn/base/clock.h>
#include <cairn/base/err.h>
#include <cairn/base/mem.h>

#include <errno.h>
#include <fcntl.h>
#include <llhttp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define READ_SIZE 65536

struct rpc_client {
	int fd;
	bool is_unix;
	char *host; /* for the Host header */
	char *auth; /* base64, or NULL */
	int64_t timeout_s;
	llhttp_t parser;
	struct text *out; /* where the body goes */
	bool complete;
};

/* The monotonic time at which patience ends; 0: never. */
static uint64_t deadline_in(int64_t timeout_s)
{
	uint64_t s = timeout_s > 0 ? (uint64_t)timeout_s : 0;

	/* Beyond a century nobody waits. */
	if (s == 0 || s > 100ull * 365 * 86400)
		return 0;
	return mono_ns() + s * 1000000000u;
}

/* Wait until fd is ready for events. 0, E_TIMEOUT or -errno. */
static int wait_ready(int fd, short events, uint64_t deadline)
{
	struct pollfd p = {.fd = fd, .events = events};
	uint64_t now, left;
	int rc;

	for (;;) {
		now = mono_ns();
		if (deadline && now >= deadline)
			return E_TIMEOUT;
		left = (deadline - now) / 1000000u + 1;
		if (left > 1000000)
			left = 1000000;
		rc = poll(&p, 1, deadline ? (int)left : -1);
		if (rc > 0)
			return 0;
		if (rc < 0 && errno != EINTR)
			return -errno;
	}
}

static int set_nonblocking(int fd)
{
	int fl = fcntl(fd, F_GETFL);

	return fl < 0 || fcntl(fd, F_SETFL, fl | O_NONBLOCK) < 0 ? -errno : 0;
}

/* Finish what connect began. */
static int connected(int fd, uint64_t deadline)
{
	int e = 0, rc = wait_ready(fd, POLLOUT, deadline);
	socklen_t n = sizeof e;

	if (rc == 0 && getsockopt(fd, SOL_SOCKET, SO_ERROR, &e, &n) != 0)
		rc = -errno;
	return rc ? rc : -e;
}

static int connect_to(int *give_fd, const struct sockaddr *sa, socklen_t n,
		      uint64_t deadline)
{
	int fd = socket(sa->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0), rc;

	if (fd < 0)
		return -errno;
	rc = set_nonblocking(fd);
	if (rc == 0 && connect(fd, sa, n) != 0)
		rc = errno == EINPROGRESS ? connected(fd, deadline) : -errno;
	if (rc)
		close(fd);
	else
		*give_fd = fd;
	return rc;
}

static int connect_unix(int *fd, const char *path, uint64_t deadline)
{
	struct sockaddr_un sun = {.sun_family = AF_UNIX};

	if (strlen(path) >= sizeof sun.sun_path)
		return -ENAMETOOLONG;
	memcpy(sun.sun_path, path, strlen(path) + 1);
	return connect_to(fd, (const struct sockaddr *)&sun, sizeof sun,
			  deadline);
}

static int connect_tcp(int *fd, struct text *err,
		       const struct rpc_client_cfg *cfg, uint64_t deadline)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	struct addrinfo *list = NULL, *ai;
	char port[8];
	int rc, one = 1;

	snprintf(port, sizeof port, "%u", cfg->port);
	if (getaddrinfo(cfg->host, port, &hints, &list) != 0) {
		text_printf(err, "Could not resolve host: %s", cfg->host);
		return E_NOTFOUND;
	}
	rc = E_CLOSED;
	for (ai = list; ai && rc; ai = ai->ai_next)
		rc = connect_to(fd, ai->ai_addr, ai->ai_addrlen, deadline);
	freeaddrinfo(list);
	if (rc == 0)
		setsockopt(*fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	return rc;
}

static char *auth_new(const char *pair)
{
	size_t n = pair ? strlen(pair) : 0;
	char *b64;

	if (!pair)
		return NULL;
	b64 = xmalloc((n + 2) / 3 * 4 + 1);
	base64_put(b64, slice_of(pair, n));
	return b64;
}

int rpc_client_open(struct rpc_client **give, struct text *err,
		    const struct rpc_client_cfg *cfg)
{
	uint64_t deadline = deadline_in(cfg->timeout_s);
	struct rpc_client *c;
	bool is_unix = false;
	int fd = -1, rc = E_CLOSED;

	if (cfg->unix_path) {
		rc = connect_unix(&fd, cfg->unix_path, deadline);
		is_unix = rc == 0;
	}
	if (rc && cfg->host)
		rc = connect_tcp(&fd, err, cfg, deadline);
	if (rc) {
		if (rc != E_NOTFOUND)
			text_puts(err, "Could not connect to the server");
		return rc == E_TIMEOUT || rc == E_NOTFOUND ? rc : E_CLOSED;
	}
	c = xcalloc(1, sizeof *c);
	c->fd = fd;
	c->is_unix = is_unix;
	c->host = xstrdup(!is_unix ? cfg->host : "localhost");
	c->auth = auth_new(cfg->user_password);
	c->timeout_s = cfg->timeout_s;
	*give = c;
	return 0;
}

void rpc_client_close(struct rpc_client *c)
{
	if (!c)
		return;
	close(c->fd);
	free(c->host);
	if (c->auth)
		explicit_bzero(c->auth, strlen(c->auth));
	free(c->auth);
	free(c);
}

bool rpc_client_is_unix(const struct rpc_client *c)
{
	return c->is_unix;
}

static int send_all(struct rpc_client *c, const char *p, size_t n,
		    uint64_t deadline)
{
	int rc;

	while (n) {
		ssize_t did = send(c->fd, p, n, MSG_NOSIGNAL);

		if (did >= 0) {
			p += did;
			n -= (size_t)did;
			continue;
		}
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		rc = wait_ready(c->fd, POLLOUT, deadline);
		if (rc)
			return rc;
	}
	return 0;
}

static int send_request(struct rpc_client *c, const char *path,
			struct slice body, uint64_t deadline)
{
	struct text t = TEXT_INIT;
	int rc;

	text_printf(&t,
		    "POST %s HTTP/1.1\r\nHost: %s\r\n"
		    "Content-Type: application/json\r\n",
		    path, c->host);
	if (c->auth)
		text_printf(&t, "Authorization: Basic %s\r\n", c->auth);
	text_printf(&t, "Content-Length: %zu\r\n\r\n", body.n);
	text_put(&t, (const char *)body.p, body.n);
	rc = send_all(c, t.p, t.n, deadline);
	explicit_bzero(t.p, t.n);
	text_fini(&t);
	return rc;
}

static int on_body(llhttp_t *p, const char *s, size_t n)
{
	struct rpc_client *c = p->data;

	text_put(c->out, s, n);
	return 0;
}

/* A 100 is no answer yet: the real one follows. */
static int on_message_end(llhttp_t *p)
{
	struct rpc_client *c = p->data;

	if (p->status_code == 100)
		return 0;
	c->complete = true;
	return HPE_PAUSED;
}

static const llhttp_settings_t settings = {
    .on_body = on_body,
    .on_message_complete = on_message_end,
};

static int read_answer(struct rpc_client *c, uint64_t deadline)
{
	char *buf = xmalloc(READ_SIZE);
	int rc = 0;

	while (!c->complete && rc == 0) {
		ssize_t n = recv(c->fd, buf, READ_SIZE, 0);

		if (n > 0) {
			llhttp_errno_t e =
			    llhttp_execute(&c->parser, buf, (size_t)n);

			if (e != HPE_OK && !c->complete)
				rc = E_PARSE;
		} else if (n == 0) {
			/* An answer without a length ends like this. */
			llhttp_finish(&c->parser);
			rc = c->complete ? 0 : E_CLOSED;
		} else if (errno == EAGAIN) {
			rc = wait_ready(c->fd, POLLIN, deadline);
		} else if (errno != EINTR) {
			rc = -errno;
		}
	}
	free(buf);
	return rc;
}

static const char *why(int rc)
{
	switch (rc) {
	case E_TIMEOUT:
		return "timeout";
	case E_CLOSED:
		return "the server closed the connection";
	case E_PARSE:
		return "what the server sent is not HTTP";
	default:
		return err_str(rc);
	}
}

int rpc_client_post(struct rpc_client *c, int *status, struct text *out,
		    struct text *err, const char *path, struct slice body)
{
	uint64_t deadline = deadline_in(c->timeout_s);
	int rc;

	llhttp_init(&c->parser, HTTP_RESPONSE, &settings);
	c->parser.data = c;
	c->complete = false;
	c->out = out;
	rc = send_request(c, path, body, deadline);
	/* A server that refuses the body says so and closes: its words may be
	 * there although ours could not be sent. */
	if (rc == 0 || rc == -EPIPE || rc == -ECONNRESET)
		rc = read_answer(c, deadline);
	if (rc == 0) {
		*status = c->parser.status_code;
		return 0;
	}
	text_puts(err, why(rc));
	return rc == E_TIMEOUT || rc == E_PARSE ? rc : E_CLOSED;
}
