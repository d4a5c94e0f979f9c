/*
 * The JSON of messages that hold headers and transactions, with bitcoind's
 * names where it has such a field. One thread. Scripts are hexadecimal: what
 * they say is not looked at.
 */
#include "cairn-util.h"

#include <cairn/base/err.h>
#include <cairn/base/must.h>
#include <cairn/crypto/sha256.h>
#include <cairn/rpc/json.h>
#include <cairn/wire/cmpctblock.h>
#include <cairn/wire/merkleblock.h>

#include <stdio.h>
#include <stdlib.h>

static void hex8(struct jw *w, const char *key, uint32_t v)
{
	char s[9];

	snprintf(s, sizeof s, "%08x", v);
	jw_kstr(w, key, s);
}

void util_header_members(struct jw *w, const uint8_t *header)
{
	struct hash256 hash;
	struct header h;

	sha256d(&hash, header, HEADER_SIZE);
	header_get(&h, header);
	jw_khash(w, "hash", &hash);
	jw_ki64(w, "version", h.version);
	hex8(w, "versionHex", (uint32_t)h.version);
	jw_khash(w, "previousblockhash", &h.prev);
	jw_khash(w, "merkleroot", &h.merkle);
	jw_ki64(w, "time", h.time);
	hex8(w, "bits", h.bits);
	jw_ki64(w, "nonce", h.nonce);
}

static void script(struct jw *w, const char *key, struct slice s)
{
	jw_key(w, key);
	jw_obj(w);
	jw_khex(w, "hex", s);
	jw_obj_end(w);
}

static void vin(struct jw *w, const struct txin_view *in, struct tx_iter *stack,
		bool coinbase)
{
	struct slice item;

	jw_obj(w);
	if (coinbase) {
		jw_khex(w, "coinbase", in->script);
	} else {
		jw_khash(w, "txid", outpoint_txid(in->prevout));
		jw_ki64(w, "vout", outpoint_index(in->prevout));
		script(w, "scriptSig", in->script);
	}
	if (stack->left) {
		jw_key(w, "txinwitness");
		jw_arr(w);
		while (witem_next(stack, &item))
			jw_hex(w, item);
		jw_arr_end(w);
	}
	jw_ki64(w, "sequence", in->sequence);
	jw_obj_end(w);
}

static void vins(struct jw *w, const struct tx_view *tx)
{
	struct tx_iter ins, wits, stack;
	struct txin_view in;
	bool coinbase = tx->n_in && tx_is_coinbase(tx);

	jw_key(w, "vin");
	jw_arr(w);
	txins(&ins, tx);
	txwits(&wits, tx);
	while (txin_next(&ins, &in) && txwit_next(&wits, &stack))
		vin(w, &in, &stack, coinbase);
	jw_arr_end(w);
}

static void vouts(struct jw *w, const struct tx_view *tx)
{
	struct tx_iter outs;
	struct txout_view out;
	int64_t i = 0;

	jw_key(w, "vout");
	jw_arr(w);
	txouts(&outs, tx);
	while (txout_next(&outs, &out)) {
		jw_obj(w);
		jw_kamount(w, "value", out.value);
		jw_ki64(w, "n", i++);
		script(w, "scriptPubKey", out.script);
		jw_obj_end(w);
	}
	jw_arr_end(w);
}

static void tx_members(struct jw *w, const struct tx_view *tx)
{
	struct hash256 txid, wtxid;
	uint32_t weight = tx_weight(tx);

	tx_txid(&txid, tx);
	tx_wtxid(&wtxid, tx);
	jw_khash(w, "txid", &txid);
	jw_khash(w, "hash", &wtxid);
	jw_ki64(w, "version", (uint32_t)tx->version);
	jw_ki64(w, "size", tx->size);
	jw_ki64(w, "vsize", (weight + 3) / 4);
	jw_ki64(w, "weight", weight);
	jw_ki64(w, "locktime", tx->lock_time);
	vins(w, tx);
	vouts(w, tx);
}

static void tx_object(struct jw *w, const struct tx_view *tx)
{
	jw_obj(w);
	tx_members(w, tx);
	jw_obj_end(w);
}

void util_tx(struct jw *w, struct slice body, uint32_t version)
{
	struct tx_view tx;
	struct rd r;
	bool ok;

	(void)version;
	rd_init(&r, body);
	ok = tx_view_parse(&tx, &r);
	must(ok);
	tx_members(w, &tx);
}

