/*
 * Keys as text: private keys (WIF) and extended keys (BIP 32), by network.
 * Secrets are the caller's to wipe (explicit_bzero); copies made here are wiped
 * before returning.
 */
#ifndef CAIRN_ADDRESS_KEY_H
#define CAIRN_ADDRESS_KEY_H

#include <cairn/base/attr.h>
#include <cairn/base/bytes.h>

struct params;
struct secret_ctx;

struct privkey {
	uint8_t b[32];
	bool compressed; /* which form its public key has */
};

/* A private key of this network; k is untouched on false. White space around
 * the text is skipped, as Core does. */
bool privkey_parse(struct privkey *k, const char *s,
		   const struct params *p) must_check;
#define WIF_STR 53
/* Write it into dst[WIF_STR]. */
void privkey_put(char *dst, const struct privkey *k, const struct params *p);

/* An extended key; with its secret or without. */
struct extkey {
	uint8_t depth;
	uint8_t parent[4]; /* fingerprint; zero for a root */
	uint32_t index;    /* the step that led here */
	uint8_t chain[32];
	uint8_t pub[33];
	bool has_secret;
	uint8_t secret[32];
};

#define EXTKEY_STR      112
#define EXTKEY_HARDENED 0x80000000u

/* An extended public or private key of this network. ctx is needed for private
 * ones; where it is NULL, one is made for the call. k is untouched on false. */
bool extkey_parse(struct extkey *k, const struct secret_ctx *ctx, const char *s,
		  const struct params *p) must_check;
/* Write it into dst[EXTKEY_STR], with its secret (it must have one) or without.
 */
void extkey_put(char *dst, const struct extkey *k, bool secret,
		const struct params *p);

/* The root of a seed (BIP 32 wants 16 to 64 bytes; more are hashed all the
 * same). False for the one seed in 2^127 that has none. */
bool extkey_of_seed(struct extkey *k, const struct secret_ctx *ctx,
		    struct slice seed) must_check;
/* The child at index: with the secret when k has it (needs ctx), else only what
 * is not hardened. False below depth 255, for a hardened one without the
 * secret, and for the one index in 2^127 that has no key. child may be k. */
bool extkey_child(struct extkey *child, const struct extkey *k,
		  const struct secret_ctx *ctx, uint32_t index) must_check;

/* The first 4 bytes of the hash of a public key (33 or 65 bytes). */
void key_fingerprint(uint8_t out[4], struct slice pub);

#endif
