/* The client half: one request over a unix socket or TCP, blocking. */
#ifndef CAIRN_RPC_CLIENT_H
#define CAIRN_RPC_CLIENT_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>
#include <cairn/base/text.h>

struct rpc_client;

struct rpc_client_cfg {
	const char *unix_path; /* tried first when not NULL */
	const char *host;      /* NULL: unix socket only */
	uint16_t port;
	const char *user_password; /* "user:password", or NULL */
	int64_t timeout_s;         /* 0: none */
};

/* 0 or a failure with a sentence. */
int rpc_client_open(struct rpc_client **give, struct text *err,
		    const struct rpc_client_cfg *cfg) must_check;
void rpc_client_close(struct rpc_client *c);
/* POST body to path: status and the answer's body (appended to out). */
int rpc_client_post(struct rpc_client *c, int *status, struct text *out,
		    struct text *err, const char *path,
		    struct slice body) must_check;

#endif
