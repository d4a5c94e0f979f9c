/*
 * Connections: accepted, fed with what arrives, timed, closed. Loop only. One
 * read buffer and one sweep timer serve all of them, so that an idle one costs
 * less than a kilobyte. What the bytes mean is head.c's, what is sent
 * answer.c's.
 */
#include "internal.h"

#include <cairn/base/err.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define SWEEP_MS   500
#define DELAY_MS   250  /* what a wrong password costs */
#define DRAIN_MS   1000 /* how long a last word may take to be read */
#define TURN_MAX   32   /* requests of one connection in one turn */
#define BODY_SPEED 16   /* bytes per ms that a body must come with */

static void on_closed(uv_handle_t *h)
{
	struct conn *c = conn_of(h->data);
	struct rpc *r = c->r;

	if (c->prev)
		c->prev->next = c->next;
	else
		r->conns = c->next;
	if (c->next)
		c->next->prev = c->prev;
	r->n_conns--;
	text_fini(&c->left);
	c->magic = 0;
	free(c);
	if (r->n_conns == 0 && !r->ending)
		uv_timer_stop(&r->sweep);
	server_check_end(r);
}

static void delay_forget(struct conn *c)
{
	struct rpc *r = c->r;
	struct conn **p = &r->delayed;

	while (*p != c)
		p = &(*p)->delayed;
	*p = c->delayed;
	if (!*p)
		r->delayed_end = p;
}

void conn_close(struct conn *c)
{
	struct req *q = c->q;

	if (c->state == CONN_CLOSING)
		return;
	if (c->state == CONN_DELAY)
		delay_forget(c);
	c->state = CONN_CLOSING;
	later_forget(c->r, &c->later);
	uv_close(&c->u.any, on_closed);
	c->q = NULL;
	if (q) {
		q->conn = NULL;
		if (!q->running)
			req_drop(q);
	}
}

static void on_alloc(uv_handle_t *h, size_t n, uv_buf_t *buf)
{
	struct conn *c = conn_of(h->data);

	(void)n;
	*buf = uv_buf_init((char *)c->r->rbuf, sizeof c->r->rbuf);
}

static void on_read(uv_stream_t *s, ssize_t n, const uv_buf_t *buf);

static void read_start(struct conn *c)
{
	if (c->paused && !c->eof)
		uv_read_start(&c->u.stream, on_alloc, on_read);
	c->paused = false;
}

static void read_stop(struct conn *c)
{
	uv_read_stop(&c->u.stream);
	c->paused = true;
}

/* The request is whole, or it is refused: whose turn is it now? */
static void request_done(struct conn *c)
{
	struct req *q = c->q;
	struct rpc *r = c->r;

	c->state = CONN_BUSY;
	c->deadline = 0;
	if (q->wrong) {
		c->state = CONN_DELAY;
		c->deadline = now_ms(r) + DELAY_MS;
		c->delayed = NULL;
		*r->delayed_end = c;
		r->delayed_end = &c->delayed;
		if (!uv_is_active((uv_handle_t *)&r->delay))
			uv_timer_start(&r->delay, conn_on_delay, DELAY_MS, 0);
	} else if (q->refuse) {
		answer_status(q, q->refuse, NULL);
	} else {
		req_complete(q);
	}
}

/* Line ends between two requests are tolerated and begin none. */
static size_t skip_blank(const uint8_t *p, size_t n)
{
	size_t i = 0;

	while (i < n && (p[i] == '\r' || p[i] == '\n'))
		i++;
	return i;
}

static void on_later(struct later *l);

/* Bytes that no request may take yet are kept. */
static void keep_left(struct conn *c, const uint8_t *p, size_t n)
{
	text_put(&c->left, (const char *)p, n);
	if (c->left.n > LEFT_MAX && !c->paused)
		read_stop(c);
}

