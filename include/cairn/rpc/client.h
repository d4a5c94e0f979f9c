/*
 * The client half: requests over a unix socket or TCP, blocking. One thread.
 */
#ifndef CAIRN_RPC_CLIENT_H
#define CAIRN_RPC_CLIENT_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>
#include <cairn/base/text.h>

struct rpc_client;

/* Strings are borrowed for the call only. */
struct rpc_client_cfg {
	const char *unix_path; /* tried first when not NULL */
	const char *host;      /* NULL: unix socket only */
	uint16_t port;
	const char *user_password; /* "user:password", or NULL */
	int64_t timeout_s; /* for connecting and for each answer; 0: none */
};

/* Connect. 0, or with a sentence in err: E_NOTFOUND (the host has no address),
 * E_CLOSED (nobody listens), E_TIMEOUT. */
int rpc_client_open(struct rpc_client **give, struct text *err,
		    const struct rpc_client_cfg *cfg) must_check;
/* NULL is fine. */
void rpc_client_close(struct rpc_client *c);
/* Is it the unix socket that answered? */
bool rpc_client_is_unix(const struct rpc_client *c);
/* POST body to path: the answer's status, and its body appended to out. 0, or
 * with a sentence in err: E_CLOSED, E_TIMEOUT, E_PARSE (what came is no HTTP).
 * After a failure only rpc_client_close may follow. */
int rpc_client_post(struct rpc_client *c, int *status, struct text *out,
		    struct text *err, const char *path,
		    struct slice body) must_check;

#endif
