/*
 * Commands about the node itself: help, stop, uptime, log, time. On the loop
 * but for the one that waits for the chain. No Bitcoin in here.
 */
#include "rpc_util.h"

#include <cairn/base/log.h>
#include <cairn/base/text.h>
#include <cairn/chain/chain.h>
#include <cairn/params/params.h>

#include <inttypes.h>
#include <stdlib.h>

#define ACTIVE_MAX  64
#define WAIT_MS_MAX 60000

static void on_help(struct rpc_call *c)
{
	const char *name = param_str(c, 0);
	struct text t = TEXT_INIT;

	if (!rpc_help(rpc_of(c), &t, name)) {
		text_reset(&t);
		text_printf(&t, "help: unknown command: %s", name);
	}
	jw_str(rpc_out(c), text_str(&t));
	text_fini(&t);
	rpc_done(c);
}

struct delayed_stop {
	uv_timer_t timer;
	struct rpc_call *call;
	struct node *node;
};

static void on_timer_closed(uv_handle_t *h)
{
	free(h->data);
}

static void say_stopping(struct rpc_call *c)
{
	jw_str(rpc_out(c), "Cairn stopping");
	rpc_done(c);
}

static void on_delay_over(uv_timer_t *t)
{
	struct delayed_stop *d = t->data;

	say_stopping(d->call);
	uv_close((uv_handle_t *)t, on_timer_closed);
}

/* The answer goes out while the node stops; with wait it comes later, so that
 * tests can see it going down. */
static void on_stop(struct rpc_call *c)
{
	struct node *n = rpc_node(c);
	struct delayed_stop *d;
	int64_t wait_ms;

	if (!param_i64(c, 0, &wait_ms, 0, 0, WAIT_MS_MAX))
		return;
	if (wait_ms == 0) {
		say_stopping(c);
		node_stop(n);
		return;
	}
	d = xcalloc(1, sizeof *d);
	d->call = c;
	d->node = n;
	d->timer.data = d;
	if (uv_timer_init(&n->loop, &d->timer) != 0 ||
	    uv_timer_start(&d->timer, on_delay_over, (uint64_t)wait_ms, 0) != 0)
		abort();
	node_stop(n);
}

static void on_uptime(struct rpc_call *c)
{
	const struct node *n = rpc_node(c);

	jw_i64(rpc_out(c), (int64_t)((mono_ns() - n->start_ns) / 1000000000));
	rpc_done(c);
}

static void on_getrpcinfo(struct rpc_call *c)
{
	const struct node *n = rpc_node(c);
	struct rpc_active a[ACTIVE_MAX];
	size_t i, count = rpc_active(rpc_of(c), a, ACTIVE_MAX);
	int64_t now_us = (int64_t)(mono_ns() / 1000);
	struct jw *w = rpc_out(c);

	jw_obj(w);
	jw_key(w, "active_commands");
	jw_arr(w);
	for (i = 0; i < count && i < ACTIVE_MAX; i++) {
		jw_obj(w);
		jw_kstr(w, "method", a[i].method);
		jw_ki64(w, "duration", now_us - a[i].since_us);
		jw_obj_end(w);
	}
	jw_arr_end(w);
	jw_kstr(w, "logpath", n->log_path ? n->log_path : "");
	jw_obj_end(w);
	rpc_done(c);
}

/* Gather the bits of an array of names; false when the call was failed. */
static bool categories(struct rpc_call *c, size_t i, uint32_t *bits)
{
	const struct json *v = rpc_param(c, i);
	size_t k;

	*bits = 0;
	for (k = 0; v && k < v->n; k++) {
		const char *name = json_str(&v->kids[k]);
		uint32_t b;

		if (!name) {
			rpc_end(c, RPC_TYPE,
				"JSON value is not a string as expected");
			return false;
		}
		if (!log_cat_parse(name, &b)) {
			rpc_end(c, RPC_BAD_PARAM, "unknown logging category %s",
				name);
			return false;
		}
		*bits |= b;
	}
	return true;
}

static void on_logging(struct rpc_call *c)
{
	uint32_t on, off, mask;
	struct jw *w;
	unsigned i;

	if (!categories(c, 0, &on) || !categories(c, 1, &off))
		return;
	mask = (__atomic_load_n(&log_mask, __ATOMIC_RELAXED) | on) & ~off;
	log_set_mask(mask);
	w = rpc_out(c);
	jw_obj(w);
	for (i = 0; i < LOG_CATS; i++)
		jw_kbool(w, log_cat_name(i), (mask >> i & 1) != 0);
	jw_obj_end(w);
	rpc_done(c);
}

