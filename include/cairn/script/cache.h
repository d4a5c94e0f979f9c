/*
 * What was found right before: single signatures and tweaked keys, and all
 * scripts of whole transactions under a set of flags. Answers are remembered as
 * 128 bits of a SHA-256 that begins with a secret, so that nobody can make two
 * that collide. Nothing is kept of what was wrong, and what was evicted is just
 * verified again.
 *
 * All functions but new and free: any number of threads at once, no locks.
 */
#ifndef CAIRN_SCRIPT_CACHE_H
#define CAIRN_SCRIPT_CACHE_H

#include <cairn/script/interp.h>

struct script_cache;

/* At most so many bytes for all three parts: a quarter for hints about keys
 * (crypto/key_hints.h), the rest in halves for signatures and transactions, 16
 * bytes each. They are taken from the system as they are used. salt: 32 random
 * bytes, secret. With less than 12 KiB nothing is ever found. Never NULL. */
struct script_cache *script_cache_new(size_t bytes,
				      const uint8_t salt[32]) must_check;
/* NULL is fine. */
void script_cache_free(struct script_cache *c);

enum cache_mode {
	CACHE_HINTS, /* only hints about keys: nothing is looked up or kept */
	CACHE_ASK,   /* looked up, not kept */
	CACHE_KEEP,  /* looked up, and kept when it is right */
};

/* A verifier that looks a question up before it asks inner. Late answers of
 * inner are not kept. Once made it is only read, so that threads may share it
 * if they may share inner. */
struct cached_verifier {
	struct sig_verifier v; /* for script_verify_inputs */
	/* Private. */
	struct sig_verifier own;
	struct script_cache *cache;
	const struct sig_verifier *inner;
	enum cache_mode mode;
};
/* Borrows c and inner; NULL: the library at once. v must stay where it is. */
void cached_verifier_init(struct cached_verifier *v, struct script_cache *c,
			  const struct sig_verifier *inner,
			  enum cache_mode mode);

/* All inputs of a transaction, the outputs they spend and the flags they were
 * verified under. */
struct script_tx_key {
	struct tag {
		uint64_t w[2]; /* not both zero */
	} tag;                 /* private */
};
/* spent: the n outputs in input order. */
void script_tx_key(struct script_tx_key *k, const struct script_cache *c,
		   const struct hash256 *wtxid, const struct txout_view *spent,
		   uint32_t n, unsigned flags);
bool script_cache_has_tx(const struct script_cache *c,
			 const struct script_tx_key *k);
/* Only once every input is known to be right. */
void script_cache_put_tx(struct script_cache *c, const struct script_tx_key *k);

#endif
