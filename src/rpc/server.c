/*
 * The server as a whole: built from its configuration, stopped in order, freed.
 * Runs on the loop's thread. The cookie is written when everything else stands,
 * since its appearance tells users that the server answers.
 */
#include "internal.h"

#include <cairn/base/err.h>
#include <cairn/base/file.h>
#include <cairn/base/log.h>
#include <cairn/base/mem.h>
#include <cairn/base/rand.h>

#include <stdlib.h>
#include <unistd.h>

#define THREADS     16
#define WORK_QUEUE  64
#define TIMEOUT_S   30
#define BODY_MAX    (32u << 20)
#define OUT_BUDGET  (64u << 20)
#define COOKIE_SIZE 32 /* random bytes */

uint64_t now_ms(const struct rpc *r)
{
	return uv_now(r->loop);
}

bool may_warn(struct rpc *r)
{
	uint64_t now = now_ms(r);

	if (r->warned_ms && now < r->warned_ms + 1000)
		return false;
	r->warned_ms = now;
	return true;
}

/* One at a time, so that each of them may take others out of the list; those
 * that are put meanwhile wait for the next round. */
static void on_idle(uv_idle_t *h)
{
	struct rpc *r = h->data;
	size_t n = r->n_later;
	struct later *l;

	for (; n > 0 && r->later; n--) {
		l = r->later;
		later_forget(r, l);
		l->run(l);
	}
	if (!r->later)
		uv_idle_stop(h);
}

void later_put(struct rpc *r, struct later *l, void (*run)(struct later *l))
{
	if (l->queued)
		return;
	l->queued = true;
	l->run = run;
	l->next = NULL;
	*r->later_end = l;
	r->later_end = &l->next;
	r->n_later++;
	uv_idle_start(&r->idle, on_idle);
}

void later_forget(struct rpc *r, struct later *l)
{
	struct later **p = &r->later;

	if (!l->queued)
		return;
	l->queued = false;
	while (*p != l)
		p = &(*p)->next;
	*p = l->next;
	if (!*p)
		r->later_end = p;
	r->n_later--;
}

static int by_name(const void *a, const void *b)
{
	const struct rpc_cmd *x = *(const struct rpc_cmd *const *)a;
	const struct rpc_cmd *y = *(const struct rpc_cmd *const *)b;

	return strcmp(x->name, y->name);
}

static void add_commands(struct rpc *r, const struct rpc_cmd *const *tables)
{
	const struct rpc_cmd *c;
	size_t i;

	for (; tables && *tables; tables++)
		for (c = *tables; c->name; c++) {
			arr_grow(&r->cmds, &r->cap_cmds, r->n_cmds + 1,
				 sizeof *r->cmds);
			r->cmds[r->n_cmds++] = c;
		}
	if (r->n_cmds)
		qsort(r->cmds, r->n_cmds, sizeof *r->cmds, by_name);
	for (i = 1; i < r->n_cmds; i++)
		must(strcmp(r->cmds[i - 1]->name, r->cmds[i]->name) != 0);
}

static bool args_explained(const struct rpc_arg *a)
{
	for (; a && a->name; a++)
		if (!a->help && a->required)
			return false;
	return true;
}

/* For -rpcdoccheck: a command that users see must be explained to them. */
static void check_docs(const struct rpc *r)
{
	size_t i;

	for (i = 0; i < r->n_cmds; i++) {
		const struct rpc_cmd *c = r->cmds[i];

		if (!c->hidden &&
		    (!c->summary || !c->result || !args_explained(c->args)))
			log_warn(LOG_RPC, "rpc method=%s is not explained",
				 c->name);
	}
}

static int add_subnet(struct rpc *r, struct text *err, const char *s)
{
	struct subnet net;

	if (!subnet_parse(&net, s)) {
		text_printf(err,
			    "Invalid -rpcallowip subnet: %s. It must be an "
			    "address (1.2.3.4), an address and a number of "
			    "bits (1.2.3.4/24) or a mask "
			    "(1.2.3.4/255.255.255.0)",
			    s);
		return E_INVALID;
	}
	arr_grow(&r->allow, &r->cap_allow, r->n_allow + 1, sizeof *r->allow);
	r->allow[r->n_allow++] = net;
	return 0;
}

static int add_subnets(struct rpc *r, struct text *err,
		       const char *const *allow)
{
	int rc = add_subnet(r, err, "127.0.0.0/8");

	if (rc == 0)
		rc = add_subnet(r, err, "::1");
	for (; rc == 0 && allow && *allow; allow++)
		rc = add_subnet(r, err, *allow);
	return rc;
}

static void init_handles(struct rpc *r)
{
	must(uv_timer_init(r->loop, &r->sweep) == 0);
	must(uv_timer_init(r->loop, &r->delay) == 0);
	must(uv_idle_init(r->loop, &r->idle) == 0);
	r->sweep.data = r;
	r->delay.data = r;
	r->idle.data = r;
	r->open_handles = 3;
}

