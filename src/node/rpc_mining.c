/*
 * RPC: generating blocks, and what miners ask. A block is assembled on the
 * chain thread, its nonce is sought on the RPC pool, and it goes the way of
 * every block from the loop. Submitting is in rpc_submit.c.
 */
#include "rpc_mining.h"

#include "rawtx.h"
#include "rpc_descriptors.h"
#include "rpc_value.h"
#include "template.h"

#include <cairn/address/address.h>
#include <cairn/base/buf.h>
#include <cairn/base/endian.h>
#include <cairn/base/small_bytes.h>
#include <cairn/base/text.h>
#include <cairn/chain/mining.h>
#include <cairn/consensus/headers.h>
#include <cairn/wire/header.h>

#include <stdlib.h>

#define MAX_TRIES     1000000
#define TRIES_AT_ONCE (1u << 18) /* a power of two: all nonces are tried */
#define NONCE_AT      (HEADER_SIZE - 4)
#define HASHPS_BLOCKS 120

/* One generate call over all its blocks. */
struct generate {
	struct node *node;
	struct small_bytes script; /* who is paid */
	struct buf **txs;
	size_t n_txs;
	struct hash256 *ids; /* generateblock: of those to be found in the pool,
				zero for those that were given */
	int64_t left;
	uint64_t max_tries;
	struct buf *block;
	struct hash256 *made;
	size_t n_made;
	/* Of the block that was made last. */
	size_t last_txs;
	uint64_t last_weight;
	bool single; /* generateblock: an object instead of hashes, and no
			transactions but those given */
	bool no_submit;
};

static void drop_txs(struct generate *g)
{
	for (size_t i = 0; i < g->n_txs; i++)
		buf_unref(g->txs[i]);
	free(g->txs);
	g->txs = NULL;
	g->n_txs = 0;
}

static void generate_free(struct generate *g)
{
	drop_txs(g);
	free(g->ids);
	buf_unref(g->block);
	free(g->made);
	small_bytes_fini(&g->script);
	free(g);
}

static void generate_make(struct rpc_call *c);

static void generate_answer(struct rpc_call *c)
{
	struct generate *g = rpc_state(c);
	struct jw *w = rpc_out(c);

	if (g->single) {
		jw_obj(w);
		jw_khash(w, "hash", &g->made[0]);
		if (g->no_submit)
			jw_khex(w, "hex", buf_payload(g->block));
		jw_obj_end(w);
	} else {
		jw_arr(w);
		for (size_t i = 0; i < g->n_made; i++)
			jw_hash(w, &g->made[i]);
		jw_arr_end(w);
	}
	generate_free(g);
	rpc_done(c);
}

static void generate_failed(struct rpc_call *c, const char *what,
			    const struct verdict *v)
{
	struct generate *g = rpc_state(c);
	char why[VERDICT_TEXT];

	rpc_fail(c, g->single ? RPC_VERIFY : RPC_INTERNAL, "%s: %s", what,
		 v->kind == V_INVALID ? verdict_fmt(why, v) : err_str(v->rc));
	generate_free(g);
	rpc_done(c);
}

/* Loop: the chain's answer for one block. */
static void generate_done(void *arg, const struct block_result *r)
{
	struct rpc_call *c = arg;
	struct generate *g = rpc_state(c);

	if (r->verdict.kind != V_VALID) {
		generate_failed(c, "ProcessNewBlock, block not accepted",
				&r->verdict);
		return;
	}
	g->left--;
	if (!g->single) {
		g->node->last_txs = g->last_txs;
		g->node->last_weight = g->last_weight;
	}
	if (g->left > 0)
		rpc_continue(c, RPC_CHAIN, generate_make);
	else
		generate_answer(c);
}

/* Loop: the block has its nonce; add the header and hand it over. */
static void generate_submit(struct rpc_call *c)
{
	struct generate *g = rpc_state(c);
	struct hnode *n = NULL;
	struct block_job job = {.buf = g->block,
				.peer = PEER_NONE,
				.requested = true,
				.done = generate_done,
				.arg = c};
	struct verdict v =
	    sync_add_header(g->node->sync, &n, buf_data(g->block), true);

	if (!verdict_ok(&v)) {
		generate_failed(c, "ProcessNewBlock, block not accepted", &v);
		return;
	}
	g->made[g->n_made++] = n->hash;
	job.node = n;
	g->block = NULL;
	chain_submit_block(g->node->chain, &job);
}

