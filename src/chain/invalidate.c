/*
 * What an administrator may decide about a block: that it is invalid, that its
 * failure be forgotten, that it wins ties. Chain thread, between blocks; the
 * best chain that follows is connected before each returns.
 */
#include "internal.h"

#include <cairn/base/err.h>

static struct verdict outcome(const struct chain *c)
{
	return c->fatal_rc ? verdict_unknown(c->fatal_rc) : verdict_valid();
}

static struct verdict unfinished(const struct chain *c)
{
	return verdict_unknown(c->fatal_rc ? c->fatal_rc : E_STOPPING);
}

/* Bitcoin Core's number of blocks whose transactions come back to the pool. */
#define BLOCKS_BACK 10

/* Down to n's parent. Each block on the way is a published one, so that coins
 * may be flushed however deep it goes. */
static bool go_below(struct chain *c, const struct hnode *n)
{
	for (int off = 1; hnode_is_ancestor(n, c->here); off++) {
		if (chain_stopping(c) || !disconnect_tip(c))
			return false;
		publish(c);
		if (c->fatal_rc)
			return false;
		if (off > BLOCKS_BACK)
			unconfirmed_give_up(c);
		else
			unconfirmed_follow(c);
	}
	return true;
}

static void tell_new_tip(struct chain *c, const struct hnode *was)
{
	struct chain_event e = {.type = CHAIN_EV_TIP, .node = c->here};

	if (c->here == was)
		return;
	e.fork = hnode_fork(c->here, was);
	outbox_event(c, &e);
}

struct verdict chain_invalidate(struct chain *c, struct hnode *n)
{
	struct verdict v = verdict_invalid(INV_CONSENSUS, "invalidated",
					   "by the administrator");
	const struct hnode *was = c->here;

	if (c->fatal_rc)
		return outcome(c);
	if (!n->prev)
		return verdict_invalid(INV_NONE, "genesis",
				       "the first block cannot be invalid");
	if (!go_below(c, n))
		return unfinished(c);
	mark_failed(c, n, &v, PEER_NONE);
	candidates_rebuild(c);
	tell_new_tip(c, was);
	activate(c);
	index_seal(c);
	return outcome(c);
}

static bool on_one_line(const struct hnode *a, const struct hnode *b)
{
	return a->height < b->height ? hnode_is_ancestor(a, b)
				     : hnode_is_ancestor(b, a);
}

struct verdict chain_reconsider(struct chain *c, struct hnode *n)
{
	struct chain_event e = {.type = CHAIN_EV_REVALIDATED, .node = n};
	size_t i;

	if (c->fatal_rc)
		return outcome(c);
	for (i = 0; i < c->n_nodes; i++) {
		struct hnode *x = c->nodes[i];

		if (!hnode_failed(x) || !on_one_line(x, n))
			continue;
		hnode_unset(x, HN_FAILED_ANY);
		index_dirty(c, x);
	}
	candidates_rebuild(c);
	best_header_recompute(c);
	outbox_event(c, &e);
	activate(c);
	index_seal(c);
	return outcome(c);
}

struct verdict chain_precious(struct chain *c, struct hnode *n)
{
	if (c->fatal_rc || u256_cmp(&n->work, &c->here->work) < 0)
		return outcome(c);
	/* The chain grew since the last call: begin anew. */
	if (u256_cmp(&c->here->work, &c->precious_work) > 0)
		c->precious_seq = -1;
	c->precious_work = c->here->work;
	n->seq = c->precious_seq;
	if (c->precious_seq > INT32_MIN)
		c->precious_seq--;
	candidates_rebuild(c);
	activate(c);
	return outcome(c);
}
