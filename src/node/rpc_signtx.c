/*
 * RPC: signing with keys that are given, and putting signatures together. The
 * transaction and keys are read on the RPC pool, the coins it spends on the
 * chain thread, some at a time, and the rest is done on the pool again. Keys
 * are wiped at the end.
 */
#include "rawtx.h"
#include "signing.h"

#include <cairn/address/key.h>
#include <cairn/base/buf.h>
#include <cairn/consensus/check.h>
#include <cairn/crypto/sha256.h>

#include <stdlib.h>

#define COINS_AT_A_TIME 200u
#define MEMORY_MAX      (128u << 20) /* scripts of coins */

static void signing_free(struct signing *s)
{
	for (size_t i = 0; i < s->n; i++)
		buf_unref(s->raw[i]);
	free(s->raw);
	free(s->tx);
	free(s->inputs);
	signer_free(s->signer);
	hmap_fini(&s->spent);
	arena_fini(&s->mem);
	free(s);
}

/* For n forms; false: failed and finished. */
static struct signing *signing_new(struct rpc_call *c, size_t n)
{
	struct signing *s = xcalloc(1, sizeof *s);

	s->node = rpc_node(c);
	s->signer = signer_new();
	arena_init(&s->mem, MEMORY_MAX);
	hmap_init(&s->spent);
	s->raw = calloc(n, sizeof(struct buf *));
	s->tx = calloc(n, sizeof *s->tx);
	if (s->raw && s->tx)
		return s;
	signing_no_memory(c);
	signing_free(s);
	return NULL;
}

/* An entry for every input. */
static bool list_inputs(struct signing *s)
{
	struct txin_view in;
	struct tx_iter it;
	uint32_t i = 0;

	s->inputs = calloc(s->tx->n_in + (size_t)1, sizeof(struct spent *));
	if (!s->inputs)
		return false;
	txins(&it, s->tx);
	for (; txin_next(&it, &in); i++) {
		s->inputs[i] = signing_spent(s, in.prevout);
		if (!s->inputs[i])
			return false;
	}
	return true;
}

/* Chain thread: look some coins up, then others, then go on. */
static void find_coins(struct rpc_call *c)
{
	struct signing *s = rpc_state(c);
	struct coin coin;
	int rc = 0;

	for (uint32_t n = 0; n < COINS_AT_A_TIME && s->at < s->tx->n_in; n++) {
		struct spent *p = s->inputs[s->at++];

		if (p->out.script.p)
			continue;
		rc = chain_coin_get(s->node->chain, &coin, p->outpoint);
		if (rc == 0 && !signing_set(s, p, coin.value, coin.script))
			rc = E_NOMEM;
		if (rc != 0 && rc != E_NOTFOUND)
			break;
		rc = 0;
	}
	if (rc) {
		rpc_end(c, RPC_DATABASE, "Unable to read UTXO set: %s",
			err_str(rc));
		signing_free(s);
		return;
	}
	if (s->at < s->tx->n_in)
		rpc_continue(c, RPC_CHAIN, find_coins);
	else
		rpc_continue(c, RPC_POOL, s->then);
}

static void begin(struct rpc_call *c, struct signing *take, rpc_fn then)
{
	rpc_set_state(c, take);
	take->then = then;
	if (list_inputs(take)) {
		rpc_continue(c, RPC_CHAIN, find_coins);
		return;
	}
	signing_no_memory(c);
	signing_free(take);
}

static bool take_type(struct rpc_call *c, uint8_t *type)
{
	const char *s = param_str(c, 3);

	*type = SIGHASH_DEFAULT;
	if (!s || sighash_parse(type, s))
		return true;
	rpc_end(c, RPC_BAD_PARAM, "'%s' is not a valid sighash parameter.", s);
	return false;
}

static const char *why_incomplete(const struct sign_result *r)
{
	if (!r->known)
		return "Input not found or already spent";
	if (r->err == SCRIPT_ERR_INVALID_STACK_OPERATION)
		return "Unable to sign input, invalid stack size (possibly "
		       "missing key)";
	if (r->err == SCRIPT_ERR_SIG_NULLFAIL)
		return "CHECK(MULTI)SIG failing with non-zero signature "
		       "(possibly need more signatures)";
	return script_err_text(r->err);
}

static void error_json(struct jw *w, const struct txin_view *in,
		       struct tx_iter *witness, const struct sign_result *r)
{
	struct slice item;

	jw_obj(w);
	jw_khash(w, "txid", outpoint_txid(in->prevout));
	jw_ki64(w, "vout", outpoint_index(in->prevout));
	jw_key(w, "witness");
	jw_arr(w);
	while (witem_next(witness, &item))
		jw_hex(w, item);
	jw_arr_end(w);
	jw_khex(w, "scriptSig", in->script);
	jw_ki64(w, "sequence", in->sequence);
	jw_kstr(w, "error", why_incomplete(r));
	jw_obj_end(w);
}