static void on_echo(struct rpc_call *c)
{
	struct jw *w = rpc_out(c);
	size_t i, n = rpc_param_count(c);

	jw_arr(w);
	for (i = 0; i < n; i++) {
		const struct json *v = rpc_param(c, i);

		if (v)
			jw_value(w, v);
		else
			jw_null(w);
	}
	jw_arr_end(w);
	rpc_done(c);
}

static void on_setmocktime(struct rpc_call *c)
{
	struct node *n = rpc_node(c);
	int64_t t;

	if (n->params.id != CHAIN_REGTEST) {
		rpc_end(c, RPC_MISC,
			"setmocktime is for regression testing (-regtest "
			"mode) only");
		return;
	}
	if (!json_i64(&t, rpc_param(c, 0)) || t < 0 || t > UINT32_MAX) {
		rpc_end(c, RPC_BAD_PARAM,
			"Mocktime must be in the range [0, %u], not %s.",
			UINT32_MAX, (const char *)rpc_param(c, 0)->s.p);
		return;
	}
	node_set_mock_time(n, t);
	jw_null(rpc_out(c));
	rpc_done(c);
}

/* Third and last step: back on the loop, every event that the chain had sent
 * before has been delivered. */
static void sync_end(struct rpc_call *c)
{
	jw_null(rpc_out(c));
	rpc_done(c);
}

static void on_syncwithvalidationinterfacequeue(struct rpc_call *c)
{
	rpc_continue(c, RPC_LOOP, sync_end);
}

static const struct rpc_arg help_args[] = {
    {"command", "s", false, "The command to explain (default: list all)"},
    {0},
};

static const struct rpc_arg stop_args[] = {
    {"wait", "n", false, NULL},
    {0},
};

static const struct rpc_arg logging_args[] = {
    {"include", "a", false, "Categories to switch on"},
    {"exclude", "a", false, "Categories to switch off, after that"},
    {0},
};

static const struct rpc_arg echo_args[] = {
    {"arg0", "*", false, NULL},
    {"arg1", "*", false, NULL},
    {"arg2", "*", false, NULL},
    {"arg3", "*", false, NULL},
    {"arg4", "*", false, NULL},
    {"arg5", "*", false, NULL},
    {"arg6", "*", false, NULL},
    {"arg7", "*", false, NULL},
    {"arg8", "*", false, NULL},
    {"arg9", "*", false, NULL},
    {0},
};

static const struct rpc_arg mocktime_args[] = {
    {"timestamp", "n", true,
     "Seconds since 1970; 0 goes back to the system's time"},
    {0},
};

const struct rpc_cmd rpc_control_cmds[] = {
    {.name = "getrpcinfo",
     .category = "control",
     .where = RPC_LOOP,
     .fn = on_getrpcinfo,
     .summary = "Tell which commands are running, and where the log is.",
     .result = "{active_commands: [{method, duration (us)}], logpath}",
     .in_warmup = true},
    {.name = "help",
     .category = "control",
     .where = RPC_LOOP,
     .fn = on_help,
     .args = help_args,
     .summary = "List all commands, or explain one.",
     .result = "text",
     .in_warmup = true},
    {.name = "logging",
     .category = "control",
     .where = RPC_LOOP,
     .fn = on_logging,
     .args = logging_args,
     .summary = "Switch categories of debug messages on and off, and tell "
		"which are on.",
     .result = "{category: true or false, ...}",
     .in_warmup = true},
    {.name = "stop",
     .category = "control",
     .where = RPC_LOOP,
     .fn = on_stop,
     .args = stop_args,
     .summary = "Stop the node cleanly.",
     .result = "text",
     .in_warmup = true},
    {.name = "uptime",
     .category = "control",
     .where = RPC_LOOP,
     .fn = on_uptime,
     .summary = "Tell for how many seconds the node has run.",
     .result = "seconds",
     .in_warmup = true},
    {.name = "echo",
     .category = "hidden",
     .where = RPC_LOOP,
     .fn = on_echo,
     .args = echo_args,
     .summary = "Answer with the arguments. For tests.",
     .result = "[arguments]",
     .hidden = true},
    {.name = "echojson",
     .category = "hidden",
     .where = RPC_LOOP,
     .fn = on_echo,
     .args = echo_args,
     .summary = "Answer with the arguments. For tests; the client sends them "
		"as JSON.",
     .result = "[arguments]",
     .hidden = true},
    {.name = "setmocktime",
     .category = "hidden",
     .where = RPC_LOOP,
     .fn = on_setmocktime,
     .args = mocktime_args,
     .summary = "Regtest: make the node believe that it is this time.",
     .result = "null",
     .hidden = true},
    {.name = "syncwithvalidationinterfacequeue",
     .category = "hidden",
     .where = RPC_CHAIN,
     .fn = on_syncwithvalidationinterfacequeue,
     .summary = "Wait until everything that the chain has said so far has "
		"reached everybody.",
     .result = "null",
     .hidden = true},
    {.name = NULL},
};
