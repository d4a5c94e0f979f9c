/*
 * Requests as HTTP: llhttp does the grammar, here are its traps and our rules.
 * The parser is paused at the end of each request, so that pipelined ones wait;
 * header bytes are counted; bare LF line ends are completed; who asks and for
 * what is judged before a body is accepted. Loop only; sends nothing but the
 * go-ahead for a body.
 */
#include "internal.h"

#include <cairn/base/log.h>

#include <strings.h>

#define FIELD_MAX  32 /* longer names are none that we look for */
#define BODY_FIRST 1024u

static struct conn *conn_at(llhttp_t *p)
{
	return conn_of(p->data);
}

static int on_url(llhttp_t *p, const char *s, size_t n)
{
	text_put(&conn_at(p)->q->path, s, n);
	return 0;
}

static int on_field(llhttp_t *p, const char *s, size_t n)
{
	struct req *q = conn_at(p)->q;

	/* The parser is lax about blanks in names. */
	if (memchr(s, ' ', n) || memchr(s, '\t', n))
		return -1;
	if (q->have_value) {
		text_reset(&q->field);
		q->have_value = false;
	}
	if (q->field.n < FIELD_MAX)
		text_put(&q->field, s, n);
	return 0;
}

/* Trailers behind a chunked body come here too and mean nothing. Of several
 * Authorization headers the first counts. */
static int on_field_end(llhttp_t *p)
{
	struct req *q = conn_at(p)->q;
	const char *name = text_str(&q->field);

	q->have_value = true;
	q->value = NULL;
	if (q->head_done)
		return 0;
	if (strcasecmp(name, "authorization") == 0 && !q->have_auth) {
		q->have_auth = true;
		q->value = &q->auth;
	} else if (strcasecmp(name, "expect") == 0) {
		q->expect = true;
	}
	return 0;
}

static int on_value(llhttp_t *p, const char *s, size_t n)
{
	struct req *q = conn_at(p)->q;

	if (q->value)
		text_put(q->value, s, n);
	return 0;
}

/* Who asks: 0, or 401. Root and our own user need no password on the unix
 * socket, but one that is given must be right. */
static int identify(struct conn *c)
{
	struct req *q = c->q;

	if (!q->have_auth) {
		q->user = c->trusted ? COOKIE_USER : NULL;
		return q->user ? 0 : 401;
	}
	q->user = auth_user(&c->r->auth, text_str(&q->auth));
	text_fini(&q->auth);
	if (q->user)
		return 0;
	q->wrong = true;
	q->cut = true;
	if (may_warn(c->r))
		log_warn(LOG_RPC, "rpc incorrect password attempt over %s",
			 c->is_unix ? "the unix socket" : "tcp");
	return 401;
}

static bool path_ok(const struct text *path)
{
	const char *s = text_str(path);

	return strlen(s) == path->n &&
	       (strcmp(s, "/") == 0 || strncmp(s, "/wallet/", 8) == 0);
}

/* The status that the header alone decides; 0: go on. */
static int judge(struct conn *c)
{
	const llhttp_t *p = &c->parser;
	int status;

	if (p->http_major != 1) {
		c->q->cut = true;
		return 400;
	}
	if (!path_ok(&c->q->path))
		return 404;
	if (p->method != HTTP_POST)
		return 405;
	status = identify(c);
	if (status)
		return status;
	return auth_may_call(&c->r->auth, c->q->user) ? 0 : 403;
}

/* A refused request's body is read over only if it is known to be small. */
static bool body_is_small(const struct conn *c)
{
	return !(c->parser.flags & F_CHUNKED) && !c->q->expect &&
	       c->parser.content_length <= POLITE_MAX;
}

static void go_ahead(struct conn *c)
{
	static const char words[] = "HTTP/1.1 100 Continue\r\n\r\n";
	char copy[sizeof words];
	uv_buf_t b = uv_buf_init(copy, sizeof words - 1);

	/* It is a courtesy: a client that does not get it sends all the same.
	 */
	memcpy(copy, words, sizeof words);
	uv_try_write(&c->u.stream, &b, 1);
}

