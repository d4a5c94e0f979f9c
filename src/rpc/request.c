/*
 * Requests: from the complete body to the complete answer. Parses the JSON (a
 * large one on the pool), checks the caller's list of methods, and runs the
 * members of a batch one after another. Loop only, but for the parsing.
 */
#include "internal.h"

#include <cairn/base/clock.h>
#include <cairn/base/err.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>

#include <stdlib.h>

#define SPARE_MAX    16
#define SPARE_MEM    16384u /* an arena that used more is not kept */
#define KEEP_MAX     4096u  /* likewise a text or a body of this capacity */
#define KEEP_PARTS   16u
#define INLINE_PARSE 65536u /* larger bodies are parsed on the pool */
#define PARSE_BASE   (16u << 20)
#define PARSE_FACTOR 6u
#define TURN_NS      1000000u /* how long a batch may hold the loop */

static struct req *req_alloc(struct rpc *r)
{
	struct req *q = r->spare;

	if (!q) {
		q = xcalloc(1, sizeof *q);
		arena_init(&q->arena, PARSE_BASE);
		arena_init(&q->call.mem, CALL_MEM);
		return q;
	}
	r->spare = q->next;
	r->n_spare--;
	return q;
}

struct req *req_new(struct conn *c)
{
	struct rpc *r = c->r;
	struct req *q = req_alloc(r);

	q->magic = REQ_MAGIC;
	q->r = r;
	q->conn = c;
	q->prev = NULL;
	q->next = r->reqs;
	if (q->next)
		q->next->prev = q;
	r->reqs = q;
	r->n_reqs++;
	c->deadline = now_ms(r) + r->timeout_ms;
	return q;
}

/* Free the parts; a first text that is small stays for the next request. */
static void parts_reset(struct req *q)
{
	size_t i;

	for (i = 0; i < q->n; i++) {
		if (q->parts[i].s)
			stream_free(q->parts[i].s);
		if (i == 0 && q->parts[i].t.cap <= KEEP_MAX)
			text_reset(&q->parts[i].t);
		else
			text_fini(&q->parts[i].t);
	}
	q->n = 0;
}

/* A body that no other thread holds and that is small stays, too. */
static void body_reset(struct req *q)
{
	if (!q->body)
		return;
	if (q->body->cap <= KEEP_MAX) {
		q->body->n = 0;
		return;
	}
	buf_unref(q->body);
	q->body = NULL;
}

void req_free(struct req *q)
{
	call_fini(&q->call);
	arena_fini(&q->arena);
	text_fini(&q->path);
	text_fini(&q->field);
	text_fini(&q->head);
	if (q->cap)
		text_fini(&q->parts[0].t);
	free(q->parts);
	buf_unref(q->body);
	free(q);
}

/* Keep what the next small request can use again. */
static void req_recycle(struct req *q)
{
	struct rpc *r = q->r;
	struct req keep = {.path = q->path,
			   .field = q->field,
			   .head = q->head,
			   .body = q->body,
			   .parts = q->parts,
			   .cap = q->cap,
			   .arena = q->arena};

	if (r->n_spare == SPARE_MAX || r->stopping ||
	    q->arena.used > SPARE_MEM || q->call.mem.used > SPARE_MEM ||
	    q->path.cap > KEEP_MAX || q->cap > KEEP_PARTS) {
		req_free(q);
		return;
	}
	text_reset(&keep.path);
	text_reset(&keep.field);
	text_reset(&keep.head);
	arena_reset(&keep.arena);
	keep.call.mem = q->call.mem;
	keep.call.w = q->call.w;
	keep.call.msg = q->call.msg;
	keep.next = r->spare;
	*q = keep;
	r->spare = q;
	r->n_spare++;
}

void req_drop(struct req *q)
{
	struct rpc *r = q->r;

	if (q->writing || q->filling)
		return;
	must(!q->running && !q->conn);
	later_forget(r, &q->later);
	budget_forget(q);
	budget_release(q, q->charged);
	parts_reset(q);
	body_reset(q);
	text_fini(&q->out);
	text_fini(&q->auth);
	if (q->prev)
		q->prev->next = q->next;
	else
		r->reqs = q->next;
	if (q->next)
		q->next->prev = q->prev;
	r->n_reqs--;
	req_recycle(q);
	server_check_end(r);
}

struct text *req_text(struct req *q)
{
	if (q->cap == 0) {
		arr_grow(&q->parts, &q->cap, 1, sizeof *q->parts);
		memset(q->parts, 0, sizeof *q->parts);
	}
	if (q->n == 0)
		q->n = 1;
	return &q->parts[q->n - 1].t;
}