static void generate_keep(struct rpc_call *c)
{
	struct generate *g = rpc_state(c);

	sha256d(&g->made[0], buf_data(g->block), HEADER_SIZE);
	g->n_made = 1;
	generate_answer(c);
}

/* Seek the nonce, with looks at the time. */
static bool find_nonce(struct rpc_call *c, struct generate *g)
{
	uint64_t left = g->max_tries, n;

	do {
		n = left < TRIES_AT_ONCE ? left : TRIES_AT_ONCE;
		if (mine_block(g->block, &g->node->params, n))
			return true;
		left -= n;
	} while (left && le32_get(buf_data(g->block) + NONCE_AT) != 0 &&
		 !rpc_is_stopping(c));
	return false;
}

/* Pool. Out of tries ends the call with what was made. */
static void generate_mine(struct rpc_call *c)
{
	struct generate *g = rpc_state(c);

	if (find_nonce(c, g))
		rpc_continue(c, RPC_LOOP,
			     g->no_submit ? generate_keep : generate_submit);
	else if (g->single)
		generate_failed(
		    c, "Failed to make block",
		    &(struct verdict){.kind = V_UNKNOWN, .rc = E_LIMIT});
	else
		generate_answer(c);
}

/* Chain thread: what the pool has for the next block. */
static void choose_txs(struct generate *g)
{
	struct template *t = template_choose(g->node);

	drop_txs(g);
	g->txs = xcalloc(t->n + 1, sizeof *g->txs);
	for (; g->n_txs < t->n; g->n_txs++)
		g->txs[g->n_txs] = buf_ref(t->txs[g->n_txs].buf);
	g->last_txs = t->n;
	g->last_weight = t->weight;
	template_unref(t);
}

/* Chain thread: those that were named by their ids; false: one is not there,
 * the call is over. */
static bool find_txs(struct rpc_call *c, struct generate *g)
{
	const struct mempool *m = chain_mempool(g->node->chain);
	char id[HASH256_STR];

	for (size_t i = 0; i < g->n_txs; i++) {
		const struct mempool_tx *tx;

		if (g->txs[i])
			continue;
		tx = mempool_find(m, &g->ids[i]);
		if (!tx) {
			rpc_end(c, RPC_BAD_ADDRESS,
				"Transaction %s not in mempool.",
				hash256_fmt(id, &g->ids[i]));
			generate_free(g);
			return false;
		}
		g->txs[i] = buf_ref(tx->buf);
	}
	return true;
}

/* Chain thread: the next block. */
static void generate_make(struct rpc_call *c)
{
	struct generate *g = rpc_state(c);
	struct verdict v;
	int rc;

	if (!g->single)
		choose_txs(g);
	else if (!find_txs(c, g))
		return;
	buf_unref(g->block);
	g->block = NULL;
	rc = chain_make_block(g->node->chain, &g->block,
			      small_bytes_slice(&g->script), g->txs, g->n_txs);
	v = rc ? verdict_unknown(rc) : verdict_valid();
	if (!rc && g->single)
		v = chain_test_block(g->node->chain, g->block);
	if (!verdict_ok(&v))
		generate_failed(c, "TestBlockValidity failed", &v);
	else
		rpc_continue(c, RPC_POOL, generate_mine);
}

static struct generate *generate_new(struct rpc_call *c, int64_t n,
				     uint64_t tries)
{
	struct generate *g = xcalloc(1, sizeof *g);

	g->node = rpc_node(c);
	g->left = n;
	g->max_tries = tries;
	g->made = xcalloc((size_t)n + 1, sizeof *g->made);
	rpc_set_state(c, g);
	return g;
}

static void generate_begin(struct rpc_call *c)
{
	struct generate *g = rpc_state(c);

	if (g->left == 0)
		generate_answer(c);
	else
		rpc_continue(c, RPC_CHAIN, generate_make);
}

/* The script of a descriptor into g; 0, or the code of the failure that err
 * says. */
