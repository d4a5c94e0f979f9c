/*
 * Answers: the header with an exact length, then the parts, texts at once and
 * streams chunk by chunk as fast as the client takes them. While one chunk is
 * being sent the pool makes the next. Loop only. Also the budget: bytes of all
 * answers that are in memory; beyond it new requests and chunks wait.
 */
#include "internal.h"

#include <cairn/base/err.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>

#include <limits.h>
#include <stdio.h>
#include <time.h>

static void budget_on_later(struct later *l)
{
	struct rpc *r = owner_of(l, struct rpc, feed_starved);
	struct req *q;
	void (*resume)(struct req * q);

	while (r->starved && r->in_flight <= r->out_budget) {
		q = r->starved;
		resume = q->resume;
		budget_forget(q);
		resume(q);
	}
}

void budget_charge(struct req *q, size_t n)
{
	q->charged += n;
	q->r->in_flight += n;
}

void budget_release(struct req *q, size_t n)
{
	struct rpc *r = q->r;

	must(n <= q->charged && n <= r->in_flight);
	q->charged -= n;
	r->in_flight -= n;
	if (r->starved && r->in_flight <= r->out_budget)
		later_put(r, &r->feed_starved, budget_on_later);
}

bool budget_wait(struct req *q, void (*resume)(struct req *q))
{
	struct rpc *r = q->r;

	if (r->in_flight <= r->out_budget)
		return true;
	q->resume = resume;
	q->starved = NULL;
	*r->starved_end = q;
	r->starved_end = &q->starved;
	return false;
}

void budget_forget(struct req *q)
{
	struct rpc *r = q->r;
	struct req **p = &r->starved;

	if (!q->resume)
		return;
	q->resume = NULL;
	while (*p != q)
		p = &(*p)->starved;
	*p = q->starved;
	if (!*p)
		r->starved_end = p;
}

static const char *reason(int status)
{
	switch (status) {
	case 200:
		return "OK";
	case 204:
		return "No Content";
	case 400:
		return "Bad Request";
	case 401:
		return "Unauthorized";
	case 403:
		return "Forbidden";
	case 404:
		return "Not Found";
	case 405:
		return "Method Not Allowed";
	case 413:
		return "Content too large";
	case 503:
		return "Service Unavailable";
	default:
		return "Internal Server Error";
	}
}

/* The date changes once a second, formatting it costs more than a small call.
 */
static const char *date(struct rpc *r)
{
	time_t now = time(NULL);
	struct tm tm;

	if (now != r->date_s) {
		r->date_s = now;
		gmtime_r(&now, &tm);
		strftime(r->date, sizeof r->date, "%a, %d %b %Y %H:%M:%S GMT",
			 &tm);
	}
	return r->date;
}

