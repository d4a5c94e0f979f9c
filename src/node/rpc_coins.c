/*
 * RPC: unspent outputs. gettxout runs between blocks on the chain thread;
 * gettxoutsetinfo takes a snapshot there and walks it on the RPC pool.
 */
#include "rpc_util.h"

#include <cairn/crypto/sha256.h>

#include <stdlib.h>

static void gettxout_json(struct rpc_call *c, const struct coin *coin,
			  int32_t confirmations)
{
	struct node *n = rpc_node(c);
	struct jw *w = rpc_out(c);

	jw_obj(w);
	jw_khash(w, "bestblock", &chain_tip(n->chain)->hash);
	jw_ki64(w, "confirmations", confirmations);
	jw_kamount(w, "value", coin->value);
	jw_key(w, "scriptPubKey");
	jw_obj(w);
	script_json(w, coin->script, &n->params);
	jw_obj_end(w);
	jw_kbool(w, "coinbase", coin->coinbase);
	jw_obj_end(w);
}

/* An output of a transaction of the pool. */
static bool pool_coin(struct coin *coin, const struct mempool *m,
		      const uint8_t *op)
{
	const struct mempool_tx *tx = mempool_find(m, outpoint_txid(op));
	uint32_t want = outpoint_index(op), i;
	struct txout_view out;
	struct tx_iter it;

	if (!tx)
		return false;
	txouts(&it, &tx->view);
	for (i = 0; txout_next(&it, &out); i++) {
		if (i != want)
			continue;
		*coin = (struct coin){.value = out.value, .script = out.script};
		return true;
	}
	return false;
}

/* As seen with the pool: what it spends is gone, what it makes is there. True
 * when that settles it. */
static bool gettxout_pool(struct rpc_call *c, const uint8_t *op)
{
	const struct mempool *m = chain_mempool(rpc_node(c)->chain);
	struct coin coin;

	if (mempool_spender(m, op))
		jw_null(rpc_out(c));
	else if (pool_coin(&coin, m, op))
		gettxout_json(c, &coin, 0);
	else
		return false;
	rpc_done(c);
	return true;
}

static void cmd_gettxout(struct rpc_call *c)
{
	struct chain *chain = rpc_node(c)->chain;
	uint8_t op[OUTPOINT_SIZE];
	struct hash256 txid;
	struct coin coin;
	int64_t n;
	int rc;

	if (!param_hash(c, 0, "txid", &txid) ||
	    !param_i64(c, 1, &n, 0, 0, UINT32_MAX))
		return;
	le32_put(bytes_put(op, &txid, 32), (uint32_t)n);
	if (param_bool(c, 2, true) && gettxout_pool(c, op))
		return;
	rc = chain_coin_get(chain, &coin, op);
	if (rc == 0)
		gettxout_json(c, &coin,
			      chain_tip(chain)->height - coin.height + 1);
	else if (rc == E_NOTFOUND)
		jw_null(rpc_out(c));
	else
		rpc_fail(c, RPC_DATABASE, "Unable to read UTXO set: %s",
			 err_str(rc));
	rpc_done(c);
}

/* What the walk over all coins adds up. */
struct set_info {
	struct coin_snapshot *snap;
	struct hnode *node;
	bool hashed;
	struct sha256 hash;
	uint64_t txouts, transactions, bogosize;
	int64_t amount;
	struct hash256 last_txid;
};

/* bitcoind's hash_serialized_3: outpoint, height and coinbase, output. */
static void set_hash_coin(struct set_info *s, const uint8_t *op,
			  const struct coin *c)
{
	uint8_t b[OUTPOINT_SIZE + 4 + 8 + 9], *p;

	p = bytes_put(b, op, OUTPOINT_SIZE);
	p = le32_put(p, (uint32_t)c->height * 2 + c->coinbase);
	p = le64_put(p, (uint64_t)c->value);
	p = compact_put(p, c->script.n);
	sha256_put(&s->hash, b, (size_t)(p - b));
	sha256_put(&s->hash, c->script.p, c->script.n);
}