static int on_headers_end(llhttp_t *p)
{
	struct conn *c = conn_at(p);
	struct req *q = c->q;

	q->head_done = true;
	q->body_from = now_ms(c->r);
	q->keep_alive = llhttp_should_keep_alive(p);
	q->is_head = p->method == HTTP_HEAD;
	q->is_1_0 = p->http_minor == 0;
	/* We speak no other protocol: a wish to change is passed over. */
	p->upgrade = 0;
	q->refuse = judge(c);
	if (!q->refuse && (p->flags & F_CONTENT_LENGTH) &&
	    p->content_length > c->r->max_body) {
		q->refuse = 413;
		q->cut = true;
	}
	if (q->refuse && !body_is_small(c))
		q->cut = true;
	if (q->cut)
		return -1;
	if (!q->refuse && q->expect &&
	    ((p->flags & F_CHUNKED) || p->content_length > 0))
		go_ahead(c);
	return 0;
}

/* Room for n more bytes of body: what has come doubles, a claim counts nothing.
 */
static bool body_room(struct req *q, size_t n)
{
	size_t cap;

	if (!q->body)
		q->body = buf_new(n > BODY_FIRST ? n : BODY_FIRST);
	if (!q->body)
		return false;
	if (q->body->cap - q->body->n >= n)
		return true;
	cap = q->body->cap * 2;
	if (cap < q->body->n + n)
		cap = q->body->n + n;
	return buf_reserve(&q->body, cap) == 0;
}

static int on_body(llhttp_t *p, const char *s, size_t n)
{
	struct conn *c = conn_at(p);
	struct req *q = c->q;

	if (q->refuse)
		return 0;
	if (n > c->r->max_body - (q->body ? q->body->n : 0))
		q->refuse = 413;
	else if (!body_room(q, n))
		q->refuse = 503;
	if (q->refuse) {
		q->cut = true;
		return -1;
	}
	memcpy(buf_data(q->body) + q->body->n, s, n);
	q->body->n += n;
	return 0;
}

static int on_message_end(llhttp_t *p)
{
	conn_at(p)->q->complete = true;
	return HPE_PAUSED;
}

const llhttp_settings_t head_settings = {
    .on_url = on_url,
    .on_header_field = on_field,
    .on_header_field_complete = on_field_end,
    .on_header_value = on_value,
    .on_headers_complete = on_headers_end,
    .on_body = on_body,
    .on_message_complete = on_message_end,
};

static size_t execute(struct conn *c, const uint8_t *p, size_t n)
{
	struct req *q = c->q;
	const char *s = (const char *)p;
	llhttp_errno_t e = llhttp_execute(&c->parser, s, n);

	if (e == HPE_OK)
		return n;
	if (e == HPE_PAUSED && q->complete) {
		n = (size_t)(llhttp_get_error_pos(&c->parser) - s);
		llhttp_resume(&c->parser);
		return n;
	}
	if (!q->cut) {
		log_debug(LOG_HTTP, "rpc bad request: %s",
			  llhttp_errno_name(e));
		q->cut = true;
		q->refuse = 400;
	}
	return n;
}

/* Bytes that can be parsed in one go: up to a LF without its CR, or to a line
 * that begins with a blank. Or all n. */
static size_t piece_len(const struct conn *c, const uint8_t *p, size_t n)
{
	const uint8_t *lf = p, *end = p + n;
	uint8_t before;

	while ((lf = memchr(lf, '\n', (size_t)(end - lf))) != NULL) {
		before = lf == p ? c->last : lf[-1];
		if (before != '\r')
			return (size_t)(lf - p);
		lf++;
		if (lf < end && (*lf == ' ' || *lf == '\t'))
			return (size_t)(lf - p);
	}
	return n;
}

/* A line that goes on with the value of the one before: obsolete, and read by
 * no two programs in the same way. */
static bool is_folded(const struct conn *c, const uint8_t *p)
{
	return c->last == '\n' && (*p == ' ' || *p == '\t');
}

static void cut(struct req *q, int status)
{
	q->refuse = status;
	q->cut = true;
}

size_t head_feed(struct conn *c, const uint8_t *p, size_t n)
{
	static const uint8_t cr = '\r';
	struct req *q = c->q;

	if (q->head_done)
		return execute(c, p, n);
	if (is_folded(c, p)) {
		cut(q, 400);
		return n;
	}
	if (n > HEAD_MAX + 1 - q->head_bytes)
		n = HEAD_MAX + 1 - q->head_bytes;
	if (p[0] == '\n' && c->last != '\r') {
		/* Some miners' software ends its lines like this. */
		execute(c, &cr, 1);
		c->last = '\r';
		if (q->cut)
			return n;
	}
	n = execute(c, p, piece_len(c, p, n));
	if (q->head_done || q->cut) {
		c->last = 0;
		return n;
	}
	c->last = p[n - 1];
	q->head_bytes += n;
	if (q->head_bytes > HEAD_MAX)
		cut(q, 400);
	return n;
}
