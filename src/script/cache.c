/*
 * Caches of what was verified: questions are hashed with a secret in front and
 * looked up in sets of tags (tagset.c). Any thread. Does not decide when to ask
 * or to keep, and does not verify: that is left to the verifier inside.
 */
#include <cairn/script/cache.h>

#include "internal.h"
#include "tagset.h"

#include <cairn/base/endian.h>
#include <cairn/base/mem.h>
#include <cairn/crypto/sig.h>

#include <stdlib.h>

/* What is asked, so that no question of one kind is one of another. */
enum kind { KIND_ECDSA, KIND_SCHNORR, KIND_TWEAK, KIND_TX, KIND_COUNT };

struct script_cache {
	struct key_hints *hints;
	struct tagset sigs, txs;
	struct sha256 begin[KIND_COUNT]; /* behind a block of salt and kind */
};

struct script_cache *script_cache_new(size_t bytes, const uint8_t salt[32])
{
	struct script_cache *c = xcalloc(1, sizeof *c);
	uint8_t block[64] = {0};

	c->hints = key_hints_new(bytes / 4);
	tagset_init(&c->sigs, bytes / 8 * 3);
	tagset_init(&c->txs, bytes / 8 * 3);
	memcpy(block, salt, 32);
	for (unsigned i = 0; i < KIND_COUNT; i++) {
		block[63] = (uint8_t)i;
		sha256_init(&c->begin[i]);
		sha256_put(&c->begin[i], block, sizeof block);
	}
	return c;
}

void script_cache_free(struct script_cache *c)
{
	if (!c)
		return;
	tagset_fini(&c->sigs);
	tagset_fini(&c->txs);
	key_hints_free(c->hints);
	free(c);
}

static void tag_end(struct tag *t, struct sha256 *h)
{
	uint8_t out[32];

	sha256_end(h, out);
	t->w[0] = le64_get(out);
	t->w[1] = le64_get(out + 8) | 1; /* an empty place is 0 */
}

static bool found(const struct cached_verifier *v, const struct tag *t)
{
	return tagset_has(&v->cache->sigs, t);
}

/* The inner verifier has answered. */
static bool answer(const struct cached_verifier *v, const struct tag *t,
		   bool ok, bool late)
{
	if (ok && !late && v->mode == CACHE_KEEP)
		tagset_put(&v->cache->sigs, t);
	return ok;
}

/* The hash and the key, whose first byte tells its size, are followed by the
 * signature: two questions never are the same bytes. */
static bool cached_ecdsa(void *arg, struct slice der, struct slice key,
			 const uint8_t hash[32])
{
	const struct cached_verifier *v = arg;
	const struct sig_verifier *inner = v->inner;
	struct sha256 h = v->cache->begin[KIND_ECDSA];
	struct tag t;

	sha256_put(&h, hash, 32);
	sha256_put(&h, key.p, key.n);
	sha256_put(&h, der.p, der.n);
	tag_end(&t, &h);
	if (found(v, &t))
		return true;
	return answer(v, &t, inner->ecdsa(inner->arg, der, key, hash), false);
}

static bool cached_schnorr(void *arg, const struct script_input *in,
			   const uint8_t sig[64], const uint8_t key[32],
			   const uint8_t hash[32])
{
	const struct cached_verifier *v = arg;
	const struct sig_verifier *inner = v->inner;
	struct sha256 h = v->cache->begin[KIND_SCHNORR];
	struct tag t;

	sha256_put(&h, hash, 32);
	sha256_put(&h, key, 32);
	sha256_put(&h, sig, 64);
	tag_end(&t, &h);
	if (found(v, &t))
		return true;
	return answer(v, &t, inner->schnorr(inner->arg, in, sig, key, hash),
		      inner->late);
}

static bool cached_tweak(void *arg, const struct script_input *in,
			 const uint8_t output[32], bool odd,
			 const uint8_t internal[32], const uint8_t tweak[32])
{
	const struct cached_verifier *v = arg;
	const struct sig_verifier *inner = v->inner;
	struct sha256 h = v->cache->begin[KIND_TWEAK];
	uint8_t sign = odd;
	struct tag t;

	sha256_put(&h, output, 32);
	sha256_put(&h, internal, 32);
	sha256_put(&h, tweak, 32);
	sha256_put(&h, &sign, 1);
	tag_end(&t, &h);
	if (found(v, &t))
		return true;
	return answer(
	    v, &t, inner->tweak(inner->arg, in, output, odd, internal, tweak),
	    inner->late);
}

void cached_verifier_init(struct cached_verifier *v, struct script_cache *c,
			  const struct sig_verifier *inner,
			  enum cache_mode mode)
{
	sig_verifier_library(&v->own, c->hints);
	v->cache = c;
	v->inner = inner ? inner : &v->own;
	v->mode = mode;
	v->v = *v->inner;
	if (mode == CACHE_HINTS)
		return;
	v->v.ecdsa = cached_ecdsa;
	v->v.schnorr = cached_schnorr;
	v->v.tweak = cached_tweak;
	v->v.arg = v;
}

/* The outputs are hashed although the transaction names them by their txids: a
 * wrong coin from a broken database must not be taken for the right one. */
void script_tx_key(struct script_tx_key *k, const struct script_cache *c,
		   const struct hash256 *wtxid, const struct txout_view *spent,
		   uint32_t n, unsigned flags)
{
	struct sha256 h = c->begin[KIND_TX];
	uint8_t b[8];

	le32_put(b, flags);
	sha256_put(&h, wtxid->b, 32);
	sha256_put(&h, b, 4);
	for (uint32_t i = 0; i < n; i++) {
		le64_put(b, (uint64_t)spent[i].value);
		sha256_put(&h, b, 8);
		sha256_compact(&h, spent[i].script.n);
		sha256_put(&h, spent[i].script.p, spent[i].script.n);
	}
	tag_end(&k->tag, &h);
}

bool script_cache_has_tx(const struct script_cache *c,
			 const struct script_tx_key *k)
{
	return tagset_has(&c->txs, &k->tag);
}

void script_cache_put_tx(struct script_cache *c, const struct script_tx_key *k)
{
	tagset_put(&c->txs, &k->tag);
}
