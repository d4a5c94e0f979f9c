/*
 * RPC: which rules hold at a block and which are being agreed on. Runs on the
 * loop, with the loop's cache of version-bit statuses. The rules themselves are
 * consensus's.
 */
#include "rpc_util.h"

#include <cairn/consensus/deploy.h>
#include <cairn/consensus/flags.h>
#include <cairn/script/flags.h>

#include <stdlib.h>

static int name_cmp(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

/* By name, as bitcoind has them. */
static void flags_json(struct jw *w, unsigned flags)
{
	const char *names[SCRIPT_FLAG_BITS];
	size_t n = 0;

	for (unsigned i = 0; i < SCRIPT_FLAG_BITS; i++)
		if (flags >> i & 1)
			names[n++] = script_flag_name(1u << i);
	qsort(names, n, sizeof *names, name_cmp);
	jw_key(w, "script_flags");
	jw_arr(w);
	for (size_t i = 0; i < n; i++)
		jw_str(w, names[i]);
	jw_arr_end(w);
}

/* Active is what holds in the block that follows. */
static void buried_json(struct jw *w, const struct params *p, enum deployment d,
			const struct hnode *h)
{
	jw_key(w, deployment_name(d));
	jw_obj(w);
	jw_kstr(w, "type", "buried");
	jw_kbool(w, "active", deploy_active(p, d, h->height + 1));
	jw_ki64(w, "height", p->deploy_height[d]);
	jw_obj_end(w);
}

/* The threshold means nothing once it was met. */
static void tally_json(struct jw *w, const struct vb_rule *d,
		       const struct hnode *h, enum vb_state s)
{
	char marks[VB_PERIOD_MAX + 1];
	struct vb_tally t = vb_tally(marks, d, &hnode_reader, h);

	jw_key(w, "statistics");
	jw_obj(w);
	jw_ki64(w, "period", d->period);
	jw_ki64(w, "elapsed", t.elapsed);
	jw_ki64(w, "count", t.count);
	if (s == VB_STARTED) {
		jw_ki64(w, "threshold", d->threshold);
		jw_kbool(w, "possible", t.possible);
	}
	jw_obj_end(w);
	jw_kstr(w, "signalling", marks);
}

static void bip9_json(struct jw *w, const struct vb_rule *d,
		      const struct hnode *h, struct vb_status now,
		      enum vb_state next)
{
	bool open = now.state == VB_STARTED || now.state == VB_LOCKED_IN;

	jw_key(w, "bip9");
	jw_obj(w);
	if (open)
		jw_ki64(w, "bit", d->bit);
	jw_ki64(w, "start_time", d->start_s);
	jw_ki64(w, "timeout", d->timeout_s);
	jw_ki64(w, "min_activation_height", d->min_activation_height);
	jw_kstr(w, "status", vb_state_name(now.state));
	jw_ki64(w, "since", now.since);
	jw_kstr(w, "status_next", vb_state_name(next));
	if (open)
		tally_json(w, d, h, now.state);
	jw_obj_end(w);
}

static void vb_json(struct jw *w, struct node *n, enum vb_deployment i,
		    const struct hnode *h)
{
	const struct vb_rule *d = &n->params.vb[i];
	struct vb_cache *cache = &n->vb.known[i];
	struct vb_status now, next;

	if (d->start_s == VB_NEVER_ACTIVE)
		return;
	now = vb_status_after(d, &hnode_reader, h->prev, cache);
	next = vb_status_after(d, &hnode_reader, h, cache);
	jw_key(w, vb_deployment_name(i));
	jw_obj(w);
	jw_kstr(w, "type", "bip9");
	if (next.state == VB_ACTIVE)
		jw_ki64(w, "height", next.since);
	jw_kbool(w, "active", next.state == VB_ACTIVE);
	bip9_json(w, d, h, now, next.state);
	jw_obj_end(w);
}

static void cmd_getdeploymentinfo(struct rpc_call *c)
{
	/* The order of rules in the answer. */
	static const enum deployment order[] = {DEPLOY_BIP34, DEPLOY_BIP66,
						DEPLOY_BIP65, DEPLOY_CSV,
						DEPLOY_SEGWIT};
	struct node *n = rpc_node(c);
	const struct hnode *h = chain_tip(n->chain);
	struct jw *w;

	if (rpc_param(c, 0)) {
		h = param_block(c, 0);
		if (!h)
			return;
	}
	w = rpc_out(c);
	jw_obj(w);
	jw_khash(w, "hash", &h->hash);
	jw_ki64(w, "height", h->height);
	flags_json(w, script_flags(&n->params, h->height, &h->hash));
	jw_key(w, "deployments");
	jw_obj(w);
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		buried_json(w, &n->params, order[i], h);
	for (int i = 0; i < VB_COUNT; i++)
		vb_json(w, n, (enum vb_deployment)i, h);
	jw_obj_end(w);
	jw_obj_end(w);
	rpc_done(c);
}

static const struct rpc_arg args_block[] = {
    {"blockhash", "s", false, "Hash of the block (the tip)."}, {0}};

const struct rpc_cmd rpc_deployment_cmds[] = {
    {"getdeploymentinfo", "blockchain", RPC_LOOP, cmd_getdeploymentinfo,
     args_block,
     "Rules at a block: script flags, deployments by height and by version "
     "bits.",
     "{ hash, height, script_flags, deployments: { name: { type, height, "
     "active, bip9 } } }",
     false, false},
    {0}};
