/*
 * RPC: addresses, multisigs made of keys, and messages signed with the key of
 * an address. Runs on the RPC pool and asks nothing of the chain.
 */
#include "rpc_value.h"

#include <cairn/address/address.h>
#include <cairn/address/descriptor.h>
#include <cairn/address/key.h>
#include <cairn/address/message.h>
#include <cairn/base/must.h>
#include <cairn/crypto/pubkey.h>
#include <cairn/crypto/secret.h>
#include <cairn/script/op.h>
#include <cairn/script/template.h>

#include <stdlib.h>

#define REDEEM_MAX 520 /* bytes that P2SH can spend */

/* What an address pays to, beyond its script. */
static void describe(struct jw *w, struct slice script)
{
	struct script_info i;
	bool witness;

	script_classify(&i, script);
	witness = i.type != SCRIPT_PUBKEYHASH && i.type != SCRIPT_SCRIPTHASH;
	if (i.type != SCRIPT_WITNESS_UNKNOWN)
		jw_kbool(w, "isscript",
			 i.type != SCRIPT_PUBKEYHASH &&
			     i.type != SCRIPT_WITNESS_V0_KEYHASH);
	jw_kbool(w, "iswitness", witness);
	if (!witness || i.type == SCRIPT_ANCHOR)
		return;
	jw_ki64(w, "witness_version", i.version);
	jw_khex(w, "witness_program", i.data);
}

static void cmd_validateaddress(struct rpc_call *c)
{
	const struct params *p = &rpc_node(c)->params;
	uint8_t script[SCRIPT_OF_ADDRESS_MAX];
	char address[ADDRESS_STR];
	struct address_error e;
	struct jw *w = rpc_out(c);
	size_t n;
	bool ok = address_to_script(script, &n, &e, param_str(c, 0), p);

	jw_obj(w);
	jw_kbool(w, "isvalid", ok);
	if (ok && address_of_script(address, slice_of(script, n), p)) {
		jw_kstr(w, "address", address);
		jw_khex(w, "scriptPubKey", slice_of(script, n));
		describe(w, slice_of(script, n));
	} else {
		jw_key(w, "error_locations");
		jw_arr(w);
		for (size_t i = 0; i < e.n; i++)
			jw_i64(w, e.at[i]);
		jw_arr_end(w);
		jw_kstr(w, "error", e.why);
	}
	jw_obj_end(w);
	rpc_done(c);
}

enum wrap { WRAP_SH, WRAP_SH_WSH, WRAP_WSH, WRAP_TR };

static bool wrap_parse(enum wrap *wrap, const char *name)
{
	static const char *const names[] = {
	    [WRAP_SH] = "legacy",
	    [WRAP_SH_WSH] = "p2sh-segwit",
	    [WRAP_WSH] = "bech32",
	    [WRAP_TR] = "bech32m",
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0) {
			*wrap = (enum wrap)i;
			return true;
		}
	return false;
}

/* A multisig while it is made. */
struct multisig {
	int32_t required;
	size_t keys;
	enum wrap wanted, wrap;
	/* Both have room for all keys that may be. */
	uint8_t script[16 + 66 * SCRIPT_MULTISIG_KEYS];
	size_t n;
	bool full_keys; /* some are not compressed */
};

/* One key behind the others; those that are too many are only judged. */
static bool take_key(struct rpc_call *c, struct multisig *m,
		     const struct json *v)
{
	const char *s = value_str(c, v), *why = NULL;
	uint8_t key[65];
	size_t n;

	if (!s)
		return false;
	n = v->s.n / 2;
	if (n == 0 || !hex_is(s))
		why = "must be a hex string";
	else if (n != 33 && n != 65)
		why = "must have a length of either 33 or 65 bytes";
	else if (!hex_parse(key, n, s) || !pubkey_valid_any(slice_of(key, n)))
		why = "must be cryptographically valid.";
	if (why) {
		rpc_end(c, RPC_BAD_ADDRESS, "Pubkey \"%s\" %s", s, why);
		return false;
	}
	m->full_keys |= n == 65;
	if (m->keys++ < SCRIPT_MULTISIG_KEYS)
		m->n = (size_t)(script_put_push(m->script + m->n,
						slice_of(key, n)) -
				m->script);
	return true;
}

