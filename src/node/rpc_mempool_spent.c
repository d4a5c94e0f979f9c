/*
 * RPC gettxspendingprevout: the outputs are read on the RPC pool, looked up on
 * the chain thread some thousand at a time, and answered as a stream.
 */
#include "rpc_mempool.h"

#include "rpc_value.h"

#include <cairn/base/buf.h>

#include <stdlib.h>

#define LOOKUPS_AT_ONCE 4096

struct spent {
	uint8_t outpoint[OUTPOINT_SIZE];
	struct buf *buf; /* the spender, or NULL */
	struct hash256 txid;
};

struct spending {
	const struct json *outputs; /* the call's */
	struct spent *list;
	size_t n, at;
	bool pool_only, whole, begun;
};

static void spending_free(void *arg)
{
	struct spending *s = arg;

	for (size_t i = 0; i < s->n; i++)
		buf_unref(s->list[i].buf);
	free(s->list);
	free(s);
}

/* What was asked, and who spends it. */
static void spent_json(struct jw *w, const struct spending *s, size_t i)
{
	const struct json *o = &s->outputs->kids[i];
	const struct spent *p = &s->list[i];

	jw_obj(w);
	for (size_t k = 0; k < o->n; k++) {
		jw_key(w, (const char *)o->keys[k].p);
		jw_value(w, &o->kids[k]);
	}
	if (p->buf) {
		jw_khash(w, "spendingtxid", &p->txid);
		if (s->whole)
			jw_khex(w, "spendingtx", buf_payload(p->buf));
	}
	jw_obj_end(w);
}

static bool spending_next(void *arg, struct jw *w, int *rc)
{
	struct spending *s = arg;

	(void)rc;
	if (!s->begun)
		jw_arr(w);
	s->begun = true;
	if (s->at < s->n) {
		spent_json(w, s, s->at++);
		return true;
	}
	jw_arr_end(w);
	return false;
}

static void spending_rewind(void *arg)
{
	struct spending *s = arg;

	s->at = 0;
	s->begun = false;
}

static void spending_end(struct rpc_call *c, struct spending *s)
{
	struct rpc_stream stream = {spending_next, spending_rewind,
				    spending_free, s};

	for (size_t i = 0; i < s->n && !s->pool_only; i++) {
		if (s->list[i].buf)
			continue;
		spending_free(s);
		rpc_end(c, RPC_MISC,
			"Mempool lacks a relevant spend, and txospenderindex "
			"is unavailable.");
		return;
	}
	spending_rewind(s);
	rpc_reply_stream(c, &stream);
	rpc_done(c);
}

/* Chain thread. */
static void spending_look(struct rpc_call *c)
{
	const struct mempool *m = chain_mempool(rpc_node(c)->chain);
	struct spending *s = rpc_state(c);
	size_t stop = s->at + LOOKUPS_AT_ONCE;

	for (; s->at < s->n && s->at < stop; s->at++) {
		struct spent *p = &s->list[s->at];
		const struct mempool_tx *tx = mempool_spender(m, p->outpoint);

		if (!tx)
			continue;
		p->buf = buf_ref(tx->buf);
		p->txid = tx->txid;
	}
	if (s->at < s->n)
		rpc_continue(c, RPC_CHAIN, spending_look);
	else
		spending_end(c, s);
}

/* Member of an object that has to be of a type, or may be missing. False:
 * failed and finished. */
static bool member_is(struct rpc_call *c, const struct json *o,
		      const char *name, enum json_type type, bool needed)
{
	const struct json *v = json_member(o, name);
	struct json want = {.type = type};

	if (!v || v->type == JSON_NULL) {
		if (needed)
			rpc_end(c, RPC_TYPE, "Missing %s", name);
		return !needed;
	}
	if (strcmp(value_type(v), value_type(&want)) == 0)
		return true;
	rpc_end(c, RPC_TYPE,
		"JSON value of type %s for field %s is not of expected type %s",
		value_type(v), name, value_type(&want));
	return false;
}

/* No other members than these two. */
static bool members_known(struct rpc_call *c, const struct json *o,
			  const char *one, const char *two)
{
	for (size_t i = 0; i < o->n; i++) {
		const char *key = (const char *)o->keys[i].p;

		if (strcmp(key, one) == 0 || strcmp(key, two) == 0)
			continue;
		rpc_end(c, RPC_TYPE, "Unexpected key %s", key);
		return false;
	}
	return true;
}

static bool take_output(struct rpc_call *c, struct spent *p,
			const struct json *o)
{
	struct hash256 txid;
	int32_t n;

	if (!value_is(c, o, JSON_OBJECT) ||
	    !member_is(c, o, "txid", JSON_STRING, true) ||
	    !member_is(c, o, "vout", JSON_NUMBER, true) ||
	    !members_known(c, o, "txid", "vout") ||
	    !value_hash(c, o, "txid", &txid) ||
	    !value_i32(c, json_member(o, "vout"), &n))
		return false;
	if (n < 0) {
		rpc_end(c, RPC_BAD_PARAM,
			"Invalid parameter, vout cannot be negative");
		return false;
	}
	le32_put(bytes_put(p->outpoint, &txid, 32), (uint32_t)n);
	return true;
}

static bool take_options(struct rpc_call *c, struct spending *s,
			 const struct json *o)
{
	const struct json *v;

	s->pool_only = true;
	if (!o)
		return true;
	if (!member_is(c, o, "mempool_only", JSON_TRUE, false) ||
	    !member_is(c, o, "return_spending_tx", JSON_TRUE, false) ||
	    !members_known(c, o, "mempool_only", "return_spending_tx"))
		return false;
	v = json_member(o, "mempool_only");
	s->pool_only = !v || v->type != JSON_FALSE;
	v = json_member(o, "return_spending_tx");
	s->whole = v && v->type == JSON_TRUE;
	return true;
}

void cmd_gettxspendingprevout(struct rpc_call *c)
{
	const struct json *outputs = rpc_param(c, 0);
	struct spending *s = xcalloc(1, sizeof *s);
	bool ok;

	s->outputs = outputs;
	s->list = xcalloc(outputs->n + 1, sizeof *s->list);
	if (outputs->n == 0) {
		rpc_end(c, RPC_BAD_PARAM,
			"Invalid parameter, outputs are missing");
		spending_free(s);
		return;
	}
	ok = take_options(c, s, rpc_param(c, 1));
	while (ok && s->n < outputs->n) {
		ok = take_output(c, &s->list[s->n], &outputs->kids[s->n]);
		s->n += ok;
	}
	if (!ok) {
		spending_free(s);
		return;
	}
	rpc_set_state(c, s);
	rpc_continue(c, RPC_CHAIN, spending_look);
}
