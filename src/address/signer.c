/*
 * Keys and scripts to sign with, found by what outputs name them by. Any
 * thread, one at a time; keys are wiped at the end.
 */
#include "sign.h"

#include <cairn/address/key.h>
#include <cairn/base/mem.h>
#include <cairn/crypto/pubkey.h>
#include <cairn/crypto/sha256.h>
#include <cairn/script/taptree.h>

#include <stdlib.h>

struct signer *signer_new(void)
{
	struct signer *s = xcalloc(1, sizeof *s);

	s->ctx = secret_ctx_new();
	hmap_init(&s->by_id);
	hmap_init(&s->by_output);
	hmap_init(&s->by_hash);
	return s;
}

static void free_keys(struct sign_key *k)
{
	while (k) {
		struct sign_key *next = k->next;

		explicit_bzero(k, sizeof *k);
		free(k);
		k = next;
	}
}

void signer_free(struct signer *s)
{
	if (!s)
		return;
	free_keys(s->keys);
	while (s->taps) {
		struct sign_tap *next = s->taps->next;

		free(s->taps);
		s->taps = next;
	}
	while (s->scripts) {
		struct sign_script *next = s->scripts->next;

		free(s->scripts);
		s->scripts = next;
	}
	hmap_fini(&s->by_id);
	hmap_fini(&s->by_output);
	hmap_fini(&s->by_hash);
	secret_ctx_free(s->ctx);
	free(s);
}

static struct hash256 padded(const uint8_t id[20])
{
	struct hash256 h = {{0}};

	memcpy(h.b, id, 20);
	return h;
}

static void add_tap(struct signer *s, const struct sign_key *k,
		    const uint8_t output[32], bool tweaked)
{
	struct sign_tap *t = xcalloc(1, sizeof *t);

	memcpy(t->output.b, output, 32);
	t->key = k;
	t->tweaked = tweaked;
	t->next = s->taps;
	s->taps = t;
	if (!hmap_get(&s->by_output, &t->output))
		hmap_put(&s->by_output, &t->output, t);
}

/* The key as an output key, and as an internal one that commits to no scripts.
 */
static void add_taps(struct signer *s, const struct sign_key *k)
{
	uint8_t tweak[32], output[32];

	add_tap(s, k, k->pub + 1, false);
	tap_tweak_hash(tweak, k->pub + 1, NULL);
	if (xonly_add(output, k->pub + 1, tweak))
		add_tap(s, k, output, true);
}

void signer_set_stop(struct signer *s, bool (*stop)(const void *arg),
		     const void *arg)
{
	s->stop = stop;
	s->stop_arg = arg;
}

void signer_add_key(struct signer *s, const struct privkey *key)
{
	struct sign_key *k = xcalloc(1, sizeof *k);
	uint8_t id[20];

	k->n = secret_pubkey(s->ctx, k->pub, key->b, key->compressed);
	hash160(id, k->pub, k->n);
	k->id = padded(id);
	if (hmap_get(&s->by_id, &k->id)) {
		free(k);
		return;
	}
	memcpy(k->secret, key->b, sizeof k->secret);
	k->next = s->keys;
	s->keys = k;
	hmap_put(&s->by_id, &k->id, k);
	if (k->n == 33)
		add_taps(s, k);
}

void signer_add_script(struct signer *s, struct slice script)
{
	struct sign_script *k = xcalloc(1, sizeof *k + script.n);
	uint8_t *bytes = (uint8_t *)(k + 1), id[20];

	hash160(id, script.p, script.n);
	k->id = padded(id);
	if (hmap_get(&s->by_hash, &k->id)) {
		free(k);
		return;
	}
	if (script.n)
		memcpy(bytes, script.p, script.n);
	k->bytes = slice_of(bytes, script.n);
	k->next = s->scripts;
	s->scripts = k;
	hmap_put(&s->by_hash, &k->id, k);
}

const struct sign_key *signer_key(const struct signer *s, const uint8_t id[20])
{
	struct hash256 h = padded(id);

	return hmap_get(&s->by_id, &h);
}

const struct sign_tap *signer_tap(const struct signer *s,
				  const uint8_t output[32])
{
	return hmap_get(&s->by_output, hash256_at(output));
}

struct slice signer_script(const struct signer *s, const uint8_t hash[20])
{
	struct hash256 h = padded(hash);
	const struct sign_script *k = hmap_get(&s->by_hash, &h);

	return k ? k->bytes : slice_of(NULL, 0);
}