void util_block(struct jw *w, struct slice body, uint32_t version)
{
	struct block_view b;
	size_t trailing;
	int rc = block_view_parse(&b, &trailing, body);

	(void)version;
	if (rc) {
		fprintf(stderr, "cairn-util: block: %s\n", err_str(rc));
		exit(EXIT_FAILURE);
	}
	util_header_members(w, b.header);
	jw_ki64(w, "nTx", b.n_tx);
	jw_ki64(w, "strippedsize", b.base_size);
	jw_ki64(w, "size", b.size);
	jw_ki64(w, "weight", block_weight(&b));
	jw_key(w, "tx");
	jw_arr(w);
	for (uint32_t i = 0; i < b.n_tx; i++)
		tx_object(w, &b.tx[i]);
	jw_arr_end(w);
	block_view_fini(&b);
}

void util_headers(struct jw *w, struct slice body, uint32_t version)
{
	struct headers_view v;
	bool over, ok = headers_view_parse(&v, &over, body);

	(void)version;
	must(ok);
	jw_key(w, "headers");
	jw_arr(w);
	for (const uint8_t *h = v.n ? v.first : NULL; h;
	     h = headers_next(&v, h)) {
		jw_obj(w);
		util_header_members(w, h);
		jw_obj_end(w);
	}
	jw_arr_end(w);
}

static void short_ids(struct jw *w, const struct cmpctblock_view *v)
{
	jw_key(w, "shortids");
	jw_arr(w);
	for (uint32_t i = 0; i < v->n_short; i++) {
		char s[13];

		snprintf(s, sizeof s, "%012llx",
			 (unsigned long long)cmpct_short_id(v, i));
		jw_str(w, s);
	}
	jw_arr_end(w);
}

void util_cmpctblock(struct jw *w, struct slice body, uint32_t version)
{
	struct cmpctblock_view v;
	struct prefilled_iter it;
	struct prefilled t;
	bool ok = cmpctblock_view_parse(&v, body);

	(void)version;
	must(ok);
	jw_key(w, "header");
	jw_obj(w);
	util_header_members(w, v.header);
	jw_obj_end(w);
	jw_ku64(w, "nonce", v.nonce);
	jw_kbool(w, "sane", cmpctblock_is_sane(&v));
	short_ids(w, &v);
	jw_key(w, "prefilled");
	jw_arr(w);
	prefilleds(&it, &v);
	while (prefilled_next(&it, &t)) {
		jw_obj(w);
		jw_ki64(w, "index", t.index);
		jw_key(w, "tx");
		tx_object(w, &t.tx);
		jw_obj_end(w);
	}
	jw_arr_end(w);
}

void util_blocktxn(struct jw *w, struct slice body, uint32_t version)
{
	struct blocktxn_view v;
	struct blocktxn_iter it;
	struct tx_view tx;
	bool ok = blocktxn_view_parse(&v, body);

	(void)version;
	must(ok);
	jw_khash(w, "blockhash", v.block);
	jw_key(w, "tx");
	jw_arr(w);
	blocktxns(&it, &v);
	while (blocktxn_next(&it, &tx))
		tx_object(w, &tx);
	jw_arr_end(w);
}

static void matches(struct jw *w, const struct merkleblock_view *v)
{
	struct merkle_walk walk;
	struct merkle_leaf leaf;
	struct hash256 root;
	bool proven;

	jw_key(w, "matches");
	jw_arr(w);
	merkle_walk_init(&walk, v);
	while (merkle_walk_next(&walk, &leaf)) {
		jw_obj(w);
		jw_ki64(w, "index", leaf.index);
		jw_khash(w, "txid", leaf.txid);
		jw_obj_end(w);
	}
	jw_arr_end(w);
	proven = merkle_walk_end(&walk, &root) &&
		 hash256_eq(&root, header_merkle(v->header));
	jw_kbool(w, "proven", proven);
}

void util_merkleblock(struct jw *w, struct slice body, uint32_t version)
{
	struct merkleblock_view v;
	bool ok = merkleblock_view_parse(&v, body);

	(void)version;
	must(ok);
	jw_key(w, "header");
	jw_obj(w);
	util_header_members(w, v.header);
	jw_obj_end(w);
	jw_ki64(w, "nTx", v.n_tx);
	jw_key(w, "hashes");
	jw_arr(w);
	for (uint32_t i = 0; i < v.n_hashes; i++)
		jw_hash(w, merkleblock_hash(&v, i));
	jw_arr_end(w);
	jw_khex(w, "flags", v.flags);
	matches(w, &v);
}
