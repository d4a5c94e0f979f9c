/*
 * What is remembered of scripts that were verified, and for which blocks that
 * pays. Made with the chain, used by whoever verifies. Verifies nothing itself.
 *
 * The pool keeps what it verifies: a block will ask for it.
 *
 * Hints about keys serve every block. Signatures and transactions are looked up
 * and kept only near the tip: a block is verified a second time when it was
 * tried as a template or comes back after a reorganisation, and far below the
 * tip nothing of that happens, so that keeping would only push out what counts.
 */
#include "internal.h"
#include "script_pool.h"

#include <cairn/base/rand.h>

/* Blocks below the best header in which a reorganisation may end. */
#define NEAR_TIP 100

void verified_init(struct chain *c)
{
	uint8_t salt[32];

	rand_os(salt, sizeof salt);
	c->verified = script_cache_new((size_t)c->cfg.sig_cache, salt);
	cached_verifier_init(&c->verify_far, c->verified, c->cfg.verifier,
			     CACHE_HINTS);
	cached_verifier_init(&c->verify_near, c->verified, c->cfg.verifier,
			     CACHE_ASK);
	cached_verifier_init(&c->verify_pool, c->verified, c->cfg.verifier,
			     CACHE_KEEP);
}

void verified_fini(struct chain *c)
{
	script_cache_free(c->verified);
}

static bool is_near(const struct chain *c, const struct hnode *n)
{
	const struct hnode *best = c->best_header;

	return !__atomic_load_n(&c->ibd, __ATOMIC_RELAXED) && best &&
	       best->height - n->height < NEAR_TIP;
}

struct script_memory verified_for(const struct chain *c, const struct hnode *n)
{
	if (is_near(c, n))
		return (struct script_memory){&c->verify_near.v, c->verified};
	return (struct script_memory){&c->verify_far.v, NULL};
}