static bool type_ok(struct rpc_call *c, struct multisig *m)
{
	const char *type = param_str(c, 2);

	m->wanted = WRAP_SH;
	if (type && !wrap_parse(&m->wanted, type)) {
		rpc_end(c, RPC_BAD_ADDRESS, "Unknown address type '%s'", type);
		return false;
	}
	if (m->wanted == WRAP_TR) {
		rpc_end(c, RPC_BAD_ADDRESS,
			"createmultisig cannot create bech32m multisig "
			"addresses");
		return false;
	}
	m->wrap = m->full_keys ? WRAP_SH : m->wanted;
	return true;
}

static bool numbers_ok(struct rpc_call *c, const struct multisig *m)
{
	if (m->required < 1)
		rpc_end(c, RPC_BAD_PARAM,
			"a multisignature address must require at least one "
			"key to redeem");
	else if (m->keys < (size_t)m->required)
		rpc_end(c, RPC_BAD_PARAM,
			"not enough keys supplied (got %zu keys, but need at "
			"least %d to redeem)",
			m->keys, m->required);
	else if (m->keys > SCRIPT_MULTISIG_KEYS)
		rpc_end(c, RPC_BAD_PARAM,
			"Number of keys involved in the multisignature address "
			"creation > %d\nReduce the number",
			SCRIPT_MULTISIG_KEYS);
	else
		return true;
	return false;
}

/* The threshold in front of the keys, their number behind. */
static void finish_script(struct multisig *m)
{
	uint8_t head[10], *p;
	size_t n = (size_t)(script_put_num(head, m->required) - head);

	memmove(m->script + n, m->script, m->n);
	memcpy(m->script, head, n);
	p = script_put_num(m->script + n + m->n, (int64_t)m->keys);
	*p++ = OP_CHECKMULTISIG;
	m->n = (size_t)(p - m->script);
}

static void multisig_json(struct rpc_call *c, const struct multisig *m)
{
	const struct params *p = &rpc_node(c)->params;
	struct slice known[2] = {slice_of(m->script, m->n)};
	uint8_t witness[P2WSH_SIZE], output[P2WSH_SIZE];
	char address[ADDRESS_STR];
	struct text t = TEXT_INIT;
	struct jw *w = rpc_out(c);
	size_t n;

	known[1] = slice_of(witness, p2wsh_put(witness, known[0]));
	if (m->wrap == WRAP_WSH)
		n = p2wsh_put(output, known[0]);
	else
		n = p2sh_put(output, known[m->wrap == WRAP_SH_WSH]);
	must(address_of_script(address, slice_of(output, n), p));
	descriptor_of_script(&t, slice_of(output, n), known, 2, p);
	jw_obj(w);
	jw_kstr(w, "address", address);
	jw_khex(w, "redeemScript", known[0]);
	jw_kstr(w, "descriptor", text_str(&t));
	if (m->wrap != m->wanted) {
		jw_key(w, "warnings");
		jw_arr(w);
		jw_str(w, "Unable to make chosen address type, please ensure "
			  "no uncompressed public keys are present.");
		jw_arr_end(w);
	}
	jw_obj_end(w);
	text_fini(&t);
	rpc_done(c);
}

static void cmd_createmultisig(struct rpc_call *c)
{
	const struct json *keys = rpc_param(c, 1);
	struct multisig m = {0};

	if (!value_i32(c, rpc_param(c, 0), &m.required))
		return;
	for (size_t i = 0; i < keys->n; i++)
		if (!take_key(c, &m, &keys->kids[i]))
			return;
	if (!type_ok(c, &m) || !numbers_ok(c, &m))
		return;
	finish_script(&m);
	if (m.wrap == WRAP_SH && m.n > REDEEM_MAX)
		rpc_end(c, RPC_BAD_PARAM,
			"redeemScript exceeds size limit: %zu > %d", m.n,
			REDEEM_MAX);
	else
		multisig_json(c, &m);
}

