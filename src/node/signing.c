/*
 * What a transaction spends, as far as the client tells it: outputs that need
 * not be in the chain, and the scripts behind their hashes, with bitcoind's
 * sentences. Runs where the command runs.
 */
#include "signing.h"

#include <cairn/address/address.h>
#include <cairn/consensus/check.h>
#include <cairn/crypto/sha256.h>
#include <cairn/script/template.h>

void signing_no_memory(struct rpc_call *c)
{
	rpc_end(c, RPC_OUT_OF_MEMORY, "out of memory");
}

struct spent *signing_spent(struct signing *s, const uint8_t *outpoint)
{
	struct hash256 key;
	struct spent *p;

	sha256_once(key.b, outpoint, OUTPOINT_SIZE);
	p = hmap_get(&s->spent, &key);
	if (p)
		return p;
	p = arena_alloc(&s->mem, sizeof *p);
	if (!p)
		return NULL;
	*p = (struct spent){.key = key, .outpoint = outpoint};
	hmap_put(&s->spent, &p->key, p);
	return p;
}

bool signing_set(struct signing *s, struct spent *p, int64_t value,
		 struct slice script)
{
	uint8_t *b = arena_alloc(&s->mem, script.n + 1);

	if (!b)
		return false;
	if (script.n)
		memcpy(b, script.p, script.n);
	p->out = (struct txout_view){value, slice_of(b, script.n)};
	return true;
}

/* Members that must be there, in the order in which they are complained of. */
static bool members_ok(struct rpc_call *c, const struct json *o)
{
	static const struct {
		const char *name;
		enum json_type type;
	} want[] = {{"scriptPubKey", JSON_STRING},
		    {"txid", JSON_STRING},
		    {"vout", JSON_NUMBER}};

	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		const struct json *v = json_member(o, want[i].name);
		struct json type = {.type = want[i].type};

		if (!v || v->type == JSON_NULL) {
			rpc_end(c, RPC_TYPE, "Missing %s", want[i].name);
			return false;
		}
		if (v->type != want[i].type) {
			rpc_end(c, RPC_TYPE,
				"JSON value of type %s for field %s is not of "
				"expected type %s",
				value_type(v), want[i].name, value_type(&type));
			return false;
		}
	}
	return true;
}

/* A member that is a string or not there (NULL). */
static bool optional_str(struct rpc_call *c, const struct json **v,
			 const struct json *o, const char *name)
{
	*v = json_member(o, name);
	if (*v && (*v)->type == JSON_NULL)
		*v = NULL;
	if (!*v || (*v)->type == JSON_STRING)
		return true;
	rpc_end(c, RPC_TYPE,
		"JSON value of type %s for field %s is not of expected type "
		"string",
		value_type(*v), name);
	return false;
}

static void put_asm(struct text *t, struct slice script)
{
	script_asm(t, script, false);
}

/* What is given for an outpoint must not contradict what is known. */
static bool same_script(struct rpc_call *c, const struct spent *p,
			struct slice script)
{
	struct text known = TEXT_INIT, given = TEXT_INIT;

	if (!p->out.script.p || slice_eq(p->out.script, script))
		return true;
	put_asm(&known, p->out.script);
	put_asm(&given, script);
	rpc_end(c, RPC_DESERIALIZE,
		"Previous output scriptPubKey mismatch:\n%s\nvs:\n%s",
		text_str(&known), text_str(&given));
	text_fini(&known);
	text_fini(&given);
	return false;
}