static void put_length(struct text *t, uint64_t n)
{
	char tmp[24], *p = tmp + sizeof tmp;

	do {
		*--p = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	text_puts(t, "Content-Length: ");
	text_put(t, p, (size_t)(tmp + sizeof tmp - p));
	text_puts(t, "\r\n");
}

/* Put together from pieces: formatting would be a third of a small call. */
static void put_header(struct req *q, int status, const char *type,
		       uint64_t length)
{
	struct text *t = &q->head;

	if (status == 200)
		text_puts(t, "HTTP/1.1 200 OK\r\n");
	else
		text_printf(t, "HTTP/1.1 %d %s\r\n", status, reason(status));
	if (type) {
		text_puts(t, "Content-Type: ");
		text_puts(t, type);
		text_puts(t, "\r\n");
	}
	text_puts(t, "Date: ");
	text_puts(t, date(q->r));
	text_puts(t, "\r\n");
	if (status == 401)
		text_puts(t, "WWW-Authenticate: Basic realm=\"jsonrpc\"\r\n");
	if (status != 204)
		put_length(t, length);
	if (!q->keep_alive || q->r->stopping)
		text_puts(t, "Connection: close\r\n");
	else if (q->is_1_0)
		text_puts(t, "Connection: keep-alive\r\n");
	text_puts(t, "\r\n");
}

/* libuv's buffers are not const though it only reads them. */
static uv_buf_t out_buf(const struct text *t)
{
	must(t->n <= UINT_MAX);
	return uv_buf_init(t->p, (unsigned)t->n);
}

static void pump(struct req *q);

static void on_written(uv_write_t *wr, int status)
{
	struct req *q = req_of(wr->data);

	q->writing = false;
	if (!q->conn)
		req_drop(q);
	else if (status < 0)
		conn_close(q->conn);
	else
		pump(q);
}

/* Skip the first n bytes of the buffers. */
static unsigned skip(uv_buf_t **b, unsigned n_bufs, size_t n)
{
	while (n_bufs && n >= (*b)->len) {
		n -= (*b)->len;
		(*b)++;
		n_bufs--;
	}
	if (n_bufs) {
		(*b)->base += n;
		(*b)->len -= n;
	}
	return n_bufs;
}

/* Send the buffers, whose bytes stay until they are written. False: the
 * connection broke and q is gone or will go. */
static bool send_bufs(struct req *q, uv_buf_t *b, unsigned n)
{
	struct conn *c = q->conn;
	int rc = uv_try_write(&c->u.stream, b, n);

	if (rc >= 0)
		n = skip(&b, n, (size_t)rc);
	else if (rc != UV_EAGAIN)
		n = 0;
	if (n == 0 && rc >= 0)
		return true;
	q->wr.data = q;
	if (n == 0 || uv_write(&q->wr, &c->u.stream, b, n, on_written) != 0) {
		conn_close(c);
		return false;
	}
	q->writing = true;
	if (!q->r->stopping)
		c->deadline = now_ms(q->r) + q->r->timeout_ms;
	else if (!c->deadline)
		c->deadline = now_ms(q->r) + STOP_MS;
	return true;
}

/* The header goes out together with what comes first. */
static bool send_text(struct req *q, const struct text *t)
{
	uv_buf_t b[2];
	unsigned n = 0;

	if (!q->head_sent)
		b[n++] = out_buf(&q->head);
	q->head_sent = true;
	if (t->n)
		b[n++] = out_buf(t);
	return n == 0 || send_bufs(q, b, n);
}

static void start_fill(struct req *q)
{
	q->filling = true;
	stream_fill(q);
}

/* Have the next chunk made, now or when there is budget for it; who waits keeps
 * no memory for it. */
static void want_chunk(struct req *q, struct stream *s)
{
	if (q->filling || q->resume)
		return;
	if (budget_wait(q, start_fill))
		start_fill(q);
	else
		text_fini(&s->chunk);
}

/* Send the chunk that is ready and let the next one be made meanwhile. */
static bool send_chunk(struct req *q, struct stream *s)
{
	struct text empty = q->out;

	q->out = s->chunk;
	s->chunk = empty;
	s->ready = false;
	if (s->ended)
		q->at++;
	else
		want_chunk(q, s);
	return send_text(q, &q->out);
}

/* The chunk is written: its memory is the budget's again. */
static void chunk_written(struct req *q)
{
	budget_release(q, q->out.n);
	if (q->resume)
		text_fini(&q->out);
	else
		text_reset(&q->out);
}

static void finished(struct req *q)
{
	struct conn *c = q->conn;
	bool keep_alive = q->keep_alive;

	q->conn = NULL;
	c->q = NULL;
	req_drop(q);
	conn_answered(c, keep_alive);
}

/* Go on until something must be waited for. */
static void pump(struct req *q)
{
	while (!q->writing) {
		struct part *p = &q->parts[q->at];

		chunk_written(q);
		if (q->at == q->n) {
			finished(q);
			return;
		}
		if (p->s && !p->s->ready) {
			want_chunk(q, p->s);
			return;
		}
		if (!p->s)
			q->at++;
		if (!(p->s ? send_chunk(q, p->s) : send_text(q, &p->t)))
			return;
	}
}

void answer_on_filled(void *arg)
{
	struct req *q = req_of(arg);
	struct stream *s = q->parts[q->at].s;

	q->filling = false;
	if (!q->conn) {
		req_drop(q);
		return;
	}
	if (s->rc || s->changed) {
		log_error(LOG_RPC, "rpc answer cut: %s",
			  s->rc ? err_str(s->rc) : "its length changed");
		conn_close(q->conn);
		return;
	}
	budget_charge(q, s->chunk.n);
	s->ready = true;
	pump(q);
}

void answer_status(struct req *q, int status, const char *body)
{
	static const char only_post[] =
	    "JSONRPC server handles only POST requests";
	size_t n;

	if (q->cut)
		q->keep_alive = false;
	if (status == 405)
		body = only_post;
	n = body ? strlen(body) : 0;
	must(q->n == 0 || !q->parts[0].s);
	if (q->n)
		text_reset(&q->parts[0].t);
	put_header(q, status, n ? "text/plain" : NULL, n);
	if (n && !q->is_head)
		text_put(&q->head, body, n);
	req_text(q);
	pump(q);
}

void answer_parts(struct req *q, int status)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < q->n; i++)
		n += q->parts[i].s ? q->parts[i].s->size : q->parts[i].t.n;
	put_header(q, status, "application/json", n);
	pump(q);
}
