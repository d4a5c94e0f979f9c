/*
 * The RPC server: HTTP/1.1 with JSON-RPC 1.0, 1.1 and 2.0 on a unix socket and
 * on TCP, and the dispatch of commands. Knows nothing of Bitcoin: commands come
 * as a table. Connections live on the loop; commands run where their row says.
 */
#ifndef CAIRN_RPC_RPC_H
#define CAIRN_RPC_RPC_H

#include <cairn/base/attr.h>
#include <cairn/base/thread.h>
#include <cairn/rpc/json.h>
#include <stdarg.h>
#include <uv.h>

struct rpc;
struct rpc_call;
struct text;

/* bitcoind's error codes. */
enum rpc_error {
	RPC_MISC = -1,
	RPC_TYPE = -3,
	RPC_BAD_ADDRESS = -5, /* bad address or key, unknown block or tx */
	RPC_OUT_OF_MEMORY = -7,
	RPC_BAD_PARAM = -8,
	RPC_NOT_CONNECTED = -9,
	RPC_IN_IBD = -10,
	RPC_DATABASE = -20,
	RPC_DESERIALIZE = -22,
	RPC_NODE_ADDED = -23,
	RPC_NODE_NOT_ADDED = -24,
	RPC_VERIFY = -25,
	RPC_VERIFY_REJECTED = -26,
	RPC_ALREADY_IN_CHAIN = -27,
	RPC_WARMUP = -28,
	RPC_NODE_NOT_CONNECTED = -29,
	RPC_BAD_IP = -30,
	RPC_P2P_DISABLED = -31,
	RPC_INVALID_REQUEST = -32600,
	RPC_NO_METHOD = -32601,
	RPC_BAD_PARAMS = -32602,
	RPC_INTERNAL = -32603,
	RPC_PARSE = -32700,
};

enum rpc_where {
	RPC_LOOP,  /* cheap, answered inline on the loop */
	RPC_POOL,  /* may block: a worker of the RPC pool */
	RPC_CHAIN, /* through rpc_ops.run_chain */
};

/* Runs at row's place. Must end with exactly one rpc_done (perhaps later, from
 * any thread), after writing a result, a stream or an error. */
typedef void (*rpc_fn)(struct rpc_call *c);

struct rpc_arg {
	/* "verbosity|verbose": aliases after '|'. "options|.min|.max": members
	 * of an object that may be given by name as if they were parameters. */
	const char *name;
	const char *types; /* letters accepted: n number, s string, b bool,
			      o object, a array, * any; lower-case */
	bool required;
	const char *help; /* one sentence for help; NULL: not shown there */
};

struct rpc_cmd {
	const char *name;
	const char *category; /* "blockchain", "network", "control", ... */
	enum rpc_where where;
	rpc_fn fn;
	const struct rpc_arg *args; /* ended by a NULL name; NULL: none */
	const char *summary;        /* one paragraph for help */
	const char *result;         /* what it answers, for help */
	bool in_warmup;             /* allowed before the node is ready */
	bool hidden;                /* not listed by help (test-only) */
};

/* What the server needs of the node. */
struct rpc_ops {
	/* Run a task on the chain thread; false: stopping (the call is then
	 * refused). Any thread. */
	bool (*run_chain)(void *arg, struct task t);
	/* Run a task on the loop, after the current callback. Any thread. Must
	 * work until rpc_stop's done was called. */
	void (*post)(void *arg, struct task t);
	/* NULL when ready, else the stage for -28. Loop. */
	const char *(*warmup)(void *arg);
};

struct rpc_cfg {
	const char *unix_path;        /* NULL: none */
	const char *const *binds;     /* "127.0.0.1:8332", NULL-ended */
	const char *const *allow;     /* subnets besides loopback, NULL-ended */
	const char *cookie_path;      /* NULL: no cookie */
	unsigned cookie_mode;         /* 0600 */
	const char *user, *password;  /* -rpcuser, -rpcpassword, or NULL */
	const char *const *auth;      /* -rpcauth lines, NULL-ended */
	const char *const *whitelist; /* -rpcwhitelist lines, NULL-ended */
	int whitelist_default;        /* -1 unset */
	unsigned threads, work_queue; /* 0: 16 and 64 */
	int64_t timeout_s;  /* idle, header, body, stalled write; 0: 30 */
	unsigned max_conns; /* connections at one time; 0: 4,096 */
	size_t max_body, out_budget; /* bytes, 0: 32 MiB, 64 MiB; the budget is
					for all answers in flight */
	bool doc_check;              /* warn of rows that help cannot explain */
	/* For rpcauth; needed only when auth has lines. crypto's hmac_sha256.
	 */
	void (*hmac_sha256)(uint8_t out[32], struct slice key,
			    struct slice msg);
};

