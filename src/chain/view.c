/*
 * What may be asked of the chain while it works: tip, heights, progress, coins,
 * snapshots, and whether a block would do. Reads on any thread where the header
 * says so; the rest on the chain thread. Changes nothing that others see.
 */
#include "internal.h"

#include <cairn/base/buf.h>
#include <cairn/base/clock.h>
#include <cairn/base/err.h>
#include <cairn/chain/undo.h>
#include <cairn/consensus/check.h>
#include <cairn/consensus/headers.h>
#include <cairn/crypto/sha256.h>

#define RECENT_S (2 * 60 * 60)

struct htree *chain_tree(struct chain *c)
{
	return c->tree;
}

struct hnode *chain_tip(struct chain *c)
{
	return __atomic_load_n(&c->tip, __ATOMIC_ACQUIRE);
}

struct hnode *chain_at(struct chain *c, int32_t height)
{
	return hnode_mut(hnode_ancestor(chain_tip(c), height));
}

bool chain_has(struct chain *c, const struct hnode *node)
{
	return hnode_is_ancestor(node, chain_tip(c));
}

bool chain_in_ibd(struct chain *c)
{
	return __atomic_load_n(&c->ibd, __ATOMIC_ACQUIRE);
}

uint64_t chain_disk_size(struct chain *c)
{
	return blockfile_disk_size(c->blk) + blockfile_disk_size(c->rev);
}

/* Near the present, heights tell more than what a miner's clock said. */
static int64_t progress_time(struct chain *c, const struct hnode *n,
			     int64_t now)
{
	const struct hnode *best =
	    __atomic_load_n(&c->best_header, __ATOMIC_ACQUIRE);
	int64_t age = now - (int64_t)n->time;

	if (!best || best->height < n->height || age > RECENT_S ||
	    age < -RECENT_S)
		return n->time;
	return now -
	       (best->height - n->height) * c->cfg.params->target_spacing_s;
}

double chain_progress(struct chain *c, const struct hnode *n)
{
	const struct params *p = c->cfg.params;
	double txs = (double)hnode_chain_tx(n), total;
	int64_t now = clock_now(c->cfg.clock);

	if (txs == 0)
		return 0;
	if (txs <= (double)p->txdata_count)
		total = (double)p->txdata_count +
			(double)(now - p->txdata_time_s) * p->txdata_rate;
	else
		total = txs + (double)(now - progress_time(c, n, now)) *
				  p->txdata_rate;
	return txs < total ? txs / total : 1.0;
}

int chain_coin_get(struct chain *c, struct coin *out, const uint8_t *outpoint)
{
	if (c->fatal_rc)
		return c->fatal_rc;
	return coinview_get(c->coins, out, outpoint);
}

int chain_flush(struct chain *c)
{
	struct coin_marker m = {c->here->hash, c->here->height};
	int rc = c->fatal_rc;

	if (rc)
		return rc;
	index_seal(c);
	rc = coinview_flush(c->coins, &m);
	if (rc && !(rc == E_STOPPING && chain_stopping(c)))
		chain_fatal(c, rc, "coins could not be written");
	return rc;
}

int chain_coins_snapshot(struct chain *c, struct coin_snapshot **give,
			 struct hnode **node)
{
	int rc = chain_flush(c);

	if (rc == 0)
		rc = coin_snapshot_open(give, c->coins);
	if (rc == 0)
		*node = c->here;
	return rc;
}

/* A node that nobody else sees. */
static void make_node(struct hnode *n, const struct header *h,
		      const uint8_t *raw, const struct hnode *prev)
{
	struct u256 work = work_of_bits(h->bits);

	memset(n, 0, sizeof *n);
	sha256d(&n->hash, raw, HEADER_SIZE);
	n->prev = prev;
	n->skip = prev;
	n->work = u256_add(&prev->work, &work);
	n->merkle = h->merkle;
	n->height = prev->height + 1;
	n->version = h->version;
	n->time = h->time;
	n->bits = h->bits;
	n->nonce = h->nonce;
}

/* On the coins of the tip, which are as before when it returns. */
static struct verdict test_coins(struct chain *c, struct hnode *n,
				 const struct block_view *b)
{
	struct undo_writer undo;
	struct verdict v;
	int rc = 0;

	undo_writer_init(&undo);
	v = connect_block(c, n, b, &undo, NULL);
	if (verdict_ok(&v)) {
		v = scripts_verify(c, n, b, slice_of(undo.p, undo.n));
		rc = connect_take_back(c, b, slice_of(undo.p, undo.n));
		if (rc == 0 && v.kind == V_INVALID)
			v = connect_first_fault(c, n, b, v);
	}
	undo_writer_fini(&undo);
	return rc ? verdict_unknown(rc) : v;
}

static struct verdict test_view(struct chain *c, const struct block_view *b)
{
	struct block_context ctx = {.height = c->here->height + 1,
				    .mtp_prev = c->here->mtp};
	struct header h;
	struct hnode n;
	struct verdict v;

	header_get(&h, b->header);
	if (!hash256_eq(&h.prev, &c->here->hash))
		return verdict_invalid(INV_MISSING_PREV,
				       "inconclusive-not-best-prevblk", NULL);
	v = block_check(b, c->cfg.params, true);
	if (verdict_ok(&v))
		v = header_check_context(&h, &hnode_reader, c->here,
					 clock_now(c->cfg.clock),
					 c->cfg.params);
	if (verdict_ok(&v))
		v = block_check_context(b, &ctx, c->cfg.params);
	if (!verdict_ok(&v))
		return v;
	make_node(&n, &h, b->header, c->here);
	v = test_coins(c, &n, b);
	if (v.kind == V_UNKNOWN)
		chain_fatal(c, v.rc, "a block could not be tested");
	return v;
}

struct verdict chain_test_block(struct chain *c, const struct buf *block)
{
	struct block_view b;
	size_t trailing;
	struct verdict v;
	int rc = c->fatal_rc;

	if (rc == 0)
		rc = block_view_parse(&b, &trailing, buf_payload(block));
	if (rc == E_PARSE)
		return verdict_invalid(INV_NONE, "block-malformed", NULL);
	if (rc)
		return verdict_unknown(rc);
	block_hash_txs(&b);
	v = test_view(c, &b);
	block_view_fini(&b);
	return v;
}
