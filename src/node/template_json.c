/*
 * The JSON of a block template (BIP22, 23, 9, 145). What only the loop knows is
 * put down there; the answer, which is as large as a block, is written on the
 * RPC pool, one transaction after another.
 */
#include "template.h"

#include <cairn/base/buf.h>
#include <cairn/base/hmap.h>
#include <cairn/consensus/check.h>
#include <cairn/consensus/deploy.h>

#include <stdio.h>
#include <stdlib.h>

/* A template on its way out. */
struct template_out {
	struct template *t;
	const struct params *params;
	struct hmap index; /* txid to transaction, once the answer has begun */
	enum vb_state vb[VB_COUNT];
	int32_t version;
	int64_t least_time;
	uint32_t time, bits;
	bool segwit;
	size_t at; /* 0: the head, then one more than the transaction */
};

static void key_list(struct jw *w, const char *key, const char *const *names)
{
	jw_key(w, key);
	jw_arr(w);
	for (; *names; names++)
		jw_str(w, *names);
	jw_arr_end(w);
}

/* A "!" says that a block cannot be made without knowing the rule; none of
 * those by version bits is of that kind. */
static void rules_json(struct jw *w, const struct template_out *o)
{
	jw_key(w, "rules");
	jw_arr(w);
	jw_str(w, "csv");
	if (o->segwit) {
		jw_str(w, "!segwit");
		jw_str(w, "taproot");
	}
	if (o->params->signet_challenge.n)
		jw_str(w, "!signet");
	for (int i = 0; i < VB_COUNT; i++)
		if (o->vb[i] == VB_ACTIVE)
			jw_str(w, vb_deployment_name((enum vb_deployment)i));
	jw_arr_end(w);
	jw_key(w, "vbavailable");
	jw_obj(w);
	for (int i = 0; i < VB_COUNT; i++)
		if (o->vb[i] == VB_STARTED || o->vb[i] == VB_LOCKED_IN)
			jw_ki64(w, vb_deployment_name((enum vb_deployment)i),
				o->params->vb[i].bit);
	jw_obj_end(w);
	jw_ki64(w, "vbrequired", 0);
}

static void head_json(struct jw *w, const struct template_out *o)
{
	static const char *const capabilities[] = {"proposal", NULL};

	jw_obj(w);
	key_list(w, "capabilities", capabilities);
	jw_ki64(w, "version", o->version);
	rules_json(w, o);
	jw_khash(w, "previousblockhash", &o->t->prev->hash);
	jw_key(w, "transactions");
	jw_arr(w);
}

/* Numbers, from 1, of the transactions before that it spends, input by input.
 */
static void depends_json(struct jw *w, const struct template_out *o,
			 const struct template_tx *x)
{
	struct txin_view in;
	struct tx_view tx;
	struct tx_iter it;
	struct rd r;

	jw_key(w, "depends");
	jw_arr(w);
	rd_init(&r, buf_payload(x->buf));
	if (tx_view_parse(&tx, &r)) {
		txins(&it, &tx);
		while (txin_next(&it, &in)) {
			const struct template_tx *p =
			    hmap_get(&o->index, outpoint_txid(in.prevout));

			if (p)
				jw_i64(w, p - o->t->txs + 1);
		}
	}
	jw_arr_end(w);
}

static void tx_entry_json(struct jw *w, const struct template_out *o, size_t i)
{
	const struct template_tx *x = &o->t->txs[i];

	jw_obj(w);
	jw_khex(w, "data", buf_payload(x->buf));
	jw_khash(w, "txid", &x->txid);
	jw_khash(w, "hash", &x->wtxid);
	depends_json(w, o, x);
	jw_ki64(w, "fee", x->fee);
	jw_ki64(w, "sigops", o->segwit ? x->sigops : x->sigops / WITNESS_SCALE);
	jw_ki64(w, "weight", x->weight);
	jw_obj_end(w);
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

static void commitment_json(struct jw *w, const struct template *t)
{
	uint8_t script[38] = {0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed};

	memcpy(script + 6, t->commitment.b, 32);
	jw_khex(w, "default_witness_commitment",
		slice_of(script, sizeof script));
}

static void longpollid_json(struct jw *w, const struct template_out *o)
{
	char hash[HASH256_STR], id[HASH256_STR + 20];

	snprintf(id, sizeof id, "%s%llu", hash256_fmt(hash, &o->t->prev->hash),
		 (unsigned long long)o->t->changes);
	jw_kstr(w, "longpollid", id);
}

static void tail_json(struct jw *w, const struct template_out *o)
{
	static const char *const mutable[] = {"time", "transactions",
					      "prevblock", NULL};
	int32_t height = o->t->prev->height + 1;
	char hex[9];

	jw_arr_end(w);
	jw_key(w, "coinbaseaux");
	jw_obj(w);
	jw_obj_end(w);
	jw_ki64(w, "coinbasevalue",
		block_subsidy(height, o->params) + o->t->fees);
	longpollid_json(w, o);
	target_json(w, o->bits);
	jw_ki64(w, "mintime", o->least_time);
	key_list(w, "mutable", mutable);
	limits_json(w, o->segwit);
	jw_ki64(w, "curtime", o->time);
	snprintf(hex, sizeof hex, "%08x", (unsigned)o->bits);
	jw_kstr(w, "bits", hex);
	jw_ki64(w, "height", height);
	if (o->params->signet_challenge.n)
		jw_khex(w, "signet_challenge", o->params->signet_challenge);
	commitment_json(w, o->t);
	jw_obj_end(w);
}

static bool out_next(void *arg, struct jw *w, int *rc)
{
	struct template_out *o = arg;
	size_t i;

	(void)rc;
	if (o->index.n == 0)
		for (i = 0; i < o->t->n; i++)
			hmap_put(&o->index, &o->t->txs[i].txid, &o->t->txs[i]);
	i = o->at++;
	if (i == 0)
		head_json(w, o);
	else if (i <= o->t->n)
		tx_entry_json(w, o, i - 1);
	else
		tail_json(w, o);
	return i <= o->t->n;
}

static void out_rewind(void *arg)
{
	((struct template_out *)arg)->at = 0;
}

static void out_free(void *arg)
{
	struct template_out *o = arg;

	hmap_fini(&o->index);
	template_unref(o->t);
	free(o);
}

void template_reply(struct rpc_call *c, struct template *take)
{
	struct node *n = rpc_node(c);
	const struct hnode *prev = take->prev;
	struct template_out *o = xcalloc(1, sizeof *o);
	struct rpc_stream s = {out_next, out_rewind, out_free, o};
	int64_t now = clock_now(&n->clock);

	o->t = take;
	o->params = &n->params;
	hmap_init(&o->index);
	o->segwit = deploy_active(o->params, DEPLOY_SEGWIT, prev->height + 1);
	for (int i = 0; i < VB_COUNT; i++)
		o->vb[i] = vb_status_after(&o->params->vb[i], &hnode_reader,
					   prev, &n->vb.known[i])
			       .state;
	o->version = block_version_for(o->params, &hnode_reader, prev, &n->vb);
	o->least_time = least_time(&hnode_reader, prev, o->params);
	o->time = (uint32_t)(now > o->least_time ? now : o->least_time);
	o->bits = next_bits(&hnode_reader, prev, o->time, o->params);
	rpc_reply_stream(c, &s);
	rpc_done(c);
}