/* Create, bind and write the cookie, on the loop's thread and under the
 * datadir's lock: a socket's file that a killed process left is removed. cfg is
 * only read now; tables and ops are borrowed for the server's life. A unix path
 * over 107 bytes gives one warning and TCP only; so does an address that this
 * machine does not have, if there is another. Blocks for a name in binds. 0, or
 * with one sentence in err: E_INVALID (a setting), -errno or E_* (a socket or
 * the cookie). After a failure the loop has to run until its handles are
 * closed. */
int rpc_start(struct rpc **give, struct text *err, uv_loop_t *loop,
	      const struct rpc_cfg *cfg, const struct rpc_cmd *const *tables,
	      const struct rpc_ops *ops, void *arg) must_check;
/* Stop accepting, remove cookie and socket, finish running calls and let their
 * answers out; then done, with ops' arg. The loop must run until then. */
void rpc_stop(struct rpc *r, void (*done)(void *arg));
/* After done. NULL is fine. */
void rpc_free(struct rpc *r);
/* The port of the first TCP socket, 0 when there is none. */
uint16_t rpc_port(const struct rpc *r);

/* For getrpcinfo: calls that run, of which up to max are filled in; returns how
 * many there are. method is borrowed until the call ends. Loop. */
struct rpc_active {
	const char *method;
	int64_t since_us; /* of the monotonic clock */
};
size_t rpc_active(const struct rpc *r, struct rpc_active *a, size_t max);
/* Append help: one line per command by category, or a command's text. False,
 * and a sentence, when there is no such command. Any thread. */
bool rpc_help(const struct rpc *r, struct text *out, const char *name_or_null);

/* Inside a command, by whoever runs its step. What is borrowed lives as long as
 * the call. */
void *rpc_arg_of(const struct rpc_call *c); /* ops' arg */
struct rpc *rpc_of(const struct rpc_call *c);
const char *rpc_method(const struct rpc_call *c);
/* Parameter i by position after named ones were placed; NULL when absent or
 * null. Types were checked by the row. */
const struct json *rpc_param(const struct rpc_call *c, size_t i);
size_t rpc_param_count(const struct rpc_call *c);
/* Whether the client will send no more: it left, or closed its side and may
 * have left. Loop. */
bool rpc_client_ended(const struct rpc_call *c);
/* Whether the server is being stopped, which waits for every call: a step that
 * may take long looks now and then, and fails with E_STOPPING's sentence. Any
 * thread. */
bool rpc_is_stopping(const struct rpc_call *c);
/* Memory that lives as long as the call. NULL past its limit. */
void *rpc_alloc(struct rpc_call *c, size_t n);
/* The command's own word, kept over its steps. */
void rpc_set_state(struct rpc_call *c, void *state);
void *rpc_state(const struct rpc_call *c);

/* The writer for the result; collected in memory, so for small ones (up to
 * about 64 KiB): use rpc_reply_stream beyond. */
struct jw *rpc_out(struct rpc_call *c);
/* The error instead of a result (drops what was written). rpc_done is still
 * due. */
void rpc_fail(struct rpc_call *c, int code, const char *fmt, ...)
    printf_like(3, 4);
void rpc_vfail(struct rpc_call *c, int code, const char *fmt, va_list ap)
    printf_like(3, 0);
/* Finish; a call that wrote nothing answers null. Any thread. The call must not
 * be touched afterwards. */
void rpc_done(struct rpc_call *c);

/* A result too large for memory: produced twice, first to count, then in pieces
 * (a small one only once, and kept). next writes one more part (a transaction,
 * say; better 64 KiB than megabytes) and returns false behind the last one;
 * rewind goes back to the start; free releases arg. Called on the RPC pool, one
 * at a time, next never again after it returned false or set *rc, but for a
 * rewind. Both passes must write the same bytes, so whatever changes with time
 * (the tip, confirmations) has to be fixed before the first: otherwise the
 * connection is cut, since its length is already told. Between the passes lies
 * the client's patience: what is heavy and can be read again is better dropped
 * in rewind. next may set *rc to give up: an error in the first pass, the
 * connection is cut in the second. */
struct rpc_stream {
	bool (*next)(void *arg, struct jw *w, int *rc);
	void (*rewind)(void *arg);
	void (*free)(void *arg);
	void *arg;
};
/* take: the server owns s->arg from here. Then rpc_done. */
void rpc_reply_stream(struct rpc_call *c, const struct rpc_stream *take);

/* Steps of a long command: run fn at another place, with the same call, which
 * the caller must not touch afterwards. Any thread. When the node is stopping,
 * the call is refused instead. */
void rpc_continue(struct rpc_call *c, enum rpc_where where, rpc_fn fn);

#endif
