/*
 * Extended keys (BIP 32): their text, and the step from a key to its child. Any
 * thread; a context, where one is needed, is the caller's. Paths are walked by
 * who has them.
 */
#include <cairn/address/key.h>

#include <cairn/address/address.h>
#include <cairn/base/endian.h>
#include <cairn/base/must.h>
#include <cairn/crypto/pubkey.h>
#include <cairn/crypto/secret.h>
#include <cairn/crypto/sha256.h>
#include <cairn/crypto/sha512.h>
#include <cairn/params/params.h>

#define TEXT_SIZE 78u /* version, depth, parent, index, chain code, key */
#define KEY_AT    45u

/* The key's 33 bytes: 0 and the secret, or the public key. */
static bool take_key(struct extkey *k, const struct secret_ctx *ctx,
		     const uint8_t *b)
{
	struct secret_ctx *own = NULL;

	if (!k->has_secret) {
		memcpy(k->pub, b, sizeof k->pub);
		return pubkey_valid(slice_of(b, sizeof k->pub));
	}
	if (b[0] != 0 || !secret_valid(b + 1))
		return false;
	memcpy(k->secret, b + 1, sizeof k->secret);
	if (!ctx)
		ctx = own = secret_ctx_new();
	secret_pubkey(ctx, k->pub, k->secret, true);
	secret_ctx_free(own);
	return true;
}

/* A root has neither a parent nor an index. */
static bool take_all(struct extkey *k, const struct secret_ctx *ctx,
		     const uint8_t *b)
{
	static const uint8_t none[4];

	k->depth = b[4];
	memcpy(k->parent, b + 5, sizeof k->parent);
	k->index = be32_get(b + 9);
	memcpy(k->chain, b + 13, sizeof k->chain);
	if (k->depth == 0 &&
	    (k->index != 0 || memcmp(k->parent, none, sizeof none) != 0))
		return false;
	return take_key(k, ctx, b + KEY_AT);
}

bool extkey_parse(struct extkey *k, const struct secret_ctx *ctx, const char *s,
		  const struct params *p)
{
	uint8_t b[TEXT_SIZE];
	struct extkey made = {0};
	size_t n;
	bool ok = base58check_parse(b, &n, sizeof b, s) && n == sizeof b;

	if (ok) {
		made.has_secret = be32_get(b) == p->ext_secret;
		ok = (made.has_secret || be32_get(b) == p->ext_public) &&
		     take_all(&made, ctx, b);
	}
	if (ok)
		*k = made;
	explicit_bzero(b, sizeof b);
	explicit_bzero(&made, sizeof made);
	return ok;
}

void extkey_put(char *dst, const struct extkey *k, bool secret,
		const struct params *p)
{
	uint8_t b[TEXT_SIZE], *at;

	must(!secret || k->has_secret);
	at = be32_put(b, secret ? p->ext_secret : p->ext_public);
	*at++ = k->depth;
	at = bytes_put(at, k->parent, sizeof k->parent);
	at = be32_put(at, k->index);
	at = bytes_put(at, k->chain, sizeof k->chain);
	if (secret) {
		*at++ = 0;
		bytes_put(at, k->secret, sizeof k->secret);
	} else {
		bytes_put(at, k->pub, sizeof k->pub);
	}
	base58check_put(dst, slice_of(b, sizeof b));
	explicit_bzero(b, sizeof b);
}

void key_fingerprint(uint8_t out[4], struct slice pub)
{
	uint8_t id[20];

	hash160(id, pub.p, pub.n);
	memcpy(out, id, 4);
}

bool extkey_of_seed(struct extkey *k, const struct secret_ctx *ctx,
		    struct slice seed)
{
	struct extkey made = {.has_secret = true};
	uint8_t mac[64];
	bool ok;

	hmac_sha512(mac, slice_of("Bitcoin seed", 12), seed);
	ok = secret_valid(mac);
	if (ok) {
		memcpy(made.secret, mac, 32);
		memcpy(made.chain, mac + 32, 32);
		secret_pubkey(ctx, made.pub, made.secret, true);
		*k = made;
	}
	explicit_bzero(mac, sizeof mac);
	explicit_bzero(&made, sizeof made);
	return ok;
}

/* What a step adds to the key, and the chain code behind it. */
static void step_hash(uint8_t mac[64], const struct extkey *k, uint32_t index)
{
	uint8_t msg[33 + 4];

	if (index & EXTKEY_HARDENED) {
		msg[0] = 0;
		memcpy(msg + 1, k->secret, 32);
	} else {
		memcpy(msg, k->pub, 33);
	}
	be32_put(msg + 33, index);
	hmac_sha512(mac, slice_of(k->chain, sizeof k->chain),
		    slice_of(msg, sizeof msg));
	explicit_bzero(msg, sizeof msg);
}

static bool step_key(struct extkey *child, const struct secret_ctx *ctx,
		     const uint8_t tweak[32])
{
	if (!child->has_secret)
		return pubkey_add(child->pub, child->pub, tweak);
	if (!secret_add(child->secret, tweak))
		return false;
	secret_pubkey(ctx, child->pub, child->secret, true);
	return true;
}

bool extkey_child(struct extkey *child, const struct extkey *k,
		  const struct secret_ctx *ctx, uint32_t index)
{
	struct extkey made = *k;
	uint8_t mac[64];
	bool ok;

	if (k->depth == UINT8_MAX ||
	    (index & EXTKEY_HARDENED && !k->has_secret))
		return false;
	must(!k->has_secret || ctx);
	step_hash(mac, k, index);
	made.depth++;
	made.index = index;
	key_fingerprint(made.parent, slice_of(k->pub, sizeof k->pub));
	memcpy(made.chain, mac + 32, 32);
	ok = step_key(&made, ctx, mac);
	if (ok)
		*child = made;
	explicit_bzero(mac, sizeof mac);
	explicit_bzero(&made, sizeof made);
	return ok;
}
