/*
 * RPC createrawtransaction: a transaction of inputs and outputs that are named,
 * not signed. Runs on the RPC pool and asks nothing of the chain.
 */
#include "rawtx.h"
#include "rpc_value.h"

#include <cairn/address/address.h>
#include <cairn/base/buf.h>
#include <cairn/base/hmap.h>
#include <cairn/crypto/sha256.h>
#include <cairn/script/op.h>
#include <cairn/script/template.h>

#include <stdlib.h>

#define VERSION_DEFAULT 2
#define VERSION_MAX     3
#define SEQUENCE_FINAL  0xffffffffu
#define SEQUENCE_RBF    0xfffffffdu /* may be replaced (BIP 125) */

/* The transaction as it grows; memory is the call's. */
struct draft {
	uint32_t version, lock_time;
	bool rbf_given, rbf;
	struct txin_view *in;
	struct txout_view *out;
	uint32_t n_in, n_out;
	struct hmap paid; /* struct paid, by the script's hash */
	bool has_data;
};

static void *need(struct rpc_call *c, size_t n, size_t size)
{
	void *p = rpc_alloc(c, n * size + 1);

	if (!p)
		rpc_end(c, RPC_OUT_OF_MEMORY, "out of memory");
	return p;
}

static bool bad_param(struct rpc_call *c, const char *why)
{
	rpc_end(c, RPC_BAD_PARAM, "Invalid parameter, %s", why);
	return false;
}

/* The sequence of an input that names none. */
static uint32_t default_sequence(const struct draft *d)
{
	if (!d->rbf_given || d->rbf)
		return SEQUENCE_RBF;
	return d->lock_time ? SEQUENCE_FINAL - 1 : SEQUENCE_FINAL;
}

static bool take_sequence(struct rpc_call *c, uint32_t *sequence,
			  const struct json *v)
{
	int64_t n;

	if (!v || v->type != JSON_NUMBER)
		return true;
	if (!json_i64(&n, v)) {
		rpc_end(c, RPC_MISC, "JSON integer out of range");
		return false;
	}
	if (n < 0 || n > SEQUENCE_FINAL)
		return bad_param(c, "sequence number is out of range");
	*sequence = (uint32_t)n;
	return true;
}

static bool take_input(struct rpc_call *c, struct draft *d,
		       const struct json *o)
{
	struct txin_view *in = &d->in[d->n_in];
	uint8_t *prevout = need(c, 1, OUTPOINT_SIZE);
	const struct json *vout;
	struct hash256 txid;
	int32_t n;

	if (!prevout || !value_is(c, o, JSON_OBJECT) ||
	    !value_hash(c, o, "txid", &txid))
		return false;
	vout = json_member(o, "vout");
	if (!vout || vout->type != JSON_NUMBER)
		return bad_param(c, "missing vout key");
	if (!value_i32(c, vout, &n))
		return false;
	if (n < 0)
		return bad_param(c, "vout cannot be negative");
	le32_put(bytes_put(prevout, &txid, 32), (uint32_t)n);
	*in = (struct txin_view){prevout, slice_of("", 0), default_sequence(d)};
	d->n_in++;
	return take_sequence(c, &in->sequence, json_member(o, "sequence"));
}

static bool take_inputs(struct rpc_call *c, struct draft *d,
			const struct json *list)
{
	d->in = need(c, list->n, sizeof *d->in);
	if (!d->in)
		return false;
	for (size_t i = 0; i < list->n; i++)
		if (!take_input(c, d, &list->kids[i]))
			return false;
	return true;
}

/* OP_RETURN and the bytes. */
static bool take_data(struct rpc_call *c, struct draft *d, const struct json *v)
{
	struct json text = {.type = JSON_STRING, .s = v->s};
	struct slice data;
	uint8_t *script, *end;

	if (d->has_data)
		return bad_param(c, "duplicate key: data");
	d->has_data = true;
	/* A number is read as the digits it has, true as 1. */
	if (v->type != JSON_STRING && v->type != JSON_NUMBER)
		text.s =
		    v->type == JSON_TRUE ? slice_of("1", 1) : slice_of("", 0);
	if (!value_hex(c, &text, "Data", &data))
		return false;
	script = need(c, 1, data.n + 6);
	if (!script)
		return false;
	*script = OP_RETURN;
	end = script_put_push(script + 1, data);
	d->out[d->n_out++] =
	    (struct txout_view){0, slice_of(script, (size_t)(end - script))};
	return true;
}

static bool duplicated(struct rpc_call *c, const char *address)
{
	rpc_end(c, RPC_BAD_PARAM, "Invalid parameter, duplicated address: %s",
		address);
	return false;
}

/* A script that is paid, and how its address was spelled. */
struct paid {
	struct hash256 key;
	const char *address;
};

/* The one that was paid before, if any. */
static const struct paid *paid_before(const struct draft *d, struct paid *p,
				      const char *address, struct slice script)
{
	sha256_once(p->key.b, script.p, script.n);
	p->address = address;
	return hmap_get(&d->paid, &p->key);
}

static bool take_payment(struct rpc_call *c, struct draft *d, struct slice name,
			 const struct json *v)
{
	const char *address = (const char *)name.p;
	uint8_t *script = need(c, 1, SCRIPT_OF_ADDRESS_MAX);
	struct paid *paid = script ? need(c, 1, sizeof *paid) : NULL;
	const struct paid *before = NULL;
	int64_t value;
	size_t n;
	bool ok;

	if (!paid)
		return false;
	ok = strlen(address) == name.n &&
	     address_to_script(script, &n, NULL, address, &rpc_node(c)->params);
	if (ok)
		before = paid_before(d, paid, address, slice_of(script, n));
	/* The same key twice has one value: that of the first. */
	if (before && strcmp(before->address, address) == 0)
		return duplicated(c, address);
	if (!value_amount(c, v, &value))
		return false;
	if (!ok) {
		rpc_end(c, RPC_BAD_ADDRESS, "Invalid Bitcoin address: %s",
			address);
		return false;
	}
	if (before)
		return duplicated(c, address);
	hmap_put(&d->paid, &paid->key, paid);
	d->out[d->n_out++] = (struct txout_view){value, slice_of(script, n)};
	return true;
}

