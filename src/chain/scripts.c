/*
 * Whether a block's scripts have to be verified, once every other rule holds:
 * those of blocks that lie well below the configured assumed-valid block are
 * passed over, and so are those of blocks that were connected before the last
 * stop and are replayed now, unless everything is to be made again. Chain
 * thread. The verifying is in script_jobs.c.
 */
#include "internal.h"

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

struct verdict scripts_check(struct chain *c, const struct hnode *n,
			     const struct block_view *b, struct slice undo)
{
	struct verdict v;

	if (is_assumed_valid(c, n))
		return verdict_valid();
	if (c->replaying && c->cfg.rebuild == REBUILD_NOTHING &&
	    (hnode_status(n) & HN_CONNECTED))
		return verdict_valid();
	v = scripts_verify(c, n, b, undo);
	if (verdict_ok(&v) && c->cfg.script_check)
		v = c->cfg.script_check(c->cfg.script_arg, n);
	return v;
}
