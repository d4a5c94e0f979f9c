/*
 * RPC: raw transactions and scripts, taken apart and put together. Runs on the
 * RPC pool and asks nothing of the chain. Signing is in rpc_signtx.c.
 */
#include "rawtx.h"

#include <cairn/address/address.h>
#include <cairn/base/buf.h>
#include <cairn/crypto/sha256.h>
#include <cairn/script/op.h>
#include <cairn/script/taptree.h>
#include <cairn/script/template.h>

#include <stdlib.h>

/* What was decoded, on its way out: its JSON may be many times larger. */
struct reply {
	void (*put)(const struct reply *r, struct jw *w);
	const struct params *params;
	struct buf *raw;
	struct tx_view tx;
	struct hash256 txid, wtxid;
};

static bool reply_next(void *arg, struct jw *w, int *rc)
{
	const struct reply *r = arg;

	(void)rc;
	jw_obj(w);
	r->put(r, w);
	jw_obj_end(w);
	return false;
}

static void reply_rewind(void *arg)
{
	(void)arg;
}

static void reply_free(void *arg)
{
	struct reply *r = arg;

	buf_unref(r->raw);
	free(r);
}

static void reply(struct rpc_call *c, struct reply *take)
{
	struct rpc_stream s = {reply_next, reply_rewind, reply_free, take};

	take->params = &rpc_node(c)->params;
	rpc_reply_stream(c, &s);
	rpc_done(c);
}

static void put_tx(const struct reply *r, struct jw *w)
{
	tx_fields_json(w, &r->tx, &r->txid, &r->wtxid, NULL, false, r->params);
}

static void cmd_decoderawtransaction(struct rpc_call *c)
{
	enum rawtx_form form = !rpc_param(c, 1)          ? RAWTX_ANY
			       : param_bool(c, 1, false) ? RAWTX_WITNESS
							 : RAWTX_BASE;
	struct reply *r = xcalloc(1, sizeof *r);

	if (!rawtx_parse(&r->tx, &r->raw, rpc_param(c, 0), form)) {
		rpc_end(c, RPC_DESERIALIZE, "TX decode failed");
		reply_free(r);
		return;
	}
	r->put = put_tx;
	tx_txid(&r->txid, &r->tx);
	tx_wtxid(&r->wtxid, &r->tx);
	reply(c, r);
}

/* Whether a script may stand in P2SH: of a kind that is wrapped, spendable, and
 * without opcodes that only tapscript has. */
static bool can_wrap(const struct script_info *i, struct slice script)
{
	struct script_iter it;
	struct slice data;
	uint8_t op;

	if (i->type != SCRIPT_MULTISIG && i->type != SCRIPT_NONSTANDARD &&
	    i->type != SCRIPT_PUBKEY && i->type != SCRIPT_PUBKEYHASH &&
	    i->type != SCRIPT_WITNESS_V0_KEYHASH &&
	    i->type != SCRIPT_WITNESS_V0_SCRIPTHASH)
		return false;
	if (script_is_unspendable(script) || !script_ops_valid(script))
		return false;
	script_iter_init(&it, script);
	while (script_next(&it, &op, &data))
		if (op == OP_CHECKSIGADD || tap_op_success(op))
			return false;
	return true;
}

static bool keys_compressed(struct slice script)
{
	struct script_iter it;
	struct slice data;
	uint8_t op;

	script_iter_init(&it, script);
	while (script_next(&it, &op, &data))
		if (data.n > 1 && data.n != 33)
			return false;
	return true;
}

static bool can_wrap_in_witness(const struct script_info *i,
				struct slice script)
{
	if (i->type == SCRIPT_MULTISIG || i->type == SCRIPT_PUBKEY)
		return keys_compressed(script);
	return i->type == SCRIPT_NONSTANDARD || i->type == SCRIPT_PUBKEYHASH;
}

/* What would be paid to instead: the key's hash where there is one key, else
 * the script's. */
static size_t put_witness(uint8_t out[P2WSH_SIZE], const struct script_info *i,
			  struct slice script)
{
	if (i->type != SCRIPT_PUBKEY && i->type != SCRIPT_PUBKEYHASH)
		return p2wsh_put(out, script);
	if (i->type == SCRIPT_PUBKEY)
		hash160(out + 2, i->data.p, i->data.n);
	else
		memcpy(out + 2, i->data.p, 20);
	out[0] = OP_0;
	out[1] = 20;
	return 22;
}

static void p2sh_json(struct jw *w, const char *key, struct slice script,
		      const struct params *p)
{
	char address[ADDRESS_STR];
	uint8_t out[P2SH_SIZE];

	if (address_of_script(address, slice_of(out, p2sh_put(out, script)), p))
		jw_kstr(w, key, address);
}

static void witness_json(struct jw *w, const struct script_info *i,
			 struct slice script, const struct params *p)
{
	uint8_t out[P2WSH_SIZE];
	struct slice s = slice_of(out, put_witness(out, i, script));

	jw_key(w, "segwit");
	jw_obj(w);
	script_json_known(w, s, true, &script, 1, p);
	p2sh_json(w, "p2sh-segwit", s, p);
	jw_obj_end(w);
}

static void put_script(const struct reply *r, struct jw *w)
{
	struct slice script = buf_payload(r->raw);
	struct script_info i;

	script_classify(&i, script);
	script_json_known(w, script, false, NULL, 0, r->params);
	if (!can_wrap(&i, script))
		return;
	p2sh_json(w, "p2sh", script, r->params);
	if (can_wrap_in_witness(&i, script))
		witness_json(w, &i, script, r->params);
}

static void cmd_decodescript(struct rpc_call *c)
{
	const struct json *v = rpc_param(c, 0);
	struct reply *r = xcalloc(1, sizeof *r);

	/* An empty script is one, too. */
	r->raw = v->s.n == 0 ? buf_new(0) : hex_buf(v);
	if (!r->raw) {
		rpc_end(c, RPC_BAD_PARAM,
			"argument must be hexadecimal string (not '%s')",
			json_str(v));
		reply_free(r);
		return;
	}
	r->put = put_script;
	reply(c, r);
}

static const struct rpc_arg args_decode[] = {
    {"hexstring", "s", true, "The transaction in hex."},
    {"iswitness", "b", false,
     "true: only the form with a witness; false: only the one without."},
    {0}};
static const struct rpc_arg args_script[] = {
    {"hexstring", "s", true, "The script in hex."}, {0}};

const struct rpc_cmd rpc_rawtx_cmds[] = {
    {"decoderawtransaction", "rawtransactions", RPC_POOL,
     cmd_decoderawtransaction, args_decode, "A transaction as an object.",
     "{ txid, hash, version, size, vsize, weight, locktime, vin, vout }", false,
     false},
    {"decodescript", "rawtransactions", RPC_POOL, cmd_decodescript, args_script,
     "A script as an object, and the addresses of what it may be wrapped in.",
     "{ asm, desc, type, address, p2sh, segwit }", false, false},
    {0}};