static void conn_feed(struct conn *c, const uint8_t *p, size_t n)
{
	unsigned turns = 0;
	size_t used;

	must(!c->feeding);
	c->feeding = true;
	while (n > 0 && c->state == CONN_READING && turns < TURN_MAX) {
		used = c->q ? 0 : skip_blank(p, n);
		if (used == 0) {
			if (!c->q)
				c->q = req_new(c);
			used = head_feed(c, p, n);
			if (c->q->cut || c->q->complete) {
				request_done(c);
				turns++;
			}
		}
		p += used;
		n -= used;
	}
	c->feeding = false;
	if (n == 0 || c->state == CONN_DRAIN || c->state == CONN_CLOSING)
		return;
	keep_left(c, p, n);
	if (c->state == CONN_READING)
		later_put(c->r, &c->later, on_later);
}

/* Go on with what was left, then with the socket. */
static void feed_left(struct conn *c)
{
	struct text left = c->left;

	c->left = (struct text)TEXT_INIT;
	if (left.n)
		conn_feed(c, (const uint8_t *)left.p, left.n);
	text_fini(&left);
	if (c->state == CONN_READING && c->left.n == 0) {
		if (c->eof)
			conn_close(c);
		else
			read_start(c);
	}
}

static void on_later(struct later *l)
{
	feed_left(owner_of(l, struct conn, later));
}

/* The client sends no more. What it asked for before is still answered. */
static void on_eof(struct conn *c)
{
	c->eof = true;
	if (c->state == CONN_BUSY || c->state == CONN_DELAY || c->left.n)
		return;
	conn_close(c);
}

static void on_read(uv_stream_t *s, ssize_t n, const uv_buf_t *buf)
{
	struct conn *c = conn_of(s->data);

	if (n == UV_EOF)
		on_eof(c);
	else if (n < 0)
		conn_close(c);
	else if (n == 0 || c->state == CONN_DRAIN || c->state == CONN_CLOSING)
		return;
	else if (c->state == CONN_READING && c->left.n == 0)
		conn_feed(c, (const uint8_t *)buf->base, (size_t)n);
	else
		keep_left(c, (const uint8_t *)buf->base, (size_t)n);
}

static void on_shutdown(uv_shutdown_t *req, int status)
{
	struct conn *c = conn_of(req->data);

	free(req);
	if (status < 0 || c->eof)
		conn_close(c);
}

/* Say that no more will come, and give the client a moment to read: closing
 * with unread bytes would make the system throw our answer away. */
static void goodbye(struct conn *c)
{
	uv_shutdown_t *req = xmalloc(sizeof *req);

	c->state = CONN_DRAIN;
	c->deadline = now_ms(c->r) + DRAIN_MS;
	text_fini(&c->left);
	req->data = c;
	if (uv_shutdown(req, &c->u.stream, on_shutdown) != 0) {
		free(req);
		conn_close(c);
		return;
	}
	read_start(c);
}

void conn_answered(struct conn *c, bool keep_alive)
{
	c->q = NULL;
	if (!keep_alive || c->r->stopping) {
		goodbye(c);
		return;
	}
	c->state = CONN_READING;
	c->deadline = now_ms(c->r) + c->r->timeout_ms;
	if (!c->feeding)
		feed_left(c);
}

/* May this peer talk to us at all? Sets trusted. */
static bool admit_unix(struct conn *c)
{
	uv_os_fd_t fd;

	if (uv_fileno(&c->u.any, &fd) != 0)
		return false;
#ifdef SO_PEERCRED
	struct ucred u;
	socklen_t n = sizeof u;

	c->trusted = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &u, &n) == 0 &&
		     (u.uid == 0 || u.uid == geteuid());
#else
	uid_t uid;
	gid_t gid;

	c->trusted =
	    getpeereid(fd, &uid, &gid) == 0 && (uid == 0 || uid == geteuid());
#endif
	return true;
}

static bool admit_tcp(struct conn *c)
{
	struct sockaddr_storage ss;
	int len = sizeof ss;
	size_t i;

	if (uv_tcp_getpeername(&c->u.tcp, (struct sockaddr *)&ss, &len) != 0)
		return false;
	for (i = 0; i < c->r->n_allow; i++) {
		if (!subnet_has(&c->r->allow[i], (struct sockaddr *)&ss))
			continue;
		uv_tcp_nodelay(&c->u.tcp, 1);
		return true;
	}
	return false;
}

static struct conn *conn_new(struct listener *l)
{
	struct rpc *r = l->r;
	struct conn *c = xcalloc(1, sizeof *c);

