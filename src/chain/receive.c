/*
 * News for the chain thread: headers that the loop has added, and blocks that
 * the writer has stored. Links a block to its ancestors' data, numbers it in
 * order of arrival and makes it a candidate. Connects nothing.
 */
#include "internal.h"

#include <cairn/base/mem.h>

/* A header that came while its parent was being marked. */
static void inherit_failure(struct chain *c, struct hnode *n)
{
	struct chain_event e = {
	    .type = CHAIN_EV_INVALID, .node = n, .peer = PEER_NONE};

	hnode_set(n, HN_FAILED_PARENT);
	if (c->replaying)
		return;
	e.verdict = verdict_invalid(INV_PREV, "bad-prevblk", NULL);
	outbox_event(c, &e);
}

static void note_best(struct chain *c, struct hnode *n)
{
	struct hnode *best = c->best_header;

	if (!best || u256_cmp(&n->work, &best->work) > 0)
		__atomic_store_n(&c->best_header, n, __ATOMIC_RELEASE);
}

void receive_headers(struct chain *c, struct hnode *const *nodes, size_t n)
{
	size_t i;

	arr_grow(&c->nodes, &c->cap_nodes, c->n_nodes + n, sizeof *nodes);
	for (i = 0; i < n; i++) {
		struct hnode *node = nodes[i];

		c->nodes[c->n_nodes++] = node;
		if (node->prev && hnode_failed(node->prev))
			inherit_failure(c, node);
		else
			note_best(c, node);
		if (hash256_eq(&node->hash, &c->cfg.assume_valid))
			c->assume_valid = node;
		if (!(hnode_status(node) & HN_DATA))
			node->seq = 1;
		if (!c->replaying)
			index_dirty(c, node);
	}
}

/* All ancestors' data are there. */
static void link_one(struct chain *c, struct hnode *n)
{
	uint64_t before = n->prev ? hnode_chain_tx(n->prev) : 0;

	__atomic_store_n(&n->chain_tx, before + n->n_tx, __ATOMIC_RELEASE);
	n->seq = c->next_seq;
	/* Two thousand million blocks: the order of arrival ends there. */
	if (c->next_seq < INT32_MAX)
		c->next_seq++;
	if (!hnode_failed(n) && hnode_cmp_work(n, c->here) > 0)
		candidate_push(c, n);
}

void receive_link(struct chain *c, struct hnode *n)
{
	struct pending *list, *last, *p, *more;

	link_one(c, n);
	list = pending_take_children(c, n);
	for (last = list; last && last->sibling;)
		last = last->sibling;
	/* Breadth first, as they would have arrived behind their parents. */
	while ((p = list)) {
		link_one(c, p->node);
		index_dirty(c, p->node);
		more = pending_take_children(c, p->node);
		last->sibling = more;
		while (last->sibling)
			last = last->sibling;
		list = p->sibling;
		p->sibling = NULL;
	}
}

void receive_block(struct chain *c, struct block_work *bw)
{
	struct hnode *n = bw->job.node;
	uint32_t bits = HN_DATA;

	n->n_tx = bw->view.n_tx;
	n->data_file = bw->pos.file;
	n->data_off = bw->pos.off;
	n->data_size = bw->pos.size;
	if (bw->job.have_checksum || bw->job.check_checksum) {
		n->checksum = bw->job.checksum;
		bits |= HN_CHECKSUM;
	}
	if (n->height >= c->cfg.params->deploy_height[DEPLOY_SEGWIT])
		bits |= HN_WITNESS;
	hnode_set(n, bits);
	index_dirty(c, n);
	pending_add(c, bw);
	if (!n->prev || hnode_chain_tx(n->prev))
		receive_link(c, n);
	else
		pending_unlink(c, pending_find(c, n));
}
