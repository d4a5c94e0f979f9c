/*
 * RPC getblocktemplate (BIP22, 23, 9, 145): what the next block has to be like,
 * and whether a proposed one would be valid. Who waits, and which template is
 * new enough, is decided on the loop; making one is in template.c, writing it
 * in template_json.c. A proposal is decoded on the RPC pool and judged on the
 * chain thread.
 */
#include "internal.h"
#include "rpc_value.h"
#include "template.h"

#include <cairn/base/buf.h>
#include <cairn/consensus/check.h>
#include <cairn/crypto/sha256.h>

#include <stdlib.h>

/* Templates may lack what came within so many seconds. */
#define TEMPLATE_AGE_S 5
/* When those who wait are told of new transactions: not at once. */
#define LOOK_FIRST_MS 60000
#define LOOK_AGAIN_MS 10000

/* A call and the state that it knows. */
struct poll {
	struct hash256 tip;
	uint64_t changes;
	uint64_t look_ms; /* of the loop's clock */
	bool waits;       /* for another one */
	bool segwit, signet;
	struct template *made;
};

static void answer_proposal(struct rpc_call *c, const struct verdict *v)
{
	if (v->kind == V_VALID)
		jw_null(rpc_out(c));
	else if (v->kind == V_INVALID)
		jw_str(rpc_out(c), v->reject);
	else
		rpc_fail(c, RPC_VERIFY, "%s", err_str(v->rc));
	rpc_done(c);
}

/* Chain thread. */
static void proposal_judge(struct rpc_call *c)
{
	struct buf *b = rpc_state(c);
	struct verdict v = chain_test_block(rpc_node(c)->chain, b);

	buf_unref(b);
	answer_proposal(c, &v);
}

/* Loop: what is known is not judged again. */
static void proposal_find(struct rpc_call *c)
{
	struct buf *b = rpc_state(c);
	const struct hnode *h;
	struct hash256 hash;

	sha256d(&hash, buf_data(b), HEADER_SIZE);
	h = htree_find(chain_tree(rpc_node(c)->chain), &hash);
	if (!h) {
		rpc_continue(c, RPC_CHAIN, proposal_judge);
		return;
	}
	buf_unref(b);
	if (hnode_status(h) & HN_FAILED)
		jw_str(rpc_out(c), "duplicate-invalid");
	else if (hnode_status(h) & HN_CONNECTED)
		jw_str(rpc_out(c), "duplicate");
	else
		jw_str(rpc_out(c), "duplicate-inconclusive");
	rpc_done(c);
}

/* A whole block and nothing behind it. */
static struct buf *decode(const char *hex)
{
	size_t n = strlen(hex) / 2, trailing = 1;
	struct buf *b = n && hex_is(hex) ? buf_new(n) : NULL;
	struct block_view view;

	if (!b)
		return NULL;
	b->n = n;
	if (hex_parse(buf_data(b), n, hex) &&
	    block_view_parse(&view, &trailing, buf_payload(b)) == 0)
		block_view_fini(&view);
	else
		trailing = 1;
	if (trailing == 0)
		return b;
	buf_unref(b);
	return NULL;
}

/* Pool. */
static void proposal_decode(struct rpc_call *c)
{
	const struct json *data = json_member(rpc_param(c, 0), "data");
	struct buf *b = decode(json_str(data));

	if (!b) {
		rpc_end(c, RPC_DESERIALIZE, "Block decode failed");
		return;
	}
	rpc_set_state(c, b);
	rpc_continue(c, RPC_LOOP, proposal_find);
}

static void proposal(struct rpc_call *c)
{
	const struct json *data = json_member(rpc_param(c, 0), "data");

	if (!data || data->type != JSON_STRING)
		rpc_end(c, RPC_TYPE, "Missing data String key for proposal");
	else
		rpc_continue(c, RPC_POOL, proposal_decode);
}