static struct rpc *rpc_new(uv_loop_t *loop, const struct rpc_cfg *cfg,
			   const struct rpc_ops *ops, void *arg)
{
	struct rpc *r = xcalloc(1, sizeof *r);

	r->magic = RPC_MAGIC;
	r->loop = loop;
	r->thread = pthread_self();
	r->ops = ops;
	r->arg = arg;
	r->work_queue = cfg->work_queue ? cfg->work_queue : WORK_QUEUE;
	r->timeout_ms =
	    (uint64_t)(cfg->timeout_s > 0 ? cfg->timeout_s : TIMEOUT_S) * 1000;
	r->max_conns = cfg->max_conns ? cfg->max_conns : CONN_MAX;
	r->max_body = cfg->max_body ? cfg->max_body : BODY_MAX;
	r->out_budget = cfg->out_budget ? cfg->out_budget : OUT_BUDGET;
	r->later_end = &r->later;
	r->delayed_end = &r->delayed;
	r->starved_end = &r->starved;
	r->pool = pool_new("rpc", cfg->threads ? cfg->threads : THREADS);
	init_handles(r);
	return r;
}

/* Make the cookie's password, 64 hex digits. Empty when there is none. */
static void make_cookie(char hex[2 * COOKIE_SIZE + 1],
			const struct rpc_cfg *cfg)
{
	uint8_t secret[COOKIE_SIZE];

	hex[0] = '\0';
	if (!cfg->cookie_path || (cfg->password && *cfg->password))
		return;
	rand_os(secret, sizeof secret);
	hex_put(hex, slice_of(secret, sizeof secret));
	explicit_bzero(secret, sizeof secret);
}

static int write_cookie(struct rpc *r, struct text *err,
			const struct rpc_cfg *cfg, const char *pass)
{
	struct text t = TEXT_INIT;
	int rc;

	text_printf(&t, "%s:%s", COOKIE_USER, pass);
	rc = file_replace(cfg->cookie_path, slice_of(t.p, t.n),
			  cfg->cookie_mode ? cfg->cookie_mode : 0600);
	text_fini(&t);
	if (rc)
		text_printf(err, "Cannot write the RPC cookie file %s: %s",
			    cfg->cookie_path, err_str(rc));
	else
		r->cookie_path = xstrdup(cfg->cookie_path);
	return rc;
}

static int start(struct rpc *r, struct text *err, const struct rpc_cfg *cfg)
{
	char cookie[2 * COOKIE_SIZE + 1];
	int rc;

	make_cookie(cookie, cfg);
	rc = auth_init(&r->auth, err, cfg, *cookie ? cookie : NULL);
	if (rc == 0)
		rc = add_subnets(r, err, cfg->allow);
	if (rc == 0 && cfg->unix_path)
		rc = listen_unix(r, err, cfg->unix_path);
	if (rc == 0)
		rc = listen_tcp(r, err, cfg->binds);
	if (rc == 0 && *cookie)
		rc = write_cookie(r, err, cfg, cookie);
	explicit_bzero(cookie, sizeof cookie);
	return rc;
}

static void free_ended(void *arg)
{
	rpc_free(arg);
}

int rpc_start(struct rpc **give, struct text *err, uv_loop_t *loop,
	      const struct rpc_cfg *cfg, const struct rpc_cmd *const *tables,
	      const struct rpc_ops *ops, void *arg)
{
	struct rpc *r = rpc_new(loop, cfg, ops, arg);
	int rc;

	add_commands(r, tables);
	if (cfg->doc_check)
		check_docs(r);
	rc = start(r, err, cfg);
	if (rc == 0) {
		*give = r;
		return 0;
	}
	/* The handles close in the loop's next round, if there is one; it must
	 * run until they have. */
	r->free_at_end = true;
	rpc_stop(r, free_ended);
	return rc;
}

static void on_closed(uv_handle_t *h)
{
	struct rpc *r = h->data;

	r->open_handles--;
	server_check_end(r);
}

/* The last connection and the last request are gone. */
static void close_handles(struct rpc *r)
{
	r->ending = true;
	uv_close((uv_handle_t *)&r->sweep, on_closed);
	uv_close((uv_handle_t *)&r->delay, on_closed);
	uv_close((uv_handle_t *)&r->idle, on_closed);
}

void server_check_end(struct rpc *r)
{
	if (!r->stopping || r->n_conns || r->n_reqs)
		return;
	if (!r->ending)
		close_handles(r);
	else if (r->open_handles == 0)
		r->done(r->free_at_end ? r : r->arg);
}

void rpc_stop(struct rpc *r, void (*done)(void *arg))
{
	must(!r->stopping);
	__atomic_store_n(&r->stopping, true, __ATOMIC_RELAXED);
	r->done = done;
	if (r->cookie_path)
		unlink(r->cookie_path);
	listen_stop(r);
	conn_stop_all(r);
	server_check_end(r);
}

void rpc_free(struct rpc *r)
{
	struct req *q;

	if (!r)
		return;
	must(r->ending && r->open_handles == 0);
	pool_free(r->pool);
	while ((q = r->spare) != NULL) {
		r->spare = q->next;
		req_free(q);
	}
	auth_fini(&r->auth);
	free(r->allow);
	free(r->cmds);
	free(r->listeners);
	free(r->unix_path);
	free(r->cookie_path);
	free(r);
}
