/*
 * RPC getblocktemplate (BIP22, 23, 9, 145): what the next block has to be like,
 * and whether a proposed one would be valid. There is no pool of transactions
 * yet, so a template has none. A template is made on the loop; a proposal is
 * decoded on the RPC pool and judged on the chain thread.
 */
#include "internal.h"
#include "rpc_value.h"

#include <cairn/base/buf.h>
#include <cairn/consensus/check.h>
#include <cairn/consensus/deploy.h>
#include <cairn/crypto/sha256.h>

#include <stdlib.h>

/* A call and the tip that it knows. */
struct poll {
	struct hash256 tip;
	bool waits; /* for another one */
	bool segwit, signet;
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

static void key_list(struct jw *w, const char *key, const char *const *names)
{
	jw_key(w, key);
	jw_arr(w);
	for (; *names; names++)
		jw_str(w, *names);
	jw_arr_end(w);
}

static enum vb_state state_of(struct node *n, int i, const struct hnode *prev)
{
	return vb_status_after(&n->params.vb[i], &hnode_reader, prev,
			       &n->vb.known[i])
	    .state;
}

/* A "!" says that a block cannot be made without knowing the rule; none of
 * those by version bits is of that kind. */
static void rules_json(struct jw *w, struct node *n, const struct hnode *prev,
		       bool segwit)
{
	jw_key(w, "rules");
	jw_arr(w);
	jw_str(w, "csv");
	if (segwit) {
		jw_str(w, "!segwit");
		jw_str(w, "taproot");
	}
	if (n->params.signet_challenge.n)
		jw_str(w, "!signet");
	for (int i = 0; i < VB_COUNT; i++)
		if (state_of(n, i, prev) == VB_ACTIVE)
			jw_str(w, vb_deployment_name((enum vb_deployment)i));
	jw_arr_end(w);
	jw_key(w, "vbavailable");
	jw_obj(w);
	for (int i = 0; i < VB_COUNT; i++) {
		enum vb_state s = state_of(n, i, prev);

		if (s == VB_STARTED || s == VB_LOCKED_IN)
			jw_ki64(w, vb_deployment_name((enum vb_deployment)i),
				n->params.vb[i].bit);
	}
	jw_obj_end(w);
	jw_ki64(w, "vbrequired", 0);
}

static void longpollid_json(struct jw *w, const struct hnode *tip)
{
	char id[HASH256_STR + 1];

	/* How often a pool of transactions changed would follow. */
	snprintf(id, sizeof id, "%s0",
		 hash256_fmt((char[HASH256_STR]){0}, &tip->hash));
	jw_kstr(w, "longpollid", id);
}

static void limits_json(struct jw *w, bool segwit)
{
	/* Before segregated witness nothing is scaled. */
	unsigned by = segwit ? 1 : WITNESS_SCALE;

	jw_kstr(w, "noncerange", "00000000ffffffff");
	jw_ki64(w, "sigoplimit", MAX_BLOCK_SIGOPS_COST / by);
	jw_ki64(w, "sizelimit", MAX_BLOCK_WEIGHT / by);
	if (segwit)
		jw_ki64(w, "weightlimit", MAX_BLOCK_WEIGHT);
}

/* That of a block with a coinbase alone. */
static void commitment_json(struct jw *w)
{
	static const struct hash256 zero;
	uint8_t script[38] = {0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed};
	struct hash256 h;

	witness_commitment(&h, &zero, zero.b);
	memcpy(script + 6, h.b, 32);
	jw_khex(w, "default_witness_commitment",
		slice_of(script, sizeof script));
}

static void times_json(struct jw *w, struct node *n, const struct hnode *prev,
		       bool segwit)
{
	static const char *const mutable[] = {"time", "transactions",
					      "prevblock", NULL};
	int64_t least = least_time(&hnode_reader, prev, &n->params);
	int64_t now = clock_now(&n->clock);
	uint32_t bits, time = (uint32_t)(now > least ? now : least);
	char hex[9];

	bits = next_bits(&hnode_reader, prev, time, &n->params);
	target_json(w, bits);
	jw_ki64(w, "mintime", least);
	key_list(w, "mutable", mutable);
	limits_json(w, segwit);
	jw_ki64(w, "curtime", time);
	snprintf(hex, sizeof hex, "%08x", (unsigned)bits);
	jw_kstr(w, "bits", hex);
}

static void template_json(struct jw *w, struct node *n,
			  const struct hnode *prev)
{
	static const char *const capabilities[] = {"proposal", NULL};
	static const char *const none[] = {NULL};
	int32_t height = prev->height + 1;
	bool segwit = deploy_active(&n->params, DEPLOY_SEGWIT, height);

	jw_obj(w);
	key_list(w, "capabilities", capabilities);
	jw_ki64(w, "version",
		block_version_for(&n->params, &hnode_reader, prev, &n->vb));
	rules_json(w, n, prev, segwit);
	jw_khash(w, "previousblockhash", &prev->hash);
	key_list(w, "transactions", none);
	jw_key(w, "coinbaseaux");
	jw_obj(w);
	jw_obj_end(w);
	jw_ki64(w, "coinbasevalue", block_subsidy(height, &n->params));
	longpollid_json(w, prev);
	times_json(w, n, prev, segwit);
	jw_ki64(w, "height", height);
	if (n->params.signet_challenge.n)
		jw_khex(w, "signet_challenge", n->params.signet_challenge);
	commitment_json(w);
	jw_obj_end(w);
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

static void template_answer(struct rpc_call *c)
{
	struct node *n = rpc_node(c);

	if (rules_ok(c, rpc_state(c))) {
		template_json(rpc_out(c), n, chain_tip(n->chain));
		rpc_done(c);
	}
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

/* Answer, or wait on. */
static void template_run(struct rpc_call *c)
{
	struct node *n = rpc_node(c);
	const struct poll *p = rpc_state(c);

	if (p->waits && n->stopping)
		rpc_end_stopping(c);
	else if (p->waits && hash256_eq(&p->tip, &chain_tip(n->chain)->hash) &&
		 have_room(n))
		n->polls[n->n_polls++] = c;
	else
		template_answer(c);
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

/* False: failed and finished. A value that is no text means the tip. */
static bool take_longpollid(struct rpc_call *c, struct poll *p,
			    const struct json *v)
{
	char hash[65];
	const char *s;
	size_t n;

	if (!v || v->type == JSON_NULL)
		return true;
	p->waits = true;
	p->tip = chain_tip(rpc_node(c)->chain)->hash;
	if (v->type != JSON_STRING)
		return true;
	s = json_str(v);
	/* Not cut inside a character, as it may be shown. */
	n = strnlen(s, sizeof hash - 1);
	while (n && ((unsigned char)s[n] & 0xc0) == 0x80)
		n--;
	snprintf(hash, sizeof hash, "%.*s", (int)n, s);
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