	c->magic = CONN_MAGIC;
	c->r = r;
	c->is_unix = l->is_unix;
	if (l->is_unix)
		must(uv_pipe_init(r->loop, &c->u.pipe, 0) == 0);
	else
		must(uv_tcp_init(r->loop, &c->u.tcp) == 0);
	c->u.any.data = c;
	llhttp_init(&c->parser, HTTP_REQUEST, &head_settings);
	c->parser.data = c;
	c->state = CONN_READING;
	c->paused = true;
	c->deadline = now_ms(r) + r->timeout_ms;
	c->next = r->conns;
	if (c->next)
		c->next->prev = c;
	r->conns = c;
	r->n_conns++;
	return c;
}

/* Close the connection that has waited longest for a request to begin; false
 * when each is busy with one. */
static bool make_room(struct rpc *r)
{
	struct conn *c, *out = NULL;

	for (c = r->conns; c; c = c->next)
		if (c->state == CONN_READING && !c->q && c->left.n == 0 &&
		    !c->paused && (!out || c->deadline <= out->deadline))
			out = c;
	if (out)
		conn_close(out);
	return out != NULL;
}

static void refuse_full(struct rpc *r, struct conn *c)
{
	if (may_warn(r))
		log_warn(LOG_HTTP,
			 "rpc connection refused: there are %zu already",
			 r->max_conns);
	conn_close(c);
}

void conn_accept(struct listener *l)
{
	struct rpc *r = l->r;
	struct conn *c = conn_new(l);

	if (uv_accept(&l->u.stream, &c->u.stream) != 0 ||
	    !(l->is_unix ? admit_unix(c) : admit_tcp(c))) {
		conn_close(c);
		return;
	}
	if (r->n_conns > r->max_conns && !make_room(r)) {
		refuse_full(r, c);
		return;
	}
	if (!uv_is_active((uv_handle_t *)&r->sweep))
		uv_timer_start(&r->sweep, conn_on_sweep, SWEEP_MS, SWEEP_MS);
	read_start(c);
}

/* When the bytes that are awaited must have come. */
static uint64_t due(const struct conn *c)
{
	const struct req *q = c->q;

	if (c->state != CONN_READING || !q || !q->head_done)
		return c->deadline;
	return q->body_from + c->r->timeout_ms +
	       (q->body ? q->body->n / BODY_SPEED : 0);
}

/* A client that takes some of its answer gets more time for the rest. */
static void note_progress(struct conn *c, uint64_t now)
{
	size_t unsent = uv_stream_get_write_queue_size(&c->u.stream);

	if (c->state == CONN_BUSY && c->deadline && unsent < c->unsent)
		c->deadline = now + c->r->timeout_ms;
	c->unsent = unsent;
}

void conn_on_sweep(uv_timer_t *t)
{
	struct rpc *r = t->data;
	struct conn *c, *next;
	uint64_t now = now_ms(r);

	for (c = r->conns; c; c = next) {
		next = c->next;
		if (c->state == CONN_CLOSING || c->state == CONN_DELAY)
			continue;
		if (!r->stopping)
			note_progress(c, now);
		if (due(c) && now >= due(c))
			conn_close(c);
	}
}

static void refuse_delayed(struct conn *c)
{
	delay_forget(c);
	c->state = CONN_BUSY;
	c->deadline = 0;
	answer_status(c->q, 401, NULL);
}

void conn_on_delay(uv_timer_t *t)
{
	struct rpc *r = t->data;

	/* The list is in order of time, since all wait equally long. */
	while (r->delayed && r->delayed->deadline <= now_ms(r))
		refuse_delayed(r->delayed);
	if (r->delayed)
		uv_timer_start(t, conn_on_delay,
			       r->delayed->deadline - now_ms(r), 0);
}

void conn_stop_all(struct rpc *r)
{
	struct conn *c, *next;

	for (c = r->conns; c; c = next) {
		next = c->next;
		if (c->state == CONN_READING || c->state == CONN_DELAY)
			conn_close(c);
		else if (c->state == CONN_BUSY && c->q && !c->q->running)
			c->deadline = now_ms(r) + STOP_MS;
	}
}
