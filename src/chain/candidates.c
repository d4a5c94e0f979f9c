/*
 * Blocks that could become the tip, in a heap by work and order of arrival. An
 * entry is never removed from the middle: whoever takes the best one looks
 * whether it still stands. Chain thread. Connects nothing.
 */
#include "internal.h"

#include <cairn/base/mem.h>

static bool better(const struct hnode *a, const struct hnode *b)
{
	return hnode_cmp_work(a, b) > 0;
}

void candidate_push(struct chain *c, struct hnode *n)
{
	size_t i = c->n_heap++;

	arr_grow(&c->heap, &c->cap_heap, c->n_heap, sizeof(n));
	while (i > 0 && better(n, c->heap[(i - 1) / 2])) {
		c->heap[i] = c->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	c->heap[i] = n;
}

static void pop(struct chain *c)
{
	struct hnode *last = c->heap[--c->n_heap];
	size_t i = 0, k;

	while ((k = 2 * i + 1) < c->n_heap) {
		if (k + 1 < c->n_heap && better(c->heap[k + 1], c->heap[k]))
			k++;
		if (!better(c->heap[k], last))
			break;
		c->heap[i] = c->heap[k];
		i = k;
	}
	if (c->n_heap)
		c->heap[i] = last;
}

/* Every failure is carried down to all descendants when it is found, so a node
 * need not ask its ancestors. */
static bool stands(const struct hnode *n)
{
	return !hnode_failed(n) && hnode_chain_tx(n) != 0;
}

struct hnode *candidate_best(struct chain *c)
{
	while (c->n_heap && !stands(c->heap[0]))
		pop(c);
	if (c->n_heap && better(c->heap[0], c->here))
		return c->heap[0];
	/* The rest is worse than the tip for as long as that is one; whatever
	 * takes the tip back builds the heap again. */
	c->n_heap = 0;
	return NULL;
}

void candidates_rebuild(struct chain *c)
{
	size_t i;

	c->n_heap = 0;
	for (i = 0; i < c->n_nodes; i++) {
		struct hnode *n = c->nodes[i];

		if (stands(n) && better(n, c->here))
			candidate_push(c, n);
	}
}

void best_header_recompute(struct chain *c)
{
	struct hnode *best = c->here;
	size_t i;

	for (i = 0; i < c->n_nodes; i++) {
		struct hnode *n = c->nodes[i];

		if (!hnode_failed(n) && u256_cmp(&n->work, &best->work) > 0)
			best = n;
	}
	__atomic_store_n(&c->best_header, best, __ATOMIC_RELEASE);
}