/* Whoever makes blocks has to know these rules; false: failed and finished. */
static bool rules_ok(struct rpc_call *c, const struct poll *p)
{
	bool signet = rpc_node(c)->params.signet_challenge.n > 0;

	if (signet && !p->signet)
		rpc_end(
		    c, RPC_BAD_PARAM,
		    "getblocktemplate must be called with the signet rule "
		    "set (call with {\"rules\": [\"segwit\", \"signet\"]})");
	else if (!p->segwit)
		rpc_end(c, RPC_BAD_PARAM,
			"getblocktemplate must be called with the segwit rule "
			"set (call with {\"rules\": [\"segwit\"]})");
	else
		return true;
	return false;
}

/* Whether what was made last will still do. */
static bool is_fresh(struct node *n, const struct template *t)
{
	return t && t->prev == chain_tip(n->chain) &&
	       (t->changes == n->pool_changes ||
		clock_now(&n->clock) - t->made_s <= TEMPLATE_AGE_S);
}

/* Loop: keep it for others, and answer. */
static void template_made(struct rpc_call *c)
{
	struct node *n = rpc_node(c);
	struct poll *p = rpc_state(c);

	template_unref(n->template);
	n->template = template_ref(p->made);
	n->last_txs = p->made->n;
	n->last_weight = p->made->weight;
	template_reply(c, p->made);
}

/* Pool. */
static void template_make(struct rpc_call *c)
{
	struct poll *p = rpc_state(c);

	template_finish(p->made);
	rpc_continue(c, RPC_LOOP, template_made);
}

/* Chain thread. */
static void template_begin(struct rpc_call *c)
{
	struct poll *p = rpc_state(c);

	p->made = template_choose(rpc_node(c));
	p->made->changes = p->changes;
	rpc_continue(c, RPC_POOL, template_make);
}

static void template_answer(struct rpc_call *c)
{
	struct node *n = rpc_node(c);
	struct poll *p = rpc_state(c);

	if (!rules_ok(c, p))
		return;
	if (is_fresh(n, n->template)) {
		template_reply(c, template_ref(n->template));
		return;
	}
	p->changes = n->pool_changes;
	rpc_continue(c, RPC_CHAIN, template_begin);
}

/* Whether one more can wait. Those whose clients have sent their last byte, and
 * may be gone, keep nobody out: they are answered now. */
static bool have_room(struct node *n)
{
	struct rpc_call *gone[TEMPLATE_POLLS];
	size_t kept = 0, left = 0, i;

	if (n->n_polls < TEMPLATE_POLLS)
		return true;
	for (i = 0; i < n->n_polls; i++)
		if (rpc_client_ended(n->polls[i]))
			gone[left++] = n->polls[i];
		else
			n->polls[kept++] = n->polls[i];
	n->n_polls = kept;
	for (i = 0; i < left; i++)
		template_answer(gone[i]);
	return left > 0;
}

/* What a call waits for has come: a tip, or now and then transactions. */
static bool has_come(struct node *n, const struct poll *p)
{
	if (!hash256_eq(&p->tip, &chain_tip(n->chain)->hash))
		return true;
	return p->changes != n->pool_changes && uv_now(&n->loop) >= p->look_ms;
}

/* Answer, or wait on. */
static void template_run(struct rpc_call *c)
{
	struct node *n = rpc_node(c);
	struct poll *p = rpc_state(c);

	if (p->waits && n->stopping) {
		rpc_end_stopping(c);
		return;
	}
	if (!p->waits || has_come(n, p) || !have_room(n)) {
		template_answer(c);
		return;
	}
	if (uv_now(&n->loop) >= p->look_ms)
		p->look_ms = uv_now(&n->loop) + LOOK_AGAIN_MS;
	n->polls[n->n_polls++] = c;
}

void templates_changed(struct node *n)
{
	struct rpc_call *waiting[TEMPLATE_POLLS];
	size_t count = n->n_polls, i;

	for (i = 0; i < count; i++)
		waiting[i] = n->polls[i];
	n->n_polls = 0;
	for (i = 0; i < count; i++)
		template_run(waiting[i]);
}

void node_pool_changed(struct node *n)
{
	n->pool_changes++;
}