/* The inputs that are not complete, as they are now. */
static void errors_json(struct jw *w, const struct buf *signed_tx,
			const struct sign_result *results)
{
	struct tx_iter ins, wits, witness = {0};
	struct txin_view in;
	struct tx_view tx;
	struct rd r;

	rd_init(&r, buf_payload(signed_tx));
	if (!tx_view_parse(&tx, &r))
		return;
	jw_key(w, "errors");
	jw_arr(w);
	txins(&ins, &tx);
	txwits(&wits, &tx);
	for (uint32_t i = 0; txin_next(&ins, &in); i++) {
		txwit_next(&wits, &witness);
		if (!results[i].complete)
			error_json(w, &in, &witness, &results[i]);
	}
	jw_arr_end(w);
}

static void signed_json(struct rpc_call *c, struct slice raw,
			const struct buf *signed_tx,
			const struct sign_result *results, uint32_t n)
{
	struct jw *w = rpc_out(c);
	bool complete = true;

	for (uint32_t i = 0; i < n; i++)
		complete &= results[i].complete;
	jw_obj(w);
	jw_khex(w, "hex", raw);
	jw_kbool(w, "complete", complete);
	if (!complete)
		errors_json(w, signed_tx, results);
	jw_obj_end(w);
	rpc_done(c);
}

/* Amounts are signed in witnesses, so they have to be told. */
static bool amounts_told(struct rpc_call *c, const struct signing *s,
			 const struct sign_result *results)
{
	for (uint32_t i = 0; i < s->tx->n_in; i++) {
		const struct txout_view *o = &s->inputs[i]->out;
		struct text t = TEXT_INIT;

		if (!results[i].known || !results[i].witness ||
		    o->value != MAX_MONEY)
			continue;
		text_hex(&t, slice_of(o->script.p,
				      o->script.n < 15 ? o->script.n : 15));
		rpc_end(c, RPC_TYPE,
			"Missing amount for CTxOut(nValue=%lld.%08lld, "
			"scriptPubKey=%s)",
			(long long)(o->value / COIN),
			(long long)(o->value % COIN), text_str(&t));
		text_fini(&t);
		return false;
	}
	return true;
}

static bool stopping(const void *arg)
{
	return rpc_is_stopping(arg);
}

/* Sign with what is in s; NULL: failed and finished. */
static struct buf *run(struct rpc_call *c, struct signing *s,
		       struct sign_result *results, uint8_t type)
{
	struct txout_view *spent = calloc(s->tx->n_in, sizeof *spent);
	struct buf *b = NULL;
	int rc = spent && results ? 0 : E_NOMEM;

	for (uint32_t i = 0; !rc && i < s->tx->n_in; i++)
		spent[i] = s->inputs[i]->out;
	signer_set_stop(s->signer, stopping, c);
	if (!rc)
		rc = sign_tx(s->signer, &b, results, s->tx, s->n, spent, type);
	free(spent);
	if (rc == E_STOPPING)
		rpc_end_stopping(c);
	else if (rc)
		signing_no_memory(c);
	return b;
}

/* Pool: the coins are known. */
static void sign(struct rpc_call *c)
{
	struct signing *s = rpc_state(c);
	uint32_t n = s->tx->n_in;
	struct sign_result *results = calloc(n + (size_t)1, sizeof *results);
	struct buf *b = NULL;
	uint8_t type;

	if (!signing_take_prevouts(c, s, rpc_param(c, 2)) ||
	    !take_type(c, &type))
		goto out;
	if (n == 0) {
		signed_json(c, buf_payload(s->raw[0]), NULL, results, 0);
		goto out;
	}
	b = run(c, s, results, type);
	if (b && amounts_told(c, s, results))
		signed_json(c, buf_payload(b), b, results, n);
out:
	buf_unref(b);
	free(results);
	signing_free(s);
}

static bool take_keys(struct rpc_call *c, struct signing *s,
		      const struct json *list)
{
	struct privkey k;

	for (size_t i = 0; i < list->n; i++) {
		const char *text = value_str(c, &list->kids[i]);

		if (!text)
			return false;
		if (!privkey_parse(&k, text, &s->node->params)) {
			rpc_end(c, RPC_BAD_ADDRESS, "Invalid private key");
			return false;
		}
		signer_add_key(s->signer, &k);
		explicit_bzero(&k, sizeof k);
	}
	return true;
}

static void cmd_signrawtransactionwithkey(struct rpc_call *c)
{
	struct signing *s = signing_new(c, 1);

	if (!s)
		return;
	s->n =
	    rawtx_parse(&s->tx[0], &s->raw[0], rpc_param(c, 0), RAWTX_WITNESS);
	if (s->n == 0)
		rpc_end(c, RPC_DESERIALIZE,
			"TX decode failed. Make sure the tx has at least one "
			"input.");
	else if (take_keys(c, s, rpc_param(c, 1))) {
		begin(c, s, sign);
		return;
	}
	signing_free(s);
}