static void set_add_coin(struct set_info *s, const uint8_t *op,
			 const struct coin *c)
{
	if (s->txouts == 0 || memcmp(&s->last_txid, op, 32) != 0) {
		s->transactions++;
		memcpy(&s->last_txid, op, 32);
	}
	s->txouts++;
	s->amount += c->value;
	s->bogosize += 32 + 4 + 4 + 8 + 2 + c->script.n;
	if (s->hashed)
		set_hash_coin(s, op, c);
}

static void set_json(struct rpc_call *c, struct set_info *s)
{
	struct jw *w = rpc_out(c);
	struct hash256 once, twice;

	jw_obj(w);
	jw_ki64(w, "height", s->node->height);
	jw_khash(w, "bestblock", &s->node->hash);
	jw_ku64(w, "txouts", s->txouts);
	jw_ku64(w, "bogosize", s->bogosize);
	if (s->hashed) {
		sha256_end(&s->hash, once.b);
		sha256_once(twice.b, once.b, 32);
		jw_khash(w, "hash_serialized_3", &twice);
	}
	jw_kamount(w, "total_amount", s->amount);
	jw_ku64(w, "transactions", s->transactions);
	jw_ku64(w, "disk_size", coin_snapshot_disk_size(s->snap));
	jw_obj_end(w);
}

static void set_walk(struct rpc_call *c)
{
	struct set_info *s = rpc_state(c);
	uint8_t op[OUTPOINT_SIZE];
	struct coin coin;
	int rc;

	sha256_init(&s->hash);
	while ((rc = coin_snapshot_next(s->snap, op, &coin)) == 1) {
		set_add_coin(s, op, &coin);
		if (rpc_is_stopping(c)) {
			rc = E_STOPPING;
			break;
		}
	}
	if (rc < 0)
		rpc_fail(c, RPC_INTERNAL, "Unable to read UTXO set: %s",
			 err_str(rc));
	else
		set_json(c, s);
	coin_snapshot_close(s->snap);
	free(s);
	rpc_done(c);
}

static void cmd_gettxoutsetinfo(struct rpc_call *c)
{
	const char *type = param_str(c, 0);
	struct set_info *s;
	int rc;

	type = type ? type : "hash_serialized_3";
	if (strcmp(type, "hash_serialized_3") != 0 &&
	    strcmp(type, "none") != 0) {
		rpc_end(c, RPC_BAD_PARAM, "'%s' is not a valid hash_type",
			type);
		return;
	}
	if (rpc_param(c, 1)) {
		rpc_end(
		    c, RPC_BAD_PARAM,
		    "Querying specific block heights requires coinstatsindex");
		return;
	}
	s = xcalloc(1, sizeof *s);
	s->hashed = strcmp(type, "none") != 0;
	rc = chain_coins_snapshot(rpc_node(c)->chain, &s->snap, &s->node);
	if (rc) {
		free(s);
		rpc_end(c, RPC_INTERNAL, "Unable to read UTXO set: %s",
			err_str(rc));
		return;
	}
	rpc_set_state(c, s);
	rpc_continue(c, RPC_POOL, set_walk);
}

static const struct rpc_arg args_gettxout[] = {
    {"txid", "s", true, "The transaction's id."},
    {"n", "n", true, "Number of the output."},
    {"include_mempool", "b", false,
     "Look at unconfirmed transactions, too (true)."},
    {0}};
static const struct rpc_arg args_setinfo[] = {
    {"hash_type", "s", false, "hash_serialized_3 (default) or none."},
    {"hash_or_height", "*", false, "Needs an index that is not built yet."},
    {"use_index", "b", false, "Use an index if there is one."},
    {0}};

const struct rpc_cmd rpc_coins_cmds[] = {
    {"gettxout", "blockchain", RPC_CHAIN, cmd_gettxout, args_gettxout,
     "An unspent output, or null when it is spent or never was.",
     "{ bestblock, confirmations, value, scriptPubKey, coinbase } or null",
     false, false},
    {"gettxoutsetinfo", "blockchain", RPC_CHAIN, cmd_gettxoutsetinfo,
     args_setinfo, "Statistics about all unspent outputs; may take long.",
     "{ height, bestblock, txouts, bogosize, hash_serialized_3, total_amount, "
     "transactions, disk_size }",
     false, false},
    {0}};
