/*
 * Parameters of RPC calls, read with bitcoind's sentences, and endings. Runs
 * where the command runs; only param_block needs the loop. Makes no JSON
 * (json_tx.c).
 */
#include "rpc_util.h"

#include <cairn/base/buf.h>
#include <cairn/base/text.h>

#include <stdarg.h>
#include <stdio.h>

void rpc_end(struct rpc_call *c, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	rpc_vfail(c, code, fmt, ap);
	va_end(ap);
	rpc_done(c);
}

void rpc_end_stopping(struct rpc_call *c)
{
	rpc_end(c, RPC_NOT_CONNECTED, "Shutting down");
}

void rpc_end_verdict(struct rpc_call *c, int code, const struct verdict *v)
{
	char why[VERDICT_TEXT];

	if (v->kind == V_INVALID)
		rpc_fail(c, code, "%s", verdict_fmt(why, v));
	else if (v->kind == V_UNKNOWN)
		rpc_fail(c, RPC_DATABASE, "%s", err_str(v->rc));
	else
		jw_null(rpc_out(c));
	rpc_done(c);
}

const char *param_str(const struct rpc_call *c, size_t i)
{
	const struct json *v = rpc_param(c, i);

	return v ? json_str(v) : NULL;
}

bool param_hash(struct rpc_call *c, size_t i, const char *name,
		struct hash256 *h)
{
	const char *s = param_str(c, i);

	if (s && hash256_parse(h, s))
		return true;
	if (!s)
		s = "";
	if (strlen(s) != 64)
		rpc_end(c, RPC_BAD_PARAM,
			"%s must be of length 64 (not %zu, for '%s')", name,
			strlen(s), s);
	else
		rpc_end(c, RPC_BAD_PARAM,
			"%s must be hexadecimal string (not '%s')", name, s);
	return false;
}

bool param_i64(struct rpc_call *c, size_t i, int64_t *v, int64_t dflt,
	       int64_t lo, int64_t hi)
{
	const struct json *j = rpc_param(c, i);

	*v = dflt;
	if (!j)
		return true;
	if (!json_i64(v, j)) {
		rpc_end(c, RPC_MISC, "JSON integer out of range");
		return false;
	}
	if (*v >= lo && *v <= hi)
		return true;
	rpc_end(c, RPC_BAD_PARAM, "Invalid parameter, %lld is out of range",
		(long long)*v);
	return false;
}

bool param_bool(const struct rpc_call *c, size_t i, bool dflt)
{
	const struct json *j = rpc_param(c, i);

	return j ? j->type == JSON_TRUE : dflt;
}

bool param_hex(struct rpc_call *c, size_t i, struct buf **give,
	       const char *sentence)
{
	const char *s = param_str(c, i);
	size_t n = s ? strlen(s) / 2 : 0;

	*give = NULL;
	if (s && hex_is(s) && n > 0)
		*give = buf_new(n);
	if (*give && hex_parse(buf_data(*give), n, s)) {
		(*give)->n = n;
		return true;
	}
	buf_unref(*give);
	rpc_end(c, RPC_DESERIALIZE, "%s", sentence);
	return false;
}

struct hnode *param_block(struct rpc_call *c, size_t i)
{
	struct hash256 h;
	struct hnode *n;

	if (!param_hash(c, i, "blockhash", &h))
		return NULL;
	n = htree_find(chain_tree(rpc_node(c)->chain), &h);
	if (!n)
		rpc_end(c, RPC_BAD_ADDRESS, "Block not found");
	return n;
}