/* The id of a transaction without its scripts and witnesses. */
static void bare_id(struct hash256 *id, const struct tx_view *tx)
{
	struct txin_view in;
	struct sha256 h;
	struct tx_iter it;
	struct slice rest;
	uint8_t b[OUTPOINT_SIZE + 5], *p;

	sha256_init(&h);
	p = compact_put(le32_put(b, (uint32_t)tx->version), tx->n_in);
	sha256_put(&h, b, (size_t)(p - b));
	txins(&it, tx);
	while (txin_next(&it, &in)) {
		p = bytes_put(b, in.prevout, OUTPOINT_SIZE);
		*p++ = 0;
		p = le32_put(p, in.sequence);
		sha256_put(&h, b, (size_t)(p - b));
	}
	/* The number of outputs stands between the two. */
	rest.p = it.p;
	rest.n =
	    (size_t)(tx->p + (tx->wit_off ? tx->wit_off : tx->size - 4) - it.p);
	sha256_put(&h, rest.p, rest.n);
	le32_put(b, tx->lock_time);
	sha256_put(&h, b, 4);
	sha256_end(&h, id->b);
}

static bool forms_agree(struct rpc_call *c, const struct signing *s)
{
	struct hash256 first, id;

	bare_id(&first, &s->tx[0]);
	for (size_t i = 1; i < s->n; i++) {
		bare_id(&id, &s->tx[i]);
		if (hash256_eq(&first, &id))
			continue;
		rpc_end(c, RPC_BAD_PARAM,
			"Transaction number %zu not compatible with first "
			"transaction",
			i + 1);
		return false;
	}
	return true;
}

/* Pool: the coins are known. */
static void combine(struct rpc_call *c)
{
	struct signing *s = rpc_state(c);
	uint32_t n = s->tx->n_in;
	struct sign_result *results = calloc(n + (size_t)1, sizeof *results);
	struct slice raw = buf_payload(s->raw[0]);
	struct buf *b = NULL;

	for (uint32_t i = 0; i < n; i++)
		if (!s->inputs[i]->out.script.p) {
			rpc_end(c, RPC_VERIFY,
				"Input not found or already spent");
			goto out;
		}
	if (n > 0) {
		b = run(c, s, results, SIGHASH_ALL);
		if (!b)
			goto out;
		raw = buf_payload(b);
	}
	jw_hex(rpc_out(c), raw);
	rpc_done(c);
out:
	buf_unref(b);
	free(results);
	signing_free(s);
}

static bool take_forms(struct rpc_call *c, struct signing *s,
		       const struct json *list)
{
	for (; s->n < list->n; s->n++) {
		if (!value_str(c, &list->kids[s->n]))
			return false;
		if (rawtx_parse(&s->tx[s->n], &s->raw[s->n], &list->kids[s->n],
				RAWTX_WITNESS))
			continue;
		rpc_end(c, RPC_DESERIALIZE,
			"TX decode failed for tx %zu. Make sure the tx has at "
			"least one input.",
			s->n);
		return false;
	}
	return true;
}

static void cmd_combinerawtransaction(struct rpc_call *c)
{
	const struct json *list = rpc_param(c, 0);
	struct signing *s;

	if (list->n < 2) {
		rpc_end(c, RPC_DESERIALIZE,
			"Missing transactions. At least two transactions "
			"required.");
		return;
	}
	s = signing_new(c, list->n);
	if (!s)
		return;
	if (take_forms(c, s, list) && forms_agree(c, s))
		begin(c, s, combine);
	else
		signing_free(s);
}

static const struct rpc_arg args_combine[] = {
    {"txs", "a", true, "The same transaction, signed in part, in hex."}, {0}};
static const struct rpc_arg args_sign[] = {
    {"hexstring", "s", true, "The transaction in hex."},
    {"privkeys", "a", true, "Private keys (WIF)."},
    {"prevtxs", "a", false,
     "Objects of txid, vout, scriptPubKey, and where they are needed "
     "redeemScript, witnessScript, amount: outputs that are not in the chain."},
    {"sighashtype", "s", false,
     "DEFAULT, ALL, NONE or SINGLE, these with |ANYONECANPAY."},
    {0}};

const struct rpc_cmd rpc_signtx_cmds[] = {
    {"combinerawtransaction", "rawtransactions", RPC_POOL,
     cmd_combinerawtransaction, args_combine,
     "Put the signatures of several forms of one transaction together.",
     "\"hex\"", false, false},
    {"signrawtransactionwithkey", "rawtransactions", RPC_POOL,
     cmd_signrawtransactionwithkey, args_sign,
     "Sign a transaction with private keys that are given.",
     "{ hex, complete, errors }", false, false},
    {0}};