static bool take_spent(struct rpc_call *c, struct signing *s,
		       const struct json *o, struct slice *script)
{
	const struct json *amount = json_member(o, "amount");
	uint8_t *outpoint = arena_alloc(&s->mem, OUTPOINT_SIZE);
	int64_t value = MAX_MONEY;
	struct hash256 txid;
	struct spent *p;
	int32_t n;

	if (!value_hash(c, o, "txid", &txid) ||
	    !value_i32(c, json_member(o, "vout"), &n))
		return false;
	if (n < 0) {
		rpc_end(c, RPC_DESERIALIZE, "vout cannot be negative");
		return false;
	}
	if (!value_hex(c, json_member(o, "scriptPubKey"), "scriptPubKey",
		       script))
		return false;
	if (outpoint)
		le32_put(bytes_put(outpoint, &txid, 32), (uint32_t)n);
	p = outpoint ? signing_spent(s, outpoint) : NULL;
	if (p && !same_script(c, p, *script))
		return false;
	if (p && amount && !value_amount(c, amount, &value))
		return false;
	if (p && signing_set(s, p, value, *script))
		return true;
	signing_no_memory(c);
	return false;
}

/* Whether an output is the hash of a script, or of that script's P2WSH. */
static bool pays_to(struct slice output, struct slice script)
{
	uint8_t witness[P2WSH_SIZE], sh[P2SH_SIZE];
	struct slice wsh = slice_of(witness, p2wsh_put(witness, script));

	return slice_eq(output, wsh) ||
	       slice_eq(output, slice_of(sh, p2sh_put(sh, script))) ||
	       slice_eq(output, slice_of(sh, p2sh_put(sh, wsh)));
}

static bool bad_scripts(struct rpc_call *c, const char *why)
{
	rpc_end(c, RPC_BAD_PARAM, "%s", why);
	return false;
}

/* Both may be given: the same, or the redeem script is the witness script's
 * P2WSH. */
static bool scripts_agree(struct rpc_call *c, const struct json *rs,
			  const struct json *ws, struct slice witness)
{
	struct slice redeem;
	uint8_t b[P2WSH_SIZE];

	if (!rs || !ws || slice_eq(rs->s, ws->s))
		return true;
	if (!value_hex(c, rs, "redeemScript", &redeem))
		return false;
	return slice_eq(redeem, slice_of(b, p2wsh_put(b, witness))) ||
	       bad_scripts(c, "redeemScript does not correspond to "
			      "witnessScript");
}

/* The scripts behind the hash in an output; the witness script counts where it
 * is given. */
static bool take_scripts(struct rpc_call *c, struct signing *s,
			 const struct json *o, struct slice output)
{
	const struct json *rs, *ws;
	struct slice script;
	uint8_t b[P2WSH_SIZE];

	if (!optional_str(c, &rs, o, "redeemScript") ||
	    !optional_str(c, &ws, o, "witnessScript"))
		return false;
	if (!rs && !ws)
		return bad_scripts(c, "Missing redeemScript/witnessScript");
	if (!value_hex(c, ws ? ws : rs, ws ? "witnessScript" : "redeemScript",
		       &script))
		return false;
	signer_add_script(s->signer, script);
	signer_add_script(s->signer, slice_of(b, p2wsh_put(b, script)));
	if (!scripts_agree(c, rs, ws, script))
		return false;
	return pays_to(output, script) ||
	       bad_scripts(c, "redeemScript/witnessScript does not match "
			      "scriptPubKey");
}

static bool take_prevout(struct rpc_call *c, struct signing *s,
			 const struct json *o)
{
	struct script_info i;
	struct slice script;

	if (o->type != JSON_OBJECT) {
		rpc_end(c, RPC_DESERIALIZE,
			"expected object with "
			"{\"txid'\",\"vout\",\"scriptPubKey\"}");
		return false;
	}
	if (!members_ok(c, o) || !take_spent(c, s, o, &script))
		return false;
	script_classify(&i, script);
	if (i.type != SCRIPT_SCRIPTHASH &&
	    i.type != SCRIPT_WITNESS_V0_SCRIPTHASH)
		return true;
	return take_scripts(c, s, o, script);
}

bool signing_take_prevouts(struct rpc_call *c, struct signing *s,
			   const struct json *list)
{
	for (size_t i = 0; list && i < list->n; i++)
		if (!take_prevout(c, s, &list->kids[i]))
			return false;
	return true;
}