static bool take_output(struct rpc_call *c, struct draft *d, struct slice name,
			const struct json *v)
{
	if (slice_eq(name, slice_of("data", 4)))
		return take_data(c, d, v);
	return take_payment(c, d, name, v);
}

/* Every element must be an object of one member. */
static bool pairs_ok(struct rpc_call *c, const struct json *list)
{
	for (size_t i = 0; i < list->n; i++) {
		if (list->kids[i].type != JSON_OBJECT)
			return bad_param(c, "key-value pair not an object as "
					    "expected");
		if (list->kids[i].n != 1)
			return bad_param(c, "key-value pair must contain "
					    "exactly one key");
	}
	return true;
}

/* An object, or an array of objects with one member. */
static bool take_outputs(struct rpc_call *c, struct draft *d,
			 const struct json *v)
{
	bool object = v && v->type == JSON_OBJECT;

	if (!v)
		return bad_param(c, "output argument must be non-null");
	if (!object && (!value_is(c, v, JSON_ARRAY) || !pairs_ok(c, v)))
		return false;
	d->out = need(c, v->n, sizeof *d->out);
	if (!d->out)
		return false;
	for (size_t i = 0; i < v->n; i++) {
		const struct json *pair = &v->kids[i];

		if (!take_output(c, d, object ? v->keys[i] : pair->keys[0],
				 object ? pair : &pair->kids[0]))
			return false;
	}
	return true;
}

static bool take_numbers(struct rpc_call *c, struct draft *d)
{
	int64_t lock, version;

	if (!param_i64(c, 2, &lock, 0, INT64_MIN, INT64_MAX) ||
	    !param_i64(c, 4, &version, VERSION_DEFAULT, INT64_MIN, INT64_MAX))
		return false;
	if (version < 0 || version > UINT32_MAX) {
		rpc_end(c, RPC_MISC, "JSON integer out of range");
		return false;
	}
	if (lock < 0 || lock > UINT32_MAX)
		return bad_param(c, "locktime out of range");
	if (version < 1 || version > VERSION_MAX)
		return bad_param(c, "version out of range(1~3)");
	d->lock_time = (uint32_t)lock;
	d->version = (uint32_t)version;
	return true;
}

/* Replaceable is what some input says by its sequence. */
static bool rbf_ok(struct rpc_call *c, const struct draft *d)
{
	bool signals = false;

	for (uint32_t i = 0; i < d->n_in; i++)
		signals |= d->in[i].sequence <= SEQUENCE_RBF;
	if (!d->rbf_given || !d->rbf || d->n_in == 0 || signals)
		return true;
	rpc_end(c, RPC_BAD_PARAM,
		"Invalid parameter combination: Sequence number(s) contradict "
		"replaceable option");
	return false;
}

/* The form without a witness, also where there are no inputs. */
static struct slice serialise(struct rpc_call *c, const struct draft *d)
{
	size_t size = 8 + compact_size(d->n_in) + compact_size(d->n_out);
	uint8_t *b, *p;

	for (uint32_t i = 0; i < d->n_in; i++)
		size += txin_size(&d->in[i]);
	for (uint32_t i = 0; i < d->n_out; i++)
		size += txout_size(&d->out[i]);
	b = need(c, 1, size);
	if (!b)
		return slice_of(NULL, 0);
	p = compact_put(le32_put(b, d->version), d->n_in);
	for (uint32_t i = 0; i < d->n_in; i++)
		p = txin_put(p, &d->in[i]);
	p = compact_put(p, d->n_out);
	for (uint32_t i = 0; i < d->n_out; i++)
		p = txout_put(p, &d->out[i]);
	p = le32_put(p, d->lock_time);
	return slice_of(b, (size_t)(p - b));
}

static void cmd_createrawtransaction(struct rpc_call *c)
{
	struct draft d = {.rbf_given = rpc_param(c, 3) != NULL,
			  .rbf = param_bool(c, 3, true)};
	struct slice raw = {0};

	hmap_init(&d.paid);
	if (take_numbers(c, &d) && take_inputs(c, &d, rpc_param(c, 0)) &&
	    take_outputs(c, &d, rpc_param(c, 1)) && rbf_ok(c, &d))
		raw = serialise(c, &d);
	hmap_fini(&d.paid);
	if (!raw.p)
		return;
	jw_hex(rpc_out(c), raw);
	rpc_done(c);
}

static const struct rpc_arg args_create[] = {
    {"inputs", "a", true, "Objects of txid, vout and perhaps sequence."},
    {"outputs", "*", true,
     "Address to amount, or \"data\" to hex: an array of pairs, or an object."},
    {"locktime", "n", false, "Lock time (0)."},
    {"replaceable", "b", false, "Signal that it may be replaced (true)."},
    {"version", "n", false, "1 to 3 (2)."},
    {0}};

const struct rpc_cmd rpc_createtx_cmds[] = {
    {"createrawtransaction", "rawtransactions", RPC_POOL,
     cmd_createrawtransaction, args_create,
     "A transaction that is not signed, of inputs and outputs.", "\"hex\"",
     false, false},
    {0}};