/* False: failed and finished. A value that is no text means the tip. */
static bool take_longpollid(struct rpc_call *c, struct poll *p,
			    const struct json *v)
{
	struct node *n = rpc_node(c);
	char hash[65];
	const char *s;
	size_t len;

	if (!v || v->type == JSON_NULL)
		return true;
	p->waits = true;
	p->tip = chain_tip(n->chain)->hash;
	p->changes = n->template ? n->template->changes : 0;
	p->look_ms = uv_now(&n->loop) + LOOK_FIRST_MS;
	if (v->type != JSON_STRING)
		return true;
	s = json_str(v);
	/* Not cut inside a character, as it may be shown. */
	len = strnlen(s, sizeof hash - 1);
	while (len && ((unsigned char)s[len] & 0xc0) == 0x80)
		len--;
	snprintf(hash, sizeof hash, "%.*s", (int)len, s);
	p->changes = strtoull(s + len, NULL, 10);
	if (hash256_parse(&p->tip, hash))
		return true;
	if (strlen(hash) != 64)
		rpc_end(c, RPC_BAD_PARAM,
			"longpollid must be of length 64 (not %zu, for '%s')",
			strlen(hash), hash);
	else
		rpc_end(c, RPC_BAD_PARAM,
			"longpollid must be hexadecimal string (not '%s')",
			hash);
	return false;
}

static bool take_rules(struct rpc_call *c, struct poll *p,
		       const struct json *list)
{
	for (size_t i = 0; list && list->type == JSON_ARRAY && i < list->n;
	     i++) {
		const char *s = value_str(c, &list->kids[i]);

		if (!s)
			return false;
		p->segwit |= strcmp(s, "segwit") == 0;
		p->signet |= strcmp(s, "signet") == 0;
	}
	return true;
}

/* Where coins are worth something, a template far from the network's tip is a
 * waste; false: failed and finished. */
static bool is_in_touch(struct rpc_call *c)
{
	struct node *n = rpc_node(c);

	if (n->params.is_test_chain)
		return true;
	if (!n->net || net_count(n->net, true, true) == 0)
		rpc_end(c, RPC_NOT_CONNECTED, "Cairn is not connected!");
	else if (chain_in_ibd(n->chain))
		rpc_end(c, RPC_IN_IBD,
			"Cairn is in initial sync and waiting for blocks...");
	else
		return true;
	return false;
}

static void cmd_getblocktemplate(struct rpc_call *c)
{
	const struct json *o = rpc_param(c, 0);
	const struct json *mode = json_member(o, "mode");
	const char *s = mode ? json_str(mode) : NULL;
	struct poll *p = rpc_alloc(c, sizeof *p);

	if (s && strcmp(s, "proposal") == 0) {
		proposal(c);
		return;
	}
	if ((mode && mode->type != JSON_NULL && !s) ||
	    (s && strcmp(s, "template") != 0)) {
		rpc_end(c, RPC_BAD_PARAM, "Invalid mode");
		return;
	}
	if (!p) {
		rpc_end(c, RPC_OUT_OF_MEMORY, "%s", err_str(E_NOMEM));
		return;
	}
	memset(p, 0, sizeof *p);
	if (!take_rules(c, p, json_member(o, "rules")) || !is_in_touch(c) ||
	    !take_longpollid(c, p, json_member(o, "longpollid")))
		return;
	rpc_set_state(c, p);
	template_run(c);
}

static const struct rpc_arg args[] = {
    {"template_request", "o", true,
     "rules (with \"segwit\"), mode (\"template\" or \"proposal\"), data, "
     "longpollid, capabilities."},
    {0}};

const struct rpc_cmd rpc_template_cmds[] = {
    {"getblocktemplate", "mining", RPC_LOOP, cmd_getblocktemplate, args,
     "What a miner needs for the next block (BIP22), or whether a proposed "
     "block would be valid (BIP23).",
     "{ capabilities, version, rules, vbavailable, vbrequired, "
     "previousblockhash, transactions, coinbaseaux, coinbasevalue, longpollid, "
     "target, mintime, mutable, noncerange, sigoplimit, sizelimit, "
     "weightlimit, curtime, bits, height, signet_challenge, "
     "default_witness_commitment }, null or \"reason\"",
     false, false},
    {0}};