static void cmd_signmessagewithprivkey(struct rpc_call *c)
{
	uint8_t sig[MESSAGE_SIG_SIZE];
	char text[(sizeof sig + 2) / 3 * 4 + 1];
	struct secret_ctx *ctx;
	struct privkey key;

	if (!privkey_parse(&key, param_str(c, 0), &rpc_node(c)->params)) {
		rpc_end(c, RPC_BAD_ADDRESS, "Invalid private key");
		return;
	}
	ctx = secret_ctx_new();
	message_sign(sig, ctx, &key, rpc_param(c, 1)->s);
	secret_ctx_free(ctx);
	explicit_bzero(&key, sizeof key);
	base64_put(text, slice_of(sig, sizeof sig));
	jw_str(rpc_out(c), text);
	rpc_done(c);
}

/* Base64 of any length; a signature that has another than its own is none, but
 * well formed. */
static bool verify_json(struct rpc_call *c, const uint8_t key_hash[20])
{
	const struct json *v = rpc_param(c, 1);
	const char *s = json_str(v);
	uint8_t *sig = malloc(v->s.n / 4 * 3 + 1);
	size_t n;
	bool ok = sig && base64_parse(sig, &n, s);

	if (ok)
		jw_bool(rpc_out(c), message_verify(slice_of(sig, n), key_hash,
						   rpc_param(c, 2)->s));
	free(sig);
	return ok;
}

static void cmd_verifymessage(struct rpc_call *c)
{
	uint8_t script[SCRIPT_OF_ADDRESS_MAX];
	struct script_info i = {.type = SCRIPT_NONSTANDARD};
	struct address_error e;
	size_t n;

	if (!address_to_script(script, &n, &e, param_str(c, 0),
			       &rpc_node(c)->params)) {
		rpc_end(c, RPC_BAD_ADDRESS, "Invalid address");
		return;
	}
	script_classify(&i, slice_of(script, n));
	if (i.type != SCRIPT_PUBKEYHASH)
		rpc_end(c, RPC_TYPE, "Address does not refer to key");
	else if (!verify_json(c, i.data.p))
		rpc_end(c, RPC_TYPE, "Malformed base64 encoding");
	else
		rpc_done(c);
}

static const struct rpc_arg args_multisig[] = {
    {"nrequired", "n", true, "How many signatures it takes."},
    {"keys", "a", true, "Public keys in hex."},
    {"address_type", "s", false, "legacy (default), p2sh-segwit or bech32."},
    {0}};
static const struct rpc_arg args_sign[] = {
    {"privkey", "s", true, "The private key (WIF)."},
    {"message", "s", true, "What to sign."},
    {0}};
static const struct rpc_arg args_validate[] = {
    {"address", "s", true, "The address."}, {0}};
static const struct rpc_arg args_verify[] = {
    {"address", "s", true, "The address whose key is to have signed."},
    {"signature", "s", true, "The signature in base64."},
    {"message", "s", true, "What was signed."},
    {0}};

const struct rpc_cmd rpc_address_cmds[] = {
    {"createmultisig", "util", RPC_POOL, cmd_createmultisig, args_multisig,
     "A multisig of public keys: its address, script and descriptor.",
     "{ address, redeemScript, descriptor, warnings }", false, false},
    {"signmessagewithprivkey", "util", RPC_POOL, cmd_signmessagewithprivkey,
     args_sign, "Sign a message with a private key.", "\"signature\" in base64",
     false, false},
    {"validateaddress", "util", RPC_POOL, cmd_validateaddress, args_validate,
     "Return information about the given bitcoin address. If it is none of "
     "this network: why, and where its errors may be.",
     "{ isvalid, address, scriptPubKey, isscript, iswitness, witness_version, "
     "witness_program } or { isvalid, error_locations, error }",
     false, false},
    {"verifymessage", "util", RPC_POOL, cmd_verifymessage, args_verify,
     "Whether a message was signed with the key of an address.",
     "true or false", false, false},
    {0}};
