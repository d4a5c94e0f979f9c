/*
 * The scripts of a block, once every other rule holds: whether they have to be
 * verified at all, and what their failure is called. Passed over are those of
 * blocks that lie well below the configured assumed-valid block, and of blocks
 * that were connected before the last stop and are replayed now, unless
 * everything is to be made again. Chain thread. The verifying is the pool's.
 */
#include "internal.h"
#include "script_pool.h"

#include <cairn/base/text.h>

#include <inttypes.h>
#include <stdio.h>

#define BURIED_S (14 * 24 * 60 * 60)

/* Time that the work above n takes at the best header's rate. */
static double buried_s(const struct chain *c, const struct hnode *n)
{
	const struct hnode *best = c->best_header;
	struct u256 above = u256_sub(&best->work, &n->work);
	struct u256 one = work_of_bits(best->bits);

	return u256_double(&above) / u256_double(&one) *
	       (double)c->cfg.params->target_spacing_s;
}

/* Bitcoin Core's conditions for -assumevalid. */
static bool is_assumed_valid(const struct chain *c, const struct hnode *n)
{
	const struct hnode *av = c->assume_valid, *best = c->best_header;

	return av && hnode_is_ancestor(n, av) && hnode_is_ancestor(n, best) &&
	       u256_cmp(&best->work, &c->cfg.min_work) >= 0 &&
	       buried_s(c, n) > BURIED_S;
}

static bool is_replayed(const struct chain *c, const struct hnode *n)
{
	return c->replaying && c->cfg.rebuild == REBUILD_NOTHING &&
	       (hnode_status(n) & HN_CONNECTED);
}

int scripts_begin(struct chain *c, struct script_batch **give,
		  const struct hnode *n, const struct block_view *b,
		  struct slice undo)
{
	struct script_memory memory = verified_for(c, n);
	int rc;

	*give = NULL;
	if (is_assumed_valid(c, n) || is_replayed(c, n))
		return 0;
	rc = script_batch_new(give, n, b, undo, c->cfg.params, &memory);
	if (rc == 0)
		script_pool_submit(c->scripts, *give);
	return rc;
}

/* The outpoint of an input. */
static const uint8_t *prevout_of(const struct tx_view *tx, uint32_t input)
{
	struct txin_view in = {.prevout = NULL};
	struct tx_iter it;

	txins(&it, tx);
	for (uint32_t i = 0; i <= input; i++)
		txin_next(&it, &in);
	return in.prevout;
}

static struct verdict failed(const struct block_view *b,
			     const struct script_fault *f)
{
	char reject[VERDICT_REJECT], txid[HASH256_STR], wtxid[HASH256_STR];
	const uint8_t *op = prevout_of(&b->tx[f->tx], f->why.input);
	char spent[HASH256_STR];

	snprintf(reject, sizeof reject, "block-script-verify-flag-failed (%s)",
		 script_err_text(f->why.err));
	return verdict_invalidf(
	    INV_CONSENSUS, reject,
	    "input %" PRIu32 " of %s (wtxid %s), spending %s:%" PRIu32,
	    f->why.input, hash256_fmt(txid, &b->txid[f->tx]),
	    hash256_fmt(wtxid, &b->wtxid[f->tx]),
	    hash256_fmt(spent, outpoint_txid(op)), outpoint_index(op));
}

struct verdict scripts_end(struct chain *c, const struct hnode *n,
			   const struct block_view *b,
			   const struct script_batch *s)
{
	struct script_fault f;

	if (!s)
		return verdict_valid();
	if (!script_batch_ok(s, &f))
		return failed(b, &f);
	script_batch_remember(s);
	return c->cfg.script_check ? c->cfg.script_check(c->cfg.script_arg, n)
				   : verdict_valid();
}

struct verdict scripts_verify(struct chain *c, const struct hnode *n,
			      const struct block_view *b, struct slice undo)
{
	struct script_batch *s;
	struct verdict v;
	int rc = scripts_begin(c, &s, n, b, undo);

	if (rc)
		return verdict_unknown(rc);
	if (s)
		script_pool_join(c->scripts, s);
	v = scripts_end(c, n, b, s);
	script_batch_free(s);
	return v;
}

static void wake(void *chain)
{
	struct chain *c = chain;

	workq_wake(&c->q);
}

void scripts_init(struct chain *c)
{
	struct script_pool_cfg cfg = {
	    .threads = c->cfg.workers - 1,
	    .done = {wake, c},
	    .begin = c->cfg.script_begin,
	    .begin_arg = c->cfg.script_arg,
	};

	c->scripts = script_pool_new(&cfg);
}
