/*
 * Choosing the transactions of a block template. See the header for which
 * thread does what. The block itself is made by those who mine, or by the
 * generate commands.
 */
#include "template.h"

#include <cairn/base/buf.h>
#include <cairn/consensus/check.h>

#include <stdlib.h>

static void take_tx(struct template *t, const struct mempool_tx *tx)
{
	struct template_tx *x = &t->txs[t->n++];

	x->txid = tx->txid;
	x->wtxid = tx->wtxid;
	x->buf = buf_ref(tx->buf);
	x->fee = tx->fee;
	x->sigops = tx->sigops;
	x->weight = tx_weight(&tx->view);
	t->fees += tx->fee;
	t->weight += x->weight;
}

struct template *template_choose(struct node *n)
{
	const struct mempool *m = chain_mempool(n->chain);
	const struct mempool_tx **chosen;
	struct mempool_want want = {
	    .weight = n->block.max_weight - n->block.reserved_weight,
	    .sigops = MAX_BLOCK_SIGOPS_COST - BLOCK_RESERVED_SIGOPS,
	    .min_rate = n->block.min_rate};
	struct template *t = xcalloc(1, sizeof *t);
	size_t count = mempool_select(m, &chosen, &want);

	t->refs = 1;
	t->prev = chain_tip(n->chain);
	t->made_s = clock_now(&n->clock);
	t->weight = n->block.reserved_weight;
	t->txs = xcalloc(count + 1, sizeof *t->txs);
	for (size_t i = 0; i < count; i++)
		take_tx(t, chosen[i]);
	free(chosen);
	return t;
}

void template_finish(struct template *t)
{
	static const struct hash256 zero;
	struct hash256 *leaves = xcalloc(t->n + 1, sizeof *leaves);
	struct hash256 *scratch = xcalloc(t->n / 2 + 1, sizeof *scratch), root;

	for (size_t i = 0; i < t->n; i++)
		leaves[i + 1] = t->txs[i].wtxid;
	merkle_root(&root, NULL, leaves, (uint32_t)t->n + 1, scratch);
	witness_commitment(&t->commitment, &root, zero.b);
	free(scratch);
	free(leaves);
}

struct template *template_ref(struct template *t)
{
	__atomic_fetch_add(&t->refs, 1, __ATOMIC_RELAXED);
	return t;
}

void template_unref(struct template *t)
{
	if (!t || __atomic_sub_fetch(&t->refs, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	for (size_t i = 0; i < t->n; i++)
		buf_unref(t->txs[i].buf);
	free(t->txs);
	free(t);
}