static int keep_payee(struct generate *g, struct text *err, struct slice desc)
{
	struct text out = TEXT_INIT;
	int code = descriptor_payee(&out, err, desc, &g->node->params);

	if (code == 0 &&
	    small_bytes_set(&g->script, slice_of(out.p, out.n)) != 0) {
		text_puts(err, "out of memory");
		code = RPC_OUT_OF_MEMORY;
	}
	text_fini(&out);
	return code;
}

static bool keep_address(struct generate *g, const char *address)
{
	uint8_t script[SCRIPT_OF_ADDRESS_MAX];
	size_t n;

	return address_to_script(script, &n, NULL, address, &g->node->params) &&
	       small_bytes_set(&g->script, slice_of(script, n)) == 0;
}

/* Numbers that both generate calls begin with; false: failed and finished. */
static bool generate_params(struct rpc_call *c, int64_t *n, int64_t *tries)
{
	return param_i64(c, 0, n, 0, 0, 1000000) &&
	       param_i64(c, 2, tries, MAX_TRIES, 0, INT64_MAX);
}

static void cmd_generatetoaddress(struct rpc_call *c)
{
	struct generate *g;
	int64_t n, tries;

	if (!generate_params(c, &n, &tries))
		return;
	g = generate_new(c, n, (uint64_t)tries);
	if (!keep_address(g, param_str(c, 1))) {
		rpc_end(c, RPC_BAD_ADDRESS, "Error: Invalid address");
		generate_free(g);
		return;
	}
	generate_begin(c);
}

static void cmd_generatetodescriptor(struct rpc_call *c)
{
	struct text err = TEXT_INIT;
	struct generate *g;
	int64_t n, tries;
	int code;

	if (!generate_params(c, &n, &tries))
		return;
	g = generate_new(c, n, (uint64_t)tries);
	code = keep_payee(g, &err, rpc_param(c, 1)->s);
	if (code == 0) {
		generate_begin(c);
	} else {
		rpc_end(c, code, "%s", text_str(&err));
		generate_free(g);
	}
	text_fini(&err);
}

/* generateblock's transactions: ids of some in the pool, or raw hex. */
static bool take_txs(struct rpc_call *c, struct generate *g,
		     const struct json *list)
{
	g->txs = xcalloc(list->n + 1, sizeof *g->txs);
	g->ids = xcalloc(list->n + 1, sizeof *g->ids);
	for (size_t i = 0; i < list->n; i++) {
		const char *s = value_str(c, &list->kids[i]);
		struct tx_view tx;

		if (!s)
			return false;
		if (hash256_parse(&g->ids[i], s)) {
			g->n_txs++;
			continue;
		}
		if (!rawtx_parse(&tx, &g->txs[i], &list->kids[i],
				 RAWTX_WITNESS)) {
			rpc_end(c, RPC_DESERIALIZE,
				"Transaction decode failed for %s. Make sure "
				"the tx has at least one input.",
				s);
			return false;
		}
		g->n_txs++;
	}
	return true;
}

/* A descriptor, else an address. */
static bool take_output(struct rpc_call *c, struct generate *g)
{
	struct text err = TEXT_INIT;
	int code = keep_payee(g, &err, rpc_param(c, 0)->s);
	bool ok = code == 0;

	if (code == RPC_BAD_PARAM)
		rpc_end(c, code, "%s", text_str(&err));
	else if (!ok)
		ok = keep_address(g, param_str(c, 0));
	if (!ok && code != RPC_BAD_PARAM)
		rpc_end(c, RPC_BAD_ADDRESS,
			"Error: Invalid address or descriptor");
	text_fini(&err);
	return ok;
}

static void cmd_generateblock(struct rpc_call *c)
{
	struct generate *g = generate_new(c, 1, MAX_TRIES);

	g->single = true;
	g->no_submit = !param_bool(c, 2, true);
	if (!take_output(c, g) || !take_txs(c, g, rpc_param(c, 1))) {
		generate_free(g);
		return;
	}
	generate_begin(c);
}

/* Hashes per second that the last blocks stand for. */
static double network_hashps(const struct hnode *tip)
{
	const struct hnode *first;
	uint32_t lo, hi;
	struct u256 work;
	int32_t n = tip->height < HASHPS_BLOCKS ? tip->height : HASHPS_BLOCKS;

	if (n <= 0)
		return 0;
	first = tip;
	lo = hi = tip->time;
	for (int32_t i = 0; i < n; i++) {
		first = first->prev;
		lo = first->time < lo ? first->time : lo;
		hi = first->time > hi ? first->time : hi;
	}
	if (lo == hi)
		return 0;
	work = u256_sub(&tip->work, &first->work);
	return u256_double(&work) / (hi - lo);
}

