/*
 * What the server's files share: the connection, the request it carries, and
 * the call inside the request. A connection lives on the loop only. A request
 * belongs to the loop or, while one of its steps runs elsewhere, to that
 * thread; it outlives its connection, so that a call survives a client that
 * left.
 */
#ifndef CAIRN_RPC_INTERNAL_H
#define CAIRN_RPC_INTERNAL_H

#include <cairn/base/arena.h>
#include <cairn/base/buf.h>
#include <cairn/base/must.h>
#include <cairn/base/subnet.h>
#include <cairn/base/text.h>
#include <cairn/rpc/rpc.h>

#include <llhttp.h>
#include <netinet/in.h>
#include <uv.h>

#define RPC_MAGIC  0x52504353u
#define CONN_MAGIC 0x434f4e4eu
#define REQ_MAGIC  0x52455155u
#define CALL_MAGIC 0x43414c4cu

#define HEAD_MAX    8192u       /* request line and headers, bytes */
#define READ_SIZE   65536u      /* the read buffer that all connections share */
#define CHUNK_SIZE  65536u      /* pieces of a streamed answer */
#define LEFT_MAX    READ_SIZE   /* bytes kept behind a running request */
#define POLITE_MAX  65536u      /* a refused body that is read for keep-alive */
#define BATCH_MAX   (64u << 20) /* collected answers of one batch, bytes */
#define CALL_MEM    (64u << 20) /* what rpc_alloc may give to one call */
#define CONN_MAX    4096u       /* connections at one time */
#define STOP_MS     2000u       /* what an answer may take when we stop */
#define COOKIE_USER "__cookie__"

struct cred {
	char *user;
	char *pass; /* NULL: salt and hash */
	char *salt;
	char *hash; /* 64 hex digits */
};

struct whitelist {
	char *user;
	char **methods;
	size_t n;
};

struct auth {
	struct cred *creds;
	size_t n, cap;
	struct whitelist *lists;
	size_t n_lists, cap_lists;
	bool need_list; /* a user without a list may call nothing */
	void (*hmac)(uint8_t out[32], struct slice key, struct slice msg);
};

/* 0, or E_INVALID with a sentence. cookie: the file's password, or NULL. */
int auth_init(struct auth *a, struct text *err, const struct rpc_cfg *cfg,
	      const char *cookie) must_check;
void auth_fini(struct auth *a);
/* The user that an Authorization header proves, or NULL. Constant time in the
 * secret. */
const char *auth_user(const struct auth *a, const char *header);
/* May the user call anything, or this method? */
bool auth_may_call(const struct auth *a, const char *user);
bool auth_may_call_method(const struct auth *a, const char *user,
			  const char *method);

/* Something that has had its turn and goes on in the loop's next round. */
struct later {
	struct later *next;
	void (*run)(struct later *l);
	bool queued;
};

enum conn_state {
	CONN_READING, /* between requests or inside of one */
	CONN_BUSY,    /* its request runs or is being answered */
	CONN_DELAY,   /* waits out a wrong password */
	CONN_DRAIN,   /* has said its last word, throws away what comes */
	CONN_CLOSING, /* uv_close was called */
};

union conn_handle {
	uv_handle_t any;
	uv_stream_t stream;
	uv_tcp_t tcp;
	uv_pipe_t pipe;
};

struct conn {
	uint32_t magic;
	enum conn_state state;
	struct rpc *r;
	struct conn *prev, *next;
	struct conn *delayed; /* the list of those with a wrong password */
	struct later later;
	union conn_handle u;
	llhttp_t parser;
	struct req *q;     /* received, run or answered now; NULL between */
	struct text left;  /* bytes that came behind the running request */
	uint64_t deadline; /* ms of the loop's clock; 0: none */
	size_t unsent;     /* write queue at the last sweep */
	bool trusted;      /* unix socket, peer is root or our own user */
	bool eof;          /* the client will send no more */
	uint8_t last;      /* the last byte of the unfinished header */
	bool feeding;      /* conn_feed is on the stack */
	bool paused;       /* reading is stopped */
	bool is_unix;
};

/* A streamed result between its two passes. */
struct stream {
	struct rpc_stream ops;
	struct rpc *r;
	uint64_t size, made;
	struct jw *w;
	struct text chunk; /* first pass: the whole text if it is small */
	bool ready, ended, changed;
	int rc;
};

/* A piece of the answer's body. */
struct part {
	struct text t;
	struct stream *s; /* instead of t */
};

enum rpc_version { RPC_LEGACY, RPC_V2 };

struct rpc_call {
	uint32_t magic;
	struct rpc *r;
	struct req *q;
	const struct rpc_cmd *cmd;
	const char *method;
	const struct json *id; /* NULL: none was given */
	enum rpc_version version;
	const struct json **params;
	size_t n_params;
	struct arena mem;
	struct jw *w;
	size_t mark; /* where this answer begins in the last part */
	bool begun;  /* the envelope's head was written */
	int code;    /* of the error; 0: none */
	struct text msg;
	struct stream *stream;
	void *state;
	rpc_fn step;
	int64_t since_us;
};

struct req {
	uint32_t magic;
	struct rpc *r;
	struct conn *conn; /* NULL when the client has left */
	struct req *prev, *next;
	struct req *starved; /* the list that waits for the output budget */
	void (*resume)(struct req *q);
	struct later later;

	/* As received. */
	struct text path, auth, field, *value;
	size_t head_bytes;
	uint64_t body_from; /* ms */
	bool head_done, have_auth, have_value, expect, complete;
	bool is_head, is_1_0;
	int refuse; /* status decided by the header; 0: none */
	bool cut;   /* refuse at once and close */
	bool wrong; /* the password was: refuse after a while */
	struct buf *body;
	const char *user;
	bool keep_alive;

