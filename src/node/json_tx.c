/*
 * The JSON of headers, scripts and transactions, with bitcoind's fields in its
 * order. Any thread; nothing is read from disk here.
 */
#include "rpc_util.h"

#include <cairn/address/address.h>
#include <cairn/address/descriptor.h>
#include <cairn/base/text.h>
#include <cairn/script/template.h>
#include <cairn/wire/version.h>

#include <stdio.h>

void work_json(struct jw *w, const char *key, const struct u256 *work)
{
	uint8_t be[32];

	u256_to_be(be, work);
	jw_khex(w, key, slice_of(be, sizeof be));
}

void target_json(struct jw *w, uint32_t bits)
{
	struct u256 target = {{0}};

	if (!target_from_bits(&target, bits))
		target = (struct u256){{0}};
	work_json(w, "target", &target);
}

void bits_json(struct jw *w, uint32_t bits, bool target_last)
{
	char hex[9];

	snprintf(hex, sizeof hex, "%08x", bits);
	jw_kstr(w, "bits", hex);
	if (!target_last)
		target_json(w, bits);
	jw_kf64(w, "difficulty", difficulty_of_bits(bits));
	if (target_last)
		target_json(w, bits);
}

void header_json(struct jw *w, const struct hnode *h, const struct hnode *tip)
{
	bool active = hnode_is_ancestor(h, tip);
	const struct hnode *next;
	char hex[9];

	jw_khash(w, "hash", &h->hash);
	jw_ki64(w, "confirmations", active ? tip->height - h->height + 1 : -1);
	jw_ki64(w, "height", h->height);
	jw_ki64(w, "version", h->version);
	snprintf(hex, sizeof hex, "%08x", (uint32_t)h->version);
	jw_kstr(w, "versionHex", hex);
	jw_khash(w, "merkleroot", &h->merkle);
	jw_ki64(w, "time", h->time);
	jw_ki64(w, "mediantime", h->mtp);
	jw_ki64(w, "nonce", h->nonce);
	bits_json(w, h->bits, false);
	work_json(w, "chainwork", &h->work);
	jw_ki64(w, "nTx", hnode_status(h) & HN_DATA ? h->n_tx : 0);
	if (h->prev)
		jw_khash(w, "previousblockhash", &h->prev->hash);
	next = active ? hnode_ancestor(tip, h->height + 1) : NULL;
	if (next)
		jw_khash(w, "nextblockhash", &next->hash);
}

void script_json_known(struct jw *w, struct slice script, bool hex,
		       const struct slice *known, size_t n,
		       const struct params *p)
{
	struct text t = TEXT_INIT;
	struct script_info i;
	char addr[ADDRESS_STR];

	script_classify(&i, script);
	script_asm(&t, script, false);
	jw_key(w, "asm");
	jw_strn(w, text_str(&t), t.n);
	text_reset(&t);
	descriptor_of_script(&t, script, known, n, p);
	jw_kstr(w, "desc", text_str(&t));
	if (hex)
		jw_khex(w, "hex", script);
	if (address_of_script(addr, script, p))
		jw_kstr(w, "address", addr);
	jw_kstr(w, "type", script_type_name(i.type));
	text_fini(&t);
}

void script_json(struct jw *w, struct slice script, const struct params *p)
{
	script_json_known(w, script, true, NULL, 0, p);
}

static void witness_json(struct jw *w, struct tx_iter *stack)
{
	struct slice item;

	if (stack->left == 0)
		return;
	jw_key(w, "txinwitness");
	jw_arr(w);
	while (witem_next(stack, &item))
		jw_hex(w, item);
	jw_arr_end(w);
}

static void prevout_json(struct jw *w, const struct coin *c,
			 const struct params *p)
{
	jw_key(w, "prevout");
	jw_obj(w);
	jw_kbool(w, "generated", c->coinbase);
	jw_ki64(w, "height", c->height);
	jw_kamount(w, "value", c->value);
	jw_key(w, "scriptPubKey");
	jw_obj(w);
	script_json(w, c->script, p);
	jw_obj_end(w);
	jw_obj_end(w);
}

static void outpoint_json(struct jw *w, const struct txin_view *in)
{
	struct text t = TEXT_INIT;

	jw_khash(w, "txid", outpoint_txid(in->prevout));
	jw_ki64(w, "vout", outpoint_index(in->prevout));
	jw_key(w, "scriptSig");
	jw_obj(w);
	script_asm(&t, in->script, true);
	jw_key(w, "asm");
	jw_strn(w, text_str(&t), t.n);
	jw_khex(w, "hex", in->script);
	jw_obj_end(w);
	text_fini(&t);
}