static void next_block_json(struct jw *w, struct node *n,
			    const struct hnode *tip)
{
	int64_t now = clock_now(&n->clock);
	uint32_t t = now > (int64_t)tip->mtp ? (uint32_t)now : tip->mtp + 1;

	jw_key(w, "next");
	jw_obj(w);
	jw_ki64(w, "height", tip->height + 1);
	bits_json(w, next_bits(&hnode_reader, tip, t, &n->params), true);
	jw_obj_end(w);
}

static void cmd_getmininginfo(struct rpc_call *c)
{
	struct node *n = rpc_node(c);
	const struct hnode *tip = chain_tip(n->chain);
	struct jw *w = rpc_out(c);

	jw_obj(w);
	jw_ki64(w, "blocks", tip->height);
	if (n->last_weight) {
		jw_ku64(w, "currentblockweight", n->last_weight);
		jw_ku64(w, "currentblocktx", n->last_txs);
	}
	bits_json(w, tip->bits, true);
	jw_kf64(w, "networkhashps", network_hashps(tip));
	jw_ku64(w, "pooledtx", n->pool_txs);
	jw_kamount(w, "blockmintxfee", n->block.min_rate);
	jw_kstr(w, "chain", n->params.names->name);
	next_block_json(w, n, tip);
	if (n->params.signet_challenge.n)
		jw_khex(w, "signet_challenge", n->params.signet_challenge);
	warnings_json(w, n);
	jw_obj_end(w);
	rpc_done(c);
}

static const struct rpc_arg args_address[] = {
    {"nblocks", "n", true, "How many blocks."},
    {"address", "s", true, "Who gets the new coins."},
    {"maxtries", "n", false, "Nonces tried per block (1,000,000)."},
    {0}};
static const struct rpc_arg args_descriptor[] = {
    {"num_blocks", "n", true, "How many blocks."},
    {"descriptor", "s", true, "Who gets the new coins."},
    {"maxtries", "n", false, "Nonces tried per block (1,000,000)."},
    {0}};
static const struct rpc_arg args_block[] = {
    {"output", "s", true, "Address or descriptor that gets the new coins."},
    {"transactions", "a", true,
     "Ids from the pool or raw transactions in hex, in order."},
    {"submit", "b", false, "false: give the block's hex instead."},
    {0}};
static const struct rpc_arg args_submit[] = {
    {"hexdata", "s", true, "The block in hex."},
    {"dummy", "*", false, "Ignored (BIP22)."},
    {0}};
static const struct rpc_arg args_header[] = {
    {"hexdata", "s", true, "The 80 bytes in hex."}, {0}};

const struct rpc_cmd rpc_mining_cmds[] = {
    {"generateblock", "hidden", RPC_POOL, cmd_generateblock, args_block,
     "Mine one block with exactly these transactions.", "{ hash, hex }", false,
     true},
    {"generatetoaddress", "hidden", RPC_LOOP, cmd_generatetoaddress,
     args_address, "Mine blocks that pay to an address.", "[ \"hash\" ]", false,
     true},
    {"generatetodescriptor", "hidden", RPC_POOL, cmd_generatetodescriptor,
     args_descriptor, "Mine blocks that pay to a descriptor.", "[ \"hash\" ]",
     false, true},
    {"getmininginfo", "mining", RPC_LOOP, cmd_getmininginfo, NULL,
     "What a miner wants to know of the tip and the next block.",
     "{ blocks, bits, difficulty, target, networkhashps, pooledtx, "
     "blockmintxfee, chain, next, warnings }",
     false, false},
    {"submitblock", "mining", RPC_POOL, cmd_submitblock, args_submit,
     "Submit a block (BIP22): null when it became the tip, else the reason.",
     "null or \"reason\"", false, false},
    {"submitheader", "mining", RPC_LOOP, cmd_submitheader, args_header,
     "Submit a header as a candidate for a better chain.", "null", false,
     false},
    {0}};