	/* As run. */
	struct arena arena;
	struct json *top;
	const struct json *members; /* the request itself or a batch's */
	size_t i, n_members;
	bool batch, any;
	bool running; /* from its first step to its last */
	bool active;  /* a command runs */
	int rc;       /* of parsing */
	int status;   /* of a single request */
	struct rpc_call call;

	/* As answered. */
	struct text head;
	struct part *parts;
	size_t n, cap, at;
	struct text out; /* the chunk that is being written */
	size_t charged;
	uv_write_t wr;
	bool writing, filling, head_sent;
};

struct listener {
	struct rpc *r;
	union conn_handle u;
	bool is_unix;
};

struct rpc {
	uint32_t magic;
	uv_loop_t *loop;
	pthread_t thread;
	const struct rpc_ops *ops;
	void *arg;
	struct pool *pool;
	struct auth auth;
	struct subnet *allow;
	size_t n_allow, cap_allow;
	const struct rpc_cmd **cmds; /* by name */
	size_t n_cmds, cap_cmds;
	unsigned work_queue, waiting; /* waiting: atomic */
	uint64_t timeout_ms;
	size_t max_body, out_budget, in_flight;
	char *unix_path, *cookie_path;

	struct listener **listeners;
	size_t n_listeners, cap_listeners;
	uv_timer_t sweep, delay;
	uv_idle_t idle;
	size_t open_handles;

	struct conn *conns;
	size_t n_conns, max_conns;
	struct later *later, **later_end;
	size_t n_later;
	struct conn *delayed, **delayed_end;
	struct req *reqs, *spare;
	size_t n_reqs, n_spare;
	struct req *starved, **starved_end;
	struct later feed_starved;

	struct rpc_call *inline_call; /* its fn is on the loop's stack */
	bool inline_done;
	bool stopping; /* set once; other threads read it, too */
	bool ending;
	bool free_at_end; /* a start that failed */
	void (*done)(void *arg);
	uint64_t warned_ms; /* 0: never */
	int64_t date_s;
	char date[40];
	uint8_t rbuf[READ_SIZE];
};

static inline struct conn *conn_of(void *p)
{
	struct conn *c = p;

	must(c->magic == CONN_MAGIC);
	return c;
}

static inline struct req *req_of(void *p)
{
	struct req *q = p;

	must(q->magic == REQ_MAGIC);
	return q;
}

static inline struct rpc_call *call_of(void *p)
{
	struct rpc_call *c = p;

	must(c->magic == CALL_MAGIC);
	return c;
}

/* listen.c: open the sockets. 0, or a failure with a sentence. */
int listen_unix(struct rpc *r, struct text *err, const char *path) must_check;
int listen_tcp(struct rpc *r, struct text *err,
	       const char *const *binds) must_check;
/* Close them and remove the unix socket's file. */
void listen_stop(struct rpc *r);

/* conn.c: connections and their clocks. */
void conn_accept(struct listener *l);
void conn_close(struct conn *c);
/* The request of c was answered: read the next one, or say goodbye. */
void conn_answered(struct conn *c, bool keep_alive);
void conn_on_sweep(uv_timer_t *t);
void conn_on_delay(uv_timer_t *t);
/* The server stops: close what is idle, let the rest get its answer. */
void conn_stop_all(struct rpc *r);

/* head.c: take bytes of a request; returns how many were used (at least one,
 * unless the request is complete or cut). */
extern const llhttp_settings_t head_settings;
size_t head_feed(struct conn *c, const uint8_t *p, size_t n);

/* request.c: requests come and go, and the members of a batch. */
struct req *req_new(struct conn *c);
/* The whole request has arrived: run it, answer it. */
void req_complete(struct req *q);
/* It is answered, or nobody waits for it: free it as soon as no thread and no
 * write works on it. */
void req_drop(struct req *q);
void req_free(struct req *q);
/* The text that the answer grows at. */
struct text *req_text(struct req *q);
/* A call of q has ended: go on with the rest of a batch, or answer. */
void req_advance(struct req *q);

/* answer.c: from a result to bytes on the socket. */
/* Answer with a status and a plain text or nothing. */
void answer_status(struct req *q, int status, const char *body);
/* Answer with the parts. */
void answer_parts(struct req *q, int status);
/* A chunk of the current part is there (task, arg is the request). */
void answer_on_filled(void *arg);
void budget_charge(struct req *q, size_t n);
void budget_release(struct req *q, size_t n);
/* True when q may go on now; else resume is called later. */
bool budget_wait(struct req *q, void (*resume)(struct req *q));
void budget_forget(struct req *q);

/* stream.c: both passes of a streamed result, on the pool. */
void stream_measure(struct rpc_call *c);
void stream_fill(struct req *q);
void stream_free(struct stream *s);

/* call.c */
/* Run v as the request's current call. True when it has ended already; else
 * req_advance is called when it has. */
bool call_start(struct req *q, const struct json *v);
void call_fini(struct rpc_call *c);
void call_on_measured(void *arg);
const struct rpc_cmd *cmd_find(const struct rpc *r, const char *name);

/* params.c: by name to by position; numbers and types. False: c was failed. */
bool params_place(struct rpc_call *c, const struct json *params);

/* server.c */
void later_put(struct rpc *r, struct later *l, void (*run)(struct later *l));
void later_forget(struct rpc *r, struct later *l);
uint64_t now_ms(const struct rpc *r);
/* A client can cause a warning at will: one a second is enough. */
bool may_warn(struct rpc *r);
/* Go on with stopping when nothing is left. */
void server_check_end(struct rpc *r);

#endif