/* All inputs; gives the sum of what they spend, -1 when it is not known. */
static int64_t vin_json(struct jw *w, const struct tx_view *tx,
			struct undo_reader *undo, bool prevouts,
			const struct params *p)
{
	bool coinbase = tx_is_coinbase(tx), bad = false;
	int64_t sum = undo ? 0 : -1;
	struct tx_iter ins, wits, stack;
	struct txin_view in;
	struct coin c;

	txins(&ins, tx);
	txwits(&wits, tx);
	while (txin_next(&ins, &in)) {
		bool have = undo && !coinbase && undo_next(undo, &c, &bad);
		txwit_next(&wits, &stack);
		jw_obj(w);
		if (coinbase)
			jw_khex(w, "coinbase", in.script);
		else
			outpoint_json(w, &in);
		witness_json(w, &stack);
		if (have && prevouts)
			prevout_json(w, &c, p);
		jw_ki64(w, "sequence", in.sequence);
		jw_obj_end(w);
		sum = have && sum >= 0 ? sum + c.value : coinbase ? sum : -1;
	}
	return sum;
}

/* All outputs; gives their sum, which means something only where the values
 * were judged: a transaction that is merely decoded may have any. */
static int64_t vout_json(struct jw *w, const struct tx_view *tx,
			 const struct params *p)
{
	struct tx_iter outs;
	struct txout_view out;
	uint64_t sum = 0;
	int64_t i = 0;

	txouts(&outs, tx);
	while (txout_next(&outs, &out)) {
		jw_obj(w);
		jw_kamount(w, "value", out.value);
		jw_ki64(w, "n", i++);
		jw_key(w, "scriptPubKey");
		jw_obj(w);
		script_json(w, out.script, p);
		jw_obj_end(w);
		jw_obj_end(w);
		sum += (uint64_t)out.value;
	}
	return (int64_t)sum;
}

void tx_fields_json(struct jw *w, const struct tx_view *tx,
		    const struct hash256 *txid, const struct hash256 *wtxid,
		    struct undo_reader *undo, bool prevouts,
		    const struct params *p)
{
	uint32_t weight = tx_weight(tx);
	int64_t in, out;

	jw_khash(w, "txid", txid);
	jw_khash(w, "hash", wtxid);
	jw_ki64(w, "version", (uint32_t)tx->version);
	jw_ki64(w, "size", tx->size);
	jw_ki64(w, "vsize", (weight + 3) / 4);
	jw_ki64(w, "weight", weight);
	jw_ki64(w, "locktime", tx->lock_time);
	jw_key(w, "vin");
	jw_arr(w);
	in = vin_json(w, tx, undo, prevouts, p);
	jw_arr_end(w);
	jw_key(w, "vout");
	jw_arr(w);
	out = vout_json(w, tx, p);
	jw_arr_end(w);
	if (undo && !tx_is_coinbase(tx) && in >= 0)
		jw_kamount(w, "fee", in - out);
}

void tx_json(struct jw *w, const struct tx_view *tx, const struct hash256 *txid,
	     const struct hash256 *wtxid, struct undo_reader *undo,
	     bool prevouts, const struct params *p)
{
	jw_obj(w);
	tx_fields_json(w, tx, txid, wtxid, undo, prevouts, p);
	jw_khex(w, "hex", slice_of(tx->p, tx->size));
	jw_obj_end(w);
}

void warnings_json(struct jw *w, const struct node *n)
{
	const char *s;

	jw_key(w, "warnings");
	jw_arr(w);
	for (size_t i = 0; (s = node_warning(n, i)); i++)
		jw_str(w, s);
	jw_arr_end(w);
}

void services_json(struct jw *w, const char *key, uint64_t services)
{
	static const struct {
		uint64_t bit;
		const char *name;
	} names[] = {
	    {NODE_NETWORK, "NETWORK"},
	    {NODE_BLOOM, "BLOOM"},
	    {NODE_WITNESS, "WITNESS"},
	    {NODE_COMPACT_FILTERS, "COMPACT_FILTERS"},
	    {NODE_NETWORK_LIMITED, "NETWORK_LIMITED"},
	    {NODE_P2P_V2, "P2P_V2"},
	};

	jw_key(w, key);
	jw_arr(w);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (services & names[i].bit)
			jw_str(w, names[i].name);
	jw_arr_end(w);
}
