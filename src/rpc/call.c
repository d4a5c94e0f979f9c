/*
 * A call: finding its command, running it where its row says, and the functions
 * that a command uses. Steps run on the loop, the pool or the chain thread, one
 * at a time; whoever runs the step owns the call. Knows no HTTP: an ended call
 * is handed back to its request.
 */
#include "internal.h"

#include <cairn/base/clock.h>
#include <cairn/base/err.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define MSG_MAX (1u << 20) /* an error message, bytes */

const struct rpc_cmd *cmd_find(const struct rpc *r, const char *name)
{
	size_t lo = 0, hi = r->n_cmds;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int d = strcmp(name, r->cmds[mid]->name);

		if (d == 0)
			return r->cmds[mid];
		if (d < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return NULL;
}

void *rpc_arg_of(const struct rpc_call *c)
{
	return c->r->arg;
}

struct rpc *rpc_of(const struct rpc_call *c)
{
	return c->r;
}

const char *rpc_method(const struct rpc_call *c)
{
	return c->method;
}

const struct json *rpc_param(const struct rpc_call *c, size_t i)
{
	const struct json *v = i < c->n_params ? c->params[i] : NULL;

	return v && v->type != JSON_NULL ? v : NULL;
}

size_t rpc_param_count(const struct rpc_call *c)
{
	return c->n_params;
}

bool rpc_client_ended(const struct rpc_call *c)
{
	return !c->q->conn || c->q->conn->eof;
}

bool rpc_is_stopping(const struct rpc_call *c)
{
	return __atomic_load_n(&c->r->stopping, __ATOMIC_RELAXED);
}

void *rpc_alloc(struct rpc_call *c, size_t n)
{
	return arena_alloc(&c->mem, n);
}

void rpc_set_state(struct rpc_call *c, void *state)
{
	c->state = state;
}

void *rpc_state(const struct rpc_call *c)
{
	return c->state;
}

static void result_sink(void *arg, const char *p, size_t n)
{
	struct rpc_call *c = arg;

	text_put(req_text(c->q), p, n);
}

/* A notification gets no answer, whatever became of it. */
static bool is_silent(const struct rpc_call *c)
{
	return c->version == RPC_V2 && !c->id;
}

static void put_head(struct rpc_call *c)
{
	struct text *t = req_text(c->q);

	text_puts(t, c->q->any ? "," : "");
	text_puts(t, c->version == RPC_V2 ? "{\"jsonrpc\":\"2.0\",\"result\":"
					  : "{\"result\":");
	c->begun = true;
}

/* The call's writer at the begin of a document. */
static struct jw *writer(struct rpc_call *c)
{
	if (!c->w)
		c->w = jw_new(result_sink, c, false);
	jw_reset(c->w);
	return c->w;
}

struct jw *rpc_out(struct rpc_call *c)
{
	if (c->begun)
		return c->w;
	put_head(c);
	return writer(c);
}

/* Drop what was written of this answer. */
static void unwrite(struct rpc_call *c)
{
	struct text *t = req_text(c->q);

	if (t->n > c->mark) {
		t->n = c->mark;
		t->p[t->n] = '\0';
	}
	c->begun = false;
}

/* Not in the middle of a character: the answer is UTF-8 as its parts are. */
static size_t cut_at(const char *s, size_t n)
{
	while (n && ((unsigned char)s[n] & 0xc0) == 0x80)
		n--;
	return n;
}

void rpc_vfail(struct rpc_call *c, int code, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	must(code != 0);
	unwrite(c);
	c->code = code;
	text_reset(&c->msg);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	must(n >= 0);
	arr_grow(&c->msg.p, &c->msg.cap, (size_t)n + 1, 1);
	vsnprintf(c->msg.p, (size_t)n + 1, fmt, ap);
	c->msg.n = (size_t)n < MSG_MAX ? (size_t)n : cut_at(c->msg.p, MSG_MAX);
}

void rpc_fail(struct rpc_call *c, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	rpc_vfail(c, code, fmt, ap);
	va_end(ap);
}

static void put_error(struct rpc_call *c)
{
	struct text *t = req_text(c->q);
	struct jw *w = writer(c);

	text_puts(t, c->q->any ? "," : "");
	text_puts(t, c->version == RPC_V2 ? "{\"jsonrpc\":\"2.0\",\"error\":"
					  : "{\"result\":null,\"error\":");
	jw_obj(w);
	jw_ki64(w, "code", c->code);
	jw_key(w, "message");
	jw_strn(w, text_str(&c->msg), c->msg.n);
	jw_obj_end(w);
}

static void put_tail(struct rpc_call *c)
{
	if (!c->code && c->version == RPC_LEGACY)
		text_puts(req_text(c->q), ",\"error\":null");
	if (c->id) {
		text_puts(req_text(c->q), ",\"id\":");
		jw_value(writer(c), c->id);
	}
	text_puts(req_text(c->q), "}");
}

static int status_of(const struct rpc_call *c)
{
	switch (c->code) {
	case RPC_INVALID_REQUEST:
		return 400;
	case RPC_NO_METHOD:
		return 404;
	default:
		return 500;
	}
}

/* A part for the stream, and one for what comes behind it. */
static void add_stream(struct req *q, struct stream *s)
{
	arr_grow(&q->parts, &q->cap, q->n + 2, sizeof *q->parts);
	memset(&q->parts[q->n], 0, 2 * sizeof *q->parts);
	q->parts[q->n].s = s;
	q->n += 2;
}

/* The measured stream of c becomes part of the answer: small ones as text. */
static void put_stream(struct rpc_call *c)
{
	struct stream *s = c->stream;

	c->stream = NULL;
	put_head(c);
	if (s->ready) {
		text_put(req_text(c->q), s->chunk.p, s->chunk.n);
		stream_free(s);
	} else {
		add_stream(c->q, s);
	}
}

/* Write the rest of the answer; the call is over. Loop. */
static void finish(struct rpc_call *c)
{
	struct req *q = c->q;

	q->active = false;
	if (c->stream && (c->code || is_silent(c))) {
		stream_free(c->stream);
		c->stream = NULL;
	}
	/* A request that is none cannot ask for silence. */
	if (is_silent(c) && (q->batch || c->code != RPC_INVALID_REQUEST)) {
		unwrite(c);
		q->status = 204;
		return;
	}
	if (c->code) {
		unwrite(c);
		put_error(c);
	} else if (c->stream) {
		put_stream(c);
	} else {
		if (!c->begun)
			jw_null(rpc_out(c));
		must(jw_complete(c->w));
	}
	put_tail(c);
	q->any = true;
	if (req_text(q)->n > c->mark)
		budget_charge(q, req_text(q)->n - c->mark);
	/* Under 2.0 the error is in the answer, HTTP itself went well. A
	 * request that is none is HTTP's matter still. */
	q->status = 200;
	if (c->code &&
	    (c->version == RPC_LEGACY || c->code == RPC_INVALID_REQUEST))
		q->status = status_of(c);
}

/* What rpc_done asked for, on the loop. True when the call has ended, false
 * when its stream has to be measured first. */
static bool settle(struct rpc_call *c)
{
	if (c->stream && !c->code && !is_silent(c)) {
		stream_measure(c);
		return false;
	}
	finish(c);
	return true;
}

static void on_done(void *arg)
{
	struct rpc_call *c = call_of(arg);
	struct req *q = c->q;

	if (!settle(c))
		return;
	q->i++;
	req_advance(q);
}

void call_on_measured(void *arg)
{
	struct rpc_call *c = call_of(arg);
	struct req *q = c->q;

	if (c->stream->rc)
		rpc_fail(c, RPC_INTERNAL, "%s", err_str(c->stream->rc));
	finish(c);
	q->i++;
	req_advance(q);
}

void rpc_done(struct rpc_call *c)
{
	struct rpc *r = c->r;

	if (pthread_equal(pthread_self(), r->thread) && r->inline_call == c)
		r->inline_done = true;
	else
		r->ops->post(r->arg, (struct task){on_done, c});
}

void rpc_reply_stream(struct rpc_call *c, const struct rpc_stream *take)
{
	struct stream *s = xcalloc(1, sizeof *s);

	must(!c->stream);
	unwrite(c);
	s->ops = *take;
	s->r = c->r;
	c->stream = s;
}

/* Run a step here and now; true when it ended the call at once. Behind fn the
 * call may already be another thread's, so only the loop's own words are read.
 */
static bool run_inline(struct rpc *r, struct rpc_call *c, rpc_fn fn)
{
	must(!r->inline_call);
	r->inline_call = c;
	r->inline_done = false;
	fn(c);
	r->inline_call = NULL;
	return r->inline_done;
}

static void on_loop_step(void *arg)
{
	struct rpc_call *c = call_of(arg);
	struct req *q = c->q;

	if (!run_inline(c->r, c, c->step) || !settle(c))
		return;
	q->i++;
	req_advance(q);
}

static void on_step(void *arg)
{
	struct rpc_call *c = call_of(arg);

	c->step(c);
}

/* The pool's first step of a call: it no longer waits. */
static void on_pool_start(void *arg)
{
	struct rpc_call *c = call_of(arg);

	__atomic_fetch_sub(&c->r->waiting, 1, __ATOMIC_RELAXED);
	c->step(c);
}

static void refuse_stopping(struct rpc_call *c)
{
	rpc_fail(c, RPC_NOT_CONNECTED, "Shutting down");
	rpc_done(c);
}

void rpc_continue(struct rpc_call *c, enum rpc_where where, rpc_fn fn)
{
	struct rpc *r = c->r;
	bool ok = true;

	c->step = fn;
	switch (where) {
	case RPC_LOOP:
		r->ops->post(r->arg, (struct task){on_loop_step, c});
		break;
	case RPC_POOL:
		ok = pool_submit(r->pool, (struct task){on_step, c});
		break;
	case RPC_CHAIN:
		ok = r->ops->run_chain(r->arg, (struct task){on_step, c});
		break;
	}
	if (!ok)
		refuse_stopping(c);
}

/* Send the call to the place of its row. True when it ended at once. */
static bool dispatch(struct rpc_call *c)
{
	struct rpc *r = c->r;
	bool ok = false;

	c->step = c->cmd->fn;
	switch (c->cmd->where) {
	case RPC_LOOP:
		return run_inline(r, c, c->step) && settle(c);
	case RPC_POOL:
		__atomic_fetch_add(&r->waiting, 1, __ATOMIC_RELAXED);
		ok = pool_submit(r->pool, (struct task){on_pool_start, c});
		break;
	case RPC_CHAIN:
		ok = r->ops->run_chain(r->arg, (struct task){on_step, c});
		break;
	}
	if (ok)
		return false;
	rpc_fail(c, RPC_NOT_CONNECTED, "Shutting down");
	finish(c);
	return true;
}

/* Version, id, method and parameters of a request object. False: failed. */
static bool parse(struct rpc_call *c, const struct json *v,
		  const struct json **params)
{
	const struct json *version = json_member(v, "jsonrpc");
	const struct json *method = json_member(v, "method");
	const char *why = NULL;

	c->id = json_member(v, "id");
	*params = json_member(v, "params");
	if (v->type != JSON_OBJECT)
		why = "Invalid Request object";
	else if (version && version->type == JSON_NULL)
		version = NULL;
	if (!why && version && !json_str(version))
		why = "jsonrpc field must be a string";
	else if (version && strcmp(json_str(version), "2.0") == 0)
		c->version = RPC_V2;
	else if (version && strcmp(json_str(version), "1.0") != 0)
		why = "JSON-RPC version not supported";
	if (!why && (!method || method->type == JSON_NULL))
		why = "Missing method";
	if (!why && !json_str(method))
		why = "Method must be a string";
	if (!why && *params && (*params)->type == JSON_NULL)
		*params = NULL;
	if (!why && *params && (*params)->type != JSON_ARRAY &&
	    (*params)->type != JSON_OBJECT)
		why = "Params must be an array or object";
	if (why)
		rpc_fail(c, RPC_INVALID_REQUEST, "%s", why);
	else
		c->method = json_str(method);
	return !why;
}

/* The id as far as it is a plain value, for the log. */
static const char *id_text(const struct rpc_call *c)
{
	if (!c->id ||
	    (c->id->type != JSON_STRING && c->id->type != JSON_NUMBER))
		return "";
	return (const char *)c->id->s.p;
}

static bool prepare(struct rpc_call *c, const struct json *v)
{
	const struct json *params;
	const char *stage;

	if (!parse(c, v, &params))
		return false;
	log_debug(LOG_RPC, "rpc method=%s user=%s id=%s", c->method, c->q->user,
		  id_text(c));
	if (c->q->charged > BATCH_MAX) {
		rpc_fail(c, RPC_OUT_OF_MEMORY,
			 "The answers of this batch take too much memory");
		return false;
	}
	stage = c->r->ops->warmup ? c->r->ops->warmup(c->r->arg) : NULL;
	c->cmd = cmd_find(c->r, c->method);
	if (stage && (!c->cmd || !c->cmd->in_warmup))
		rpc_fail(c, RPC_WARMUP, "%s", stage);
	else if (!c->cmd)
		rpc_fail(c, RPC_NO_METHOD, "Method not found");
	else
		return params_place(c, params);
	return false;
}

static void call_begin(struct rpc_call *c, struct req *q)
{
	c->magic = CALL_MAGIC;
	c->r = q->r;
	c->q = q;
	c->cmd = NULL;
	c->method = "";
	c->id = NULL;
	c->version = RPC_LEGACY;
	c->n_params = 0;
	c->code = 0;
	c->begun = false;
	c->state = NULL;
	c->mark = req_text(q)->n;
	if (c->mem.used > 65536)
		arena_fini(&c->mem);
	else
		arena_reset(&c->mem);
}

bool call_start(struct req *q, const struct json *v)
{
	struct rpc_call *c = &q->call;

	call_begin(c, q);
	if (!prepare(c, v)) {
		finish(c);
		return true;
	}
	c->since_us = (int64_t)(mono_ns() / 1000);
	q->active = true;
	return dispatch(c);
}

void call_fini(struct rpc_call *c)
{
	if (c->stream)
		stream_free(c->stream);
	c->stream = NULL;
	jw_free(c->w);
	c->w = NULL;
	text_fini(&c->msg);
	arena_fini(&c->mem);
}

size_t rpc_active(const struct rpc *r, struct rpc_active *a, size_t max)
{
	const struct req *q;
	size_t n = 0;

	for (q = r->reqs; q; q = q->next) {
		if (!q->active)
			continue;
		if (n < max) {
			a[n].method = q->call.method;
			a[n].since_us = q->call.since_us;
		}
		n++;
	}
	return n;
}