static void finish(struct req *q, int status)
{
	q->running = false;
	if (q->conn)
		answer_parts(q, status);
	else
		req_drop(q);
}

static void finish_status(struct req *q, int status, const char *body)
{
	q->running = false;
	if (q->conn)
		answer_status(q, status, body);
	else
		req_drop(q);
}

/* An error of the whole request, whose version nobody knows. */
static void finish_error(struct req *q, int status, int code, const char *msg)
{
	text_printf(req_text(q),
		    "{\"result\":null,\"error\":{\"code\":%d,\"message\":"
		    "\"%s\"},\"id\":null}\n",
		    code, msg);
	finish(q, status);
}

static void finish_batch(struct req *q)
{
	if (!q->any && q->n_members > 0) {
		finish_status(q, 204, NULL);
		return;
	}
	text_puts(req_text(q), "]\n");
	finish(q, 200);
}

static void on_later(struct later *l)
{
	req_advance(owner_of(l, struct req, later));
}

void req_advance(struct req *q)
{
	uint64_t until = mono_ns() + TURN_NS;
	bool first = true;

	while (q->i < q->n_members) {
		if (!first && mono_ns() >= until) {
			later_put(q->r, &q->later, on_later);
			return;
		}
		first = false;
		if (!call_start(q, &q->members[q->i]))
			return;
		q->i++;
	}
	if (q->batch) {
		finish_batch(q);
	} else if (q->status == 204) {
		finish_status(q, 204, NULL);
	} else {
		text_puts(req_text(q), "\n");
		finish(q, q->status);
	}
}

/* A caller with a list of methods: every member must be on it. The status that
 * refuses, or 0. */
static int check_whitelist(struct req *q)
{
	size_t i;

	for (i = 0; i < q->n_members; i++) {
		const struct json *v = &q->members[i];
		const char *m = json_str(json_member(v, "method"));

		if (m && auth_may_call_method(&q->r->auth, q->user, m))
			continue;
		if (!m && auth_may_call_method(&q->r->auth, q->user, ""))
			continue;
		log_warn(LOG_RPC, "rpc user=%s may not call method=%s", q->user,
			 m ? m : "");
		return 403;
	}
	return 0;
}

/* A single call that the loop answers at once needs no place in the queue. */
static bool needs_queue(const struct req *q)
{
	const char *m = json_str(json_member(q->top, "method"));
	const struct rpc_cmd *cmd = m ? cmd_find(q->r, m) : NULL;

	return q->batch || (cmd && cmd->where != RPC_LOOP);
}

static void run(struct req *q)
{
	unsigned waiting = __atomic_load_n(&q->r->waiting, __ATOMIC_RELAXED);

	q->batch = q->top->type == JSON_ARRAY;
	q->members = q->batch ? q->top->kids : q->top;
	q->n_members = q->batch ? q->top->n : 1;
	if (!q->batch && q->top->type != JSON_OBJECT) {
		finish_error(q, 500, RPC_PARSE, "Top-level object parse error");
	} else if (check_whitelist(q)) {
		finish_status(q, 403, NULL);
	} else if (waiting >= q->r->work_queue && needs_queue(q)) {
		log_warn(LOG_RPC, "rpc request refused: work queue depth "
				  "exceeded, see -rpcworkqueue");
		finish_status(q, 503, "Work queue depth exceeded");
	} else {
		if (q->batch)
			text_puts(req_text(q), "[");
		req_advance(q);
	}
}

static void parse(struct req *q)
{
	q->arena.limit = PARSE_BASE + PARSE_FACTOR * q->body->n;
	q->rc = json_parse(&q->top, &q->arena, buf_payload(q->body));
}

static void parsed(struct req *q)
{
	body_reset(q);
	if (q->rc == 0)
		run(q);
	else if (q->rc == E_PARSE)
		finish_error(q, 500, RPC_PARSE, "Parse error");
	else
		finish_error(q, 500, RPC_OUT_OF_MEMORY,
			     "Request holds too many values");
}

static void on_parsed(void *arg)
{
	parsed(req_of(arg));
}

static void on_parse(void *arg)
{
	struct req *q = req_of(arg);
	struct rpc *r = q->r;

	parse(q);
	r->ops->post(r->arg, (struct task){on_parsed, q});
}

static void begin(struct req *q)
{
	q->running = true;
	if (!q->body || !q->body->n) {
		finish_error(q, 500, RPC_PARSE, "Parse error");
		return;
	}
	if (q->body->n > INLINE_PARSE) {
		must(pool_submit(q->r->pool, (struct task){on_parse, q}));
		return;
	}
	parse(q);
	parsed(q);
}

void req_complete(struct req *q)
{
	if (budget_wait(q, begin))
		begin(q);
}
