/*
 * The keys of a descriptor, index by index: each extended key is taken down its
 * path once, and from there one step per index. A walk belongs to one thread
 * and wipes the secrets that it derived. The scripts are made in desc_script.c.
 */
#include "desc.h"

#include <cairn/base/err.h>
#include <cairn/base/mem.h>
#include <cairn/base/must.h>
#include <cairn/base/text.h>
#include <cairn/crypto/secret.h>

#include <stdlib.h>

/* A key on its way: where its path leads. */
struct walk_key {
	const struct desc_key *k;
	struct extkey base; /* of extended ones */
};

struct descriptor_walk {
	const struct descriptor *d;
	size_t variant;
	struct secret_ctx *ctx;
	/* In the order of the functions; the public keys at the index. */
	struct walk_key *keys;
	struct desc_pub *pubs;
	size_t n_keys;
	struct text script[DESCRIPTOR_SCRIPTS_MAX];
};

static bool needs_secret(const struct desc_key *k, size_t variant)
{
	for (size_t i = 0; i < k->path.n; i++)
		if (desc_key_step(k, variant, i) & EXTKEY_HARDENED)
			return true;
	return k->range == RANGE_HARDENED;
}

/* The private key of an extended one may stand anywhere in the descriptor. */
static bool find_secret(struct descriptor_walk *w, struct extkey *x)
{
	const struct desc_secret *s = w->d->secrets;

	while (s && memcmp(s->pub, x->pub, sizeof s->pub) != 0)
		s = s->next;
	if (!s)
		return false;
	if (!w->ctx)
		w->ctx = secret_ctx_new();
	memcpy(x->secret, s->key, sizeof x->secret);
	x->has_secret = true;
	return true;
}

/* Go down the path, with the secret only where it takes one. */
static bool begin_key(struct descriptor_walk *w, struct walk_key *wk,
		      struct desc_pub *pub, const struct desc_key *k)
{
	wk->k = k;
	if (!k->extended) {
		*pub = k->pub;
		return true;
	}
	wk->base = k->root;
	if (needs_secret(k, w->variant) && !find_secret(w, &wk->base))
		return false;
	for (size_t i = 0; i < k->path.n; i++)
		if (!extkey_child(&wk->base, &wk->base, w->ctx,
				  desc_key_step(k, w->variant, i)))
			return false;
	pub->n = sizeof wk->base.pub;
	memcpy(pub->b, wk->base.pub, sizeof wk->base.pub);
	return true;
}

static bool begin_node(struct descriptor_walk *w, const struct desc_node *n)
{
	for (const struct desc_key *k = n->keys; k; k = k->next) {
		size_t i = w->n_keys++;

		must(i < w->d->n_keys);
		if (!begin_key(w, &w->keys[i], &w->pubs[i], k))
			return false;
	}
	for (n = n->sub; n; n = n->next)
		if (!begin_node(w, n))
			return false;
	return true;
}

int descriptor_walk(struct descriptor_walk **give, const struct descriptor *d,
		    size_t variant)
{
	struct descriptor_walk *w = xcalloc(1, sizeof *w);
	int rc = 0;

	must(variant < d->variants);
	w->d = d;
	w->variant = variant;
	w->keys = calloc(d->n_keys + 1, sizeof *w->keys);
	w->pubs = calloc(d->n_keys + 1, sizeof *w->pubs);
	if (!w->keys || !w->pubs)
		rc = E_NOMEM;
	else if (!begin_node(w, d->top))
		rc = E_NOTFOUND;
	if (rc)
		descriptor_walk_free(w);
	else
		*give = w;
	return rc;
}

void descriptor_walk_free(struct descriptor_walk *w)
{
	if (!w)
		return;
	if (w->keys)
		explicit_bzero(w->keys, w->d->n_keys * sizeof *w->keys);
	free(w->keys);
	free(w->pubs);
	for (size_t i = 0; i < DESCRIPTOR_SCRIPTS_MAX; i++)
		text_fini(&w->script[i]);
	secret_ctx_free(w->ctx);
	free(w);
}

/* The public keys at an index. */
static bool step_keys(struct descriptor_walk *w, uint32_t index)
{
	struct extkey child = {0};
	bool ok = true;

	for (size_t i = 0; i < w->n_keys && ok; i++) {
		const struct walk_key *wk = &w->keys[i];
		uint32_t step = index;

		if (wk->k->range == RANGE_NONE)
			continue;
		if (wk->k->range == RANGE_HARDENED)
			step |= EXTKEY_HARDENED;
		ok = extkey_child(&child, &wk->base, w->ctx, step);
		memcpy(w->pubs[i].b, child.pub, sizeof child.pub);
	}
	explicit_bzero(&child, sizeof child);
	return ok;
}

int descriptor_walk_at(struct descriptor_walk *w,
		       struct slice script[DESCRIPTOR_SCRIPTS_MAX], size_t *n,
		       uint32_t index)
{
	must(index < EXTKEY_HARDENED);
	if (!step_keys(w, index))
		return E_NOTFOUND;
	for (size_t i = 0; i < DESCRIPTOR_SCRIPTS_MAX; i++)
		text_reset(&w->script[i]);
	if (!desc_scripts(w->script, n, w->d->top, w->pubs))
		return E_NOMEM;
	for (size_t i = 0; i < *n; i++)
		script[i] = slice_of(w->script[i].p, w->script[i].n);
	return 0;
}
